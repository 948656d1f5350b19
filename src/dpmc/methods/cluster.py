"""Sums over blocks of users on a Dask cluster (the extra ``dask``); each block counts exactly once.

Each step computes one statistic. Public numbers and the recipe of the blocks go to the workers as
one value. A task adds up some blocks of a store, which workers read from a folder that all machines
share, and returns the sums with the blocks' numbers. Further tasks add up such sums and refuse a
block that is in two of them. The fitting process checks that the last sum has all blocks. It
receives one vector of sums for each step, and nothing about a single block. If a worker is lost,
Dask repeats its tasks with the same result, because sums are exact. The fitting process draws all
noise; it alone has the :class:`dpmc.privacy.ledger.Ledger`.

Functions are sent by name, so a worker's own code clips and reports norms. Each sum carries the
fingerprint of the programs that made it (:func:`_program`), and sums of another program are
refused. This detects a machine with another installation, but not a worker that lies.

**Privacy.** Sums without noise are private. They travel between workers and stay in their memory.
Names of tasks contain only numbers of blocks. The only texts in the values that tasks take or
return are these names and names of programs. A task does not raise, because Dask logs the arguments
and traceback of a task that does. An error of a block is returned as a sentence with the block and
the type of the error, but no value.
"""

import hashlib
import pickle
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import numba
import numpy as np

from dpmc import __version__
from dpmc.errors import InputError, ParameterError
from dpmc.methods.blocks import Blocks

TASKS = 4
"""For each thread of the workers, about: as many are done again at most where one is lost."""
TOGETHER = 8
"""Parts that one task adds up."""
ANSWER = 10
"""Seconds for a scheduler to answer."""
WAIT = 60
"""Seconds for the first worker to come."""


@dataclass(frozen=True)
class _Step:
    """Pickled blocks, statistic and what makes empty sums; as text it shows a random name alone."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class _Part:
    """Sums of some blocks, or what is wrong with one; made by programs, which an old one omits."""

    numbers: tuple[int, ...]
    sums: Any = field(repr=False)
    failure: str | None = None
    programs: frozenset[str] = field(default=frozenset({"another dpmc"}), repr=False)


@cache
def _program() -> str:
    """Return what this process adds up with, in words."""
    code = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        code.update(path.read_bytes())
    return (
        f"dpmc {__version__} (code {code.hexdigest()[:8]}), numpy {np.__version__} and numba "
        f"{numba.__version__}"
    )


@contextmanager
def connected(address: str) -> Iterator:
    """Yield the client of a scheduler.

    An InputError says that the extra is not installed, or that there is no scheduler.
    """
    try:
        from distributed import Client
        from distributed.comm.addressing import resolve_address
    except ModuleNotFoundError:
        raise ParameterError(
            '{dask} needs Dask, which is not installed: pip install "dpmc[dask]".'
        ) from None
    try:
        resolve_address(address)  # a client tries for long to find a name that nobody has
        client = Client(address, set_as_default=False, timeout=ANSWER)
    except (OSError, ValueError, ImportError):
        raise ParameterError(
            "{dask}: no scheduler answers at {address}: start one with `dask scheduler`.",
            address=address,
        ) from None
    with client:
        yield client


def total(client: Any, blocks: Blocks, add: Callable, sums: Any) -> None:
    """Call ``add(sums, rows, first)`` for each block of a store, and add up the results.

    The store has the same path on all machines; see :func:`dpmc.methods.blocks.total`. InputError,
    which names no user, means that a block is lost, changed or counted twice, that a worker runs
    another program, or that the cluster failed.
    """
    store: Any = blocks.source
    n_blocks = store.n_blocks
    if not n_blocks:
        return
    content = pickle.dumps((Blocks(store, 1, blocks.changes), add, sums.like))
    with _sentences():
        whole = _whole(client, _Step(secrets.token_hex(4), content), n_blocks)
    for other in sorted(whole.programs - {_program()}):
        raise InputError(
            f"A worker has {other}, and the fit {_program()}: install the same on all machines. "
            "Nothing was written."
        )
    if whole.failure is not None:
        raise InputError(whole.failure)
    if sorted(whole.numbers) != list(range(n_blocks)):
        raise InputError("The cluster did not add up each block once; nothing was written.")
    sums.include(whole.sums)


def _whole(client: Any, step: _Step, n_blocks: int) -> _Part:
    """Return the sums of all blocks; whatever ends it, nothing is left on the cluster."""
    import dask

    client.wait_for_workers(1, timeout=WAIT)
    threads = sum(client.nthreads().values())
    size = max(1, n_blocks // (TASKS * max(1, threads)))
    made = []

    def submit(key: str, work: Callable, *given: Any) -> Any:
        made.append(client.submit(work, *given, key=f"{key}-{step.name}", pure=False))
        return made[-1]

    try:
        # a task, and not scattered: what is lost with a worker is sent again
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GiB"}):
            public = submit("dpmc-public", _public, step)
            parts = [
                submit(
                    f"dpmc-blocks-{first}", _added, public, range(n_blocks)[first : first + size]
                )
                for first in range(0, n_blocks, size)
            ]
        while len(parts) > 1:
            groups = [parts[k : k + TOGETHER] for k in range(0, len(parts), TOGETHER)]
            parts = [submit(f"dpmc-sums-{len(made)}", _merged, group) for group in groups]
        return parts[0].result()
    finally:
        client.cancel(made, force=True)


@contextmanager
def _sentences() -> Iterator[None]:
    """Say in one sentence what Dask raises, which may hold anything."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    try:
        yield
    except KilledWorker:
        raise InputError(
            "The cluster: several workers died at the same blocks, of memory perhaps; nothing was "
            "written."
        ) from None
    except TimeoutError:
        raise InputError(f"The cluster has no worker after {WAIT} seconds: start some.") from None
    except (Exception, CancelledError) as error:
        raise InputError(
            f"The cluster cannot do it ({type(error).__name__}): are scheduler and workers there, "
            "with the same versions of Python and dpmc? Nothing was written."
        ) from None


def _public(step: _Step) -> _Step:
    return step


@lru_cache(maxsize=1)
def _loaded(step: _Step) -> tuple:
    return pickle.loads(step.content)


def _added(step: _Step, numbers: Sequence[int]) -> _Part:
    """Add up some blocks, each of which is checked when this process first sees it."""
    number, program = numbers[0], frozenset({_program()})
    try:
        blocks, add, empty = _loaded(step)
        sums = empty()
        for number in numbers:
            blocks.source.check_block(number)
            try:
                for first, rows in blocks.source.blocks([number]):
                    add(sums, blocks.changed(first, rows), first)
            except InputError as error:  # a sentence of a method: it may hold a value
                raise RuntimeError from error
    except InputError as error:
        return _Part((), None, str(error), program)
    except Exception as error:
        cause = error.__cause__ or error
        failure = f"Block {number} cannot be added up: {type(cause).__name__}."
        return _Part((), None, failure, program)
    return _Part(tuple(numbers), sums, None, program)


def _merged(parts: Sequence[_Part]) -> _Part:
    """Return the sums of parts; those of the parts stay, as Dask may ask for them again."""
    for part in parts:
        if part.failure is not None:
            return part
    numbers = [number for part in parts for number in part.numbers]
    programs = frozenset({_program()}).union(*(part.programs for part in parts))
    if len(set(numbers)) < len(numbers):
        failure = "A block came twice from the cluster; nothing was written."
        return _Part((), None, failure, programs)
    sums = parts[0].sums.empty()
    for part in parts:
        sums.include(part.sums)
    return _Part(tuple(numbers), sums, None, programs)


def over(client: Any) -> Callable | None:
    """Return how :class:`dpmc.methods.blocks.Blocks` adds up blocks with a client."""
    return None if client is None else partial(total, client)

"""The folder that ``dpmc fit`` writes and ``dpmc complete`` reads."""

import csv
import json
import os
import platform
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import numpy as np

from dpmc import __version__
from dpmc.errors import InputError
from dpmc.privacy.relations import ENTRY_CHANGE, USER_LEVEL
from dpmc.ratings import Ratings
from dpmc.solvers.local import PublishedItems
from dpmc.solvers.private import PrivateSolver

GUARANTEE = "guarantee.json"
FILES = {
    "item_factors": "item_factors.csv",
    "user_factors": "user_factors.csv",
    "predictions": "predictions.parquet",
}
CONSTANTS = (
    "rating_range", "ratings_per_user", "rank", "iterations", "inner_iterations", "factor_bound",
    "residual_bound", "regularization", "user_regularization", "loss_parameter", "offsets", "start",
)  # fmt: skip
"""Settings of a solver: public, the guarantee rests on them or they are needed to use factors."""
SIMULATED = "simulated_"
"""How the names of files start whose noise was simulated, lest anybody publish them."""

_ROWS = 2**20  # of predictions, written at a time


def check_output(path: Path, force: bool) -> None:
    """Refuse a place that something is in, before anything is computed.

    Raises
    ------
    InputError
        ``path`` exists and is not to be replaced, or is not a folder that ``dpmc fit`` wrote.
    """
    if not path.exists() and not path.is_symlink():
        return
    if not force:
        raise InputError(f"{path} exists; name another --output, or give --force to replace it.")
    own = {prefix + name for prefix in ("", SIMULATED) for name in (GUARANTEE, *FILES.values())}
    if path.is_symlink() or not path.is_dir() or {each.name for each in path.iterdir()} - own:
        raise InputError(f"{path} holds something else than an earlier fit; --force leaves it.")


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes ``path`` when the block ends well, and only then."""
    path = Path(os.path.abspath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    temporary.mkdir()
    try:
        yield temporary
        if path.exists():
            old = temporary.with_name(temporary.name + ".old")
            os.replace(path, old)
            os.replace(temporary, path)
            shutil.rmtree(old)
        else:
            os.replace(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write(
    path: Path,
    model: PrivateSolver,
    ratings: Ratings,
    parts: tuple[str, ...],
    notes: dict[str, object],
) -> list[str]:
    """Write a fitted model, whole or not at all, and return the names of the files.

    Parameters
    ----------
    path : Path
        The folder.
    model : PrivateSolver
        Fitted to ``ratings``.
    ratings : Ratings
        For its labels only.
    parts : tuple of str
        Keys of :data:`FILES`; always with the item factors.
    notes : dict
        Further public entries of the guarantee file.

    Raises
    ------
    InputError
        A part that the guarantee does not cover.
    """
    guarantee = model.guarantee_
    prefix = SIMULATED if guarantee.simulated else ""
    for part in parts:
        if part not in guarantee.publishable:
            guarantee.require(part)
    with whole_folder(path) as folder:
        for part in parts:
            _WRITERS[part](folder / (prefix + FILES[part]), model, ratings)
        content = {
            **guarantee.as_dict(),
            **_terms(model.relation),
            **notes,
            "constants": {name: getattr(model, name) for name in CONSTANTS if hasattr(model, name)},
            "versions": _versions(),
        }
        text = json.dumps(content, indent=2) + "\n"
        (folder / (prefix + GUARANTEE)).write_text(text, encoding="utf-8")
    return [prefix + FILES[part] for part in parts] + [prefix + GUARANTEE]


def assumed_public(relation: str) -> list[str]:
    """Return what the guarantee takes for known, in words."""
    assumed = ["every number under constants", "the list of items"]
    if relation not in USER_LEVEL:
        assumed.append("the list of users")
    if relation == ENTRY_CHANGE:
        assumed.append("which user rated which item")
    return assumed


def _terms(relation: str) -> dict[str, object]:
    """What the guarantee takes for granted, and how to use the factors."""
    return {
        "assumed_public": assumed_public(relation),
        "spent": "once: whatever else is published about the same ratings adds to it",
        "prediction": "item offset + user factors . item factors, clipped to the rating range; a"
        " user's factors are (V^T V + user_regularization I)^-1 V^T y, V the factors of the items"
        " that the user rated and y the ratings less the items' offsets, clipped to half the range",
    }


def _versions() -> dict[str, str]:
    names = ("numpy", "scipy", "dp-accounting")
    return {"dpmc": __version__, "python": platform.python_version()} | {
        name: version(name) for name in names
    }


def _write_items(path, model, ratings):
    table = np.column_stack([model.item_offsets_, model.item_factors_])
    _write_factors(path, ["item", "offset"], ratings.item_labels, table)


def _write_users(path, model, ratings):
    _write_factors(path, ["user"], ratings.user_labels, model.user_factors_)


def _write_factors(path, names, labels, table):
    factors = [f"factor_{k + 1}" for k in range(table.shape[1] + 1 - len(names))]
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names + factors)
        for label, row in zip(labels.tolist(), table.tolist(), strict=True):
            writer.writerow([label, *map(repr, row)])


def _write_predictions(path, model, ratings):
    """Write all pairs, some users at a time."""
    import pyarrow as pa
    from pyarrow import parquet

    n_items = ratings.n_items
    items = pa.array(ratings.item_labels.tolist())
    step = max(1, _ROWS // n_items)
    schema = pa.schema(
        [
            ("user", pa.array(ratings.user_labels[:1].tolist()).type),
            ("item", items.type),
            ("prediction", pa.float64()),
        ]
    )
    with parquet.ParquetWriter(path, schema) as writer:
        for first in range(0, ratings.n_users, step):
            users = np.arange(first, min(first + step, ratings.n_users))
            rows, columns = np.repeat(users, n_items), np.tile(np.arange(n_items), users.size)
            labels = pa.array(ratings.user_labels[rows].tolist(), schema.field("user").type)
            values = pa.array(model.predict(rows, columns))
            writer.write_table(pa.table([labels, items.take(columns), values], schema))


_WRITERS = {
    "item_factors": _write_items,
    "user_factors": _write_users,
    "predictions": _write_predictions,
}


def read_published(path: Path) -> PublishedItems:
    """Read the item factors and constants of a folder that ``dpmc fit`` wrote.

    Raises
    ------
    InputError
        There are no such files, or they are not in the format.
    """
    prefix = SIMULATED if (path / (SIMULATED + GUARANTEE)).exists() else ""
    table = path / (prefix + FILES["item_factors"])
    try:
        constants = json.loads((path / (prefix + GUARANTEE)).read_text("utf-8"))["constants"]
        with open(table, newline="", encoding="utf-8") as stream:
            _, *rows = csv.reader(stream)
        return PublishedItems(
            [row[0] for row in rows],
            np.array([float(row[1]) for row in rows]),
            np.array([[float(x) for x in row[2:]] for row in rows]),
            tuple(constants["rating_range"]),
            constants["user_regularization"],
        )
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(f"{path} holds no output of dpmc fit ({error}).") from None

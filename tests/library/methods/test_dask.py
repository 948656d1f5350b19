"""A fit on a cluster of Dask: real processes, one of which is killed in the middle of a step.

Without the extra ``dask`` all of it is skipped.
"""

import os
import re
import signal
import subprocess
import sys
import time
import warnings

import pytest
from secret_tables import secret_table

from dpmc import PrivateFactorization
from dpmc.errors import InputError
from dpmc.methods import cluster
from dpmc.methods.blocks import Blocks, total
from dpmc.privacy.sums import Sums
from dpmc.publication.store_building import build

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
pytestmark = pytest.mark.slow

N_USERS, N_ITEMS = 300, 12
ITEMS = [f"item {number}" for number in range(N_ITEMS)]
LABEL = re.compile(r"secret[ -]?user")
PATIENT = {
    "distributed.deploy.lost-worker-timeout": "1 day",
    "distributed.scheduler.worker-ttl": None,
}
"""A busy machine is no failure. By default a worker that was killed is given up for good where it
is not back after 15 seconds, which it may need to start."""
WAIT = 300
"""Seconds that anything may take to start or to end, at most."""
GONE = {distributed.Status[name] for name in ("closing", "closed", "failed")}


@pytest.fixture(scope="module")
def table():
    return secret_table(N_USERS, ITEMS)


@pytest.fixture(scope="module")
def store(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    table.to_csv(folder / "mine.csv", index=False)
    return build(folder / "mine.csv", folder / "store", block=60)


@pytest.fixture(scope="module")
def processes():
    """Two workers, which a nanny starts again when they die."""
    with (
        dask.config.set(PATIENT),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield local, client


@pytest.fixture
def client(processes):
    local, client = processes
    local.scale(2)  # where a test before has added one
    until(lambda: len(local.workers) == 2, "a worker too many does not end")
    until_there(processes, 2)
    return client


def until(there, otherwise):
    """Wait for something, and fail with what is said where it does not come."""
    end = time.monotonic() + WAIT
    while not there():
        assert time.monotonic() < end, otherwise
        time.sleep(0.1)


def until_there(processes, number):
    """Return the addresses of so many workers."""
    local, client = processes

    def addresses():
        gone = [each for each in list(local.workers.values()) if each.status in GONE]
        assert not gone, "a worker cannot start"
        return set(client.scheduler_info(n_workers=-1)["workers"])

    until(lambda: len(addresses()) >= number, f"there are no {number} workers")
    return addresses()


GIVEN = {
    "bayes": {"rating_range": (2, 5), "report_error": 0.2},
    "ease": {"purpose": "ranking", "likes_from": 4},
    "bias": {"rating_range": (2, 5)},
}


def folder_of(source, path, client=None, method="bayes"):
    given = GIVEN[method] | {"method": method}
    model = PrivateFactorization(
        epsilon=20, delta=1e-6, items=ITEMS[1:], ratings_per_user=5, simulate=3, **given
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(source, client=client).save(path)
    # the values that are met most often beyond the range are not kept in a store
    messages = (re.sub(r"; most often: [^:]*", "", str(each.message)) for each in said)
    texts = [each for each in messages if "for your eyes only" in each]
    return {each.name: each.read_bytes() for each in path.iterdir()}, texts


class KillOnce:
    """A change that kills the process of a worker in the middle of one block, once."""

    def __init__(self, mark, number):
        self.mark, self.number = mark, number

    def __call__(self, first, rows):
        if first >= self.number:
            try:
                os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return rows
            os.kill(os.getpid(), signal.SIGKILL)
        return rows


def watched(monkeypatch, processes, mark):
    """Have one worker killed in a late block of the third statistic of a fit, when one more is on
    its way; the fourth waits for both. Return the workers that were there by statistic."""
    plain, there = cluster.total, []

    def one_more(client, blocks, add, sums):
        there.append(until_there(processes, 3 if len(there) == 3 else 1))
        if len(there) == 3:
            processes[0].scale(3)
            blocks = blocks.then(KillOnce(str(mark), N_USERS // 2))
        return plain(client, blocks, add, sums)

    monkeypatch.setattr(cluster, "total", one_more)
    return there


@pytest.mark.parametrize("method", GIVEN)
def test_the_same_bytes_in_memory_of_a_store_and_on_a_cluster_that_loses_a_worker(
    method, table, store, client, processes, tmp_path, monkeypatch
):
    """One worker is killed with -9 in a step, and one more joins: its bytes are those of memory."""
    in_memory, said = folder_of(table, tmp_path / "memory", method=method)
    assert folder_of(store, tmp_path / "store", method=method) == (in_memory, said)
    assert store.n_blocks > 20
    there = watched(monkeypatch, processes, tmp_path / "killed")
    assert folder_of(store, tmp_path / "cluster", client, method) == (in_memory, said)
    assert (tmp_path / "killed").exists()
    before, after = there[2], there[3]
    assert len(before - after) == 1
    assert len(after - before) == 2
    assert left(client) == []


def left(client):
    """Return what is on the cluster after a step."""
    # the scheduler hears of this after all that the client said before
    assert client.submit(int, pure=False).result() == 0
    return [key for key in client.run_on_scheduler(tasks) if "dpmc" in str(key)]


def tasks(dask_scheduler):
    return list(dask_scheduler.tasks)


def clients(dask_scheduler):
    return len(dask_scheduler.clients)


def _fails(sums, rows, first):
    raise ValueError(f"secret user {first} gave {rows.values[0]}")


def on(client, store):
    return Blocks(store, elsewhere=cluster.over(client))


def test_a_block_that_fails_is_named_and_no_user(client, store):
    with pytest.raises(InputError, match=r"^Block \d+ cannot be added up: ValueError\.$") as caught:
        total(_fails, on(client, store), Sums(1, 1.0))
    assert caught.value.__cause__ is None
    logs = str(client.get_worker_logs()) + str(client.get_scheduler_logs())
    logs += str(client.run(lambda dask_worker: [str(each) for each in dask_worker.state.log]))
    assert "blocks" in logs
    assert not LABEL.search(logs)
    assert left(client) == []


def test_ctrl_c_leaves_nothing(client, store, tmp_path, tmp_path_factory):
    """A fit by the command line is stopped in a step, which does not end before."""
    let_go, before = tmp_path_factory.mktemp("held") / "let go", client.run_on_scheduler(clients)
    (tmp_path / "items.txt").write_text("\n".join(ITEMS))
    program = (
        "import dpmc.methods.cluster as c\n"
        "import sys; from dpmc.cli import main\n"
        "def slow(*given):\n"
        "    import os, time\n"
        f"    while not os.path.exists({str(let_go)!r}): time.sleep(0.05)\n"
        "c._added = slow; sys.argv[0] = 'dpmc'; main()"
    )
    words = ["fit", "--ratings", str(store.path), "--items", "items.txt", "--output", "model"]
    words += [
        "--relation",
        "user",
        "--rating-range",
        "1",
        "5",
        "--epsilon",
        "5",
        "--dask",
        client.scheduler.address,
    ]
    # a test run in the background has its children ignore the signal: undo that
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    command = [sys.executable, "-c", program, *words]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, **heard)

    def begun():
        of_blocks = ("dpmc-blocks" in str(key) for key in client.run_on_scheduler(tasks))
        return process.poll() is not None or any(of_blocks)

    try:
        until(begun, "no step is begun")
        process.send_signal(signal.SIGINT)
        let_go.touch()
        said = process.communicate(timeout=WAIT)[1]
    finally:
        let_go.touch()
        process.kill()
    assert process.returncode == 2
    assert said.splitlines()[-1].startswith("dpmc: Stopped, and the cluster with it.")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["items.txt"]
    # what it said is heard when it is gone
    until(lambda: client.run_on_scheduler(clients) <= before, "the command is still a client")
    assert left(client) == []


@pytest.mark.parametrize("address", ["tcp://[::1]:1", "no.such.host.invalid", "no kind://host", ""])
def test_no_scheduler_is_refused(address):
    with pytest.raises(InputError, match="no scheduler answers"), cluster.connected(address):
        pass


def test_what_is_in_memory_is_refused(table, client, tmp_path):
    with pytest.raises(InputError, match="goes over a store"):
        folder_of(table, tmp_path / "none", client)
    assert not (tmp_path / "none").exists()

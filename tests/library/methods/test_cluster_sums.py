"""What a cluster may get wrong, tried in this process; test_dask.py does it with real processes.

Without the extra ``dask`` all of it is skipped.
"""

import io
import pickle
import warnings
from dataclasses import replace

import pytest
from secret_tables import secret_table

from dpmc import PrivateFactorization
from dpmc.errors import InputError
from dpmc.methods import cluster
from dpmc.methods.blocks import Blocks, total
from dpmc.privacy.sums import Sums
from dpmc.publication.store_building import build

pytest.importorskip("distributed")

N_USERS, N_ITEMS = 60, 9
ITEMS = [f"item {number}" for number in range(N_ITEMS)]


class Client:
    """Does at once, in this process, what workers would, each with its own copy of what is sent.

    ``change(key, part)`` is made of what a task returns, as it would come from a faulty cluster.
    """

    def __init__(self, change=None, threads=1):
        self.change, self.threads = change or (lambda key, part: part), threads
        self.sent, self.cancelled = [], []

    def wait_for_workers(self, number, timeout):
        assert number == 1

    def nthreads(self):
        return {"tcp://here": self.threads}

    def submit(self, work, *given, key, pure):
        assert not pure  # a step that is done again is another one
        own = [_results(each) if isinstance(each, list) else _result(each) for each in given]
        self.sent += [each for each in given if not isinstance(each, list | Future)]
        return Future(key, self.change(key, work(*pickle.loads(pickle.dumps(own)))))

    def cancel(self, made, force):
        self.cancelled += [each.key for each in made]


class Future:
    def __init__(self, key, value):
        self.key, self.value = key, value

    def result(self):
        return self.value


def _result(given):
    return given.value if isinstance(given, Future) else given


def _results(given):
    return [_result(each) for each in given]


@pytest.fixture(scope="module")
def table():
    return secret_table(N_USERS, ITEMS)


@pytest.fixture(scope="module")
def store(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    table.to_csv(folder / "mine.csv", index=False)
    return build(folder / "mine.csv", folder / "store", block=15)


def _values(sums, rows, first):
    sums.add(0, sums.whole(rows.sums(rows.values)))


def added(store, client):
    """Return what one statistic of a store is, in steps."""
    sums = Sums(1, 5.0 * N_ITEMS)
    total(_values, Blocks(store, elsewhere=cluster.over(client)), sums)
    return sums.exact()


@pytest.mark.parametrize("threads", [1, 3, 100])
def test_each_block_is_added_up_once(store, table, threads):
    client = Client(threads=threads)
    assert store.n_blocks > cluster.TOGETHER
    step = Sums(1, 5.0 * N_ITEMS).step
    assert added(store, client) == [int(table["rating"].sum() / step)]
    assert len(client.cancelled) == len(set(client.cancelled)) > 2  # nothing is left


def of_blocks(change):
    """Change the first part that is made of blocks."""
    done = []

    def changed(key, part):
        if not key.startswith("dpmc-blocks") or done:
            return part
        done.append(key)
        return change(part)

    return changed


def of_sums(change):
    """Change the last result of all."""

    def changed(key, part):
        return change(part) if key.startswith("dpmc-sums") and len(part.numbers) > 20 else part

    return changed


LOST = {
    "a block": of_blocks(lambda part: replace(part, numbers=part.numbers[1:])),
    "a part": of_blocks(lambda part: replace(part, numbers=(), sums=part.sums.empty())),
    "a block of the whole": of_sums(lambda part: replace(part, numbers=part.numbers[:-1])),
    "all": of_sums(lambda part: replace(part, numbers=(), sums=part.sums.empty())),
    "a block that is there for another": of_blocks(
        lambda part: replace(part, numbers=(999, *part.numbers[1:]))
    ),
    "none, but one came twice": of_sums(
        lambda part: replace(part, numbers=(*part.numbers, part.numbers[0]))
    ),
}


@pytest.mark.parametrize("what", LOST)
def test_a_block_that_is_lost_is_missed(store, what):
    assert store.n_blocks > 20
    client, sums = Client(LOST[what], threads=100), Sums(1, 5.0 * N_ITEMS)
    with pytest.raises(InputError, match=r"^The cluster did not add up each block once; nothing"):
        total(_values, Blocks(store, elsewhere=cluster.over(client)), sums)
    assert sums.exact() == [0]


def test_a_block_that_comes_twice_is_refused(store):
    again = of_blocks(lambda part: replace(part, numbers=(5, *part.numbers[1:])))
    with pytest.raises(InputError, match=r"^A block came twice from the cluster; nothing was"):
        added(store, Client(again, threads=100))


@pytest.mark.parametrize("where", [of_blocks, of_sums])
def test_a_part_of_another_program_is_refused(store, where):
    older = frozenset({"dpmc 0.0.9", cluster._program()})
    with pytest.raises(InputError, match=r"^A worker has dpmc 0\.0\.9, and the fit dpmc "):
        added(store, Client(where(lambda part: replace(part, programs=older))))

    # and so is one that does not say what made it
    def silent(part):
        older = object.__new__(cluster._Part)
        older.__dict__.update(numbers=part.numbers, sums=part.sums, failure=None)
        return older

    with pytest.raises(InputError, match=r"^A worker has another dpmc, and the fit dpmc "):
        added(store, Client(where(silent)))


def test_blocks_are_checked_where_they_are_added_up(table, tmp_path):
    table.to_csv(tmp_path / "mine.csv", index=False)
    changed = build(tmp_path / "mine.csv", tmp_path / "store", block=100)
    values = tmp_path / "store" / "00002" / "values.npy"
    content = bytearray(values.read_bytes())
    content[-1] ^= 1
    values.write_bytes(content)
    with pytest.raises(InputError, match="block 2 is not as it was built"):
        added(changed, Client())
    assert build(tmp_path / "mine.csv", tmp_path / "store", block=120, force=True)
    with pytest.raises(InputError, match="is not the same store"):
        added(changed, Client())


def _fails(sums, rows, first):
    raise InputError(f"secret user {first} gave {rows.values[0]}")


def test_a_failure_names_its_block_and_nothing_else(store):
    client = Client()
    with pytest.raises(InputError, match=r"^Block 0 cannot be added up: InputError\.$"):
        total(_fails, Blocks(store, elsewhere=cluster.over(client)), Sums(1, 1.0))
    assert client.cancelled
    content = pickle.dumps((Blocks(store), _fails, Sums(1, 1.0).like))
    failed = cluster._added(cluster._Step("a", content), range(2))
    assert failed.programs == frozenset({cluster._program()})


class Named(pickle.Unpickler):
    """Notes the classes that are named in a pickle, and functions from elsewhere than dpmc."""

    def __init__(self, content):
        super().__init__(io.BytesIO(content))
        self.names = set()

    def find_class(self, module, name):
        found = super().find_class(module, name)
        if not module.startswith("dpmc.") or isinstance(found, type):
            self.names.add(name)
        return found


RECIPES = {"Blocks", "Keyed", "Resolved", "StoredUsers", "_Remembered", "getattr", "partial"}
NUMBERS = {"Model", "Scale", "Sensitivities", "Sums", "_Counts"}  # released ones, and bounds
ARRAYS = {"_reconstruct", "dtype", "ndarray", "scalar"}
GIVEN = {
    "bayes": {"rating_range": (1, 5), "report_error": 0.2},
    "ease": {"purpose": "ranking", "likes_from": 4},
    "bias": {"rating_range": (1, 5)},
}


@pytest.mark.parametrize("method", GIVEN)
def test_workers_get_the_key_of_the_choice_and_nothing_else_that_is_secret(store, method):
    """No generator of starts or noise, no ledger, no label of a user."""
    client = Client()
    given = {"epsilon": 20, "delta": 1e-6, "items": ITEMS[1:], "ratings_per_user": 5}
    model = PrivateFactorization(method=method, **given, **GIVEN[method])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(store, client=client)
    steps = [each for each in client.sent if isinstance(each, cluster._Step)]
    assert len(steps) > 2
    assert {type(each) for each in client.sent} == {cluster._Step, range}
    named = set()
    for step in steps:
        seen = Named(step.content)
        seen.load()
        named |= seen.names
        assert b"secret user" not in step.content
    assert "Keyed" in named
    assert named <= RECIPES | NUMBERS | ARRAYS

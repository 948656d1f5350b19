"""Users in blocks and in threads: the same bytes, whichever way they were added up."""

import threading
import time
import tracemalloc
from dataclasses import dataclass, replace

import numpy as np
import pytest
from plain_methods import random_ratings
from private_fits import labelled
from test_exact_fits import AT_USER_LEVEL, build

from dpmc.methods.blocks import Blocks, counted, joined, of_users, total
from dpmc.methods.private_choice import Keyed, Seeded
from dpmc.privacy.ledger import FloatNoise, Ledger
from dpmc.privacy.sums import Sums
from dpmc.ratings import Compressed, Ratings

N_USERS, N_ITEMS = 60, 9


@pytest.fixture(scope="module")
def ratings():
    full = random_ratings(np.random.default_rng(0), N_USERS, N_ITEMS, 0.6)
    return labelled(full.take(full.users % 17 != 3))  # some users have none


def cut(monkeypatch, number):
    """Make blocks of so many ratings that there are about so many blocks."""
    monkeypatch.setattr("dpmc.ratings.BLOCK", max(1, N_USERS * N_ITEMS // 2 // number))


@dataclass
class Turned:
    """A source that starts with the last block."""

    rows: Compressed

    @property
    def n_users(self):
        return self.rows.n_rows

    def blocks(self):
        return reversed(list(self.rows.blocks()))


@pytest.mark.parametrize("number", [1, 2, 7, 64, 10**6])
def test_blocks_are_all_users_once(ratings, number, monkeypatch):
    cut(monkeypatch, number)
    rows = ratings.by_user
    found = list(rows.blocks())
    assert len(found) >= min(number, 40) * 0.6
    firsts = [first for first, _ in found]
    ends = np.cumsum([some.n_rows for _, some in found])
    assert firsts == [0, *ends[:-1].tolist()]
    assert ends[-1] == N_USERS
    again = joined(Blocks(rows))
    for name in ("indptr", "indices", "values"):
        np.testing.assert_array_equal(getattr(again, name), getattr(rows, name))


def test_nobody_is_in_no_block():
    nobody = Ratings([], [], [], 0, 3).by_user
    assert list(nobody.blocks()) == []
    assert joined(Blocks(nobody)).n_rows == 0
    rows = Ratings([], [], [], 5, 3).by_user  # nor is anybody left out who rated nothing
    assert [some.n_rows for _, some in rows.blocks()] == [5]


@pytest.mark.parametrize("threads", [1, 4])
def test_totals_and_what_users_keep(ratings, threads, monkeypatch):
    cut(monkeypatch, 7)
    rows = ratings.by_user
    blocks = Blocks(Turned(rows), threads).then(
        lambda first, rows: rows.with_values(
            rows.values + rows.per_rating(first + np.arange(rows.n_rows))
        )
    )
    numbers = rows.per_rating(np.arange(N_USERS))
    expected = rows.with_values(rows.values + numbers)

    def add(sums, rows, first):
        lengths = sums.whole(rows.norms())
        sums.add(0, lengths)
        sums.saw(lengths)

    bound = expected.norms().max()
    made, plain = total(add, blocks, Sums(1, bound)), Sums(1, bound)
    add(plain, expected, 0)
    assert made.exact() == plain.exact()
    assert made.longest == plain.longest == pytest.approx(bound)
    kept = of_users(lambda rows, first: rows.norms()[:, None] + first, Blocks(rows, threads), (1,))
    firsts = np.concatenate([np.full(some.n_rows, first) for first, some in rows.blocks()])
    np.testing.assert_array_equal(kept[:, 0], rows.norms() + firsts)


@pytest.mark.parametrize("kind", [Seeded, Keyed])
def test_choices_and_parts_are_those_of_the_users_whatever_the_block(kind, ratings, monkeypatch):
    def choices(most, share):
        rng = np.random.default_rng(1)
        randomness = Seeded(rng) if kind is Seeded else Keyed(ratings, b"0123456789abcdef", rng)
        choose, part = randomness.choices(most), randomness.parts(share)
        rows = Blocks(ratings)
        chosen = joined(rows.then(choose)).indices
        again = [part(first, some) for _ in range(2) for first, some in ratings.blocks()]
        return chosen.tolist(), np.concatenate(again).tolist()

    whole = choices(3, 0.3)
    cut(monkeypatch, 11)
    assert choices(3, 0.3) == whole
    assert 0.2 < np.mean(whole[1]) < 0.4


def test_sums_of_a_row_have_the_same_bits_wherever_it_stands():
    """Of rows of up to 3,000 numbers, at 64 places in memory."""
    rng = np.random.default_rng(0)
    for n in (1, 7, 8, 9, 129, 1000, 3000):
        values, alone = rng.standard_normal(n), None
        for front in range(64):
            held = np.concatenate([rng.standard_normal(front), values, [1.0]])
            indptr = np.array([0, front, front + n, front + n + 1])
            rows = Compressed(indptr, np.arange(held.size, dtype=np.int32), held)
            found = rows.sums(rows.values)[1], rows.squares()[1], rows.means(0.0)[1]
            assert found == (alone or found)
            alone = found


def fitted(name, relation, ratings, threads=1):
    """Return what is learnt with simulated noise that depends on nothing but shapes."""
    model = build(name, relation, held_out=0.2) if name == "local_bayes" else build(name, relation)
    model.threads = threads
    ledger = Ledger(
        FloatNoise(model.calibration.noise, np.random.default_rng(3)), model.releases, keep=True
    )
    key, rng = b"0123456789abcdef", np.random.default_rng(4)
    model.fit(ratings, rng=Keyed(ratings, key, rng), ledger=ledger)
    asked = [each.query.tobytes() for each in ledger.transcript]
    return asked, model.item_offsets_.tobytes(), model.item_factors_.tobytes(), model


@AT_USER_LEVEL
def test_the_same_bytes_in_any_number_of_blocks_and_threads(name, relation, ratings, monkeypatch):
    alone = fitted(name, relation, ratings)
    for number, threads in ((1, 3), (2, 1), (7, 4), (64, 2)):
        cut(monkeypatch, number)
        found = fitted(name, relation, ratings, threads)
        assert found[:3] == alone[:3]
        np.testing.assert_array_equal(found[3].user_factors_, alone[3].user_factors_)


@AT_USER_LEVEL
def test_the_same_bytes_whatever_the_order_of_users_and_of_ratings(name, relation, ratings):
    """Users renumbered, who are known by their labels."""
    rng = np.random.default_rng(7)
    place, order = rng.permutation(N_USERS), rng.permutation(len(ratings))
    labels = np.empty(N_USERS, dtype=ratings.user_labels.dtype)
    labels[place] = ratings.user_labels
    shuffled = replace(
        ratings,
        users=place[ratings.users][order],
        items=ratings.items[order],
        values=ratings.values[order],
        user_labels=labels,
    )
    assert fitted(name, relation, shuffled)[:3] == fitted(name, relation, ratings)[:3]


@dataclass
class OneEach:
    """A source of blocks of one user with one rating."""

    n_users: int

    def blocks(self):
        for first in range(self.n_users):
            yield first, Compressed(np.arange(2), np.zeros(1, np.int32), np.ones(1))


def test_after_a_failure_no_block_is_begun():
    failed, begun = threading.Event(), []

    def work(first, rows):
        begun.append(first)
        if first == 0:
            failed.set()
            raise ValueError("this one fails")
        assert failed.wait(60)
        time.sleep(0.05)

    with pytest.raises(ValueError, match="this one fails"):
        Blocks(OneEach(200), threads=2).each(work)
    assert len(begun) < 20


@pytest.mark.parametrize("threads", [1, 2])
def test_counts_take_no_more_memory_for_more_blocks(threads):
    def count(first, rows):
        return np.full(10_000, rows.values.size)

    tracemalloc.start()
    found = counted(count, Blocks(OneEach(300), threads=threads))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(found, np.full(10_000, 300))
    assert peak < 10 * found.nbytes

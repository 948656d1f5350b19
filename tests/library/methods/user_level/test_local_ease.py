"""Local EASE: its statistics by enumeration, its matrix and its lists by plain implementations."""

from itertools import product
from math import fsum

import numpy as np
import pytest

from dpmc.errors import InputError
from dpmc.methods.kernels.top_lists import LENGTH, mean_on_top, on_top
from dpmc.methods.user_level.local_ease import check, counts, pairs
from dpmc.methods.user_level.local_ease.constants import LARGEST, POPULAR, RIDGE
from dpmc.methods.user_level.local_ease.counts import Popularity
from dpmc.methods.user_level.local_ease.method import LocalEase
from dpmc.methods.user_level.local_ease.references import PrivatePopularity
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation
from dpmc.privacy.relations import USER_ADD_REMOVE, USER_LEVEL
from dpmc.ratings import Ratings
from dpmc_studies.datasets.splits import random_split

ITEMS = 6


def of_matrix(likes, **fields):
    users, items = np.nonzero(likes)
    return Ratings(users, items, np.ones(users.size), *np.shape(likes), **fields)


def model(relation=USER_ADD_REMOVE, epsilon=1e4, **given):
    return LocalEase(relation=relation, epsilon=epsilon, delta=1e-6, **given)


def drawn(seed, users, items, groups=2, popular=0.3):
    """Users of groups who like the items of their own group more."""
    rng = np.random.default_rng(seed)
    chances = np.where(
        rng.integers(groups, size=users)[:, None] == np.arange(items) % groups, 0.5, 0.05
    )
    return rng.random((users, items)) < np.minimum(chances * rng.gamma(2, popular, items), 1)


def every_user():
    """All sets of likes among a few items."""
    return np.array([*product([False, True], repeat=ITEMS)])


# -- sensitivities by enumeration ----------------------------------------------------------------


@pytest.mark.parametrize(("made", "what"), [(counts, "counts"), (pairs, "pairs")])
@pytest.mark.parametrize("relation", USER_LEVEL)
def test_no_user_moves_a_statistic_further_than_stated_and_one_does(made, what, relation):
    vectors, norms = [], []
    for likes in every_user():
        sent, longest = made.statistic(of_matrix([likes]).by_user, ITEMS)
        vectors.append(sent)
        norms.append(longest)
    vectors = np.array(vectors)
    np.testing.assert_allclose(norms, np.linalg.norm(vectors, axis=1), atol=1e-12)
    apart = vectors[:, None] - vectors
    if relation == USER_ADD_REMOVE:
        apart = vectors
    else:
        disjoint = [np.r_[np.full(12, kind), np.full(12, not kind)] for kind in (True, False)]
        wide = [made.statistic(of_matrix([each]).by_user, 24)[0] for each in disjoint]
        assert np.linalg.norm(wide[0] - wide[1]) == pytest.approx(
            model(relation)._sensitivity(what)
        )
    furthest = np.linalg.norm(apart, axis=-1).max()
    stated = model(relation)._sensitivity(what)
    assert furthest <= stated * (1 + 1e-12)
    if relation == USER_ADD_REMOVE:
        assert furthest == pytest.approx(stated)


def of_check(known, wanted, *model):
    """Return the statistic of the check, of matrices of likes that users rank by, and others."""
    rows = [of_matrix(each).by_user for each in (known, wanted)]
    return check.statistic(rows[0], lambda first, _: rows, *model)


def lists_that_differ():
    """Return popularity, scales and factors by which list after list gains, or loses, for users who
    like the first item and want the last one, or the second.
    """
    n = 2 * LENGTH
    shares = -np.arange(n, dtype=float)
    factors = np.zeros((n, 1))
    factors[[0, 1, -1], 0] = 1.0, -0.4, 0.8
    return shares, np.full(n, 30.0), factors


def who(wants, n=2 * LENGTH):
    known, wanted = np.zeros((2, 1, n), bool)
    known[0, 0] = wanted[0, wants] = True
    return known, wanted


@pytest.mark.parametrize("relation", USER_LEVEL)
def test_no_user_moves_the_check_further_than_stated_and_one_does(relation):
    gains, loses = (of_check(*who(wants), *lists_that_differ())[0] for wants in (-1, 1))
    np.testing.assert_allclose([gains, loses], np.full((2, 2), [[0.5**0.5], [-(0.5**0.5)]]))
    stated = model(relation)._sensitivity("check")
    moved = gains if relation == USER_ADD_REMOVE else gains - loses
    assert np.linalg.norm(moved) == pytest.approx(stated)


def test_no_likes_and_no_model_send_more_to_the_check_than_one():
    """Models of any size, as noise may make them, and any likes: hill climbing would find no more,
    as a user's numbers are clipped whatever the lists."""
    rng = np.random.default_rng(0)
    largest = 0.0
    for _ in range(200):
        likes = rng.random((1, 40)) < rng.random()
        out = rng.random(likes.shape) < rng.random()
        shares = rng.standard_normal(40) * 10.0 ** rng.integers(-9, 9)
        model_of = shares, rng.standard_normal(40), 3 * rng.standard_normal((40, 2))
        sent, longest = of_check(likes & ~out, likes & out, *model_of)
        assert np.linalg.norm(sent) == pytest.approx(longest)
        largest = max(largest, longest)
    assert 0.9 < largest <= 1


@pytest.mark.parametrize("with_pairs", [1.0, 0.1])
def test_what_lists_gain_is_what_ndcg_gains_up_to_a_bound(with_pairs):
    """By a plain program, of all users together and all items."""
    likes, rng = drawn(3, 60, 80), np.random.default_rng(2)
    out = rng.random(likes.shape) < 0.2
    shares, scales, factors = rng.random(80), rng.random(80), 0.3 * rng.standard_normal((80, 3))
    factors[rng.random(80) > with_pairs] = 0
    found, _ = of_check(likes & ~out, likes & out, shares, scales, factors)
    wanted = np.zeros(2)
    for own, held in zip(likes & ~out, likes & out, strict=True):
        if held.any():
            liked = scales * (factors @ factors[own].sum(axis=0))
            ndcg = [
                on_top(scores, np.flatnonzero(own), np.flatnonzero(held), LENGTH)[1]
                for scores in (shares, shares + liked, 0.05 * shares + liked)
            ]
            wanted += np.clip(np.diff(ndcg), -LARGEST, LARGEST) / LARGEST / 2**0.5
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("noised", "best"),
    [
        ((-5, -5), None),
        ((0.4, 0.9), None),
        ((0.6, 0.9), POPULAR[0]),
        ((0.6, 1.1), POPULAR[1]),
        ((-3, 4.6), POPULAR[1]),
        ((-3, 4.4), None),
        ((9, -9), POPULAR[0]),
    ],
)
def test_lists_with_less_popularity_have_to_gain_more_than_the_noise(noised, best):
    """In deviations of the noise: half of one for the first step, and one for the second."""
    assert check.better(2.5 * np.array(noised), 2.5) == best


@pytest.mark.parametrize(("made", "size"), [(counts, 9), (pairs, 28), (check, 2)])
def test_a_longer_user_is_refused(made, size, monkeypatch):
    monkeypatch.setattr(made, "statistic", lambda *_: (np.ones(size), 2.1))
    with pytest.raises(PrivacyViolation, match=r": a user has a norm above the bound"):
        model().fit(of_matrix(drawn(0, 20, 8)), rng=0, noise_rng=1)


@pytest.mark.parametrize(("asked", "epsilon"), [("pairs", 1e4), ("counts", 1)])
@pytest.mark.parametrize("relation", USER_LEVEL)
def test_the_ledger_holds_it_to_its_budget(relation, asked, epsilon):
    """Which asks for pairs where there are users enough for the noise, else for counts again."""
    made = model(relation, epsilon)
    noise = FloatNoise(made.calibration.noise, np.random.default_rng(3))
    ledger = Ledger(noise, made.releases, keep=True)
    made.fit(of_matrix(drawn(0, 30, 10)), rng=0, ledger=ledger)
    wanted = ["counts", "counts"] if asked == "counts" else ["counts", "pairs", "check"]
    assert [each.what for each in ledger.transcript] == wanted
    assert ledger.spent == pytest.approx(made.releases)
    assert asked == "pairs" or made.fell_back_to_ == "popularity"


@pytest.mark.parametrize("relation", USER_LEVEL)
def test_without_pairs_popularity_has_the_whole_budget_and_all_likes(relation):
    """The mean of two releases by their shares is one release of the sum of both."""
    made, likes = model(relation, 1), of_matrix(drawn(0, 200, 10))
    noise = FloatNoise(made.calibration.noise, np.random.default_rng(3))
    ledger = Ledger(noise, made.releases, keep=True)
    made.fit(likes, rng=0, ledger=ledger)
    first, second = ledger.transcript
    shares = np.array([first.weight**-2, second.weight**-2]) / made.releases
    assert shares.sum() == pytest.approx(1)
    sent, _ = counts.statistic(likes.by_user, 10)
    for each in ledger.transcript:
        np.testing.assert_array_equal(each.query, sent)
    both = shares[0] * first.output + shares[1] * second.output
    np.testing.assert_allclose(made.item_offsets_, counts.read(both, 0.0).shares)
    whole = PrivatePopularity(relation=relation, epsilon=1, delta=1e-6)
    scales = np.array([first.scale, second.scale])
    variance = np.square(shares * scales).sum()
    assert variance == pytest.approx(whole._sensitivity("counts") ** 2 * whole._weight(1.0) ** 2)


# -- the model -----------------------------------------------------------------------------------


def test_without_noise_it_is_ease():
    """By the formula of the paper, with users weighted and the diagonal of users who are alike."""
    likes = drawn(1, 200, 12)
    rows = of_matrix(likes).by_user
    sent, _ = pairs.statistic(rows, 12)
    weights = pairs.weight_of(rows.sizes)
    plain = np.triu((likes * weights[:, None]).T @ likes.astype(float), 1)
    np.testing.assert_allclose(sent, plain[np.triu_indices(12, 1)], atol=1e-10)
    noised, _ = counts.statistic(rows, 12)
    popularity = counts.read(noised, 0.0)
    assert popularity.users == pytest.approx((rows.sizes > 0).sum())
    scales, factors = pairs.read(plain + plain.T, 0.0, np.arange(12), popularity)
    weight = pairs.weight_of(popularity.likes)
    diagonal = weight * popularity.users * popularity.shares
    gram = plain + plain.T + np.diag(diagonal)
    values, vectors = np.linalg.eigh(gram)
    low = (vectors * np.maximum(values, 0)) @ vectors.T
    low += np.diag(np.maximum(diagonal - np.diag(low), 0))
    inverse = np.linalg.inv(low + RIDGE * weight * np.eye(12))
    wanted = -inverse / np.diag(inverse)
    found = (factors @ factors.T) * scales
    off = ~np.eye(12, dtype=bool)
    np.testing.assert_allclose(found[off], wanted[off], atol=1e-10)


def test_directions_are_shrunk_by_what_noise_adds():
    rng, m, noise = np.random.default_rng(0), 500, 0.3
    edge = 2 * noise * m**0.5
    matrix = np.triu(noise * rng.standard_normal((m, m)), 1)
    direction = np.full(m, m**-0.5)
    planted = 1.5 * edge * np.outer(direction, direction)
    values, vectors = np.linalg.eigh(matrix + matrix.T + planted)
    cosine = (vectors[:, -1] @ direction) ** 2
    assert pairs.shrunk(values[-1], edge) == pytest.approx(1.5 * edge * cosine, rel=0.06)


def test_counts_tell_how_many_users_and_likes_there_are():
    likes = np.zeros((50, 40), bool)
    for user in range(50):
        likes[user, np.random.default_rng(user).choice(40, 9, replace=False)] = True
    found = counts.read(counts.statistic(of_matrix(likes).by_user, 40)[0], 0.0)
    assert (found.users, found.likes) == (pytest.approx(50), pytest.approx(9))
    np.testing.assert_allclose(found.shares, likes.mean(axis=0))


def test_pairs_sharpen_the_counts_of_their_items():
    rng = np.random.default_rng(2)
    likes = drawn(2, 400, 10, groups=1)
    truth, rows = likes.mean(axis=0), of_matrix(likes).by_user
    gram = np.zeros((10, 10))
    gram[np.triu_indices(10, 1)] = pairs.statistic(rows, 10)[0]
    gram += gram.T
    before = Popularity(400.0, likes.sum() / 400, truth + 0.1 * rng.standard_normal(10), 0.1)
    after = before.with_pairs(gram, 0.01, np.arange(10))
    errors = [np.corrcoef(each.shares, truth)[0, 1] for each in (before, after)]
    assert errors[1] > max(errors[0], 0.95)
    nothing = before.with_pairs(np.zeros((10, 10)), 1.0, np.arange(10))
    np.testing.assert_array_equal(nothing.shares, before.shares)


def test_it_ranks_better_than_popularity_where_there_is_something_to_learn():
    likes = drawn(4, 1500, 120)
    rng = np.random.default_rng(0)
    training, held_out = random_split(of_matrix(likes), 0.8, rng, "likes")
    popular = np.bincount(training.items, minlength=120).astype(float)
    rows = training.by_user, held_out.by_user
    _, least = mean_on_top(lambda users: np.tile(popular, (users.size, 1)), 120, *rows)
    for epsilon, gained in ((2, 1.1), (20, 1.3)):
        made = model(epsilon=epsilon).fit(training, rng=1, noise_rng=2)
        scores = made.predict_matrix()
        assert made.fell_back_to_ is None
        found = mean_on_top(scores.__getitem__, 120, *rows)
        assert found[1] > gained * least
        pair = np.array([3, 5]), np.array([7, 0])
        np.testing.assert_allclose(made.predict(*pair), scores[pair])


class Contrary:
    """Noise that turns the last release into its opposite."""

    simulated = True

    def add(self, query, sensitivity):
        return -query if query.size == 2 else query


def test_what_is_published_hangs_on_the_noised_comparison():
    likes = of_matrix(drawn(4, 600, 60))
    made = model()
    assert model().fit(likes, rng=1, noise_rng=2).fell_back_to_ is None
    made.fit(likes, rng=1, ledger=Ledger(Contrary(), made.releases))
    assert made.fell_back_to_ == "popularity"
    order = np.argsort(made.predict_matrix(), axis=1)
    assert (order == order[0]).all()


@pytest.mark.parametrize("most", [None, 3])
def test_likes_held_out_have_no_part_in_the_pairs_but_in_the_counts(most, monkeypatch):
    """And no user has more likes in all of them together than may count."""
    likes, seen = of_matrix(drawn(0, 200, 10)), []
    statistic = check.statistic
    monkeypatch.setattr(check, "statistic", lambda *args: seen.append(args) or statistic(*args))
    made = model(checked=0.4, ratings_per_user=most)
    ledger = Ledger(
        FloatNoise(made.calibration.noise, np.random.default_rng(3)), made.releases, keep=True
    )
    made.fit(likes, rng=0, ledger=ledger)
    rows, divided = seen[0][:2]
    ((first, block),) = rows.blocks()
    known, held_out = divided(first, block)
    assert known.values.size + held_out.values.size == block.values.size
    assert 0.3 < held_out.values.size / block.values.size < 0.5
    assert block.sizes.max() == (most or likes.by_user.sizes.max())
    queries = {each.what: each.query for each in ledger.transcript}
    np.testing.assert_array_equal(queries["counts"], counts.statistic(block_of(block), 10)[0])
    np.testing.assert_array_equal(queries["pairs"], pairs.statistic(block_of(known), 10)[0])


def block_of(rows):
    return Ratings.from_rows(rows, 10)


def test_likes_are_those_from_the_threshold_on():
    rng = np.random.default_rng(5)
    likes = drawn(5, 60, 15)
    stars = np.where(likes, rng.integers(4, 6, likes.shape), rng.integers(1, 4, likes.shape))
    every = Ratings(*np.nonzero(stars > 0), stars.ravel().astype(float), 60, 15)
    by_stars = model(likes_from=4).fit(every, rng=1, noise_rng=2)
    alone = model().fit(of_matrix(likes), rng=1, noise_rng=2)
    np.testing.assert_array_equal(by_stars.predict_matrix(), alone.predict_matrix())
    clicks = model().fit(every, rng=1, noise_rng=2)
    assert not np.array_equal(clicks.predict_matrix(), alone.predict_matrix())


ODD = {
    "tiny": drawn(0, 50, 5),
    "two items": drawn(0, 9, 2),
    "one item": np.ones((7, 1), bool),
    "one user": np.ones((1, 9), bool),
    "no likes": np.zeros((30, 8), bool),
    "all like one item": np.arange(8) == np.full((40, 1), 3),
    "everybody likes everything": np.ones((40, 30), bool),
    "sparse": np.random.default_rng(0).random((300, 1000)) < 0.003,
}


@pytest.mark.parametrize("epsilon", [0.01, 1, 1e5])
@pytest.mark.parametrize("likes", ODD.values(), ids=ODD)
def test_odd_likes_stop_nothing(likes, epsilon):
    for seed in range(3):
        made = model(epsilon=epsilon).fit(of_matrix(likes), rng=seed, noise_rng=seed)
        assert np.isfinite(made.predict_matrix()).all()
        assert (made.item_scales_ > 0).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"likes_from": np.nan}, "likes_from must be a finite number"),
        ({"likes_from": "4"}, "likes_from must be a finite number"),
        ({"checked": 0}, "checked must be a number above 0"),
        ({"checked": 1.0}, "checked must be a share below 1"),
        ({"relation": "entry_change"}, "relation must be"),
        ({"mechanism": "laplace"}, "mechanism must be"),
    ],
)
def test_bad_settings_are_one_sentence(given, said):
    with pytest.raises(InputError, match=said):
        model(**given)


# -- lists ---------------------------------------------------------------------------------------


def plain_list(scores, left_out, liked, draws, rng):
    """Mean recall and NDCG over random orders of what ties."""
    recall, ndcg = [], []
    for _ in range(draws):
        order = np.lexsort((rng.random(scores.size), -scores))
        best = [item for item in order if item not in left_out][:LENGTH]
        gains = [1 / np.log2(place + 2) for place, item in enumerate(best) if item in liked]
        ideal = sum(1 / np.log2(place + 2) for place in range(min(LENGTH, len(liked))))
        recall.append(len(gains) / min(LENGTH, len(liked)))
        ndcg.append(sum(gains) / ideal)
    return np.mean(recall), np.mean(ndcg)


@pytest.mark.parametrize("n_items", [4, 30, 60])
def test_lists_are_judged_as_a_plain_loop_does(n_items):
    rng = np.random.default_rng(n_items)
    for ties in (False, True):
        scores = rng.standard_normal(n_items)
        if ties:
            scores = np.round(scores)
        items = rng.permutation(n_items)
        left_out, liked = items[: n_items // 4], items[n_items // 4 : n_items // 2]
        found = on_top(scores, left_out, liked, LENGTH)
        wanted = plain_list(scores, set(left_out), set(liked), 4000 if ties else 1, rng)
        np.testing.assert_allclose(found, wanted, atol=0.02 if ties else 1e-12)


def test_what_a_user_adds_to_the_check_is_the_same_wherever_the_user_stands():
    likes = drawn(6, 40, 50)
    rng = np.random.default_rng(1)
    out = rng.random(likes.shape) < 0.3
    rest = rng.random(50), rng.random(50), rng.standard_normal((50, 7))
    alone = []
    for user in range(40):
        known, wanted = ((likes & each)[[user]] for each in (~out, out))
        alone.append(of_check(known, wanted, *rest)[0])
    together = of_check(likes & ~out, likes & out, *rest)[0]
    assert together.tolist() == [fsum(each) for each in zip(*alone, strict=True)]

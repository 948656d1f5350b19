"""Private Frank-Wolfe, DP-AltMin, DP-SAltLS and DP-SVD against the same with dense matrices."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from user_level_fits import build, fit_exactly, noised, replayed

from dpmc.mechanisms import Gaussian
from dpmc.methods.user_level.covariance import pack, unpack
from dpmc.privacy.ledger import PrivacyViolation
from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.item_step import clipped_updates
from dpmc_studies.methods.user_level.saltls import smooth_qr

N_USERS, N_ITEMS = 14, 9


def small_ratings(seed=0):
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((N_USERS, N_ITEMS)) < 0.6)
    return Ratings(users, items, rng.uniform(0, 6, users.size), N_USERS, N_ITEMS)


def dense(ratings):
    """Return ratings clipped to 1..5 less 3, with zeros elsewhere, and where they are."""
    mask = np.zeros((N_USERS, N_ITEMS), dtype=bool)
    mask[ratings.users, ratings.items] = True
    matrix = np.zeros(mask.shape)
    matrix[ratings.users, ratings.items] = np.clip(ratings.values, 1, 5) - 3
    return matrix, mask


def clip_lengths(rows, bound):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows * np.minimum(1, bound / np.maximum(lengths, bound))


def unclipped(model):
    return model.user_factors_ @ model.item_factors_.T


# -- Frank-Wolfe ----------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", ["exact", "residual_clip", "jain"])
@pytest.mark.parametrize("slack", [True, False])
@pytest.mark.parametrize("rescale", [True, False])
def test_private_frank_wolfe_with_dense_matrices(noise, slack, rescale):
    ratings = small_ratings()
    model = build("dpfw", noise=noise, slack=slack, rescale=rescale)
    made = fit_exactly(model, ratings)
    x, mask = dense(ratings)
    bound, radius, steps = 2.5, 12.0, 3
    target, y = clip_lengths(x, bound), np.zeros(x.shape)
    for step in range(steps):
        a = mask * y - target
        sent = clip_lengths(a, bound) if noise == "residual_clip" else a
        covariance = sent.T @ sent
        np.testing.assert_allclose(
            made[step].query, pack(covariance, plain=noise == "jain"), atol=1e-10
        )
        values, vectors = np.linalg.eigh(covariance)
        v = vectors[:, -1]
        std = made[step].scale * model.calibration.noise.scale
        size = math.sqrt(max(values[-1], std))
        if slack:
            size += math.sqrt(std * math.log(N_ITEMS / 0.01)) * N_ITEMS**0.25
        y = (1 - 1 / steps) * y - radius / steps * np.outer(a @ v / size, v)
        lengths = np.linalg.norm(mask * y, axis=1, keepdims=True)
        y *= np.minimum(1, bound / np.maximum(lengths, 1e-300))
    if rescale:
        y *= np.maximum(np.linalg.norm(x, axis=1, keepdims=True) / bound, 1)
    np.testing.assert_allclose(unclipped(model), y, atol=1e-9)


@pytest.mark.parametrize("strength", [0.0, 1.0, 30.0], ids=["noise", "both", "ratings"])
def test_direction_of_many_items_is_that_of_the_sum_over_users(strength):
    """Of more items than are decomposed whole, and with noise of any strength."""
    rng = np.random.default_rng(4)
    items, users = 150, 40
    x = strength * np.where(rng.random((users, items)) < 0.3, rng.uniform(-1, 1, (users, items)), 0)
    noise = rng.standard_normal((items, items))
    covariance = sum((np.outer(row, row) for row in x), start=noise + noise.T)
    model = build("dpfw", iterations=2)
    ratings = Ratings(
        *np.nonzero(np.ones((users, items))), np.full(users * items, 4.0), users, items
    )
    replayed(model, ratings, [pack(covariance)] * 2)
    v = np.linalg.eigh(covariance)[1][:, -1]
    np.testing.assert_allclose(np.abs(model.item_factors_.T @ v), 1.0, atol=1e-12)


def test_residuals_can_be_longer_than_the_bound_of_rows():
    """So L^2 would not do: a direction askew from the ratings takes a user beyond sqrt(2) L."""
    model = build("dpfw", row_bound=1.0, nuclear_bound=1e6)
    ratings = Ratings([0], [0], [5.0], 1, 2)
    both = Ratings([0, 0], [0, 1], [5.0, 3.0], 1, 2)  # centred: (2, 0)
    v = np.array([0.1, math.sqrt(0.99)])
    covariance = 1e-6 * np.outer(v, v)
    made = replayed(model, both, [pack(covariance)] * 3)
    assert np.linalg.norm(made[0].query) == pytest.approx(1.0)
    assert made[0].sensitivity == 1.0
    assert np.linalg.norm(made[1].query) > 1.7
    assert made[1].sensitivity == 4.0
    assert len(replayed(model, ratings, [pack(covariance)] * 3)) == 3


@pytest.mark.parametrize(
    ("relation", "steps", "claimed", "real"),
    [
        ("user_add_remove", 5, 1.0, 0.4639),
        ("user_add_remove", 5, 20.0, 14.265),
        ("user_replace", 5, 1.0, None),
    ],
)
def test_published_noise_and_what_it_guarantees(relation, steps, claimed, real):
    """mu^2 of the first step is L^4/sigma^2, of others 16 L^4/sigma^2, twice that if replaced."""
    model = build("dpfw_jain", relation, epsilon=claimed, iterations=steps)
    made = noised(model, small_ratings())
    sigma = 2.5**2 * math.sqrt(64 * steps * math.log(1e5)) / claimed
    for each in made:
        assert each.scale * model.calibration.noise.scale == pytest.approx(sigma)
    factor = 2 if relation == "user_replace" else 1
    mu = math.sqrt(factor * (1 + 16 * (steps - 1))) * 2.5**2 / sigma
    expected = Gaussian(1.0).epsilon(mu, 1e-5)
    assert model.guarantee_.epsilon == pytest.approx(expected)
    assert model.claimed_epsilon_ == claimed
    if real is not None:
        assert expected == pytest.approx(real, rel=1e-3)


# -- SVD ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("centring", ["global", "user"])
@pytest.mark.parametrize("users", ["projection", "regression"])
def test_private_svd_with_dense_matrices(centring, users):
    ratings = small_ratings(4)
    model = build("dp_svd", centring=centring, users=users, user_regularization=0.7)
    fit_exactly(model, ratings)
    x, mask = dense(ratings)
    if centring == "user":
        x = mask * (x - (x.sum(axis=1) / mask.sum(axis=1))[:, None])
    clipped = clip_lengths(x, 2.5)
    v = np.linalg.eigh(clipped.T @ clipped)[1][:, -2:]
    if users == "projection":
        expected = x @ v @ v.T
    else:
        v = v * 3  # sqrt(n_items)
        expected = np.array(
            [
                v @ np.linalg.solve(v[seen].T @ v[seen] + 0.7 * np.eye(2), v[seen].T @ row[seen])
                for row, seen in zip(x, mask, strict=True)
            ]
        )
    np.testing.assert_allclose(unclipped(model), expected, atol=1e-9)


# -- effects and covariance -----------------------------------------------------------------------


@pytest.mark.parametrize("pairs", [0.0, 0.4])
def test_effects_and_covariance_with_dense_matrices(pairs):
    """Also what damping by the noise makes of sums, as the method is told of noise here."""
    ratings = small_ratings(7)
    model = build("dp_effects", pairs_share=pairs, item_share=0.6, user_regularization=0.7)
    made = fit_exactly(model, ratings)
    x, mask = dense(ratings)
    n = mask.sum(axis=1)
    weights = mask / np.sqrt(n)[:, None]
    sums, numbers = (weights * x).sum(axis=0), weights.sum(axis=0)
    mean = sums.sum() / numbers.sum()
    noise = made[0].scale * model.calibration.noise.scale
    spread = numbers**2 + 3 * numbers + (noise / 0.5) ** 2
    of_items = mean + numbers * (sums - numbers * mean) / spread
    left = mask * (x - of_items)
    of_users = left.sum(axis=1) / (n + 2)
    left = mask * (left - of_users[:, None])
    chosen = np.sort(np.argsort(-numbers, kind="stable")[:5])
    few, seen = np.clip(left[:, chosen], -1, 1), mask[:, chosen]
    weight = 1 / np.maximum(seen.sum(axis=1), 1)
    matrix = np.einsum("u,ui,uj->ij", weight, few, few)
    queries = [sums, numbers, pack(matrix)]
    if pairs:
        together = np.einsum("u,ui,uj->ij", weight, seen, seen)
        queries.append(pack(together))
        matrix /= together + 10 * made[3].scale * model.calibration.noise.scale
    for each, query in zip(made, queries, strict=True):
        np.testing.assert_allclose(each.query, query, atol=1e-9)
    assert [each.sensitivity for each in made] == [2.0, 1.0, 1.0, 1.0][: len(made)]
    v = np.zeros((N_ITEMS, 2))
    v[chosen] = np.sqrt(5) * np.linalg.eigh(matrix)[1][:, -2:]
    fitted = np.array(
        [
            v @ np.linalg.solve(v[rated].T @ v[rated] + 0.7 * np.eye(2), v[rated].T @ row[rated])
            for row, rated in zip(left, mask, strict=True)
        ]
    )
    np.testing.assert_allclose(unclipped(model), fitted, atol=1e-9)
    np.testing.assert_allclose(model.item_offsets_, 3 + of_items)
    np.testing.assert_allclose(model.user_offsets_, of_users)
    expected = np.clip(3 + of_items + of_users[:, None] + fitted, 1, 5)
    np.testing.assert_allclose(model.predict_matrix(), expected, atol=1e-9)


@pytest.mark.parametrize("pairs", [0.0, 0.4])
def test_nearest_neighbours_with_the_covariance_alone(pairs):
    ratings = small_ratings(7)
    model = build(
        "dp_effects", pairs_share=pairs, item_share=0.6, user_regularization=0.7, neighbours=2
    )
    made = fit_exactly(model, ratings)
    svd = build("dp_effects", pairs_share=pairs, item_share=0.6, user_regularization=0.7)
    fit_exactly(svd, ratings)
    np.testing.assert_allclose(model.item_offsets_, svd.item_offsets_)
    matrix = unpack(made[2].query, 5)
    if pairs:
        noise = made[3].scale * model.calibration.noise.scale
        matrix = matrix / (unpack(made[3].query, 5) + 10 * noise)
    values, vectors = np.linalg.eigh(matrix)
    top = vectors[:, -2:] * values[-2:] @ vectors[:, -2:].T * (5 * 2 / values[-2:].sum())
    chosen = np.flatnonzero(svd.item_factors_.any(axis=1))
    c = np.zeros((N_ITEMS, N_ITEMS))
    c[np.ix_(chosen, chosen)] = top
    x, mask = dense(ratings)
    offsets = model.item_offsets_ - 3 + model.user_offsets_[:, None]
    for user, item in np.ndindex(x.shape):
        rated = np.flatnonzero(mask[user])
        near = rated[np.argsort(-np.abs(c[item, rated]), kind="stable")[:2]]
        weights = np.linalg.solve(c[np.ix_(near, near)] + 0.7 * np.eye(2), c[item, near])
        expected = offsets[user, item] + weights @ (x - offsets)[user, near]
        found = model.predict([user], [item])
        np.testing.assert_allclose(found, np.clip(3 + expected, 1, 5), atol=1e-9)
        np.testing.assert_allclose(model.predict_matrix()[user, item], found)


# -- DP-AltMin ------------------------------------------------------------------------------------


@pytest.mark.parametrize("update_bound", [0.8, 1e6])
def test_altmin_updates_with_loops(update_bound):
    """Each user's D fits the ratings exactly and has the stated norm, unless it is scaled down."""
    ratings = small_ratings(5)
    model = build("dp_altmin", update_bound=update_bound, user_regularization=0.6, iterations=1)
    made = fit_exactly(model, ratings)
    x, mask = dense(ratings)
    clipped = clip_lengths(x, 2.5)
    np.testing.assert_allclose(made[0].query, pack(clipped.T @ clipped), atol=1e-10)
    v = 3 * np.linalg.eigh(clipped.T @ clipped)[1][:, -2:]  # columns of length sqrt(n_items)
    total = np.zeros(v.shape)
    for row, seen in zip(x, mask, strict=True):
        u = np.linalg.solve(v[seen].T @ v[seen] + 0.6 * np.eye(2), v[seen].T @ row[seen])
        change = np.zeros(v.shape)
        change[seen] = np.outer(row[seen] - v[seen] @ u, u) / (u @ u)
        np.testing.assert_allclose((v + change)[seen] @ u, row[seen], atol=1e-9)
        total += change * min(1, update_bound / np.linalg.norm(change))
    # up to the rotation of V that signs and order of eigenvectors leave
    gram = total @ total.T
    np.testing.assert_allclose(made[1].query @ made[1].query.T, gram, atol=1e-8)
    moved = v + 2 / 7 * total
    span = moved @ np.linalg.solve(moved.T @ moved, moved.T)
    found = model.item_factors_
    np.testing.assert_allclose(found @ found.T / N_ITEMS, span, atol=1e-8)


def test_altmin_drops_entries_that_stand_out():
    ratings = Ratings(np.arange(8), np.zeros(8, int), np.full(8, 5.0), 8, 30)
    model = build("dp_altmin", rank=1, coherence=1.0)
    made = fit_exactly(model, ratings)
    assert made[0].query[0] > 0
    assert not model.item_factors_[0].any()  # the start was this item alone


# -- noisy gradients -----------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["dp_gradient", "dpam"])
@pytest.mark.parametrize(("bound", "coherence"), [(0.8, 1.1), (1e6, math.inf)])
def test_noisy_gradients_with_dense_matrices(case, bound, coherence):
    """A gradient step of half the squared error, and no step of a user is longer than allowed."""
    ratings = small_ratings(9)
    model = build(
        case, ratings_per_user=9, update_bound=bound, factor_bound=0.6, centring="global",
        user_regularization=0.6, iterations=1, inner_iterations=2, coherence=coherence,
    )  # fmt: skip
    made = fit_exactly(model, ratings)
    x, mask = dense(ratings)

    def balanced(v):
        left, _, right = np.linalg.svd(v, full_matrices=False)
        return clip_lengths(3 * left @ right, min(coherence * math.sqrt(2), 99))

    if case == "dpam":
        assert [each.what for each in made] == ["counts", "gradient", "gradient"]
        rng = np.random.default_rng(0)
        rng.integers(2**63)  # which ratings are counted
        v = balanced(rng.standard_normal((N_ITEMS, 2)))
        weights = mask * np.maximum(mask.sum(axis=0), 1) ** (-1 / 3)
        weights *= 3 / np.linalg.norm(weights, axis=1, keepdims=True)
    else:
        assert [each.what for each in made] == ["start", "gradient", "gradient"]
        v, weights = None, mask
    # shortened for what is shared: the start and the gradients
    lengths = np.linalg.norm(weights * x, axis=1, keepdims=True)
    counted = x * np.minimum(1, 2.5 / np.maximum(lengths, 2.5))
    if v is None:
        np.testing.assert_allclose(made[0].query, pack(counted.T @ counted), atol=1e-10)
        vectors = np.linalg.eigh(counted.T @ counted)[1][:, :-3:-1]
        largest = vectors[np.abs(vectors).argmax(axis=0), [0, 1]]
        v = balanced(vectors * np.sign(largest))

    def of_users(v):
        return np.array(
            [
                np.linalg.solve(v[seen].T @ v[seen] + 0.6 * np.eye(2), v[seen].T @ row[seen])
                for row, seen in zip(x, mask, strict=True)
            ]
        )

    users = clip_lengths(of_users(v), 0.6)
    for each in made[1:]:
        gradients = np.einsum("ui,ur->uir", weights * (counted - users @ v.T), users)
        norms = np.linalg.norm(gradients, axis=(1, 2))
        assert (norms > 0.8 * 0.6).any()
        gradients *= np.minimum(1, 0.6 * bound / norms)[:, None, None]
        np.testing.assert_allclose(each.query, gradients.sum(axis=0), atol=1e-9)
        assert each.sensitivity == pytest.approx(0.6 * bound)
        v = v + 2 / (7 * 0.36) * gradients.sum(axis=0)
    v = balanced(v)
    np.testing.assert_allclose(model.item_factors_, v, atol=1e-9)
    np.testing.assert_allclose(model.user_factors_, of_users(v), atol=1e-9)


def test_a_gradient_that_is_too_long_is_noticed():
    rows = small_ratings().by_user
    with pytest.raises(PrivacyViolation, match=r"^an update has a norm above the bound 1$"):
        clipped_updates(rows, np.ones((N_USERS, 2)), np.zeros(N_USERS), 1.0, N_ITEMS)


# -- DP-SAltLS ------------------------------------------------------------------------------------


@pytest.mark.parametrize("groups", [1, 3])  # of 2, the median is the mean
def test_saltls_with_loops(groups):
    ratings = small_ratings(6)
    model = build(
        "dp_saltls", groups=groups, iterations=1, ratings_per_user=9, user_regularization=0.3,
        item_regularization=0.2, coherence=1e9,
    )  # fmt: skip
    made = fit_exactly(model, ratings)
    rng = np.random.default_rng(0)
    start = rng.standard_normal((N_ITEMS, 2))
    rng.integers(2**63)
    rng.integers(2**63)
    group = rng.integers(groups, size=N_USERS)
    assert set(group) == set(range(groups))
    v = 3 * np.linalg.qr(start)[0]
    x, mask = dense(ratings)
    users = np.array(
        [
            np.linalg.solve(v[seen].T @ v[seen] + 0.3 * np.eye(2), v[seen].T @ row[seen])
            for row, seen in zip(x, mask, strict=True)
        ]
    )
    users = clip_lengths(users, 0.7)
    penalty = 0.2 * made[0].sensitivity * model.calibration.noise.scale
    assert made[0].sensitivity == pytest.approx(3 * 0.7**2)
    assert made[1].sensitivity == pytest.approx(3 * 0.7 * 1.5)
    solutions = np.zeros((groups, N_ITEMS, 2))
    for g in range(groups):
        for item in range(N_ITEMS):
            rated = mask[:, item] & (group == g)
            u = users[rated]
            right = u.T @ np.clip(x[rated, item], -1.5, 1.5)
            solutions[g, item] = np.linalg.solve(u.T @ u + penalty * np.eye(2), right)
    median = np.median(solutions, axis=0)
    span = median @ np.linalg.solve(median.T @ median, median.T)
    found = model.item_factors_
    np.testing.assert_allclose(found @ found.T / N_ITEMS, span, atol=1e-7)


@given(seed=st.integers(0, 10**6), n=st.integers(4, 30), rank=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_smooth_qr(seed, n, rank):
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((n, rank))
    free = smooth_qr(factors, np.inf, rng)
    np.testing.assert_allclose(free, np.linalg.qr(factors)[0])
    factors[0] *= 1e4  # one row that has most of the mass of a column
    bound = 0.8 * n / rank
    found = smooth_qr(factors, bound, rng)
    np.testing.assert_allclose(found.T @ found, np.eye(rank), atol=1e-9)
    if bound > 3:  # which noise alone would keep to
        assert n / rank * np.max(np.sum(found**2, axis=1)) <= bound

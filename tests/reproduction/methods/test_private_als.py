"""Calibrated ALS and A-IRLS against the same written down with loops, and against theory."""

import numpy as np
import pytest
from plain_methods import low_rank_ratings
from private_fits import (
    FACTOR_NAMES,
    HIGH,
    LOW,
    NoNoise,
    Nothing,
    build,
    fit_exactly,
    small_ratings,
)

from dpmc.errors import InputError
from dpmc.methods.private_choice import Seeded
from dpmc.methods.private_statistics import Statistics
from dpmc.privacy.ledger import Ledger, PrivacyViolation, Replay
from dpmc.privacy.relations import RELATIONS, USER_LEVEL
from dpmc.privacy.sensitivity import NORMS
from dpmc.ratings import Ratings
from dpmc_studies.methods.factorization.als import ALS

CENTRE, B = (LOW + HIGH) / 2, (HIGH - LOW) / 2
SETTINGS = {
    "regularization": 0.4,
    "user_regularization": 0.3,
    "residual_bound": 1.2,
    "factor_bound": 0.9,
    "iterations": 3,
}


def dense(ratings):
    """Users x items, nan where nobody rated."""
    matrix = np.full((ratings.n_users, ratings.n_items), np.nan)
    matrix[ratings.users, ratings.items] = ratings.values
    return matrix


# -- the algorithm with loops ---------------------------------------------------------------------


def clipped_rows(rows, bound, p):
    norms = np.linalg.norm(rows, p, axis=1)
    return np.array(
        [row * min(1, bound / n) if n else row for row, n in zip(rows, norms, strict=True)]
    )


def damped(matrix, shrinkage):
    """Damped means of the columns of what is given."""
    counts = np.sum(~np.isnan(matrix), axis=0)
    return np.nansum(matrix, axis=0) / np.maximum(counts + shrinkage, 1e-300)


def plain_offsets(x):
    mean = np.nansum(x) / np.sum(~np.isnan(x))
    return np.clip(mean + damped(x - mean, 5.0), -B, B)


def ridge(matrix, factors, regularization):
    """A regression of each column on the factors of the rows."""
    found = []
    for column in matrix.T:
        f, x = factors[~np.isnan(column)], column[~np.isnan(column)]
        found.append(np.linalg.solve(f.T @ f + regularization * np.eye(f.shape[1]), f.T @ x))
    return np.array(found)


def robust(matrix, factors, regularization, a, steps, start):
    """The modified-residual steps of each column."""
    found = []
    for column, theta in zip(matrix.T, start, strict=True):
        f, x = factors[~np.isnan(column)], column[~np.isnan(column)]
        system = f.T @ f + regularization * np.eye(f.shape[1])
        for _ in range(steps):
            psi = np.clip(x - f @ theta, -a, a)
            theta = theta + np.linalg.solve(system, f.T @ psi - regularization * theta)
        found.append(theta)
    return np.array(found)


def orthonormal(factors, size):
    left, _, right = np.linalg.svd(factors, full_matrices=False)
    return left @ right * size * np.sqrt(len(factors))


def plain_items(name, left, users, before):
    if name == "private_als":
        return ridge(left, users, SETTINGS["regularization"])
    return robust(left, users, SETTINGS["regularization"], 0.5, 2, before)


def plain_fit(name, relation, x, start, offsets, p):
    """Predictions less the centre, all users' ratings being counted."""
    bound, gamma, rank = SETTINGS["residual_bound"], SETTINGS["factor_bound"], start.shape[1]
    of_items = plain_offsets(x) if offsets else np.zeros(x.shape[1])
    of_users = np.zeros(x.shape[0])
    v, factors = np.zeros(start.shape), start
    if relation in USER_LEVEL:
        x = np.clip(x - of_items, -B, B)
        size = gamma / (rank + offsets) ** (1 / p)
        for iteration in range(SETTINGS["iterations"] + 1):
            column = np.full((len(start), int(offsets)), size)
            v = orthonormal(factors - factors.mean(axis=0) * offsets, size)
            fitted = ridge(x.T, np.hstack([column, v]), SETTINGS["user_regularization"])
            of_users = fitted[:, 0] * size * offsets
            u = fitted[:, int(offsets) :]
            left = np.clip(x - of_users[:, None], -bound, bound)
            before = v if iteration else np.zeros(v.shape)
            factors = plain_items(name, left, clipped_rows(u, gamma, p), before)
        return of_items + of_users[:, None] + u @ v.T
    if offsets:
        of_users = np.clip(damped(np.clip(x - of_items, -B, B).T, 5.0), -B, B)
    x = np.clip(x - of_items - of_users[:, None], -bound, bound)
    for iteration in range(SETTINGS["iterations"]):
        v = clipped_rows(orthonormal(factors, gamma / rank ** (1 / p)), gamma, p)
        u = clipped_rows(ridge(x.T, v, SETTINGS["user_regularization"]), gamma, p)
        factors = plain_items(name, x, u, v if iteration else np.zeros(v.shape))
    return of_items + of_users[:, None] + u @ factors.T


@pytest.mark.parametrize("offsets", [True, False])
@pytest.mark.parametrize("mechanism", ["gaussian", "laplace"])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("name", FACTOR_NAMES)
def test_without_noise_it_is_the_algorithm(name, relation, mechanism, offsets):
    ratings = small_ratings()
    k = {"ratings_per_user": 9} if relation in USER_LEVEL else {}
    model = build(name, relation, mechanism=mechanism, offsets=offsets, **SETTINGS, **k)
    # the tiny noise that damps the offsets, which a ledger without noise cannot know of, is set 0
    model.__dict__["calibration"] = NoNoise
    fit_exactly(model, ratings)
    start = np.random.default_rng(0).standard_normal((9, 2))
    x = np.clip(dense(ratings) - CENTRE, -B, B)
    wanted = plain_fit(name, relation, x, start, offsets, NORMS[mechanism])
    found = model.item_offsets_ + model.user_factors_ @ model.item_factors_.T - CENTRE
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("relation", USER_LEVEL)
def test_without_noise_and_bounds_it_is_als(relation):
    """Balancing changes nothing but the ridge: as it vanishes, this is the published ALS.

    (At entry level the bound is not idle: balanced rows are about Gamma long whatever Gamma is.)
    """
    rng = np.random.default_rng(3)
    ratings, _ = low_rank_ratings(rng, 40, 15, 2, 0.7)
    shifted = Ratings(ratings.users, ratings.items, ratings.values - 1, 40, 15)
    wide = {"rating_range": (-50, 50), "factor_bound": 50, "residual_bound": 50}
    tiny = {"regularization": 1e-9, "user_regularization": 1e-9, "ratings_per_user": 15}
    model = build("private_als", relation, iterations=4, offsets=False, **wide, **tiny)
    fit_exactly(model, shifted)
    plain = ALS(rank=2, regularization=1e-9, iterations=4).fit(shifted, rng=0)
    # users have fitted once more
    plain.user_factors_ = ridge(dense(shifted).T, plain.item_factors_, 1e-9)
    np.testing.assert_allclose(model.predict_matrix(), plain.predict_matrix(), atol=1e-6)


# -- robust regression ----------------------------------------------------------------------------


def huber_objective(x, f, theta, a, regularization):
    size = np.abs(x - f @ theta)
    within = np.minimum(size, a)
    return np.sum(within * (size - within / 2)) + regularization / 2 * theta @ theta


@pytest.mark.parametrize("relation", ["user_add_remove", "entry_change"])
def test_item_rows_are_huber_regressions_that_each_step_improves(relation):
    ratings = small_ratings(1)
    rows = ratings.by_user
    users = np.random.default_rng(2).standard_normal((12, 2))
    k = {"ratings_per_user": 9} if relation in USER_LEVEL else {}
    wide = {"rating_range": (-9, 9), "residual_bound": 9, "factor_bound": 9}
    a, regularization = 0.4, 0.3
    x = dense(ratings)
    worst, before = np.inf, None
    for steps in (1, 2, 3, 5, 8, 400):
        model = build(
            "private_irls", relation, inner_iterations=steps, loss_parameter=a,
            regularization=regularization, **wide, **k,
        )  # fmt: skip
        theta = model._items(rows, users, np.zeros((9, 2)), _statistics(model))
        values = []
        for item in range(9):
            seen = ~np.isnan(x[:, item])
            values.append(
                huber_objective(x[seen, item], users[seen], theta[item], a, regularization)
            )
        if before is not None:
            assert (np.array(values) <= before + 1e-12).all()
            assert sum(values) < worst
        before, worst = np.array(values), sum(values)
    for item in range(9):  # the gradient vanishes
        seen = ~np.isnan(x[:, item])
        psi = np.clip(x[seen, item] - users[seen] @ theta[item], -a, a)
        np.testing.assert_allclose(users[seen].T @ psi, regularization * theta[item], atol=1e-8)


def _statistics(model):
    return Statistics(Ledger(Nothing(), 10**6), model.bounds, 0.0)


# -- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("name", FACTOR_NAMES)
def test_forgotten_clips_are_noticed(name, relation, monkeypatch):
    ratings = small_ratings()
    model = build(name, relation, factor_bound=0.01, residual_bound=0.3)
    fit_exactly(model, ratings)
    with monkeypatch.context() as patch:
        patch.setattr(
            "dpmc.methods.factorization.private_als.clip_rows", lambda rows, bound, norm: rows
        )
        with pytest.raises(PrivacyViolation, match="a row of factors"):
            fit_exactly(model, ratings)
    with monkeypatch.context() as patch:
        patch.setattr(type(model), "_bounded", lambda self, rows: rows)
        with pytest.raises(PrivacyViolation, match="beyond the bound"):
            fit_exactly(model, ratings)
    if relation in USER_LEVEL:
        with monkeypatch.context() as patch:
            patch.setattr(Seeded, "choose", lambda self, rows, *_: rows)
            with pytest.raises(PrivacyViolation, match="more ratings than 4"):
                fit_exactly(model, ratings)


def test_the_bound_of_what_is_left_is_at_most_half_the_range():
    with pytest.raises(InputError, match="residual_bound must be at most 2, half the rating range"):
        build("private_als", "entry_change", residual_bound=2.1)


@pytest.mark.parametrize("name", FACTOR_NAMES)
def test_item_factors_depend_on_users_only_through_releases(name):
    """With the outputs given, whoever the users are, the published part is the same."""
    ratings = small_ratings()
    model = build(name, "user_add_remove")
    fit_exactly(model, ratings)
    published = model.item_offsets_, model.item_factors_
    outputs = [each.output for each in fit_exactly(model, ratings, keep=True)]
    others = small_ratings(9)
    fewer = others.take(others.users < 4)
    for other in (others, Ratings(fewer.users, fewer.items, fewer.values, 4, 9)):
        model.fit(other, rng=0, ledger=Ledger(Replay(outputs), model.releases))
        np.testing.assert_array_equal(model.item_offsets_, published[0])
        np.testing.assert_array_equal(model.item_factors_, published[1])

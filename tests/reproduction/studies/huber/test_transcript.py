"""The privacy loss of the published algorithms against densities written out densely."""

import numpy as np
import pytest

from dpmc.datasets.synthetic import generate
from dpmc.mechanisms import make_mechanism
from dpmc.ratings import Ratings
from dpmc_studies.frame.jobs.seeds import NOISE, START, stream
from dpmc_studies.methods.factorization.als import ALS
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments.transcript import TRANSCRIPT_COLUMNS, transcript_loss
from dpmc_studies.studies.huber.transcript_run import Changes, far_changes, privacy_losses, record

SETTINGS = {
    "seed": 3,
    "users": 7,
    "items": 6,
    "scale": 2.0,
    "regularization": 0.5,
    "iterations": 3,
    "start": "normal",
    "loss_parameter": 0.7,
    "residual_scale": 1.0,
    "neighbours": 10,
    "delta": 1e-5,
}
EMPTY_ITEM = 5


def cell(method, mechanism, variance=2.0):
    return Cell("synthetic", 2, variance, 0.5, method, mechanism, 3 if method == "irls" else None)


@pytest.fixture(scope="module")
def ratings():
    data = generate(
        np.random.default_rng(5), users=7, items=6, rank=2, observed_fraction=0.6, scale=2.0
    ).observed
    kept = data.take((data.items != EMPTY_ITEM) | (data.users == 0))  # the last has one rater
    assert np.count_nonzero(kept.items == EMPTY_ITEM) == 1
    return kept


def ridge(rows, values, regularization):
    gram = rows.T @ rows + regularization * np.eye(rows.shape[1])
    return np.linalg.solve(gram, rows.T @ values)


def item_system(ratings, item, users, theta, threshold):
    """Return A and b of one step, from all the ratings of an item."""
    mine = ratings.items == item
    rows, x = users[ratings.users[mine]], ratings.values[mine]
    residuals = np.abs(x - rows @ theta)
    weights = np.minimum(1.0, threshold / np.maximum(residuals, 1e-300))
    gram = (rows.T * weights) @ rows + 0.5 * np.eye(rows.shape[1])
    return gram, rows.T @ (weights * x)


def users_of(ratings, items):
    rows = np.zeros((ratings.n_users, items.shape[1]))
    for user in range(ratings.n_users):
        mine = ratings.users == user
        rows[user] = ridge(items[ratings.items[mine]], ratings.values[mine], 0.5)
    return rows


def released(run):
    """Return every inner iterate, shape (iterations, steps, items, rank)."""
    threshold = getattr(run.model, "threshold", np.inf)
    iterates = np.empty_like(run.noise)
    for t, k, item in np.ndindex(run.noise.shape[:3]):
        users = users_of(run.ratings, run.item_factors[t])
        before = run.starts[t, item] if k == 0 else iterates[t, k - 1, item]
        gram, right = item_system(run.ratings, item, users, before, threshold)
        iterates[t, k, item] = np.linalg.solve(gram, right + run.noise[t, k, item])
    np.testing.assert_allclose(iterates[:, -1], run.item_factors[1:], rtol=1e-9, atol=1e-10)
    return iterates


def log_density(ratings, run, iterates):
    """Return the log density of the iterates of a run, had these been the ratings."""
    threshold = getattr(run.model, "threshold", np.inf)
    total = 0.0
    for t, k, item in np.ndindex(iterates.shape[:3]):
        users = users_of(ratings, run.item_factors[t])
        before = run.starts[t, item] if k == 0 else iterates[t, k - 1, item]
        gram, right = item_system(ratings, item, users, before, threshold)
        noise = gram @ iterates[t, k, item] - right
        total += run.model.mechanism.logpdf(noise).sum() + np.linalg.slogdet(gram)[1]
    return total


@pytest.mark.parametrize("mechanism", ["gaussian", "laplace", "huber"])
@pytest.mark.parametrize("method", ["als", "irls"])
def test_losses_are_differences_of_dense_log_densities(ratings, method, mechanism):
    run = record(cell(method, mechanism), SETTINGS, 0, ratings)
    one_rater = np.flatnonzero(ratings.items == EMPTY_ITEM)[0]
    changes = Changes(np.array([0, one_rater, 9]), np.array([5.0, -3.0, 0.1]))
    changed = privacy_losses(run, changes)
    iterates = released(run)
    here = log_density(ratings, run, iterates)
    for index, value, loss in zip(changes.index, changes.values, changed, strict=True):
        values = ratings.values.copy()
        values[index] = value
        there = Ratings(ratings.users, ratings.items, values, 7, 6)
        assert loss == pytest.approx(here - log_density(there, run, iterates), rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "mechanism"), [("als", "laplace"), ("irls", "gaussian")])
def test_likelihood_ratios_average_to_one(ratings, method, mechanism):
    # E_D[p_D'/p_D] = 1 exactly; at five standard errors a right loss fails 6e-7 of the time. A
    # small change and much noise keep the variance of the ratio small.
    settings = SETTINGS | {"iterations": 1}
    changes = Changes(np.array([4]), ratings.values[[4]] + 0.8)
    noisy = cell(method, mechanism, 100.0)
    runs = (record(noisy, settings, trial, ratings) for trial in range(800))
    losses = np.concatenate([privacy_losses(run, changes) for run in runs])
    ratios = np.exp(-losses)
    error = ratios.std() / np.sqrt(ratios.size)
    assert abs(ratios.mean() - 1) < 5 * error < 0.2
    assert losses.mean() > 5 * losses.std() / np.sqrt(losses.size)  # the wrong sign is seen


def test_a_run_is_that_of_the_method_on_the_same_streams(ratings):
    noisy = cell("als", "huber")
    run = record(noisy, SETTINGS, 2, ratings)
    shared = {"dataset": "synthetic", "rank": 2, "observed_fraction": 0.5, "trial": 2}
    model = ALS(rank=2, iterations=3, mechanism=make_mechanism("huber", 2.0)).fit(
        ratings,
        rng=stream(3, START, shared),
        noise_rng=noisy.stream(3, NOISE, trial=2),
    )
    np.testing.assert_array_equal(run.item_factors[-1], model.item_factors_)
    np.testing.assert_array_equal(run.user_factors[-1], model.user_factors_)


def test_losses_along_other_item_rows_are_refused(ratings):
    run = record(cell("als", "laplace"), SETTINGS, 0, ratings)
    other = run._replace(noise=run.noise[::-1])
    with pytest.raises(RuntimeError, match="iteration 1"):
        privacy_losses(other, Changes(np.array([0]), np.array([1.0])))


def test_ratings_move_to_the_far_end_of_the_range(ratings):
    limits = (0.0, float(ratings.values.max()))
    changes = far_changes(ratings, limits, 12, np.random.default_rng(0))
    assert np.unique(changes.index).size == 12
    for before, after in zip(ratings.values[changes.index], changes.values, strict=True):
        assert after == max(limits, key=lambda end: abs(end - before))


@pytest.mark.parametrize(
    ("mechanism", "nominal", "total"),
    # computed by an FFT and in closed form, independently of dpmc
    [("laplace", 5.0, 238.1), ("huber", 5.38, 246.3), ("gaussian", 11.288, 418.2)],
)
def test_budgets_of_the_papers_and_what_they_add_up_to(mechanism, nominal, total):
    (row,) = transcript_loss(cell("als", mechanism), SETTINGS | {"iterations": 50})
    assert tuple(row) == TRANSCRIPT_COLUMNS
    assert row["neighbours"] >= 10  # seven users a trial: two trials
    assert row["nominal_epsilon"] == pytest.approx(nominal, abs=2e-3)
    assert row["total_pld"] == pytest.approx(total, abs=0.1)

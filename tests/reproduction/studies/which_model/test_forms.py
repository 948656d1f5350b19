"""Forms of Local Bayes without a part: each does what its name says, within the same bounds."""

import numpy as np
import pytest

from dpmc.methods.user_level.local_bayes import offsets, refinement, scale
from dpmc.methods.user_level.local_bayes.beliefs import OFFSET
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc_studies.datasets.drawn import synthetic
from dpmc_studies.studies.which_model.forms import (
    FORMS,
    RANDOM_RANK,
    FixedPrior,
    WithoutPrior,
    plain_statistic,
)
from dpmc_studies.studies.which_model.variants import FORMS as LABELLED


@pytest.fixture(scope="module")
def ratings():
    rng = np.random.default_rng(3)
    return synthetic(
        rng, users=300, items=40, rank=3, share=0.3, test_entries=1000, noise=0.5
    ).training


def fitted(name, ratings, epsilon=50.0):
    model = FORMS[name](
        relation="user_add_remove", epsilon=epsilon, delta=1e-5, rating_range=(-10, 10)
    )
    model.public = np.random.default_rng(1)
    return model.fit(ratings, rng=np.random.default_rng(2), noise_rng=np.random.default_rng(3))


def test_forms_have_one_list():
    assert list(FORMS) == list(LABELLED)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_keeps_its_budget_and_is_another_model(name, ratings):
    model, whole = fitted(name, ratings), fitted("whole", ratings)
    assert model.guarantee_.epsilon <= 50.0
    same = np.array_equal(model.predict_matrix(), whole.predict_matrix())
    assert same == (name == "whole")
    assert model.rank == {"no_covariance": 0, "random_start": RANDOM_RANK}.get(name, model.rank)


def start(ratings, kind):
    """The beliefs after the second release, without noise."""
    rows = ratings.by_user
    sent, _ = scale.statistic(rows, 10.0)
    whole = scale.read(sent, 1e-3, 10.0)
    sent, _ = offsets.statistic(rows, ratings.n_items, whole)
    popularity, beliefs = offsets.read(sent, 1e-1, whole, kind=kind)
    return whole, popularity, beliefs


def test_without_a_prior_offsets_are_what_was_observed(ratings):
    _, _, beliefs = start(ratings, WithoutPrior)
    observed = beliefs.score[:, OFFSET] / beliefs.precision[:, OFFSET, OFFSET]
    np.testing.assert_allclose(beliefs.mean[:, OFFSET], observed, rtol=1e-2, atol=1e-4)
    assert type(beliefs.copy()) is WithoutPrior


def test_a_fixed_prior_is_not_learnt(ratings):
    whole, _, beliefs = start(ratings, FixedPrior)
    assert beliefs.prior_variance[OFFSET] == pytest.approx(0.1 * whole.typical**2)
    assert not beliefs.prior_mean[:, OFFSET].any()
    _, _, learnt = start(ratings, LocalBayes.beliefs)
    assert learnt.prior_variance[OFFSET] != beliefs.prior_variance[OFFSET]


def test_plain_residuals_by_hand(ratings):
    """What one user sends, by the formulas of the page with all ratings in the place of others."""
    whole, popularity, beliefs = start(ratings, LocalBayes.beliefs)
    step = refinement.Step.of(whole.typical, beliefs, popularity, whole)
    rows = ratings.by_user
    sent, largest = plain_statistic(rows, beliefs, popularity, whole, step)
    left_out, _ = refinement.statistic(rows, beliefs, popularity, whole, step)
    assert largest <= refinement.NORM
    assert sent.shape == left_out.shape
    assert not np.allclose(sent, left_out)
    model = refinement.model_of(beliefs, whole.mean, step.spread, popularity, whole)
    totals = np.zeros((ratings.n_items, step.columns.size + 1))
    for user in range(rows.n_rows):
        own = slice(rows.indptr[user], rows.indptr[user + 1])
        items, p = rows.indices[own], model.precisions[rows.indices[own]]
        v = model.factors[items]
        inverse = np.linalg.inv(np.eye(v.shape[1]) + (v.T * p) @ v)
        f = inverse @ (v.T @ (p * (rows.values[own] - model.offsets[items])))
        left = p * (rows.values[own] - model.offsets[items] - v @ f)
        row = np.outer(left, step.columns * np.append(1, f))
        row = np.column_stack([row, step.counted * p])
        totals[items] += row / max(np.linalg.norm(row), step.unshortened)
    np.testing.assert_allclose(sent[: totals.size], totals.ravel(), rtol=1e-9, atol=1e-9)

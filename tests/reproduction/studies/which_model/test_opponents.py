"""The search of the opponents' settings, and their factors with our predictor."""

import contextlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods.user_level.spaces import SPACES, scales
from dpmc_studies.methods.user_level.spaces import drawn as draw
from dpmc_studies.studies.which_model.cells import COLUMNS, FitCell
from dpmc_studies.studies.which_model.experiments import posterior, search
from dpmc_studies.studies.which_model.frames import METHODS
from dpmc_studies.studies.which_model.posterior import OffsetsOnly, combined, divided
from dpmc_studies.studies.which_model.settings import fit_settings
from dpmc_studies.studies.which_model.trial import make_model
from dpmc_studies.studies.which_model.variants import POSTERIOR, SEARCHED

HOME = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def ratings():
    rng = np.random.default_rng(0)
    users, items = np.divmod(rng.permutation(200 * 30)[:3000], 30)
    values = np.clip(np.round(3 + (items % 2) + rng.standard_normal(3000)), 1, 5)
    return Ratings(users, items, values, 200, 30, "small", (1.0, 5.0))


def test_equal_effort_and_no_choice_is_worse_than_one_at_a_smaller_budget(section, ratings):
    cell = search.SearchCell("ml-100k", "private_user_item_bias")
    given = search.settings(section, cell) | {"candidates": 6, "epsilons": [1.0, 20.0]}
    rows = pd.DataFrame(search.run(Task({cell: given}, {}, ratings)))
    assert tuple(rows.columns) == search.COLUMNS
    for _, here in rows.groupby("epsilon"):
        assert here["rmse"].is_monotonic_increasing
        assert here["place"].tolist() == [1, 2, 3]
    first = rows[rows["epsilon"] == 1].iloc[0]
    at_twenty = rows[(rows["epsilon"] == 20) & (rows["settings"] == first["settings"])]
    assert len(at_twenty) <= 1
    assert rows[(rows["epsilon"] == 20) & (rows["place"] == 1)]["rmse"].item() <= first["rmse"]
    again = pd.DataFrame(search.run(Task({cell: given}, {}, ratings)))
    pd.testing.assert_frame_equal(rows, again)


def test_every_opponent_was_searched_at_every_budget(section):
    opponents = section["experiments"]["opponents"]
    assert set(opponents["methods"]) <= set(SPACES) & set(METHODS)
    assert set(opponents["methods"]) <= set(section["search"]["methods"])
    rows = [row for row in section["hyperparameters"] if SEARCHED in row.get("variants", ())]
    named = {
        (dataset, method, float(epsilon))
        for row in rows
        for dataset in row["datasets"]
        for method in row["methods"]
        for epsilon in row["epsilons"]
    }
    cells = [cell for cell in section["cells"] if cell.variant == SEARCHED]
    assert cells
    assert {(cell.dataset, cell.method, cell.epsilon) for cell in cells} <= named
    assert all(fit_settings(section, cell)["model"] for cell in cells)


def test_every_candidate_is_one_that_its_method_takes(section):
    """Or refuses in one sentence, as two settings need not fit together."""
    rng = np.random.default_rng(0)
    for method in section["search"]["methods"]:
        cell = FitCell("ml-100k", method, SEARCHED, 5.0)
        own = search.settings(section, search.SearchCell("ml-100k", method))
        for _ in range(10):
            drawn = own["fixed"] | draw(rng, SPACES[method], scales(method, 2.0, 943, 1682))
            with contextlib.suppress(InputError):
                make_model(cell, own | {"model": drawn})


def test_two_budgets_make_one():
    for epsilon in (1.0, 5.0, 20.0):
        parts = divided(epsilon, 1e-5, 0.2)
        squares = [mu_of(each) ** 2 for each in (*parts, epsilon)]
        assert squares[0] + squares[1] == pytest.approx(squares[2], rel=1e-4)
        assert squares[0] == pytest.approx(0.2 * squares[2], rel=1e-4)


def mu_of(epsilon):
    """By bisection, written once more: delta of mu at epsilon is 1e-5."""
    low, high = 1e-3, 50.0
    for _ in range(200):
        mu = (low + high) / 2
        delta = ndtr(-epsilon / mu + mu / 2) - np.exp(epsilon) * ndtr(-epsilon / mu - mu / 2)
        low, high = (mu, high) if delta < 1e-5 else (low, mu)
    return mu


def test_offsets_alone_spend_the_whole_budget_and_factors_join_them(ratings):
    model = OffsetsOnly(
        relation="user_add_remove", epsilon=5.0, delta=1e-5, rating_range=(1.0, 5.0)
    )
    model.fit(ratings, rng=np.random.default_rng(0), noise_rng=np.random.default_rng(1))
    assert model.guarantee_.epsilon == pytest.approx(5.0)
    assert model.rank == 0
    none = combined(model, np.zeros((30, 2)), 0.1, ratings)
    pairs = ratings.users[:50], ratings.items[:50]
    np.testing.assert_allclose(none.predict(*pairs), model.predict(*pairs))
    factors = np.random.default_rng(2).standard_normal((30, 2))
    some = combined(model, factors, 0.1, ratings)
    explained = model.shares_ @ np.sum(some.factors[:, 1:] ** 2, axis=1)
    assert explained == pytest.approx(0.1 * model.scale_.typical**2)
    np.testing.assert_allclose(
        combined(model, 7 * factors, 0.1, ratings).predict(*pairs), some.predict(*pairs)
    )


def test_rows_of_the_posterior(section, ratings):
    cells = [
        FitCell("ml-100k", "dp_svd", f"{POSTERIOR}{explained:g}", epsilon)
        for explained in (0.05, 0.2)
        for epsilon in (1.0, 20.0)
    ]
    own = {"model": {"rank": 1, "row_bound": 3.0}, "trials": 1}
    task = Task({cell: posterior.settings(section, cell) | own for cell in cells}, {}, ratings)
    rows = posterior.run(task)
    assert [tuple(row) for row in rows] == [COLUMNS] * 4
    assert len({row["rmse"] for row in rows}) == 4
    assert [row["actual_epsilon"] for row in rows] == [1.0, 20.0, 1.0, 20.0]

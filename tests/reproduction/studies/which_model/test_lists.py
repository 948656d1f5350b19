"""Lists of what users like: rows, what is ranked by, the whole budget of popularity."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpmc.methods.user_level.local_ease import counts
from dpmc.methods.user_level.local_ease.references import PrivatePopularity
from dpmc.privacy.ledger import FloatNoise, Ledger
from dpmc.privacy.relations import USER_LEVEL
from dpmc.ratings import Ratings
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.which_model.claims import judge  # noqa: F401  (registers predicates)
from dpmc_studies.studies.which_model.experiments import ranking
from dpmc_studies.studies.which_model.frames import RANKED as LABELLED
from dpmc_studies.studies.which_model.lists import BY_RATINGS, RANKED, ease

HOME = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def ratings():
    """Users of two kinds, each of which likes its own half of the items."""
    rng = np.random.default_rng(0)
    users, items = np.divmod(rng.permutation(300 * 40)[:6000], 40)
    own = users % 2 == items % 2
    values = np.clip(np.round(2.5 + 2 * own + 0.5 * rng.standard_normal(6000)), 1, 5)
    return Ratings(users, items, values, 300, 40, "small", (1.0, 5.0))


def test_models_have_one_list():
    every = [*RANKED, *BY_RATINGS]
    assert sorted(every) == sorted([*ranking.PRIVATE, *ranking.LIMITS]) == sorted(LABELLED)


@pytest.fixture(scope="module")
def rows(section, ratings):
    cells = [cell for cell in ranking.cells(section) if cell.dataset == "sweetrs"]
    cells = [cell for cell in cells if cell.epsilon in (None, 20.0)]
    given = {cell: ranking.settings(section, cell) | {"trials": 2} for cell in cells}
    for each in given.values():
        each["data"] = {"training_share": 0.8, "test_share": 0.1, "rating_range": [1, 5]}
    return pd.DataFrame(ranking.run(Task(given, {}, ratings)))


def test_rows_of_lists(rows):
    assert tuple(rows.columns) == ranking.COLUMNS
    assert rows.groupby("method").size().to_dict() == dict.fromkeys(LABELLED, 2)
    assert rows["epsilon"].isna().eq(rows["method"].isin(ranking.LIMITS)).all()
    assert rows["rmse"].notna().eq(rows["method"] == "local_bayes").all()
    assert rows[["recall", "ndcg"]].gt(0).all(axis=None)
    assert rows[["recall", "ndcg"]].le(1).all(axis=None)


def test_ease_by_its_formula(ratings):
    found = ease({"likes_from": 4, "ridge": 10.0}, ratings, {}, {}).scores
    liked = np.zeros((300, 40))
    here = ratings.values >= 4
    liked[ratings.users[here], ratings.items[here]] = 1
    for item in (0, 7):
        rest = np.delete(liked, item, axis=1)
        solution = np.linalg.solve(rest.T @ rest + 10 * np.eye(39), rest.T @ liked[:, item])
        np.testing.assert_allclose(found[:, item], rest @ solution, atol=1e-10)


@pytest.mark.parametrize("relation", USER_LEVEL)
def test_popularity_alone_has_the_whole_budget_in_one_release(relation, ratings):
    model = PrivatePopularity(relation=relation, epsilon=1e5, delta=1e-6, likes_from=4)
    noise = FloatNoise(model.calibration.noise, np.random.default_rng(3))
    ledger = Ledger(noise, model.releases, keep=True)
    model.fit(ratings, rng=0, ledger=ledger)
    assert [each.what for each in ledger.transcript] == ["counts"]
    assert ledger.spent == pytest.approx(model.releases)
    likes = model.likes(ratings)
    plain, _ = counts.statistic(likes.by_user, likes.n_items)
    order = np.argsort(model.item_offsets_)
    assert np.corrcoef(model.item_offsets_, plain[:-1])[0, 1] > 0.999
    assert (np.argsort(model.predict_matrix()[5]) == order).all()

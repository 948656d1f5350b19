"""The scorers in LensKit's own pipelines, and its own metrics of them."""

import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("lenskit", reason="needs the extra adapters")

from lenskit import batch
from lenskit.data import ItemList, RecQuery, from_interactions_df
from lenskit.metrics import NDCG, RMSE, RunAnalysis
from lenskit.pipeline import topn_pipeline
from lenskit.splitting import SampleFrac, crossfold_users

from dpmc import PrivateFactorization
from dpmc.errors import InputError

sys.path.append(str(Path(__file__).parents[3] / "examples"))
from lenskit_scorers import PrivateScorer, PublishedScorer

N_ITEMS = 40
COMMON = {"epsilon": 50, "delta": 1e-6, "items": range(1, N_ITEMS + 1), "simulate": 1}
RATED = COMMON | {"rating_range": (1, 5), "ratings_per_user": 20, "method": "als", "rank": 2}
pytestmark = pytest.mark.filterwarnings("ignore:.*for your eyes only")


@pytest.fixture(scope="module")
def frame():
    """Ratings that follow two factors, of 400 users, more of some items than of others."""
    rng = np.random.default_rng(0)
    users, items = rng.normal(size=(400, 2)), rng.normal(size=(N_ITEMS, 2))
    values = np.clip(np.rint(3 + users @ items.T + rng.normal(size=(400, N_ITEMS)) / 4), 1, 5)
    user, item = np.nonzero(rng.random(values.shape) < np.linspace(0.2, 0.8, N_ITEMS))
    return pd.DataFrame({"user_id": user + 1000, "item_id": item + 1, "rating": values[user, item]})


@pytest.fixture(scope="module")
def split(frame):
    """Users who are in training with half of their ratings, and are tested on the others."""
    data = from_interactions_df(frame)
    return next(crossfold_users(data, 2, SampleFrac(0.5), rng=3))


def first(lists):
    return next(iter(lists.keys())).user_id


def trained(scorer, data):
    pipeline = topn_pipeline(scorer, n=10, predicts_ratings="raw")
    pipeline.train(data)
    return pipeline


@pytest.fixture(scope="module")
def pipeline(split):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trained(PrivateScorer(**RATED), split.train)


def scores(pipeline, query, ids):
    found = pipeline.run("rating-predictor", query=query, items=ItemList(ids))
    return found.scores()


def test_scores_are_what_the_class_predicts(pipeline, split):
    model = pipeline.component("scorer").model_
    user = first(split.test)
    row = split.train.user_row(user)
    own = dict(zip(row.ids().tolist(), row.field("rating").tolist(), strict=True))
    ids = list(range(1, N_ITEMS + 1))
    found = scores(pipeline, user, ids)
    wanted = model.predict(np.column_stack([np.full(N_ITEMS, user), ids]))
    assert found.dtype == np.float32  # LensKit's lists have no other scores
    np.testing.assert_allclose(np.clip(found, 1, 5), wanted, rtol=np.finfo(np.float32).eps)
    ranked = pipeline.run("recommender", query=user, n=5).ids()
    assert list(map(str, ranked)) == list(model.recommend(own, n=5))
    # of somebody who was not there, with the same ratings
    new = ItemList(row.ids(), rating=row.field("rating"))
    for query in (new, RecQuery(user_id=9, history_items=new)):
        np.testing.assert_array_equal(scores(pipeline, query, ids), found)
    nobody = scores(pipeline, None, ids)
    alone = model.published_.complete({}, clipped=False)
    np.testing.assert_array_equal(nobody, alone.astype(np.float32))
    unknown = scores(pipeline, user, [1, 99, 2])
    assert np.isnan(unknown).tolist() == [False, True, False]
    assert unknown[0] == found[0]


def test_lenskits_own_evaluation(pipeline, split):
    """By LensKit's RMSE ratings are predicted, and by its NDCG a ranking of likes ranks better."""
    predicted = batch.predict(pipeline, split.test, n_jobs=1)
    ranked = batch.recommend(pipeline, split.test, n=10, n_jobs=1)
    scorer = PrivateScorer(**COMMON, purpose="ranking", likes_from=4)
    by_likes = batch.recommend(trained(scorer, split.train), split.test, n=10, n_jobs=1)
    errors = RunAnalysis()
    errors.add_metric(RMSE())
    gain = RunAnalysis()
    gain.add_metric(NDCG(n=10, gain="rating"))
    rmse = errors.measure(predicted, split.test).list_summary().loc["RMSE", "mean"]
    spread = np.std(split.train.interactions().pandas()["rating"])
    assert rmse < 0.8 * spread
    by_ratings, by_likes = (
        gain.measure(each, split.test).list_summary().loc["NDCG@10", "mean"]
        for each in (ranked, by_likes)
    )
    assert 0 < by_ratings < by_likes < 1


def test_a_made_model_is_not_trained_again(pipeline, split, tmp_path):
    pipeline.component("scorer").model_.save(tmp_path / "model")
    other = trained(PublishedScorer(folder=str(tmp_path / "model")), split.train)
    ids, user = list(range(1, N_ITEMS + 1)), first(split.test)
    np.testing.assert_array_equal(scores(other, user, ids), scores(pipeline, user, ids))
    copy = pickle.loads(pickle.dumps(other.component("scorer")))
    assert isinstance(copy.model_, PrivateFactorization)
    assert "_own" not in vars(copy.model_)
    with pytest.raises(InputError, match=r"holds no guarantee\.json"):
        PublishedScorer(folder=str(tmp_path))


def test_what_is_refused(frame, split, pipeline):
    with pytest.raises(InputError, match="Say where the list of items is from"):
        PrivateScorer(epsilon=1, rating_range=(1, 5)).train(split.train)
    with pytest.raises(InputError, match="has a column of ratings, 'rating', and each row would"):
        PrivateScorer(**COMMON, purpose="ranking").train(split.train)
    with pytest.raises(InputError, match="need a field 'rating'"):
        pipeline.component("scorer")(ItemList([1, 2]), ItemList([3]))
    with pytest.raises(ValueError, match="epsilom"):
        PrivateScorer(epsilom=1)
    dumped = PrivateScorer(**RATED).dump_config()
    assert (dumped["rank"], dumped["items"][:2]) == (2, ["1", "2"])

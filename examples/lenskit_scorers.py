"""Private models as scorers of LensKit: in its pipelines, with its splits and metrics.

A query brings its user's own ratings along, and all that a score is made of besides is what may be
published. So users whom the model was not trained on are scored as well as others.

Michael D. Ekstrand, "LensKit for Python: next-generation software for recommender systems
experiments" (CIKM 2020).
"""

from dataclasses import MISSING, fields
from os import PathLike
from typing import Annotated

import numpy as np
from lenskit.data import Dataset, ItemList, QueryInput, RecQuery
from lenskit.pipeline import Component
from lenskit.training import Trainable, TrainingOptions
from pydantic import BaseModel, PlainSerializer, create_model

from dpmc.errors import InputError
from dpmc.estimator import Labels, PrivateFactorization


def _plain(value: object) -> object:
    """Return a path as text, and a list of labels as a list of text, as JSON has them."""
    if value is None or isinstance(value, str | PathLike):
        return value if value is None else str(value)
    return [str(each) for each in value]


_Plain = Annotated[object, PlainSerializer(_plain)]
PrivateConfig = create_model(
    "PrivateConfig",
    __config__={"extra": "forbid"},
    **{
        each.name: (
            _Plain if each.type in (object, Labels | None) else each.type,
            ... if each.default is MISSING else each.default,
        )
        for each in fields(PrivateFactorization)
        if each.init and each.name != "columns"
    },
)
"""The parameters of :class:`dpmc.PrivateFactorization`; features of items are in a file."""


class PublishedConfig(BaseModel, extra="forbid"):
    """Where a model is.

    Attributes
    ----------
    folder : str
        That ``dpmc fit`` or :meth:`dpmc.PrivateFactorization.save` wrote.
    """

    folder: str


class PublishedScorer(Component[ItemList]):
    """Scores items by a model that was published: nothing is trained, and no budget spent.

    Attributes
    ----------
    model_ : dpmc.PrivateFactorization

    Raises
    ------
    InputError
        See :meth:`dpmc.PrivateFactorization.load`.
    """

    config: PublishedConfig

    def __init__(self, config: PublishedConfig | None = None, **kwargs):
        super().__init__(config, **kwargs)
        self.model_ = PrivateFactorization.load(self.config.folder)

    def __call__(self, query: QueryInput, items: ItemList) -> ItemList:
        """Return the items with scores, NaN for those that the model does not have.

        They are predicted ratings before these are clipped to their range, as items are ranked by
        them, or the scores of a ranking. A query without items is scored as a user without ratings.

        Raises
        ------
        InputError
            The items of the query have no ratings, and the model needs some.
        """
        published = self.model_.published_
        own = _ratings(RecQuery.create(query).history_items, published.rated)
        scores = dict(zip(published.labels, published.complete(own, clipped=False), strict=True))
        return ItemList(
            items, scores=np.array([scores.get(str(each), np.nan) for each in items.ids()])
        )


class PrivateScorer(PublishedScorer, Trainable):
    """Learns a model of a data set within a privacy budget, and scores items by it.

    Training spends the budget each time. The list of items must be known without the data set, as
    for :class:`dpmc.PrivateFactorization`, which has the same parameters. A trained pipeline holds
    ratings, here and in LensKit's own components: publish what ``model_.save`` writes, and never a
    pickle.

    Attributes
    ----------
    model_ : dpmc.PrivateFactorization
        Once it is trained.

    Raises
    ------
    InputError
        See :meth:`dpmc.PrivateFactorization.fit`.
    """

    config: PrivateConfig

    def __init__(self, config: PrivateConfig | None = None, **kwargs):
        Component.__init__(self, config, **kwargs)

    def train(self, data: Dataset, options: TrainingOptions = TrainingOptions()) -> None:  # noqa: B008
        """Learn from the interactions of a data set, with their ratings where they have such.

        ``options`` can say not to train again; a seed in them has no part in the noise.
        """
        if hasattr(self, "model_") and not options.retrain:
            return
        table = data.interactions().arrow(ids=True)
        columns = [name for name in ("user_id", "item_id", "rating") if name in table.column_names]
        model = PrivateFactorization(**dict(self.config))
        self.model_ = model.fit(table.select(columns))


def _ratings(history: ItemList | None, rated: bool) -> dict[str, float]:
    """Return ratings by label, 1 where they do not count."""
    if history is None or not len(history):
        return {}
    values = history.field("rating") if rated else np.ones(len(history))
    if values is None:
        raise InputError(
            "The items of a query need a field 'rating', which this model scores by; a ranking of "
            "likes without ratings does not (purpose='ranking')."
        )
    return dict(zip(map(str, history.ids()), np.asarray(values).tolist(), strict=True))

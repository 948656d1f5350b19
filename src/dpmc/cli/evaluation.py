"""What error to expect of a fit, on ratings that need no protection: ``dpmc evaluate``."""

from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.blocks import cores, counted, in_blocks, of_users
from dpmc.methods.factorization.bayesian_als import BayesianALS
from dpmc.methods.kernels.top_lists import each_on_top
from dpmc.methods.private_choice import Seeded, within, without
from dpmc.methods.user_level.local_bayes.constants import CREDITED
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.methods.user_level.local_ease.references import EASE, PrivatePopularity
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.ratings import Ratings

MEAN = "user's own mean, shrunk"
POPULARITY = "popularity"
PRIVATE_POPULARITY = f"private {POPULARITY}"
WITHOUT = " without privacy"
"""Ends the names of models that a table in memory is learnt by, as a limit for the others."""
FREE_OF_NOISE, VANISHING = "bayes", 1e6
"""The default method, and an epsilon at which its noise is negligible."""
MOST_RATINGS, MOST_ITEMS = 2_000_000, 5_000
"""For which Bayesian ALS and EASE without privacy are fitted: in minutes, and a gigabyte."""
TRAINING_SHARE = 0.8
MEASURES = {"rmse": "RMSE", "recall": "recall@20", "ndcg": "NDCG@20"}
Progress = Callable[[int, str], AbstractContextManager]
"""See :func:`dpmc.cli.options.progress`."""
NOTE = (
    "Not private: these errors are computed from the ratings themselves, and the noise is "
    "simulated. Use them to plan, on public or made-up ratings."
)


def private_popularity(models: dict) -> dict:
    """Return private popularity at the budgets of models that rank."""
    same = ("relation", "epsilon", "delta", "ratings_per_user", "likes_from")
    return {
        (PRIVATE_POPULARITY, epsilon): PrivatePopularity(
            **{name: getattr(model, name) for name in same}
        )
        for (_, epsilon), model in models.items()
        if model.ranks
    }


def errors_of(
    models: dict, ratings, features, likes_from: float, splits: int, seed: int, progress: Progress
) -> dict[tuple, list[tuple[float, ...]]]:
    """Return :data:`MEASURES` by split of the models and, without an epsilon, of the references.

    A hash chooses the training ratings one by one, so a store is split like its table. Features of
    items, or None, are for the methods that use them. Every fit is a step of the progress.
    """
    number, errors = _number_of(ratings), defaultdict(list)
    predicting = [model for model in models.values() if not model.ranks]
    limits = predicting[0].rating_range if predicting else None
    others = _without_privacy(limits, len(predicting) < len(models), ratings, number, likes_from)
    with progress(splits * (len(models) + len(others)), "fits") as step:
        for split in range(splits):
            rngs = [np.random.default_rng([seed, split, stream]) for stream in range(3)]
            part = Seeded(rngs[0]).parts(TRAINING_SHARE)
            training = _training(ratings, part)
            start, noise = (int(rng.integers(2**63)) for rng in rngs[1:])
            known = of_users(_sums_and_numbers, training, (2,))
            if not 0 < known[:, 1].sum() < number:
                raise InputError(
                    f"A training share of {TRAINING_SHARE:g} of {number} ratings leaves no rating "
                    "to train on or none to test on: evaluate on more of them."
                )
            measured = partial(_of_blocks, ratings=ratings, part=part, likes_from=likes_from)
            for key, model in (models | others).items():
                more = {"item_features": features} if model.takes_features else {}
                # what a fit keeps of users goes with its copy
                fitted = copy(model).fit(training, rng=start, noise_rng=noise, **more)
                lists = model.ranks or key in models
                errors[key].append(measured(fitted, lists=lists, limits=limits))
                step()
            for key, model in _references(training, known, likes_from).items():
                if predicting or model.ranks:  # means predict ratings
                    errors[key].append(measured(model, lists=model.ranks))
    return errors


def _without_privacy(limits, ranked: bool, ratings, number: int, likes_from: float) -> dict:
    """Return models that show how well ratings within limits, if any, can be predicted, and how
    well likes can be ranked, if they are: those that there is time and memory for.
    """
    made, in_memory = {}, isinstance(ratings, Ratings)
    if limits is not None:
        budget = {"relation": USER_ADD_REMOVE, "epsilon": VANISHING}
        made[FREE_OF_NOISE] = LocalBayes(**budget, rating_range=limits)
        if in_memory and number <= MOST_RATINGS:
            made["Bayesian ALS"] = BayesianALS(rank=10, iterations=60)
    if ranked and in_memory and ratings.n_items <= MOST_ITEMS:
        made["EASE"] = EASE(likes_from=likes_from)
    return {(name + WITHOUT, None): model for name, model in made.items()}


def _number_of(ratings) -> int:
    return int(counted(lambda first, rows: rows.values.size, ratings))


def _training(ratings, part):
    """Return the ratings that are in a part: in memory, or by blocks, as they are."""
    if not isinstance(ratings, Ratings):
        return ratings.then(partial(within, part))
    labels = {"user_labels": ratings.user_labels, "item_labels": ratings.item_labels}
    return Ratings.from_rows(within(part, 0, ratings.by_user), ratings.n_items, **labels)


def _unclipped(model):
    model = copy(model)
    model.rating_range = (-np.inf, np.inf)  # models without one do not look at it
    return model


def _scored(model, first: int):
    """Return (users, counted from a first one) -> their scores of all items."""
    n_items = model.shape_[1]

    def scored(users):
        pairs = np.repeat(first + users, n_items), np.tile(np.arange(n_items), users.size)
        return model.predict(*pairs).reshape(users.size, n_items)

    return scored


def _sums_and_numbers(rows, first):
    return np.column_stack([rows.sums(rows.values), rows.sizes])


@dataclass
class _Reference:
    """Predicts one number for each user, or for each item."""

    of_users: object
    of_items: object
    ranks: bool = False

    @property
    def shape_(self):
        return len(self.of_users), len(self.of_items)

    def predict(self, users, items):
        return self.of_users[users] + self.of_items[items]


def _references(training, known, likes_from: float) -> dict[tuple, _Reference]:
    sums, numbers = known.T
    mean = sums.sum() / max(numbers.sum(), 1)
    own = (sums + CREDITED * mean) / (numbers + CREDITED)
    likes = counted(partial(_likes_of_items, training.n_items, likes_from), training)
    nobody, nothing = np.zeros(own.size), np.zeros(training.n_items)
    made = {
        POPULARITY + WITHOUT: _Reference(nobody, likes.astype(float), ranks=True),
        MEAN: _Reference(own, nothing),
        "global mean": _Reference(nobody + mean, nothing),
    }
    return {(name, None): each for name, each in made.items()}


def _likes_of_items(n_items, likes_from, first, rows):
    return np.bincount(rows.indices[rows.values >= likes_from], minlength=n_items)


def _of_blocks(
    model, ratings, part, likes_from: float, lists=True, limits=None
) -> tuple[float, ...]:
    """Return :data:`MEASURES` on the ratings that are not in a part.

    Of lists only if asked for; predictions are clipped to limits, if given.
    """
    # made once here, not by each thread for itself and for the copy
    _ = getattr(model, "user_factors_", None)
    unclipped = _unclipped(model)

    def measured(rows, first):
        known, out = within(part, first, rows), without(part, first, rows)
        found = np.zeros((rows.n_rows, 5))
        if not model.ranks:
            users = out.per_rating(np.arange(first, first + out.n_rows))
            predicted = model.predict(users, out.indices)
            predicted = predicted if limits is None else np.clip(predicted, *limits)
            found[:, 0] = out.sums((predicted - out.values) ** 2)
        found[:, 1] = out.sizes
        if lists:
            liked = out.keep(out.values >= likes_from)
            found[:, 2] = liked.sizes > 0
            found[liked.sizes > 0, 3:] = each_on_top(
                _scored(unclipped, first), model.shape_[1], known, liked
            )
        return found

    # user by user, so that blocks of any size have the same sums
    wrong, number, users, *sums = of_users(measured, in_blocks(ratings, cores()), (5,)).sum(axis=0)
    error = np.nan if model.ranks or not number else (wrong / number) ** 0.5
    return (error, *(each / users if users else np.nan for each in sums))


def summary_of(
    model, ratings, errors: dict, likes_from: float | None, splits: int, seed: int
) -> dict[str, object]:
    return {
        "private": False,
        "note": NOTE,
        "relation": model.relation,
        "delta": model.delta,
        "mechanism": model.mechanism,
        "ratings": _number_of(ratings),
        "users": ratings.n_users,
        "items": ratings.n_items,
        "training_share": TRAINING_SHARE,
        "splits": splits,
        "seed": seed,
        "likes_from": likes_from,
        "errors": [
            {"method": method, "epsilon": epsilon} | _of_splits(found)
            for (method, epsilon), found in errors.items()
        ],
    }


def _of_splits(found: list[tuple[float, ...]]) -> dict[str, object]:
    """Return the RMSE with its spread and by split, and the same of the others by name; None is

    what there is none of."""
    of_each = {}
    for name, values in zip(MEASURES, zip(*found, strict=True), strict=True):
        known = np.isfinite(values).all()
        several = known and len(values) > 1
        of_each[name] = {
            name: float(np.mean(values)) if known else None,
            "standard_deviation": float(np.std(values, ddof=1)) if several else None,
            "by_split": list(values) if known else None,
        }
    return of_each.pop("rmse") | of_each

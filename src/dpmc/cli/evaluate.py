"""``dpmc evaluate``: what error to expect at which budget, on ratings that need no protection."""

import json
from collections import defaultdict
from copy import copy
from dataclasses import dataclass, replace
from functools import partial

import click

from dpmc.cli.help import Command
from dpmc.cli.options import READING, fit_option, progress, reading_in, reading_options, remark

BIAS = "bias"
MEAN = "user's own mean, shrunk"
POPULARITY = "popularity"
PRIVATE_POPULARITY = f"private {POPULARITY}"
WITHOUT = " without privacy"
"""Ends the names of models that a table in memory is learnt by, as a limit for the others."""
BEST = "best" + WITHOUT
FREE_OF_NOISE, VANISHING = "bayes", 1e6
"""The default method, and an epsilon at which its noise is negligible."""
MOST_RATINGS, MOST_ITEMS = 2_000_000, 5_000
"""For which Bayesian ALS and EASE without privacy are fitted: in minutes, and a gigabyte."""
TRAINING_SHARE = 0.8
MEASURES = {"rmse": "RMSE", "recall": "recall@20", "ndcg": "NDCG@20"}
HINT = "Predicted ratings make poor lists: for recommendations use --for ranking."
NOTE = (
    "Not private: these errors are computed from the ratings themselves, and the noise is "
    "simulated. Use them to plan, on public or made-up ratings."
)


@click.command(
    cls=Command,
    groups={
        "Ratings": ("rating_range", *READING),
        "Privacy": ("relation", "epsilons", "delta", "mechanism", "ratings_per_user"),
        "Comparison": ("purpose", "likes_from", "methods", "item_features", "splits", "seed"),
        "Output": ("as_json",),
    },
    examples=(
        "dpmc evaluate public.csv --rating-range 1 5 --relation user --epsilon 1",
        "dpmc evaluate public.csv --rating-range 1 5 --relation entry \\\n"
        "    --method als --method bias --epsilon 1 --epsilon 10",
        "dpmc evaluate public.csv --rating-range 1 5 --relation user \\\n"
        "    --for ranking --likes-from 4",
    ),
)
@click.argument("path", metavar="RATINGS", type=click.Path())
@fit_option("rating_range")
@fit_option("relation", required=True, default=None)
@click.option(
    "--epsilon",
    "epsilons",
    multiple=True,
    type=float,
    help="Budget of one fit; may be given more than once.  [default: 1, 5 and 20]",
)
@fit_option("delta")
@click.option(
    "--method",
    "methods",
    multiple=True,
    help="Method of dpmc fit; may be given more than once.  [default: the default of dpmc fit, "
    "and for ratings bias]",
)
@fit_option("purpose", help="What the default method is for.  [default: ratings]")
@fit_option(
    "likes_from",
    help="A rating of so much or more is a like.  [default: three quarters up the range; without "
    "a range each row of a table without ratings]",
)
@fit_option("mechanism", help="Noise, as for dpmc fit.")
@fit_option(
    "ratings_per_user", help="Largest number of a user's ratings that count, as for dpmc fit."
)
@fit_option("item_features")
@reading_options
@click.option(
    "--splits",
    type=click.IntRange(1),
    default=3,
    help="Number of random splits into training and held-out ratings.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    help="Seed of the splits, the starts and the noise.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def evaluate(path, epsilons, methods, splits, seed, as_json, **rest):
    """Measure the error of each method and budget on public ratings.

    RATINGS is a table as for dpmc fit, or a store. Each split learns from about 80 % of it and
    predicts the rest, with the defaults of dpmc fit for whatever is not given. Printed are the
    means of the RMSE over the splits and their standard deviations, and of recall and NDCG of each
    user's 20 best items: all items are candidates but those that the user rated in what was learnt
    from, and those held out that the user likes should stand on top. The method ease ranks only,
    and has no RMSE. Other rows show what is easily reached (means, popularity) and what can be
    reached without privacy.

    The output is not private: it is computed from the ratings without any protection, and the
    noise is simulated. To choose a method or a budget by it, use public or made-up ratings.
    """
    from dpmc.errors import InputError
    from dpmc.fitting.checks import ranks
    from dpmc.fitting.fit import prepare
    from dpmc.fitting.lists import Lists
    from dpmc.fitting.ratings import load_ratings
    from dpmc.publication.features import features_of
    from dpmc.publication.store import is_store

    reading = reading_in(rest)
    features = features_of(rest.pop("item_features"), reading.item)
    purpose, likes_from = rest.pop("purpose"), rest.pop("likes_from")
    if likes_from is None and rest["rating_range"] is not None:
        low, high = rest["rating_range"]
        likes_from = low + 0.75 * (high - low)
    epsilons = dict.fromkeys(epsilons or (1.0, 5.0, 20.0))
    models = {}
    for method in dict.fromkeys(methods or ((None,) if purpose == "ranking" else (None, BIAS))):
        options = rest | {"method": method, "purpose": purpose if method is None else None}
        if ranks(options):
            options["likes_from"] = likes_from
        for epsilon in epsilons:
            ready = prepare(options | {"epsilon": epsilon})
            models[ready.method, epsilon] = ready.model
    by_blocks = all(model.by_blocks for model in models.values())
    if not methods and is_store(path) and not by_blocks:
        defaults = " and ".join(dict.fromkeys(method for method, _ in models))
        raise InputError(
            f"The default methods here, {defaults}, need all of a store in memory, 50 bytes for "
            "each rating: name one with --method if there is room for it."
        )
    models |= _popularity(models)
    for model in models.values():
        _ = model.calibration  # found once for all splits
    rated, lists = likes_from is not None, Lists(None, None, {})
    reading = replace(reading, rated=rated)
    prepared = load_ratings(path, reading, rest["rating_range"], lists, by_blocks)
    remark(prepared.look.remarks)
    level = likes_from if rated else 1.0  # what each row counts for
    errors = _errors(models, prepared.ratings, features, level, splits, seed)
    result = _summary(
        next(iter(models.values())), prepared.ratings, errors, likes_from, splits, seed
    )
    for line in [json.dumps(result, indent=2)] if as_json else _lines(result, list(epsilons)):
        click.echo(line)


def _popularity(models: dict) -> dict:
    """Return private popularity at the budgets of models that rank."""
    from dpmc.methods.user_level.local_ease.references import PrivatePopularity

    same = ("relation", "epsilon", "delta", "ratings_per_user", "likes_from")
    return {
        (PRIVATE_POPULARITY, epsilon): PrivatePopularity(
            **{name: getattr(model, name) for name in same}
        )
        for (_, epsilon), model in models.items()
        if model.ranks
    }


def _errors(
    models: dict, ratings, features, likes_from: float, splits: int, seed: int
) -> dict[tuple, list[tuple[float, ...]]]:
    """Return :data:`MEASURES` by split of the models and, without an epsilon, of the references.

    What trains is chosen by a hash, rating by rating, so a store is split as its table is. Features
    of items, or None, are for the methods that take them.
    """
    import numpy as np

    from dpmc.errors import InputError
    from dpmc.methods.blocks import of_users
    from dpmc.methods.private_choice import Seeded

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
    from dpmc.methods.factorization.bayesian_als import BayesianALS
    from dpmc.methods.user_level.local_bayes.method import LocalBayes
    from dpmc.methods.user_level.local_ease.references import EASE
    from dpmc.privacy.relations import USER_ADD_REMOVE
    from dpmc.ratings import Ratings

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
    from dpmc.methods.blocks import counted

    return int(counted(lambda first, rows: rows.values.size, ratings))


def _training(ratings, part):
    """Return the ratings that are in a part: in memory, or by blocks, as they are."""
    from dpmc.methods.private_choice import within
    from dpmc.ratings import Ratings

    if not isinstance(ratings, Ratings):
        return ratings.then(partial(within, part))
    labels = {"user_labels": ratings.user_labels, "item_labels": ratings.item_labels}
    return Ratings.from_rows(within(part, 0, ratings.by_user), ratings.n_items, **labels)


def _unclipped(model):
    import numpy as np

    model = copy(model)
    if hasattr(model, "rating_range"):
        model.rating_range = (-np.inf, np.inf)
    return model


def _scored(model, first: int):
    """Return (users, counted from a first one) -> their scores of all items."""
    import numpy as np

    n_items = model.shape_[1]

    def scored(users):
        pairs = np.repeat(first + users, n_items), np.tile(np.arange(n_items), users.size)
        return model.predict(*pairs).reshape(users.size, n_items)

    return scored


def _sums_and_numbers(rows, first):
    import numpy as np

    return np.column_stack([rows.sums(rows.values), rows.sizes])


@dataclass(frozen=True)
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
    import numpy as np

    from dpmc.methods.blocks import counted
    from dpmc.methods.user_level.local_bayes.constants import CREDITED

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
    import numpy as np

    return np.bincount(rows.indices[rows.values >= likes_from], minlength=n_items)


def _of_blocks(
    model, ratings, part, likes_from: float, lists=True, limits=None
) -> tuple[float, ...]:
    """Return :data:`MEASURES` on the ratings that are not in a part.

    Of lists only if asked for; predictions are clipped to limits, if given.
    """
    import numpy as np

    from dpmc.methods.blocks import cores, in_blocks, of_users
    from dpmc.methods.kernels.top_lists import each_on_top
    from dpmc.methods.private_choice import within, without

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


def _summary(
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
    import numpy as np

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


def _table(measure: str, errors: list[dict], epsilons: list[float]) -> list[str]:
    """Return the lines of a table of one measure, of those that have it."""
    cells = {(each["method"], each["epsilon"]): _cell(each, measure) for each in errors}
    names = list(dict.fromkeys(method for (method, _), cell in cells.items() if cell is not None))
    rows = [[MEASURES[measure], *(f"epsilon {epsilon:g}" for epsilon in epsilons)]]
    for name in names:
        rows.append([name, *(cells.get((name, e)) or cells[name, None] for e in epsilons)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        f"{row[0]:<{widths[0]}}"
        + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows[: len(rows) * (len(rows) > 1)]
    ]


def _best_of_ratings(errors: list[dict]) -> tuple[list[dict], str | None]:
    """Return rows with one prediction without privacy, that of the least RMSE, and its name."""
    free = [row for row in errors if row["method"].endswith(WITHOUT) and row["rmse"] is not None]
    best = min(free, key=lambda row: row["rmse"], default=None)
    named = [row | {"method": BEST} if row is best else row for row in errors]
    rows = [row for row in named if row not in free]
    return rows, best and best["method"].removesuffix(WITHOUT)


def _lines(result: dict, epsilons: list[float]) -> list[str]:
    errors, best = _best_of_ratings(result["errors"])
    tables = [_table(name, errors, epsilons) for name in MEASURES]
    level = result["likes_from"]
    likes = "Each row is a like" if level is None else f"Ratings of {level:g} or more are likes"
    notes = ["Means, and rows without privacy, have no noise."]
    if best is not None:
        epsilon = f" at epsilon {VANISHING:g}" if best == FREE_OF_NOISE else ""
        notes[0] += f" The best without privacy is {best}{epsilon}."
        notes += [HINT] if any(tables[1:]) else []
    return [
        NOTE,
        f"{result['ratings']:,} ratings, {result['users']:,} users, {result['items']:,} items; "
        f"{result['splits']} x {result['training_share']:.0%} to learn from; "
        f"{result['relation']}, delta {result['delta']:g}, {result['mechanism']} noise.",
        *(line for table in tables for line in [""] * bool(table) + table),
        "",
        *notes,
        f"{likes}; recall is over min(20, number liked).",
    ]


def _cell(error: dict, measure: str) -> str | None:
    found = error if measure == "rmse" else error[measure]
    spread = found["standard_deviation"]
    if found[measure] is None:
        return None
    return f"{found[measure]:.3f}" + ("" if spread is None else f" +- {spread:.3f}")

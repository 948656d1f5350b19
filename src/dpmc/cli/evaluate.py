"""``dpmc evaluate``: what error to expect at which budget, on ratings that need no protection."""

import json
from copy import copy

import click

from dpmc.cli.help import Command
from dpmc.cli.options import column_options, fit_option, progress, remark

BIAS = "bias"
TRAINING_SHARE = 0.8
MEASURES = {"rmse": "RMSE", "recall": "recall@20", "ndcg": "NDCG@20"}
POPULARITY = {"popularity of likes": "popularity"}
MEANS = {"user's own mean": "user_mean", "global mean": "global_mean"}
"""What is compared with, without noise."""
NOTE = (
    "Not private: these errors are computed from the ratings themselves, and the noise is "
    "simulated. Use them to plan, on public or made-up ratings."
)


@click.command(
    cls=Command,
    groups={
        "Ratings": ("rating_range", "user", "item", "rating", "timestamp"),
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
@column_options
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
def evaluate(path, epsilons, methods, splits, seed, as_json, user, item, rating, timestamp, **rest):
    """Measure the error of each method and budget on public ratings.

    RATINGS is a table as for dpmc fit. Each split learns from 80 % of it and predicts the rest,
    with the defaults of dpmc fit for whatever is not given. Printed are the means of the RMSE over
    the splits and their standard deviations, and of recall and NDCG of each user's 20 best items:
    all items are candidates but those that the user rated in what was learnt from, and those held
    out that the user likes should stand on top. The method ease ranks only, and has no RMSE.

    The output is not private: it is computed from the ratings without any protection, and the
    noise is simulated. To choose a method or a budget by it, use public or made-up ratings.
    """
    from dpmc.fitting.checks import ranks
    from dpmc.fitting.fit import prepare
    from dpmc.fitting.given import read_given
    from dpmc.fitting.lists import Lists
    from dpmc.publication.features import features_of

    features = features_of(rest.pop("item_features"), item)
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
    columns = {"user": user, "item": item, "rating": rating, "timestamp": timestamp}
    rated = likes_from is not None
    given = read_given(path, columns, rest["rating_range"], Lists(None, None, {}), rated)
    remark(given.remarks)
    errors = _errors(models, given.ratings, features, likes_from, splits, seed)
    result = _summary(next(iter(models.values())), given.ratings, errors, likes_from, splits, seed)
    for line in [json.dumps(result, indent=2)] if as_json else _lines(result, list(epsilons)):
        click.echo(line)


def _errors(
    models: dict, ratings, features, likes_from: float | None, splits: int, seed: int
) -> dict[tuple, list[tuple[float, ...]]]:
    """Return :data:`MEASURES` by split of the models and, without an epsilon, of the references.

    Features of items, or None, are for the methods that take them. Without ``likes_from`` each row
    is a like. Means are no reference for rankings alone.
    """
    import numpy as np

    from dpmc.datasets.splits import random_split
    from dpmc.methods import method_class
    from dpmc.statistics.errors import rmse

    means = {} if all(getattr(model, "ranks", False) for model in models.values()) else MEANS
    references = POPULARITY | means
    models = models | {(name, None): method_class(each)() for name, each in references.items()}
    likes_from = 1.0 if likes_from is None else likes_from  # what each row counts for
    errors = {key: [] for key in models}
    with progress(splits * len(models), "fits") as step:
        for split in range(splits):
            rngs = [np.random.default_rng([seed, split, stream]) for stream in range(3)]
            training, held_out = random_split(ratings, TRAINING_SHARE, rngs[0], "the ratings")
            liked = held_out.take(held_out.values >= likes_from).by_user
            start, noise = (int(rng.integers(2**63)) for rng in rngs[1:])
            for key, model in models.items():
                more = (
                    {"item_features": features} if getattr(model, "takes_features", False) else {}
                )
                error, popular = float("nan"), key[0] in POPULARITY
                learnt = training.take(training.values >= likes_from) if popular else training
                if popular and not len(learnt):
                    errors[key].append(len(MEASURES) * (error,))
                    step()
                    continue
                model.fit(learnt, rng=start, noise_rng=noise, **more)
                if not getattr(model, "ranks", popular):
                    predicted = model.predict(held_out.users, held_out.items)
                    error = rmse(predicted, held_out.values)
                errors[key].append((error, *_on_top(model, training.by_user, liked)))
                step()
    return errors


def _on_top(model, known, liked) -> tuple[float, float]:
    """Return recall and NDCG of the best items by predictions before these are clipped."""
    import numpy as np

    from dpmc.methods.kernels.top_lists import mean_on_top

    model = copy(model)
    if hasattr(model, "rating_range"):
        model.rating_range = (-np.inf, np.inf)
    n_items = model.shape_[1]

    def scored(users):
        pairs = np.repeat(users, n_items), np.tile(np.arange(n_items), users.size)
        return model.predict(*pairs).reshape(users.size, n_items)

    return mean_on_top(scored, n_items, known, liked)


def _summary(
    model, ratings, errors: dict, likes_from: float | None, splits: int, seed: int
) -> dict[str, object]:
    return {
        "private": False,
        "note": NOTE,
        "relation": model.relation,
        "delta": model.delta,
        "mechanism": model.mechanism,
        "ratings": len(ratings),
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


def _lines(result: dict, epsilons: list[float]) -> list[str]:
    tables = [_table(name, result["errors"], epsilons) for name in MEASURES]
    level = result["likes_from"]
    likes = "Each row is a like" if level is None else f"Ratings of {level:g} or more are likes"
    return [
        NOTE,
        f"{result['ratings']:,} ratings, {result['users']:,} users, {result['items']:,} items; "
        f"{result['splits']} x {result['training_share']:.0%} to learn from; "
        f"{result['relation']}, delta {result['delta']:g}, {result['mechanism']} noise.",
        *(line for table in tables for line in [""] * bool(table) + table),
        "",
        "Means and popularity are those of the ratings to learn from, without noise.",
        f"{likes}; recall is over min(20, number liked).",
    ]


def _cell(error: dict, measure: str) -> str | None:
    found = error if measure == "rmse" else error[measure]
    spread = found["standard_deviation"]
    if found[measure] is None:
        return None
    return f"{found[measure]:.3f}" + ("" if spread is None else f" +- {spread:.3f}")

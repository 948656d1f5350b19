"""``dpmc evaluate``: what error to expect at which budget, on ratings that need no protection."""

import json

import click

from dpmc.cli.help import Command
from dpmc.cli.options import column_options, fit_option, progress, remark

BIAS = "bias"
TRAINING_SHARE = 0.8
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
        "Comparison": ("methods", "item_features", "splits", "seed"),
        "Output": ("as_json",),
    },
    examples=(
        "dpmc evaluate public.csv --rating-range 1 5 --relation user --epsilon 1",
        "dpmc evaluate public.csv --rating-range 1 5 --relation entry \\\n"
        "    --method als --method bias --epsilon 1 --epsilon 10",
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
    "and bias]",
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
    the splits and their standard deviations.

    The output is not private: it is computed from the ratings without any protection, and the
    noise is simulated. To choose a method or a budget by it, use public or made-up ratings.
    """
    from dpmc.fitting.fit import prepare
    from dpmc.fitting.given import read_given
    from dpmc.fitting.lists import Lists
    from dpmc.publication.features import features_of

    features = features_of(rest.pop("item_features"), item)
    epsilons = dict.fromkeys(epsilons or (1.0, 5.0, 20.0))
    models = {}
    for method in dict.fromkeys(methods or (None, BIAS)):
        for epsilon in epsilons:
            ready = prepare(rest | {"method": method, "epsilon": epsilon})
            models[ready.method, epsilon] = ready.model
    columns = {"user": user, "item": item, "rating": rating, "timestamp": timestamp}
    given = read_given(path, columns, rest["rating_range"], Lists(None, None, {}))
    remark(given.remarks)
    errors = _errors(models, given.ratings, features, splits, seed)
    result = _summary(next(iter(models.values())), given.ratings, errors, splits, seed)
    for line in [json.dumps(result, indent=2)] if as_json else _lines(result, list(epsilons)):
        click.echo(line)


def _errors(models: dict, ratings, features, splits: int, seed: int) -> dict[tuple, list[float]]:
    """Return the errors by split of the models and, without an epsilon, of the means.

    Features of items, or None, are for the methods that take them.
    """
    import numpy as np

    from dpmc.datasets.splits import random_split
    from dpmc.methods import method_class
    from dpmc.statistics.errors import rmse

    models = models | {(name, None): method_class(each)() for name, each in MEANS.items()}
    errors = {key: [] for key in models}
    with progress(splits * len(models), "fits") as step:
        for split in range(splits):
            rngs = [np.random.default_rng([seed, split, stream]) for stream in range(3)]
            training, held_out = random_split(ratings, TRAINING_SHARE, rngs[0], "the ratings")
            start, noise = (int(rng.integers(2**63)) for rng in rngs[1:])
            for key, model in models.items():
                more = (
                    {"item_features": features} if getattr(model, "takes_features", False) else {}
                )
                model.fit(training, rng=start, noise_rng=noise, **more)
                predicted = model.predict(held_out.users, held_out.items)
                errors[key].append(rmse(predicted, held_out.values))
                step()
    return errors


def _summary(model, ratings, errors: dict, splits: int, seed: int) -> dict[str, object]:
    import numpy as np

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
        "errors": [
            {
                "method": method,
                "epsilon": epsilon,
                "rmse": float(np.mean(found)),
                "standard_deviation": float(np.std(found, ddof=1)) if splits > 1 else None,
                "by_split": found,
            }
            for (method, epsilon), found in errors.items()
        ],
    }


def _lines(result: dict, epsilons: list[float]) -> list[str]:
    cells = {(each["method"], each["epsilon"]): _cell(each) for each in result["errors"]}
    names = list(dict.fromkeys(method for method, _ in cells))
    rows = [["RMSE", *(f"epsilon {epsilon:g}" for epsilon in epsilons)]]
    for name in names:
        rows.append([name, *(cells.get((name, e)) or cells[name, None] for e in epsilons)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        NOTE,
        f"{result['ratings']:,} ratings, {result['users']:,} users, {result['items']:,} items; "
        f"{result['splits']} x {result['training_share']:.0%} to learn from; "
        f"{result['relation']}, delta {result['delta']:g}, {result['mechanism']} noise.",
        "",
        *(
            f"{row[0]:<{widths[0]}}"
            + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
            for row in rows
        ),
        "",
        "The two means are those of the ratings to learn from, without noise.",
    ]


def _cell(error: dict) -> str:
    spread = error["standard_deviation"]
    return f"{error['rmse']:.3f}" + ("" if spread is None else f" +- {spread:.3f}")

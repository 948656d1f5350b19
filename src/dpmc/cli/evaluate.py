"""``dpmc evaluate``: what error to expect at which budget, on ratings that need no protection."""

import json
from dataclasses import replace

import click

from dpmc.cli.help import Command
from dpmc.cli.options import READING, fit_option, progress, reading_in, reading_options, remark

BIAS = "bias"


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
    from dpmc.cli.evaluate_summary import lines_of
    from dpmc.cli.evaluation import errors_of, private_popularity, summary_of
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
    models |= private_popularity(models)
    for model in models.values():
        _ = model.calibration  # found once for all splits
    rated, lists = likes_from is not None, Lists(None, None, {})
    reading = replace(reading, rated=rated)
    prepared = load_ratings(path, reading, rest["rating_range"], lists, by_blocks)
    remark(prepared.look.remarks)
    level = likes_from if rated else 1.0  # what each row counts for
    errors = errors_of(models, prepared.ratings, features, level, splits, seed, progress)
    result = summary_of(
        next(iter(models.values())), prepared.ratings, errors, likes_from, splits, seed
    )
    for line in [json.dumps(result, indent=2)] if as_json else lines_of(result, list(epsilons)):
        click.echo(line)

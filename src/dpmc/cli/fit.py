"""``dpmc fit``: complete a table of ratings within a privacy budget, for publication."""

import json
from pathlib import Path

import click

from dpmc.cli.help import Command
from dpmc.cli.lists import OPTIONS as LISTS
from dpmc.cli.lists import list_options, lists_of
from dpmc.cli.options import (
    column_options,
    delta_option,
    range_option,
    ratings_option,
    read_given,
    remark,
    simulate_option,
)
from dpmc.cli.relation import HELP

PARTS = {"user-factors": "user_factors", "predictions": "predictions"}


@click.command(
    cls=Command,
    groups={
        "Ratings": ("path", "rating_range", "user", "item", "rating", "timestamp"),
        "Privacy": (
            "relation", "epsilon", "delta", "ratings_per_user", "mechanism", "sampler", "simulate",
        ),
        "Lists of items and users": (
            "items", "items_are_public", "items_privately", "users", "users_are_public",
        ),
        "Method": (
            "method", "rank", "iterations", "inner_iterations", "factor_bound", "residual_bound",
            "row_bound", "gram", "regularization", "user_regularization", "loss_parameter",
            "shrinkage",
        ),
        "Output": ("output", "extras", "report_error", "force", "quiet", "as_json"),
    },
    examples=(
        "dpmc fit --ratings mine.csv --items catalogue.txt --output model \\\n"
        "    --relation user --rating-range 1 5 --epsilon 5 --delta 1e-6",
        "dpmc fit --ratings mine.csv --items-are-public --users-are-public \\\n"
        "    --relation entry --rating-range 1 5 --epsilon 2 --output model",
    ),
)  # fmt: skip
@ratings_option
@click.option("--output", required=True, type=click.Path(path_type=Path), help="Folder to write.")
@click.option(
    "--epsilon", required=True, type=float, help="Privacy budget of the whole fit, above 0."
)
@delta_option
@click.option("--relation", required=True, help=HELP)
@range_option
@click.option(
    "--ratings-per-user",
    type=int,
    help="Largest number K of a user's ratings that count, chosen at random, where users are "
    "protected.  [default: all with bayes, else 50]",
)
@list_options
@click.option(
    "--items-privately",
    type=float,
    metavar="SHARE",
    help="Choose the items that enough users rated, for this share of the budget.",
)
@column_options
@click.option(
    "--mechanism",
    help="Noise: gaussian, laplace or huber.  [default: what dpmc recommend says: gaussian where "
    "users are protected, else gaussian or laplace]",
)
@click.option(
    "--method",
    type=click.Choice(["bayes", "als", "irls", "dpals", "bias"]),
    help="bayes and dpals protect users only, see above; bias learns offsets of items and users "
    "and no factors.  [default: bayes where users are protected, else als]",
)
@click.option(
    "--rank", type=int, help="Number of factors.  [default: 3 where users are protected, else 1]"
)
@click.option(
    "--iterations",
    type=int,
    help="Outer iterations.  [default: 2 where users are protected, else 1; 3 with dpals]",
)
@click.option("--inner-iterations", type=int, help="Inner iterations of irls.  [default: 2]")
@click.option("--factor-bound", type=float, help="Largest norm of a row of factors.")
@click.option(
    "--residual-bound",
    type=float,
    help="Largest size of a rating less its offsets; others are clipped.  [default: B/2, with "
    "dpals B]",
)
@click.option(
    "--row-bound",
    type=float,
    help="Largest norm of a user's K ratings with dpals; longer ones are shortened.  [default: "
    "0.3 B sqrt(K)]",
)
@click.option(
    "--gram",
    type=click.Choice(["free", "noised"]),
    help="Whether dpals spends nothing on Gram matrices, or half of its budget.  [default: free]",
)
@click.option(
    "--regularization",
    type=float,
    help="Regularization of items; with dpals only beside --gram noised.  [default: 8 S]",
)
@click.option(
    "--user-regularization",
    type=float,
    help="Regularization of users.  [default: 0.1 B where users are protected, else S; 10 with "
    "dpals]",
)
@click.option(
    "--loss-parameter",
    type=float,
    help="Residual beyond which irls clips.  [default: 0.4 B]",
)
@click.option(
    "--shrinkage",
    type=float,
    help="Ratings at the mean that bias credits each item and user with.  [default: 5]",
)
@click.option(
    "--report-error",
    type=float,
    metavar="SHARE",
    help="With bayes: hold out this share of each user's ratings and tell the noised error of the "
    "model and of biases on them, here and in guarantee.json, for 5 % of the budget.",
)
@click.option(
    "--write",
    "extras",
    multiple=True,
    type=click.Choice([*PARTS]),
    help="Also write this, if the guarantee covers it; may be given twice.",
)
@click.option(
    "--sampler",
    type=click.Choice(["dpmc", "opendp"]),
    default="dpmc",
    show_default=True,
    help="Library that draws the noise; opendp has no Huber noise.",
)
@simulate_option
@click.option("--force", is_flag=True, help="Replace the output of an earlier fit.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def fit(
    path, output, extras, sampler, simulate, force, quiet, as_json, user, item, rating, timestamp,
    **options,
):  # fmt: skip
    """Learn a model that may be published from private ratings.

    The model (item factors and guarantee.json) lets all users predict their own ratings with dpmc
    complete. The noise is exact and comes from the operating system's random bits.

    The list of items must not be taken from the ratings: give a file (--items), declare it public
    (--items-are-public), or pay for a private choice (--items-privately). Where single ratings are
    protected, the same goes for the users. If a user rates an item more than once, the latest
    rating counts (--timestamp), or else their mean.

    The method bayes protects users and takes no settings: it finds offsets, the number of factors
    and the factors from five noised statistics. The last one compares what was learnt with biases
    and with users' own means; where one of these predicts better it is published instead, and the
    last lines and guarantee.json say so.

    The method dpals (Chien et al., Private alternating least squares, 2021) protects users. It
    learns no offsets of items; users subtract the mean of their own ratings, and the whole budget
    goes into the items' factors.

    No setting may be taken from the ratings, or the guarantee is void. The defaults are not: B is
    half the rating range, S the standard deviation of the noise on a Gram matrix. Each fit of the
    same ratings spends its budget anew.
    """
    from dpmc.cli.fit_run import ledger_of, remarks_on
    from dpmc.cli.fit_settings import check_rank, make_model, method_of, selection_of, settings_of
    from dpmc.cli.fit_summary import next_command, summary_of, text_of
    from dpmc.errors import InputError
    from dpmc.methods.published import fit_folder
    from dpmc.privacy.relations import USER_LEVEL
    from dpmc.publication.folder import check_output

    if quiet and as_json:
        raise InputError("Give one of --quiet and --json alone.")
    share = options["items_privately"]
    lists_given = {name: options.pop(name) for name in LISTS}
    options["method"] = method_of(options)
    settings = settings_of(options | {"items_privately": share})
    check_output(output, force, fit_folder.FILES.values(), "fit")
    selection = selection_of(settings, share)
    model = make_model(options["method"], settings, selection)
    parts = ("item_factors", *dict.fromkeys(PARTS[name] for name in extras))
    _check_parts(model, parts)
    columns = {"user": user, "item": item, "rating": rating, "timestamp": timestamp}
    lists = lists_of(path, lists_given, columns, users=model.relation not in USER_LEVEL)
    ledger = ledger_of(model, selection, sampler, simulate)
    given = read_given(path, columns, settings["rating_range"], lists)
    public = {"items": selection is None, "users": model.relation not in USER_LEVEL}
    odd = check_rank(options["rank"], given.ratings, **public)
    if not quiet:
        remark(given.remarks + odd + remarks_on(given.ratings, model))
    _run(model, given.ratings, ledger, selection, simulate, quiet=quiet)
    names = fit_folder.write(output, model, parts, {}, origins=lists.origins, sampler=sampler)
    if not quiet:
        follows = next_command(output, path, columns)
        summary = summary_of(model, options["method"], output, names, follows)
        click.echo(json.dumps(summary, indent=2) if as_json else text_of(summary))


def _check_parts(model, parts) -> None:
    """Refuse what the guarantee will not cover before the budget is spent."""
    from dpmc.errors import InputError
    from dpmc.privacy.guarantee import PARTS as KNOWN
    from dpmc.privacy.guarantee import covered

    for part in parts:
        if part not in covered(model.relation):
            option = part.replace("_", "-")
            raise InputError(
                f"--write {option} is refused: the guarantee ({model.relation}) covers "
                f"{KNOWN['item_factors']} only; all users can see their own with dpmc complete."
            )


def _run(model, ratings, ledger, selection, seed: int | None, quiet: bool) -> None:
    """Fit with a progress bar, if there is a terminal to see it."""
    from tqdm import tqdm

    from dpmc.cli.fit_run import run

    total = getattr(model, "iterations", 1)  # biases have none
    hidden = quiet or None  # None: where there is no terminal
    with tqdm(total=total, desc="iterations", disable=hidden, leave=False) as bar:
        run(model, ratings, ledger, selection, seed, callback=lambda *_: bar.update())

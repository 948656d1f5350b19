"""``dpmc fit``: complete a table of ratings within a privacy budget, for publication."""

import json
from pathlib import Path

import click

from dpmc.cli.lists import OPTIONS as LISTS
from dpmc.cli.lists import list_options, lists_of
from dpmc.cli.options import (
    column_options,
    ratings_option,
    read_given,
    remark,
    simulate_option,
)
from dpmc.cli.relation import HELP

PARTS = {"user-factors": "user_factors", "predictions": "predictions"}


@click.command()
@ratings_option
@click.option("--output", required=True, type=click.Path(path_type=Path), help="Folder to make.")
@click.option("--epsilon", required=True, type=float, help="Budget of the whole fit, above 0.")
@click.option("--delta", type=float, default=1e-5, show_default=True)
@click.option("--relation", required=True, help=HELP)
@click.option(
    "--rating-range",
    nargs=2,
    type=float,
    help="Lowest and highest possible rating, known without the data; others are clipped.",
)
@click.option(
    "--ratings-per-user",
    type=int,
    help="Ratings of a user that count, chosen at random; if users are protected.  [default: all "
    "of bayes, else 50]",
)
@list_options
@click.option(
    "--items-privately",
    type=float,
    metavar="SHARE",
    help="Choose the items within the budget, of which it takes this share: those that enough "
    "users rated.",
)
@column_options
@click.option(
    "--mechanism",
    help="gaussian, laplace or huber.  [default: what dpmc recommend says, which is gaussian if "
    "users are protected, else gaussian or laplace]",
)
@click.option(
    "--method",
    type=click.Choice(["bayes", "als", "irls", "dpals", "bias"]),
    help="bayes and dpals are for users only, see above; bias has offsets of items and users, no "
    "factors.  [default: bayes if users are protected, else als]",
)
@click.option("--rank", type=int, help="[default: 3 if users are protected, else 1]")
@click.option(
    "--iterations",
    type=int,
    help="[default: 2 if users are protected, else 1; of dpals 3]",
)
@click.option("--inner-iterations", type=int, help="Of irls.  [default: 2]")
@click.option("--factor-bound", type=float, help="Largest norm of a row of factors.")
@click.option(
    "--residual-bound",
    type=float,
    help="To which ratings less offsets are clipped.  [default: B/2, of dpals B]",
)
@click.option(
    "--row-bound",
    type=float,
    help="Of dpals: to which norm a user's K ratings are shortened.  [default: 0.3 B sqrt(K)]",
)
@click.option(
    "--gram",
    type=click.Choice(["free", "noised"]),
    help="Of dpals: noised solves items with Gram matrices, for half of the budget.  "
    "[default: free]",
)
@click.option(
    "--regularization",
    type=float,
    help="Of items, but for dpals without Gram matrices.  [default: 8 S]",
)
@click.option(
    "--user-regularization",
    type=float,
    help="Of users.  [default: 0.1 B if users are protected, of dpals 10, else S]",
)
@click.option("--loss-parameter", type=float, help="Clips residuals of irls.  [default: 0.4 B]")
@click.option(
    "--shrinkage",
    type=float,
    help="Of bias: how many ratings at the mean each item and user is credited with.  [default: 5]",
)
@click.option(
    "--report-error",
    type=float,
    metavar="SHARE",
    help="Of bayes: hold this share of each user's ratings out, and tell the error of the model "
    "and of biases on them, with noise, for 5 % of the budget.",
)
@click.option(
    "--write",
    "extras",
    multiple=True,
    type=click.Choice([*PARTS]),
    help="Write this too, if the guarantee covers it; may be given twice.",
)
@click.option(
    "--sampler",
    type=click.Choice(["dpmc", "opendp"]),
    default="dpmc",
    show_default=True,
    help="What draws the noise; opendp has no Huber noise.",
)
@simulate_option
@click.option("--force", is_flag=True, help="Replace the output of an earlier fit.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def fit(
    path, output, extras, sampler, simulate, force, quiet, as_json, user, item, rating, timestamp,
    **options,
):  # fmt: skip
    """Complete a table of (user, item, rating) and write what may be published.

    Written are guarantee.json and the item factors, with which all users can complete their own
    ratings (dpmc complete). The noise is exact and drawn from the operating system's random bits.

    Which items there are must not be learnt from the ratings: give a list (--items), say that
    everybody knows them (--items-are-public), or pay for a private choice (--items-privately).
    Where single ratings are protected, the same goes for the users. If a user rates an item more
    than once, the latest rating counts (--timestamp), or else their mean.

    The method bayes protects users and has nothing to choose: it finds offsets, the number of
    factors and the factors from four noised statistics, an item of which little is known falls
    back to what items are like, and users complete their ratings by Bayes' rule.

    The method dpals (Chien et al., Private alternating least squares, 2021) protects users. It
    learns no offsets of items: users take the mean of their own ratings off, and all of the budget
    goes into sums of users' factors times their ratings, an equal share for each iteration. A
    user's ratings, as one vector of up to K numbers, are shortened to the row bound, so that less
    noise will do.

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
    lists = lists_of(lists_given, columns, users=model.relation not in USER_LEVEL)
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

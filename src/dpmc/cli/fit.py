"""``dpmc fit``: complete a table of ratings within a privacy budget, for publication."""

import json
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import click

from dpmc.cli.help import Command
from dpmc.cli.options import (
    OF_TABLES,
    fit_options,
    list_options,
    progress,
    progress_of,
    ratings_option,
    reading_in,
    reading_options,
    remark,
    stopping,
)
from dpmc.errors import InputError

PARTS = {"user-factors": "user_factors"}
GROUPS = {
    "Ratings": (*OF_TABLES, "rating_range"),
    "Privacy": (
        "relation", "epsilon", "delta", "ledger", "budget", "ratings_per_user", "mechanism",
        "simulate", "stop_if_remarks",
    ),
    "Lists of items and users": (
        "items", "items_are_public", "items_privately", "users", "users_are_public",
    ),
    "Method": (
        "purpose", "likes_from", "method", "rank", "iterations", "factor_bound",
        "residual_bound", "regularization", "user_regularization", "shrinkage", "item_features",
    ),
    "Cluster": ("dask",),
    "Output": ("output", "extras", "report_error", "force", "quiet", "as_json"),
}  # fmt: skip


def fit_command_options(output_required: bool = True):
    """Return a decorator that adds all options of ``dpmc fit``."""
    options = [
        click.option(
            "--output",
            required=output_required,
            type=click.Path(path_type=Path),
            help="Folder to write.",
        ),
        click.option(
            "--write",
            "extras",
            type=click.Choice([*PARTS]),
            help="Also write this, if the guarantee covers it.",
        ),
        click.option(
            "--dask",
            metavar="ADDRESS",
            help="Scheduler of a cluster of Dask, such as tcp://host:8786, whose workers read the "
            "store: for the methods bayes and ease and, where users are protected, bias.",
        ),
        click.option("--force", is_flag=True, help="Replace the output of an earlier fit."),
        click.option("--quiet", is_flag=True, help="Print remarks and errors only."),
        click.option(
            "--json", "as_json", is_flag=True, help="Print one JSON object instead of text."
        ),
    ]

    def add(command):
        for option in reversed(options):
            command = option(command)
        return ratings_option(reading_options(list_options(fit_options(command))))

    return add


@click.command(
    cls=Command,
    groups=GROUPS,
    examples=(
        "dpmc fit --ratings mine.csv --items catalogue.txt --output model \\\n"
        "    --relation user --rating-range 1 5 --epsilon 5 --delta 1e-6",
        "dpmc fit --ratings mine.csv --items catalogue.txt --output ranking \\\n"
        "    --for ranking --likes-from 4 --relation user --epsilon 5 --delta 1e-6",
        "dpmc fit --ratings mine.csv --items catalogue.txt --output model \\\n"
        "    --relation user --rating-range 1 5 --epsilon 5 --delta 1e-6 \\\n"
        "    --ledger mine.ledger --budget 10,1e-6",
        "dpmc fit --ratings mine.csv --items-are-public --users-are-public \\\n"
        "    --relation entry --rating-range 1 5 --epsilon 2 --output model",
    ),
)  # fmt: skip
@fit_command_options()
def fit(path, output, extras, dask, force, quiet, as_json, **options):
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
    last lines and guarantee.json say so. What is publicly known of items (--item-features) helps it
    with those that are hardly rated.

    For recommendations say --for ranking: the method ease learns from what users like
    (--likes-from, or a table without ratings) and ranks far better than predicted ratings do. It
    falls back to popularity where noised numbers do not show that its lists are better.

    No setting may be taken from the ratings, or the guarantee is void. The defaults are not: B is
    half the rating range, S the standard deviation of the noise on a Gram matrix. Each fit of the
    same ratings spends its budget again: --ledger keeps account of it, and dpmc ledger shows it.
    """
    from dpmc.cli.fit_summary import next_commands, summary_of, text_of
    from dpmc.methods.released import fit_folder
    from dpmc.publication.folder import GUARANTEE, check_output

    if quiet and as_json:
        raise InputError("Give one of --quiet and --json alone.")
    check_output(output, force, fit_folder.FILES.values(), "fit", options["ledger"])
    asked = dict(options)
    with _reading(path, extras, dask, quiet, options) as (ready, lists, features, prepared):
        look = ready.look(prepared, features)
        remark(look.remarks)
        ready.stop_if_asked(look)
        ledger = ready.ledger()
        with progress(ready.statistics, "statistics", hidden=quiet) as ledger.report:
            ready.run(prepared.ratings, ledger, features)
        parts = _parts(extras)
        whence = {"origins": lists.origins, "integers": lists.integers}
        names = fit_folder.write(output, ready.model, parts, {}, **whence)
        if ready.book is not None and ready.seed is None:
            ready.book.name(output / GUARANTEE)
    if not quiet:
        follow = next_commands(output, path, asked)
        guarantee = fit_folder.with_origins(ready.model.guarantee_, lists.origins)
        # the number of users is in no file but where it is public
        against = ready.objections(prepared.ratings.n_users if ready.names_users else None)
        summary = summary_of(ready.model, guarantee, ready.method, output, names, follow, against)
        summary["ledger"] = None if ready.book is None else ready.book.sentence()
        click.echo(json.dumps(summary, indent=2) if as_json else text_of(summary))


def looked(path, extras, dask, quiet, options):
    """Return what there is to see of ratings before a fit, and the fit that would see them."""
    with _reading(path, extras, dask, quiet, options) as (ready, lists, features, prepared):
        return ready, lists, ready.look(prepared, features)


@contextmanager
def _reading(path, extras, dask, quiet, options):
    """Yield a fit, its lists, its features of items and its ratings, all looked at but unspent."""
    from dpmc.fitting.fit import prepare
    from dpmc.fitting.lists import lists_of
    from dpmc.fitting.ratings import load_ratings
    from dpmc.methods.cluster import connected
    from dpmc.publication.features import features_of
    from dpmc.publication.store import is_store

    reading = reading_in(options)
    ready = prepare(options)
    reading = replace(reading, rated=ready.rated)
    _check_parts(ready.model, _parts(extras))
    lists = lists_of(path, options, reading, names_users=ready.names_users)
    ready.ledger()  # what it refuses is refused before the ratings are read
    features = features_of(options["item_features"], reading.item)
    blocks = ready.model.by_blocks
    cluster = nullcontext() if dask is None else connected(dask)
    with stopping(ready.book, dask is not None), ready.noting(), cluster as client:
        unseen = quiet or not blocks or client is not None or not is_store(path)
        with progress_of("blocks checked", hidden=unseen) as report:
            prepared = load_ratings(
                path, reading, ready.rating_range, lists, blocks, client, report
            )
        yield ready, lists, features, prepared


def will_be_public(ready, lists, extras) -> dict[str, str]:
    """Return what a fit would publish, in words."""
    from dpmc.privacy.guarantee import PARTS as KNOWN

    items = "those chosen privately" if ready.selection is not None else "all in the table"
    if lists.items is not None:
        items = f"all {len(lists.items):,} in the list"
    found = {"will be public": "; ".join(KNOWN[part] for part in _parts(extras))}
    found["items that will be named"] = items
    if ready.names_users:
        users = "all in the table" if lists.users is None else f"all {len(lists.users):,} listed"
        found["users that will be named"] = users
    model = ready.model
    found["guarantee"] = f"{model.relation}, epsilon {model.epsilon:g}, delta {model.delta:g}"
    return found


def _parts(extras) -> tuple[str, ...]:
    return ("item_factors",) if extras is None else ("item_factors", PARTS[extras])


def _check_parts(model, parts) -> None:
    """Refuse what the guarantee will not cover before the budget is spent."""
    from dpmc.privacy.guarantee import PARTS as KNOWN
    from dpmc.privacy.guarantee import covered

    for part in parts:
        if part not in covered(model.relation):
            option = part.replace("_", "-")
            raise InputError(
                f"--write {option} is refused: the guarantee ({model.relation}) covers "
                f"{KNOWN['item_factors']} only; all users can see their own with dpmc complete."
            )

"""``dpmc onebit``: complete likes and dislikes within a privacy budget, for publication."""

from pathlib import Path

import click

from dpmc.cli.help import Command
from dpmc.cli.options import (
    column_options,
    fit_option,
    list_options,
    ratings_option,
    remark,
    stopping,
)


@click.command(
    cls=Command,
    groups={
        "Ratings": ("path", "threshold", "user", "item", "rating", "timestamp"),
        "Privacy": ("epsilon", "delta", "ledger", "budget", "mechanism", "simulate"),
        "Lists of items and users": (
            "items", "items_are_public", "users", "users_are_public",
        ),
        "Method": ("link", "constraint", "alpha", "rank"),
        "Output": ("output", "force"),
    },
    examples=(
        "dpmc onebit --ratings mine.csv --items-are-public --users-are-public \\\n"
        "    --output likes --epsilon 2 --threshold 3.5",
    ),
)  # fmt: skip
@ratings_option
@click.option("--output", required=True, type=click.Path(path_type=Path), help="Folder to write.")
@click.option("--epsilon", required=True, type=float, help="Privacy budget of one rating, above 0.")
@click.option("--delta", type=float, help="Delta of grap_gaussian.  [default: 1e-05]")
@click.option(
    "--mechanism",
    default="inp",
    help="inp, objp, grap, grap_gaussian, outp or private_item_bias; with --simulate also those "
    "as published: objp_paper, objp_literal, grap_paper, outp_paper.",
)
@click.option(
    "--link",
    default="logistic",
    help="Link between the matrix and the probability of a like: logistic or gaussian.",
)
@click.option(
    "--threshold",
    help="A rating above this number is a like, any other a dislike.  [default: 0, which suits "
    "ratings -1/+1 and 0/1]",
)
@click.option("--alpha", type=float, default=1.0, help="Bound on the entries of the matrix.")
@click.option("--rank", type=int, default=1, help="Rank of the matrix that is written.")
@click.option(
    "--constraint",
    type=click.Choice(["both", "nuclear"]),
    default="both",
    help="Bound the nuclear norm by alpha sqrt(users items rank) and every entry by alpha, or the "
    "norm alone.",
)
@list_options
@column_options
@fit_option("ledger")
@fit_option("budget")
@fit_option("simulate")
@click.option("--force", is_flag=True, help="Replace the output of an earlier run.")
def onebit(path, output, force, ledger, budget, simulate, user, item, rating, timestamp, **options):
    """Complete likes and dislikes within a privacy budget.

    The output is guarantee.json, the likelier sign and the probability of a like for every user
    and item (as CSV; as Parquet if there are more than a million pairs), and the factors of the
    completed matrix, truncated to the rank.

    What is protected is the value of one rating. Who rated what is public, and so are the lists of
    items and users, which you give (--items, --users) or declare public. All ratings of one user
    together cost more, as guarantee.json says. If a user rates an item more than once, the latest
    rating counts (--timestamp), or else their mean.

    No setting may be taken from the ratings, or the guarantee is void; that includes the
    threshold. If all ratings lie on one side of it you get a remark and no refusal, because a
    refusal would tell one rating from another. Each run on the same ratings spends its budget
    again.
    """
    from dpmc.errors import InputError
    from dpmc.fitting import onebit as completing
    from dpmc.fitting.lists import lists_of_file
    from dpmc.fitting.ratings import load_ratings
    from dpmc.methods.onebit.signs import binarise
    from dpmc.methods.released import onebit_folder
    from dpmc.publication.folder import FROM_FILE, GUARANTEE, check_output

    settings = completing.settings_of(options, simulated=simulate is not None)
    check_output(output, force, onebit_folder.FILES, "onebit", ledger)
    book = completing.book_of(settings, ledger, budget)
    if book is not None:
        book.check(simulated=simulate is not None)
    columns = {"user": user, "item": item, "rating": rating, "timestamp": timestamp}
    lists = lists_of_file(path, options, columns, names_users=True)
    with stopping(book):
        prepared = load_ratings(path, columns, None, lists)
        if not len(prepared.ratings) and any(
            origin == FROM_FILE for origin in lists.origins.values()
        ):
            # who rated what is public, so this tells nothing
            sentence = "Not one rating is of what is listed: is it the list of these ratings?"
            raise InputError(sentence)
        signs = binarise(prepared.ratings, settings["threshold"])
        problem = completing.problem_of(signs, settings)
        if book is not None and simulate is None:
            book.enter()
        completion = completing.completed(problem, settings, simulate)
        remark(
            prepared.remarks
            + completing.remarks_on(prepared.ratings, signs, settings)
            + completing.remarks_on_completion(completion, signs, settings)
        )
        names = onebit_folder.write(output, completion, problem, settings, origins=lists.origins)
        if book is not None and simulate is None:
            book.name(output / GUARANTEE)
    click.echo(completion.guarantee.sentence())
    public = [f"- {each}" for each in onebit_folder.ASSUMED_PUBLIC.values()]
    click.echo("\n".join(["Taken to be public:", *public]))
    click.echo("\n".join(f"wrote {output / name}" for name in names))
    if book is not None:
        click.echo(book.sentence())

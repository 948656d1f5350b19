"""``dpmc store``: many private ratings on disk, in blocks of whole users."""

from functools import partial
from pathlib import Path

import click

from dpmc.cli.help import Group
from dpmc.cli.options import READING, progress_of, reading_in, reading_options


@click.group(
    cls=Group,
    examples=("dpmc store build ratings.parquet --output store", "dpmc store verify store"),
)
def store():
    """Build a store on disk of many private ratings, and check it.

    A store stands for a table wherever one is read: fit, complete and evaluate take the folder in
    its place. It is as private as the table.
    """


@store.command(
    groups={
        "Ratings": (*READING, "likes"),
        "Output": ("output", "force", "quiet"),
    },
    examples=(
        "dpmc store build ratings.parquet --output store",
        "dpmc store build parts --timestamp time --output store",
        "dpmc store build clicks.csv --likes --output store",
    ),
)
@click.argument("path", metavar="RATINGS", type=click.Path(path_type=Path))
@reading_options
@click.option("--likes", is_flag=True, help="The table has no ratings: each row is a like.")
@click.option("--output", required=True, type=click.Path(path_type=Path), help="Folder to write.")
@click.option("--force", is_flag=True, help="Replace an earlier store.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def build(path, output, likes, force, quiet, **options):
    """Build a store of a table of any size, with bounded memory.

    RATINGS is a table as for dpmc fit.

    What it writes before the store is whole is in a hidden folder beside the output, which a build
    that is killed leaves and the next one removes. There must be room for 32 bytes a rating (48
    with --timestamp), of which the store keeps 8 or 12.

    If a user rates an item more than once, the latest rating counts (--timestamp), or else, at a
    fit, their mean.
    """
    from dpmc.publication.store_building import build as build_store

    shown, reading = partial(progress_of, hidden=quiet), reading_in(options, rated=not likes)
    built = build_store(path, output, reading, force=force, progress=shown)
    if not quiet:
        click.echo(
            f"{output}: {built.n_ratings:,} ratings, {built.n_users:,} users, "
            f"{built.n_items:,} items, {built.n_blocks} blocks. It is private, as the table is."
        )


@store.command(groups={"Output": ("quiet",)}, examples=("dpmc store verify store",))
@click.argument("path", metavar="STORE", type=click.Path(path_type=Path))
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def verify(path, quiet):
    """Read all of a store, and say whether it is as it was built.

    Every command checks what it reads of a store; this checks everything: sizes and digests of all
    files, that rows are in order, that no user is in two blocks, that the numbers of the store are
    those of its blocks, and that the folder has no other files, no links, and nothing that others
    on this machine may read.
    """
    from dpmc.publication.store import Store

    found = Store.open(path)
    with progress_of("blocks checked", hidden=quiet) as report:
        found.verify(report)
    if not quiet:
        click.echo(f"{path}: {found.n_blocks} blocks are as they were built.")

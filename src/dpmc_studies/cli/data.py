"""``dpmc data``: what data sets there are, where they are, and whether they are whole."""

from collections.abc import Callable
from typing import NamedTuple

import click

from dpmc.cli.help import Group
from dpmc_studies.cli.options import config_option

_OPTIONS = (
    click.option("--directory", help="Folder of the downloads.  [default: data]"),
    click.option(
        "--mirror",
        help="Folder with copies of the files.  [default: the variable DPMC_DATA_MIRROR]",
    ),
    config_option("Configurations whose section data names the folders and files of your own."),
)
PLACE = ("directory", "mirror", "config")
"""Names of these options."""


class _Place(NamedTuple):
    """Where to look: the folders and the user's own data sets."""

    directory: str
    mirror: str | None
    own: dict


def place_options(command: Callable) -> Callable:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group(
    cls=Group,
    examples=("dpmc data list", "dpmc data fetch ml-100k", "dpmc data verify"),
)
def data():
    """List, fetch and verify data sets.

    A file is taken from the data folder, or else from a mirror folder, or else from its official
    address, and is used only if its checksum is right.
    """


@data.command("list", groups={"Files": PLACE}, examples=("dpmc data list --config mine.yaml",))
@place_options
def list_(**options):
    """Print each data set with its size, licence and whether it is here."""
    from dpmc_studies.datasets.download import locate

    place = place_of(**options)
    rows = [("name", "title", "MB", "status", "licence")]
    for dataset in _chosen((), place):
        path = locate(dataset, place.directory, place.mirror)
        local = path == dataset.location(place.directory)
        status = "not here" if path is None else "local" if local else "mirror"
        status = "not public" if dataset.withdrawn else status
        size = "" if dataset.size is None else f"{dataset.size / 1e6:.2f}"
        rows.append((dataset.name, dataset.title, size, status, dataset.licence))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, title, size, status, licence in rows:
        click.echo(
            f"{name:<{widths[0]}}  {title:<{widths[1]}}  {size:>{widths[2]}}  "
            f"{status:<{widths[3]}}  {licence}"
        )


@data.command(
    groups={"Data sets": ("everything",), "Files": PLACE},
    examples=("dpmc data fetch ml-100k sweetrs", "dpmc data fetch --all --mirror /mnt/copies"),
)
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Fetch every data set.")
@place_options
def fetch(names, everything, **options):
    """Download data sets, or copy them from a mirror.

    NAMES are those that `dpmc data list` prints.
    """
    from dpmc_studies.datasets.download import obtain

    def action(dataset):
        path = obtain(dataset, place.directory, mirror=place.mirror)
        terms = "" if dataset.is_own else f" (licence: {dataset.licence}; cite: {dataset.citation})"
        return f"{path}{terms}"

    if bool(names) == everything:
        raise click.UsageError("Name the data sets to fetch, or give --all, but not both.")
    place = place_of(**options)
    _each(_chosen(names, place), action)


@data.command(
    groups={"Files": PLACE}, examples=("dpmc data verify", "dpmc data verify ml-100k jester")
)
@click.argument("names", nargs=-1)
@place_options
def verify(names, **options):
    """Check the checksums of data sets, and read them.

    Without NAMES, all data sets that are here are checked.
    """
    from dpmc import datasets
    from dpmc_studies.datasets import download

    def action(dataset):
        path = download.locate(dataset, place.directory, place.mirror)
        path = path or dataset.location(place.directory)
        download.verify(dataset, path)
        ratings = datasets.read(dataset, path)
        return (
            f"{path}: {len(ratings):,} ratings, {ratings.n_users:,} users, "
            f"{ratings.n_items:,} items, {ratings.density:.2%} observed"
        )

    place = place_of(**options)
    chosen = _chosen(names, place)
    if not names:
        chosen = [each for each in chosen if download.available(each, *place[:2])]
        if not chosen:
            click.echo(f"Nothing to verify in {place.directory} or a mirror; see dpmc data fetch.")
    _each(chosen, action)


def place_of(directory: str | None, mirror: str | None, config: list[str]) -> _Place:
    section = _data_section(config) if config else {}
    directory = directory or section.get("directory") or "data"
    return _Place(directory, mirror or section.get("mirror"), section.get("sets") or {})


def _data_section(files: list[str]) -> dict:
    from dpmc.errors import InputError
    from dpmc_studies.configuration import overlaid

    section = overlaid(files).get("data") or {}
    named = " ".join(files)
    if not isinstance(section, dict) or not isinstance(section.get("sets") or {}, dict):
        raise InputError(f"{named}: data and data.sets must hold keys, not a list or text.")
    for key in ("directory", "mirror"):
        if not isinstance(section.get(key) or "", str):
            raise InputError(f"{named}: data.{key} must be the path of a folder.")
    return section


def _chosen(names: tuple[str, ...], place: _Place) -> list:
    """Return the named data sets, all if no name is given."""
    from dpmc.datasets import REGISTRY, resolve

    return [resolve(name, place.own) for name in names or [*REGISTRY, *place.own]]


def _each(chosen: list, action: Callable) -> None:
    """Run an action on each data set and print its outcome; fail at the end if any failed.

    Withdrawn data are no failure: the reason is printed.
    """
    from dpmc.errors import InputError

    failed = []
    for dataset in chosen:
        try:
            click.echo(f"{dataset.name}: {dataset.withdrawn or action(dataset)}")
        except InputError as error:
            if len(chosen) == 1:
                raise
            click.echo(f"{dataset.name}: FAILED. {error}")
            failed.append(dataset.name)
    if failed:
        raise InputError(f"{len(failed)} of {len(chosen)} data sets failed: {', '.join(failed)}.")

"""``dpmc reference``: change what ``snakemake check`` compares with, deliberately."""

import click


@click.group()
def reference():
    """The committed numbers that `snakemake check` compares with."""


@reference.command()
@click.option(
    "--results",
    type=click.Path(),
    default="results",
    show_default=True,
    help="Folder of a finished run.",
)
@click.option(
    "--reference",
    "folder",
    type=click.Path(),
    default="results/reference",
    show_default=True,
    help="Folder to write to.",
)
@click.option(
    "--profile",
    default=None,
    help="Update only what is expected of this profile (ci, quick), from its own run.",
)
def update(results, folder, profile):
    """Make a finished run the new reference.

    Without --profile the run must be the full one; of every study its first trials, settings, other
    numbers, statuses and verdicts are written. Look at the difference with `git diff` before you
    commit it.
    """
    from pathlib import Path

    from dpmc.errors import InputError
    from dpmc.studies import load
    from dpmc.study.check import read_results
    from dpmc.study.reference import update as write

    results, folder = Path(results), Path(folder)
    made = [
        study for study in load().values() if study.regression and (results / study.name).exists()
    ]
    if not made:
        raise InputError(f"{results} holds the results of no study.")
    for study in made:
        own = (study.folder or folder) / ("reference" if study.folder else study.name)
        for path in write(read_results(study, results / study.name), own, profile):
            click.echo(f"wrote {path} ({path.stat().st_size:,} bytes)")

"""``dpmc reference``: change what ``snakemake check`` compares with, deliberately."""

import click

from dpmc.cli.options import run_of


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

    Without --profile the run must be the full one; its trials, settings, statuses and verdicts
    are written, of its privacy, one-bit and DPALS parts the first trials and their settings, the
    totals of the first and the verdicts of the others. Look at the difference with `git diff`
    before you commit it.
    """
    from dpmc.check_dpals import DPALS
    from dpmc.check_onebit import ONEBIT
    from dpmc.check_parts import read_part
    from dpmc.check_privacy import read_privacy_run
    from dpmc.reference import update as write

    run = run_of(results)
    privacy = read_privacy_run(run.folder.parent / "privacy") if profile is None else None
    parts = [read_part(part, run.folder.parent / part.name) for part in (ONEBIT, DPALS)]
    for path in write(run, folder, profile, privacy, parts):
        click.echo(f"wrote {path} ({path.stat().st_size:,} bytes)")

"""``dpmc reference``: change what ``snakemake check`` compares with, deliberately."""

from functools import reduce

import click

from dpmc.cli.help import Group
from dpmc_studies.cli.options import config_option


@click.group(cls=Group, examples=("dpmc reference update --study huber",))
def reference():
    """Manage the reference results that a run is checked against.

    The check itself is `make reproduce TARGET=check`.
    """


@reference.command(
    groups={
        "Results": ("results", "names", "profile", "config"),
        "Output": ("folder",),
    },
    examples=(
        "dpmc reference update --study huber",
        "dpmc reference update --profile quick --results results/quick",
    ),
)
@click.option("--results", type=click.Path(), default="results", help="Folder of a finished run.")
@click.option(
    "--reference",
    "folder",
    type=click.Path(),
    default="results/reference",
    help="Folder to write to; a study of your own has a folder of its own.",
)
@click.option(
    "--profile",
    default=None,
    help="Update only what is expected of this profile (ci, quick, large), from a run of its own.",
)
@click.option(
    "--study",
    "names",
    multiple=True,
    help="Update only this study; may be given more than once.  [default: all with results]",
)
@config_option("Configurations that name studies of your own, as for make reproduce.")
def update(results, folder, profile, names, config):
    """Make the results of a finished run the new reference.

    Without --profile the run must be the full one; the first trials of each study, its settings,
    other numbers, statuses and verdicts are written. Look at the difference with `git diff` before
    you commit it.
    """
    from pathlib import Path

    from dpmc_studies.frame.checking.check import read_for_check
    from dpmc_studies.frame.checking.reference import refuse_unfit
    from dpmc_studies.frame.checking.reference import update as write

    results, folder = Path(results), Path(folder)
    chosen = _chosen(names, config, results)
    runs = [read_for_check(study, results / study.name) for study in chosen]
    for run in runs:  # all before the first is written
        refuse_unfit(run, profile)
    for study, run in zip(chosen, runs, strict=True):
        own = study.folder / "reference" if study.folder else folder / study.name
        for path in write(run, own, profile):
            click.echo(f"wrote {path} ({path.stat().st_size:,} bytes)")


def page_command(name):
    """Make a command of what writes the page docs/<name>.md from the reference."""
    decorators = (
        reference.command(
            groups={"Results": ("folder",), "Output": ("output",)},
            examples=(f"dpmc reference {name}",),
        ),
        click.option(
            "--reference",
            "folder",
            type=click.Path(),
            default="results/reference",
            show_default=True,
            help="Folder with the reference of every study.",
        ),
        click.option(
            "--output",
            type=click.Path(),
            default=f"docs/{name}.md",
            show_default=True,
            help="Page to write.",
        ),
    )
    return lambda write: reduce(lambda made, each: each(made), reversed(decorators), write)


@page_command("items")
def items(folder, output):
    """Write the page of the papers' items again.

    Every figure, table, theorem and algorithm with its command, its file and the verdicts of the
    reference. After an update of the reference or of a study's items.yaml.
    """
    from pathlib import Path

    from dpmc.files import write_text
    from dpmc_studies.frame.showing.items import items_page
    from dpmc_studies.report.claims_page import anchors_of, claims_page, linked
    from dpmc_studies.studies import load as load_studies

    known = load_studies()
    anchors = anchors_of(claims_page(known, Path(folder)))
    write_text(output, linked(items_page(known, Path(folder)), "claims.md", anchors))
    click.echo(f"wrote {output}")


@page_command("claims")
def claims(folder, output):
    """Write the page of all claims and mistakes again.

    Every claim in its words with source, verdict and number, after an update of the reference or of
    a study's claims.yaml or errata.yaml.
    """
    from pathlib import Path

    from dpmc.files import write_text
    from dpmc_studies.report.claims_page import claims_page
    from dpmc_studies.studies import load as load_studies

    write_text(output, claims_page(load_studies(), Path(folder)))
    click.echo(f"wrote {output}")


@reference.command(
    groups={"Computation": ("cores",), "Output": ("output",)},
    examples=("dpmc reference report",),
)
@click.option("--cores", type=click.IntRange(1), default=2, help="Studies to draw at once.")
@click.option(
    "--output",
    type=click.Path(),
    default="build/report",
    show_default=True,
    help="Folder of the report; replaced if it exists.",
)
def report(cores, output):
    """Make the full report from the committed tables, without running a job.

    Every claim is judged and every figure drawn again, in 35 seconds on two idle cores. The tables
    of each study are in build/published.
    """
    from pathlib import Path

    from dpmc_studies.report.published import publish
    from dpmc_studies.studies import load as load_studies

    page = publish(Path.cwd(), load_studies(), Path("build/published"), Path(output), cores)
    click.echo(f"wrote {page}, from the committed tables of results/reference")


def _chosen(names, config, results):
    """Return the studies to update: those named, or all that have results."""
    from dpmc.errors import InputError, did_you_mean
    from dpmc_studies.configuration import overlaid
    from dpmc_studies.studies import load as load_studies

    outside = overlaid(config).get("studies") or []
    known = {name: each for name, each in load_studies(outside).items() if each.regression}
    for name in names:
        if name not in known:
            raise InputError(
                f"There is no study {name} with a reference{did_you_mean(name, known)}; known: "
                f"{', '.join(known)}."
            )
    chosen = names or [name for name in known if (results / name).exists()]
    if not chosen:
        raise InputError(f"{results} holds the results of no study.")
    return [known[name] for name in chosen]

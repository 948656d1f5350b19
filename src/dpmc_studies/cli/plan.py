"""``dpmc plan``: what a run will cost, before anything runs."""

import json
from pathlib import Path

import click

from dpmc.cli.help import Command
from dpmc_studies.cli.options import config_option

DEFAULTS = Path("config/config.yaml")


@click.command(
    cls=Command,
    groups={"Run": ("config",), "Figures": ("results",), "Output": ("as_json",)},
    examples=(
        "dpmc plan",
        "dpmc plan --config config/large.yaml",
        "dpmc plan --config config/quick.yaml --config mine.yaml --json",
    ),
)
@config_option("Configurations laid over config/config.yaml, as for make reproduce.")
@click.option(
    "--measure",
    "results",
    multiple=True,
    type=click.Path(file_okay=False),
    help="Folder of a finished run with this configuration: measure it; may be given again.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(config, results, as_json):
    """State what a run will cost before anything runs.

    Shown are jobs, CPU hours and the longest job by study.

    What it says rests on mean CPU seconds of each kind of job. With --measure it writes new ones,
    from the logs of finished runs: those of jobs that these did not have stay.
    """
    from dataclasses import asdict

    from dpmc_studies import studies
    from dpmc_studies.configuration import checked
    from dpmc_studies.frame.costs import Costs, files_of, measure, planned, total, totals
    from dpmc_studies.frame.jobs.plan import Plan

    configuration = _configuration(config)
    known = studies.load(configuration.get("studies") or [])
    configuration = checked(configuration, known)
    if results:
        runs = [Plan(folder, configuration, known) for folder in results]
        _update(measure(runs), files_of(known.values()))
        return
    run = Plan("results", configuration, known)
    jobs = planned(run)
    costs = Costs(known.values())
    found = totals(jobs, costs)
    found["all"] = total(jobs, costs)
    if as_json:
        rows = {name: asdict(each) for name, each in found.items()}
        click.echo(json.dumps({"totals": rows}, indent=2))
    else:
        click.echo("\n".join(_lines(found)))
    for study in () if as_json else known.values():
        if beside := study.beside_claims(run.sections[study.name]):
            click.echo(beside)


def _configuration(overlays: list[str]) -> dict:
    from dpmc.errors import InputError
    from dpmc_studies.configuration import load

    if not DEFAULTS.is_file():
        raise InputError(f"There is no {DEFAULTS}; run this in the folder of the project.")
    return load(DEFAULTS, overlays)


def _update(measured, files) -> None:
    from dpmc_studies.frame.costs import update

    for study, means in measured.items():
        if study in files:
            update(files[study], means)
            click.echo(f"wrote {files[study]} ({len(means)} means measured)")


def _lines(found):
    headings = ("", "jobs", "CPU hours", "longest job")
    rows = [headings, *(_row(name, total) for name, total in found.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = (f"{text:>{width}}" for text, width in zip(others, widths[1:], strict=True))
        yield "  ".join([f"{first:<{widths[0]}}", *cells])
    yield "A run that goes on from earlier results needs less."
    if guessed := found["all"].guessed:
        yield f"No job like {guessed} of these was measured: their costs are guesses."


def _row(name, total) -> tuple[str, ...]:
    return (
        name,
        f"{total.jobs}",
        f"{total.seconds / 3600:.2f}",
        f"{total.longest / 60:.1f} min",
    )

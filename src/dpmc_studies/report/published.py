"""The report made of the committed tables: everything is judged and drawn, and no job is run."""

import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from dpmc.datasets import resolve
from dpmc_studies import configuration as configurations
from dpmc_studies.datasets.download import locate, verify
from dpmc_studies.frame.api import Study
from dpmc_studies.frame.checking.packed import unpack
from dpmc_studies.frame.jobs.cell_settings import SETTINGS
from dpmc_studies.frame.jobs.plan import INDEX, Plan, page_settings, step_files
from dpmc_studies.frame.jobs.step import run_step
from dpmc_studies.report.page import write_site
from dpmc_studies.report.site import report_of

RUN = "results"  # the folder of the full run, whose seeds and commands the report names
NOTE = (
    "This report is made of the committed tables of the last full run (results/reference): every "
    "claim is judged and every figure drawn again, and no job has been run. The provenance below "
    "is that of this report."
)


def publish(
    home: Path, studies: Mapping[str, Study], tables: Path, folder: Path, cores: int = 2
) -> Path:
    """Make the report of all studies from the committed tables; return its first page.

    Parameters
    ----------
    home : Path
        The project, of which the reference and the default configuration are taken.
    tables, folder : Path
        Folders to write: what is made of each study, and the report. Both are made again.
    cores : int
        How many studies are judged and drawn at once.
    """
    given = configurations.load(home / "config" / "config.yaml")
    plan = Plan(str(tables), configurations.checked(given, studies), studies)
    for old in (tables, folder):
        shutil.rmtree(old, ignore_errors=True)
    committed = home / "results" / "reference"
    with ProcessPoolExecutor(cores) as pool:
        made = [
            pool.submit(judge_and_draw, committed / name, tables / name, steps_of(plan, study))
            for name, study in studies.items()
        ]
        for each in made:
            each.result()
    names = plan.real_data(studies.values())
    settings = page_settings(replace(plan, top=RUN), studies.values()) | {
        "snakemake": ".venv/bin/snakemake --cores 1",
        "changed": {},
        "home": str(home),
    }
    raw = raw_files(plan.configuration["data"], names)
    write_site(folder, report_of(plan, settings, raw, commands=RUN, note=NOTE))
    return folder / INDEX


def steps_of(plan: Plan, study: Study) -> list[tuple]:
    """Return the steps that a full run takes after its jobs, as :func:`run_step` is given them."""
    section = plan.sections[study.name]
    return [
        (step.run, dict(step.settings(section)), step.makes, step_files(plan.top, study, step))
        for step in study.steps
        if step.target is None
    ]


def judge_and_draw(committed: Path, folder: Path, steps: Sequence[tuple]) -> None:
    """Unpack the tables of a study into a folder, and take its steps there."""
    unpack(committed, folder)
    if (committed / SETTINGS).is_file():
        shutil.copyfile(committed / SETTINGS, folder / SETTINGS)
    for run, settings, makes, outputs in steps:
        run_step(run, folder, settings, makes, outputs)


def raw_files(data: Mapping, names: list[str]) -> dict[str, str | None]:
    """Return the verified raw file of each data set, None of one that is not on this machine."""
    found = {}
    for name in names:
        dataset = resolve(name, data["sets"])
        path = locate(dataset, data["directory"], data["mirror"])
        if path is not None:
            verify(dataset, path)
        found[name] = None if path is None else str(path)
    return found

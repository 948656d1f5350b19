"""The files of a run and the inputs, settings and code of its jobs, for the workflow.

A run is a folder of results with one configuration: ``results``, and ``results/quick`` beside it.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dpmc.errors import InputError
from dpmc_studies import configuration as configurations
from dpmc_studies.frame.api import Cells, Job, RatingsOf, Regression, Section, Source, Step, Study
from dpmc_studies.frame.jobs.cell_settings import SETTINGS, Settings, settings_text
from dpmc_studies.frame.jobs.cells import cell_name
from dpmc_studies.frame.jobs.digest import code_digest

INDEX, NUMBERS = "index.html", "numbers.html"
"""Pages of the report: the first one, and that of all claims and numbers."""
REPORT_FILES = "files"
"""The folder of figures and downloads next to the pages."""
Place = tuple[str, ...]
"""The formatted coordinates of a job, which are the values of its wildcards."""


@dataclass(frozen=True, eq=False)
class Plan:
    """The studies of one run, by name, with their sections.

    ``top`` is the folder of the run; sections are what :attr:`dpmc_studies.frame.api.Study.prepare`
    returned.
    """

    top: str
    configuration: Mapping[str, object]
    studies: Mapping[str, Study]
    sections: Mapping[str, Section] = field(init=False)
    _jobs: dict[tuple[str, str], dict[Place, Cells]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        prepared = {name: study.section(self.configuration) for name, study in self.studies.items()}
        object.__setattr__(self, "sections", prepared)

    def jobs(self, study: Study, job: Job) -> Mapping[Place, Cells]:
        """Return the jobs of a kind: formatted coordinates -> cells and their settings."""
        if (study.name, job.name) not in self._jobs:
            section, found = self.sections[study.name], {}
            for cell in study.cells(job, section):
                cells = found.setdefault(tuple(job.place(cell).values()), {})
                cells[cell] = dict(job.settings(section, cell))
            self._jobs[study.name, job.name] = found
        return self._jobs[study.name, job.name]

    def parts(self, study: Study, table: str) -> list[str]:
        """Return the files that make a table, in the order of its rows."""
        return [
            at(part_file(self.top, study, job, table), job, place)
            for job in makers(study, table)
            for place in self.jobs(study, job)
        ]

    def inputs(self, study: Study, job: Job, place: Place) -> dict[str, str]:
        """Return the input files of a job by name."""
        return {name: self._file(study, each) for name, each in self.sources(study, job, place)}

    def sources(self, study: Study, job: Job, place: Place) -> list[tuple[str, Source]]:
        """Return the inputs of a job as pairs of name and source."""
        cell = next(iter(self.settings(study, job, place)))
        return list(job.inputs(self.sections[study.name], cell).items())

    def _file(self, study: Study, source: Source) -> str:
        if isinstance(source, RatingsOf):
            return ratings_file(source.dataset)
        made = study.job(source.job)
        return other_file(self.top, study, made).format(**made.place(source.cell))

    def settings(self, study: Study, job: Job, place: Place) -> Cells:
        """Return the cells of a job with their settings."""
        try:
            return self.jobs(study, job)[place]
        except KeyError:
            raise InputError(
                f"The configuration has no job {job.name} of {study.name} with {', '.join(place)}."
            ) from None

    def settings_by_cell(self, study: Study) -> dict[str, Mapping[str, object]]:
        """Return the settings of every cell of the study's table of trials, by name of the cell."""
        section = self.sections[study.name]
        return {
            cell_name(coordinates): settings
            for job in makers(study, study.regression.table)
            for cell in study.cells(job, section)
            for coordinates, settings in study.regression.rows(cell, job.settings(section, cell))
        }

    def settings_text(self, study: Study) -> str:
        """Return the settings of every cell of the study's table of trials, as JSON."""
        reference = str(self.configuration["reference"])
        return settings_text(Settings(reference, self.settings_by_cell(study)))

    def code(self, study: Study, job: Job, place: Place) -> str:
        """Return the digest of the code that a job's numbers depend on."""
        section = self.sections[study.name]
        cells = self.settings(study, job, place)
        modules = dict.fromkeys(name for cell in cells for name in job.modules(section, cell))
        return digest_of(job.run, modules, study)

    def targets(self, study: Study, target: str | None = None) -> list[str]:
        """Return the files of a target; None is the study's own target."""
        jobs = [job for job in study.jobs if job.target == target]
        steps = [step for step in study.steps if step.target == target]
        tables = dict.fromkeys(table for job in jobs for table in job.tables)
        made = [table_file(self.top, study, table) for table in tables]
        if has_trials(study) and study.regression.table in tables:
            made.append(f"{self.top}/{study.name}/{SETTINGS}")
        return made + [file for step in steps for file in step_files(self.top, study, step)]

    def needs(self, study: Study, step: Step) -> list[str]:
        """Return the files that a step reads."""
        return [
            table_file(self.top, study, name)
            if name in all_tables(study)
            else f"{self.top}/{study.name}/{name}"
            for name in needed(study, step)
        ]

    def real_data(self, studies: Iterable[Study]) -> list[str]:
        """Return the real data sets that studies ask for, each once."""
        found = [
            source.dataset
            for study in studies
            for job in study.jobs
            if job.target is None
            for place in self.jobs(study, job)
            for _, source in self.sources(study, job, place)
            if isinstance(source, RatingsOf)
        ]
        return list(dict.fromkeys(found))


def plans(
    configuration: Mapping[str, object], own: Mapping, quick: Path, studies: Mapping[str, Study]
) -> dict[str, Plan]:
    """Return the plan of each run by its folder: the full run and the quick run.

    The arguments are those of :func:`configured`.
    """
    return {
        top: Plan(top, configurations.checked(settings, studies), studies)
        for top, settings in configured(configuration, own, quick).items()
    }


def configured(
    configuration: Mapping[str, object], own: Mapping, quick: Path
) -> dict[str, Mapping]:
    """Return the unchecked configuration of each run by its folder.

    ``configuration`` is the configuration of the full run: the defaults with the user's settings.
    The quick run uses the settings of the file ``quick``, overridden by the user's ``own``.
    """
    overlay = configurations.load(quick)
    configurations.refuse_unknown_nulls(configuration, overlay)
    overlay = configurations.without(overlay, own)
    return {
        "results": configuration,
        "results/quick": configurations.merge(configuration, overlay),
    }


def page_settings(plan: Plan, studies: Iterable[Study]) -> dict[str, object]:
    """Return the configuration of studies' pages, as plain values."""
    chosen = list(studies)
    sections = plan.sections
    return {
        "studies": [study.name for study in chosen],
        "outside": list(plan.configuration["studies"]),
        "chapters": {
            study.name: dict(study.chapter_settings(sections[study.name])) for study in chosen
        },
        "seeds": {
            study.name: {
                run_folder(plan.top, study, below): seed
                for below, seed in study.seeds(sections[study.name]).items()
            }
            for study in chosen
        },
        "configuration": plan.configuration,
    }


def digest_of(run: str, others: Iterable[str | Path], study: Study) -> str:
    """Return the digest of a function's module and of other modules and files.

    ``run`` is ``"package.module:function"``. ``others`` are names of modules; a name with a slash
    or ending in ``.py`` is a file. Modules of a study outside of this package are followed, too.
    """
    named = [run.partition(":")[0], *map(str, others)]
    files = [name for name in named if "/" in name or name.endswith(".py")]
    modules = [name for name in named if name not in files]
    return code_digest(modules, files, study.folder)


def own_files(study: Study) -> list[Path]:
    """Return the Python files of a study outside of this package."""
    return [] if study.folder is None else sorted(study.folder.rglob("*.py"))


def text_files(study: Study) -> list[Path]:
    """Return the YAML files next to a study's schema, whose texts the page shows."""
    return [] if study.schema is None else sorted(study.schema.parent.glob("*.yaml"))


def relative_folder(study: Study) -> str | None:
    """Return the folder of a study outside of this package, relative to Snakemake's folder.

    It is a parameter of jobs; being relative, it does not change if the whole project moves.
    """
    return None if study.folder is None else os.path.relpath(study.folder)


def has_trials(study: Study) -> bool:
    """Whether the study has a table of trials that the check compares."""
    return study.regression is not None and study.regression.table is not None


def files_of(regression: Regression) -> list[str]:
    """Return the files of a study's results that its regression reads."""
    trials = [] if regression.table is None else [f"{regression.table}.csv", SETTINGS]
    others = (*regression.labels, *regression.numbers, *regression.passed)
    return [*trials, *(f"{name}.csv" for name in others)]


def makers(study: Study, table: str) -> list[Job]:
    """Return the kinds of jobs that write a table."""
    return [job for job in study.jobs if table in job.tables]


def all_tables(study: Study) -> list[str]:
    """Return the tables that jobs and steps of a study make."""
    of_jobs = [table for job in study.jobs for table in job.tables]
    return list(dict.fromkeys([*of_jobs, *(name for step in study.steps for name in step.makes)]))


def needed(study: Study, step: Step) -> tuple[str, ...]:
    """Return the names of the tables and folders that a step needs."""
    if step.needs is not None:
        return step.needs
    own = [job for job in study.jobs if job.target is None]
    return tuple(dict.fromkeys(table for job in own for table in job.tables))


def ratings_file(dataset: str) -> str:
    """Return the file of a real data set's ratings."""
    return f"results/data/{dataset}.npz"


def source_file(dataset: str) -> str:
    """Return the file that records where a real data set's raw file is."""
    return f"results/data/{dataset}.source.json"


def pattern(job: Job) -> str:
    """Return the path of a job's files below its folder, coordinates as wildcards."""
    first, *rest = [f"{name}~{{{name}}}" for name in job.coordinates]
    return f"{first}/{'_'.join(rest)}" if rest else first


def at(path: str, job: Job, place: Place) -> str:
    """Return a path with the coordinates of one job in place of the wildcards."""
    return path.format(**dict(zip(job.coordinates, place, strict=True)))


def table_file(top: str, study: Study, table: str) -> str:
    """Return the file of a table."""
    return f"{top}/{study.name}/{table}.csv"


def part_file(top: str, study: Study, job: Job, table: str) -> str:
    """Return the file of a job's part of a table; without coordinates, the table itself."""
    if not job.coordinates:
        return table_file(top, study, table)
    suffix = "" if table == next(iter(job.tables)) else f".{table.replace('/', '.')}"
    return f"{top}/{study.name}/{job.name}/{pattern(job)}{suffix}.csv"


def other_file(top: str, study: Study, job: Job) -> str:
    """Return the other file of a job."""
    name = pattern(job) if job.coordinates else job.name
    return f"{top}/{study.name}/{job.name}/{name}.{job.file}"


def page_file(name: str) -> str:
    """Return the file of a study's page in the report."""
    return f"study-{name}.html"


def report_pages(studies: Iterable[Study]) -> list[str]:
    """Return the files of the report's pages, except the first."""
    return [NUMBERS, *(page_file(study.name) for study in studies)]


def log_file(top: str, study: Study, name: str, job: Job | None = None) -> str:
    """Return the log of a rule; each job with coordinates has its own."""
    below = f"{name}/{pattern(job)}" if job is not None and job.coordinates else name
    return f"{top}/{study.name}/logs/{below}.log"


def benchmark_file(top: str, study: Study, job: Job) -> str:
    """Return Snakemake's file of a job's time and memory."""
    below = f"{job.name}/{pattern(job)}" if job.coordinates else job.name
    return f"{top}/{study.name}/benchmarks/{below}.tsv"


def step_benchmark_file(top: str, study: Study, step: Step) -> str:
    """Return Snakemake's file of a step's time and memory."""
    return f"{top}/{study.name}/benchmarks/{step.name}.tsv"


def run_folder(top: str, study: Study, below: str) -> str:
    """Return the folder of one of a study's runs; for ``below`` "" the study's own."""
    return f"{top}/{study.name}/{below}".rstrip("/")


def join_rule(study: Study, table: str) -> str:
    """Return the name of the rule that joins the parts of a table."""
    return f"{study.name}_join_{table.replace('/', '_')}"


def step_files(top: str, study: Study, step: Step) -> list[str]:
    """Return the tables that a step makes, or its folder."""
    tables = [table_file(top, study, name) for name in step.makes]
    return tables or [f"{top}/{study.name}/{step.name}"]

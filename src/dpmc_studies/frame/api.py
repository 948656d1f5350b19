"""The declaration of a study: its jobs, steps, chapter, errata and regression.

The classes below describe a study's folder to the rest of dpmc, which knows no study by name. The
workflow makes a rule of every :class:`Job` and :class:`Step`, the report shows the chapter, and
``check`` and ``dpmc diff`` read the :class:`Regression`. Functions that run only inside a job are
named as text, ``"package.module:function"``, so that importing a study is fast.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import ModuleType
from typing import Self

from dpmc_studies.frame.jobs.cells import Cell, format_coordinate, is_drawn
from dpmc_studies.frame.jobs.experiments import experiments_in

Section = Mapping[str, object]
"""The checked settings of a study, as :attr:`Study.prepare` returns them."""
Settings = Mapping[str, object]
"""Exactly the settings that a cell uses, as plain values."""
Cells = Mapping[Cell, Settings]
"""The cells of one job with their settings."""


@dataclass(frozen=True)
class RatingsOf:
    """An input: the ratings of a real data set. Without them the job's tables have no rows."""

    dataset: str


@dataclass(frozen=True)
class OutputOf:
    """An input: the file that another kind of job makes for a cell."""

    job: str
    cell: Cell


Source = RatingsOf | OutputOf


def once(section: Section) -> list[Cell]:
    """Return the one cell of a kind of job that runs once."""
    return [Cell()]


def nothing(section: Section, cell: Cell | None = None) -> dict:
    """Return no settings, inputs or modules."""
    return {}


def ratings_of(section: Section, cell: Cell) -> dict[str, Source]:
    """Return the ratings that a cell reads, as inputs of its job; none for data made in the job."""
    entry = section["datasets"][cell.dataset]
    return {} if is_drawn(entry) else {"ratings": RatingsOf(cell.dataset)}


def refuse_unknown_data(datasets: Mapping[str, Mapping], own_sets: Mapping[str, Mapping]) -> None:
    """Refuse an entry of the ``datasets`` of a section that is neither drawn nor a known data set.

    ``own_sets`` are the user's own data sets.
    """
    from dpmc.datasets import resolve  # imports readers and scipy

    for name, entry in datasets.items():
        if not is_drawn(entry):
            resolve(name, own_sets)


def as_given(section: Section, own_sets: Mapping[str, Mapping]) -> Section:
    """Return the section unchanged, for a study whose schema checks everything."""
    return section


def own_seed(section: Section) -> dict[str, int]:
    """Return the seed of a study with one run; none if its section has none."""
    return {"": section["seed"]} if "seed" in section else {}


FUNCTIONS = ("cells", "settings", "inputs", "modules")
"""Attributes of a job that are functions in an experiment's module."""


@dataclass(frozen=True)
class Job:
    """A kind of job: one rule of the workflow, ``<study>_<name>``.

    Attributes
    ----------
    run : str
        ``"package.module:function"``. The function takes a
        :class:`dpmc_studies.frame.jobs.task.Task` and returns the rows of its table or, for several
        tables, a mapping from their names to rows.
    tables : mapping
        Names of the tables that these jobs write, each job a part of them -> their columns.
    cell : type of Cell
        Class of the cells; without fields for a kind of job that runs once.
    cells : callable or None
        From the section to all cells; None for the cells that inputs of other jobs name.
    by : tuple of str or None
        The fields of cells that distinguish the jobs of this kind: wildcards of the rule, parts of
        its paths. Cells that agree in these fields belong to one job. None means all fields.
    settings : callable
        From the section and a cell to exactly the settings that the cell uses, as plain values. A
        change of another setting does not rerun the cell.
    inputs : callable
        From the section and a cell to the inputs of its job, by name; "ratings" are the ratings.
    modules : callable
        From the section and a cell to further modules (or Python files) that the numbers depend on,
        because they are imported by name.
    file : str or None
        Suffix of one more file that each job makes, for example ``"npz"``.
    alone : bool
        Whether it measures wall-clock time and must therefore run alone.
    target : str or None
        Name of the target that includes it; None for the study's own target.
    differ_by : str
        The field of cells, if any, by which the mean costs of jobs are kept apart.
    """

    name: str
    run: str
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cell: type[Cell] = Cell
    cells: Callable[[Section], Iterable[Cell]] | None = once
    by: tuple[str, ...] | None = None
    settings: Callable[[Section, Cell], Settings] = nothing
    inputs: Callable[[Section, Cell], Mapping[str, Source]] = nothing
    modules: Callable[[Section, Cell], Iterable[str]] = nothing
    file: str | None = None
    alone: bool = False
    target: str | None = None
    differ_by: str = "method"

    @classmethod
    def of(cls, module: ModuleType) -> Self:
        """Return the job that an experiment's module declares.

        The module has a function ``run`` and, if needed, ``cells``, ``settings``, ``inputs`` and
        ``modules``. Other attributes are constants: ``TABLES``, ``CELL``, ``BY``, ... The default
        of ``NAME`` is the name of its file.
        """
        path = module.__name__
        known = {"name": path.rpartition(".")[2], "run": f"{path}:run"}
        for each in fields(cls):
            name = each.name if each.name in FUNCTIONS else each.name.upper()
            if hasattr(module, name):
                known[each.name] = getattr(module, name)
        return cls(**known)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The fields of cells that tell jobs of this kind apart."""
        return self.cell.names() if self.by is None else self.by

    def place(self, cell: Cell) -> dict[str, str]:
        """Return the coordinates of a cell's job, formatted for its paths."""
        return {name: format_coordinate(getattr(cell, name)) for name in self.coordinates}


@dataclass(frozen=True)
class Step:
    """A rule that makes other tables, or a folder of files, from a study's tables.

    Attributes
    ----------
    name : str
        Name in the rule ``<study>_<name>``, and name of the folder.
    run : str
        ``"package.module:function"``. The function takes the folder of the study's results and the
        settings. It returns tables by name, or also takes the new folder and fills it. Empty for
        the default of :meth:`Study.of`.
    makes : tuple of str
        Names of the tables; empty for a folder, and for the step ``claims`` the table ``claims``.
    needs : tuple of str
        Tables, and folders of steps, that must exist first; None for all tables that the jobs of
        the study's own target make.
    settings : callable
        From the section to the settings that the function uses, as plain values.
    files : tuple of path
        Files that count as code of the step, such as published numbers.
    target : str or None
        As for jobs.
    """

    name: str
    run: str = ""
    makes: tuple[str, ...] = ()
    needs: tuple[str, ...] | None = None
    settings: Callable[[Section], Mapping[str, object]] = nothing
    files: tuple[Path | str, ...] = ()
    target: str | None = None


TABLE = Path(__file__).parent / "showing" / "table.html.jinja"
"""The template of a page's tables, which counts as code."""
STEPS = (Step("claims"), Step("tables"), Step("figures"))
"""The default steps of a study: judge claims, and make tables and figures."""


def itself(cell: Cell, settings: Settings) -> list[tuple[Mapping[str, object], Settings]]:
    """Return a cell's own coordinates and settings."""
    return [(cell.coordinates(), settings)]


@dataclass(frozen=True)
class Regression:
    """What ``check`` compares with the committed reference.

    Attributes
    ----------
    table : str or None
        The table of trials, whose first trials are compared number by number; None without one.
    coordinates : tuple of str
        Columns that name a cell of that table; by default of :meth:`Study.of` the cells' fields.
    metrics : tuple of str
        Columns that are compared; by default of :meth:`Study.of` all others except
        ``not_compared``, which describe how a number was computed.
    rows : callable
        From a cell of the jobs that make the table, and its settings, to the coordinates and
        settings of each cell with rows; by default the cell itself.
    trials : int or None
        How many trials of each cell the reference keeps; None for all.
    made_of : str or None
        The setting of a cell, such as ``"data.of"``, that names the data set from which the cell's
        own is made. Rows may be missing if either is unavailable.
    labels : mapping
        Tables of labels, such as verdicts -> the columns that name a row. The first other column of
        the expected table is the label. Expected labels depend on the profile, which
        ``settings.json`` next to the table of trials names, so there must be such a table.
        :meth:`Study.of` adds the verdicts of the study's claims.
    numbers : mapping
        Other tables of numbers -> the columns that name a row; all other columns are compared.
    optional : mapping
        The same for tables that a run may leave out, such as those of an extra target. They are
        compared and kept if they have rows.
    passed : mapping
        Tables whose every row must have passed -> the columns that name a row.
    by_clock : tuple of str
        Ids of claims about seconds, which depend on the load of the machine.
    """

    table: str | None = None
    coordinates: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    not_compared: tuple[str, ...] = ("seconds",)
    rows: Callable[[Cell, Settings], Iterable[tuple[Mapping[str, object], Settings]]] = itself
    trials: int | None = 2
    made_of: str | None = None
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numbers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optional: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    passed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by_clock: tuple[str, ...] = ()

    def __post_init__(self):
        if self.labels and self.table is None:
            raise ValueError("Labels are expected by profile, which needs a table of trials.")

    def of_trials(self, job: Job, *, judged: bool) -> Self:
        """Return it with defaults from the job that makes the table of trials.

        ``judged`` says whether the study has claims.
        """
        coordinates = self.coordinates or job.cell.names()
        known = (*coordinates, "trial", *self.not_compared)
        metrics = tuple(name for name in job.tables[self.table] if name not in known)
        labels = {**self.labels, "claims": ("id",)} if judged else self.labels
        return replace(
            self, coordinates=coordinates, metrics=self.metrics or metrics, labels=labels
        )


@dataclass(frozen=True)
class Study:
    """The declaration of a study: a paper, or a question.

    Attributes
    ----------
    name : str
        Name of its section in the configuration, its folder below ``results`` and its target.
    prepare : callable
        From the study's section of the configuration, without nulls in its mappings, and the user's
        own data sets to the checked section, which everything else uses. It raises InputError for a
        section that could not run. By default the section is unchanged.
    chapter : str
        ``"package.module:function"``: from the folder of results and the settings of
        ``chapter_settings`` to a :class:`dpmc_studies.frame.showing.chapter.Chapter`.
    chapter_settings : callable
        From the section to plain values.
    errata : path or None
        YAML file of mistakes in its papers, see :mod:`dpmc_studies.frame.showing.erratum`.
    seeds : callable
        From the section to the seeds of its runs, by folder below the study's ("" for the study's
        own); by default its ``seed``.
    schema : path or None
        JSON schema of its section, as YAML; None refuses nothing.
    claimed : mapping
        Lists of the section, by key -> the values that the papers' claims are about. Other values
        only add cells to tables and figures, which a run says at its start.
    costs : path or None
        CSV file of the measured costs of its jobs, see :mod:`dpmc_studies.frame.costs`.
    items : path or None
        YAML file of the items of its papers, see :mod:`dpmc_studies.frame.showing.items`.
    folder : path or None
        Folder of a study outside of this package, whose reference is in ``reference`` inside. None
        for a study of this package, whose reference is in ``results/reference``.
    """

    name: str
    title: str
    jobs: tuple[Job, ...]
    steps: tuple[Step, ...]
    chapter: str
    prepare: Callable[[Section, Mapping[str, Mapping]], Section] = as_given
    chapter_settings: Callable[[Section], Mapping[str, object]] = nothing
    errata: Path | None = None
    seeds: Callable[[Section], Mapping[str, int]] = own_seed
    regression: Regression | None = None
    schema: Path | None = None
    claimed: Mapping[str, tuple] = field(default_factory=dict)
    costs: Path | None = None
    items: Path | None = None
    folder: Path | None = None

    @classmethod
    def of(cls, package: str, **declared: object) -> Self:
        """Return the study of a package, with defaults from the files in its folder.

        ``schema.yaml`` is required; ``costs.csv``, ``items.yaml``, ``errata.yaml``, ``claims.yaml``
        and ``predicates.yaml`` (when predicates were written) are optional. Modules in the folder
        ``experiments`` that define ``run`` are jobs (:meth:`Job.of`). The regression compares
        verdicts and the table of trials, by default ``trials``.

        Text with a leading dot names a function of the package (``".tables:run"``). The default
        function of a step is ``run`` in the module with the step's name or, if the study has a
        module ``show``, the function there with the step's name. The default chapter is
        ``.chapter:chapter`` or ``.show:chapter``, and the default steps are :data:`STEPS`. Relative
        files of a step are in the folder.

        The step ``claims`` makes the table ``claims``, and the claims' files count as its code.
        ``figures.yaml`` and ``tables.yaml`` count as code of the steps ``figures`` and ``tables``,
        and of steps whose names end in ``_figures`` or ``_tables``.
        """
        here = Path(sys.modules[package].__file__).parent
        beside = {"costs": "costs.csv", "items": "items.yaml", "errata": "errata.yaml"}
        files = {name: here / file for name, file in beside.items() if (here / file).is_file()}
        judged = [here / f"{name}.yaml" for name in ("claims", "predicates")]
        judged = [path for path in judged if path.is_file()]
        shown = {name: here / f"{name}.yaml" for name in ("figures", "tables")}
        declaring = {name: [path] for name, path in shown.items() if path.is_file()}
        declaring["claims"] = judged
        declaring["tables"] = [*declaring.get("tables", []), TABLE]

        def own(name: str) -> str:
            return package + name if name.startswith(".") else name

        def found_in(name: str, function: str = "run") -> str:
            together = (here / "show.py").is_file()
            return f".show:{name}" if together else f".{name}:{function}"

        def at_home(step: Step) -> Step:
            files = [*step.files, *declaring.get(step.name.rpartition("_")[2], [])]
            return replace(
                step,
                run=own(step.run or found_in(step.name)),
                makes=step.makes or (("claims",) if step.name == "claims" else ()),
                files=tuple(here / file for file in files),
            )

        known = {"name": package.rpartition(".")[2], "steps": STEPS}
        known |= {"chapter": found_in("chapter", "chapter"), "schema": here / "schema.yaml"}
        known |= files
        known |= {"folder": None if package.startswith("dpmc_studies.") else here} | declared
        found = {
            "chapter": own(known["chapter"]),
            "steps": tuple(map(at_home, known["steps"])),
            "jobs": tuple(replace(job, run=own(job.run)) for job in known.get("jobs", ())),
        }
        if (here / "experiments").is_dir():
            found["jobs"] += tuple(
                Job.of(each) for each in experiments_in(f"{package}.experiments")
            )
        regression = known.get("regression", Regression("trials"))
        makers = [job for job in found["jobs"] if regression.table in job.tables]
        if makers:
            found["regression"] = regression.of_trials(makers[0], judged=bool(judged))
        return cls(**known | found)

    def section(self, configuration: Mapping[str, Mapping]) -> Section:
        """Return the study's section of a whole configuration, after ``prepare``."""
        section = {
            name: _without_nulls(value) if isinstance(value, Mapping) else value
            for name, value in configuration[self.name].items()
        }
        return self.prepare(section, configuration["data"]["sets"])

    def beside_claims(self, section: Section) -> str:
        """Return a sentence on the values that no claim is about, "" if there are none."""
        found = {
            key: [value for value in section[key] if value not in values]
            for key, values in self.claimed.items()
        }
        named = [
            f"{self.name}.{key} {', '.join(map(str, values))}"
            for key, values in found.items()
            if values
        ]
        return (
            f"No claim of the papers is about {' or '.join(named)}: these values add cells to "
            "tables and figures, and change no verdict on the papers."
            if named
            else ""
        )

    def cells(self, job: Job, section: Section) -> list[Cell]:
        """Return every cell of a kind of job."""
        if job.cells is not None:
            return list(job.cells(section))
        found = (source for other in self.jobs for source in _sources(other, section))
        cells = (each.cell for each in found if isinstance(each, OutputOf) and each.job == job.name)
        return list(dict.fromkeys(cells))

    def job(self, name: str) -> Job:
        """Return the kind of job of that name."""
        return next(job for job in self.jobs if job.name == name)


def _sources(job: Job, section: Section) -> Iterator[Source]:
    """Yield the inputs of the cells of a kind of job; one without cells of its own reads none."""
    for cell in job.cells(section) if job.cells is not None else ():
        yield from job.inputs(section, cell).values()


def _without_nulls(entries: Mapping[str, object]) -> dict[str, object]:
    """Return the entries of a part of a section that a configuration does not leave out by null."""
    return {name: entry for name, entry in entries.items() if entry is not None}

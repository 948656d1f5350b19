"""What a study is: the jobs, steps, chapter, errata and regression of a paper or a question.

A study is a folder that this module describes to the rest. The workflow makes a rule of every
:class:`Job` and :class:`Step`, the report a chapter, ``check`` and ``dpmc diff`` read its
:class:`Regression`; none of them knows a study by name. Functions that only run inside of a job are
named as text, ``"package.module:function"``, so that describing a study imports next to nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Section = Mapping[str, object]
"""What :attr:`Study.prepare` returns: the settings of a study, checked."""
Coordinates = Mapping[str, str]
"""Names of a job's coordinates to their formatted values, in the order of its path."""


@dataclass(frozen=True)
class Ratings:
    """An input: the ratings of a real data set; a job without them has no rows."""

    dataset: str


@dataclass(frozen=True)
class Made:
    """An input: the file that another job of the same study makes beside its tables."""

    job: str
    coordinates: Coordinates = field(default_factory=dict)


Source = Ratings | Made


@dataclass(frozen=True)
class Effort:
    """What the cost of a job is in proportion to, for telling it before anything runs.

    Attributes
    ----------
    alike : str
        Jobs of a kind that do the same work on more or fewer data have the same.
    amount : float
        How often the work is done: trials, budgets, iterations.
    size : float
        Of the data that it is done on; CPU time, memory and disk grow with it.
    """

    alike: str = ""
    amount: float = 1.0
    size: float = 1.0


def once(section: Section) -> list[Coordinates]:
    """Return the cells of a kind of job that runs once."""
    return [{}]


def nothing(section: Section, coordinates: Coordinates | None = None) -> dict:
    """Return no settings, inputs or modules."""
    return {}


def constant_effort(section: Section, coordinates: Coordinates) -> Effort:
    """Return the effort of a job that costs the same every time."""
    return Effort(" ".join(coordinates.values()))


def own_seed(section: Section) -> dict[str, int]:
    """Return the seed of a study with one run; none if its section has none."""
    return {"": section["seed"]} if "seed" in section else {}


@dataclass(frozen=True)
class Job:
    """A kind of job: one rule of the workflow, ``<study>_<name>``.

    Attributes
    ----------
    name : str
    run : str
        ``"package.module:function"``; the function takes a :class:`dpmc.study.task.Task` and
        returns the rows of each table, by its name.
    tables : mapping
        The tables that these jobs write, each a part of it, to their columns.
    coordinates : tuple of str
        What tells the jobs of this kind apart: wildcards of the rule, parts of its paths.
    cells : callable
        From the section to the coordinates of every job, formatted as in paths.
    settings : callable
        From the section and coordinates to exactly what the job uses, as plain values. A setting
        that is not in here cannot change its numbers, so it need not rerun.
    inputs : callable
        From the section and coordinates to its inputs by name. The ratings are called "ratings".
    modules : callable
        From the section and coordinates to names of modules (or paths of Python files) that the
        numbers depend on beside the module of ``run``, because they are imported by name.
    file : str or None
        Suffix of one other file that each job makes, for example ``"npz"``.
    alone : bool
        Whether it measures wall-clock time, so that it runs with no other job.
    target : str or None
        Name of the target that asks for it; None if it belongs to the study's own.
    seconds : float
        About how long one takes: only for telling the time left, and for what was never
        measured.
    effort : callable
        From the section and coordinates to what the cost of the job grows with.
    """

    name: str
    run: str
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    coordinates: tuple[str, ...] = ()
    cells: Callable[[Section], Iterable[Coordinates]] = once
    settings: Callable[[Section, Coordinates], Mapping[str, object]] = nothing
    inputs: Callable[[Section, Coordinates], Mapping[str, Source]] = nothing
    modules: Callable[[Section, Coordinates], Iterable[str]] = nothing
    file: str | None = None
    alone: bool = False
    target: str | None = None
    seconds: float = 2.0
    effort: Callable[[Section, Coordinates], Effort] = constant_effort


@dataclass(frozen=True)
class Step:
    """What is made of a study's tables: other tables, or a folder of files. One rule.

    Attributes
    ----------
    name : str
        Of the rule ``<study>_<name>``, and of the folder.
    run : str
        ``"package.module:function"``. The function takes the folder of the study's results and the
        settings; it returns tables by name, or takes the new folder as well and fills it.
    makes : tuple of str
        The tables; empty if a folder is made.
    needs : tuple of str
        Tables, and folders of steps, that must be there first; None for every table of the study's
        own target that jobs make.
    settings : callable
        From the section to what the function uses, as plain values.
    files : tuple of path
        Files that count as its code: published numbers, claims.
    target : str or None
        As for jobs.
    seconds : float
    """

    name: str
    run: str
    makes: tuple[str, ...] = ()
    needs: tuple[str, ...] | None = None
    settings: Callable[[Section], Mapping[str, object]] = nothing
    files: tuple[Path, ...] = ()
    target: str | None = None
    seconds: float = 5.0


def only_unavailable(unavailable: Collection[str], section_cells: Mapping) -> Collection[str]:
    """Excuse missing rows for unavailable data sets only."""
    return unavailable


@dataclass(frozen=True)
class Regression:
    """What ``check`` compares with the committed reference.

    Attributes
    ----------
    table : str or None
        The table of trials: its first trials, number by number; None if there is none.
    coordinates, metrics : tuple of str
        Columns that name a cell of it, and columns that are compared.
    cells : callable
        From the section to the settings of every cell that has rows, by its name (see
        :func:`dpmc.study.cells.cell_name`), with ``trials``.
    trials : int or None
        How many trials of each cell the reference keeps; None for all.
    lacking : callable
        From the unavailable data sets and the settings by cell to the data sets whose rows may be
        missing; by default the former themselves.
    labels : mapping
        Tables of labels, such as verdicts, to the columns that name a row; the first other column
        of what is expected is the label. What is expected depends on the profile, which
        ``settings.json`` beside the table of trials names: there has to be such a table.
    numbers : mapping
        Other tables of numbers to the columns that name a row; all other columns are compared.
    passed : mapping
        Tables of which every row must have passed, to the columns that name a row.
    by_clock : tuple of str
        Ids of claims about seconds, which depend on what else the machine does.
    """

    table: str | None = None
    coordinates: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    cells: Callable[[Section], Mapping[str, Mapping[str, object]]] = nothing
    trials: int | None = 2
    lacking: Callable[[Collection[str], Mapping], Collection[str]] = only_unavailable
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numbers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    passed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by_clock: tuple[str, ...] = ()

    def __post_init__(self):
        if self.labels and self.table is None:
            raise ValueError("Labels are expected by profile, which needs a table of trials.")


@dataclass(frozen=True)
class Study:
    """A paper, or a question, as the rest of dpmc sees it.

    Attributes
    ----------
    name : str
        Of its section in the configuration, its folder below ``results`` and its target.
    title : str
    prepare : callable
        From the whole configuration to the study's section, checked; raises InputError for what
        could not run.
    jobs : tuple of Job
    steps : tuple of Step
    chapter : str
        ``"package.module:function"``: from the folder of results and the settings of
        ``chapter_settings`` to a :class:`dpmc.study.chapter.Chapter`.
    chapter_settings : callable
        From the section to plain values.
    errata : str or None
        ``"package.module:function"``: from the folder of results and the raw files of the data sets
        (name to path) to a list of :class:`dpmc.study.erratum.Erratum`.
    seeds : callable
        From the section to the seeds of its runs, by folder below the study's ("" for itself); by
        default its ``seed``.
    regression : tuple of Regression
    schema : path or None
        JSON schema of its section, as YAML; None refuses nothing.
    costs : path or None
        CSV file of what its jobs were measured to cost, see :mod:`dpmc.study.costs`.
    folder : path or None
        Of a study outside of this package; its reference lies in ``reference`` inside. None for one
        of this package, whose reference lies in ``results/reference``.
    """

    name: str
    title: str
    prepare: Callable[[Mapping[str, object]], Section]
    jobs: tuple[Job, ...]
    steps: tuple[Step, ...]
    chapter: str
    chapter_settings: Callable[[Section], Mapping[str, object]] = nothing
    errata: str | None = None
    seeds: Callable[[Section], Mapping[str, int]] = own_seed
    regression: Regression | None = None
    schema: Path | None = None
    costs: Path | None = None
    folder: Path | None = None

    def job(self, name: str) -> Job:
        """Return the kind of job of that name."""
        return next(job for job in self.jobs if job.name == name)

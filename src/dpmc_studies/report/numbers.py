"""All claims and numbers as rows of one table, each with its origin.

A row is a claim, a published number next to ours, the mean of a metric over the trials of a cell,
or a test that had to pass. A study only declares its regression
(:class:`dpmc_studies.frame.api.Regression`) and the frame of published numbers of its chapter.
"""

import json
import math
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.api import Study
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.jobs.cells import cell_name, format_coordinate, in_common
from dpmc_studies.frame.jobs.plan import Plan, has_trials, makers, table_file
from dpmc_studies.frame.judging.effects import signed
from dpmc_studies.frame.judging.finding import ALL, MOST, POOLED, WITHIN
from dpmc_studies.frame.judging.rules import points
from dpmc_studies.frame.showing.chapter import Chapter

CLAIM, PUBLISHED, MEAN, TEST = "claim", "published number", "mean of a cell", "test"
PASSED, FAILED = "passed", "failed"
FILTERS = ("dataset", "mechanism")  # coordinates with a column of their own
SHOWN_DIGITS = 4
# what the effect of a claim is, by the words of its predicate
LOG_RATIO = r"delta\s*\(|\blog\s*\(|\b(RMSE|ARE)\b|\b[Ss]econds\b"
RATIO = r"(RMSE|ARE)\b.* (times that|over (that|the mean))"  # of which bounds are stated, WITHIN
OTHER_SCALE, NO_LOG = r"accuracy|[Rr]ecall|slope", r"ratio\b"
MANY = math.log(2)
"""The margin, a log ratio, from which a claim is about a multiple."""


@dataclass(frozen=True)
class Origin:
    """The origin of a row, shared by all rows with the same origin.

    ``seed`` and ``settings`` are those of the run. ``command`` computes only the row's file again.
    """

    seed: str
    settings: str
    command: str


@dataclass(frozen=True)
class Row:
    """One row of the page of numbers; a field without a value is an empty text.

    ``ours`` is a mean with its standard error, or an effect with its interval. ``anchor`` is the
    anchor of a claim on the page of its study.
    """

    study: str
    kind: str
    what: str
    origin: Origin
    data: str = ""
    mechanism: str = ""
    metric: str = ""
    published: str = ""
    ours: str = ""
    trials: str = ""
    verdict: str = ""
    anchor: str = ""


@dataclass(frozen=True)
class Numbers:
    """The rows of a study.

    ``snakemake`` is the command that runs the workflow with the configuration of this run. The file
    to make again is appended to it; it is below ``top``, by default the folder of the plan.
    """

    plan: Plan
    study: Study
    chapter: Chapter
    snakemake: str
    top: str = ""

    def rows(self) -> list[Row]:
        """Return claims, published numbers, means and tests, in this order."""
        return [*self._claims(), *self._published(), *self._means(), *self._tests()]

    def _claims(self) -> Iterator[Row]:
        for number, judged in enumerate(self.chapter.judged):
            origin = self._of_table("claims")
            for claim in judged.claims.to_dict("records"):
                yield Row(
                    self.study.name,
                    CLAIM,
                    f"{claim['id']}. {claim['claim']}",
                    origin,
                    ours=effect_text(claim),
                    trials=count_text(claim["n"]),
                    verdict=claim["verdict"],
                    anchor=claim_anchor(self.study.name, number, claim["id"]),
                )

    def _published(self) -> Iterator[Row]:
        rows = self.chapter.published
        for row in [] if rows is None else rows.to_dict("records"):
            name = cell_name({key: row[key] for key in self._coordinates})
            what, *others = self._named(row, name)
            yield Row(
                self.study.name,
                PUBLISHED,
                f"{row['place']}: {what}",
                *others,
                metric=self._label(row["metric"]),
                published=shown(row["published"]),
                ours=mean_text(row["mean"], row["standard_error"]) + seen_text(row),
                trials=count_text(row["trials"]),
                verdict=row["status"],
            )

    def _means(self) -> Iterator[Row]:
        for row in self._cells.to_dict("records"):
            name = cell_name({key: row[key] for key in self._coordinates})
            for metric in self._metrics:
                if row[metric, "count"]:
                    yield Row(
                        self.study.name,
                        MEAN,
                        *self._named(row, name),
                        metric=self._label(metric),
                        ours=mean_text(row[metric, "mean"], row[metric, "sem"]),
                        trials=count_text(row[metric, "count"]),
                    )

    def _tests(self) -> Iterator[Row]:
        passed = {} if self.study.regression is None else self.study.regression.passed
        for table, keys in passed.items():
            for frame in self._parts(table):
                for row in frame.to_dict("records"):
                    what = without_filters({key: row[key] for key in keys})
                    yield Row(
                        self.study.name,
                        TEST,
                        what,
                        row["origin"],
                        **filters(row),
                        verdict=PASSED if row["passed"] else FAILED,
                    )

    def _named(self, row: Mapping, name: str) -> tuple:
        """Return what a cell is, where its numbers are from, its data and its mechanism."""
        what = without_filters({key: row[key] for key in self._coordinates})
        table = self.chapter.published_table or self.study.regression.table
        origin = self._origins.get(name) or self._of_table(table)
        return what, origin, *filters(row).values()

    def _label(self, metric: str) -> str:
        return self.chapter.metrics.get(metric, metric)

    @property
    def _coordinates(self) -> tuple[str, ...]:
        return self.study.regression.coordinates if has_trials(self.study) else ()

    @property
    def _metrics(self) -> list[str]:
        regression = self.study.regression
        shown = self.chapter.metrics or regression.metrics
        return [name for name in shown if name in regression.metrics]

    @cached_property
    def _cells(self) -> pd.DataFrame:
        """Mean, standard error and count of each metric of every cell, with its file."""
        frames = list(self._parts(self.study.regression.table)) if has_trials(self.study) else []
        if not frames:
            return pd.DataFrame(columns=list(self._coordinates))
        keys, metrics = [*self._coordinates, "origin"], self._metrics
        trials = pd.concat(frames, ignore_index=True)
        groups = trials.groupby(keys, sort=False, dropna=False)[metrics]
        cells = groups.agg(["mean", "sem", "count"])
        cells.columns = cells.columns.to_flat_index()
        return cells.reset_index()

    @cached_property
    def _origins(self) -> dict[str, Origin]:
        """Origin of every cell by its name: its file, and its own settings."""
        settings = self.plan.settings_by_cell(self.study)
        found = {}
        for row in self._cells[[*self._coordinates, "origin"]].to_dict("records"):
            name = cell_name({key: row[key] for key in self._coordinates})
            own = settings.get(name)
            shared = row["origin"]
            found[name] = shared if own is None else origin_of(own, shared.command)
        return found

    def _parts(self, table: str) -> Iterator[pd.DataFrame]:
        """Yield the parts of a table that have rows, with their origins; else the whole table."""
        jobs = [
            cells
            for job in makers(self.study, table)
            for cells in self.plan.jobs(self.study, job).values()
        ]
        paths = self.plan.parts(self.study, table)
        if not all(Path(path).is_file() for path in paths):
            jobs, paths = [], [table_file(self.plan.top, self.study, table)]
        for place, path in enumerate(paths):
            frame = read_frame(path) if Path(path).is_file() else pd.DataFrame()
            if len(frame):
                used = in_common(jobs[place]) if jobs else {}
                origin = origin_of(used, self._command(path), self._seeds)
                yield frame.assign(origin=[origin] * len(frame))

    def _of_table(self, table: str) -> Origin:
        """Return the origin of rows that a step makes of tables."""
        section = self.plan.sections[self.study.name]
        steps = [step for step in self.study.steps if table in step.makes]
        used = dict(steps[0].settings(section)) if steps else {}
        path = table_file(self.plan.top, self.study, table)
        return origin_of(used, self._command(path), self._seeds)

    @property
    def _seeds(self) -> str:
        seeds = self.study.seeds(self.plan.sections[self.study.name]).values()
        return ", ".join(str(seed) for seed in dict.fromkeys(seeds))

    def _command(self, path: str) -> str:
        made = Path(self.top or self.plan.top) / Path(path).relative_to(self.plan.top)
        return f"{self.snakemake} --force {shlex.quote(str(made))}"


def origin_of(settings: Mapping[str, object], command: str, seed: str = "") -> Origin:
    """Return an origin; the seed is that of the settings, if they have one."""
    others = {name: value for name, value in settings.items() if name != "seed"}
    text = "; ".join(f"{name} {_plain(value)}" for name, value in others.items())
    return Origin(str(settings.get("seed", seed)), text, command)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def claim_anchor(study: str, number: int, identifier: str) -> str:
    """Return the id of a claim's row, ``number`` being the place of its table in the chapter."""
    return f"{study}-{number}-{identifier}"


def filters(row: Mapping[str, object]) -> dict[str, str]:
    """Return data and mechanism of a row, empty where it has none."""
    values = [row.get(name) for name in FILTERS]
    data, mechanism = ["" if pd.isna(value) else str(value) for value in values]
    return {"data": data, "mechanism": mechanism}


def without_filters(coordinates: Mapping[str, object]) -> str:
    """Format coordinates, leaving out those that have a column of their own."""
    present = {
        name: value
        for name, value in coordinates.items()
        if name not in FILTERS and not pd.isna(value)
    }
    return ", ".join(f"{name} {format_coordinate(value)}" for name, value in present.items())


def shown(number: float) -> str:
    """Format a number with a few digits; nothing for a missing one."""
    return "" if pd.isna(number) else f"{number:.{SHOWN_DIGITS}g}".replace("-", "−")


def seen_text(row: Mapping[str, object]) -> str:
    """Say which difference from a published number the test would have found, if known."""
    share = row.get("detectable")
    return "" if share is None or pd.isna(share) else f"; {100 * share:.0f} % off would be seen"


def mean_text(mean: float, error: float) -> str:
    """Format a mean with its standard error, as far as they are there."""
    return shown(mean) + ("" if pd.isna(error) else f" ± {error:.1g}")


def count_text(count: float) -> str:
    """Format a count; nothing for a missing one."""
    return "" if pd.isna(count) else str(int(count))


def interval_text(low: float, high: float, form: Callable[[float], str] = shown) -> str:
    """Format an interval; nothing where there is none."""
    return "" if pd.isna(low) or pd.isna(high) else f"[{form(low)}, {form(high)}]"


def form_of(claim: Mapping[str, object]) -> Callable[[float], str]:
    """Return a function that formats an effect of a claim.

    It formats log ratios in per cent, accuracies in points, and other effects as plain numbers. The
    rule of the claim and the words of its predicate decide which kind an effect is. A claim about a
    multiple ("at least 7-fold") shows the ratio.
    """
    predicate = str(claim.get("predicate", ""))
    judged, _, effect = predicate.partition("Effect:")
    compared = claim.get("rule") in (ALL, MOST, POOLED)
    if compared and "accuracy" in judged:
        return lambda share: points(share).replace("-", "−")
    kind = LOG_RATIO if compared else RATIO if claim.get("rule") == WITHIN else None
    if kind is None or re.search(kind, predicate) is None:
        return shown
    if re.search(OTHER_SCALE, predicate) or re.search(NO_LOG, effect):
        return shown
    many = kind == RATIO and claim.get("margin", 0) > MANY
    return (lambda log: f"{math.exp(log):.3g} times") if many else signed


def effect_parts(claim: Mapping[str, object]) -> tuple[str, str]:
    """Format the effect of a claim and its interval, see :func:`form_of`."""
    form = form_of(claim)
    effect = "" if pd.isna(claim["effect"]) else form(claim["effect"])
    return effect, interval_text(claim["interval_low"], claim["interval_high"], form)


def effect_text(claim: Mapping[str, object]) -> str:
    """Format the effect of a claim with its interval."""
    return " ".join(effect_parts(claim)).strip()

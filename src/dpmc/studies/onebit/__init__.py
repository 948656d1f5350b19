"""Study: "One-bit matrix completion with differential privacy", run again and corrected.

[Li 2021] is Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential privacy"
(arXiv:2110.00719).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from dpmc.datasets import resolve
from dpmc.errors import refuse_unknown
from dpmc.frame.api import (
    Job,
    Regression,
    Section,
    Settings,
    Step,
    Study,
    in_proportion,
    is_drawn,
    without_nulls,
)
from dpmc.studies.onebit import experiments
from dpmc.studies.onebit.cells import (
    CLEAR,
    NOISES,
    ONEBIT_COLUMNS,
    ONEBIT_COORDINATES,
    PRIVATE,
    RANK_COLUMNS,
    OneBitCell,
)
from dpmc.studies.onebit.settings import cell_settings, inputs_of, onebit_cells

MEASURED = ("trials", "ranks", "outp_change", "outp_attack")
# The solvers use BLAS, whose kernels differ between CPUs. Measured with those of three kinds of
# CPU, 100 x 100 completions differ by at most a relative 1e-7. Large ones, which are in single
# precision and may stop an iteration earlier, have a tolerance of their own in the reference.
NOT_COMPARED = ("iterations", "converged", "seconds")  # how it was computed
ONEBIT_METRICS = tuple(
    name for name in ONEBIT_COLUMNS if name not in (*ONEBIT_COORDINATES, "trial", *NOT_COMPARED)
)


def prepare(configuration: Mapping[str, object]) -> Section:
    """Return the section with its cells and without the experiments that are null, checked.

    Of other sections of the configuration only ``data.sets`` is looked at.
    """
    section = dict(configuration["onebit"])
    section["experiments"] = without_nulls(section["experiments"])
    for name, entry in section["datasets"].items():
        if not is_drawn(entry):
            resolve(name, configuration["data"]["sets"])
    for experiment in section["experiments"].values():
        refuse_unknown("data set in onebit.datasets", [experiment["dataset"]], section["datasets"])
        refuse_unknown("private mechanism", experiment["mechanisms"], PRIVATE)
    return section | {"cells": onebit_cells(section)}


def cells_with_rows(cell: OneBitCell, settings: Settings) -> Iterator[tuple[dict, dict]]:
    """Yield a cell, and the baselines that its job runs; ranks are not compared."""
    used = {name: value for name, value in settings.items() if name != "ranks"}
    for mechanism in (cell.mechanism, *used.pop("baselines", ())):
        yield replace(cell, mechanism=mechanism).coordinates(), used


solving = partial(
    Job,
    tables={"trials": ONEBIT_COLUMNS, "ranks": RANK_COLUMNS},
    cell=OneBitCell,
    settings=cell_settings,
    inputs=inputs_of,
    effort=in_proportion(size=lambda used: used.get("users", 1) * used.get("items", 1)),
)
STUDY = Study.of(
    __name__,
    title="One-bit matrix completion with differential privacy",
    prepare=prepare,
    jobs=(
        solving(
            CLEAR,
            "dpmc.studies.onebit.trial:run_clear_job",
            cells=lambda section: [each for each in section["cells"] if each.is_clear],
            by=ONEBIT_COORDINATES[:4],
            file="npz",
        ),
        solving(
            "curve",
            "dpmc.studies.onebit.trial:run_curve_job",
            cells=lambda section: [each for each in section["cells"] if not each.is_clear],
            by=ONEBIT_COORDINATES[:5],
            modules=lambda section, cell: NOISES,
            seconds=8.0,
        ),
        *experiments.JOBS,
    ),
    steps=(
        Step(
            "claims",
            ".claims.judge:run",
            makes=("claims",),
            needs=(*MEASURED, "gradient_steps"),
        ),
        Step(
            "tables",
            ".tables:run",
            needs=("trials", "claims", "link_constants", *experiments.EXPERIMENTS),
            files=tuple(Path(module.__file__) for module in experiments.EXPERIMENTS.values()),
        ),
        Step("figures", ".figures:run", needs=(*MEASURED, "bounds"), seconds=20.0),
    ),
    errata=".errata:errata",
    regression=Regression(
        table="trials",
        coordinates=ONEBIT_COORDINATES,
        metrics=ONEBIT_METRICS,
        rows=cells_with_rows,
        labels={"claims": ("id",)},
    ),
)

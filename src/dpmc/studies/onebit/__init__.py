"""Study: "One-bit matrix completion with differential privacy", run again and corrected.

[Li 2021] is Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential privacy"
(arXiv:2110.00719).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from dpmc.datasets import resolve
from dpmc.errors import refuse_unknown
from dpmc.frame.api import Cells, Effort, Job, Regression, Section, Settings, Step, Study
from dpmc.studies.onebit import experiments
from dpmc.studies.onebit.cells import (
    CLEAR,
    NOISES,
    ONEBIT_COLUMNS,
    ONEBIT_COORDINATES,
    PRIVATE,
    RANK_COLUMNS,
    OneBitCell,
    is_synthetic,
)
from dpmc.studies.onebit.settings import cell_settings, inputs_of, onebit_cells

HERE = Path(__file__).parent
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
    given = section["experiments"].items()
    section["experiments"] = {name: each for name, each in given if each is not None}
    for name, entry in section["datasets"].items():
        if not is_synthetic(entry):
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


def effort(section: Section, cells: Cells) -> Effort:
    """Return what the cost of cells grows with: trials; entries of drawn matrices."""
    used = next(iter(cells.values()))
    return Effort(None, used["trials"] * len(cells), used.get("users", 1) * used.get("items", 1))


STUDY = Study(
    name="onebit",
    title="One-bit matrix completion with differential privacy",
    prepare=prepare,
    jobs=(
        Job(
            CLEAR,
            "dpmc.studies.onebit.trial:run_clear_job",
            tables={"trials": ONEBIT_COLUMNS, "ranks": RANK_COLUMNS},
            cell=OneBitCell,
            cells=lambda section: [each for each in section["cells"] if each.is_clear],
            by=ONEBIT_COORDINATES[:4],
            settings=cell_settings,
            inputs=inputs_of,
            file="npz",
            effort=effort,
        ),
        Job(
            "curve",
            "dpmc.studies.onebit.trial:run_curve_job",
            tables={"trials": ONEBIT_COLUMNS, "ranks": RANK_COLUMNS},
            cell=OneBitCell,
            cells=lambda section: [each for each in section["cells"] if not each.is_clear],
            by=ONEBIT_COORDINATES[:5],
            settings=cell_settings,
            inputs=inputs_of,
            modules=lambda section, cell: NOISES,
            seconds=8.0,
            effort=effort,
        ),
        *experiments.JOBS,
    ),
    steps=(
        Step(
            "claims",
            "dpmc.studies.onebit.claims.judge:run",
            makes=("claims",),
            needs=("trials", "ranks", "outp_change", "outp_attack"),
            files=(HERE / "claims.yaml",),
        ),
        Step(
            "tables",
            "dpmc.studies.onebit.tables:run",
            needs=("trials", "claims", "link_constants", *experiments.EXPERIMENTS),
            files=tuple(Path(module.__file__) for module in experiments.EXPERIMENTS.values()),
        ),
        Step(
            "figures",
            "dpmc.studies.onebit.figures:run",
            needs=("trials", "ranks", "outp_change", "outp_attack", "bounds"),
            seconds=20.0,
        ),
    ),
    chapter="dpmc.studies.onebit.chapter:chapter",
    errata="dpmc.studies.onebit.errata:errata",
    regression=Regression(
        table="trials",
        coordinates=ONEBIT_COORDINATES,
        metrics=ONEBIT_METRICS,
        rows=cells_with_rows,
        labels={"claims": ("id",)},
    ),
    schema=HERE / "schema.yaml",
    costs=HERE / "costs.csv",
)

"""Study: "One-bit matrix completion with differential privacy", run again and corrected.

[Li 2021] is Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential privacy"
(arXiv:2110.00719).
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from dpmc_studies.frame.api import Job, Regression, Settings, Step, Study
from dpmc_studies.studies.onebit.cells import (
    CLEAR,
    NOISES,
    ONEBIT_COLUMNS,
    RANK_COLUMNS,
    OneBitCell,
)
from dpmc_studies.studies.onebit.settings import cell_settings, inputs_of, prepare

MEASURED = ("trials", "ranks", "outp_change", "outp_attack")


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
    differ_by="mechanism",
)
STUDY = Study.of(
    __name__,
    title="One-bit matrix completion with differential privacy",
    prepare=prepare,
    jobs=(
        solving(
            CLEAR,
            ".trial:run_clear_job",
            cells=lambda section: [each for each in section["cells"] if each.is_clear],
            by=OneBitCell.names()[:4],
            file="npz",
        ),
        solving(
            "curve",
            ".trial:run_curve_job",
            cells=lambda section: [each for each in section["cells"] if not each.is_clear],
            by=OneBitCell.names()[:5],
            modules=lambda section, cell: NOISES,
        ),
    ),
    steps=(
        Step(
            "claims",
            ".claims.judge:run",
            needs=(*MEASURED, "gradient_steps", "wrong_link"),
        ),
        Step(
            "tables",
            needs=("trials", "claims", "gradient_steps"),
        ),
        Step("figures", needs=MEASURED),
    ),
    # The solvers use BLAS, whose kernels differ between CPUs. Measured with those of three kinds of
    # CPU, 100 x 100 completions differ by at most a relative 1e-7. Large ones, which are in single
    # precision and may stop an iteration earlier, have a tolerance of their own in the reference.
    regression=Regression(
        table="trials",
        not_compared=("iterations", "converged", "seconds"),
        rows=cells_with_rows,
    ),
)

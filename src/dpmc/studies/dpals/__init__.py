"""Study: "Private alternating least squares", with what it is compared with.

[Chien 2021] is Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating least
squares" (ICML 2021); [Jain 2018], for private Frank-Wolfe, is Jain, Thakkar and Thakurta,
"Differentially private matrix completion revisited" (ICML 2018). The third source is the read-me of
DP_Matrix_Completion_Alt_Min.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

from dpmc.frame.api import Job, Regression, Section, Step, Study
from dpmc.studies.dpals.cells import (
    ACCOUNTING_COLUMNS,
    COVERAGE_COLUMNS,
    DPALS_COLUMNS,
    DPALS_COORDINATES,
    ITERATION_COLUMNS,
    TIMING_COLUMNS,
    TUNING_COLUMNS,
    DataCell,
    DpalsCell,
    SurrogateCell,
)
from dpmc.studies.dpals.effort import (
    effort_of_candidates,
    effort_of_data,
    effort_of_fits,
    effort_of_timing,
)
from dpmc.studies.dpals.hyperparameters import load_hyperparameters
from dpmc.studies.dpals.settings import (
    SURROGATE,
    coverage_settings,
    dpals_cells,
    dpals_settings,
    inputs_of,
    modules_of,
    surrogate_settings,
    surrogates,
    timing_settings,
    tuning_cells,
    tuning_settings,
)

HERE = Path(__file__).parent
HYPERPARAMETERS = HERE / "hyperparameters.yaml"
MEASURED = ("trials", "iterations", "timing", "coverage", "accounting")
JUDGED = ("claims", "claims_surrogate")
DPALS_METRICS = tuple(
    name for name in DPALS_COLUMNS if name not in (*DPALS_COORDINATES, "trial", "seconds")
)


def method_modules(section: Section, cell: DpalsCell) -> list[str]:
    """Return the modules of a cell's method."""
    return modules_of(cell.method)


def made_of(unavailable: Collection[str], cells: Mapping[str, Mapping]) -> list[str]:
    """Return the data sets that could not be had, and those that are made of them.

    ``cells`` are the settings by cell, one value a name, as
    :func:`dpmc.frame.jobs.cell_settings.read_settings` reads them.
    """
    sources = {
        name.split(", ")[0].removeprefix("dataset="): own.get("data.of")
        for name, own in cells.items()
    }
    made = [name for name, source in sources.items() if source in unavailable]
    return list(dict.fromkeys([*unavailable, *made]))


def prepare(configuration: Mapping[str, object]) -> Section:
    """Return the section ``dpals`` with its table of hyper-parameters."""
    # constructs models, so it imports all methods
    from dpmc.studies.dpals.check import check_dpals

    given = configuration["dpals"]
    table = load_hyperparameters(given["hyperparameters"] or HYPERPARAMETERS)
    section = {**given, "hyperparameters": table}
    check_dpals({**section, "large": True}, configuration["data"]["sets"])  # what may run later too
    return section


STUDY = Study(
    name="dpals",
    title="Private alternating least squares",
    prepare=prepare,
    jobs=(
        Job(
            SURROGATE,
            "dpmc.studies.dpals.generated:run",
            cell=SurrogateCell,
            cells=lambda section: map(SurrogateCell, surrogates(section)),
            settings=surrogate_settings,
            file="npz",
            seconds=16.0,
            effort=effort_of_data,
        ),
        Job(
            "fit",
            "dpmc.studies.dpals.trial:run_fits",
            # iterations have rows only where an experiment asks for errors by iteration
            tables={"trials": DPALS_COLUMNS, "iterations": ITERATION_COLUMNS},
            cell=DpalsCell,
            cells=dpals_cells,
            by=("dataset", "method", "variant"),
            settings=dpals_settings,
            inputs=inputs_of,
            modules=method_modules,
            seconds=15.0,
            effort=effort_of_fits,
        ),
        Job(
            "timing",
            "dpmc.studies.dpals.timing:run",
            tables={"timing": TIMING_COLUMNS},
            settings=timing_settings,
            modules=lambda section, cell: [
                module for name in section["timing"]["methods"] for module in modules_of(name)
            ],
            seconds=120.0,
            effort=effort_of_timing,
        ),
        Job(
            "coverage",
            "dpmc.studies.dpals.coverage:run",
            tables={"coverage": COVERAGE_COLUMNS},
            cell=DataCell,
            cells=lambda section: map(DataCell, section["coverage"]["datasets"]),
            settings=coverage_settings,
            inputs=inputs_of,
            seconds=4.0,
            effort=effort_of_data,
        ),
        Job(
            "accounting",
            "dpmc.studies.dpals.accounting:run",
            tables={"accounting": ACCOUNTING_COLUMNS},
            settings=lambda section, cell: {"delta": section["delta"], **section["accounting"]},
        ),
        # candidates of hyper-parameters on the validation data of another seed
        Job(
            "candidate",
            "dpmc.studies.dpals.tuning:run",
            tables={"tuning": TUNING_COLUMNS},
            cell=DpalsCell,
            cells=tuning_cells,
            settings=tuning_settings,
            inputs=inputs_of,
            modules=method_modules,
            target="dpals_tune",
            seconds=300.0,
            effort=effort_of_candidates,
        ),
    ),
    steps=(
        Step(
            "claims",
            "dpmc.studies.dpals.claims.judge:run",
            makes=JUDGED,
            needs=MEASURED,
            files=(HERE / "claims.yaml", HERE / "published.csv"),
        ),
        Step(
            "tables",
            "dpmc.studies.dpals.tables:run",
            needs=(*MEASURED, *JUDGED),
            files=(HERE / "published.csv",),
        ),
        Step(
            "figures",
            "dpmc.studies.dpals.figures:run",
            needs=MEASURED,
            files=(HERE / "published.csv",),
            seconds=30.0,
        ),
    ),
    chapter="dpmc.studies.dpals.chapter:chapter",
    errata="dpmc.studies.dpals.errata:errata",
    # Sums over ratings are added in another order on other CPUs, in single precision for large
    # data sets: these have a tolerance of their own in the reference.
    regression=Regression(
        table="trials",
        coordinates=DPALS_COORDINATES,
        metrics=DPALS_METRICS,
        lacking=made_of,
        labels={"claims": ("id",)},
        by_clock=("D21",),  # about seconds
    ),
    schema=HERE / "schema.yaml",
    costs=HERE / "costs.csv",
)

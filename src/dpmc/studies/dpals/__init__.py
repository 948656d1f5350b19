"""Study: "Private alternating least squares", with what it is compared with.

Source: Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang (ICML 2021); Jain, Thakkar and
Thakurta (ICML 2018) for private Frank-Wolfe; the read-me of DP_Matrix_Completion_Alt_Min.
"""

from pathlib import Path

from dpmc.studies.dpals.cells import (
    ACCOUNTING_COLUMNS,
    COVERAGE_COLUMNS,
    CURVE_COORDINATES,
    DPALS_COLUMNS,
    DPALS_COORDINATES,
    ITERATION_COLUMNS,
    TIMING_COLUMNS,
    TUNING_COLUMNS,
    accounting_settings,
    timing_settings,
)
from dpmc.studies.dpals.effort import (
    effort_of_candidates,
    effort_of_coverage,
    effort_of_fits,
    effort_of_surrogate,
    effort_of_timing,
)
from dpmc.studies.dpals.regression import REGRESSION
from dpmc.studies.dpals.settings import (
    SURROGATE,
    coverage_job_settings,
    coverage_jobs,
    curve_job_settings,
    curve_jobs,
    method_modules,
    prepare,
    ratings_inputs,
    surrogate_job_settings,
    surrogate_jobs,
    timing_modules,
    tuning_job_settings,
    tuning_jobs,
)
from dpmc.study.api import Step, Study
from dpmc.study.text_cells import text_job as Job

HERE = Path(__file__).parent
MEASURED = ("trials", "iterations", "timing", "coverage", "accounting")
JUDGED = ("claims", "claims_surrogate")

STUDY = Study(
    name="dpals",
    title="Private alternating least squares",
    prepare=prepare,
    jobs=(
        Job(
            SURROGATE,
            "dpmc.studies.dpals.generated:run",
            coordinates=(SURROGATE,),
            cells=surrogate_jobs,
            settings=surrogate_job_settings,
            file="npz",
            seconds=16.0,
            effort=effort_of_surrogate,
        ),
        Job(
            "fit",
            "dpmc.studies.dpals.run:fit",
            # iterations have rows only where an experiment asks for errors by iteration
            tables={"trials": DPALS_COLUMNS, "iterations": ITERATION_COLUMNS},
            coordinates=CURVE_COORDINATES,
            cells=curve_jobs,
            settings=curve_job_settings,
            inputs=ratings_inputs,
            modules=method_modules,
            seconds=15.0,
            effort=effort_of_fits,
        ),
        Job(
            "timing",
            "dpmc.studies.dpals.timing:run",
            tables={"timing": TIMING_COLUMNS},
            settings=lambda section, coordinates: timing_settings(section),
            modules=timing_modules,
            seconds=120.0,
            effort=effort_of_timing,
        ),
        Job(
            "coverage",
            "dpmc.studies.dpals.coverage:run",
            tables={"coverage": COVERAGE_COLUMNS},
            coordinates=("dataset",),
            cells=coverage_jobs,
            settings=coverage_job_settings,
            inputs=ratings_inputs,
            seconds=4.0,
            effort=effort_of_coverage,
        ),
        Job(
            "accounting",
            "dpmc.studies.dpals.accounting:run",
            tables={"accounting": ACCOUNTING_COLUMNS},
            settings=lambda section, coordinates: accounting_settings(section),
        ),
        # candidates of hyper-parameters on the validation data of another seed
        Job(
            "candidate",
            "dpmc.studies.dpals.tuning:run",
            tables={"tuning": TUNING_COLUMNS},
            coordinates=DPALS_COORDINATES,
            cells=tuning_jobs,
            settings=tuning_job_settings,
            inputs=ratings_inputs,
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
            files=(HERE / "claims.yaml",),
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
    regression=REGRESSION,
    schema=HERE / "schema.yaml",
    costs=HERE / "costs.csv",
)

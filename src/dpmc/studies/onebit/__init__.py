"""Study: "One-bit matrix completion with differential privacy", run again and corrected.

Source: Li, Wei, Huang, Mao and Wang (arXiv:2110.00719).
"""

from pathlib import Path

from dpmc.studies.onebit.cells import (
    BOUND_COLUMNS,
    CLEAR,
    CLEAR_COORDINATES,
    CONSTANT_COLUMNS,
    CURVE_COORDINATES,
    OBSERVED_FRACTION,
    ONEBIT_COLUMNS,
    OUTP_ATTACK_COLUMNS,
    OUTP_CHANGE_COLUMNS,
    RANK_COLUMNS,
)
from dpmc.studies.onebit.regression import REGRESSION
from dpmc.studies.onebit.settings import (
    bound_settings,
    clear_jobs,
    clear_settings,
    curve_jobs,
    curve_settings,
    job_inputs,
    outp_settings,
    prepare,
)
from dpmc.study.api import Effort, Section, Step, Study
from dpmc.study.text_cells import Coordinates
from dpmc.study.text_cells import text_job as Job

HERE = Path(__file__).parent


def noises(section: Section, coordinates: Coordinates) -> tuple[str, ...]:
    """Return the modules of the noises, which are imported by name."""
    return ("dpmc.mechanisms.gaussian", "dpmc.mechanisms.laplace")


def effort(section: Section, coordinates: Coordinates) -> Effort:
    """Return what a curve's cost grows with: trials and budgets; entries of drawn matrices."""
    privately = "mechanism" in coordinates
    settings = (curve_settings if privately else clear_settings)(section, coordinates)
    names = (name for name in coordinates if name != OBSERVED_FRACTION)
    return Effort(
        " ".join(coordinates[name] for name in names),
        settings["trials"] * len(settings.get("epsilons", [None])),
        settings.get("users", 1) * settings.get("items", 1),
    )


def effort_of_outp(section: Section, coordinates: Coordinates) -> Effort:
    """Return what the attack's cost grows with."""
    settings = outp_settings(section, coordinates)
    return Effort(amount=len(settings["links"]) * settings["trials"], size=settings["samples"])


STUDY = Study(
    name="onebit",
    title="One-bit matrix completion with differential privacy",
    prepare=prepare,
    jobs=(
        Job(
            CLEAR,
            "dpmc.studies.onebit.run:clear",
            tables={"trials": ONEBIT_COLUMNS, "ranks": RANK_COLUMNS},
            coordinates=CLEAR_COORDINATES,
            cells=clear_jobs,
            settings=clear_settings,
            inputs=job_inputs,
            file="npz",
            effort=effort,
        ),
        Job(
            "curve",
            "dpmc.studies.onebit.run:curve",
            tables={"trials": ONEBIT_COLUMNS, "ranks": RANK_COLUMNS},
            coordinates=CURVE_COORDINATES,
            cells=curve_jobs,
            settings=curve_settings,
            inputs=job_inputs,
            modules=noises,
            seconds=8.0,
            effort=effort,
        ),
        Job(
            "outp",
            "dpmc.studies.onebit.outp:run",
            tables={"outp_change": OUTP_CHANGE_COLUMNS, "outp_attack": OUTP_ATTACK_COLUMNS},
            settings=outp_settings,
            modules=noises,
            seconds=13.0,
            effort=effort_of_outp,
        ),
        Job(
            "bounds",
            "dpmc.studies.onebit.bounds:run",
            tables={"bounds": BOUND_COLUMNS, "link_constants": CONSTANT_COLUMNS},
            settings=bound_settings,
        ),
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
            needs=("trials", "claims", "link_constants"),
        ),
        Step(
            "figures",
            "dpmc.studies.onebit.figures:run",
            needs=("trials", "ranks", "outp_change", "outp_attack", "bounds"),
            seconds=20.0,
        ),
    ),
    chapter="dpmc.studies.onebit.chapter:chapter",
    errata="dpmc.studies.onebit.errata.entries:errata",
    regression=REGRESSION,
    schema=HERE / "schema.yaml",
    costs=HERE / "costs.csv",
)

"""An invented study with every kind of table that the check knows, and runs of it."""

from dataclasses import dataclass
from pathlib import Path

from dpmc_studies import tables
from dpmc_studies.frame.api import Regression, Study
from dpmc_studies.frame.jobs.cell_settings import Settings, settings_text
from dpmc_studies.frame.jobs.cells import Cell

COORDINATES = ("dataset", "method", "epsilon")
METRICS = ("error_all", "error_heldout", "error_clipped")
TRIAL_COLUMNS = (*COORDINATES, "trial", *METRICS, "seconds")
TOTAL_COLUMNS = ("mechanism", "releases", "form", "total")
AUDIT_COLUMNS = ("target", "fault", "bound", "passed")


@dataclass(frozen=True)
class Point(Cell):
    """A cell."""

    dataset: str
    method: str
    epsilon: float | None


ALS = Point("synthetic", "als", 1.0)
IRLS = Point("synthetic", "irls", 0.5)
QUIET = Point("synthetic", "als", None)
REAL = Point("sweetrs", "irls", 1.0)
POINTS = (ALS, IRLS, QUIET, REAL)


REGRESSION = Regression(
    table="trials",
    coordinates=COORDINATES,
    metrics=METRICS,
    trials=None,
    labels={"comparison": ("table", "dataset", "method", "metric"), "claims": ("id",)},
    numbers={"totals": ("mechanism", "releases", "form")},
    passed={"audit": ("target", "fault")},
    by_clock=("C3",),
)


def study(regression=REGRESSION, **changes):
    """The study; ``changes`` are other attributes."""
    given = {"name": "invented", "title": "Invented", "jobs": (), "steps": ()}
    given |= {"chapter": "invented_study:chapter"}
    return Study(**given | {"regression": regression} | changes)


def trial_rows(points=POINTS, trials=3, change=None):
    """Invented trials; ``change`` maps (point, trial) to new values of some columns."""
    for point in points:
        for trial in range(trials):
            value = 0.1 + 0.37 * POINTS.index(point) + 0.01 / (trial + 3)
            synthetic = point.dataset == "synthetic"
            row = point.coordinates() | {"trial": trial, "seconds": 0.25}
            row |= {
                "error_all": value if synthetic else None,
                "error_heldout": 1.1 * value,
                "error_clipped": None if synthetic else 0.9 * value,
            }
            yield row | (change or {}).get((point, trial), {})


def comparison_rows(status="agrees", real_status="deviates"):
    """Statuses beside three published numbers, one of them of real data."""
    names = ("table", "dataset", "method", "metric", "published", "status")
    values = [
        ("table3", "synthetic", "als", "error_all", 0.2, status),
        ("table5", "sweetrs", "irls", "error_heldout", 1.5, real_status),
        ("table1", None, "huber", "epsilon", 5.4, "deviates"),
    ]
    return [dict(zip(names, row, strict=True)) for row in values]


def claim_rows(verdict="supported", reason="3 of 4 cells", seconds="supported"):
    """Verdicts on three claims, the last one about seconds."""
    names = ("id", "claim", "verdict", "reported_verdict", "effect", "reason")
    values = [
        ("C1", "It is so, and so.", "supported", "supported", -0.5, "2 wins"),
        ("C2", "It is not.", verdict, None, 0.25, reason),
        ("C3", "It is fast.", seconds, None, 1.5, "by the clock"),
    ]
    return [dict(zip(names, row, strict=True)) for row in values]


def total_rows(change=None):
    """What releases add up to; ``change`` maps (mechanism, releases) to another total."""
    for mechanism in ("gaussian", "huber"):
        for releases in (50, 1000):
            total = 0.1 * releases + len(mechanism) / 3
            total = (change or {}).get((mechanism, releases), total)
            yield dict(zip(TOTAL_COLUMNS, (mechanism, releases, "exact", total), strict=True))


def audit_rows(passed=True):
    """Rows of an audit; ``passed`` is that of a planted fault."""
    rows = [("laplace", None, 0.9, True), ("huber", "scale x 0.8", 1.2, passed)]
    return [dict(zip(AUDIT_COLUMNS, row, strict=True)) for row in rows]


def settings_of(points=POINTS, profile="full", trials=3, **changes):
    """The settings of a run."""
    values = {"seed": 1, "trials": trials, "regularization": 0.5} | changes
    return Settings(profile, {point.name: values for point in points})


def write_run(
    folder: Path, *, trials=None, settings=None, comparison=None, claims=None, totals=None,
    audit=None,
) -> Path:  # fmt: skip
    """Write the results of the study; what is not given is as above."""
    comparison = comparison_rows() if comparison is None else comparison
    claims = claim_rows() if claims is None else claims
    tables.write(folder / "trials.csv", TRIAL_COLUMNS, trial_rows() if trials is None else trials)
    (folder / "settings.json").write_text(settings_text(settings or settings_of()))
    tables.write(folder / "comparison.csv", tuple(comparison[0]), comparison)
    tables.write(folder / "claims.csv", tuple(claims[0]), claims)
    tables.write(folder / "totals.csv", TOTAL_COLUMNS, total_rows() if totals is None else totals)
    tables.write(folder / "audit.csv", AUDIT_COLUMNS, audit_rows() if audit is None else audit)
    return folder

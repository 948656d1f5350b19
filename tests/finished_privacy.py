"""Invented result folders of equal privacy and of the audit, for the tests of what reads them."""

from dpmc import tables
from dpmc.studies.audit.rows import AUDIT_COLUMNS
from dpmc.studies.equal_privacy.cells import CALIBRATED_COLUMNS, CalibratedCell
from dpmc.study.cell_settings import Settings, settings_text
from dpmc.study.cells import cell_name

PRIVATE = CalibratedCell("synthetic", "entry_change", 0.5, "private_als")
REAL = CalibratedCell("sweetrs", "user_add_remove", 5.0, "private_als")
OPEN = CalibratedCell("synthetic", None, None, "als")
MECHANISMS = {PRIVATE: ("gaussian", "huber"), REAL: ("gaussian",), OPEN: ("none",)}


def settings_of(cell, trials=3):
    """Settings by mechanism, as the study's regression states them for each fit."""
    shared = {"seed": 1, "trials": trials, "rank": 5, "rating_range": [0.0, 2.5]}
    return {
        mechanism: shared | {"method": {"rank": 2, "regularization": 0.5}}
        for mechanism in MECHANISMS[cell]
    }


def fit_rows(cells=tuple(MECHANISMS), trials=3, change=None):
    """Invented fits; ``change`` maps (cell, mechanism, trial) to new values of some columns."""
    for cell in cells:
        for trial in range(trials):
            for mechanism in MECHANISMS[cell]:
                value = 0.2 + 0.31 * len(cell.dataset + mechanism) + 0.01 / (trial + 3)
                row = dict.fromkeys(CALIBRATED_COLUMNS) | cell.coordinates()
                row |= {"mechanism": mechanism, "trial": trial, "seconds": 0.5}
                row["rmse_heldout"] = value
                row["rmse_all" if cell.dataset == "synthetic" else "rmse_clipped"] = 0.9 * value
                yield row | (change or {}).get((cell, mechanism, trial), {})


def audit_rows():
    """Three rows that passed, the last one a planted fault that was caught."""
    row = dict.fromkeys(AUDIT_COLUMNS) | {"target": "mechanism", "test": "likelihood_ratio"}
    row |= {"claimed_epsilon": 1.0, "lower_bound": 0.9, "passed": True}
    return [
        row | {"mechanism": "laplace"},
        row | {"mechanism": "huber"},
        row | {"mechanism": "huber", "planted_fault": "scale x 0.8"},
    ]


def write_equal_privacy(folder, *, cells=None, fits=None, verdict="contradicted", profile="full"):
    """Write the files that the check reads; what is not given is :func:`fit_rows` and so on."""
    cells = {cell: settings_of(cell) for cell in MECHANISMS} if cells is None else cells
    fits = fit_rows(cells) if fits is None else fits
    tables.write(folder / "calibrated.csv", CALIBRATED_COLUMNS, fits)
    named = {
        cell_name(cell.coordinates() | {"mechanism": mechanism}): values
        for cell, fitted in cells.items()
        for mechanism, values in fitted.items()
    }
    (folder / "settings.json").write_text(settings_text(Settings(profile, named)))
    claims = [{"id": "H34", "verdict": verdict, "reported_verdict": "", "reason": "2 of 2"}]
    tables.write(folder / "claims.csv", claims[0], claims)
    return folder


def write_audit(folder, rows=None):
    """Write the table of the audit, that of :func:`audit_rows` if not given."""
    tables.write(folder / "audit.csv", AUDIT_COLUMNS, audit_rows() if rows is None else rows)
    return folder

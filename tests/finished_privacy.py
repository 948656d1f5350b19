"""An invented result folder of the privacy part, for the tests of what reads one."""

from dpmc import tables
from dpmc.studies.audit.rows import AUDIT_COLUMNS
from dpmc.studies.equal_privacy.cells import CALIBRATED_COLUMNS, CalibratedCell
from dpmc.studies.huber.totals import COLUMNS as TOTAL_COLUMNS
from dpmc.study.cells import cell_name
from dpmc.study.runs import Settings, settings_text

PRIVATE = CalibratedCell("synthetic", "entry_change", 0.5, "private_als")
REAL = CalibratedCell("sweetrs", "user_add_remove", 5.0, "private_als")
OPEN = CalibratedCell("synthetic", None, None, "als")
MECHANISMS = {PRIVATE: ("gaussian", "huber"), REAL: ("gaussian",), OPEN: ("none",)}


def settings_of(cell, trials=3):
    """Settings as :func:`dpmc.studies.equal_privacy.cells.calibrated_settings` returns them."""
    tuned = {mechanism: {"rank": 2, "regularization": 0.5} for mechanism in MECHANISMS[cell]}
    return {"seed": 1, "trials": trials, "rank": 5, "rating_range": [0.0, 2.5]} | {
        "hyperparameters": tuned
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


def total_rows():
    """Two totals, the second without a lower bound."""
    row = {"mechanism": "gaussian", "variance": 1.0, "releases": 50, "sensitivity": 5.0}
    row |= {"delta": 1e-5, "accountant": "pld", "epsilon": 774.84}
    row |= {"epsilon_lower": 774.83, "epsilon_upper": 774.84}
    return [row, row | {"accountant": "rdp", "epsilon_lower": None}]


def write_privacy(folder, *, cells=None, fits=None, audit=None, totals=None, profile="full"):
    """Write the files that the check reads; what is not given is :func:`fit_rows` and so on."""
    cells = {cell: settings_of(cell) for cell in MECHANISMS} if cells is None else cells
    fits = fit_rows(cells) if fits is None else fits
    audit = audit_rows() if audit is None else audit
    totals = total_rows() if totals is None else totals
    tables.write(folder / "calibrated.csv", CALIBRATED_COLUMNS, fits)
    tables.write(folder / "audit.csv", AUDIT_COLUMNS, audit)
    tables.write(folder / "totals.csv", TOTAL_COLUMNS, totals)
    named = {cell_name(cell.coordinates()): values for cell, values in cells.items()}
    (folder / "settings.json").write_text(settings_text(Settings(profile, named)))
    return folder

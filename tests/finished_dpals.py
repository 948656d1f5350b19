"""An invented result folder of DPALS, for the tests of what reads one."""

from dpmc import tables
from dpmc.studies.dpals.cells import DPALS_COLUMNS, DpalsCell
from dpmc.study.cell_settings import Settings, settings_text
from dpmc.study.cells import cell_name

ALS = DpalsCell("synthetic-5k", "als", "standard", None)
DPALS = DpalsCell("synthetic-5k", "dpals", "standard", 1.0)
SWEPT = DpalsCell("synthetic-5k", "dpals", "none_0.1", 1.0)
DERIVED = DpalsCell("ml-10m-top400", "dpals", "standard", 0.5)
IMPLICIT = DpalsCell("ml-20m", "popularity", "standard", None)
CELLS = (ALS, DPALS, SWEPT, DERIVED, IMPLICIT)


def settings_of(cell, trials=3):
    """Settings as :func:`dpmc.studies.dpals.settings.dpals_settings` returns them."""
    data = {"rating_range": [0.5, 5]}
    data |= {"of": "ml-10m", "top_items": 400} if cell == DERIVED else {}
    own = {"seed": 1, "trials": trials, "data": data, "model": {"rank": 5}}
    return own | ({} if cell.epsilon is None else {"delta": 1e-5})


def dpals_rows(cells=CELLS, trials=3, change=None):
    """Invented rows; ``change`` maps (cell, trial) to new values of some columns."""
    for cell in cells:
        for trial in range(trials):
            value = 0.3 + 0.07 * len(cell.method) + 0.01 / (trial + 3)
            row = dict.fromkeys(DPALS_COLUMNS) | cell.coordinates() | {"trial": trial}
            row |= {"users": 100, "items": 40, "ratings": 1000 + trial, "iterations": 3}
            if cell == IMPLICIT:
                row |= {"recall": value}
            else:
                row |= {"rmse": value, "rse": value / 2}
            if cell.epsilon is not None:
                row |= {"claimed_epsilon": cell.epsilon, "claimed_delta": 1e-5}
                row |= {"actual_epsilon": cell.epsilon, "actual_delta": 1e-5}
            yield row | {"seconds": 0.1} | (change or {}).get((cell, trial), {})


def write_dpals(folder, *, cells=CELLS, settings=None, rows=None, verdict="supported",
                reason="3 of 4", profile="full"):  # fmt: skip
    """Write the files that the check reads; what is not given is :func:`dpals_rows` and so on."""
    rows = dpals_rows(cells) if rows is None else rows
    named = {cell_name(cell.coordinates()): settings_of(cell) for cell in cells}
    named |= {cell_name(cell.coordinates()): own for cell, own in (settings or {}).items()}
    tables.write(folder / "trials.csv", DPALS_COLUMNS, rows)
    (folder / "settings.json").write_text(settings_text(Settings(profile, named)))
    claims = [
        {"id": "D1", "verdict": "supported", "reported_verdict": "", "reason": "2 of 2"},
        {"id": "D6", "verdict": verdict, "reported_verdict": "", "reason": reason},
    ]
    tables.write(folder / "claims.csv", claims[0], claims)
    return folder

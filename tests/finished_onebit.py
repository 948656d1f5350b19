"""An invented result folder of the one-bit study, for the tests of what reads one."""

from dataclasses import replace

from dpmc import tables
from dpmc.studies.onebit.cells import ONEBIT_COLUMNS, OneBitCell
from dpmc.study.cell_settings import Settings, settings_text
from dpmc.study.cells import cell_name

CLEAR = OneBitCell("synthetic", "gaussian", "both", 0.15, "clear", None)
INP = OneBitCell("synthetic", "gaussian", "both", 0.15, "inp", 1.0)
REAL = OneBitCell("restaurant", "logistic", "both", 0.8, "outp", 10.0)
CELLS = (CLEAR, INP, REAL)
BASELINES = ("zero", "item_bias")


def settings_of(trials=3):
    """Settings as the study's regression states them for each cell."""
    return {"seed": 1, "trials": trials, "rank": 1, "alpha": 1}


def with_baselines(cells):
    """The cells that have rows: clear stands for its baselines too."""
    for cell in cells:
        yield cell
        if cell == CLEAR:
            yield from (replace(CLEAR, mechanism=name) for name in BASELINES)


def onebit_rows(cells=CELLS, trials=3, change=None):
    """Invented rows; ``change`` maps (cell, trial) to new values of some columns."""
    for cell in with_baselines(cells):
        for trial in range(trials):
            value = 0.3 + 0.07 * len(cell.mechanism) + 0.01 / (trial + 3)
            row = dict.fromkeys(ONEBIT_COLUMNS) | cell.coordinates() | {"trial": trial}
            if cell.dataset == "synthetic":
                row |= {"are_raw": 2 * value, "are_truncated": value}
            else:
                row |= {"accuracy_raw": value, "accuracy_truncated": 1.1 * value}
            if cell.mechanism not in BASELINES:
                row |= {"objective": 500 * value, "iterations": 40 + trial, "converged": True}
            if cell.epsilon is None:
                row |= {"claimed_epsilon": float("inf"), "actual_epsilon": float("inf")}
            else:
                row |= {"claimed_epsilon": cell.epsilon, "claimed_delta": 0.0}
                row |= {"actual_epsilon": cell.epsilon, "actual_delta": 0.0}
                row |= {"user_epsilon": 17 * cell.epsilon, "user_delta": 0.0}
            yield row | {"seconds": 0.1} | (change or {}).get((cell, trial), {})


def write_onebit(folder, *, cells=CELLS, settings=None, rows=None, verdict="supported",
                 reason="3 of 4", profile="full"):  # fmt: skip
    """Write the files that the check reads; what is not given is :func:`onebit_rows` and so on."""
    rows = onebit_rows(cells) if rows is None else rows
    named = {cell_name(cell.coordinates()): settings_of() for cell in with_baselines(cells)}
    named |= {cell_name(cell.coordinates()): own for cell, own in (settings or {}).items()}
    tables.write(folder / "trials.csv", ONEBIT_COLUMNS, rows)
    (folder / "settings.json").write_text(settings_text(Settings(profile, named)))
    claims = [
        {"id": "O1", "verdict": "supported", "reported_verdict": "", "reason": "2 of 2"},
        {"id": "O6", "verdict": verdict, "reported_verdict": "", "reason": reason},
    ]
    tables.write(folder / "claims.csv", claims[0], claims)
    return folder

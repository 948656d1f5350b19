"""More trials of the cells that H8 reads follow on those of the grid, and move nothing else."""

import pandas as pd
import pytest

from dpmc.configuration import load
from dpmc.frame.jobs.plan import Plan
from dpmc.studies.huber import STUDY
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.claims.contrasts import RANKS
from dpmc.studies.huber.claims.judge import judge
from dpmc.studies.huber.claims.method_comparisons import small_minus_large
from dpmc.studies.huber.experiments import more_trials
from dpmc.studies.huber.trial import run_cell

SETTINGS = {
    "seed": 4, "trials": 2, "users": 15, "items": 20, "scale": 1.0, "regularization": 0.5,
    "iterations": 4, "start": "normal", "loss_parameter": 0.4, "residual_scale": 1.0,
}  # fmt: skip
GRID = 10  # trials


@pytest.fixture(scope="module")
def section():
    return Plan("results", load("config/config.yaml"), {"huber": STUDY}).sections["huber"]


@pytest.mark.parametrize(("method", "inner"), [("als", None), ("irls", 3)])
def test_they_are_what_a_longer_grid_would_have_run(method, inner):
    cell = Cell("synthetic", 2, 2.0, 0.4, method, "huber", inner)
    rows = list(more_trials.following(cell, SETTINGS | {"more_trials": 3}))
    longer = list(run_cell(cell, SETTINGS | {"trials": 5}))
    without_seconds = [[{**row, "seconds": 0} for row in table] for table in (longer, rows)]
    assert without_seconds[0][2:] == without_seconds[1]
    assert longer[0]["rmse_all"] == next(run_cell(cell, SETTINGS))["rmse_all"]


def test_their_cells_are_those_that_h8_reads(section):
    read = {cell for contrast in small_minus_large(RANKS) for cell in contrast.weights}
    cells = more_trials.cells(section)
    assert len(cells) == 24
    assert {*cells} == read


@pytest.mark.parametrize("changed", [{"more_trials": 0}, {"observed_fractions": [0.05, 0.1]}])
def test_what_could_not_tell_is_not_run(section, changed):
    assert more_trials.cells(section | changed) == []


@pytest.fixture(scope="module")
def both(paper, claims, budgets, make_trials):
    """All verdicts on the trials of the grid, and with as many more of the cells of H8."""
    every = make_trials(trials=2 * GRID, spread=0.02)
    grid, later = every[every["trial"] < GRID], every[every["trial"] >= GRID]
    noise, where = later["mechanism"] == "huber", later["observed_fraction"].isin([0.05, 0.15])
    more = later[(later["dataset"] == "synthetic") & noise & where]

    def judged(more):
        return judge(grid, paper, budgets, claims, more_trials=more).set_index("id")

    return judged(None), judged(more), judged(more.iloc[:0])


def test_only_h8_reads_them(both):
    # but p-values that are corrected for all claims, H8 among them
    without, with_more = (table.drop(columns="holm") for table in both[:2])
    changed = [name for name in without.index if not without.loc[name].equals(with_more.loc[name])]
    assert changed == ["H8"]


def test_h8_reads_all_trials(both, paper, claims, budgets, make_trials):
    without, with_more, empty = both
    assert (without.loc["H8", "n"], with_more.loc["H8", "n"]) == (GRID, 2 * GRID)
    whole = judge(make_trials(trials=2 * GRID, spread=0.02), paper, budgets, claims)
    names = ["verdict", "effect", "interval_low", "interval_high", "n", "readings"]
    expected = whole.set_index("id").loc["H8", names]
    pd.testing.assert_series_equal(with_more.loc["H8", names], expected)
    assert "20 trials of each cell, 10 of the grid" in with_more.loc["H8", "reason"]
    assert empty.loc["H8"].equals(without.loc["H8"])

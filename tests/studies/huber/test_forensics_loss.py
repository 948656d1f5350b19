"""The sweep over the loss parameter: what it runs, and what its table shows."""

import numpy as np
import pandas as pd
import pytest

from dpmc.ratings import Ratings
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.experiments.forensics_loss import LOSS_COLUMNS, run_losses
from dpmc.studies.huber.forensics_fit import LOSS_FIT_COLUMNS, loss_fit
from dpmc.studies.huber.tables_forensics import loss_table
from dpmc.studies.huber.trial import run_cell

SETTINGS = {
    "seed": 3, "trials": 3, "regularization": 0.5, "iterations": 2, "start": "normal",
    "residual_scale": 1.0, "rank": 2, "variance": 1, "irls_iterations": 20,
    "loss_parameters": [0.3, 3.0], "splits": {0.1: 0.8},
}  # fmt: skip


@pytest.fixture(scope="module")
def trials():
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((20, 15)) < 0.4)
    values = rng.integers(1, 6, users.size)
    ratings = Ratings(users, items, values, 20, 15, name="ml-100k", rating_range=(1.0, 5.0))
    cell = Cell("ml-100k", 2, 1.0, 0.1, "irls", "huber", 20)
    own = SETTINGS | {"training_share": 0.8, "loss_parameter": 0.3}
    single = [row["rmse_heldout"] for row in run_cell(cell, own, ratings=ratings)]
    return pd.DataFrame(run_losses("ml-100k", SETTINGS, ratings)), single


def published(above):
    """Reported: ALS without noise 1, A-IRLS above it by so much, with Huber noise 1.1 times."""
    rows = [("als", "none", np.nan, 1.0), ("irls", "none", 20, above), ("irls", "huber", 20, 1.1)]
    names = ["method", "mechanism", "irls_iterations", "published"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.assign(metric="rmse_heldout", dataset="ml-100k", observed_fraction=0.1)


def test_every_loss_parameter_is_run_on_the_same_data_and_noise(trials):
    rows, single = trials
    assert tuple(rows.columns) == LOSS_COLUMNS
    assert len(rows) == 3 * (1 + 2 * 2)
    found = rows[(rows["mechanism"] == "huber") & (rows["loss_parameter"] == 0.3)]
    assert found["rmse_heldout"].tolist() == single
    assert rows.loc[rows["method"] == "als", "loss_parameter"].isna().all()


def test_the_fit_is_paired_with_als(trials):
    rows, _ = trials
    fit = loss_fit(rows, published(1.02))
    assert list(fit.columns) == LOSS_FIT_COLUMNS
    assert len(fit) == 4
    first = fit.iloc[0]
    als = rows.loc[rows["method"] == "als", "rmse_heldout"].to_numpy()
    part = rows[(rows["mechanism"] == "none") & (rows["loss_parameter"] == 0.3)]
    logs = np.log(part["rmse_heldout"].to_numpy() / als)
    assert first["above_als"] == pytest.approx(logs.mean())
    assert first["low"] < first["above_als"] < first["high"]
    assert first["reported_above_als"] == pytest.approx(np.log(1.02))
    assert loss_fit(rows.assign(observed_fraction=0.2), published(1.02)).empty  # not reported


def made_up(*places):
    """A fit: data set, fraction, reported and ours at a = .5 and 3, all above ALS."""
    rows = [
        (name, fraction, "none", loss, 1.0, ours, ours - 0.001, ours + 0.001, 1.0, reported, 5)
        for name, fraction, reported, *values in places
        for loss, ours in zip((0.5, 3.0), values, strict=True)
    ]
    return pd.DataFrame(rows, columns=LOSS_FIT_COLUMNS)


def test_the_table_marks_what_is_nearest_to_the_reported_difference():
    movielens, sweetrs = ("ml-100k", 0.051, 0.026, 0.025, 0.0), ("sweetrs", 0.05, 0.0, 0.03, 0.0)
    table = loss_table(made_up(movielens, sweetrs))
    assert [column.label for column in table.columns] == ["reported", "a = 0.5", "a = 3"]
    assert [row.line for row in table.rows] == ["mean", "95 % from", "95 % to"] * 2
    first, low, high, other = table.rows[:4]
    assert first.labels == ("MovieLens 100K", "5.1 %", "No noise")
    assert [cell.number for cell in first.cells] == ["2.6", "2.5", "0.0"]
    assert [row.cells[1].number for row in (low, high)] == ["2.4", "2.6"]
    assert [cell.lowest for cell in first.cells] == [False, True, False]
    assert other.labels[:2] == ("SweetRS", "5 %")
    assert [cell.lowest for cell in other.cells] == [False, False, True]


def test_without_data_the_table_has_no_rows():
    assert loss_table(made_up()).rows == ()

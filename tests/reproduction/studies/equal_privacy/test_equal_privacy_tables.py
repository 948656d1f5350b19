"""The tables at equal privacy hold the numbers of the fits, and mark winners rightly."""

from itertools import groupby

import numpy as np
import pandas as pd
import pytest
from fake_results.equal_privacy import BASELINES, EPSILONS, fake_calibrated
from scipy import stats

from dpmc_studies.frame.showing.frames import select
from dpmc_studies.frame.showing.table_formats import to_csv, to_html, to_latex, to_markdown
from dpmc_studies.statistics.paired import leader
from dpmc_studies.studies.equal_privacy.comparisons import (
    one_mechanism_per_baseline,
    places,
    summary,
)
from dpmc_studies.studies.equal_privacy.tables import equal_tables

FOUR = ("entry_change", "user_add_remove", "entry_add_remove", "user_replace")
WHERE = {"dataset": "ml-100k", "relation": "entry_change", "epsilon": 5.0}


@pytest.fixture(scope="module")
def calibrated():
    return fake_calibrated()


def scaled(calibrated, factor, **where):
    """A copy with the errors of some models multiplied."""
    planted = calibrated.copy()
    rows = select(planted, **where).index
    planted.loc[rows, ["rmse_all", "rmse_heldout", "rmse_clipped"]] *= factor
    return planted


def cells(table, **keys):
    """Column to cell of the one row with these labels."""
    names = [key for key, _ in table.headings]
    rows = [
        row
        for row in table.rows
        if {**dict(zip(names, row.keys, strict=True)), "line": row.line}.items() >= keys.items()
    ]
    assert len(rows) == 1
    return dict(zip([column.key for column in table.columns], rows[0].cells, strict=True))


def test_there_is_a_table_for_every_relation_in_order(calibrated):
    ids = [f"table_privacy_3_{number}_{name}" for number, name in enumerate(FOUR, start=1)]
    assert [table.id for table in equal_tables(calibrated)] == ids


def test_rows_with_the_same_label_stand_together(calibrated):
    for table in equal_tables(calibrated):
        starts = [start for start, _ in groupby(row.labels[0] for row in table.rows)]
        assert len(starts) == len(set(starts))


def test_equal_privacy_shows_means_over_trials(calibrated):
    tables = {table.id: table for table in equal_tables(calibrated)}
    table = tables["table_privacy_3_1_entry_change"]
    assert len(table.rows) == 5 * len(EPSILONS)
    found = cells(table, dataset="ml-100k", line="ε = 5")
    values = select(calibrated, **WHERE, method="private_irls", mechanism="huber")["rmse_heldout"]
    cell = found["private_irls_huber"]
    assert (cell.value, cell.error) == pytest.approx((values.mean(), stats.sem(values)))
    free = select(calibrated, dataset="ml-100k", method="als", mechanism="none")["rmse_heldout"]
    assert found["als"].value == pytest.approx(free.mean())
    synthetic = cells(table, dataset="synthetic", line="ε = 5")["private_als_laplace"]
    values = select(calibrated, **WHERE | {"dataset": "synthetic"}, method="private_als",
                    mechanism="laplace")["rmse_all"]  # fmt: skip
    assert synthetic.value == pytest.approx(values.mean())
    user = cells(tables["table_privacy_3_2_user_add_remove"], dataset="jester", line="ε = 2")
    assert not user["private_als_huber"].present
    assert user["private_als_gaussian"].present


def test_a_baseline_stands_with_its_best_mechanism(calibrated):
    planted = scaled(calibrated, 0.9, **WHERE, method=BASELINES[1], mechanism="laplace")
    found = cells(equal_tables(planted)[0], dataset="ml-100k", line="ε = 5")
    values = select(planted, **WHERE, method=BASELINES[1], mechanism="laplace")["rmse_heldout"]
    assert found[BASELINES[1]].value == pytest.approx(values.mean())
    left = one_mechanism_per_baseline(planted)
    assert len(select(left, **WHERE, method=BASELINES[1])) == 6
    assert len(left[left["relation"].isna()]) == len(calibrated[calibrated["relation"].isna()])


def test_a_planted_winner_is_marked_alone(calibrated):
    planted = scaled(calibrated, 0.8, **WHERE, method="private_irls", mechanism="laplace")
    table = equal_tables(planted)[0]
    found = cells(table, dataset="ml-100k", line="ε = 5")
    assert [key for key, cell in found.items() if cell.lowest] == ["private_irls_laplace"]
    assert not any(cell.tied for cell in found.values())
    assert f"**{found['private_irls_laplace'].number}**" in to_markdown(table)


def test_planted_ties_are_marked_and_not_the_worse_ones(calibrated):
    models = [("private_als", "huber"), ("private_als", "gaussian")]
    planted = calibrated.copy()
    rng = np.random.default_rng(0)
    for method, mechanism in models:
        rows = select(planted, **WHERE, method=method, mechanism=mechanism).index
        planted.loc[rows, "rmse_heldout"] = 0.5 * np.exp(0.002 * rng.standard_normal(len(rows)))
    table = equal_tables(planted)[0]
    found = cells(table, dataset="ml-100k", line="ε = 5")
    tied = {key for key, cell in found.items() if cell.tied}
    assert tied == {"private_als_huber", "private_als_gaussian"}
    assert not any(cell.lowest for cell in found.values())
    for text, mark in ((to_markdown(table), " ≈ |"), (to_latex(table), r"$\approx$"),
                       (to_html(table), "≈</span>")):  # fmt: skip
        assert mark in text
    header, *lines = to_csv(table).splitlines()
    assert header.endswith(",tied")
    row = next(line for line in lines if line.startswith("ml-100k,ε = 5,"))
    assert row.endswith(",private_als_gaussian;private_als_huber")


def test_one_trial_ties_everything(calibrated):
    one = calibrated[calibrated["trial"] == 0]
    place, errors = next(iter(places(one).items()))
    assert len(leader(errors).leaders) == len(select(one, **dict(zip(WHERE, place, strict=True))))
    table = summary(one)
    assert table["low"].isna().all()
    assert equal_tables(one)[0].rows[0].cells[0].spread == ""


def test_a_model_that_failed_in_all_trials_takes_no_part(calibrated):
    planted = calibrated.copy()
    rows = select(planted, **WHERE, method="private_als", mechanism="huber").index
    planted.loc[rows, ["rmse_all", "rmse_heldout"]] = np.nan
    errors = places(planted)[tuple(WHERE.values())]
    assert ("private_als", "huber") not in leader(errors).leaders
    assert not cells(equal_tables(planted)[0], dataset="ml-100k", line="ε = 5")[
        "private_als_huber"
    ].present


def test_data_of_ones_own_keep_their_name(calibrated):
    own = calibrated.assign(dataset=calibrated["dataset"].replace("jester", "mine"))
    labels = [row.labels[0] for row in equal_tables(own)[0].rows]
    assert labels[-1] == "Mine"
    assert pd.Series(labels).nunique() == 5

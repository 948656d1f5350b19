"""The tables at equal privacy hold the numbers of the fits, and mark winners rightly."""

import numpy as np
import pytest
from scipy import stats

from dpmc_studies.frame.showing.frames import select
from dpmc_studies.frame.showing.table_formats import to_csv, to_html, to_latex, to_markdown
from dpmc_studies.statistics.paired import leader
from dpmc_studies.studies.equal_privacy.frames import one_mechanism_per_baseline, places
from dpmc_studies.studies.equal_privacy.tables import equal_tables

WHERE = {"dataset": "ml-100k", "relation": "entry_change", "epsilon": 5.0}
BASELINE = "private_item_bias"


def cells(table, dataset="ml-100k", line="ε = 5"):
    """Column to cell of the one row with these labels."""
    (row,) = (row for row in table.rows if (row.keys[0], row.line) == (dataset, line))
    return dict(zip([column.key for column in table.columns], row.cells, strict=True))


def test_equal_privacy_shows_means_over_trials(calibrated):
    tables = {table.id: table for table in equal_tables(calibrated)}
    relations = ("entry_change", "user_add_remove", "entry_add_remove", "user_replace")
    assert list(tables) == [f"table_privacy_3_{n}_{name}" for n, name in enumerate(relations, 1)]
    table = tables["table_privacy_3_1_entry_change"]
    assert len(table.rows) == 5 * 6
    values = select(calibrated, **WHERE, method="private_irls", mechanism="huber")["rmse_heldout"]
    cell = cells(table)["private_irls_huber"]
    assert (cell.value, cell.error) == pytest.approx((values.mean(), stats.sem(values)))
    free = select(calibrated, dataset="ml-100k", method="als", mechanism="none")["rmse_heldout"]
    assert cells(table)["als"].value == pytest.approx(free.mean())
    values = select(calibrated, **WHERE | {"dataset": "synthetic"}, method="private_als",
                    mechanism="laplace")["rmse_all"]  # fmt: skip
    shown = cells(table, dataset="synthetic")["private_als_laplace"]
    assert shown.value == pytest.approx(values.mean())
    user = cells(tables["table_privacy_3_2_user_add_remove"], dataset="jester", line="ε = 2")
    assert not user["private_als_huber"].present  # not run
    assert user["private_als_gaussian"].present


def test_a_baseline_stands_with_its_best_mechanism(calibrated, scaled):
    planted = scaled(0.5, **WHERE, method=BASELINE, mechanism="laplace")
    values = select(planted, **WHERE, method=BASELINE, mechanism="laplace")["rmse_heldout"]
    assert cells(equal_tables(planted)[0])[BASELINE].value == pytest.approx(values.mean())
    left = one_mechanism_per_baseline(planted)
    assert len(select(left, **WHERE, method=BASELINE)) == 10
    assert left["relation"].isna().sum() == calibrated["relation"].isna().sum()


def test_a_planted_winner_is_marked_alone(scaled):
    planted = scaled(0.5, **WHERE, method="private_irls", mechanism="laplace")
    table = equal_tables(planted)[0]
    found = cells(table)
    assert [key for key, cell in found.items() if cell.lowest] == ["private_irls_laplace"]
    assert not any(cell.tied for cell in found.values())
    assert f"**{found['private_irls_laplace'].number}**" in to_markdown(table)


def test_planted_ties_are_marked_and_not_the_worse_ones(calibrated):
    planted = calibrated.copy()
    rng = np.random.default_rng(0)
    for mechanism in ("huber", "gaussian"):
        rows = select(planted, **WHERE, method="private_als", mechanism=mechanism).index
        planted.loc[rows, "rmse_heldout"] = 0.5 * np.exp(0.002 * rng.standard_normal(len(rows)))
    table = equal_tables(planted)[0]
    found = cells(table)
    tied = {key for key, cell in found.items() if cell.tied}
    assert tied == {"private_als_huber", "private_als_gaussian"}
    assert not any(cell.lowest for cell in found.values())
    for text, mark in ((to_markdown(table), " ≈ |"), (to_latex(table), r"$\approx$"),
                       (to_html(table), "≈</span>")):  # fmt: skip
        assert mark in text
    (row,) = (line for line in to_csv(table).splitlines() if line.startswith("ml-100k,ε = 5,"))
    assert row.endswith(",private_als_gaussian;private_als_huber")


def test_one_trial_ties_everything_and_a_model_that_failed_takes_no_part(calibrated):
    one = calibrated[calibrated["trial"] == 0]
    place = tuple(WHERE.values())
    assert len(leader(places(one)[place]).leaders) == len(select(one, **WHERE))
    assert cells(equal_tables(one)[0])["private_als_huber"].spread == ""
    planted = calibrated.copy()
    failed = select(planted, **WHERE, method="private_als", mechanism="huber").index
    planted.loc[failed, ["rmse_all", "rmse_heldout"]] = np.nan
    assert ("private_als", "huber") not in leader(places(planted)[place]).leaders
    assert not cells(equal_tables(planted)[0])["private_als_huber"].present

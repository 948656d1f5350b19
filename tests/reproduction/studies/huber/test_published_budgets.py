"""Tables of the published budgets hold the numbers of the results."""

import pandas as pd
import pytest
from fake_results.huber import committed

from dpmc_studies.frame.showing.frames import percent, select
from dpmc_studies.studies.huber.statistics import shares_above
from dpmc_studies.studies.huber.tables_privacy import loss_table, totals_table


def cells(table, **keys):
    """Column to cell of the one row with these labels."""
    names = [key for key, _ in table.headings]
    (row,) = (
        row
        for row in table.rows
        if {**dict(zip(names, row.keys, strict=True)), "line": row.line}.items() >= keys.items()
    )
    return dict(zip([column.key for column in table.columns], row.cells, strict=True))


def test_totals_stand_below_the_reported_budgets(paper):
    table = totals_table(committed("totals"), paper)
    reported = cells(table, line="reported")
    assert (reported["huber_2"].value, reported["gaussian_1"].value) == (5.382, 15.964)
    assert cells(table, line="corrected")["huber_2"].value == pytest.approx(5.3799, abs=5e-5)
    tight = cells(table, dataset="synthetic", releases=50, line="tightest")
    assert tight["gaussian_1"].value == pytest.approx(774.8, abs=0.05)  # exact Gaussian privacy
    assert tight["laplace_2"].value == pytest.approx(238.1, abs=0.05)
    basic = cells(table, dataset="synthetic", releases=1000, line="basic")
    assert basic["huber_1"].value == pytest.approx(15000)
    real = cells(table, dataset="sweetrs", releases=2000, line="RDP")  # as was published
    assert {key for key, cell in real.items() if cell.present} == {"laplace_1", "huber_1"}


def test_losses_stand_beside_the_claims():
    losses = committed("transcript_loss")
    table = loss_table(losses)
    found = cells(table, dataset="synthetic", run="ALS, T = 50", mechanism="huber", variance=2.0)
    part = select(losses, dataset="synthetic", method="als", mechanism="huber", variance=2.0)
    assert len(part) == 1
    assert found["nominal"].value == pytest.approx(5.3799, abs=5e-5)
    assert found["lowest_median"].value == part["median"].min()
    assert found["largest"].value == part["largest"].max()
    assert found["above_nominal"].value == pytest.approx(100 * part["share_above_nominal"].mean())
    short = cells(table, dataset="sweetrs", run="IRLS, T = 100, K = 2", mechanism="huber")
    rows = select(losses, dataset="sweetrs", irls_iterations=2)
    assert short["highest_median"].value == rows["median"].max()


def test_shares_are_of_all_neighbours_by_data_set_and_not_rounded_to_all_or_none():
    names = ["dataset", "neighbours", "share_above_total"]
    rows = [("sweetrs", 100, 0.001), ("synthetic", 100, 0.5), ("synthetic", 300, 0.9)]
    text = "80 % of cases on Synthetic, under 1 % of cases on SweetRS"
    assert shares_above(pd.DataFrame(rows, columns=names)) == text
    shares = (0.0, 0.004, 0.5, 0.996, 1.0)
    formatted = ["0 %", "under 1 %", "50 %", "over 99 %", "100 %"]
    assert [percent(share) for share in shares] == formatted

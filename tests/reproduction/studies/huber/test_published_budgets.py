"""Tables, figures and the finding about the published budgets hold the numbers of the results."""

from itertools import groupby
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from fake_results.huber import fake_losses, fake_totals

from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.showing.frames import percent, select
from dpmc_studies.frame.showing.style import MECHANISMS, RC
from dpmc_studies.studies.huber import reported as reported_numbers
from dpmc_studies.studies.huber.figures import PRIVACY_FIGURES
from dpmc_studies.studies.huber.privacy_meaning import losses_text, totals_text
from dpmc_studies.studies.huber.reported import load
from dpmc_studies.studies.huber.tables_privacy import (
    build_privacy_tables,
    loss_table,
    run,
    totals_table,
)

PUBLISHED = Path(reported_numbers.__file__).parent


@pytest.fixture(scope="module")
def results():
    return {"totals": fake_totals(), "transcript_loss": fake_losses()}


@pytest.fixture(scope="module")
def drawings(results):
    with matplotlib.rc_context(RC):
        return {entry.id: entry.function(results) for entry in PRIVACY_FIGURES}


@pytest.fixture(scope="module")
def published():
    return load(PUBLISHED)


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


def test_tables_of_absent_results_are_left_out(tmp_path, published):
    run(tmp_path / "nothing", {"real_variances": {}}, tmp_path / "tables")
    assert list((tmp_path / "tables").iterdir()) == []
    results = {"totals": fake_totals(), "transcript_loss": None}
    assert [table.id for table in build_privacy_tables(results, published)] == [
        "table_privacy_1_totals"
    ]


def test_totals_stand_below_the_reported_budgets(published):
    table = totals_table(fake_totals(), published)
    reported = cells(table, line="reported")
    assert reported["huber_2"].value == 5.382
    assert reported["gaussian_1"].value == 15.964
    corrected = cells(table, line="corrected")
    assert corrected["huber_2"].value == pytest.approx(5.3799, abs=5e-5)
    tight = cells(table, dataset="synthetic", releases=50, line="tightest")
    assert tight["gaussian_1"].value == pytest.approx(774.8, abs=0.05)  # exact Gaussian privacy
    assert tight["laplace_2"].value == pytest.approx(0.88 * 250)
    basic = cells(table, dataset="synthetic", releases=1000, line="basic")
    assert basic["huber_1"].value == pytest.approx(15000)
    assert basic["gaussian_1"].absent == "not run"  # the invented totals have none


def test_only_what_was_published_has_a_total(published):
    table = totals_table(fake_totals(), published)
    real = cells(table, dataset="sweetrs", releases=2000, line="RDP")
    assert {key for key, cell in real.items() if cell.present} == {"laplace_1", "huber_1"}
    als = cells(table, dataset="ml-100k", releases=20, line="RDP")
    assert {key for key, cell in als.items() if cell.present} == {"gaussian_1"}
    assert "no finite ε" in " ".join(table.notes)


def test_losses_stand_beside_the_claims():
    losses = fake_losses()
    table = loss_table(losses)
    found = cells(table, dataset="synthetic", run="ALS, T = 50", mechanism="huber", variance=2.0)
    part = select(losses, dataset="synthetic", method="als", mechanism="huber", variance=2.0)
    assert len(part) == 9
    assert found["nominal"].value == pytest.approx(5.3799, abs=5e-5)
    assert found["lowest_median"].value == part["median"].min()
    assert found["largest"].value == part["largest"].max()
    assert found["above_nominal"].value == pytest.approx(100 * part["share_above_nominal"].mean())
    short = cells(table, dataset="sweetrs", run="IRLS, T = 100, K = 2", mechanism="huber",
                  variance=1.0)  # fmt: skip
    rows = select(losses, dataset="sweetrs", irls_iterations=2)
    assert short["highest_median"].value == rows["median"].max()


def test_losses_not_measured_are_said():
    losses = fake_losses()
    table = loss_table(losses[losses["dataset"] == "synthetic"])
    found = cells(table, dataset="sweetrs", run="ALS, T = 100")
    assert {cell.absent for cell in found.values()} == {"not run"}


def test_rows_with_the_same_label_stand_together(published):
    for table in (totals_table(fake_totals(), published), loss_table(fake_losses())):
        for depth in range(1, len(table.headings) + 1):
            starts = [start for start, _ in groupby(row.labels[:depth] for row in table.rows)]
            assert len(starts) == len(set(starts))


def test_totals_begin_at_the_reported_budgets(drawings):
    drawing = drawings["privacy_totals"]
    left, middle, right = drawing.figure.axes
    for axes, variance in ((left, 1.0), (middle, 2.0)):
        reported = {r["mechanism"]: r["epsilon_published_form"] for r in table_one([variance])}
        lines = {
            line.get_color(): line.get_xydata() for line in axes.lines if len(line.get_xydata()) > 5
        }
        for mechanism, look in MECHANISMS.items():
            if mechanism == "none":
                continue
            first = next(
                line.get_xydata()[0]
                for line in axes.lines
                if line.get_color() == look.color and line.get_xydata()[0][0] == 1
            )
            assert tuple(first) == pytest.approx((1, reported[mechanism]))
            totals = select(fake_totals(), mechanism=mechanism, variance=variance)
            tight = totals[totals["accountant"].isin(["pld", "exact"])]
            np.testing.assert_allclose(lines[look.color][-1], (2000, tight["epsilon"].iloc[-1]))
    excess = np.concatenate([line.get_ydata() for line in right.lines])
    # of the invented totals: RDP 2 % above exact and .9 / .88 above PLD, basic 1 / .88
    assert set(np.round(excess, 6)) == {2.0, 2.272727, 13.636364}
    added = drawing.data[drawing.data["accountant"] == "as published"]
    assert len(added) == 12


def test_losses_show_every_cell_claim_and_share(drawings):
    drawing = drawings["privacy_losses"]
    assert len(drawing.data) == 108 + 4 + 12
    left = drawing.figure.axes[0]
    medians = np.concatenate([line.get_xdata() for line in left.lines if line.get_marker() == "o"])
    change = drawing.data
    np.testing.assert_allclose(np.sort(medians), np.sort(change["median"]))
    *shares, head = [text.get_text() for text in left.texts]
    assert head == "above claim"
    assert len(shares) == 20
    first = select(change, dataset="synthetic", method="als", variance=1, mechanism="gaussian")
    assert shares[0] == f"{100 * first['share_above_nominal'].mean():.0f} %"


def test_texts_of_what_is_absent_are_empty(results):
    assert totals_text(None) == losses_text(None) == ""
    assert totals_text(results["totals"].query("releases == 100")) == ""


def test_losses_are_set_against_totals_like_with_like_and_by_data_set():
    row = {"neighbours": 100, "share_above_nominal": 1.0, "releases": 50}
    losses = pd.DataFrame(
        [
            row | {"dataset": "sweetrs", "share_above_total": 0.0, "median": 100.0,
                   "nominal_epsilon": 4.0},
            row | {"dataset": "synthetic", "share_above_total": 0.5, "median": 800.0,
                   "nominal_epsilon": 8.0},
        ]
    )  # fmt: skip
    text = losses_text(losses)
    one, other = "the total over the training for 50 % of 100 on Synthetic", "0 % of 100 on SweetRS"
    assert text.index(one) < text.index(other)
    # 800 / 50 over 8, and 100 / 50 over 4
    assert "a release loses typically 2 times its ε" in text
    assert "a release loses typically 0.5 times its ε" in text


def test_shares_are_not_rounded_to_all_or_none():
    shares = (0.0, 0.004, 0.5, 0.996, 1.0)
    formatted = ["0 %", "under 1 %", "50 %", "over 99 %", "100 %"]
    assert [percent(share) for share in shares] == formatted

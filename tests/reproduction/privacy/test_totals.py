"""The table of what published budgets add up to."""

import csv

import pytest

from dpmc.mechanisms import Gaussian
from dpmc.privacy.nominal import table_one
from dpmc_studies import tables
from dpmc_studies.studies.huber.experiments.totals import TOTAL_COLUMNS as COLUMNS
from dpmc_studies.studies.huber.experiments.totals import totals_table

RELEASES = (20, 100, 2000)


@pytest.fixture(scope="module")
def rows():
    return totals_table((1.0, 3.0), RELEASES)


def test_it_has_every_accountant_of_every_cell(rows, tmp_path):
    assert len(rows) == 2 * len(RELEASES) * (3 + 3 + 4)
    tables.write(tmp_path / "totals.csv", COLUMNS, rows)
    with open(tmp_path / "totals.csv", newline="") as stream:
        header, first, *_ = csv.reader(stream)
    assert tuple(header) == COLUMNS
    assert first[:4] == ["gaussian", "1", "20", "5"]


def test_order_of_the_accountants(rows):
    cells = {}
    for row in rows:
        key = row["mechanism"], row["variance"], row["releases"]
        cells.setdefault(key, {})[row["accountant"]] = row["epsilon"]
    for found in cells.values():
        assert found["pld"] <= found["rdp"] <= found["basic"]
        assert found.get("exact", 0) <= found["pld"]


def test_bounds(rows):
    for row in rows:
        assert row["epsilon"] == row["epsilon_upper"]
        if row["accountant"] in ("basic", "rdp"):
            assert row["epsilon_lower"] is None
        else:
            assert row["epsilon_lower"] <= row["epsilon"] <= row["epsilon_lower"] * (1 + 2e-5)


def test_deltas(rows):
    for row in rows:
        pure = row["accountant"] == "basic" and row["mechanism"] != "gaussian"
        assert row["delta"] == (0 if pure else 1e-5)


def epsilons(mechanism, variance, releases, **options):
    table = totals_table((variance,), (releases,), **options)
    return {row["accountant"]: row["epsilon"] for row in table if row["mechanism"] == mechanism}


def test_totals_of_the_published_budget():
    one = next(r for r in table_one() if (r["mechanism"], r["variance"]) == ("huber", 2))
    found = epsilons("huber", 2, 50)
    assert found["basic"] == pytest.approx(50 * one["epsilon_exact"])
    assert found["pld"] == pytest.approx(246.2588, rel=1e-5)  # computed independently


def test_gaussian_totals_are_exact():
    found = epsilons("gaussian", 4, 100, sensitivity=3.0, delta=1e-6)
    assert found["exact"] == Gaussian(2.0).epsilon(30.0, 1e-6)
    # Basic composition shares delta: 100 releases at 1e-8.
    assert found["basic"] == pytest.approx(100 * Gaussian(2.0).epsilon(3.0, 1e-8))

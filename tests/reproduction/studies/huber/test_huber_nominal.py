"""Nominal budgets against the twelve numbers of Table 1."""

import csv
from pathlib import Path

import pytest

from dpmc.errors import InputError
from dpmc.privacy.nominal import table_one
from dpmc_studies.studies import huber

REPORTED = Path(huber.__file__).parent / "reported" / "huber_budgets.csv"


def reported():
    with open(REPORTED, newline="") as stream:
        return {(r["mechanism"], float(r["variance"])): r for r in csv.DictReader(stream)}


def test_the_reported_numbers_where_the_paper_is_right():
    rows = table_one()
    assert [(r["mechanism"], r["variance"]) for r in rows] == list(reported())
    for row in rows:
        published = reported()[row["mechanism"], row["variance"]]
        assert row["delta"] == float(published["delta"])
        if row["mechanism"] == "huber" and row["variance"] > 1:
            continue
        epsilon = float(published["epsilon"])
        assert row["epsilon_published_form"] == pytest.approx(epsilon, abs=5.1e-4)


def test_the_corrected_numbers_where_it_is_wrong():
    rows = {(r["mechanism"], r["variance"]): r for r in table_one()}
    for variance, epsilon in ((2, 5.3799), (3, 4.2163), (4, 3.6012)):
        row = rows["huber", variance]
        for column in ("epsilon_published_form", "epsilon_corrected", "epsilon_exact"):
            assert row[column] == pytest.approx(epsilon, abs=5.1e-5)
        assert row["epsilon_exact"] == pytest.approx(5 * row["parameter"], rel=1e-15)
        assert abs(row["epsilon_exact"] - float(reported()["huber", variance]["epsilon"])) > 5e-4
    corrected = [rows["gaussian", v]["epsilon_corrected"] for v in (1, 2, 3, 4)]
    assert corrected == pytest.approx([24.224, 17.129, 13.986, 12.112], abs=6e-4)
    exact = [rows["gaussian", v]["epsilon_exact"] for v in (1, 2, 3, 4)]
    assert exact == pytest.approx([33.104, 20.676, 15.867, 13.207], abs=6e-4)


def test_a_variance_that_huber_noise_cannot_have():
    rows = {r["mechanism"]: r for r in table_one((0.5,))}
    assert rows["laplace"]["epsilon_exact"] == pytest.approx(10)
    assert rows["huber"]["parameter"] is None
    assert rows["huber"]["epsilon_exact"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"variances": (1, -2)}, "variance must be a positive finite number, got -2"),
        ({"sensitivity": 0}, "sensitivity must be a positive finite number, got 0"),
        ({"delta": 0}, "delta must be above 0, because Gaussian noise has no pure epsilon"),
        ({"delta": 1.5}, r"delta must lie in \[0, 1\), got 1.5"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(InputError, match=message):
        table_one(**arguments)

"""What the documents say of the Huber paper's numbers is what stands in the reference."""

import re

import pandas as pd
import pytest
from document_texts import HOME, README

from dpmc.studies.huber.huber_columns import fitted_variance

PAGE = HOME / "docs" / "studies" / "huber.md"
REFERENCE = HOME / "results" / "reference" / "huber"
STARTS = ("normal", "uniform")


def words_of(document):
    return " ".join(document.read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def deviating():
    """Reported errors that differ by more than sampling error."""
    table = pd.read_csv(REFERENCE / "expected" / "full" / "comparison.csv")
    errors = table[table["metric"] != "epsilon"]
    assert len(errors) == 168
    return errors[errors["status"] == "deviates"]


def test_how_many_errors_deviate(deviating):
    synthetic = deviating["dataset"] == "synthetic"
    noiseless = int((synthetic & (deviating["mechanism"] == "none")).sum())
    real = int((~synthetic).sum())
    said = f"{len(deviating)} differ by more than sampling error, among them {noiseless} synthetic"
    assert f"{said} ones without noise, {real} of 24 on real data" in words_of(README)
    page = words_of(PAGE)
    assert f"Of the 168 errors {len(deviating)} differ from ours" in page
    said = f"{int(synthetic.sum())} synthetic ones, of which {noiseless} without noise"
    assert said in page
    assert f"and {real} on real data" in page
    assert f"{24 - real} of 24 errors agree" in page


def test_the_variances_that_fit_best():
    columns = pd.read_csv(REFERENCE / "huber_columns.csv")
    rows = re.findall(r"^\| (\d+) % \| (.+) \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert [int(row[0]) for row in rows] == [5, 10, 15]
    for percent, *texts in rows:
        for start, text in zip(STARTS, texts, strict=True):
            found = fitted_variance(columns, start, 2.0, int(percent) / 100)
            assert text == f"{found.estimate:.2f} ({found.low:.2f} to {found.high:.2f})"

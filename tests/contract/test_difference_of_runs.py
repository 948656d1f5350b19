"""``dpmc diff`` sees every table of every study: on copies of the committed reference."""

import shutil

import pandas as pd
import pytest
from every_study import REFERENCE

from dpmc_studies.frame.checking.difference import difference

pytestmark = pytest.mark.slow

TOLERANCE = 1e-6


@pytest.fixture
def copied(tmp_path):
    return shutil.copytree(REFERENCE, tmp_path / "results")


def found(folder):
    result = difference(REFERENCE, folder, TOLERANCE)
    kinds = ("different", "only_in_first", "only_in_second")
    differing = [each["name"] for each in result["tables"] if any(each[kind] for kind in kinds)]
    assert result["equal"] == (not differing and not result["only_in_first"])
    return differing + result["only_in_first"]


def rewritten(path, change):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    change(table).to_csv(path, index=False)


def test_a_copy_is_equal_in_any_order_of_its_rows(copied):
    for path in copied.rglob("*.csv"):
        rewritten(path, lambda table: table.sample(frac=1, random_state=1))
    assert found(copied) == []


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("huber/trials.csv", "rmse_heldout"),
        ("huber/totals.csv", "epsilon_upper"),
        ("equal_privacy/calibrated.csv", "rmse_heldout"),
        ("onebit/trials.csv", "are_truncated"),
        ("dpals/trials.csv", "rmse"),
    ],
)
def test_an_edited_number_is_found(copied, name, column):
    def edit(table):
        row = table.index[table[column] != ""][7]
        table.loc[row, column] = str(float(table.loc[row, column]) * 1.00001)
        return table

    rewritten(copied / name, edit)
    assert found(copied) == [name]

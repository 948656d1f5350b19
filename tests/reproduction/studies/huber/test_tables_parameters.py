"""Table 2: the parameters as reported, and what is run here."""

import pytest

from dpmc_studies.configuration import load, merge
from dpmc_studies.studies.huber import STUDY
from dpmc_studies.studies.huber.tables_parameters import parameter_settings, parameters_table
from dpmc_studies.studies.huber.trial import synthetic_instance

CONFIGURATION = load("config/config.yaml")


def table_of(**changes):
    section = STUDY.section(merge(CONFIGURATION, {"huber": changes}))
    return parameters_table(parameter_settings(section))


def values(table, column):
    index = [each.key for each in table.columns].index(column)
    return {row.keys[0]: row.cells[index].value for row in table.rows}


def test_table_2_has_the_reported_parameters_beside_ours():
    table = table_of(ranks=[5], regularization=0.7, reported_trials=2)
    assert table.title == "Table 2 (thesis: 5.2): simulation parameters"
    assert list(values(table, "reported").values()) == [50, 20, 0.5, 10, 1, 5]
    found = values(table, "rank_5")
    assert [found[name] for name in ("iterations", "irls_iterations", "trials")] == [50, 20, 2]
    assert found["regularization"] == 0.7
    real = values(table, "ml-100k")
    assert (real["iterations"], real["smallest"], real["largest"]) == (20, 1, 5)
    assert values(table, "sweetrs")["iterations"] == 100


def test_the_range_is_that_of_the_drawn_matrices():
    found = values(table_of(ranks=[5], reported_trials=1), "rank_5")
    sizes = {"seed": 2206, "users": 100, "items": 500, "scale": 1.0}
    matrix = synthetic_instance({"rank": 5, "observed_fraction": 0.05}, sizes, 0).matrix()
    assert found["smallest"] == pytest.approx(matrix.min())
    assert found["largest"] == pytest.approx(matrix.max())
    scaled = table_of(ranks=[5], reported_trials=1, synthetic={"scale": 2.0})
    assert values(scaled, "rank_5")["largest"] == pytest.approx(2 * matrix.max())


def test_data_that_are_excluded_have_no_column():
    names = [each.key for each in table_of(ranks=[5], real={"ml-100k": None}).columns]
    assert names == ["reported", "rank_5", "sweetrs"]

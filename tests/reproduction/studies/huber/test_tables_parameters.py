"""Table 2: the parameters as reported, and what is run here."""

from dpmc_studies.configuration import load, merge
from dpmc_studies.studies.huber import STUDY
from dpmc_studies.studies.huber.tables_parameters import parameter_settings, parameters_table

CONFIGURATION = load("config/config.yaml")


def table_of(**changes):
    section = STUDY.section(merge(CONFIGURATION, {"huber": changes}))
    return parameters_table(parameter_settings(section))


def values(table, column):
    index = [each.key for each in table.columns].index(column)
    return {row.keys[0]: row.cells[index].value for row in table.rows}


def test_table_2_has_the_reported_parameters_beside_ours():
    table = table_of(regularization=0.7, reported_trials=2)
    assert table.title == "Table 2 (thesis: 5.2): simulation parameters"
    assert list(values(table, "reported").values()) == [50, 20, 0.5, 10, 1, 5]
    assert list(values(table, "synthetic").values())[:4] == [50, 20, 0.7, 2]
    real = values(table, "ml-100k")
    assert (real["iterations"], real["smallest"], real["largest"]) == (20, 1, 5)
    assert values(table, "sweetrs")["iterations"] == 100


def test_data_that_are_excluded_have_no_column():
    names = [each.key for each in table_of(real={"ml-100k": None}).columns]
    assert names == ["reported", "synthetic", "sweetrs"]

"""The check of DPALS: equal runs pass, and every planted fault is found."""

import json
from pathlib import Path

import pytest
from finished_dpals import (
    ALS,
    CELLS,
    DERIVED,
    DPALS,
    IMPLICIT,
    SWEPT,
    dpals_rows,
    settings_of,
    write_dpals,
)

from dpmc import tables
from dpmc.configuration import load
from dpmc.errors import InputError
from dpmc.studies.dpals import DPALS_METRICS, STUDY, made_of
from dpmc.studies.dpals.cells import DPALS_COORDINATES
from dpmc.study import check as checking
from dpmc.study.cells import cell_name
from dpmc.study.plan import Plan
from dpmc.study.tolerances import ALLOWED

HOME = Path(__file__).parents[3]
REFERENCE = HOME / "results" / "reference" / "dpals"
DPALS_NAME = "dataset=synthetic-5k, method=dpals, variant=standard, epsilon=1"
DERIVED_NAME = "dataset=ml-10m-top400, method=dpals, variant=standard, epsilon=0.5"


@pytest.fixture
def check(tmp_path):
    """A function: check a run with these tables against that of the unchanged tables."""
    reference = write_dpals(tmp_path / "reference")
    expected = reference / "expected" / "full"
    expected.mkdir(parents=True)
    (expected / "claims.csv").write_bytes((reference / "claims.csv").read_bytes())
    allow(tmp_path, [])

    def check(unavailable=(), **changes):
        results = checking.read_for_check(STUDY, write_dpals(tmp_path / "run", **changes))
        return checking.check(results, reference, unavailable)

    return check


def allow(tmp_path, rows):
    """Write the table of tolerances of the reference."""
    path = tmp_path / "reference" / "tolerances.csv"
    tables.write(path, (*DPALS_COORDINATES, *ALLOWED), rows)


def failures(findings):
    return [finding.text for finding in findings if finding.fails]


def notes(findings):
    return [finding.text for finding in findings if not finding.fails]


def value_of(cell, trial, metric):
    return next(row[metric] for row in dpals_rows([cell]) if row["trial"] == trial)


def test_an_equal_run_passes_and_is_counted(tmp_path, check):
    assert check() == []
    results = checking.read_for_check(STUDY, tmp_path / "run")
    assert results.counts() == "15 rows of trials, 2 rows of claims"


def test_the_committed_reference_is_that_of_the_committed_configuration():
    plan = Plan("results", load(HOME / "config" / "config.yaml"), {"dpals": STUDY})
    stored = json.loads((REFERENCE / "settings.json").read_text())["cells"]
    ours = json.loads(json.dumps(plan.settings_by_cell(STUDY)))
    assert list(ours.items()) == list(stored.items())
    lines = (REFERENCE / "trials.csv").read_text().splitlines()
    assert lines[0].split(",") == [*DPALS_COORDINATES, "trial", *DPALS_METRICS]
    kept = STUDY.regression.trials
    assert len(lines) == 1 + sum(min(kept, each["trials"]) for each in ours.values())


def test_what_is_made_of_data_that_could_not_be_had_is_lacking_too():
    cells = {
        "dataset=part, method=als, variant=standard": {"data.of": "jester"},
        "dataset=other, method=als, variant=standard": {"data.of": "ml-10m"},
        "dataset=drawn, method=als, variant=standard": {"data.rank": 2},
    }
    assert made_of(["jester"], cells) == ["jester", "part"]
    assert made_of([], cells) == []


def test_everything_that_is_measured_or_stated_is_compared():
    assert DPALS_METRICS == (
        "users", "items", "ratings", "rmse", "rse", "recall", "iterations", "claimed_epsilon",
        "claimed_delta", "actual_epsilon", "actual_delta",
    )  # fmt: skip


@pytest.mark.parametrize(("factor", "fails"), [(1 + 2e-6, 1), (1 - 2e-6, 1), (1 + 5e-7, 0)])
@pytest.mark.parametrize(
    ("cell", "metric"),
    [
        (ALS, "rmse"),
        (DPALS, "rse"),
        (SWEPT, "rmse"),
        (DERIVED, "actual_epsilon"),
        (DERIVED, "claimed_delta"),
        (IMPLICIT, "recall"),
        (IMPLICIT, "ratings"),
    ],
)
def test_a_changed_number_fails_and_names_the_cell(check, cell, metric, factor, fails):
    old = value_of(cell, 1, metric)
    found = check(rows=dpals_rows(change={(cell, 1): {metric: old * factor}}))
    assert len(failures(found)) == len(found) == fails
    for text in found:
        name = cell_name(cell.coordinates())
        assert text.text.startswith(f"{name}: trial 1: {metric} is ")


@pytest.mark.parametrize(("factor", "fails"), [(1 + 9e-5, 0), (1 + 2e-4, 1)])
def test_a_method_may_have_a_tolerance_of_its_own(tmp_path, check, factor, fails):
    patterns = dict.fromkeys(DPALS_COORDINATES, "*") | {"dataset": "ml-*", "epsilon": "0.5"}
    allow(tmp_path, [patterns | {"tolerance": 1e-4, "reason": "single precision"}])

    def changed(cell):
        change = {(cell, 0): {"rmse": value_of(cell, 0, "rmse") * factor}}
        return len(failures(check(rows=dpals_rows(change=change))))

    assert changed(DERIVED) == fails
    assert changed(DPALS) == 1


@pytest.mark.parametrize("value", [None, float("nan"), 1.0])
def test_a_recall_that_appears_or_goes_fails(check, value):
    changes = {(IMPLICIT, 0): {"recall": value}}
    if value == 1.0:
        changes |= {(DPALS, 0): {"recall": value}}
    assert len(failures(check(rows=dpals_rows(change=changes)))) == len(changes)


def test_the_time_it_took_is_not_compared(check):
    assert check(rows=dpals_rows(change={(DPALS, 0): {"seconds": 9.0}})) == []


def test_later_trials_are_not_compared(check):
    assert check(rows=dpals_rows(change={(DPALS, 2): {"rmse": 9.0}})) == []


def test_fewer_cells_and_trials_are_no_difference(check):
    cells = (ALS, DPALS)
    settings = {cell: settings_of(cell, trials=1) for cell in cells}
    assert check(cells=cells, settings=settings, rows=dpals_rows(cells, trials=1)) == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": {"rank": 6}}, "model.rank is 6, in the reference 5"),
        ({"data": {"rating_range": [0.5, 6]}}, "data.rating_range is (0.5, 6), in the reference"),
        ({"model": {"rank": 5, "projection": False}}, "model.projection is False, in the ref"),
    ],
)
def test_a_changed_setting_fails_for_its_cell_alone(check, change, sentence):
    settings = {DPALS: settings_of(DPALS) | change}
    rows = dpals_rows(change={(DPALS, 0): {"rmse": 9.0}, (SWEPT, 0): {"rmse": 0.9}})
    found = failures(check(settings=settings, rows=rows))
    assert found[0].startswith(sentence)
    assert found[0].endswith(f"these cells cannot be compared: {DPALS_NAME}.")
    assert len(found) == 2
    assert "variant=none_0.1" in found[1]


def test_missing_trials_fail_unless_the_data_they_are_made_of_are_not_available(check):
    rows = [row for row in dpals_rows() if (row["method"], row["trial"]) != ("als", 1)]
    (text,) = failures(check(rows=rows))
    assert text.endswith("method=als, variant=standard: the run lacks trial 1.")
    without = [cell for cell in CELLS if cell != DERIVED]
    lacks = f"{DERIVED_NAME}: the run lacks trial 0, 1, 2."
    assert failures(check(rows=dpals_rows(without))) == [lacks]
    assert failures(check(["ml-20m"], rows=dpals_rows(without))) == [lacks]
    found = check(["ml-10m"], rows=dpals_rows(without))
    assert failures(found) == []
    assert notes(found) == ["ml-10m-top400: data not available, 1 cells were not run."]


def test_a_changed_verdict_fails_unless_the_data_are_not_available(check):
    (text,) = failures(check(verdict="contradicted"))
    assert text == "id=D6: the verdict is contradicted, expected supported."
    absent = {"verdict": "inconclusive", "reason": "data not available (4 of 4 comparisons)"}
    assert len(failures(check(**absent))) == 1
    found = check(["ml-10m"], **absent)
    assert failures(found) == []
    assert len(notes(found)) == 1
    # what was not run as published is no want of data
    beside = {"verdict": "contradicted", "reason": "1 of 4. As published, dpfw_jain was not run"}
    assert len(failures(check(["ml-10m"], **beside))) == 1


def test_a_verdict_about_seconds_may_change_with_the_machine(tmp_path, check):
    def found(name):
        folder = write_dpals(tmp_path / "run")
        with open(folder / "claims.csv", "a") as stream:
            stream.write(f"{name},contradicted,,slow\n")
        return checking.check(checking.read_for_check(STUDY, folder), tmp_path / "reference")

    check()
    assert failures(found("D21")) == []
    assert failures(found("D20")) == ["id=D20: the verdict is contradicted, expected absent."]


@pytest.mark.parametrize("name", ["trials.csv", "settings.json", "tolerances.csv"])
def test_an_absent_reference_is_one_sentence_with_the_command(tmp_path, check, name):
    (tmp_path / "reference" / name).unlink()
    with pytest.raises(InputError, match=rf"no .*{name} .*`dpmc reference update` makes"):
        check()


@pytest.mark.parametrize("name", ["trials.csv", "settings.json", "claims.csv"])
def test_an_unfinished_run_is_refused(tmp_path, name):
    folder = write_dpals(tmp_path / "run")
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"it has no {name}; finish the run first"):
        checking.read_for_check(STUDY, folder)

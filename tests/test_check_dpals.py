"""The check of the DPALS part: equal runs pass, and every planted fault is found."""

from dataclasses import replace

import pandas as pd
import pytest

from dpmc import tables
from dpmc.errors import InputError
from dpmc.studies.dpals.cells import DPALS_COORDINATES, dpals_cells, dpals_settings
from dpmc.studies.dpals.regression import DPALS as PART
from dpmc.studies.dpals.regression import DPALS_METRICS, by_setting
from dpmc.studies.huber.trial import TRIAL_COLUMNS
from dpmc.study.cells import cell_name
from dpmc.study.check_parts import check_part, part_counts, read_part
from dpmc.study.reference import _write_part, update
from dpmc.study.runs import (
    STATUS_COLUMNS,
    VERDICT_COLUMNS,
    Run,
    Settings,
    read_trials,
    settings_text,
)
from dpmc.study.tolerances import ALLOWED
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

DPALS_NAME = "dataset=synthetic-5k, method=dpals, variant=standard, epsilon=1"
DERIVED_NAME = "dataset=ml-10m-top400, method=dpals, variant=standard, epsilon=0.5"


@pytest.fixture
def check(tmp_path):
    """A function: check a run with these tables against that of the unchanged tables."""
    run = read_part(PART, write_dpals(tmp_path / "reference" / "dpals"))
    verdicts = run.verdicts.to_dict("records")
    tables.write(
        tmp_path / "reference" / "expected" / "full" / PART.expected, VERDICT_COLUMNS, verdicts
    )
    allow(tmp_path, [])

    def check(unavailable=(), **changes):
        run = read_part(PART, write_dpals(tmp_path / "run", **changes))
        return check_part(run, tmp_path / "reference", unavailable)

    return check


def allow(tmp_path, rows):
    """Write the table of tolerances of the reference."""
    path = tmp_path / "reference" / "dpals" / "tolerances.csv"
    tables.write(path, (*DPALS_COORDINATES, *ALLOWED), rows)


def failures(findings):
    return [finding.text for finding in findings if finding.fails]


def notes(findings):
    return [finding.text for finding in findings if not finding.fails]


def value_of(cell, trial, metric):
    return next(row[metric] for row in dpals_rows([cell]) if row["trial"] == trial)


def test_an_equal_run_passes_and_is_counted(tmp_path, check):
    assert check() == []
    text = part_counts(read_part(PART, tmp_path / "run"))
    assert text == ", 15 DPALS trials, 2 DPALS verdicts"


def test_settings_of_the_experiments_are_settings_of_the_check():
    """What :func:`dpals_settings` returns is flat afterwards, one plain value a name."""
    section = {
        "seed": 1,
        "delta": 1e-5,
        "large": False,
        "datasets": {"part": {"of": "ml-10m", "rating_range": [1, 5], "users_share": 0.23}},
        "experiments": {
            "one": {"datasets": ["part"], "methods": ["als", "dpals"], "epsilons": [1], "trials": 2,
                    "variants": {"low": {"item_share": 0.2}}, "by_iteration": True},
        },
    }  # fmt: skip
    rows = [{"settings": {"rank": 3}, "source": "own"}]
    cells = {
        cell_name(cell.coordinates()): dpals_settings(section, rows, cell)
        for cell in dpals_cells(section)
    }
    flat = by_setting(Settings("full", cells)).cells
    assert len(flat) == 2
    assert flat["dataset=part, method=dpals, variant=low, epsilon=1"] == {
        "seed": 1, "trials": 2, "data.of": "ml-10m", "data.rating_range": (1, 5),
        "data.users_share": 0.23, "model.rank": 3, "model.item_share": 0.2, "delta": 1e-5,
        "by_iteration": True,
    }  # fmt: skip


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
        assert text.text.startswith(f"dpals: {name}: {metric} of trial 1 is ")


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
    assert found[0].startswith(f"dpals: {sentence}")
    assert found[0].endswith(f"these cells cannot be compared: {DPALS_NAME}.")
    assert len(found) == 2
    assert "variant=none_0.1" in found[1]


def test_missing_trials_fail_unless_the_data_they_are_made_of_are_not_available(check):
    rows = [row for row in dpals_rows() if (row["method"], row["trial"]) != ("als", 1)]
    (text,) = failures(check(rows=rows))
    assert text.endswith("method=als, variant=standard: the run lacks trial 1.")
    without = [cell for cell in CELLS if cell != DERIVED]
    lacks = f"dpals: {DERIVED_NAME}: the run lacks trial 0, 1, 2."
    assert failures(check(rows=dpals_rows(without))) == [lacks]
    assert failures(check(["ml-20m"], rows=dpals_rows(without))) == [lacks]
    found = check(["ml-10m"], rows=dpals_rows(without))
    assert failures(found) == []
    assert notes(found) == ["dpals: ml-10m-top400: data not available, 1 cells were not run."]


def test_a_changed_verdict_fails_unless_the_data_are_not_available(check):
    (text,) = failures(check(verdict="contradicted"))
    assert text == "dpals: D6: the verdict is contradicted, expected supported."
    absent = {"verdict": "inconclusive", "reason": "data not available (4 of 4 comparisons)"}
    assert len(failures(check(**absent))) == 1
    found = check(["ml-10m"], **absent)
    assert failures(found) == []
    assert len(notes(found)) == 1
    # what was not run as printed is no want of data
    beside = {"verdict": "contradicted", "reason": "1 of 4. As printed, dpfw_jain was not run"}
    assert len(failures(check(["ml-10m"], **beside))) == 1


def test_a_verdict_about_seconds_may_change_with_the_machine(tmp_path, check):
    run = read_part(PART, write_dpals(tmp_path / "run"))
    clock = dict.fromkeys(run.verdicts.columns, "") | {"id": "D21", "verdict": "contradicted"}
    more = pd.concat([run.verdicts, pd.DataFrame([clock])], ignore_index=True)
    assert failures(check_part(replace(run, verdicts=more), tmp_path / "reference")) == []
    other = pd.concat([run.verdicts, pd.DataFrame([clock | {"id": "D20"}])], ignore_index=True)
    assert len(failures(check_part(replace(run, verdicts=other), tmp_path / "reference"))) == 1


def test_what_the_reference_keeps_is_enough(tmp_path, check):
    folder = tmp_path / "reference" / "dpals"
    run = read_part(PART, folder)
    for path in folder.iterdir():
        path.unlink()
    _write_part(run, folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "settings.json", "tolerances.csv", "trials.csv"
    ]  # fmt: skip
    assert len((folder / "trials.csv").read_text().splitlines()) == 1 + 2 * 5
    assert check() == []


def huber_run(tmp_path, profile):
    """A run of the other part without any cell, which the reference is written with."""
    tables.write(tmp_path / "huber.csv", TRIAL_COLUMNS, [])
    none = [pd.DataFrame(columns=list(columns)) for columns in (STATUS_COLUMNS, VERDICT_COLUMNS)]
    return Run(tmp_path, read_trials(tmp_path / "huber.csv"), Settings(profile, {}), *none)


@pytest.mark.parametrize("profile", [None, "quick"])
def test_update_writes_what_is_compared(tmp_path, profile):
    name = profile or "full"
    run = read_part(PART, write_dpals(tmp_path / "run", profile=name))
    folder = tmp_path / "new"
    written = update(huber_run(tmp_path, name), folder, profile, parts=[run])
    assert folder / "expected" / name / PART.expected in written
    assert all(path.is_file() for path in written)
    assert (folder / "dpals").is_dir() == (profile is None)
    if profile is None:
        assert check_part(run, folder) == []


def test_update_refuses_a_run_that_is_incomplete_or_of_another_profile(tmp_path):
    huber, folder = huber_run(tmp_path, "full"), tmp_path / "new"
    part = read_part(PART, write_dpals(tmp_path / "run", rows=dpals_rows(CELLS[1:])))
    with pytest.raises(InputError, match=r"run is incomplete: .*method=als.*lacks trial 0, 1, 2"):
        update(huber, folder, parts=[part])
    other = read_part(PART, write_dpals(tmp_path / "other", profile="quick"))
    with pytest.raises(InputError, match="is a run of the profile quick, not of full"):
        update(huber, folder, parts=[other])
    assert not folder.exists()


@pytest.mark.parametrize(
    "name", ["dpals/trials.csv", "dpals/settings.json", "dpals/tolerances.csv"]
)
def test_an_absent_reference_is_one_sentence_with_the_command(tmp_path, check, name):
    (tmp_path / "reference" / name).unlink()
    with pytest.raises(InputError, match=rf"no .*{name} .*`dpmc reference update` makes"):
        check()


def test_absent_verdicts_of_a_profile_name_the_profile(check):
    with pytest.raises(InputError, match=r"no .*quick/dpals_claims\.csv .*--profile quick`"):
        check(profile="quick")


def test_settings_that_are_not_of_dpals_cells_are_refused(tmp_path, check):
    path = tmp_path / "reference" / "dpals" / "settings.json"
    for own in ({"seed": 1}, 7, ["trials"]):
        path.write_text(settings_text(Settings("full", {DPALS_NAME: own})))
        with pytest.raises(InputError, match="epsilon=1 are not of a DPALS cell"):
            check()


@pytest.mark.parametrize("name", ["trials.csv", "settings.json", "claims.csv"])
def test_an_unfinished_run_is_refused(tmp_path, name):
    folder = write_dpals(tmp_path / "run")
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"it has no {name}; finish the run first"):
        read_part(PART, folder)

"""The check of the one-bit study: equal runs pass, and every planted fault is found."""

import json
from pathlib import Path

import pytest
from finished_onebit import (
    CLEAR,
    INP,
    REAL,
    onebit_rows,
    settings_of,
    with_baselines,
    write_onebit,
)

from dpmc import tables
from dpmc.configuration import load
from dpmc.errors import InputError
from dpmc.studies.onebit import ONEBIT_METRICS, STUDY
from dpmc.studies.onebit.cells import ONEBIT_COLUMNS, ONEBIT_COORDINATES
from dpmc.studies.onebit.trial import run_clear_job, run_curve_job
from dpmc.study import check as checking
from dpmc.study.plan import Plan
from dpmc.study.task import Task
from dpmc.study.tolerances import ALLOWED

HOME = Path(__file__).parents[3]
REFERENCE = HOME / "results" / "reference" / "onebit"
CLEAR_NAME = "dataset=synthetic, link=gaussian, constraint=both, observed_fraction=0.15"
INP_NAME = f"{CLEAR_NAME}, mechanism=inp, epsilon=1"
REAL_NAME = (
    "dataset=restaurant, link=logistic, constraint=both, observed_fraction=0.8, mechanism=outp, "
    "epsilon=10"
)
SECTION = {
    "seed": 1,
    "links": ["gaussian"],
    "delta": 1e-5,
    "baselines": ["zero", "majority", "item_bias"],
    "grap": {"clip": 0.5, "iterations": 1, "step": 1.0},
    "datasets": {"synthetic": {"users": 12, "items": 10, "rank": 1, "alpha": 1}},
    "experiments": {
        "budgets": {
            "dataset": "synthetic",
            "constraint": "both",
            "observed_fractions": [0.5],
            "epsilons": [0.5, 10],
            "trials": 2,
            "mechanisms": ["inp", "grap_gaussian", "outp", "private_item_bias"],
        },
        "fractions": None,
    },
}


@pytest.fixture
def check(tmp_path):
    """A function: check a run with these tables against that of the unchanged tables."""
    reference = write_onebit(tmp_path / "reference")
    expect(reference, (reference / "claims.csv").read_text())
    allow(tmp_path, [])

    def check(unavailable=(), **changes):
        results = checking.read_for_check(STUDY, write_onebit(tmp_path / "run", **changes))
        return checking.check(results, reference, unavailable)

    return check


def expect(reference, claims):
    """Write the verdicts that the full profile expects."""
    (reference / "expected" / "full").mkdir(parents=True, exist_ok=True)
    (reference / "expected" / "full" / "claims.csv").write_text(claims)


def allow(tmp_path, rows):
    """Write the table of tolerances of the reference."""
    path = tmp_path / "reference" / "tolerances.csv"
    tables.write(path, (*ONEBIT_COORDINATES, *ALLOWED), rows)


def failures(findings):
    return [finding.text for finding in findings if finding.fails]


def notes(findings):
    return [finding.text for finding in findings if not finding.fails]


def test_an_equal_run_passes_and_is_counted(tmp_path, check):
    assert check() == []
    results = checking.read_for_check(STUDY, tmp_path / "run")
    assert results.counts() == "15 rows of trials, 2 rows of claims"


def test_a_run_of_the_experiments_has_the_rows_that_its_settings_name(tmp_path):
    """Every job as the workflow runs it."""
    configuration = {"reference": "full", "onebit": SECTION, "data": {"sets": {}}}
    plan = Plan("results", configuration, {"onebit": STUDY})
    rows = []
    for job, function in ((STUDY.job("clear"), run_clear_job), (STUDY.job("curve"), run_curve_job)):
        for place, cells in plan.jobs(STUDY, job).items():
            files = dict.fromkeys(plan.inputs(STUDY, job, place), tmp_path / "clear.npz")
            path = None if job.file is None else tmp_path / "clear.npz"
            rows += function(Task(cells, files, None, path))["trials"]
    folder = write_onebit(tmp_path / "run", rows=rows)
    (folder / "settings.json").write_text(plan.settings_text(STUDY))
    reference = tmp_path / "reference"
    reference.mkdir()
    allow(tmp_path, [])
    for name in ("trials.csv", "settings.json"):
        (reference / name).write_bytes((folder / name).read_bytes())
    expect(reference, (folder / "claims.csv").read_text())
    results = checking.read_for_check(STUDY, folder)
    assert len(results.trials) == 2 * (4 + 4 * 2)
    assert checking.check(results, reference) == []
    tables.write(folder / "trials.csv", ONEBIT_COLUMNS, rows[1:])
    results = checking.read_for_check(STUDY, folder)
    (text,) = failures(checking.check(results, reference))
    assert text.endswith("mechanism=clear: the run lacks trial 0.")


def by_row(jobs):
    """Settings by cell with rows, from those by job that references held at first."""
    cells = {}
    for name, values in jobs.items():
        own = {key: value for key, value in values.items() if key != "baselines"}
        for mechanism in ("clear", *values.get("baselines", ())):
            cells[name.replace("mechanism=clear", f"mechanism={mechanism}")] = own
    return cells


def test_the_committed_reference_is_that_of_the_committed_configuration():
    plan = Plan("results", load(HOME / "config" / "config.yaml"), {"onebit": STUDY})
    stored = json.loads((REFERENCE / "settings.json").read_text())["cells"]
    ours = plan.settings_by_cell(STUDY)
    assert list(by_row(stored).items()) == list(ours.items())
    columns = (REFERENCE / "trials.csv").read_text().partition("\n")[0].split(",")
    assert columns == [*ONEBIT_COORDINATES, "trial", *ONEBIT_METRICS]
    kept = STUDY.regression.trials
    lines = (REFERENCE / "trials.csv").read_text().splitlines()
    assert len(lines) == 1 + sum(min(kept, each["trials"]) for each in ours.values())


def test_everything_that_is_measured_or_stated_is_compared():
    assert ONEBIT_METRICS == (
        "are_raw", "are_truncated", "accuracy_raw", "accuracy_truncated", "objective",
        "claimed_epsilon", "claimed_delta", "actual_epsilon", "actual_delta", "user_epsilon",
        "user_delta",
    )  # fmt: skip


@pytest.mark.parametrize(("factor", "fails"), [(1 + 2e-6, 1), (1 - 2e-6, 1), (1 + 5e-7, 0)])
@pytest.mark.parametrize(
    ("cell", "metric"),
    [
        (INP, "are_raw"),
        (INP, "are_truncated"),
        (INP, "objective"),
        (INP, "actual_epsilon"),
        (CLEAR, "are_truncated"),
        (REAL, "accuracy_raw"),
        (REAL, "accuracy_truncated"),
        (REAL, "user_epsilon"),
    ],
)
def test_a_changed_number_fails_and_names_the_cell(check, cell, metric, factor, fails):
    (old,) = (
        row[metric]
        for row in onebit_rows()
        if (row["dataset"], row["mechanism"], row["trial"]) == (cell.dataset, cell.mechanism, 1)
    )
    found = check(rows=onebit_rows(change={(cell, 1): {metric: old * factor}}))
    assert len(failures(found)) == len(found) == fails
    for text in found:
        parts = ("dataset=", f"mechanism={cell.mechanism}", f"trial 1: {metric} is")
        assert all(part in text.text for part in parts)


@pytest.mark.parametrize(("factor", "fails"), [(1 + 9e-5, 0), (1 + 2e-4, 1)])
def test_a_data_set_may_have_a_tolerance_of_its_own(tmp_path, check, factor, fails):
    patterns = dict.fromkeys(ONEBIT_COORDINATES, "*") | {"dataset": "restaurant"}
    allow(tmp_path, [patterns | {"tolerance": 1e-4, "reason": "single precision"}])
    change = {(REAL, 0): {"user_epsilon": 170 * factor}}
    assert len(failures(check(rows=onebit_rows(change=change)))) == fails
    change = {(INP, 0): {"user_epsilon": 17 * (1 + 9e-5)}}
    assert len(failures(check(rows=onebit_rows(change=change)))) == 1


@pytest.mark.parametrize("value", [None, float("nan"), 1.0])
def test_a_guarantee_that_appears_from_nowhere_fails(check, value):
    """Without privacy epsilon is infinite: a number instead of it is no equal run."""
    change = {(CLEAR, 0): {"actual_epsilon": value}}
    assert len(failures(check(rows=onebit_rows(change=change)))) == 1


def test_how_it_was_computed_is_not_compared(check):
    how = {"iterations": 900, "converged": False, "seconds": 9.0}
    assert check(rows=onebit_rows(change={(INP, 0): how})) == []


def test_later_trials_are_not_compared(check):
    assert check(rows=onebit_rows(change={(INP, 2): {"are_raw": 9.0}})) == []


def test_fewer_cells_and_trials_are_no_difference(check):
    cells = (CLEAR, INP)
    settings = {cell: settings_of(trials=1) for cell in with_baselines(cells)}
    assert check(cells=cells, settings=settings, rows=onebit_rows(cells, trials=1)) == []


def test_a_changed_setting_fails_for_its_cell_alone(check):
    settings = {INP: settings_of() | {"alpha": 2}}
    rows = onebit_rows(change={(INP, 0): {"are_raw": 9.0}, (REAL, 0): {"accuracy_raw": 0.9}})
    found = failures(check(settings=settings, rows=rows))
    assert found[0] == (
        f"alpha is 2, in the reference 1, so that these cells cannot be compared: {INP_NAME}."
    )
    assert len(found) == 2
    assert found[1].startswith(f"{REAL_NAME}: trial 0: accuracy_raw is 0.9")


def test_missing_trials_fail_unless_the_data_are_not_available(check):
    rows = [row for row in onebit_rows() if (row["mechanism"], row["trial"]) != ("item_bias", 1)]
    (text,) = failures(check(rows=rows))
    assert text == f"{CLEAR_NAME}, mechanism=item_bias: the run lacks trial 1."
    assert failures(check(rows=onebit_rows((CLEAR, INP)))) == [
        f"{REAL_NAME}: the run lacks trial 0, 1, 2."
    ]
    found = check(["restaurant"], rows=onebit_rows((CLEAR, INP)))
    assert failures(found) == []
    assert notes(found) == ["restaurant: data not available, 1 cells were not run."]


def test_a_changed_verdict_fails_unless_the_data_are_not_available(check):
    (text,) = failures(check(verdict="contradicted"))
    assert text == "id=O6: the verdict is contradicted, expected supported."
    absent = {"verdict": "inconclusive", "reason": "Data not available."}
    assert len(failures(check(**absent))) == 1
    found = check(["restaurant"], **absent)
    assert failures(found) == []
    assert len(notes(found)) == 1


@pytest.mark.parametrize("name", ["trials.csv", "settings.json", "tolerances.csv"])
def test_an_absent_reference_is_one_sentence_with_the_command(tmp_path, check, name):
    (tmp_path / "reference" / name).unlink()
    with pytest.raises(InputError, match=rf"no .*{name} .*`dpmc reference update` makes"):
        check()


@pytest.mark.parametrize("name", ["trials.csv", "settings.json", "claims.csv"])
def test_an_unfinished_run_is_refused(tmp_path, name):
    folder = write_onebit(tmp_path / "run")
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"it has no {name}; finish the run first"):
        checking.read_for_check(STUDY, folder)

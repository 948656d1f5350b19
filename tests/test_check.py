"""The check against the reference: equal runs pass, and every planted fault turns it red."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpmc import tables
from dpmc.errors import InputError
from dpmc.studies.huber.cells import COORDINATES, Cell
from dpmc.studies.huber.trial import METRICS, TRIAL_COLUMNS
from dpmc.study import reference
from dpmc.study.cells import cell_name
from dpmc.study.check import (
    check_run,
    compare_settings,
    compare_trials,
    missing_trials,
    outcome,
)
from dpmc.study.runs import Run, Settings, read_run, read_settings, read_trials, settings_text
from dpmc.study.tolerances import Allowance, read_allowances, relative_difference

ALS = Cell("synthetic", 5, 1.0, 0.05, "als", "gaussian", None)
IRLS = Cell("synthetic", 5, 1.0, 0.05, "irls", "gaussian", 20)
QUIET = Cell("synthetic", 5, None, 0.05, "als", "none", None)
REAL = Cell("sweetrs", 32, 1.0, 0.1, "irls", "huber", 2)
CELLS = (ALS, IRLS, QUIET, REAL)


def rows(cells=CELLS, trials=3, change=None):
    """Invented rows; ``change`` maps (cell, trial) to new values of some columns."""
    for cell in cells:
        number = CELLS.index(cell)
        for trial in range(trials):
            value = 0.1 + 0.37 * number + 0.01 / (trial + 3)
            synthetic = cell.dataset == "synthetic"
            row = cell.coordinates() | {"trial": trial, "seconds": 0.25}
            row |= {
                "rmse_all": value if synthetic else None,
                "rmse_heldout": 1.1 * value,
                "rmse_clipped": None if synthetic else 0.9 * value,
            }
            yield row | (change or {}).get((cell, trial), {})


def table(tmp_path, name="trials.csv", **options):
    path = tmp_path / name
    tables.write(path, TRIAL_COLUMNS, rows(**options))
    return read_trials(path)


def settings(cells=CELLS, reference="full", trials=3, **changes):
    values = {"seed": 1, "trials": trials, "regularization": 0.5}
    return Settings(reference, {cell_name(cell.coordinates()): values | changes for cell in cells})


def failures(findings):
    return [finding.text for finding in findings if finding.fails]


def test_equal_runs_pass(tmp_path):
    assert compare_trials(table(tmp_path), table(tmp_path)) == []


def test_reading_gives_back_the_same_bits(tmp_path):
    read = table(tmp_path)
    stored = [row["rmse_heldout"] for row in rows()]
    assert read["rmse_heldout"].tolist() == stored
    assert read.index[0] == (cell_name(ALS.coordinates()), 0)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("factor", "fails"), [(1 + 2e-6, True), (1 - 2e-6, True), (1 + 5e-7, False)]
)
def test_an_excess_of_any_metric_fails_and_names_cell_and_numbers(tmp_path, metric, factor, fails):
    cell = REAL if metric == "rmse_clipped" else IRLS
    old = next(r[metric] for r in rows() if r["solver"] == cell.solver
               and r["dataset"] == cell.dataset and r["trial"] == 1)  # fmt: skip
    ours = table(tmp_path, change={(cell, 1): {metric: old * factor}})
    found = failures(compare_trials(ours, table(tmp_path, "reference.csv")))
    assert len(found) == fails
    if fails:
        expected = [cell_name(cell.coordinates()), metric, "trial 1", str(old), str(old * factor)]
        assert all(part in found[0] for part in expected)
        assert "1 of 3 trials" in found[0]


def test_seconds_are_not_compared(tmp_path):
    ours = table(tmp_path, change={(ALS, 0): {"seconds": 9.0}})
    assert compare_trials(ours, table(tmp_path, "reference.csv")) == []


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_a_lost_number_is_an_excess_on_either_side(tmp_path, value):
    broken = table(tmp_path, change={(ALS, 2): {"rmse_all": value}})
    whole = table(tmp_path, "reference.csv")
    assert len(failures(compare_trials(broken, whole))) == 1
    assert len(failures(compare_trials(whole, broken))) == 1


def test_relative_difference_has_no_blind_spot():
    nan, inf = float("nan"), float("inf")
    ours = np.array([1.0, nan, 1.0, nan, inf, 0.0, 1.0, inf])
    reference = np.array([2.0, nan, nan, 1.0, 1.0, 0.0, 0.0, inf])
    assert relative_difference(ours, reference).tolist() == [0.5, 0, inf, inf, inf, 0, inf, 0]


def test_a_reduced_run_compares_the_common_rows(tmp_path):
    ours = table(tmp_path, cells=(ALS, REAL), trials=2)
    assert compare_trials(ours, table(tmp_path, "reference.csv")) == []
    ours = table(tmp_path, cells=(ALS, REAL), trials=2, change={(REAL, 1): {"rmse_heldout": 2.0}})
    assert len(failures(compare_trials(ours, table(tmp_path, "reference.csv")))) == 1


def test_nothing_in_common_fails(tmp_path):
    found = compare_trials(table(tmp_path, cells=(ALS,)), table(tmp_path, "b.csv", cells=(REAL,)))
    assert failures(found) == ["Run and reference have no trial in common."]


def test_rows_beyond_the_reference_are_reported_but_do_not_fail(tmp_path):
    found = compare_trials(table(tmp_path, trials=5), table(tmp_path, "reference.csv"))
    assert len(found) == 1
    assert not found[0].fails
    assert found[0].text.startswith("8 trials are not in the reference")


def test_missing_trials_fail_unless_the_data_are_not_available(tmp_path):
    ours = table(tmp_path, cells=(ALS, IRLS), trials=2)
    found = missing_trials(ours, settings())
    assert len(failures(found)) == 4
    assert f"{cell_name(ALS.coordinates())}: the run lacks trial 2." in failures(found)
    assert f"{cell_name(REAL.coordinates())}: the run lacks trial 0, 1, 2." in failures(found)
    found = missing_trials(ours, settings(), unavailable=["sweetrs", "ml-100k"])
    assert len(failures(found)) == 3
    assert found[-1].text == "sweetrs: data not available, 1 cells were not run."
    assert missing_trials(table(tmp_path), settings()) == []


def test_an_allowance_covers_only_its_cells(tmp_path):
    ours = table(tmp_path, change={(c, 0): {"rmse_heldout": 9.0} for c in (ALS, IRLS)})
    patterns = dict.fromkeys(COORDINATES, "*") | {"solver": "irls", "irls_iterations": "20"}
    allowance = Allowance(patterns, 100.0, "another CPU")
    found = compare_trials(ours, table(tmp_path, "r.csv"), allowances=[allowance])
    assert [text.split(":")[0] for text in failures(found)] == [cell_name(ALS.coordinates())]
    quiet = Allowance(dict.fromkeys(COORDINATES, "*") | {"variance": "none"}, 1.0, "x")
    assert quiet.covers(QUIET.coordinates())
    assert not quiet.covers(ALS.coordinates())


def test_an_allowance_never_tightens(tmp_path):
    ours = table(tmp_path, change={(ALS, 0): {"rmse_all": 0.1 + 0.01 / 3 + 1e-9}})
    allowance = Allowance(dict.fromkeys(COORDINATES, "*"), 1e-12, "x")
    assert compare_trials(ours, table(tmp_path, "r.csv"), allowances=[allowance]) == []


@pytest.mark.parametrize(
    ("tolerance", "reason", "sentence"),
    [("1e-4", " ", "needs a reason"), ("0", "why", "positive number"), ("x", "why", "got 'x'")],
)
def test_a_bad_allowance_is_refused(tmp_path, tolerance, reason, sentence):
    path = tmp_path / "tolerances.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*COORDINATES, "tolerance", "reason"])
        writer.writerow([*"*******", tolerance, reason])
    with pytest.raises(InputError, match=sentence):
        read_allowances(path)


def test_allowances_are_read(tmp_path):
    path = tmp_path / "tolerances.csv"
    path.write_text(",".join([*COORDINATES, "tolerance", "reason"]) + "\n*,5,*,*,*,*,*,1e-3,BLAS\n")
    (allowance,) = read_allowances(path)
    assert (allowance.tolerance, allowance.reason) == (1e-3, "BLAS")
    assert allowance.covers(ALS.coordinates())
    assert not allowance.covers(REAL.coordinates())


def test_one_changed_setting_is_one_sentence_with_cell_and_setting():
    reference = settings()
    name = cell_name(IRLS.coordinates())
    cells = reference.cells | {name: reference.cells[name] | {"regularization": 0.6}}
    found, touched = compare_settings(replace(reference, cells=cells), reference)
    assert touched == {name}
    assert failures(found) == [
        "regularization is 0.6, in the reference 0.5, "
        f"so that these cells cannot be compared: {name}."
    ]


def test_another_seed_is_one_sentence(tmp_path):
    found, touched = compare_settings(settings(seed=2), settings())
    assert failures(found) == [
        "seed is 2, in the reference 1, so that none of the 4 cells can be compared."
    ]
    assert compare_trials(table(tmp_path), table(tmp_path), skip=touched) == []


def test_more_trials_and_fewer_cells_are_no_change_of_settings():
    assert compare_settings(settings(cells=(ALS,), trials=9), settings()) == ([], set())


def test_a_setting_that_only_one_side_has_is_a_change():
    found, _ = compare_settings(settings(start="normal"), settings())
    assert "start is normal, in the reference not set" in found[0].text


def test_settings_survive_their_file(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text(settings_text(settings(scale=1.0)))
    assert read_settings(path) == settings(scale=1.0)
    path.write_text("[]")
    with pytest.raises(InputError, match="does not hold the settings"):
        read_settings(path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n", "has no column dataset"),
        (",".join(TRIAL_COLUMNS) + "\n" + "x,a,1,1,s,m,1,0,1,1,1,1\n", "is no table of numbers"),
        (",".join(TRIAL_COLUMNS) + "\n" + 2 * "x,5,1,1,s,m,1,0,1,1,1,1\n", "trial 0 twice"),
    ],
)
def test_bad_trial_tables_are_refused(tmp_path, text, sentence):
    path = tmp_path / "trials.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_trials(path)


def test_read_run_wants_a_result_folder(tmp_path):
    with pytest.raises(InputError, match="There is no folder"):
        read_run(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is no result folder"):
        read_run(tmp_path)
    (tmp_path / "huber").mkdir()
    table(tmp_path / "huber")
    run = read_run(tmp_path)
    assert run.folder == tmp_path / "huber"
    assert run.settings is None
    assert run.statuses is None
    assert isinstance(run.trials, pd.DataFrame)


def whole_run(trials, *, status="agrees", verdict="supported", reason="3 of 4 cells",
              real_status="deviates", profile="full"):  # fmt: skip
    """A run in memory with two statuses and two verdicts."""
    statuses = pd.DataFrame(
        [
            ["table3", "synthetic", "5", "1", "0.05", "als", "gaussian", "", "rmse_all", status],
            ["table5", "sweetrs", "32", "1", "0.1", "irls", "huber", "2", "rmse_heldout",
             real_status],
            ["table1", "", "", "2", "", "", "huber", "", "epsilon", "deviates"],
        ],
        columns=["table", *COORDINATES, "metric", "status"],
    )  # fmt: skip
    verdicts = pd.DataFrame(
        [["H1", "supported", "supported", "2 wins"], ["H2", verdict, "supported", reason]],
        columns=["id", "verdict", "printed_verdict", "reason"],
    )
    return Run(Path("results/huber"), trials, settings(reference=profile), statuses, verdicts)


@pytest.fixture
def reference_folder(tmp_path):
    reference.update(whole_run(table(tmp_path)), tmp_path / "reference")
    return tmp_path / "reference"


def test_a_run_that_is_its_own_reference_passes(tmp_path, reference_folder):
    run = whole_run(table(tmp_path))
    findings = check_run(run, reference_folder)
    assert findings == []
    assert outcome(run, findings).startswith("dpmc: check passed: results/huber with 12 trials")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"status": "deviates"}, "the status is deviates, expected agrees"),
        ({"real_status": "agrees"}, "the status is agrees, expected deviates"),
        ({"verdict": "contradicted"}, "H2: the verdict is contradicted, expected supported."),
    ],
)
def test_a_changed_status_or_verdict_fails_whichever_way(
    tmp_path, reference_folder, change, sentence
):
    run = whole_run(table(tmp_path), **change)
    findings = check_run(run, reference_folder)
    assert len(findings) == 1
    assert findings[0].fails
    text = outcome(run, findings)
    assert sentence in text
    assert text.startswith("dpmc: check FAILED, 1 difference from")


def test_absent_data_are_a_note(tmp_path, reference_folder):
    trials = table(tmp_path, cells=(ALS, IRLS, QUIET))
    run = whole_run(
        trials, real_status="not run", verdict="inconclusive", reason="Data not available."
    )
    assert len(failures(check_run(run, reference_folder))) == 3
    findings = check_run(run, reference_folder, unavailable=["sweetrs"])
    assert failures(findings) == []
    assert len(findings) == 3
    assert outcome(run, findings).count("\n  note ") == 3


def test_absent_data_excuse_nothing_else(tmp_path, reference_folder):
    trials = table(tmp_path, cells=(ALS, IRLS, QUIET))
    run = whole_run(trials, real_status="not run", status="not run", verdict="inconclusive")
    assert len(failures(check_run(run, reference_folder, unavailable=["sweetrs"]))) == 2


def test_a_changed_setting_hides_no_other_fault(tmp_path, reference_folder):
    run = whole_run(table(tmp_path, change={(QUIET, 1): {"rmse_all": 3.0}}))
    name = cell_name(IRLS.coordinates())
    cells = run.settings.cells | {name: run.settings.cells[name] | {"regularization": 0.6}}
    run = replace(run, settings=Settings("full", cells))
    found = failures(check_run(run, reference_folder))
    assert len(found) == 2
    assert "regularization is 0.6" in found[0]
    assert found[1].startswith(cell_name(QUIET.coordinates()))


def test_an_unknown_reference_is_refused(tmp_path, reference_folder):
    with pytest.raises(InputError, match=r"knows only full \(did you mean 'full'\?\)"):
        check_run(whole_run(table(tmp_path), profile="ful"), reference_folder)

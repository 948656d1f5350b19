"""``dpmc diff`` and ``dpmc reference update`` on invented result folders."""

import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from dpmc import tables
from dpmc.cli.diff import diff
from dpmc.cli.reference import reference
from dpmc.errors import InputError
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.published.compare import COMPARISON_COLUMNS
from dpmc.studies.huber.trial import TRIAL_COLUMNS
from dpmc.studies.onebit.regression import ONEBIT
from dpmc.study.cells import cell_name
from dpmc.study.check_parts import check_part, read_part
from dpmc.study.runs import Settings, read_run, settings_text
from finished_dpals import write_dpals
from finished_onebit import write_onebit
from finished_privacy import write_privacy

ALS = Cell("synthetic", 5, 1.0, 0.05, "als", "gaussian", None)
IRLS = Cell("synthetic", 5, 1.0, 0.05, "irls", "huber", 20)


def make_run(folder, *, factor=1.0, cells=(ALS, IRLS), trials=4, status="agrees",
             verdict="supported", regularization=0.5, profile="full"):  # fmt: skip
    """Write a result folder; ``factor`` multiplies the errors of the IRLS cell, by trial."""
    factors = np.broadcast_to(factor, trials).tolist()
    rows = [
        cell.coordinates()
        | {"trial": trial, "rmse_all": error, "rmse_heldout": 1.1 * error}
        | {"rmse_clipped": None, "seconds": 0.01 * trial}
        for cell in cells
        for trial in range(trials)
        for error in [(0.2 + 0.01 * trial) * (factors[trial] if cell == IRLS else 1)]
    ]
    huber = folder / "huber"
    tables.write(huber / "trials.csv", TRIAL_COLUMNS, rows)
    values = {"seed": 1, "trials": trials, "regularization": regularization}
    settings = Settings(profile, {cell_name(c.coordinates()): values for c in cells})
    (huber / "settings.json").write_text(settings_text(settings))
    compared = dict.fromkeys(COMPARISON_COLUMNS) | ALS.coordinates()
    compared |= {"table": "table3", "metric": "rmse_all", "status": status}
    budget = dict.fromkeys(COMPARISON_COLUMNS)
    budget |= {"table": "table1", "mechanism": "huber", "variance": 1.0, "status": "agrees"}
    tables.write(huber / "comparison.csv", COMPARISON_COLUMNS, [compared, budget])
    claim = {"id": "H1", "verdict": verdict, "printed_verdict": "supported", "reason": "3, 4"}
    tables.write(huber / "claims.csv", claim, [claim])
    write_privacy(folder / "privacy", profile=profile)
    write_onebit(folder / "onebit", profile=profile)
    write_dpals(folder / "dpals", profile=profile)
    return folder


def run_diff(*arguments):
    outcome = CliRunner().invoke(diff, [*map(str, arguments), "--json"])
    return outcome.exit_code, json.loads(outcome.output)


def test_equal_runs(tmp_path):
    first, second = make_run(tmp_path / "a"), make_run(tmp_path / "b")
    status, result = run_diff(first, second)
    assert status == 0
    assert result["equal"]
    assert [cell["max_relative_difference"] for cell in result["cells"]] == [0, 0]
    text = CliRunner().invoke(diff, [str(first), str(second / "huber")])
    assert text.exit_code == 0
    assert "2 cells with 8 trials in common: 0 differ" in text.output
    assert "The runs are equal." in text.output


def test_a_changed_cell_has_its_paired_log_ratio(tmp_path):
    factor = np.exp([0.01, 0.02, 0.03, 0.05])
    first, second = make_run(tmp_path / "a"), make_run(tmp_path / "b", factor=factor)
    status, result = run_diff(first, second)
    assert status == 1
    by_name = {cell["cell"]: cell for cell in result["cells"]}
    changed = by_name[cell_name(IRLS.coordinates())]
    assert changed["max_relative_difference"] == pytest.approx(np.expm1(0.05))
    expected = stats.ttest_1samp(np.log(factor), 0).confidence_interval()
    assert changed["mean_log_ratio"] == pytest.approx(0.0275)
    assert changed["interval"] == pytest.approx([expected.low, expected.high])
    assert by_name[cell_name(ALS.coordinates())]["max_relative_difference"] == 0
    assert run_diff(first, second, "--tolerance", "0.06")[0] == 0


def test_cells_of_one_run_only(tmp_path):
    first = make_run(tmp_path / "a")
    second = make_run(tmp_path / "b", cells=(IRLS,), trials=6)
    status, result = run_diff(first, second)
    assert status == 1
    assert result["only_in_first"] == [{"cell": cell_name(ALS.coordinates()), "trials": 4}]
    assert result["only_in_second"] == [{"cell": cell_name(IRLS.coordinates()), "trials": 2}]
    output = CliRunner().invoke(diff, [str(first), str(second)]).output
    assert "Only in the first run:" in output


@pytest.mark.parametrize(
    ("change", "part", "name", "values"),
    [
        ({"status": "deviates"}, "statuses", "table3: dataset=synthetic", ("agrees", "deviates")),
        ({"verdict": "inconclusive"}, "verdicts", "H1", ("supported", "inconclusive")),
        ({"regularization": 0.6}, "settings", "regularization", (0.5, 0.6)),
    ],
)
def test_changed_statuses_verdicts_and_settings(tmp_path, change, part, name, values):
    first, second = make_run(tmp_path / "a"), make_run(tmp_path / "b", **change)
    status, result = run_diff(first, second)
    assert status == 1
    assert result[part][0]["name"].startswith(name)
    assert (result[part][0]["first"], result[part][0]["second"]) == values
    output = CliRunner().invoke(diff, [str(first), str(second)]).output
    assert f"{part.capitalize()} that changed:" in output
    assert f"{values[0]} -> {values[1]}{' in 2 cells' if part == 'settings' else ''}" in output


def test_a_number_missing_on_one_side_is_a_difference(tmp_path):
    first = make_run(tmp_path / "a")
    second = make_run(tmp_path / "b", factor=[1, 1, 1, np.nan])
    status, result = run_diff(first, second)
    assert status == 1
    assert result["cells"][1]["max_relative_difference"] is None
    output = CliRunner().invoke(diff, [str(first), str(second)]).output
    assert "a number is missing on one side" in output


def test_what_is_not_in_both_runs_is_said(tmp_path):
    first, second = make_run(tmp_path / "a"), make_run(tmp_path / "b")
    (second / "huber" / "claims.csv").unlink()
    (first / "huber" / "settings.json").unlink()
    output = CliRunner().invoke(diff, [str(first), str(second)])
    assert "Verdicts: not in both runs, not compared." in output.output
    assert "Settings: not in both runs, not compared." in output.output
    assert output.exit_code == 0


def test_a_tolerance_has_to_be_a_number(tmp_path):
    outcome = CliRunner().invoke(diff, [str(tmp_path), str(tmp_path), "--tolerance", "nan"])
    assert outcome.exit_code == 2
    assert "nan is not a number >= 0." in outcome.output


def test_bad_input_is_one_sentence(tmp_path):
    outcome = CliRunner().invoke(diff, [str(tmp_path), str(tmp_path / "nowhere")])
    assert isinstance(outcome.exception, InputError)
    command = [
        sys.executable,
        "-c",
        "from dpmc.cli import main; main()",
        "diff",
        tmp_path,
        tmp_path,
    ]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert finished.stderr.startswith("dpmc: ")
    assert finished.stderr.count("\n") == 1


def update(results, folder, *options):
    arguments = ["update", "--results", results, "--reference", folder, *options]
    return CliRunner().invoke(reference, list(map(str, arguments)))


def test_the_reference_holds_the_run_without_its_seconds(tmp_path):
    results, folder = make_run(tmp_path / "results"), tmp_path / "reference"
    outcome = update(results, folder)
    assert outcome.exit_code == 0, outcome.exception
    assert outcome.output.count("wrote") == 16
    assert "seconds" not in (folder / "trials.csv").read_text()
    stored, run = read_run(folder), read_run(results)
    assert stored.trials.equals(run.trials)
    assert stored.settings == run.settings
    expected = (folder / "expected" / "full" / "statuses.csv").read_text().splitlines()
    assert expected[1] == "table3,synthetic,5,1,0.05,als,gaussian,,rmse_all,agrees"
    assert run_diff(results, folder)[0] == 0
    assert update(results, folder).output.count("wrote") == 13  # tolerances.csv is left alone


def test_the_reference_holds_the_first_trials_at_equal_privacy(tmp_path):
    results, folder = make_run(tmp_path / "results"), tmp_path / "reference"
    assert update(results / "huber", folder).exit_code == 0
    stored = folder / "privacy"
    assert sorted(path.name for path in stored.iterdir()) == [
        "calibrated.csv", "settings.json", "totals.csv"
    ]  # fmt: skip
    header, *rows = (stored / "calibrated.csv").read_text().splitlines()
    assert header == (
        "dataset,relation,epsilon,solver,mechanism,trial,rmse_all,rmse_heldout,rmse_clipped"
    )
    assert {row.split(",")[5] for row in rows} == {"0", "1"}
    for name in ("settings.json", "totals.csv"):
        assert (stored / name).read_bytes() == (results / "privacy" / name).read_bytes()


def test_the_reference_holds_the_first_one_bit_draws_and_the_verdicts(tmp_path):
    results, folder = make_run(tmp_path / "results"), tmp_path / "reference"
    assert update(results, folder).exit_code == 0
    stored = folder / "onebit"
    assert sorted(path.name for path in stored.iterdir()) == [
        "settings.json", "tolerances.csv", "trials.csv"
    ]  # fmt: skip
    header, *rows = (stored / "trials.csv").read_text().splitlines()
    assert header.startswith("dataset,link,constraint,observed_share,mechanism,epsilon,trial,are_")
    assert not {"seconds", "iterations", "converged"} & set(header.split(","))
    assert {row.split(",")[6] for row in rows} == {"0", "1"}
    assert {row.count("inf") for row in rows if ",clear," in row} == {2}  # no privacy
    assert (stored / "settings.json").read_bytes() == (
        results / "onebit" / "settings.json"
    ).read_bytes()
    verdicts = (folder / "expected" / "full" / "onebit_claims.csv").read_text().splitlines()
    assert verdicts == ["id,verdict,printed_verdict", "O1,supported,", "O6,supported,"]
    run = read_part(ONEBIT, results / "onebit")
    assert check_part(run, folder) == []


def test_a_smaller_profile_updates_only_what_is_expected_of_it(tmp_path):
    folder = tmp_path / "reference"
    outcome = update(make_run(tmp_path / "results", profile="ci"), folder, "--profile", "ci")
    assert outcome.exit_code == 0, outcome.exception
    assert sorted(path.name for path in folder.rglob("*.*")) == [
        "dpals_claims.csv", "onebit_claims.csv", "statuses.csv", "verdicts.csv"
    ]  # fmt: skip


def test_incomplete_runs_are_refused(tmp_path):
    results, folder = make_run(tmp_path / "results", profile="ci"), tmp_path / "reference"
    assert "a run of the profile ci" in str(update(results, folder).exception)
    results = make_run(tmp_path / "results")
    path = results / "huber" / "trials.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert "the run lacks trial 3" in str(update(results, folder).exception)
    (results / "huber" / "claims.csv").unlink()
    assert "finish the run first" in str(update(results, folder).exception)
    assert not folder.exists()


def test_an_incomplete_privacy_part_is_refused(tmp_path):
    results, folder = make_run(tmp_path / "results"), tmp_path / "reference"
    privacy = results / "privacy"
    path = privacy / "calibrated.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert "the run lacks trial 2" in str(update(results, folder).exception)
    write_privacy(privacy, profile="ci")
    assert "privacy is a run of the profile ci" in str(update(results, folder).exception)
    (privacy / "audit.csv").unlink()
    assert "it has no audit.csv" in str(update(results, folder).exception)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "write", "cell"),
    [
        ("onebit", write_onebit, "mechanism=item_bias"),
        ("dpals", write_dpals, "method=popularity, variant=standard"),
    ],
)
def test_an_incomplete_part_is_refused(tmp_path, name, write, cell):
    results, folder = make_run(tmp_path / "results"), tmp_path / "reference"
    part = results / name
    path = part / "trials.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert f"{cell}: the run lacks trial 2" in str(update(results, folder).exception)
    write(part, profile="ci")
    assert f"{name} is a run of the profile ci" in str(update(results, folder).exception)
    (part / "claims.csv").unlink()
    assert "it has no claims.csv" in str(update(results, folder).exception)
    assert not folder.exists()

"""``dpmc diff``: every table of every study counts, in any order of its rows."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from invented_study import (
    ALS,
    IRLS,
    POINTS,
    claim_rows,
    comparison_rows,
    settings_of,
    total_rows,
    trial_rows,
    write_run,
)

from dpmc.errors import InputError
from dpmc_studies.cli.diff import diff
from dpmc_studies.frame.checking.difference import compare, tables_of
from dpmc_studies.frame.jobs.cell_settings import Settings

TOLERANCE = 1e-6
NAMES = [
    f"{study}/{name}"
    for study in ("one", "two")
    for name in (
        "audit.csv", "claims.csv", "comparison.csv", "settings.json", "totals.csv", "trials.csv"
    )
]  # fmt: skip


def write_results(folder, **change):
    """Two studies; ``change`` is one of the second."""
    write_run(folder / "one")
    write_run(folder / "two", **change)
    return folder


@pytest.fixture
def first(tmp_path):
    return write_results(tmp_path / "a")


def run_diff(*arguments):
    outcome = CliRunner().invoke(diff, [*map(str, arguments), "--json"])
    return outcome.exit_code, json.loads(outcome.output)


def in_words(*arguments):
    return CliRunner().invoke(diff, list(map(str, arguments))).output


def differing(result):
    kinds = ("different", "only_in_first", "only_in_second")
    return [table["name"] for table in result["tables"] if any(table[kind] for kind in kinds)]


def table_of(result, name):
    return next(table for table in result["tables"] if table["name"] == name)


def test_equal_runs(tmp_path, first):
    second = write_results(tmp_path / "b")
    status, result = run_diff(first, second)
    assert status == 0
    assert result["equal"]
    assert sorted(table["name"] for table in result["tables"]) == NAMES
    assert {table["largest"] for table in result["tables"]} == {0}
    assert table_of(result, "two/trials.csv")["rows"] == 12
    text = in_words(first, second)
    assert "12 tables with " in text
    assert ": 0 tables differ by more than 1e-06." in text
    assert text.endswith("The runs are equal.\n")


CHANGES = {
    "trials.csv": {"trials": list(trial_rows(change={(ALS, 1): {"error_heldout": 0.1127}}))},
    "settings.json": {"settings": settings_of(regularization=0.6)},
    "comparison.csv": {"comparison": comparison_rows(status="deviates")},
    "claims.csv": {"claims": claim_rows(verdict="contradicted")},
    "totals.csv": {"totals": list(total_rows({("huber", 50): 7.0}))},
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_any_table_is_found_in_that_table_alone(tmp_path, first, name):
    second = write_results(tmp_path / "b", **CHANGES[name])
    for sides in ((first, second), (second, first)):
        status, result = run_diff(*sides)
        assert status == 1
        assert not result["equal"]
        assert differing(result) == [f"two/{name}"]
        assert "The runs differ." in in_words(*sides)


def test_a_changed_number_is_shown_with_its_row_and_size(tmp_path, first):
    second = write_results(tmp_path / "b", **CHANGES["trials.csv"])
    found = table_of(run_diff(first, second)[1], "two/trials.csv")
    old = 1.1 * (0.1 + 0.01 / 4)
    assert found["different"] == 1
    assert found["largest"] == pytest.approx(abs(0.1127 / old - 1))
    assert found["examples"] == [
        f"dataset=synthetic, method=als, epsilon=1, trial=1: error_heldout {old!r} -> 0.1127"
    ]
    text = in_words(first, second)
    assert "two/trials.csv: 1 of 12 rows differ, by up to 0.00044" in text
    assert run_diff(first, second, "--tolerance", "0.001")[0] == 0


def test_a_changed_setting_is_shown_with_its_cell(tmp_path, first):
    cells = settings_of().cells | {IRLS.name: {"seed": 1, "trials": 3, "regularization": 0.6}}
    second = write_results(tmp_path / "b", settings=Settings("full", cells))
    found = table_of(run_diff(first, second)[1], "two/settings.json")
    assert found["examples"] == [f"cell={IRLS.name}, setting=regularization: value 0.5 -> 0.6"]
    second = write_results(tmp_path / "c", settings=settings_of(profile="ci"))
    found = table_of(run_diff(first, second)[1], "two/settings.json")
    assert found["examples"] == ["cell=all cells, setting=reference: value full -> ci"]
    assert found["largest"] is None


def test_rows_of_one_run_only(tmp_path, first):
    second = write_results(tmp_path / "b", trials=list(trial_rows((IRLS,), trials=6)))
    status, result = run_diff(first, second)
    assert status == 1
    found = table_of(result, "two/trials.csv")
    assert (found["rows"], found["only_in_first"], found["only_in_second"]) == (3, 9, 3)
    text = in_words(first, second)
    assert "9 rows are only in the first run, 3 rows are only in the second run" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_table_of_one_run_only(tmp_path, first, name):
    second = write_results(tmp_path / "b")
    (second / name).unlink()
    status, result = run_diff(first, second)
    assert status == 1
    assert result["only_in_first"] == [name]
    assert f"Only in the first run: {name}." in in_words(first, second)
    assert run_diff(second, first)[1]["only_in_second"] == [name]


def test_a_number_missing_on_one_side_is_a_difference(tmp_path, first):
    trials = list(trial_rows(change={(ALS, 2): {"error_all": None}}))
    second = write_results(tmp_path / "b", trials=trials)
    for sides in ((first, second), (second, first)):
        found = table_of(run_diff(*sides)[1], "two/trials.csv")
        assert found["different"] == 1
        assert found["largest"] is None
        assert "nothing" in found["examples"][0]


def test_seconds_do_not_count(tmp_path, first):
    change = {(point, trial): {"seconds": 9.5} for point in POINTS for trial in range(3)}
    second = write_results(tmp_path / "b", trials=list(trial_rows(change=change)))
    assert run_diff(first, second)[0] == 0


def test_of_claims_only_the_verdicts_count(tmp_path, first):
    claims = claim_rows(reason="4 of 5 cells")
    claims[0] |= {"effect": 7.25, "claim": "It is otherwise said."}
    assert run_diff(first, write_results(tmp_path / "b", claims=claims))[0] == 0
    claims[1]["reported_verdict"] = "contradicted"
    status, result = run_diff(first, write_results(tmp_path / "c", claims=claims))
    assert (status, differing(result)) == (1, ["two/claims.csv"])


def test_every_verdict_that_differs_is_told(tmp_path):
    """Who runs an overlay of `config/once` asks for them all, and of numbers for a few."""
    for name, verdict, effect in (("a", "supported", 0.5), ("b", "contradicted", 0.7)):
        (tmp_path / name).mkdir()
        rows = [{"id": f"D{i}", "verdict": verdict, "reported_verdict": ""} for i in range(9)]
        pd.DataFrame(rows).to_csv(tmp_path / name / "claims.csv", index=False)
        means = pd.DataFrame({"method": [f"m{i}" for i in range(9)], "mean": effect})
        means.to_csv(tmp_path / name / "means.csv", index=False)
    status, result = run_diff(tmp_path / "a", tmp_path / "b")
    assert status == 1
    assert table_of(result, "claims.csv")["examples"] == [
        f"id=D{i}: verdict supported -> contradicted" for i in range(9)
    ]
    assert len(table_of(result, "means.csv")["examples"]) == 5


def test_only_tables_of_results_count(tmp_path, first):
    """Parts of tables, tables for readers, records of jobs and the reference do not."""
    second = write_results(tmp_path / "b")
    left_out = ["two/cell/rank~5/x~1.csv", "two/clear/rank~5.csv", "reference/two/trials.csv"]
    left_out += ["two/tables/table1.csv", "two/figures/figure_1.csv", "two/logs/x.log"]
    for name in left_out:
        (second / name).parent.mkdir(parents=True, exist_ok=True)
        (second / name).write_text("a,b\n1,2.5\n")
    (second / "two" / "tables" / "table1.md").write_text("| a |")
    (second / "two" / "figures" / "figure_1.svg").write_text("<svg/>")
    assert sorted(tables_of(second)) == NAMES
    assert run_diff(first, second)[0] == 0
    # what a study keeps in a folder of its own does
    (second / "two" / "replication").mkdir()
    shutil.copy(second / "two" / "trials.csv", second / "two" / "replication")
    assert run_diff(first, second)[1]["only_in_second"] == ["two/replication/trials.csv"]


def test_bad_input_is_one_sentence(tmp_path, first):
    for folder, sentence in {
        tmp_path / "nowhere": "There is no folder",
        tmp_path / "empty": "is no folder of results: it has no tables",
    }.items():
        (tmp_path / "empty").mkdir(exist_ok=True)
        outcome = CliRunner().invoke(diff, [str(first), str(folder)])
        assert isinstance(outcome.exception, InputError)
        assert sentence in str(outcome.exception)
    command = [sys.executable, "-c", "from dpmc.cli import main; main()", "diff"]
    command += [tmp_path / "empty", tmp_path / "empty"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert finished.stderr.startswith("dpmc: ")
    assert finished.stderr.count("\n") == 1


# -- properties ---------------------------------------------------------------------------------

fractions = st.floats(0.01, 100).map(lambda x: x + 0.001 if x.is_integer() else x)
cells = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from([0.5, 1.0, 2.0]), st.integers(0, 3)),
    fractions,
    min_size=1,
    max_size=12,
)


def as_frame(found, with_trials):
    names = ["name", "budget", "trial" if with_trials else "count"]
    rows = [(*key, value, 3 * value) for key, value in found.items()]
    return pd.DataFrame(rows, columns=[*names, "error", "other"])


def compared(folder, left, right):
    paths = [Path(folder) / name for name in ("left.csv", "right.csv")]
    for path, frame in zip(paths, (left, right), strict=True):
        frame.to_csv(path, index=False)
    return compare("x.csv", *paths, TOLERANCE)


def is_equal(result):
    return not any(result[kind] for kind in ("different", "only_in_first", "only_in_second"))


@settings(deadline=None, max_examples=25)
@given(cells, st.booleans(), st.randoms(use_true_random=False))
def test_a_table_is_equal_to_itself_in_any_order(tmp_path_factory, found, with_trials, random):
    frame = as_frame(found, with_trials)
    order = list(range(len(frame)))
    random.shuffle(order)
    folder = tmp_path_factory.mktemp("order")
    result = compared(folder, frame, frame.iloc[order])
    assert is_equal(result)
    assert result["rows"] == len(frame)
    assert result["largest"] == 0


@settings(deadline=None, max_examples=25)
@given(
    cells,
    st.booleans(),
    st.integers(0),
    st.sampled_from(["error", "other"]),
    st.floats(1e-5, 3),
    st.booleans(),
)
def test_a_change_above_the_tolerance_is_found(
    tmp_path_factory, found, with_trials, place, column, size, is_less
):
    frame = as_frame(found, with_trials)
    changed = frame.copy()
    row = place % len(frame)
    changed.loc[row, column] *= 1 / (1 + size) if is_less else 1 + size
    folder = tmp_path_factory.mktemp("change")
    assert not is_equal(compared(folder, frame, changed))
    assert not is_equal(compared(folder, changed, frame))

"""The check of the one-bit part: equal runs pass, and every planted fault is found."""

import pytest

from dpmc import tables
from dpmc.errors import InputError
from dpmc.studies.onebit.cells import CLEAR as CLEAR_MECHANISM
from dpmc.studies.onebit.cells import (
    ONEBIT_COLUMNS,
    ONEBIT_COORDINATES,
    onebit_cells,
    onebit_settings,
)
from dpmc.studies.onebit.regression import ONEBIT as PART
from dpmc.studies.onebit.regression import ONEBIT_METRICS
from dpmc.studies.onebit.trial import run_clear, run_private
from dpmc.study.cells import cell_name
from dpmc.study.check_parts import check_part, part_counts, read_part
from dpmc.study.reference import _write_part
from dpmc.study.runs import VERDICT_COLUMNS, Settings, settings_text
from dpmc.study.tolerances import ALLOWED
from finished_onebit import CLEAR, INP, REAL, onebit_rows, settings_of, write_onebit

CLEAR_NAME = "dataset=synthetic, link=gaussian, constraint=both, observed_share=0.15"
INP_NAME = f"{CLEAR_NAME}, mechanism=inp, epsilon=1"
REAL_NAME = (
    "dataset=restaurant, link=logistic, constraint=both, observed_share=0.8, mechanism=outp, "
    "epsilon=10"
)


@pytest.fixture
def check(tmp_path):
    """A function: check a run with these tables against that of the unchanged tables."""
    run = read_part(PART, write_onebit(tmp_path / "reference" / "onebit"))
    verdicts = run.verdicts.to_dict("records")
    tables.write(
        tmp_path / "reference" / "expected" / "full" / PART.expected, VERDICT_COLUMNS, verdicts
    )
    allow(tmp_path, [])

    def check(unavailable=(), **changes):
        run = read_part(PART, write_onebit(tmp_path / "run", **changes))
        return check_part(run, tmp_path / "reference", unavailable)

    return check


def allow(tmp_path, rows):
    """Write the table of tolerances of the reference."""
    path = tmp_path / "reference" / "onebit" / "tolerances.csv"
    tables.write(path, (*ONEBIT_COORDINATES, *ALLOWED), rows)


def keep(run, folder):
    """Write what the reference keeps of a run."""
    _write_part(run, folder)


def failures(findings):
    return [finding.text for finding in findings if finding.fails]


def notes(findings):
    return [finding.text for finding in findings if not finding.fails]


def test_an_equal_run_passes_and_is_counted(tmp_path, check):
    assert check() == []
    text = part_counts(read_part(PART, tmp_path / "run"))
    assert text == ", 15 one-bit trials, 2 one-bit verdicts"


def test_a_run_of_the_experiments_has_the_rows_that_its_settings_name(tmp_path, check):
    section = {
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
                "observed_shares": [0.5],
                "epsilons": [0.5, 10],
                "draws": 2,
                "mechanisms": ["inp", "grap_gaussian", "outp", "private_item_bias"],
            },
            "shares": None,
        },
    }
    rows, named = [], {}
    for cell in onebit_cells(section):
        own = onebit_settings(section, cell)
        named[cell_name(cell.coordinates())] = own
        clear = cell.mechanism == CLEAR_MECHANISM
        rows += run_clear(cell, own)[0] if clear else run_private(cell, own)
    folder = write_onebit(tmp_path / "run", rows=rows)
    (folder / "settings.json").write_text(settings_text(Settings("full", named)))
    keep(read_part(PART, folder), tmp_path / "reference" / "onebit")
    run = read_part(PART, folder)
    assert len(run.trials) == 2 * (4 + 4 * 2)
    assert check_part(run, tmp_path / "reference") == []
    tables.write(folder / "trials.csv", ONEBIT_COLUMNS, rows[1:])
    (text,) = failures(check_part(read_part(PART, folder), tmp_path / "reference"))
    assert text.endswith("mechanism=clear: the run lacks trial 0.")


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
        parts = ("onebit: dataset=", f"mechanism={cell.mechanism}", f"{metric} of trial 1")
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


def test_later_draws_are_not_compared(check):
    assert check(rows=onebit_rows(change={(INP, 2): {"are_raw": 9.0}})) == []


def test_fewer_cells_and_draws_are_no_difference(check):
    cells = (CLEAR, INP)
    settings = {cell: settings_of(cell, draws=1) for cell in cells}
    assert check(cells=cells, settings=settings, rows=onebit_rows(cells, draws=1)) == []


def test_a_changed_setting_fails_for_its_cell_alone(check):
    settings = {INP: settings_of(INP) | {"alpha": 2}}
    rows = onebit_rows(change={(INP, 0): {"are_raw": 9.0}, (REAL, 0): {"accuracy_raw": 0.9}})
    found = failures(check(settings=settings, rows=rows))
    assert found[0] == (
        "onebit: alpha is 2, in the reference 1, so that these cells cannot be compared: "
        f"{INP_NAME}."
    )
    assert len(found) == 2
    assert found[1].startswith(f"onebit: {REAL_NAME}: accuracy_raw")


def test_a_changed_setting_of_the_clear_cell_is_one_of_its_baselines(check):
    (text,) = failures(check(settings={CLEAR: settings_of(CLEAR) | {"seed": 2}}))
    names = "; ".join(f"{CLEAR_NAME}, mechanism={name}" for name in ("clear", "zero", "item_bias"))
    assert text.endswith(f"these cells cannot be compared: {names}.")


def test_missing_draws_fail_unless_the_data_are_not_available(check):
    rows = [row for row in onebit_rows() if (row["mechanism"], row["trial"]) != ("item_bias", 1)]
    (text,) = failures(check(rows=rows))
    assert text == f"onebit: {CLEAR_NAME}, mechanism=item_bias: the run lacks trial 1."
    assert failures(check(rows=onebit_rows((CLEAR, INP)))) == [
        f"onebit: {REAL_NAME}: the run lacks trial 0, 1, 2."
    ]
    found = check(["restaurant"], rows=onebit_rows((CLEAR, INP)))
    assert failures(found) == []
    assert notes(found) == ["onebit: restaurant: data not available, 1 cells were not run."]


def test_a_changed_verdict_fails_unless_the_data_are_not_available(check):
    (text,) = failures(check(verdict="contradicted"))
    assert text == "onebit: O6: the verdict is contradicted, expected supported."
    absent = {"verdict": "inconclusive", "reason": "Data not available."}
    assert len(failures(check(**absent))) == 1
    found = check(["restaurant"], **absent)
    assert failures(found) == []
    assert len(notes(found)) == 1


def test_what_the_reference_keeps_is_enough(tmp_path, check):
    folder = tmp_path / "reference" / "onebit"
    run = read_part(PART, folder)
    for path in folder.iterdir():
        path.unlink()
    keep(run, folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "settings.json", "tolerances.csv", "trials.csv"
    ]  # fmt: skip
    assert len((folder / "trials.csv").read_text().splitlines()) == 1 + 2 * 5
    assert check() == []


@pytest.mark.parametrize(
    "name", ["onebit/trials.csv", "onebit/settings.json", "onebit/tolerances.csv"]
)
def test_an_absent_reference_is_one_sentence_with_the_command(tmp_path, check, name):
    (tmp_path / "reference" / name).unlink()
    with pytest.raises(InputError, match=rf"no .*{name} .*`dpmc reference update` makes"):
        check()


def test_absent_verdicts_of_a_profile_name_the_profile(check):
    with pytest.raises(InputError, match=r"no .*quick/onebit_claims\.csv .*--profile quick`"):
        check(profile="quick")


def test_settings_that_are_not_of_one_bit_cells_are_refused(tmp_path, check):
    path = tmp_path / "reference" / "onebit" / "settings.json"
    for own in ({"seed": 1}, 7, ["draws"]):
        path.write_text(settings_text(Settings("full", {INP_NAME: own})))
        with pytest.raises(InputError, match="mechanism=inp, epsilon=1 are not of a one-bit"):
            check()


@pytest.mark.parametrize("name", ["trials.csv", "settings.json", "claims.csv"])
def test_an_unfinished_run_is_refused(tmp_path, name):
    folder = write_onebit(tmp_path / "run")
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"it has no {name}; finish the run first"):
        read_part(PART, folder)

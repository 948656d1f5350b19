"""The check against the reference: equal runs pass, and every planted fault turns it red."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from invented_study import (
    ALS,
    COORDINATES,
    IRLS,
    METRICS,
    QUIET,
    REAL,
    REGRESSION,
    TRIAL_COLUMNS,
    audit_rows,
    claim_rows,
    comparison_rows,
    settings_of,
    study,
    total_rows,
    trial_rows,
    write_run,
)

from dpmc.errors import InputError
from dpmc_studies import tables
from dpmc_studies.frame.api import Regression
from dpmc_studies.frame.checking import reference
from dpmc_studies.frame.checking.check import check, outcome, read_for_check, read_keyed
from dpmc_studies.frame.checking.comparison import (
    compare_labels,
    compare_numbers,
    compare_settings,
    compare_trials,
    dataset_of,
)
from dpmc_studies.frame.checking.runs import read_text_table, read_trials
from dpmc_studies.frame.checking.tolerances import Allowance, read_allowances, relative_difference
from dpmc_studies.frame.jobs.cell_settings import Settings, read_settings, settings_text


def table(tmp_path, name="trials.csv", **options):
    path = tmp_path / name
    tables.write(path, TRIAL_COLUMNS, trial_rows(**options))
    return read_trials(path, COORDINATES, METRICS)


def compared(ours, known, **options):
    return compare_trials(ours, known, METRICS, **options)


def failures(findings):
    return [finding.text for finding in findings if finding.fails]


# -- trials -------------------------------------------------------------------------------------


def test_relative_difference_has_no_blind_spot():
    nan, inf = float("nan"), float("inf")
    ours = np.array([1.0, nan, 1.0, nan, inf, 0.0, 1.0, inf])
    known = np.array([2.0, nan, nan, 1.0, 1.0, 0.0, 0.0, inf])
    assert relative_difference(ours, known).tolist() == [0.5, 0, inf, inf, inf, 0, inf, 0]


def test_nothing_in_common_fails(tmp_path):
    found = compared(table(tmp_path, points=(ALS,)), table(tmp_path, "b.csv", points=(REAL,)))
    assert failures(found) == ["Run and reference have no trial in common."]


def test_rows_beyond_the_reference_are_reported_but_do_not_fail(tmp_path):
    found = compared(table(tmp_path, trials=5), table(tmp_path, "reference.csv"))
    assert len(found) == 1
    assert not found[0].fails
    assert found[0].text.startswith("8 trials are not in the reference")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n", "has no column dataset"),
        (",".join(TRIAL_COLUMNS) + "\n" + "x,als,1,a,1,1,1,1\n", "is no table of numbers"),
        (",".join(TRIAL_COLUMNS) + "\n" + "x,als,1,0,a,1,1,1\n", "column error_all: could not"),
        (",".join(TRIAL_COLUMNS) + "\n" + 2 * "x,als,1,0,1,1,1,1\n", "trial 0 twice"),
    ],
)
def test_bad_trial_tables_are_refused(tmp_path, text, sentence):
    path = tmp_path / "trials.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_trials(path, COORDINATES, METRICS)


# -- allowances ---------------------------------------------------------------------------------


def test_an_allowance_covers_only_its_cells(tmp_path):
    ours = table(tmp_path, change={(p, 0): {"error_heldout": 9.0} for p in (ALS, IRLS)})
    patterns = dict.fromkeys(COORDINATES, "*") | {"method": "irls", "epsilon": "0.5"}
    allowance = Allowance(patterns, 100.0, "another CPU")
    found = compared(ours, table(tmp_path, "r.csv"), allowances=[allowance])
    assert [text.split(":")[0] for text in failures(found)] == [ALS.name]
    quiet = Allowance(dict.fromkeys(COORDINATES, "*") | {"epsilon": "none"}, 1.0, "x")
    assert quiet.covers(QUIET.coordinates())
    assert not quiet.covers(ALS.coordinates())


@pytest.mark.parametrize(
    ("tolerance", "reason", "sentence"),
    [("1e-4", " ", "needs a reason"), ("0", "why", "positive number"), ("x", "why", "got 'x'")],
)
def test_a_bad_allowance_is_refused(tmp_path, tolerance, reason, sentence):
    path = tmp_path / "tolerances.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*COORDINATES, "tolerance", "reason"])
        writer.writerow([*"***", tolerance, reason])
    with pytest.raises(InputError, match=sentence) as caught:
        read_allowances(path, COORDINATES)
    assert "line 2" in str(caught.value)


# -- settings -----------------------------------------------------------------------------------


def test_another_seed_is_one_sentence(tmp_path):
    found, touched = compare_settings(settings_of(seed=2), settings_of())
    assert failures(found) == [
        "seed is 2, in the reference 1, so that none of the 4 cells can be compared."
    ]
    assert compared(table(tmp_path), table(tmp_path), skip=touched) == []


def test_settings_survive_their_file(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text(settings_text(settings_of(scale=1.0)))
    assert read_settings(path) == settings_of(scale=1.0)
    nested = settings_of(data={"range": [0, 1], "split": {"share": 0.5}})
    path.write_text(settings_text(nested))
    flat = {"data.range": (0, 1), "data.split.share": 0.5}
    assert read_settings(path) == settings_of(**flat)
    path.write_text("[]")
    with pytest.raises(InputError, match="does not hold the settings"):
        read_settings(path)


# -- other numbers ------------------------------------------------------------------------------


def totals(tmp_path, name="totals.csv", change=None, rows=None):
    path = tmp_path / name
    rows = list(total_rows(change)) if rows is None else rows
    tables.write(path, tuple(next(total_rows())), rows)
    return read_keyed(path, REGRESSION.numbers["totals"])


@pytest.mark.parametrize(("factor", "fails"), [(1 + 2e-6, True), (1 + 5e-7, False)])
def test_a_changed_number_names_its_row_and_both_numbers(tmp_path, factor, fails):
    known = totals(tmp_path)
    old = known["total"].iloc[3]
    ours = totals(tmp_path, "ours.csv", {("huber", 1000): old * factor})
    found = failures(compare_numbers(ours, known))
    assert len(found) == fails
    if fails:
        assert found[0].startswith("mechanism=huber, releases=1000, form=exact: total is ")
        assert f"total is {old * factor!s}, in the reference {old!s} (rel" in found[0]


def test_a_column_that_the_reference_lacks_is_named(tmp_path):
    known = totals(tmp_path)
    (found,) = failures(compare_numbers(known.assign(more=1.0), known))
    assert found == "The reference has no column more."


def test_labels_need_the_profile_that_stands_beside_the_trials():
    with pytest.raises(ValueError, match="by profile"):
        Regression(labels={"claims": ("id",)})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mechanism,total\na,1\n", "has no column releases"),
        ("mechanism,releases,form,total\na,1,b,c\n", "is no table of numbers, column total"),
        ("mechanism,releases,form,total\na,1,b,2\na,1.0,b,3\n", "has twice mechanism=a"),
    ],
)
def test_bad_tables_of_numbers_are_refused(tmp_path, text, sentence):
    path = tmp_path / "totals.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_keyed(path, REGRESSION.numbers["totals"])


# -- labels -------------------------------------------------------------------------------------


def labels(tmp_path, rows):
    tables.write(tmp_path / "claims.csv", ("id", "verdict"), rows)
    return read_text_table(tmp_path / "claims.csv")


def test_labels_that_only_one_side_has_fail(tmp_path):
    both = labels(tmp_path, [{"id": "A", "verdict": "holds"}, {"id": "B", "verdict": "fails"}])
    found = failures(compare_labels(both[:1], both, ("id",)))
    assert found == ["id=B: the verdict is absent, expected fails."]
    found = failures(compare_labels(both, both[1:], ("id",)))
    assert found == ["id=A: the verdict is holds, expected absent."]
    assert compare_labels(both[::-1], both, ("id",)) == []


def test_a_table_that_names_no_data_is_excused_by_none(tmp_path):
    ours = labels(tmp_path, [{"id": "A", "verdict": "not run"}])
    known = labels(tmp_path, [{"id": "A", "verdict": "holds"}])
    assert len(failures(compare_labels(ours, known, ("id",), unavailable=["sweetrs"]))) == 1


# -- whole studies ------------------------------------------------------------------------------


@pytest.fixture
def known(tmp_path):
    """The reference of the run that is not changed."""
    reference.update(read_for_check(study(), write_run(tmp_path / "known")), tmp_path / "reference")
    return tmp_path / "reference"


@pytest.fixture
def found(tmp_path, known):
    """A function: write a run with a change, and compare it."""

    def compare(*, unavailable=(), **change):
        results = read_for_check(study(), write_run(tmp_path / "run", **change))
        return results, check(results, known, unavailable)

    return compare


def said(results, findings):
    return outcome([results], {"invented": findings}).splitlines()


def test_a_run_that_is_its_own_reference_passes(found):
    results, findings = found()
    assert findings == []
    first, last = said(results, findings)
    assert first == "dpmc: check passed: invented"
    assert last.endswith(
        "12 rows of trials, 3 rows of comparison, 3 rows of claims, 4 rows of totals, "
        "2 rows of audit"
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"trials": list(trial_rows(change={(QUIET, 1): {"error_all": 3.0}}))},
            f"{QUIET.name}: trial 1: error_all is 3.0, in the reference 0.8",
        ),
        (
            {"trials": list(trial_rows(trials=2))[:7]},
            f"{REAL.name}: the run lacks trial 1, 2.",
        ),
        ({"settings": settings_of(seed=2)}, "seed is 2, in the reference 1, so that none"),
        (
            {"comparison": comparison_rows(status="deviates")},
            "table=table3, dataset=synthetic, method=als, metric=error_all: "
            "the status is deviates, expected agrees.",
        ),
        ({"comparison": comparison_rows(real_status="agrees")}, "agrees, expected deviates."),
        (
            {"claims": claim_rows(verdict="contradicted")},
            "id=C2: the verdict is contradicted, expected supported.",
        ),
        ({"claims": claim_rows()[1:]}, "id=C1: the verdict is absent, expected supported."),
        (
            {"totals": list(total_rows({("gaussian", 50): 9.0}))},
            "mechanism=gaussian, releases=50, form=exact: total is 9.0, in the reference 7.6",
        ),
        ({"totals": []}, "Run and reference have no row in common."),
        (
            {"audit": audit_rows(passed=False)},
            "audit: target=huber, fault=scale x 0.8: not passed.",
        ),
        ({"audit": audit_rows(passed=None)}, "audit: target=huber, fault=scale x 0.8: not pass"),
        ({"audit": []}, "the audit has no rows."),
    ],
    ids=lambda value: value if isinstance(value, str) else "+".join(value),
)
def test_every_kind_of_difference_fails_with_its_sentence(found, change, sentence):
    results, findings = found(**change)
    assert any(sentence in text for text in failures(findings))
    lines = said(results, findings)
    assert lines[0].startswith("dpmc: check FAILED, ")
    assert any(line.startswith("  FAILED invented: ") and sentence in line for line in lines)


ABSENT = {
    "trials": list(trial_rows((ALS, IRLS, QUIET))),
    "comparison": comparison_rows(real_status="not run"),
    "claims": claim_rows(verdict="inconclusive", reason="Not part of this run."),
}


def test_absent_data_are_a_note(found):
    assert len(failures(found(**ABSENT)[1])) == 3
    results, findings = found(unavailable=["sweetrs"], **ABSENT)
    assert failures(findings) == []
    assert len(findings) == 3
    lines = said(results, findings)
    assert lines[0] == "dpmc: check passed: invented"
    notes = [line for line in lines if line.startswith("  note invented: ")]
    assert len(notes) == 3
    assert all("not part of this run" in line for line in notes)


def test_a_run_of_which_no_cell_could_run_has_nothing_to_compare(found):
    nothing = ABSENT | {"trials": []}
    everything = {dataset_of(cell) for cell in settings_of().cells}
    findings = found(unavailable=sorted(everything), **nothing)[1]
    assert "Run and reference have no trial in common." not in failures(findings)
    one_there = sorted(everything)[1:]
    findings = found(unavailable=one_there, **nothing)[1]
    assert "Run and reference have no trial in common." in failures(findings)


def test_absent_data_excuse_nothing_else(found):
    change = ABSENT | {
        "comparison": comparison_rows(status="not run", real_status="not run"),
        "claims": claim_rows(verdict="inconclusive"),
    }
    assert len(failures(found(unavailable=["sweetrs"], **change)[1])) == 2


def test_a_claim_of_our_own_is_excused_only_if_the_study_lacks_data(found):
    claims = [row | {"source": "own" if row["id"] == "C2" else "table 1"} for row in claim_rows()]
    claims[1]["verdict"] = "contradicted"
    assert len(failures(found(claims=claims, unavailable=["sweetrs"])[1])) == 0
    assert len(failures(found(claims=claims, unavailable=["ml-100k"])[1])) == 1
    assert len(failures(found(claims=claims)[1])) == 1
    claims[0]["verdict"] = "contradicted"
    assert len(failures(found(claims=claims, unavailable=["sweetrs"])[1])) == 1


def test_what_is_made_of_absent_data_may_be_missing_too(tmp_path):
    cells = settings_of().cells
    cells[QUIET.name] = cells[QUIET.name] | {"data": {"of": "sweetrs"}}
    settings, known = Settings("full", cells), tmp_path / "reference"
    made = study(replace(REGRESSION, made_of="data.of"))
    reference.update(read_for_check(made, write_run(tmp_path / "known", settings=settings)), known)
    here = write_run(tmp_path / "run", settings=settings, trials=list(trial_rows((ALS, IRLS))))
    results = read_for_check(made, here)
    texts = [each.text for each in check(results, known, ["sweetrs"]) if not each.fails]
    assert "synthetic: not part of this run, 1 cells were not run." in texts
    assert len(failures(check(results, known))) == 2


def test_a_smaller_profile_is_compared_with_what_is_expected_of_it(tmp_path, known):
    small = {
        "trials": list(trial_rows((ALS, REAL), trials=2)),
        "settings": settings_of((ALS, REAL), profile="ci", trials=2),
        "comparison": comparison_rows(status="not run"),
    }
    results = read_for_check(study(), write_run(tmp_path / "run", **small))
    with pytest.raises(InputError, match=r"in the configuration, but .* only full"):
        check(results, known)
    reference.update(results, known, "ci")
    assert check(results, known) == []
    (known / "expected" / "ci" / "claims.csv").unlink()
    with pytest.raises(InputError, match="`dpmc reference update --profile ci` makes it"):
        check(results, known)


def test_an_unknown_profile_is_refused(found):
    with pytest.raises(InputError, match=r"knows only full \(did you mean 'full'\?\)"):
        found(settings=settings_of(profile="ful"))


@pytest.mark.parametrize(
    "name",
    ["trials.csv", "settings.json", "tolerances.csv", "totals.csv", "expected/full/claims.csv"],
)
def test_a_reference_that_lacks_a_file_is_refused(found, known, name):
    (known / name).unlink()
    with pytest.raises(InputError, match=f"There is no .*{name} to compare with; `dpmc reference"):
        found()


@pytest.mark.parametrize(
    "name",
    ["trials.csv", "settings.json", "comparison.csv", "claims.csv", "totals.csv", "audit.csv"],
)
def test_a_run_that_is_not_finished_is_refused(tmp_path, name):
    (write_run(tmp_path) / name).unlink()
    with pytest.raises(InputError, match=f"is incomplete: it has no {name}; finish the run first"):
        read_for_check(study(), tmp_path)


def test_a_study_without_trials_needs_no_settings_and_no_reference(tmp_path):
    plain = study(Regression(passed=REGRESSION.passed))
    write_run(tmp_path)
    for path in tmp_path.iterdir():
        if path.name != "audit.csv":
            path.unlink()
    results = read_for_check(plain, tmp_path)
    assert check(results, tmp_path / "nowhere") == []
    assert results.counts() == "2 rows of audit"


def test_the_outcome_names_the_study_of_every_line(tmp_path, found):
    results, findings = found(audit=[])
    other = replace(results, study=study(name="other"), folder=tmp_path / "other")
    lines = outcome([results, other], {"invented": findings, "other": []}).splitlines()
    assert lines[0] == "dpmc: check FAILED, 1 difference from the reference: invented, other"
    assert lines[1] == "  FAILED invented: the audit has no rows."
    assert lines[2].startswith(f"  {results.folder}: 12 rows of trials")
    assert lines[3].startswith(f"  {tmp_path / 'other'}: 12 rows")

"""The check of equal privacy and of the audit: equal runs pass, every planted fault is found."""

import json
from pathlib import Path

import pytest
from finished_privacy import (
    MECHANISMS,
    OPEN,
    PRIVATE,
    REAL,
    audit_rows,
    fit_rows,
    settings_of,
    write_audit,
    write_equal_privacy,
)

from dpmc import tables
from dpmc.configuration import load
from dpmc.errors import InputError
from dpmc.studies.audit import STUDY as AUDIT
from dpmc.studies.equal_privacy import STUDY
from dpmc.study import check as checking
from dpmc.study import reference as references
from dpmc.study.cell_settings import Settings, settings_text
from dpmc.study.plan import Plan
from dpmc.study.tolerances import ALLOWED

HOME = Path(__file__).parents[3]
REFERENCE = HOME / "results" / "reference" / "equal_privacy"
PRIVATE_NAME = "dataset=synthetic, relation=entry_change, epsilon=0.5, method=private_als"
REAL_NAME = "dataset=sweetrs, relation=user_add_remove, epsilon=5, method=private_als"


def write_reference(folder, **tables_):
    """Write a run with what a reference has beside it."""
    write_equal_privacy(folder, **tables_)
    tables.write(folder / "tolerances.csv", (*STUDY.regression.coordinates, *ALLOWED), [])
    expected = folder / "expected" / "full"
    expected.mkdir(parents=True, exist_ok=True)
    (expected / "claims.csv").write_text((folder / "claims.csv").read_text())


@pytest.fixture
def check(tmp_path):
    """A function: check a run with these tables against that of the unchanged tables."""
    write_reference(tmp_path / "reference")

    def check(unavailable=(), **tables_):
        run = checking.read_for_check(STUDY, write_equal_privacy(tmp_path / "run", **tables_))
        return checking.check(run, tmp_path / "reference", unavailable)

    return check


def audit_failures(tmp_path, rows):
    results = checking.read_for_check(AUDIT, write_audit(tmp_path / "audit", rows))
    return failures(checking.check(results, tmp_path / "no_reference"))


def failures(findings):
    return [finding.text for finding in findings if finding.fails]


def notes(findings):
    return [finding.text for finding in findings if not finding.fails]


def test_an_equal_run_passes_and_is_counted(tmp_path, check):
    assert check() == []
    text = checking.read_for_check(STUDY, tmp_path / "run").counts()
    assert text == "12 rows of calibrated, 1 rows of claims"


@pytest.mark.parametrize(("factor", "fails"), [(1 + 2e-6, 1), (1 - 2e-6, 1), (1 + 5e-7, 0)])
@pytest.mark.parametrize("cell", MECHANISMS)
def test_a_changed_number_fails_and_names_the_fit(check, cell, factor, fails):
    metric = "rmse_clipped" if cell == REAL else "rmse_all"
    mechanism = MECHANISMS[cell][-1]
    (old,) = (
        row[metric]
        for row in fit_rows([cell])
        if (row["mechanism"], row["trial"]) == (mechanism, 1)
    )
    found = check(fits=fit_rows(change={(cell, mechanism, 1): {metric: old * factor}}))
    assert len(failures(found)) == len(found) == fails
    for text in failures(found):
        parts = (cell.dataset, cell.method, f"mechanism={mechanism}: trial 1: {metric} is")
        assert all(part in text for part in (*parts, str(old)))


def test_a_lost_number_fails(check):
    lost = {(PRIVATE, "huber", 0): {"rmse_heldout": None}}
    assert len(failures(check(fits=fit_rows(change=lost)))) == 1


def test_later_trials_are_not_compared(check):
    other = {(PRIVATE, "huber", 2): {"rmse_all": 9.0}}
    assert check(fits=fit_rows(change=other)) == []


def test_fewer_cells_and_trials_are_no_difference(check):
    cells = {cell: settings_of(cell, trials=1) for cell in (PRIVATE, OPEN)}
    assert check(cells=cells, fits=fit_rows(cells, trials=1)) == []


def test_fits_that_the_reference_does_not_have_are_a_note(tmp_path, check):
    write_reference(tmp_path / "reference", cells={OPEN: settings_of(OPEN)})
    found = check()
    assert failures(found) == []
    assert len(notes(found)) == 1
    assert notes(found)[0].startswith("6 trials are not in the reference")


def test_nothing_in_common_fails(tmp_path, check):
    write_reference(tmp_path / "reference", cells={OPEN: settings_of(OPEN)})
    found = check(cells={REAL: settings_of(REAL)})
    assert failures(found) == ["Run and reference have no trial in common."]


def test_a_changed_setting_fails_for_its_mechanism_alone(check):
    settings = settings_of(PRIVATE)
    settings["huber"]["method"] = settings["huber"]["method"] | {"rank": 3}
    cells = {cell: settings_of(cell) for cell in MECHANISMS} | {PRIVATE: settings}
    change = {(PRIVATE, "huber", 0): {"rmse_all": 9.0}}
    found = check(cells=cells, fits=fit_rows(cells, change=change))
    assert notes(found) == []
    assert failures(found) == [
        "method.rank is 3, in the reference 2, so that these cells cannot be compared: "
        f"{PRIVATE_NAME}, mechanism=huber."
    ]
    change = {(PRIVATE, "gaussian", 0): {"rmse_all": 9.0}}
    assert len(failures(check(cells=cells, fits=fit_rows(cells, change=change)))) == 2


def test_a_changed_setting_of_all_fits_is_one_failure(check):
    cells = {cell: settings_of(cell) for cell in MECHANISMS}
    for fitted in cells.values():
        for values in fitted.values():
            values["rating_range"] = [0.0, 5.0]
    found = check(cells=cells)
    assert [finding.fails for finding in found] == [True]
    assert "rating_range is (0.0, 5.0), in the reference (0.0, 2.5)" in found[0].text
    assert "none of the 4 cells can be compared" in found[0].text


def test_a_changed_verdict_fails(check):
    (text,) = failures(check(verdict="supported"))
    assert "H34" in text
    assert "supported, expected contradicted" in text


def test_missing_rows_fail_unless_the_data_are_not_available(check):
    cells = {cell: settings_of(cell) for cell in MECHANISMS}
    found = check(cells=cells, fits=fit_rows([PRIVATE, OPEN]))
    assert failures(found) == [f"{REAL_NAME}, mechanism=gaussian: the run lacks trial 0, 1, 2."]
    found = check(["sweetrs"], cells=cells, fits=fit_rows([PRIVATE, OPEN]))
    assert failures(found) == []
    assert notes(found) == ["sweetrs: data not available, 1 cells were not run."]
    fits = [row for row in fit_rows() if (row["mechanism"], row["trial"]) != ("huber", 1)]
    (text,) = failures(check(["sweetrs"], fits=fits))
    assert text == f"{PRIVATE_NAME}, mechanism=huber: the run lacks trial 1."


def test_what_the_reference_keeps_is_enough(tmp_path, check):
    full = checking.read_for_check(STUDY, write_equal_privacy(tmp_path / "full"))
    references.update(full, tmp_path / "reference")
    kept = (tmp_path / "reference" / "calibrated.csv").read_text().splitlines()
    assert len(kept) == 1 + 8
    assert check() == []


@pytest.mark.parametrize("name", ["calibrated.csv", "settings.json"])
def test_an_absent_reference_is_one_sentence_with_the_command(tmp_path, check, name):
    (tmp_path / "reference" / name).unlink()
    with pytest.raises(InputError, match=rf"no .*{name} .*`dpmc reference update") as caught:
        check()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["calibrated.csv", "settings.json", "claims.csv"])
def test_an_unfinished_run_is_refused(tmp_path, name):
    folder = write_equal_privacy(tmp_path / "run")
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"it has no {name}; finish the run first"):
        checking.read_for_check(STUDY, folder)


def test_settings_of_the_repository_are_those_of_the_reference():
    plan = Plan("results", load(HOME / "config" / "config.yaml"), {"equal_privacy": STUDY})
    ours = {
        f"{cell.name}, mechanism={mechanism}": values
        for curve in plan.jobs(STUDY, STUDY.job("fit")).values()
        for cell, settings in curve.items()
        for mechanism, values in by_mechanism(settings).items()
    }
    assert plan.settings_by_cell(STUDY) == ours
    stated = json.loads(settings_text(Settings("full", ours)))["cells"]
    kept = json.loads((REFERENCE / "settings.json").read_text())["cells"]
    assert stated == kept


def by_mechanism(settings):
    """The settings of a cell, for each of its mechanisms."""
    shared = {name: value for name, value in settings.items() if name != "hyperparameters"}
    tuned = settings["hyperparameters"]
    return {mechanism: shared | {"method": own} for mechanism, own in tuned.items()}


def test_an_audit_that_passed_needs_no_reference(tmp_path):
    assert audit_failures(tmp_path, audit_rows()) == []


def test_a_failed_audit_row_fails_and_is_named(tmp_path):
    for number, row in enumerate(audit_rows()):
        rows = audit_rows()
        rows[number]["passed"] = False
        (text,) = audit_failures(tmp_path, rows)
        assert text.startswith("audit: target=mechanism, test=likelihood_ratio")
        assert f"mechanism={row['mechanism']}, claimed_epsilon=1" in text
        assert ("planted_fault=scale x 0.8" in text) == (row["planted_fault"] is not None)


def test_an_audit_that_says_nothing_fails(tmp_path):
    rows = audit_rows()
    rows[0]["passed"] = None
    assert len(audit_failures(tmp_path, rows)) == 1
    assert audit_failures(tmp_path, []) == ["the audit has no rows."]

"""The check of the privacy part: equal runs pass, and every planted fault is found."""

import pytest

from dpmc import tables
from dpmc.errors import InputError
from dpmc.studies.equal_privacy.regression import check_privacy, counts, read_privacy_run
from dpmc.studies.huber.totals import COLUMNS as TOTAL_COLUMNS
from dpmc.study.reference import FIT_COLUMNS, first_trials
from dpmc.study.runs import Settings, settings_text
from finished_privacy import (
    MECHANISMS,
    OPEN,
    PRIVATE,
    REAL,
    audit_rows,
    fit_rows,
    settings_of,
    total_rows,
    write_privacy,
)

PRIVATE_NAME = "dataset=synthetic, relation=entry_change, epsilon=0.5, solver=private_als"
REAL_NAME = "dataset=sweetrs, relation=user_add_remove, epsilon=5, solver=private_als"


@pytest.fixture
def check(tmp_path):
    """A function: check a run with these tables against that of the unchanged tables."""
    write_privacy(tmp_path / "reference" / "privacy")

    def check(unavailable=(), **tables):
        run = read_privacy_run(write_privacy(tmp_path / "run", **tables))
        return check_privacy(run, tmp_path / "reference", unavailable)

    return check


def failures(findings):
    return [finding.text for finding in findings if finding.fails]


def notes(findings):
    return [finding.text for finding in findings if not finding.fails]


def test_an_equal_run_passes_and_is_counted(tmp_path, check):
    assert check() == []
    text = counts(read_privacy_run(tmp_path / "run"))
    assert text == ", 12 fits at equal privacy, 3 audit rows, 2 totals"


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
        parts = (cell.dataset, cell.solver, f"mechanism={mechanism}: {metric} of trial 1", str(old))
        assert all(part in text for part in parts)


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
    write_privacy(tmp_path / "reference" / "privacy", cells={OPEN: settings_of(OPEN)})
    found = check()
    assert failures(found) == []
    assert len(notes(found)) == 1
    assert notes(found)[0].startswith("privacy: 6 trials are not in the reference")


def test_nothing_in_common_fails(tmp_path, check):
    write_privacy(tmp_path / "reference" / "privacy", cells={OPEN: settings_of(OPEN)})
    found = check(cells={REAL: settings_of(REAL)})
    assert failures(found) == ["privacy: Run and reference have no trial in common."]


def test_a_changed_setting_fails_for_its_mechanism_alone(check):
    settings = settings_of(PRIVATE)
    settings["hyperparameters"]["huber"]["rank"] = 3
    cells = {cell: settings_of(cell) for cell in MECHANISMS} | {PRIVATE: settings}
    change = {(PRIVATE, "huber", 0): {"rmse_all": 9.0}}
    found = check(cells=cells, fits=fit_rows(change=change))
    assert notes(found) == []
    assert failures(found) == [
        "privacy: solver.rank is 3, in the reference 2, so that these cells cannot be compared: "
        f"{PRIVATE_NAME}, mechanism=huber."
    ]
    change = {(PRIVATE, "gaussian", 0): {"rmse_all": 9.0}}
    assert len(failures(check(cells=cells, fits=fit_rows(change=change)))) == 2


def test_a_changed_setting_of_all_fits_is_one_failure(check):
    cells = {cell: settings_of(cell) | {"rating_range": [0.0, 5.0]} for cell in MECHANISMS}
    found = check(cells=cells)
    assert [finding.fails for finding in found] == [True]
    assert "rating_range is (0.0, 5.0), in the reference (0.0, 2.5)" in found[0].text
    assert "none of the 4 cells can be compared" in found[0].text


def test_a_failed_audit_row_fails_and_is_named(check):
    for number, row in enumerate(audit_rows()):
        rows = audit_rows()
        rows[number]["passed"] = False
        (text,) = failures(check(audit=rows))
        assert text.startswith("privacy: audit: target=mechanism, test=likelihood_ratio")
        assert f"mechanism={row['mechanism']}, claimed_epsilon=1" in text
        assert ("planted_fault=scale x 0.8" in text) == (row["planted_fault"] is not None)


def test_an_audit_that_says_nothing_fails(check):
    rows = audit_rows()
    rows[0]["passed"] = None
    assert len(failures(check(audit=rows))) == 1
    assert failures(check(audit=[])) == ["privacy: the audit has no rows."]


def test_missing_rows_fail_unless_the_data_are_not_available(check):
    cells = {cell: settings_of(cell) for cell in MECHANISMS}
    found = check(cells=cells, fits=fit_rows([PRIVATE, OPEN]))
    assert failures(found) == [
        f"privacy: {REAL_NAME}, mechanism=gaussian: the run lacks trial 0, 1, 2."
    ]
    found = check(["sweetrs"], cells=cells, fits=fit_rows([PRIVATE, OPEN]))
    assert failures(found) == []
    assert notes(found) == ["privacy: sweetrs: data not available, 1 cells were not run."]
    fits = [row for row in fit_rows() if (row["mechanism"], row["trial"]) != ("huber", 1)]
    (text,) = failures(check(["sweetrs"], fits=fits))
    assert text == f"privacy: {PRIVATE_NAME}, mechanism=huber: the run lacks trial 1."


@pytest.mark.parametrize("column", ["epsilon", "epsilon_lower", "epsilon_upper"])
@pytest.mark.parametrize(("factor", "fails"), [(1 + 2e-6, 1), (1 + 5e-7, 0)])
def test_a_changed_total_fails(check, column, factor, fails):
    rows = total_rows()
    rows[0][column] *= factor
    found = failures(check(totals=rows))
    assert len(found) == fails
    for text in found:
        assert f"releases=50, sensitivity=5, delta=1e-05, accountant=pld: {column} is" in text


def test_only_totals_of_both_are_compared(check):
    more = total_rows()[0] | {"releases": 400, "epsilon": 1.0}
    assert check(totals=[total_rows()[1], more]) == []
    assert failures(check(totals=[more])) == ["privacy: Run and reference have no total in common."]


def test_a_lost_bound_of_a_total_fails(check):
    rows = total_rows()
    rows[0]["epsilon_lower"] = None
    assert len(failures(check(totals=rows))) == 1


def test_what_the_reference_keeps_is_enough(tmp_path, check):
    folder = tmp_path / "reference" / "privacy"
    kept = first_trials(read_privacy_run(folder).fits).reset_index()
    tables.write(folder / "calibrated.csv", FIT_COLUMNS, kept.to_dict("records"))
    (folder / "audit.csv").unlink()
    assert len(kept) == 8
    assert check() == []


@pytest.mark.parametrize("name", ["calibrated.csv", "settings.json", "totals.csv"])
def test_an_absent_reference_is_one_sentence_with_the_command(tmp_path, check, name):
    (tmp_path / "reference" / "privacy" / name).unlink()
    with pytest.raises(
        InputError, match=rf"no .*privacy/{name} .*`dpmc reference update"
    ) as caught:
        check()
    assert "\n" not in str(caught.value)


def test_settings_that_are_not_of_fits_are_refused(tmp_path, check):
    settings = Settings("full", {"dataset=synthetic, solver=als": {"seed": 1}})
    path = tmp_path / "reference" / "privacy" / "settings.json"
    path.write_text(settings_text(settings))
    with pytest.raises(InputError, match="solver=als have no hyperparameters"):
        check()


def test_a_repeated_total_is_refused(tmp_path):
    folder = write_privacy(tmp_path / "run")
    tables.write(folder / "totals.csv", TOTAL_COLUMNS, 2 * total_rows())
    with pytest.raises(InputError, match=r"totals\.csv has twice the total of mechanism=gaussian"):
        read_privacy_run(folder)


@pytest.mark.parametrize("name", ["calibrated.csv", "settings.json", "audit.csv", "totals.csv"])
def test_an_unfinished_run_is_refused(tmp_path, name):
    folder = write_privacy(tmp_path / "run")
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"it has no {name}; finish the run first"):
        read_privacy_run(folder)

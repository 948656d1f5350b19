"""The check of every study with trials: equal runs pass, and every planted fault is found.

A run is made of some cells of the committed reference; it is its own reference, and then changed.
"""

import json
import shutil
from functools import cache

import pandas as pd
import pytest
from every_study import REFERENCE, STUDIES

from dpmc.errors import InputError
from dpmc_studies import tables
from dpmc_studies.frame.checking import reference as references
from dpmc_studies.frame.checking.check import TOLERANCES, check, read_for_check
from dpmc_studies.frame.checking.runs import read_text_table, row_names
from dpmc_studies.frame.checking.tolerances import ALLOWED
from dpmc_studies.frame.jobs.cell_settings import SETTINGS, Settings, settings_text
from dpmc_studies.frame.jobs.plan import has_trials

WITH_TRIALS = [name for name, study in STUDIES.items() if has_trials(study)]

every_study = pytest.mark.parametrize("name", WITH_TRIALS)


@cache
def stored_cells(name):
    """The settings by cell of the committed reference."""
    return json.loads((REFERENCE / name / SETTINGS).read_text())["cells"]


@cache
def measured(name):
    """Text of the rows of some cells, and which of them has a number of which metric.

    A cell of each data set and one for each metric; as many trials of each as the reference has,
    and one that it does not keep. A metric that the reference lacks for want of data is made up.
    """
    regression = STUDIES[name].regression
    table = read_text_table(REFERENCE / name / f"{regression.table}.csv")
    table.index = pd.Index(row_names(table, regression.coordinates), name="cell")
    several = table.index[table["trial"] == "1"]
    of_metric = {}
    for metric in regression.metrics:
        numbers = pd.to_numeric(table[metric])
        measured = table.index[(numbers.abs() > 0) & (numbers.abs() < float("inf"))]
        free = (cell for cell in several if cell not in of_metric.values())
        of_metric[metric] = next((cell for cell in free if cell in measured), None) or next(
            cell for cell in several if cell not in of_metric.values()
        )
        if of_metric[metric] not in measured:
            table.loc[of_metric[metric], metric] = "0.5"
    rows = []
    for cell in dict.fromkeys([*table.index[~table["dataset"].duplicated()], *of_metric.values()]):
        known = table.loc[[cell]].to_dict("records")
        later = known[-1] | {"trial": str(len(known))}
        known += [later] * (len(known) == regression.trials)
        rows += [row | {"cell": cell} for row in known]
    return rows, of_metric


@cache
def expected_labels(name, table):
    """What is expected of a full run, which comes without the reasons that a run has."""
    path = REFERENCE / name / "expected" / "full" / f"{table}.csv"
    return read_text_table(path).assign(reason="3 of 4")


class Run:
    """The tables of a run of one study, to be changed and written."""

    def __init__(self, name):
        self.study = STUDIES[name]
        self.regression = self.study.regression
        rows, self.of_metric = measured(name)
        self.rows = [dict(row) for row in rows]
        trials = {row["cell"]: int(row["trial"]) + 1 for row in self.rows}
        known = stored_cells(name)
        self.settings = {cell: known[cell] | {"trials": trials[cell]} for cell in trials}
        self.labels = {
            table: expected_labels(name, table).copy() for table in self.regression.labels
        }

    def row(self, trial, metric):
        """The row of this trial of the cell whose number of this metric is changed."""
        cell = self.of_metric[metric]
        return next(r for r in self.rows if (r["cell"], r["trial"]) == (cell, str(trial)))

    def write(self, folder):
        """Write what the check reads."""
        columns = [*self.regression.coordinates, "trial", *self.regression.metrics]
        rows = [{each: row[each] for each in columns} for row in self.rows]
        tables.write(folder / f"{self.regression.table}.csv", columns, rows)
        (folder / SETTINGS).write_text(settings_text(Settings("full", self.settings)))
        for table, labels in self.labels.items():
            labels.to_csv(folder / f"{table}.csv", index=False)
        for table in self.regression.numbers:
            known = REFERENCE / self.study.name / f"{table}.csv"
            (folder / f"{table}.csv").write_bytes(known.read_bytes())
        for table, keys in self.regression.means.items():
            tables.write(folder / f"{table}.csv", (*keys, "trial"), [])
        return folder


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory):
    """A function: the folder of the run of a study, with itself as its reference."""

    @cache
    def written(name):
        made, folder = Run(name), tmp_path_factory.mktemp(name)
        results = read_for_check(made.study, made.write(folder))
        references.update(results, folder / "reference")
        return folder

    return written


@pytest.fixture
def run(name, unchanged, tmp_path):
    """A run that is its own reference."""
    shutil.copytree(unchanged(name), tmp_path, dirs_exist_ok=True)
    return Run(name)


@pytest.fixture
def found(run, tmp_path):
    """A function: write the changed run and compare it; return failures and notes."""

    def compare(*unavailable):
        results = read_for_check(run.study, run.write(tmp_path))
        differences = check(results, tmp_path / "reference", unavailable)
        return [[each.text for each in differences if each.fails == kind] for kind in (True, False)]

    return compare


def allow(run, tmp_path, **patterns):
    """Give the cells with these coordinates a larger tolerance."""
    row = dict.fromkeys(run.regression.coordinates, "*") | patterns
    path = tmp_path / "reference" / TOLERANCES
    row |= {"tolerance": 1e-4, "reason": "single precision"}
    tables.write(path, (*run.regression.coordinates, *ALLOWED), [row])


@every_study
def test_the_committed_reference_has_every_metric_of_every_cell(name):
    regression = STUDIES[name].regression
    header, *lines = (REFERENCE / name / f"{regression.table}.csv").read_text().splitlines()
    assert header.split(",") == [*regression.coordinates, "trial", *regression.metrics]
    trials = [each["trials"] for each in stored_cells(name).values()]
    assert len(lines) == sum(min(regression.trials, each) for each in trials)


@every_study
def test_an_equal_run_passes_and_is_counted(run, found, tmp_path):
    assert found() == [[], []]
    counts = read_for_check(run.study, tmp_path).counts()
    assert counts.startswith(f"{len(run.rows)} rows of {run.regression.table}, ")
    assert f"{len(run.labels['claims'])} rows of claims" in counts


@every_study
def test_the_reference_keeps_the_first_trials_alone(run, tmp_path):
    kept = read_text_table(tmp_path / "reference" / f"{run.regression.table}.csv")
    first = [row for row in run.rows if int(row["trial"]) < run.regression.trials]
    assert len(kept) == len(first)
    assert max(kept["trial"].astype(int)) < run.regression.trials


@pytest.mark.parametrize(
    ("factor", "fails"), [(1 + 2e-6, True), (1 - 2e-6, True), (1 + 5e-7, False)]
)
@every_study
def test_a_changed_number_of_any_metric_fails_and_names_the_cell(run, found, factor, fails):
    changed = []
    for metric in run.regression.metrics:
        row = run.row(1, metric)
        old = float(row[metric])
        row[metric] = repr(old * factor)
        changed.append((f"{row['cell']}: trial 1: {metric} is {old * factor}, ", str(old)))
    failures, notes = found()
    assert (len(failures), notes) == (len(changed) if fails else 0, [])
    for beginning, old in changed if fails else ():
        (text,) = [text for text in failures if text.startswith(beginning)]
        assert f"in the reference {old}" in text


@pytest.mark.parametrize("value", ["", "nan", "inf"])
@every_study
def test_a_lost_number_of_any_metric_fails(run, found, value):
    for metric in run.regression.metrics:
        run.row(0, metric)[metric] = value
    assert len(found()[0]) == len(run.regression.metrics)


@every_study
def test_a_number_from_nowhere_fails(run, found, name):
    """Without privacy epsilon is infinite, without ranking there is no recall."""
    cells = set()
    for row in run.rows:
        lacking = [metric for metric in run.regression.metrics if row[metric] in ("", "inf")]
        if row["trial"] == "0" and lacking:
            row[lacking[0]] = "1.0"
            cells.add(row["cell"])
    assert len(found()[0]) == len(cells)
    assert bool(cells) == (name != "which_model")  # whose fits have all numbers


@every_study
def test_later_trials_are_not_compared(run, found):
    last = [row for row in run.rows if row["trial"] == str(run.regression.trials)]
    assert last
    for row in last:
        row |= dict.fromkeys(run.regression.metrics, "9.0")
    assert found() == [[], []]


@every_study
def test_fewer_cells_and_trials_are_no_difference(run, found):
    cells = list(run.settings)[::2]
    run.settings = {cell: run.settings[cell] | {"trials": 1} for cell in cells}
    run.rows = [row for row in run.rows if row["cell"] in cells and row["trial"] == "0"]
    assert found() == [[], []]


@pytest.mark.parametrize(("factor", "fails"), [(1 + 9e-5, 0), (1 + 2e-4, 1)])
@every_study
def test_some_cells_may_have_a_tolerance_of_their_own(run, found, tmp_path, factor, fails):
    metric = run.regression.metrics[0]
    row = run.row(0, metric)
    allow(run, tmp_path, dataset=row["dataset"])
    row[metric] = repr(float(row[metric]) * factor)
    assert len(found()[0]) == fails
    allow(run, tmp_path, dataset="another")
    assert len(found()[0]) == 1


@every_study
def test_a_changed_setting_fails_for_its_cell_alone(run, found):
    """Also one inside of others; what cannot be compared is not compared."""
    metric, *_, other = run.regression.metrics
    first = run.of_metric[metric]
    run.row(0, metric)[metric] = "9.0"
    run.settings[first] = run.settings[first] | {"seed": 3, "inner": {"rank": 6, "side": [1, 2]}}
    known = stored_cells(run.study.name)[first]["seed"]
    sentence = "so that these cells cannot be compared: " + first + "."
    assert found() == [
        [
            f"inner.rank is 6, in the reference not set, {sentence}",
            f"inner.side is (1, 2), in the reference not set, {sentence}",
            f"seed is 3, in the reference {known}, {sentence}",
        ],
        [],
    ]
    run.row(0, other)[other] = "9.5"
    failures, _ = found()
    assert len(failures) == 4
    assert failures[-1].startswith(f"{run.of_metric[other]}: trial 0: ")


@every_study
def test_missing_trials_fail_unless_the_data_are_not_available(run, found):
    whole, first = run.rows, next(iter(run.settings))
    run.rows = [row for row in whole if (row["cell"], row["trial"]) != (first, "1")]
    assert found() == [[f"{first}: the run lacks trial 1."], []]

    lost = whole[-1]["dataset"]
    run.rows = [row for row in whole if row["dataset"] != lost]
    gone = dict.fromkeys(row["cell"] for row in whole if row["dataset"] == lost)
    trials = ", ".join(str(trial) for trial in range(run.settings[whole[-1]["cell"]]["trials"]))
    failures, _ = found()
    assert len(failures) == len(gone)
    assert f"{whole[-1]['cell']}: the run lacks trial {trials}." in failures
    note = f"{lost}: not part of this run, {len(gone)} cells were not run."
    assert found(lost) == [[], [note]]


@every_study
def test_a_changed_verdict_fails_unless_the_data_are_not_available(run, found):
    claims = run.labels["claims"]
    by_clock = claims["id"].isin(run.regression.by_clock)
    which = claims.index[(claims["verdict"] == "supported") & ~by_clock][0]
    claims.loc[which, "verdict"] = "contradicted"
    sentence = f"id={claims.loc[which, 'id']}: the verdict is contradicted, expected supported."
    assert found() == [[sentence], []]
    claims.loc[which, ["verdict", "reason"]] = "inconclusive", "not part of this run (4 of 4)"
    assert len(found()[0]) == 1
    failures, notes = found("a data set")
    assert (failures, len(notes)) == ([], 1)
    # what was not run as published is no want of data
    claims.loc[which, "reason"] = "1 of 4. As published, dpfw_jain was not run"
    assert len(found("a data set")[0]) == 1


@every_study
def test_a_verdict_about_seconds_may_change_with_the_machine(run, found):
    claims = run.labels["claims"]
    timed = claims["id"].isin(run.regression.by_clock)
    claims.loc[timed, "verdict"] = "another"
    assert found() == [[], []]


@pytest.mark.parametrize("file", ["trials", SETTINGS, TOLERANCES])
@every_study
def test_an_absent_reference_is_one_sentence_with_the_command(run, found, tmp_path, file):
    file = f"{run.regression.table}.csv" if file == "trials" else file
    (tmp_path / "reference" / file).unlink()
    with pytest.raises(InputError, match=rf"no .*{file} .*`dpmc reference update` makes") as caught:
        found()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("file", ["trials", SETTINGS, "claims.csv"])
@every_study
def test_an_unfinished_run_is_refused(run, tmp_path, file):
    file = f"{run.regression.table}.csv" if file == "trials" else file
    (tmp_path / file).unlink()
    with pytest.raises(InputError, match=f"it has no {file}; finish the run first"):
        read_for_check(run.study, tmp_path)

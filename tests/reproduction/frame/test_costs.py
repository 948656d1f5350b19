"""What a run will cost: jobs counted, means measured and kept, costs told from them."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from invented_study import TRIAL_COLUMNS, study

from dpmc.errors import InputError
from dpmc_studies import studies
from dpmc_studies.frame import costs
from dpmc_studies.frame.api import Job, OutputOf, RatingsOf, Step
from dpmc_studies.frame.costs import START_SECONDS, UNKNOWN_SECONDS
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.plan import Plan

METHODS = ("als", "irls")
MEANS = {("fit", "als"): 0.2, ("fit", "irls"): 0.6}


@dataclass(frozen=True)
class Fit(Cell):
    method: str
    epsilon: float


FIT = Job(
    "fit",
    "invented_study:fit",
    tables={"trials": TRIAL_COLUMNS},
    cell=Fit,
    cells=lambda section: [Fit(method, epsilon) for method in METHODS for epsilon in (1.0, 2.0)],
    by=("method",),
    settings=lambda section, cell: {"trials": section["trials"]},
    inputs=lambda section, cell: {"ratings": RatingsOf("sweetrs")},
)
TOTALS = Job("totals", "invented_study:totals", tables={"totals": ("a",)})
TUNE = Job("tune", "invented_study:tune", tables={"tuned": ("a",)}, target="tuning")
STEPS = (Step("figures", "invented_study:figures"),)


def invented(folder, means=None, trials=3, jobs=(FIT, TOTALS, TUNE)):
    """The plan of a run in a folder, of a study that keeps these means."""
    path = folder / "costs.csv"
    if means:
        costs.update(path, means)
    each = study(None, jobs=jobs, steps=STEPS, costs=path)
    configuration = {"invented": {"trials": trials}, "data": {"sets": {}}}
    return Plan(str(folder / "results"), configuration, {"invented": each})


def told(run, kind):
    """Return what the jobs of a kind are expected to take, in their order."""
    known = costs.Costs(run.studies.values())
    return [known.seconds(job) for job in costs.planned(run) if job.kind == kind]


# -- what they cost -----------------------------------------------------------------------------


def test_a_job_takes_its_start_and_the_mean_of_its_method_for_each_trial_of_all_its_cells(tmp_path):
    seconds = [START_SECONDS + 2 * 3 * mean for mean in MEANS.values()]
    assert told(invented(tmp_path, MEANS), "fit") == pytest.approx(seconds)
    more = told(invented(tmp_path, trials=30), "fit")
    assert more == pytest.approx([START_SECONDS + 2 * 30 * mean for mean in MEANS.values()])


def test_what_a_job_of_each_rule_takes_is_what_was_measured(tmp_path):
    run = invented(tmp_path, MEANS)
    found = costs.estimates(run, costs.Costs(run.studies.values()))
    assert found["invented_fit"] == pytest.approx(START_SECONDS + 6 * 0.4)
    own = [found[job.files[0]] for job in costs.planned(run) if job.kind == "fit"]
    assert own == pytest.approx([START_SECONDS + 6 * 0.2, START_SECONDS + 6 * 0.6])
    unknown = {found[f"invented_{name}"] for name in ("totals", "figures")}
    assert unknown == {UNKNOWN_SECONDS}
    assert {"invented_join_trials", "download", "ratings", "page"} <= set(found)


def test_a_method_that_was_never_measured_takes_the_mean_of_its_kind(tmp_path):
    run = invented(tmp_path, {("fit", "als"): 0.2, ("fit", "mean"): 0.1})
    assert told(run, "fit")[1] == pytest.approx(START_SECONDS + 6 * 0.15)
    known = costs.Costs(run.studies.values())
    measured = [known.was_measured(job) for job in costs.planned(run) if job.study == "invented"]
    assert measured == [True, False, False, True, False]


# -- which begin first --------------------------------------------------------------------------


def order(tmp_path, *jobs):
    run = invented(tmp_path, {("fit", "als"): 10.0, ("fit", "irls"): 100.0}, jobs=jobs)
    (each,) = run.studies.values()
    return list(costs.priorities(run, each, costs.Costs([each])).values())


def test_kinds_with_long_jobs_come_first_and_a_clock_that_counts_before_them(tmp_path):
    timing = replace(TOTALS, name="timing", alone=True)
    none = replace(TOTALS, name="none", cells=lambda section: [])
    assert order(tmp_path, FIT, TOTALS, timing, none) == [600, UNKNOWN_SECONDS, costs.FIRST, 0]


def test_what_long_jobs_wait_for_comes_as_early_as_they(tmp_path):
    made, later = (replace(FIT, name=name) for name in ("made", "later"))
    middle = replace(
        later, name="middle", inputs=lambda section, cell: {"x": OutputOf("made", cell)}
    )
    long = replace(FIT, inputs=lambda section, cell: {"x": OutputOf("middle", cell)})
    assert order(tmp_path, made, later, middle, long) == [600, UNKNOWN_SECONDS, 600, 600]
    of_a_target = replace(
        FIT, target="more", inputs=lambda section, cell: {"x": OutputOf("made", cell)}
    )
    assert order(tmp_path, made, of_a_target) == [UNKNOWN_SECONDS, 600]


# -- means --------------------------------------------------------------------------------------


def finish(run, seconds):
    """Write what a finished run leaves: logs and files."""
    for job, taken in zip(costs.planned(run), seconds, strict=False):
        for path in map(Path, (job.log, *job.files)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")
        Path(job.log).write_text(f"a remark\nCPU seconds: 0.50 to start, {taken} to run\n")


def test_means_are_those_of_all_trials_of_all_runs(tmp_path):
    runs = [invented(tmp_path / "one"), invented(tmp_path / "two", trials=6)]
    finish(runs[0], [6.0, 3.0])
    finish(runs[1], [12.0])
    beyond = 0.5 - START_SECONDS
    found = costs.measure(runs)["invented"]
    assert found == {
        ("fit", "als"): pytest.approx((18 + 2 * beyond) / (6 + 12)),
        ("fit", "irls"): pytest.approx((3 + beyond) / 6),
    }


def test_what_a_run_measured_tells_its_own_cost(tmp_path):
    run = invented(tmp_path)
    finish(run, [6.0, 3.0, 1.0])
    costs.update(tmp_path / "costs.csv", costs.measure([run])["invented"])
    assert told(run, "fit") + told(run, "totals") == pytest.approx([6.5, 3.5, 1.5], rel=0.01)


def test_a_job_without_data_is_not_measured(tmp_path):
    run = invented(tmp_path)
    finish(run, [6.0, 3.0])
    Path(costs.planned(run)[1].log).write_text("")
    assert list(costs.measure([run])["invented"]) == [("fit", "als")]


def test_a_folder_without_a_finished_job_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no log of a finished job"):
        costs.measure([invented(tmp_path)])


@pytest.mark.parametrize("name", studies.BUILT_IN)
def test_committed_means_are_of_jobs_that_there_are(name):
    each = studies.load()[name]
    kinds = {kind for kind, _ in costs.read(each.costs)}
    assert {job.name for job in each.jobs if job.target is None} <= kinds
    assert kinds <= {part.name for part in (*each.jobs, *each.steps)}

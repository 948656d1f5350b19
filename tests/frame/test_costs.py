"""What a run will cost: jobs counted, samples measured and kept, costs told from them."""

import math
from dataclasses import dataclass, replace

import pytest
from invented_study import TRIAL_COLUMNS, study

from dpmc import studies, tables
from dpmc.errors import InputError
from dpmc.frame.api import Effort, Job, RatingsOf, Step, in_proportion, ratings_of
from dpmc.frame.costs import model as costs
from dpmc.frame.costs.model import CostSample, Planned, Total
from dpmc.frame.jobs.cells import Cell
from dpmc.frame.jobs.plan import Plan

FIT = CostSample("fit", "als", 1000.0, 2, start=0.5, run=0.2, memory=200.0, disk=0.1)
SMALL = CostSample("fit", "mean", 1000.0, 2, start=0.5, run=0.01, memory=100.0, disk=0.1)
LARGE = replace(FIT, size=8000.0, run=2.0, memory=900.0)
METHODS = ("als", "irls")


@dataclass(frozen=True)
class Fit(Cell):
    method: str


def effort(section, cells):
    return Effort(None, section["trials"], section["size"])


JOBS = (
    Job(
        "fit",
        "invented_study:fit",
        tables={"trials": TRIAL_COLUMNS},
        cell=Fit,
        cells=lambda section: map(Fit, METHODS),
        inputs=lambda section, cell: {"ratings": RatingsOf("sweetrs")},
        effort=effort,
    ),
    Job("totals", "invented_study:totals", tables={"totals": ("a",)}, seconds=7.0),
    Job("tune", "invented_study:tune", tables={"tuned": ("a",)}, target="tuning"),
)
STEPS = (Step("figures", "invented_study:figures", seconds=3.0),)


def invented(folder, samples=(), trials=3, size=1000.0):
    """The plan of a run in a folder, of a study that keeps these samples."""
    section = {"trials": trials, "size": size}
    path = folder / "costs.csv"
    if samples:
        costs.update(path, samples)
    each = study(None, jobs=JOBS, steps=STEPS, costs=path)
    configuration = {"invented": section, "data": {"sets": {}}}
    return Plan(str(folder / "results"), configuration, {"invented": each})


def told(samples, folder, wanted):
    run = invented(folder, samples)
    job = Planned("invented", "fit", wanted, 9.0, (), "", "", ())
    return costs.CostModel(run.studies.values()).cost(job)


# -- what jobs are declared by -----------------------------------------------------------------


def test_amounts_add_up_over_the_cells_of_a_job_and_the_size_is_that_of_one():
    cells = {Fit("als"): {"trials": 3, "users": 8}, Fit("irls"): {"trials": 4, "users": 9}}
    assert in_proportion()({}, cells) == Effort(None, 7, 1.0)
    both = in_proportion(lambda used: 10 * used["trials"], size=lambda used: used["users"])
    assert both({}, cells) == Effort(None, 70, 8)


def test_data_with_sizes_are_drawn_and_others_read():
    @dataclass(frozen=True)
    class On(Cell):
        dataset: str

    section = {"datasets": {"drawn": {"users": 3, "items": 2}, "sweetrs": {"rating_range": [0, 1]}}}
    assert ratings_of(section, On("drawn")) == {}
    assert ratings_of(section, On("sweetrs")) == {"ratings": RatingsOf("sweetrs")}


# -- jobs ---------------------------------------------------------------------------------------


def test_jobs_are_those_of_the_default_target(tmp_path):
    jobs = costs.planned(invented(tmp_path))
    kinds = [job.kind for job in jobs if job.study == "invented"]
    assert kinds == ["fit", "fit", "totals", "join", "figures"]  # one table is of one job
    shared = [job.kind for job in jobs if job.study == costs.SHARED]
    assert shared == ["download", "ratings", "page"]
    assert {job.kind for job in jobs if job.data} == {"fit", "ratings"}


# -- what they cost -----------------------------------------------------------------------------


def test_cost_is_in_proportion_to_amount_and_size(tmp_path):
    cost = told([FIT, SMALL], tmp_path, Effort("als", 10, 3000.0))
    assert cost.measured
    assert cost.seconds == pytest.approx(0.5 + 10 * 0.2 * 3)
    assert cost.memory == pytest.approx(100 + 100 * 3)  # 100 MB is what the smallest job needs
    assert cost.disk == pytest.approx(10 * 0.1 * 3)


def test_what_a_job_of_each_rule_takes_is_what_was_measured_or_else_stated(tmp_path):
    slow = replace(FIT, alike="irls", run=0.6)
    run = invented(tmp_path, [FIT, slow])
    found = costs.estimates(run, costs.CostModel(run.studies.values()))
    assert found["invented_fit"] == pytest.approx(0.5 + 3 * (0.2 + 0.6) / 2)
    own = {found[job.files[0]] for job in costs.planned(run) if job.kind == "fit"}
    assert sorted(own) == pytest.approx([0.5 + 3 * 0.2, 0.5 + 3 * 0.6])
    stated = [found[f"invented_{name}"] for name in ("totals", "tune", "figures")]
    assert stated == [7.0, 2.0, 3.0]
    assert {"invented_join_trials", "download", "ratings", "page"} <= set(found)


@pytest.mark.parametrize(("size", "seconds"), [(2000.0, 0.5 + 0.4), (4000.0, 0.5 + 1.0)])
def test_the_nearest_size_tells(size, seconds, tmp_path):
    assert told([FIT, LARGE], tmp_path, Effort("als", 1, size)).seconds == pytest.approx(seconds)


def test_a_job_like_none_costs_the_mean_of_its_kind(tmp_path):
    cost = told([FIT, SMALL], tmp_path, Effort("irls", 10, 1e9))
    assert not cost.measured
    assert cost.seconds == pytest.approx(0.5 + 10 * (0.2 + 0.01) / 2)
    assert cost.memory == 200.0


def test_a_kind_that_was_never_measured_takes_what_its_study_states(tmp_path):
    run = invented(tmp_path, [FIT])
    model = costs.CostModel(run.studies.values())
    stated = {job.kind: model.cost(job) for job in costs.planned(run)}
    assert (stated["totals"].seconds, stated["figures"].seconds) == (7.0, 3.0)
    assert math.isnan(stated["totals"].memory)
    assert not stated["totals"].measured


def test_totals_are_sums_and_largest(tmp_path):
    run = invented(tmp_path, [FIT, replace(FIT, alike="irls", run=0.4, memory=300.0)])
    jobs, model = costs.planned(run), costs.CostModel(run.studies.values())
    found = costs.totals([job for job in jobs if job.kind in ("fit", "totals")], model.cost)
    seconds = [0.5 + 3 * 0.2, 0.5 + 3 * 0.4, 7.0]
    expected = Total(3, pytest.approx(sum(seconds)), 7.0, 300.0, pytest.approx(0.6), 1)
    assert found == {"invented": expected}
    assert costs.total([], model.cost).jobs == 0


# -- samples ------------------------------------------------------------------------------------


def finish(run, seconds, megabytes=150):
    """Write what a finished run leaves: logs, benchmarks, files."""
    for job, taken in zip(costs.planned(run), seconds, strict=False):
        for path in (job.log, job.benchmark, *job.files):
            (run_path := tables.Path(path)).parent.mkdir(parents=True, exist_ok=True)
            run_path.write_text("x" * 1000)
        tables.Path(job.log).write_text(f"a remark\nCPU seconds: 0.50 to start, {taken} to run\n")
        tables.Path(job.benchmark).write_text(f"s\tmax_rss\n1.0\t{megabytes}\n")


def test_figures_are_means_over_runs(tmp_path):
    runs = [invented(tmp_path / name) for name in ("one", "two")]
    finish(runs[0], [6.0, 3.0])
    finish(runs[1], [12.0], megabytes=170)
    als, irls = costs.measure(runs)["invented"]
    assert (als.kind, als.alike, als.size, als.jobs) == ("fit", "als", 1000.0, 2)
    assert (als.start, als.run, als.memory) == (0.5, pytest.approx(18 / 6), 170)
    assert als.disk == pytest.approx(2 * 0.001 / 6)
    assert (irls.alike, irls.jobs, irls.run) == ("irls", 1, 1.0)


def test_what_a_run_measured_tells_its_own_cost(tmp_path):
    run = invented(tmp_path)
    finish(run, [6.0, 3.0, 1.0])
    costs.update(tmp_path / "costs.csv", costs.measure([run])["invented"])
    model = costs.CostModel(run.studies.values())
    told = [model.cost(job).seconds for job in costs.planned(run)[:3]]
    assert told == pytest.approx([6.5, 3.5, 1.5])


def test_a_job_without_data_is_not_measured(tmp_path):
    run = invented(tmp_path)
    finish(run, [6.0, 3.0])
    tables.Path(costs.planned(run)[1].log).write_text("")
    assert [each.alike for each in costs.measure([run])["invented"]] == ["als"]


def test_a_folder_without_a_finished_job_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no log of a finished job"):
        costs.measure([invented(tmp_path)])


def test_new_figures_replace_old_ones_and_others_stay(tmp_path):
    path = tmp_path / "costs.csv"
    costs.update(path, [FIT, SMALL])
    costs.update(path, [replace(FIT, run=123456.789, memory=math.nan), LARGE])
    als, larger, mean = costs.read(path)
    assert als.run == 123500  # four digits
    assert math.isnan(als.memory)
    assert (larger, mean) == (LARGE, SMALL)


def test_a_size_of_more_digits_than_are_kept_replaces_itself(tmp_path):
    path, exact = tmp_path / "costs.csv", replace(FIT, size=851719.3)
    costs.update(path, [exact])
    costs.update(path, [replace(exact, run=3.0)])
    (kept,) = costs.read(path)
    assert (kept.size, kept.run) == (851700, 3.0)


# -- those that are committed -------------------------------------------------------------------


@pytest.mark.parametrize("name", studies.BUILT_IN)
def test_committed_figures_are_of_jobs_that_there_are(name):
    each = studies.load()[name]
    samples = costs.read(each.costs)
    kinds = {part.name for part in (*each.jobs, *each.steps)}
    assert samples
    assert {sample.kind for sample in samples} <= kinds
    assert all(sample.size > 0 and sample.run >= 0 and sample.jobs >= 1 for sample in samples)


def test_committed_shared_figures_are_of_shared_jobs():
    samples = costs.read(costs.SHARED_COSTS)
    kinds = {costs.JOIN, costs.RATINGS, costs.DOWNLOAD, costs.PAGE}
    assert {sample.kind for sample in samples} == kinds

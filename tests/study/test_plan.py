"""Where the files of a run lie: no two jobs share one, and inputs are where others put them."""

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from invented_study import REGRESSION, TOTAL_COLUMNS, TRIAL_COLUMNS, settings_of, study

from dpmc.study import digest, plan
from dpmc.study.api import Job, Made, Ratings, Step
from dpmc.study.cell_settings import settings_text

CURVES = [
    {"dataset": "synthetic", "method": "als"},
    {"dataset": "synthetic", "method": "irls"},
    {"dataset": "ml-100k", "method": "als"},
]


def inputs(section, coordinates):
    if coordinates["dataset"] == "synthetic":
        return {"data": Made("draw", {"rank": "5"})}
    return {"ratings": Ratings(coordinates["dataset"])}


JOBS = (
    Job("draw", "invented_study:draw", coordinates=("rank",),
        cells=lambda section: [{"rank": "5"}], file="npz"),
    Job("fit", "invented_study:fit",
        tables={"trials": TRIAL_COLUMNS, "second/trials": TRIAL_COLUMNS},
        coordinates=("dataset", "method"), cells=lambda section: CURVES,
        settings=lambda section, cell: {"seed": section["seed"]}, inputs=inputs),
    Job("baseline", "invented_study:baseline", tables={"trials": TRIAL_COLUMNS},
        coordinates=("dataset",), cells=lambda section: [{"dataset": "sweetrs"}],
        inputs=lambda section, cell: {"ratings": Ratings(cell["dataset"])}),
    Job("totals", "invented_study:totals", tables={"totals": TOTAL_COLUMNS}, file="npz"),
    Job("tune", "invented_study:tune", tables={"tuned": ("a",)}, coordinates=("dataset",),
        cells=lambda section: [{"dataset": "jester"}], target="tuning",
        inputs=lambda section, cell: {"ratings": Ratings("jester")}),
)  # fmt: skip
STEPS = (
    Step("claims", "invented_study:judge", makes=("claims",), needs=("trials",)),
    Step("tables", "invented_study:tables", needs=("claims", "totals")),
    Step("figures", "invented_study:figures"),
    Step("pages", "invented_study:pages", needs=("tables", "tuned"), target="tuning"),
)
STUDY = study(jobs=JOBS, steps=STEPS, prepare=lambda configuration: {"seed": 3, "trials": 3})


@pytest.fixture
def planned():
    return plan.Plan("top", {"reference": "full"}, {"invented": STUDY})


def test_files_of_jobs(planned):
    assert planned.parts(STUDY, "trials") == [
        "top/invented/fit/dataset~synthetic/method~als.csv",
        "top/invented/fit/dataset~synthetic/method~irls.csv",
        "top/invented/fit/dataset~ml-100k/method~als.csv",
        "top/invented/baseline/dataset~sweetrs.csv",
    ]
    second = planned.parts(STUDY, "second/trials")
    assert second[0] == "top/invented/fit/dataset~synthetic/method~als.second.trials.csv"
    # a job without coordinates makes its table itself
    assert planned.parts(STUDY, "totals") == ["top/invented/totals.csv"]
    assert plan.other_file("top", STUDY, STUDY.job("totals")) == "top/invented/totals/totals.npz"
    pattern = "dataset~{dataset}/method~{method}"
    fit, totals = STUDY.job("fit"), STUDY.job("totals")
    logs = [plan.log_file("top", STUDY, *each) for each in (("claims",), ("fit", fit))]
    assert logs == ["top/invented/logs/claims.log", f"top/invented/logs/fit/{pattern}.log"]
    marks = [plan.benchmark_file("top", STUDY, job) for job in (fit, totals)]
    assert marks == [
        f"top/invented/benchmarks/fit/{pattern}.tsv",
        "top/invented/benchmarks/totals.tsv",
    ]
    assert plan.join_rule(STUDY, "second/trials") == "invented_join_second_trials"
    assert plan.run_folder("top", STUDY, "") == "top/invented"


def test_inputs_are_ratings_or_what_another_job_made(planned):
    fit = STUDY.job("fit")
    assert planned.inputs(STUDY, fit, CURVES[0]) == {"data": "top/invented/draw/rank~5.npz"}
    assert planned.inputs(STUDY, fit, CURVES[2]) == {"ratings": "results/data/ml-100k.npz"}
    assert planned.settings(STUDY, fit, CURVES[0]) == {"seed": 3}


def test_real_data_are_those_of_jobs_that_run_by_default(planned):
    assert planned.real_data([STUDY]) == ["ml-100k", "sweetrs"]


def test_targets_are_tables_settings_and_folders(planned):
    assert planned.targets(STUDY) == [
        "top/invented/trials.csv",
        "top/invented/second/trials.csv",
        "top/invented/totals.csv",
        "top/invented/settings.json",
        "top/invented/claims.csv",
        "top/invented/tables",
        "top/invented/figures",
    ]
    assert planned.targets(STUDY, "tuning") == ["top/invented/tuned.csv", "top/invented/pages"]


def test_a_step_needs_tables_and_folders(planned):
    by_name = {step.name: step for step in STEPS}
    tables = planned.needs(STUDY, by_name["tables"])
    assert tables == ["top/invented/claims.csv", "top/invented/totals.csv"]
    folders = planned.needs(STUDY, by_name["pages"])
    assert folders == ["top/invented/tables", "top/invented/tuned.csv"]
    # without needs: every table that jobs make by default
    every = ["trials", "second/trials", "totals"]
    assert planned.needs(STUDY, by_name["figures"]) == [f"top/invented/{n}.csv" for n in every]


def test_settings_name_every_cell_of_the_trials(planned):
    assert planned.settings_text(STUDY) == settings_text(settings_of(seed=3))


def test_the_check_reads_what_the_regression_names():
    assert plan.files_of(REGRESSION) == [
        "trials.csv", "settings.json", "comparison.csv", "claims.csv", "totals.csv", "audit.csv"
    ]  # fmt: skip
    assert plan.files_of(replace(REGRESSION, table=None, labels={})) == ["totals.csv", "audit.csv"]


def test_a_study_from_outside_is_code_of_its_jobs(tmp_path):
    package = tmp_path / "package_from_outside"
    package.mkdir()
    (package / "run.py").write_text("one = 1\n")
    outside, run = replace(STUDY, folder=package), "package_from_outside.run:fit"
    before = plan.digest_of(run, [], outside)
    assert plan.own_files(outside) == [package / "run.py"]
    (package / "run.py").write_text("one = 2\n")
    digest.imports_of.cache_clear()
    assert plan.digest_of(run, [], outside) != before


def test_a_plugin_in_the_working_folder_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plugin, run = tmp_path / "plugin.py", "dpmc.study.cells:format_coordinate"
    plugin.write_text("one = 1\n")
    before = plan.digest_of(run, ["plugin.py"], STUDY)
    plugin.write_text("one = 2\n")
    assert plan.digest_of(run, ["plugin.py"], STUDY) != before


def test_a_folder_outside_is_named_from_where_snakemake_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert plan.relative_folder(STUDY) is None
    assert plan.relative_folder(replace(STUDY, folder=tmp_path / "mine")) == "mine"


def test_files_that_a_step_names_are_its_code(tmp_path):
    run = "dpmc.study.cells:format_coordinate"
    published = tmp_path / "published.csv"
    published.write_text("a\n1\n")
    before = plan.digest_of(run, [published], STUDY)
    published.write_text("a\n2\n")
    assert plan.digest_of(run, [published], STUDY) != before


def test_how_long_every_rule_takes():
    found = plan.estimates([STUDY])
    assert found["invented_fit"] == 2.0
    assert found["invented_claims"] == 5.0


# -- properties ---------------------------------------------------------------------------------

# what a formatted coordinate may be: anything but the signs that paths are made of
values = st.text(
    st.characters(codec="utf-8", exclude_characters="/~{}\x00\n\r", exclude_categories=("Cs",)),
    min_size=1,
    max_size=12,
)
names = st.from_regex("[a-z]+(_[a-z]+)?", fullmatch=True)


@st.composite
def jobs_with_two_cells(draw):
    coordinates = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    cells = [{name: draw(values) for name in coordinates} for _ in range(2)]
    return Job(
        "fit", "x:y", {"trials": (), "more/steps": ()}, tuple(coordinates), file="npz"
    ), cells


@settings(deadline=None)
@given(jobs_with_two_cells())
def test_different_coordinates_never_give_the_same_file(made):
    job, (first, second) = made
    assume(first != second)
    patterns = [plan.part_file("top", STUDY, job, table) for table in job.tables]
    for pattern in (*patterns, plan.other_file("top", STUDY, job), plan.pattern(job)):
        assert pattern.format(**first) != pattern.format(**second)


@settings(deadline=None)
@given(jobs_with_two_cells())
def test_a_path_says_its_coordinates(made):
    job, (cell, _) = made
    groups = {name: f"(?P<{name}>[^/~]+)" for name in job.coordinates}
    path = re.compile(re.escape(plan.pattern(job)).replace(r"\{", "{").replace(r"\}", "}")
                      .format(**groups))  # fmt: skip
    assert path.fullmatch(plan.pattern(job).format(**cell)).groupdict() == cell

"""Where the files of a run lie: no two jobs share one, and inputs are where others put them."""

import json
import keyword
from dataclasses import dataclass, make_dataclass, replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from invented_study import ALS, IRLS, QUIET, REGRESSION, TOTAL_COLUMNS, TRIAL_COLUMNS, Point, study

from dpmc.errors import InputError
from dpmc_studies.frame.api import Job, OutputOf, RatingsOf, Step
from dpmc_studies.frame.jobs import digest, plan
from dpmc_studies.frame.jobs.cells import Cell


@dataclass(frozen=True)
class Drawn(Cell):
    rank: int


@dataclass(frozen=True)
class Data(Cell):
    dataset: str


ORDER = (ALS, IRLS, Point("ml-100k", "als", 1.0), QUIET)
FITS = [("synthetic", "als"), ("synthetic", "irls"), ("ml-100k", "als")]


def settings_of_point(section, cell):
    return {"seed": section["seed"], "trials": 3, "regularization": cell.epsilon or 0.5}


def inputs(section, cell):
    if cell.dataset == "synthetic":
        return {"data": OutputOf("draw", Drawn(5))}
    return {"ratings": RatingsOf(cell.dataset)}


JOBS = (
    Job("draw", "invented_study:draw", cell=Drawn, cells=lambda section: [Drawn(5)], file="npz"),
    Job("fit", "invented_study:fit",
        tables={"trials": TRIAL_COLUMNS, "second/trials": TRIAL_COLUMNS},
        cell=Point, cells=lambda section: ORDER, by=("dataset", "method"),
        settings=settings_of_point, inputs=inputs,
        modules=lambda section, cell: ["dpmc_studies.frame.jobs.seeds"]),
    Job("baseline", "invented_study:baseline", tables={"trials": TRIAL_COLUMNS},
        cell=Data, cells=lambda section: [Data("sweetrs")],
        settings=lambda section, cell: {"trials": 3},
        inputs=lambda section, cell: {"ratings": RatingsOf(cell.dataset)}),
    Job("totals", "invented_study:totals", tables={"totals": TOTAL_COLUMNS}, file="npz"),
    Job("tune", "invented_study:tune", tables={"tuned": ("a",)}, cell=Data,
        cells=lambda section: [Data("jester")], target="tuning",
        inputs=lambda section, cell: {"ratings": RatingsOf("jester")}),
)  # fmt: skip
STEPS = (
    Step("claims", "invented_study:judge", makes=("claims",), needs=("trials",)),
    Step("tables", "invented_study:tables", needs=("claims", "totals")),
    Step("figures", "invented_study:figures"),
    Step("pages", "invented_study:pages", needs=("tables", "tuned"), target="tuning"),
)
STUDY = study(jobs=JOBS, steps=STEPS)
SECTION = {"seed": 3, "trials": 3, "sizes": {"small": 2, "large": None}, "none": None}
CONFIGURATION = {"reference": "full", "invented": SECTION, "data": {"sets": {"mine": {}}}}


@pytest.fixture
def planned():
    return plan.Plan("top", CONFIGURATION, {"invented": STUDY})


def test_a_study_is_given_its_section_without_nulls_and_the_own_data_sets(planned):
    assert planned.sections["invented"] == {**SECTION, "sizes": {"small": 2}}
    checked = replace(STUDY, prepare=lambda section, own_sets: {**section, "sets": own_sets})
    assert checked.section(CONFIGURATION)["sets"] == {"mine": {}}


def test_cells_of_a_file_are_those_that_other_jobs_read(planned):
    """Each once, in their order; another kind of file is none of them."""
    section = planned.sections["invented"]
    made = replace(STUDY.job("draw"), cells=None)
    others = [job for job in JOBS if job.name != "draw"]
    other_file = {"data": OutputOf("totals", Cell())}
    others.append(Job("more", "invented_study:more", inputs=lambda section, cell: other_file))
    found = replace(STUDY, jobs=(made, *others)).cells(made, section)
    assert found == list(STUDY.job("draw").cells(section))
    assert replace(STUDY, jobs=(made,)).cells(made, section) == []


def test_cells_that_agree_in_the_coordinates_are_one_job(planned):
    fit = STUDY.job("fit")
    assert list(planned.jobs(STUDY, fit)) == FITS
    curve = planned.settings(STUDY, fit, FITS[0])
    assert [(cell, own["regularization"]) for cell, own in curve.items()] == [
        (ALS, 1),
        (QUIET, 0.5),
    ]
    assert planned.code(STUDY, fit, FITS[0]) == plan.digest_of(
        fit.run, ["dpmc_studies.frame.jobs.seeds"], STUDY
    )


def test_a_job_that_the_configuration_does_not_have_is_refused(planned):
    with pytest.raises(InputError, match="no job fit of invented with jester, als"):
        planned.settings(STUDY, STUDY.job("fit"), ("jester", "als"))


def test_settings_name_every_cell_of_the_trials(planned):
    own = [settings_of_point({"seed": 3}, cell) for cell in ORDER]
    named = dict(zip([cell.name for cell in ORDER], own, strict=True))
    found = planned.settings_by_cell(STUDY)
    assert list(found.items()) == [*named.items(), ("dataset=sweetrs", {"trials": 3})]
    assert json.loads(planned.settings_text(STUDY)) == {"reference": "full", "cells": found}


def test_a_regression_may_name_the_rows_of_a_cell(planned):
    def both(cell, settings):
        for method in ("als", "irls"):
            yield {"dataset": cell.dataset, "method": method}, settings

    kept = replace(STUDY, jobs=JOBS[2:3], regression=replace(REGRESSION, rows=both))
    found = plan.Plan("top", CONFIGURATION, {"invented": kept}).settings_by_cell(kept)
    assert list(found) == ["dataset=sweetrs, method=als", "dataset=sweetrs, method=irls"]


def test_a_study_from_outside_is_code_of_its_jobs(tmp_path):
    package = tmp_path / "package_from_outside"
    package.mkdir()
    (package / "run.py").write_text("one = 1\n")
    outside, run = replace(STUDY, folder=package), "package_from_outside.run:fit"
    before = plan.digest_of(run, [], outside)
    assert plan.own_files(outside) == [package / "run.py"]
    (package / "run.py").write_text("one = 2\n")
    digest.imports_of.cache_clear()
    digest.source_digest.cache_clear()
    assert plan.digest_of(run, [], outside) != before


def test_a_plugin_in_the_working_folder_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plugin, run = tmp_path / "plugin.py", "dpmc_studies.frame.jobs.cells:format_coordinate"
    plugin.write_text("one = 1\n")
    before = plan.digest_of(run, ["plugin.py"], STUDY)
    plugin.write_text("one = 2\n")
    assert plan.digest_of(run, ["plugin.py"], STUDY) != before


def test_files_that_a_step_names_are_its_code(tmp_path):
    run = "dpmc_studies.frame.jobs.cells:format_coordinate"
    published = tmp_path / "published.csv"
    published.write_text("a\n1\n")
    before = plan.digest_of(run, [published], STUDY)
    published.write_text("a\n2\n")
    assert plan.digest_of(run, [published], STUDY) != before


# -- properties ---------------------------------------------------------------------------------

# what a formatted coordinate may be: anything but the signs that paths are made of
values = st.text(
    st.characters(codec="utf-8", exclude_characters="/~{}\x00\n\r", exclude_categories=("Cs",)),
    min_size=1,
    max_size=12,
)
names = st.from_regex("[a-z]+(_[a-z]+)?", fullmatch=True).filter(
    lambda name: not keyword.iskeyword(name) and not hasattr(Cell, name)
)


@st.composite
def jobs_with_two_cells(draw):
    coordinates = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    fields = [(name, str) for name in coordinates]
    kind = make_dataclass("Drawn", fields, bases=(Cell,), frozen=True)
    job = Job("fit", "x:y", {"trials": (), "more/steps": ()}, kind, file="npz")
    return job, [kind(*(draw(values) for _ in coordinates)) for _ in range(2)]


@settings(deadline=None)
@given(jobs_with_two_cells())
def test_different_coordinates_never_give_the_same_file(made):
    job, (first, second) = made
    assume(first != second)
    patterns = [plan.part_file("top", STUDY, job, table) for table in job.tables]
    for pattern in (*patterns, plan.other_file("top", STUDY, job), plan.pattern(job)):
        assert pattern.format(**job.place(first)) != pattern.format(**job.place(second))

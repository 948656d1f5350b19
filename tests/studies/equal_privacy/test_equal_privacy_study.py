"""The study of equal privacy: what it refuses, what its jobs use, and its chapter."""

import subprocess
import sys
from pathlib import Path

import pytest
from privacy_results import write_results

from dpmc.configuration import load, merge
from dpmc.errors import InputError
from dpmc.studies.equal_privacy import STUDY
from dpmc.studies.equal_privacy.cells import CalibratedCell
from dpmc.studies.equal_privacy.chapter import chapter
from dpmc.studies.equal_privacy.findings import NOT_RUN
from dpmc.studies.equal_privacy.trial import run_calibrated
from dpmc.study.api import Ratings
from dpmc.study.job import function, run_job
from dpmc.study.runs import read_frame

HOME = Path(__file__).parents[3]
CONFIGURATION = load(HOME / "config" / "config.yaml")
SMALL = {
    "trials": 1,
    "epsilons": [1, 5],
    "datasets": dict.fromkeys(["synthetic_large", "ml-100k", "sweetrs"]),
}


def prepared(change):
    return STUDY.prepare(merge(CONFIGURATION, {"equal_privacy": change}))


@pytest.fixture(scope="module")
def section():
    return prepared(SMALL)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hyperparameters": "nowhere.csv"}, ["nowhere.csv", "missing"]),
        ({"epsilons": [0.5, 3]}, ["no hyper-parameters", "epsilon 3"]),
        ({"methods": ["private_asl"]}, ["private_asl"]),
        ({"datasets": {"synthetic": {"rating_range": [3, 1]}}}, ["equal_privacy", "rating_range"]),
        ({"tuning_seed": 2206}, ["equal_privacy.tuning_seed", "seed"]),
        (
            {"datasets": {"jster": CONFIGURATION["equal_privacy"]["datasets"]["jester"]}},
            ["jster"],
        ),
    ],
)
def test_what_could_not_run_is_refused_in_one_sentence(change, words):
    with pytest.raises(InputError) as caught:
        prepared(change)
    assert all(word in str(caught.value) for word in words)
    assert "\n" not in str(caught.value)


def test_describing_the_study_imports_nothing_heavy():
    heavy = ("pandas", "matplotlib", "numba", "scipy.stats")
    code = (
        "import sys, dpmc.studies.equal_privacy, dpmc.studies.audit, dpmc.studies.huber.privacy\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_data_sets_that_are_null_are_left_out(section):
    assert list(section["datasets"]) == ["synthetic", "jester"]
    cells = list(STUDY.job("fit").cells(section))
    # synthetic data under four relations, jokes under two; five methods, at user level one more,
    # and three references each
    assert len(cells) == (4 + 2) * 5 + (2 + 1) + 2 * 3  # curves, whatever the epsilons
    assert {name for cell in cells for name in cell} == set(STUDY.job("fit").coordinates)
    assert not any(mark in value for cell in cells for value in cell.values() for mark in "/~")


def test_real_data_are_an_input_and_methods_a_module(section):
    fit = STUDY.job("fit")
    cell = {"dataset": "jester", "relation": "user_add_remove", "epsilon": "5"}
    cell |= {"method": "private_irls"}
    assert fit.inputs(section, cell) == {"ratings": Ratings("jester")}
    assert fit.inputs(section, cell | {"dataset": "synthetic"}) == {}
    assert fit.modules(section, cell) == ["dpmc.methods.factorization.private_irls"]
    assert STUDY.job("tune").settings(section, cell)["seed"] == section["tuning_seed"]


def test_a_job_writes_the_rows_of_its_epsilons_and_mechanisms(section, tmp_path):
    fit = STUDY.job("fit")
    curve = {"dataset": "synthetic", "relation": "entry_change", "method": "private_item_bias"}
    assert curve in list(fit.cells(section))
    path = tmp_path / "part.csv"
    settings = fit.settings(section, curve)
    run_job(function(fit.run), fit.tables, {"calibrated": path}, curve, settings, {})
    rows = read_frame(path)
    assert tuple(rows) == fit.tables["calibrated"]
    assert set(rows["mechanism"]) == {"gaussian", "laplace"}
    assert list(dict.fromkeys(rows["epsilon"])) == [float(e) for e in section["epsilons"]]


def test_the_rows_of_a_curve_are_those_of_its_cells_one_by_one(section):
    fit = STUDY.job("fit")
    curve = {"dataset": "synthetic", "relation": "user_add_remove", "method": "private_als"}
    settings = fit.settings(section, curve)["fits"]
    cells = {
        CalibratedCell.from_formatted(curve | {"epsilon": epsilon}): {**used, "trials": 2}
        for epsilon, used in settings.items()
    }
    alone = [row for cell, used in cells.items() for row in run_calibrated({cell: used})]
    together = run_calibrated(cells)
    assert len(together) == len(alone) > 2
    for row, other in zip(together, alone, strict=True):
        assert {**row, "seconds": None} == {**other, "seconds": None}


def test_a_job_of_the_frontier_has_one_number_of_releases(section, tmp_path):
    frontier = STUDY.job("frontier")
    cell = {"releases": "10"}
    settings = frontier.settings(section, cell) | {"epsilons": [1, 5]}
    run_job(
        function(frontier.run),
        frontier.tables,
        {"frontier": tmp_path / "f.csv"},
        cell,
        settings,
        {},
    )
    assert read_frame(tmp_path / "f.csv")[["releases", "epsilon"]].values.tolist() == [
        [10, 1],
        [10, 5],
    ]


def test_the_chapter_has_findings_an_answer_and_the_claim(tmp_path):
    folder = write_results(tmp_path) / "equal_privacy"
    (folder / "claims.csv").write_text("id,claim,verdict\nH34,c,contradicted\n")
    found = chapter(folder, {})
    assert [line.title for line in found.answers] == [
        "With a true guarantee ALS or A-IRLS still beats private baselines on these data"
    ]
    assert len(found.findings) == 7
    assert list(found.judged[0].claims["id"]) == ["H34"]
    names = [name for name, _ in found.downloads]
    assert names == ["calibrated.csv", "frontier.csv", "equal_privacy_claims.csv"]
    assert all(path.is_file() for _, path in found.downloads)


def test_the_chapter_of_a_run_without_rows_says_so(tmp_path):
    found = chapter(tmp_path, {})
    assert [line.text for line in found.findings] == [NOT_RUN]
    assert not any((found.answers, found.galleries, found.tables, found.judged))

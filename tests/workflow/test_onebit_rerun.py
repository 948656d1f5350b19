"""One-bit cells under Snakemake: what runs again, what is shared, what is refused."""

import pytest
from conftest import SMALL, Workspace

from dpmc.configuration import merge

pytestmark = pytest.mark.workflow

TRIALS = "results/onebit/trials.csv"
# one link, two shares, two epsilons and four mechanisms: 16 cells beside 2 without privacy
ONEBIT = {
    "links": ["logistic"],
    "datasets": {"synthetic": {"users": 16, "items": 12}},
    "experiments": {
        "budgets": {
            "observed_shares": [0.3, 0.6],
            "epsilons": [1, 4],
            "draws": 2,
            "mechanisms": ["inp", "grap", "outp_paper", "outp"],
        },
        **dict.fromkeys(["shares", "large", "movielens", "movielens_both", "restaurant"]),
    },
}
OVERLAY = merge(SMALL, {"onebit": ONEBIT})


def changed(**onebit):
    return merge(OVERLAY, {"onebit": onebit})


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    space = Workspace(tmp_path_factory.mktemp("onebit") / "work", OVERLAY)
    space.run(TRIALS, cores=1)
    return space


@pytest.fixture(autouse=True)
def as_it_was(done):
    yield
    done.write(OVERLAY)


def test_one_job_a_cell_and_nothing_runs_twice(done):
    rows = done.rows(TRIALS)
    # private cells, and clear with three baselines at each share
    assert len(rows) == 2 * (16 + 2 * 4)
    assert len(list((done.folder / "results/onebit/cells").rglob("*.csv"))) == 16 + 2
    assert done.planned(TRIALS) == {}


@pytest.mark.parametrize(
    ("onebit", "jobs"),
    [
        # a clip of the gradient touches gradient perturbation, 2 shares x 2 epsilons
        ({"grap": {"clip": 0.25}}, {"onebit_cell": 4, "onebit_trials": 1}),
        # a new epsilon: 4 mechanisms at 2 shares; Clear is not solved again for OutP
        (
            {"experiments": {"budgets": {"epsilons": [1, 4, 8]}}},
            {"onebit_cell": 8, "onebit_trials": 1},
        ),
        ({"experiments": {"budgets": {"mechanisms": ["inp"]}}}, {"onebit_trials": 1}),
    ],
)
def test_a_changed_setting_reruns_exactly_its_cells(done, onebit, jobs):
    done.write(changed(**onebit))
    assert done.planned(TRIALS) == jobs


def test_an_edited_clip_changes_the_rows_of_gradient_perturbation_alone(done, tmp_path):
    space = Workspace(tmp_path / "work", done.overlay)
    space.run(TRIALS)
    assert space.rows(TRIALS) == done.rows(TRIALS)  # whatever the number of cores
    space.write(changed(grap={"clip": 0.25}))
    space.run(TRIALS)
    before, after = done.rows(TRIALS), space.rows(TRIALS)
    different = [new for old, new in zip(before, after, strict=True) if old != new]
    assert {row["mechanism"] for row in different} == {"grap"}
    assert len(different) == 2 * 4


def test_kill_and_resume_lose_nothing(done, tmp_path):
    space = Workspace(tmp_path / "work", done.overlay)
    cells = space.folder / "results" / "onebit" / "cells"
    assert space.killed(TRIALS, when=lambda: len(list(cells.rglob("*.csv"))) >= 3)
    space.run("--unlock")
    space.run(TRIALS, "--rerun-incomplete")
    assert space.rows(TRIALS) == done.rows(TRIALS)


@pytest.mark.parametrize(
    ("onebit", "words"),
    [
        ({"links": ["logit"]}, ["onebit.links.0", "logistic", "logit"]),
        ({"experiments": {"budgets": {"mechanisms": ["imp"]}}}, ["imp", "inp"]),
        ({"experiments": {"budgets": {"dataset": "synthetik"}}}, ["synthetik"]),
        ({"experiments": {"budgets": {"draws": 0}}}, ["draws", "at least 1"]),
        (
            {
                "experiments": {
                    "again": {
                        "dataset": "synthetic",
                        "constraint": "both",
                        "observed_shares": [0.3],
                        "epsilons": [4],
                        "draws": 3,
                        "mechanisms": ["inp"],
                    }
                }
            },
            ["budgets", "again"],
        ),
    ],
)
def test_what_cannot_run_is_refused_in_one_sentence(done, onebit, words):
    done.write(changed(**onebit))
    message = done.run("--dry-run", TRIALS, code=1)
    line = next(line for line in message.splitlines() if line.startswith("dpmc: "))
    for word in words:
        assert word in line

"""DPALS curves under Snakemake: what runs again, what is generated once, what is refused."""

import pytest
import yaml
from conftest import HOME, SMALL, Workspace

from dpmc.configuration import load, merge
from dpmc.studies.dpals.settings import HYPERPARAMETERS

pytestmark = pytest.mark.workflow

TRIALS = "results/dpals/trials.csv"
DEFAULT = load(HOME / "config" / "config.yaml")["dpals"]
METHODS = ["als", "dpals", "dpfw"]
# two data sets, one method without privacy, two private ones at two epsilons: 2 x (1 + 2 x 2)
# cells on 2 x 3 curves
DPALS = {
    "datasets": {
        "synthetic-5k": {"users": 300, "items": 40, "ratings_factor": 2, "test_entries": 500},
        "surrogate-10m": {"scale": 0.02},
    },
    "experiments": {
        **dict.fromkeys(DEFAULT["experiments"]),
        "tradeoff_small": {
            "datasets": ["synthetic-5k"], "methods": METHODS, "epsilons": [1, 10], "trials": 2,
        },
        "surrogate": {
            "datasets": ["surrogate-10m"], "methods": METHODS, "epsilons": [1, 10], "trials": 2,
        },
    },
    "coverage": {"datasets": []},
}  # fmt: skip
OVERLAY = merge(SMALL, {"dpals": DPALS})


def changed(**dpals):
    return merge(OVERLAY, {"dpals": dpals})


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    space = Workspace(tmp_path_factory.mktemp("dpals") / "work", OVERLAY)
    space.run(TRIALS, "results/dpals/iterations.csv", cores=1)
    return space


@pytest.fixture(autouse=True)
def as_it_was(done):
    yield
    done.write(OVERLAY)


def without_clock(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def parts(folder):
    """The parts of the table of trials that are there."""
    found = (folder / "results" / "dpals" / "fit").rglob("*.csv")
    return [path for path in found if not path.name.endswith(".iterations.csv")]


def test_one_job_a_curve_and_nothing_runs_twice(done):
    assert len(done.rows(TRIALS)) == 2 * 2 * (1 + 2 * 2)
    assert len(parts(done.folder)) == 2 * 3
    assert len(list((done.folder / "results/dpals/surrogate").iterdir())) == 1
    assert done.planned(TRIALS) == {}


def edited_table(space, number):
    """A table of hyper-parameters in which one (data set, method, epsilon) has other settings."""
    text = HYPERPARAMETERS.read_text()
    row = {
        "methods": ["dpals"], "datasets": ["synthetic-5k"], "epsilons": [10],
        "settings": {"iterations": number}, "source": "[own]",
    }  # fmt: skip
    path = space.folder / "mine.yaml"
    path.write_text(text + yaml.safe_dump([row]))
    return {"hyperparameters": str(path)}


def test_an_edited_hyperparameter_reruns_one_curve_and_changes_one_cell(done, tmp_path):
    done.write(changed(**edited_table(done, 5)))
    assert done.planned(TRIALS) == {"dpals_fit": 1, "dpals_join_trials": 1}
    space = Workspace(tmp_path / "work", done.overlay)
    space.run(TRIALS)
    before, after = without_clock(done.rows(TRIALS)), without_clock(space.rows(TRIALS))
    different = [new for old, new in zip(before, after, strict=True) if old != new]
    cells = {(row["dataset"], row["method"], float(row["epsilon"])) for row in different}
    assert cells == {("synthetic-5k", "dpals", 10.0)}
    assert len(different) == 2


@pytest.mark.parametrize(
    ("dpals", "jobs"),
    [
        # delta touches every private curve
        ({"delta": 1.0e-6}, {"dpals_fit": 2 * 2, "dpals_join_trials": 1}),
        (
            {"experiments": {"surrogate": {"epsilons": [1, 10, 20]}}},
            {"dpals_fit": 2, "dpals_join_trials": 1},
        ),
        (
            {"datasets": {"surrogate-10m": {"scale": 0.03}}},
            {"dpals_surrogate": 1, "dpals_fit": 3, "dpals_join_trials": 1},
        ),
        ({"experiments": {"surrogate": None}}, {"dpals_join_trials": 1}),
    ],
)  # fmt: skip
def test_a_changed_setting_reruns_exactly_its_curves(done, dpals, jobs):
    done.write(changed(**dpals))
    assert done.planned(TRIALS) == jobs


def test_kill_and_resume_lose_nothing(done, tmp_path):
    space = Workspace(tmp_path / "work", done.overlay)
    assert space.killed(TRIALS, when=lambda: len(parts(space.folder)) >= 2)
    space.run("--unlock")
    space.run(TRIALS, "--rerun-incomplete")
    assert without_clock(space.rows(TRIALS)) == without_clock(done.rows(TRIALS))


@pytest.mark.parametrize(
    ("dpals", "words"),
    [
        ({"experiments": {"surrogate": {"methods": ["dpalls"]}}}, ["dpalls", "dpals"]),
        ({"experiments": {"surrogate": {"datasets": ["surogate-10m"]}}}, ["surogate-10m"]),
        ({"experiments": {"surrogate": {"trials": 0}}}, ["trials", "at least 1"]),
        ({"datasets": {"surrogate-10m": {"scale": 2}}}, ["surrogate-10m"]),
        ({"hyperparameters": "nowhere.yaml"}, ["nowhere.yaml"]),
        (
            {"experiments": {"surrogate": {"variants": {"odd": {"iteration": 3}}}}},
            ["iteration"],
        ),
    ],
)
def test_what_cannot_run_is_refused_in_one_sentence(done, dpals, words):
    done.write(changed(**dpals))
    message = done.run("--dry-run", TRIALS, code=1)
    line = next(line for line in message.splitlines() if line.startswith("dpmc: "))
    for word in words:
        assert word in line


def test_data_that_are_not_at_hand_give_no_rows(done, tmp_path):
    overlay = merge(
        SMALL,
        {
            "dpals": {
                "experiments": dict.fromkeys(DEFAULT["experiments"])
                | {
                    "movielens_10m": {
                        "datasets": ["ml-10m-top400"], "methods": ["trivial", "dpals"],
                        "epsilons": [1], "trials": 2,
                    }
                },
                "large": True,
                "coverage": {"datasets": []},
            }
        },
    )  # fmt: skip
    space = Workspace(tmp_path / "work", overlay)
    space.run(TRIALS)
    assert space.rows(TRIALS) == []

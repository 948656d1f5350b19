"""Data files under Snakemake: a user's own, corrupted, absent, and found later."""

import os

import numpy as np
import pytest
from workspaces import DEFAULTS, SMALL, TABLES, Workspace

from dpmc_studies.configuration import merge

pytestmark = pytest.mark.workflow
TRIALS = TABLES["huber"]
# two cells without noise and a baseline
GRID = merge(SMALL, {"huber": {"mechanisms": ["none"], "baselines": ["item_bias"]}})
COLUMNS = [{"method": "als", "mechanism": "none"}, {"method": "irls", "mechanism": "huber"}]
ENTRY = {
    "rank": 2,
    "variance": 1,
    "iterations": 2,
    "irls_iterations": 2,
    "shrinkage": 5,
    "splits": [{"observed_fraction": 0.8}],
    "columns": COLUMNS,
}
CELLS = len(COLUMNS) + 1


def overlay(real, sets=None):
    return merge(GRID, {"data": {"sets": sets or {}}, "huber": {"real": real}})


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A finished run with a data set of the user's own."""
    folder = tmp_path_factory.mktemp("own")
    rng = np.random.default_rng(3)
    lines = ["user,item,rating"]
    for user, item in zip(*np.nonzero(rng.random((12, 9)) < 0.6), strict=True):
        lines.append(f"u{user},i{item},{rng.integers(1, 6)}")
    space = Workspace(folder / "work", {})
    (space.folder / "mine.csv").write_text("\n".join(lines) + "\n")
    entry = {"path": "mine.csv", "rating_range": [1, 5]}
    space.write(overlay({"mine": ENTRY}, {"mine": entry}))
    space.run(TRIALS)
    return space


@pytest.mark.slow
def test_an_own_csv_is_a_data_set_like_any_other(own):
    rows = [row for row in own.rows() if row["dataset"] == "mine"]
    assert len(rows) == 2 * CELLS
    assert all(row["rmse_all"] == "" and float(row["rmse_clipped"]) > 0 for row in rows)


@pytest.mark.slow
def test_a_rating_outside_the_range_is_refused(own, tmp_path):
    space = own.copied(tmp_path / "copy")
    with open(space.folder / "mine.csv", "a") as stream:
        stream.write("u1,new,6\n")
    output = space.run(TRIALS, code=1)
    (sentence,) = [line for line in output.splitlines() if "mine.csv" in line]
    assert sentence.startswith("dpmc: ")
    assert "is outside the stated range" in sentence
    assert "Traceback" not in output
    assert not (space.folder / "results/data/mine.npz").exists()


def test_a_corrupted_data_file_is_refused(tmp_path):
    space = Workspace(tmp_path / "work", overlay({"ml-100k": ENTRY}))
    mirror = tmp_path / "mirror" / "ml-100k"
    mirror.mkdir(parents=True)
    (mirror / "u.data").write_text("1\t1\t5\t0\n")
    ratings = "results/data/ml-100k.npz"
    output = space.run(ratings, code=1, DPMC_DATA_MIRROR=str(mirror.parent))
    (sentence,) = [line for line in output.splitlines() if "sha" in line.lower()]
    assert "u.data" in sentence
    assert "Traceback" not in output
    assert not (space.folder / "data").exists() or not list(space.folder.glob("data/**/*.data"))
    assert not (space.folder / ratings).exists()


@pytest.mark.slow
def test_without_data_everything_else_is_delivered(tmp_path):
    movielens = {"datasets": ["ml-100k"], "methods": ["trivial", "dpals"], "trials": 1}
    experiments = dict.fromkeys(DEFAULTS["dpals"]["experiments"]) | {
        "movielens": movielens | {"epsilons": [1]}
    }
    configured = merge(overlay({"ml-100k": ENTRY}), {"dpals": {"experiments": experiments}})
    space = Workspace(tmp_path / "work", configured)
    output = space.run(TRIALS, TABLES["dpals"])
    assert {row["dataset"] for row in space.rows()} == {"synthetic"}
    assert space.rows(TABLES["dpals"]) == []
    last = output.rstrip().splitlines()[-2:]
    assert any(line.startswith("dpmc: data not available: ml-100k") for line in last)
    assert space.planned(TRIALS, TABLES["dpals"]) == {}


@pytest.mark.slow
def test_data_that_come_to_hand_later_are_used(tmp_path):
    """Absence is recorded, and forgotten once a mirror has the data."""
    mirror = os.environ.get("DPMC_DATA_MIRROR")
    if not mirror:
        pytest.skip("needs MovieLens 100K: set DPMC_DATA_MIRROR to a folder that has it")
    space = Workspace(tmp_path / "work", overlay({"ml-100k": ENTRY}))
    space.run(TRIALS)
    assert {row["dataset"] for row in space.rows()} == {"synthetic"}
    found = {"DPMC_DATA_MIRROR": os.path.abspath(mirror)}
    assert space.planned(TRIALS, **found)["huber_cell"] == CELLS
    space.run(TRIALS, **found)
    assert {row["dataset"] for row in space.rows()} == {"synthetic", "ml-100k"}
    assert space.planned(TRIALS, **found) == {}
    assert space.planned(TRIALS) == {}

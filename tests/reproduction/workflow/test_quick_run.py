"""The quick run has the user's settings, and those of config/quick.yaml where the user has none."""

import shutil

import pytest
import yaml
from test_catalog import Deployed
from workspaces import HOME, SMALL, Launched, Workspace

from dpmc_studies.configuration import merge

pytestmark = [pytest.mark.workflow, pytest.mark.slow]
TRIALS = "results/quick/huber/trials.csv"
RANKS = {"huber": {"ranks": [5, 7]}}
CELLS = 12
"""Of a quick run, which has rank 5 alone."""


def test_a_setting_of_a_file_or_of_the_command_line_wins(tmp_path):
    space = Workspace(tmp_path / "work", RANKS)
    # the target first: snakemake takes what follows an option for more of it
    links = ("--config", "onebit={links: [gaussian, logistic]}")
    planned = space.planned(TRIALS, "results/quick/onebit/trials.csv", *links)
    assert planned["huber_cell"] == 2 * CELLS
    # eleven each, as when the quick run has one link alone, and objp of one is not objp_paper
    assert planned["onebit_curve"] == 23


def test_a_setting_of_a_module_wins(tmp_path):
    space = Deployed(tmp_path / "deployed")
    assert space.planned(TRIALS)["huber_cell"] == CELLS
    (space.folder / "config").unlink()
    shutil.copytree(HOME / "config", space.folder / "config")
    path = space.folder / "config" / "config.yaml"
    path.write_text(yaml.safe_dump(merge(yaml.safe_load(path.read_text()), RANKS)))
    assert space.planned(TRIALS)["huber_cell"] == 2 * CELLS


def test_a_changed_setting_reruns_what_uses_it_and_nothing_else(tmp_path):
    grid = merge(SMALL, {"huber": {"mechanisms": ["none"], "baselines": ["item_bias"]}})
    space = Launched(tmp_path / "work", grid)
    assert "made with other settings" not in space.run(TRIALS)
    before = space.rows(TRIALS)
    assert len(before) == 3 * grid["huber"]["trials"]
    where = {"where": {"method": "irls"}, "set": {"regularization": 0.4}}
    space.write(merge(grid, {"huber": {"overrides": [where]}}))
    (space.folder / "results" / "quick" / "manifest.json").write_text('{"changed_settings": {}}')
    said = [line for line in space.run(TRIALS).splitlines() if "dpmc: " in line]
    assert said[0].startswith("dpmc: No claim of the papers is about")  # of the small grid's values
    first, second, *_ = said[1:]
    assert first.startswith("dpmc: results/quick was made with other settings (huber.")
    assert second.startswith("dpmc: 2 jobs to run")  # the cell, and the table
    after = space.rows(TRIALS)
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert [row["method"] for row in changed] == ["irls"] * grid["huber"]["trials"]
    space.write(merge(grid, {"huber": {"trials": 3}}))
    space.run(TRIALS)
    assert [row for row in space.rows(TRIALS) if row["trial"] != "2"] == before
    assert not (space.folder / "results" / "huber").exists()

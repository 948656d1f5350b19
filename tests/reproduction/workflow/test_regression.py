"""The numbers of all studies on the reduced grid against what is committed in results/reference."""

import os

import pytest
import yaml
from workspaces import HOME, Workspace

from dpmc_studies.studies import BUILT_IN

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def test_reduced_grid_gives_the_committed_numbers_and_verdicts(tmp_path):
    overlay = yaml.safe_load((HOME / "config" / "ci.yaml").read_text())
    space = Workspace(tmp_path / "ci", overlay)
    mirror = os.environ.get("DPMC_DATA_MIRROR")
    # without the data their cells are reported as not available; all others are compared
    variables = {"DPMC_DATA_MIRROR": os.path.abspath(mirror)} if mirror else {}
    output = space.run("check", "results/huber/tables", timeout=1800, **variables)
    outcome = (space.folder / "results" / "check.txt").read_text()
    assert outcome.startswith("dpmc: check passed"), outcome + output
    for name in BUILT_IN:
        assert name in outcome.splitlines()[0]
    compared = {row["dataset"] for row in space.rows()}
    assert compared == ({"synthetic", "ml-100k", "sweetrs"} if mirror else {"synthetic"})
    for number in (1, 3, 4, 5, 6, 7):
        assert (space.folder / "results" / "huber" / "tables" / f"table{number}.html").exists()

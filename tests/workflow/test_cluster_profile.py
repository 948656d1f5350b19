"""What the profile for Slurm would submit, as far as that can be seen without Slurm."""

import re
import sys
from collections import Counter

import pytest
import yaml
from workspaces import HOME, OWN_STUDY, SMALL, TABLES, Workspace

from dpmc import studies
from dpmc.frame.costs import cluster
from dpmc.running import launch

FOLDER = HOME / "workflow" / "profiles" / "slurm"
PROFILE = yaml.safe_load((FOLDER / "config.yaml").read_text())
STUDIES = studies.load()


def test_the_profile_bundles_groups_that_there_are():
    rules = "".join(path.read_text() for path in (HOME / "workflow" / "rules").glob("*.smk"))
    named = set(re.findall(r'group:\s+"(\w+)"', rules))
    for entry in PROFILE["group-components"]:
        assert entry.partition("=")[0] in named


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """The output of a dry run with the profile, bundled as `make reproduce` does it.

    Of every study, and of one from outside.
    """
    pytest.importorskip("snakemake_executor_plugin_slurm")

    class OnCluster(Workspace):
        def command(self, *targets, cores=None):
            return [
                *(sys.executable, "-m", "snakemake", "-s", HOME / "Snakefile", *targets),
                *("--directory", self.folder, "--configfile", self.folder / "overlay.yaml"),
                *("--workflow-profile", FOLDER),
                *launch.bundling(PROFILE, HOME, [self.folder / "overlay.yaml"]),
            ]

    own = yaml.safe_load((OWN_STUDY / "config.yaml").read_text())
    overlay = SMALL | own | {"studies": [str(OWN_STUDY)]}
    space = OnCluster(tmp_path_factory.mktemp("cluster") / "work", overlay)
    return space.run("--dry-run", *TABLES.values(), "results/own_study/claims.csv")


def submissions(output):
    """Return how many submissions of each group there are."""
    return Counter(re.findall(r"Group job (\w+)", output))


@pytest.mark.workflow
@pytest.mark.slow
def test_jobs_of_every_study_share_submissions_and_ask_for_what_was_measured(output):
    jobs = Counter(re.findall(r"^ *rule (\w+):", output, re.MULTILINE))
    submitted = submissions(output)
    assert jobs["huber_cell"] == 12
    assert submitted["huber_cell"] == 1
    for name, study in STUDIES.items():
        if name in TABLES:
            assert submitted[cluster.step_group(study)] == 1
    asked = re.findall(r"rule huber_cell:(?:\n .*)* resources: (.*)", output)
    assert len(asked) == 12
    for text in asked:
        # of a cell of two trials there is next to nothing but room
        memory, minutes = (
            int(re.search(rf" {name}=(\d+),", text)[1]) for name in ("mem_mb", "runtime")
        )
        assert cluster.SNAKEMAKE_MB < memory < cluster.SNAKEMAKE_MB + 500
        assert cluster.START_SECONDS / 60 <= minutes < 5


@pytest.mark.workflow
@pytest.mark.slow
def test_a_study_from_outside_is_bundled_as_well(output):
    submitted = submissions(output)
    assert submitted["own_study_fit"] == submitted["own_study_results"] == 1
    assert sum(name.startswith("own_study") for name in submitted) == 2

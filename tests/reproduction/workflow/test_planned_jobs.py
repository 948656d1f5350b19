"""``dpmc plan`` counts the jobs that Snakemake plans."""

from collections import Counter

import pytest
import yaml
from workspaces import DEFAULTS, HOME, Workspace

from dpmc_studies import studies
from dpmc_studies.configuration import checked, merge
from dpmc_studies.frame import costs
from dpmc_studies.frame.jobs.plan import Plan

# the target of a run is a rule too, and no work
TARGET = "all"


def rule_of(job):
    """The rule of a planned job; joins by the log, which is named like the table."""
    if job.study == costs.SHARED:
        return job.kind
    return f"{job.study}_{job.kind}" if job.kind != costs.JOIN else f"{job.study}_join"


@pytest.mark.workflow
@pytest.mark.slow
@pytest.mark.parametrize("name", ["quick", "large"])
def test_planned_jobs_are_those_of_a_dry_run(name, tmp_path):
    overlay = yaml.safe_load((HOME / "config" / f"{name}.yaml").read_text())
    known = studies.load()
    run = Plan("results", checked(merge(DEFAULTS, overlay), known), known)
    expected = Counter(rule_of(job) for job in costs.planned(run))
    dry = Workspace(tmp_path / "work", overlay).planned(TARGET)
    assert dry.pop(TARGET) == 1
    found = Counter()
    for rule, count in dry.items():
        found[rule.partition("_join_")[0] + "_join" if "_join_" in rule else rule] += count
    assert found == expected

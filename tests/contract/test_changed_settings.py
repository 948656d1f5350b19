"""One changed setting changes what exactly its jobs use, in every study: only they run again."""

from functools import cache

import pytest
from every_study import HOME, STUDIES, plan_of

from dpmc_studies import configuration
from dpmc_studies.frame.jobs.job import plain_cells
from dpmc_studies.frame.jobs.plan import Plan

DEFAULTS = configuration.load(HOME / "config" / "config.yaml")
CASES = {
    "huber": ("cell", {"loss_parameter": 1.5}, lambda cell: cell["method"] == "irls"),
    "equal_privacy": (
        "fit",
        {"datasets": {"synthetic": {"scale": 2.0}}},
        lambda cell: cell["dataset"] == "synthetic",
    ),
    "audit": ("part", {"attacks": 61}, lambda cell: cell["part"] == "attack"),
    "onebit": (
        "curve",
        {"grap": {"clip": 0.25}},
        lambda cell: cell["mechanism"] in ("grap", "grap_gaussian"),
    ),
    "which_model": (
        "fit",
        {"datasets": {"sweetrs": {"training_share": 0.7}}},
        lambda cell: cell["dataset"] == "sweetrs",
    ),
    "dpals": (
        "fit",
        {"datasets": {"synthetic-5k": {"users": 4999}}},
        lambda cell: cell["dataset"] == "synthetic-5k",
    ),
}


def used(study, job, change):
    """Return what each job of a kind uses, by its coordinates."""
    configured = configuration.merge(DEFAULTS, {study: change})
    known = {study: STUDIES[study]}
    others = {name: value for name, value in configured.items() if name not in STUDIES}
    checked = configuration.checked(others | {study: configured[study]}, known)
    plan, kind = Plan("results", checked, known), STUDIES[study].job(job)
    return {
        place: (plain_cells(cells), plan.inputs(STUDIES[study], kind, place))
        for place, cells in plan.jobs(STUDIES[study], kind).items()
    }


@cache
def used_unchanged(study):
    """Return what each job of a kind uses by default, of a plan of this study alone."""
    return used(study, CASES[study][0], {})


@pytest.mark.parametrize("study", STUDIES)
def test_a_changed_setting_touches_exactly_its_jobs(study):
    job, change, touched = CASES[study]
    before, after = used_unchanged(study), used(study, job, change)
    assert before.keys() == after.keys()
    different = {cell for cell in before if before[cell] != after[cell]}
    names = STUDIES[study].job(job).coordinates
    assert different == {place for place in before if touched(dict(zip(names, place, strict=True)))}
    assert different


@pytest.mark.parametrize("study", STUDIES)
def test_the_settings_of_other_studies_touch_nothing(study):
    kind = STUDIES[study].job(CASES[study][0])
    together = plan_of("full").jobs(STUDIES[study], kind)
    assert {place: plain_cells(cells) for place, cells in together.items()} == {
        place: cells for place, (cells, _) in used_unchanged(study).items()
    }

"""What could not run is refused in one sentence when the workflow is planned, for every study."""

import sys

import pytest
from every_study import HOME, STUDIES

from dpmc.errors import InputError
from dpmc_studies import configuration, studies
from dpmc_studies.frame.jobs.plan import Plan

DEFAULTS = configuration.load(HOME / "config" / "config.yaml")
SOME = {
    "dataset": "synthetic",
    "constraint": "both",
    "observed_fractions": [0.15],
    "epsilons": [4],
    "trials": 3,
    "mechanisms": ["inp"],
}
HUBER = [
    ({"methods": ["asl"]}, ["asl", "als"]),
    ({"mechanisms": ["hubber"]}, ["key huber: ", "'hubber' (did you mean 'huber'?)"]),
    ({"ranks": [5, 5000]}, ["huber.ranks", "at most 100", "got 5000"]),
    ({"rank": [5]}, ["Unknown configuration key huber.rank (did you mean 'ranks'?)"]),
]
EQUAL_PRIVACY = [
    ({"hyperparameters": "nowhere.csv"}, ["nowhere.csv", "missing"]),
    ({"epsilons": [0.5, 3]}, ["no hyper-parameters", "epsilon 3"]),
    ({"methods": ["private_asl"]}, ["private_asl"]),
    ({"datasets": {"synthetic": {"rating_range": [3, 1]}}}, ["rating_range"]),
]
AUDIT = [
    ({"runs": 10}, ["audit.runs", "minimum of 100"]),
    ({"sample": 1000}, ["audit.sample", "did you mean 'samples'"]),
]
ONEBIT = [
    ({"links": ["logit"]}, ["onebit.links.0", "logistic", "logit"]),
    ({"experiments": {"budgets": {"mechanisms": ["imp"]}}}, ["imp", "inp"]),
    ({"experiments": {"budgets": {"dataset": "synthetik"}}}, ["synthetik"]),
    ({"experiments": {"budgets": {"trials": 0}}}, ["trials", "minimum of 1"]),
    ({"experiments": {"again": SOME}}, ["budgets", "again"]),
]
DPALS = [
    ({"experiments": {"movielens": {"methods": ["dpalls"]}}}, ["dpalls", "dpals"]),
    ({"experiments": {"movielens": {"datasets": ["ml-100"]}}}, ["ml-100", "ml-100k"]),
    ({"experiments": {"movielens": {"trials": 0}}}, ["trials", "minimum of 1"]),
    ({"datasets": {"ml-100k": {"training_share": 2}}}, ["ml-100k"]),
    ({"hyperparameters": "nowhere.yaml"}, ["nowhere.yaml"]),
    ({"experiments": {"movielens": {"variants": {"odd": {"iteration": 3}}}}}, ["iteration"]),
]
AGAIN = {
    "datasets": ["sweetrs"],
    "methods": ["local_bayes"],
    "variant": "tuned",
    "epsilons": [1],
    "trials": 1,
}
WHICH_MODEL = [
    ({"experiments": {"default_method": {"methods": ["dpalls"]}}}, ["dpalls", "dpals"]),
    ({"experiments": {"default_method": {"datasets": ["sweets"]}}}, ["sweets"]),
    ({"experiments": {"again": AGAIN}}, ["default_method", "again"]),
    ({"hyperparameters": "nowhere.yaml"}, ["nowhere.yaml"]),
    ({"ranking": {"datasets": ["surrogate-3500"]}}, ["surrogate-3500", "ranking.likes_from"]),
]
CASES = {
    "huber": HUBER,
    "equal_privacy": EQUAL_PRIVACY,
    "audit": AUDIT,
    "onebit": ONEBIT,
    "dpals": DPALS,
    "which_model": WHICH_MODEL,
}


@pytest.mark.parametrize(
    ("study", "change", "words"),
    [(study, *case) for study, cases in CASES.items() for case in cases],
)
def test_what_cannot_run_is_refused_in_one_sentence(study, change, words):
    configured = configuration.merge(DEFAULTS, {study: change})
    with pytest.raises(InputError) as caught:
        Plan("results", configuration.checked(configured, STUDIES), {study: STUDIES[study]})
    sentence = str(caught.value)
    assert "\n" not in sentence
    for word in words:
        assert word in sentence


def test_every_study_refuses_something():
    assert set(CASES) == set(STUDIES)


# -- studies from outside -----------------------------------------------------------------------


def outside(folder, text=None):
    """Write a package at ``folder``; without text, a folder alone."""
    folder.mkdir()
    if text is not None:
        (folder / "__init__.py").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a_folder_alone", None, ["There is no study in", "__init__.py that defines STUDY"]),
        ("without_a_study", "STUDIES = 1\n", ["must define STUDY"]),
        ("with_an_error", "import nosuchmodule\n", ["cannot be imported", "nosuchmodule"]),
        ("with_a_typo", "STUDY = (\n", ["cannot be imported", "SyntaxError"]),
        # imported already, so that the folder would never be looked at
        ("email", "STUDY = 1\n", ["another Python package", "rename the folder"]),
        ("again", "from dpmc_studies.studies.audit import STUDY\n", ["called audit", "rename"]),
    ],
)
def test_what_is_no_study_is_refused_in_one_sentence(tmp_path, monkeypatch, name, text, words):
    monkeypatch.setattr("sys.path", [*sys.path])
    with pytest.raises(InputError) as caught:
        studies.load([outside(tmp_path / name, text)])
    for word in words:
        assert word in str(caught.value)


def test_a_study_must_not_be_called_like_a_part_of_dpmc(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", [*sys.path])
    text = (
        "import dataclasses\nfrom dpmc_studies.studies.audit import STUDY\n"
        "STUDY = dataclasses.replace(STUDY, name='report')\n"
    )
    with pytest.raises(InputError, match=r"called report.*rename"):
        studies.load([outside(tmp_path / "called_report", text)])

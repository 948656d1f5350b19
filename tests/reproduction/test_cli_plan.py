"""``dpmc plan``: a table by study before anything runs, and one sentence on bad input."""

import json
import shutil
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from refusals import refusal

from dpmc.cli import cli
from dpmc_studies.frame.costs import SHARED
from dpmc_studies.studies import BUILT_IN

HOME = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path, monkeypatch):
    shutil.copytree(HOME / "config", tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPMC_DATA_MIRROR", raising=False)
    return tmp_path


def planned(*arguments):
    result = CliRunner().invoke(cli, ["plan", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@cache
def as_json(config):
    """A plan as text, which is the same in every project."""
    return planned("--config", config, "--json")


def totals(config):
    return json.loads(as_json(config))


def test_a_line_for_each_study_and_for_all(project):
    lines = planned("--config", "config/quick.yaml").splitlines()
    names = [line.split("  ")[0] for line in lines[1 : len(BUILT_IN) + 3]]
    assert names == [*BUILT_IN, SHARED, "all"]
    assert {path.name for path in project.iterdir()} == {"config"}  # nothing was written


def test_values_that_no_claim_is_about_are_named(project):
    (project / "mine.yaml").write_text("huber:\n  ranks: [2, 5]\n  variances: [1, 2, 4]\n")
    last = planned("--config", "config/quick.yaml", "--config", "mine.yaml").splitlines()[-1]
    assert last.startswith("No claim of the papers is about huber.ranks 2 or huber.variances 4: ")
    assert "No claim" not in planned("--config", "config/quick.yaml")


def test_all_is_the_sum_of_the_studies(project):
    found = totals("config/quick.yaml")["totals"]
    whole = found.pop("all")
    for name in ("jobs", "seconds", "guessed"):
        assert whole[name] == pytest.approx(sum(each[name] for each in found.values()))
    assert whole["longest"] == max(each["longest"] for each in found.values())


def test_overlays_are_laid_over_each_other_as_for_the_launcher(project):
    (project / "more trials.yaml").write_text("huber: {trials: 10}\n")
    once = totals("config/quick.yaml")["totals"]["huber"]
    twice = totals("config/quick.yaml 'more trials.yaml'")["totals"]["huber"]
    assert twice["jobs"] == once["jobs"]
    assert twice["seconds"] > once["seconds"]
    files = ("config/quick.yaml", "more trials.yaml")
    for given, expected in ((files, twice), (files[::-1], once)):
        options = [word for file in given for word in ("--config", file)]
        assert json.loads(planned(*options, "--json"))["totals"]["huber"] == expected


def test_nearly_all_jobs_of_the_shipped_configurations_were_measured(project):
    for config in ("", "config/quick.yaml", "config/large.yaml"):
        found = totals(config)["totals"]["all"]
        assert found["guessed"] <= 0.02 * found["jobs"], config


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("huber: {trails: 3}\n", "Unknown configuration key huber.trails (did you mean 'trials'?)"),
        ("nothing: 1\n", "Unknown configuration key nothing; allowed here: audit, "),
        ("trials: 5\n", "key trials (did you mean 'huber.trials' or 'equal_privacy.trials'?)"),
        ("huber: {methods: [asl]}\n", "asl"),
    ],
)
def test_a_configuration_that_could_not_run_is_refused(
    text, sentence, project, capsys, monkeypatch
):
    (project / "mine.yaml").write_text(text)
    assert sentence in refusal(capsys, monkeypatch, "plan", ["--config", "mine.yaml"])


def test_a_configuration_that_is_not_there(project, capsys, monkeypatch):
    sentence = refusal(capsys, monkeypatch, "plan", ["--config", "config/larg.yaml"])
    assert "did you mean 'config/large.yaml'?" in sentence


def test_results_that_are_not_there(project, capsys, monkeypatch):
    sentence = refusal(capsys, monkeypatch, "plan", ["--measure", "results"])
    assert sentence == "dpmc: results holds no log of a finished job.\n"


def test_outside_of_the_project(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sentence = "dpmc: There is no config/config.yaml; run this in the folder of the project.\n"
    assert refusal(capsys, monkeypatch, "plan", []) == sentence

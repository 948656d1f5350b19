"""Commands of other packages, which the command line finds by their entry points."""

import sys
from importlib.metadata import EntryPoint

import pytest
from click.testing import CliRunner
from refusals import refusal

from dpmc import cli

MODULE = """
import click

@click.command()
def sing():
    click.echo("la")
"""


@pytest.fixture
def points(monkeypatch):
    """Set what packages are installed that add commands."""

    def installed(*values):
        found = [EntryPoint("studies", value, cli.ADDED) for value in values]
        monkeypatch.setattr(cli, "entry_points", lambda group: found if group == cli.ADDED else [])
        cli.added.cache_clear()

    yield installed
    cli.added.cache_clear()


def test_a_package_adds_commands_and_changes_none(points, tmp_path, monkeypatch):
    (tmp_path / "choir").mkdir()
    tasks = {"Songs": {"sing": "Sing.", "fit": "Another fit."}, "The papers": {"hum": "Hum."}}
    (tmp_path / "choir" / "__init__.py").write_text(f"TASKS = {tasks}\n")
    (tmp_path / "choir" / "sing.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    points("choir:TASKS")
    assert CliRunner().invoke(cli.cli, ["sing"]).output == "la\n"
    assert cli.package_of("fit") == "dpmc.cli"
    output = CliRunner().invoke(cli.cli, ["--help"]).output
    papers = output.partition("\nThe papers:\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in papers.splitlines()] == ["budget", "hum"]
    assert "\nSongs:\n  sing  Sing.\n" in output
    assert {"sing", "hum", "fit", "budget"} < set(cli.commands())


def test_a_package_whose_folder_is_gone_adds_nothing(points):
    points("gone_with_its_folder.cli:TASKS")
    assert cli.commands() == cli.named(cli.TASKS)
    assert "gone_with_its_folder" not in sys.modules


def test_commands_of_the_reproduction_say_where_they_are(points, monkeypatch, capsys):
    points()
    for name in cli.IN_THE_CHECKOUT:
        sentence = refusal(capsys, monkeypatch, name, [])
        assert sentence.endswith("get dpmc's repository, and run make reproduce there.\n")

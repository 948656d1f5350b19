"""The examples of the documents run as they stand there, and print what is said."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner
from document_texts import (
    DOCUMENTS,
    HOME,
    blocks,
    examples,
    name_of,
    program,
    write_blocks,
    write_own_files,
)

from dpmc import studies
from dpmc.cli import COMMANDS, GONE, cli
from dpmc.configuration import checked, load, merge
from dpmc.datasets.download import MIRROR_VARIABLE
from dpmc.frame.jobs.plan import Plan
from dpmc.methods.released.verify import verify

RUN = HOME / "docs" / "run.md"
"""It speaks of the reader's own mine.yaml and shows none."""
CLUSTER = HOME / "docs" / "cluster.md"
"""Its YAML is of profiles of Snakemake, and its programs are those of a cluster."""
OWN_RATINGS = ("noise", "fit", "verify", "card", "ledger", "complete", "page", "evaluate")
ONLY_PARSED = (
    *(("diff",), ("reference",), ("plan",)),
    *([] if os.environ.get(MIRROR_VARIABLE) else [("data", "fetch")]),
)
"""They need results or the folder of the project, or the network where there is no mirror."""
REPLACING = ("fit", "complete", "card", "page")
"""Commands that refuse to replace what an example above wrote."""
PROGRAMS = ("dpmc", "make", "python", "snakemake", "git", "cd", "squeue", "tmux")

every = {
    kind: pytest.mark.parametrize("document", found, ids=name_of)
    for kind, found in {
        "console": [each for each in DOCUMENTS if list(examples(each))],
        "python": [each for each in DOCUMENTS if blocks(each, "python")],
        "yaml": [each for each in DOCUMENTS if each != CLUSTER and blocks(each, "yaml")],
    }.items()
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_own_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def of_dpmc(document):
    return [example for example in examples(document) if program(example) == "dpmc"]


def leaf(words):
    """Return the command that words call, and its arguments."""
    command = cli
    while isinstance(command, click.Group):
        name, *words = words
        command = command.get_command(click.Context(command), name)
        assert command is not None, f"There is no command {name}."
    return command, words


@every["console"]
def test_programs_are_known(document):
    assert {program(example) for example in examples(document)} <= set(PROGRAMS)


@pytest.mark.slow
@pytest.mark.parametrize("document", [each for each in DOCUMENTS if of_dpmc(each)], ids=name_of)
def test_commands_of_dpmc_run(document, folder):
    write_blocks(document, folder)
    for words, printed in of_dpmc(document):
        words = words[1:]
        if "--dask" in words or any(words[: len(start)] == list(start) for start in ONLY_PARSED):
            command, arguments = leaf(words)
            command.make_context(words[0], arguments)
            continue
        run(words, printed)


def run(words, printed):
    """Run a command; one that registers a plug-in runs in a process of its own."""
    force = ["--force"] * (words[0] in REPLACING and "--output" in words)
    if "--plugin" in words:
        process = [sys.executable, "-m", "dpmc", *words]
        finished = subprocess.run(process, capture_output=True, text=True, timeout=300)
        status, output = finished.returncode, finished.stdout + finished.stderr
    else:
        result = CliRunner().invoke(cli, words + force, catch_exceptions=False)
        status, output = result.exit_code, result.output
    assert status == 0, (words, output)
    assert " ".join(printed.split()) in " ".join(output.split()), words


def test_the_readme_and_the_page_on_own_ratings_show_every_command_for_these():
    shown = {example.words[1] for each in DOCUMENTS for example in of_dpmc(each)}
    assert set(OWN_RATINGS) <= shown


@every["python"]
def test_python_runs(document, folder):
    found = {}
    for block in blocks(document, "python"):
        if not block.startswith("# my_plugin.py"):  # the workflow's tests run it
            exec(compile(block, str(document), "exec"), found)
    if "best" in found:
        assert len(found["best"]) == 10
    if "predicted" in found:
        assert len(found["predicted"]) == len(found["frame"])
    if Path("model").is_dir():
        assert verify(Path("model")).sentence == found["shared"].guarantee_.sentence()


@every["yaml"]
def test_configurations_are_valid(document, folder):
    known = studies.load()
    defaults = load(HOME / "config" / "config.yaml")
    for block in blocks(document, "yaml"):
        overlay = yaml.safe_load(block)
        if "plugins" in overlay.get("huber", {}):  # would stay registered; see tests/workflow
            continue
        changed = {name: known[name] for name in overlay if name in known}
        assert changed
        plan = Plan("results", checked(merge(defaults, overlay), known), changed)
        assert all(any(plan.targets(study)) for study in changed.values())


def test_profiles_name_options_of_snakemake_and_rules():
    from snakemake.cli import get_argument_parser  # half a second, for this test alone

    options = {option for each in get_argument_parser()._actions for option in each.option_strings}
    rules = {f"{name}_{job.name}" for name, study in studies.load().items() for job in study.jobs}
    for block in blocks(CLUSTER, "yaml"):
        profile = yaml.safe_load(block)
        assert {f"--{name}" for name in profile} <= options
        assert set(profile.get("set-resources", ())) <= rules


def test_commands_named_in_sentences_exist():
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        sentences = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        known = {*COMMANDS, *GONE} if document.name == "CHANGELOG.md" else COMMANDS
        for words in re.findall(r"`dpmc ((?:[a-z]\w* ?)+)", sentences):
            assert words.split()[0] in known, f"{name_of(document)} names dpmc {words}"


@every["console"]
def test_make_targets_and_files_exist(document, folder):
    write_blocks(document, folder)
    makefile = (HOME / "Makefile").read_text()
    for words, _ in examples(document):
        if Path(words[0]).name != "make":
            continue
        for word in " ".join(words[1:]).replace("|", " ").replace("&&", " ").split():
            setting, equals, value = word.partition("=")
            if word in ("make", ".venv/installed"):
                continue
            if not equals:
                assert re.search(rf"^[a-z -]*\b{word}\b[a-z -]*:", makefile, re.MULTILINE), word
            elif setting in ("CONFIG", "PROFILE") and (document, value) != (RUN, "mine.yaml"):
                value = value.replace("my_paper", "own_study")  # what it is a copy of
                assert (HOME / value).exists() or Path(value).exists(), value

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
    CLUSTER,
    DOCUMENTS,
    HOME,
    NOT_CODE,
    NOT_RUN,
    blocks,
    examples,
    fenced,
    is_of_the_workflow,
    name_of,
    program,
    why_not_run,
    write_blocks,
    write_own_files,
)

from dpmc.cli import cli, commands
from dpmc.methods.released.verify import verify
from dpmc_studies import studies
from dpmc_studies.configuration import checked, load, merge
from dpmc_studies.datasets.download import MIRROR_VARIABLE
from dpmc_studies.frame.jobs.plan import Plan

RUN = HOME / "docs" / "run.md"
"""It speaks of the reader's own mine.yaml and shows none."""
EXTEND = HOME / "docs" / "extend.md"
FOLDERS = ("config", "docs", "benchmarks", "examples", "envs", "src", "workflow")
NEEDS_MIRROR = ("data", "fetch")
"""Without one it needs the network."""
REPLACING = ("fit", "complete", "card", "page")
"""Commands that refuse to replace what an example above wrote."""

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


def runs_here(example):
    """Whether a command of dpmc is run by :func:`test_commands_of_dpmc_run`."""
    is_dpmc = program(example) == "dpmc"
    return is_dpmc and not is_of_the_workflow(example) and why_not_run(example) is None


def test_every_fenced_block_runs_or_says_why_not():
    """Nothing that a document shows is left out: what is new is run, or named with its reason."""
    left = []
    for document in DOCUMENTS:
        name = name_of(document)
        for block in fenced(document):
            run_by = {
                "console": block.text.startswith("$ "),  # each command below
                "python": True,  # test_python_runs; a plug-in in test_documents.py
                "yaml": True,  # there too
                "sh": document == EXTEND,  # there too
            }
            if not run_by.get(block.language) and (name, block.language) not in NOT_CODE:
                left.append(f"{name}, line {block.line}")
        for example in examples(document):
            why = why_not_run(example)
            if not (why or runs_here(example) or is_of_the_workflow(example)):
                left.append(f"{name}: {' '.join(example.words)}")
    assert left == []


def test_what_is_not_run_is_there():
    commands = [" ".join(each.words) for document in DOCUMENTS for each in examples(document)]
    unused = [each for each in NOT_RUN if not any(re.fullmatch(each, text) for text in commands)]
    assert unused == []
    shown = {(name_of(each), block.language) for each in DOCUMENTS for block in fenced(each)}
    assert set(NOT_CODE) <= shown
    named = " ".join([*NOT_RUN.values(), *NOT_CODE.values()])
    for path in re.findall(r"tests/[\w/]+(?:\.py)?", named):
        assert (HOME / path).exists(), path


def test_documents_are_all_that_there_are():
    ours = {
        *HOME.glob("*.md"),
        *(each for folder in FOLDERS for each in (HOME / folder).rglob("*.md")),
    }
    assert ours == set(DOCUMENTS)


def leaf(words):
    """Return the command that words call, and its arguments."""
    command = cli
    while isinstance(command, click.Group):
        name, *words = words
        command = command.get_command(click.Context(command), name)
        assert command is not None, f"There is no command {name}."
    return command, words


@pytest.mark.slow
@pytest.mark.parametrize("document", [each for each in DOCUMENTS if of_dpmc(each)], ids=name_of)
def test_commands_of_dpmc_run(document, folder):
    write_blocks(document, folder)
    for example in of_dpmc(document):
        words = example.words[1:]
        has_files = os.environ.get(MIRROR_VARIABLE) or words[:2] != list(NEEDS_MIRROR)
        if runs_here(example) and has_files:
            run(words, example.printed)
        else:
            command, arguments = leaf(words)
            command.make_context(words[0], arguments)


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
        if "plugins" in overlay.get(
            "huber", {}
        ):  # would stay registered; see tests/reproduction/workflow
            continue
        changed = {name: known[name] for name in overlay if name in known}
        assert changed
        plan = Plan("results", checked(merge(defaults, overlay), known), changed)
        assert all(any(plan.targets(study)) for study in changed.values())


def test_profiles_name_options_of_snakemake_and_rules():
    from snakemake.cli import get_argument_parser  # half a second, for this test alone

    options = {option for each in get_argument_parser()._actions for option in each.option_strings}
    jobs = [(name, job) for name, study in studies.load().items() for job in study.jobs]
    rules = {f"{name}_{job.name}" for name, job in jobs}
    groups = {"ratings", *(f"{name}_{job.name}" for name, job in jobs if not job.alone)}
    shipped = (HOME / "workflow/profiles/slurm/config.yaml").read_text()
    for block in [*blocks(CLUSTER, "yaml"), shipped]:
        profile = yaml.safe_load(block)
        assert {f"--{name}" for name in profile} <= options
        assert set(profile.get("set-resources", ())) <= rules
        assert {each.partition("=")[0] for each in profile.get("group-components", ())} <= groups


def test_commands_named_in_sentences_exist():
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        sentences = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        known = {*commands(), *(("onebit", "recommend") if document.name == "CHANGELOG.md" else ())}
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

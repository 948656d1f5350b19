"""What the documents say of the workflow runs to its end: to the page, and to the comparison.

Commands run in a copy of the project. Those of the studies share one run, which is small where the
examples do not say how large it is.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from document_texts import (
    CLUSTER,
    DOCUMENTS,
    HOME,
    Example,
    blocks,
    examples,
    is_of_the_workflow,
    program,
    why_not_run,
    write_own_files,
)
from workspaces import OWN_STUDY, QUICK, SMALL, Workspace

from dpmc_studies.configuration import merge
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.studies import BUILT_IN

pytestmark = pytest.mark.workflow
COPIED = (
    *("Makefile", "Snakefile", "LICENSE", "results/reference"),
    *("workflow", "config", "envs", "examples", "docs", "src"),
)
REAL = {"columns": [{"method": "als", "mechanism": "none"}]}
"""Of the papers' data sets, which are not here: one column, which has no rows."""
DRAWN = "drawn-5k-300-half-noise"
TINY = merge(
    merge(QUICK, SMALL),
    {
        "reference": "full",
        # of the cells that an example overrides
        "huber": {"real": {"ml-100k": REAL, "sweetrs": REAL}, "observed_fractions": [0.1]},
        "audit": {"parts": ["mechanisms"], "samples": 1000},
        "dpals": {
            "timing": {"users": [200, 400], "items": 300},
            "tuning": {"datasets": ["synthetic-5k"], "trials": 1, "candidates": 1},
        },
        "which_model": {
            "datasets": {DRAWN: {"users": 200, "items": 30, "test_entries": 500}},
            "search": {
                "datasets": [DRAWN],
                "methods": ["dp_svd"],
                "epsilons": [5],
                "candidates": 1,
            },
            "features": {"methods": []},
        },
    },
)
COMMANDS = [
    Example(list(words), "")
    for words in dict.fromkeys(
        tuple(example.words)
        for document in DOCUMENTS
        for example in examples(document)
        if is_of_the_workflow(example) and why_not_run(example) is None
    )
]


def settings_of(example: Example) -> dict[str, str]:
    """Return what a command gives to make."""
    return dict(word.split("=", 1) for word in example.words if re.match("[A-Z]+=", word))


def is_quick(example: Example) -> bool:
    return "quick" in settings_of(example).get("TARGET", "") or "diff" in example.words


def is_own(example: Example) -> bool:
    """Whether a command is of the example of a study, or of its copy."""
    return any(OWN_STUDY.name in word or "my_paper" in word for word in example.words)


def is_plan(example: Example) -> bool:
    return "plan" in example.words or example.words[-1] in ("help", "items", "claims")


def is_of_studies(example: Example) -> bool:
    return not (is_quick(example) or is_own(example) or is_plan(example))


class Project(Workspace):
    """A copy of the project, in which commands run as they stand in a document."""

    def __init__(self, folder):
        super().__init__(folder, TINY)
        ignored = shutil.ignore_patterns("__pycache__")
        for name in COPIED:
            source = HOME / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=ignored)
            else:
                shutil.copy(source, folder)
        write_own_files(folder)
        self.bin = os.path.dirname(sys.executable)

    def command(self, *words, cores=2):
        name = os.path.basename(words[0])
        if name == "make":
            # what this Python is of is installed
            installed = ("-o", f"{sys.prefix}/installed", f"VENV={sys.prefix}")
            return ["make", *installed, *words[1:], f"CORES={cores}"]
        return [f"{self.bin}/{name}", *words[1:]]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Project(tmp_path_factory.mktemp("documents") / "project")


def test_every_command_is_of_one_kind():
    for example in COMMANDS:
        assert sum([is_quick(example), is_own(example), is_plan(example)]) <= 1, example
    for kind in (is_quick, is_own, is_plan, is_of_studies):
        assert any(map(kind, COMMANDS))


@pytest.mark.slow
def test_the_quick_run_and_what_it_is_compared_with(project):
    for example in filter(is_quick, COMMANDS):
        if "diff" in example.words:
            shutil.copytree(project.folder / "results/quick", project.folder / "before")
        said = project.run(*example.words, timeout=3600)
        assert "diff" not in example.words or "equal" in said
    assert (project.folder / "results/quick/report/index.html").is_file()
    assert (project.folder / "results/quick/check.txt").read_text().startswith("dpmc: check passed")


@pytest.mark.slow
def test_every_example_of_settings_data_and_plug_ins_runs_to_the_page(project):
    """All targets of the documents, with all configurations that they show or name laid over one
    another.
    """
    folder, overlays = project.folder, ["overlay.yaml"]
    for document in DOCUMENTS:
        if document != CLUSTER:
            for text in blocks(document, "yaml"):
                overlays.append(f"example-{len(overlays)}.yaml")
                (folder / overlays[-1]).write_text(text)
        for text in blocks(document, "python"):
            if text.startswith("# my_plugin.py"):
                (folder / "my_plugin.py").write_text(text)
    chosen = [example for example in COMMANDS if is_of_studies(example)]
    given = [settings_of(each) for each in chosen if program(each) == "make"]
    named = dict.fromkeys(name for each in given for name in each.get("CONFIG", "").split())
    overlays += [name for name in named if (folder / name).is_file()]
    assert len(overlays) == 5
    targets = dict.fromkeys(each.get("TARGET", "all") for each in given)
    config = f"CONFIG={' '.join(overlays)}"
    project.run("make", "reproduce", f"TARGET={' '.join(targets)}", config, timeout=3600)
    for name in BUILT_IN:
        assert (folder / "results" / name / "report" / "index.html").is_file()
    assert (folder / "results/report/index.html").is_file()
    for example in chosen:
        if program(example) == "snakemake":
            end = example.words.index("--configfile") + 1
            said = project.run(*example.words[:end], *overlays)
            assert "Nothing to be done" in said
    rows = read_frame(folder / "results/huber/trials.csv")
    assert {"mine", "synthetic"} == set(rows["dataset"])
    assert {"uniform", "huber"} < set(rows["mechanism"])
    assert "item_median" in set(rows["method"])
    assert {2, 5, 10, 20} < set(rows["rank"])
    page = (folder / "results/huber/report/study-huber.html").read_text()
    for own in ("Mine", "ALS + Uniform", "Item median"):
        assert own in page
    for name in ("dpals/tuning", "which_model/search"):
        assert len(read_frame(folder / "results" / f"{name}.csv"))


@pytest.mark.slow
def test_an_own_paper_is_copied_run_and_made_its_reference(project):
    """Its check fails before, as the page says, and passes after."""
    (steps,) = blocks(HOME / "docs" / "extend.md", "sh")
    subprocess.run(["sh", "-ec", steps], cwd=project.folder, check=True)
    check = ["make", "reproduce", "TARGET=my_paper_check", "CONFIG=examples/my_paper/config.yaml"]
    for example in filter(is_own, COMMANDS):
        if program(example) == "dpmc":
            project.run(*check, code=1)
        project.run(*example.words)
    project.run(*check)
    for name in (OWN_STUDY.name, "my_paper"):
        assert (project.folder / "results" / name / "report" / "index.html").is_file()


@pytest.mark.slow
def test_plans_and_lists_are_printed(project):
    (project.folder / "mine.yaml").write_text(yaml.safe_dump(SMALL))
    pages = [project.folder / "docs" / name for name in ("items.md", "claims.md")]
    before = [page.read_text() for page in pages]
    for example in filter(is_plan, COMMANDS):
        assert project.run(*example.words)
    assert [page.read_text() for page in pages] == before

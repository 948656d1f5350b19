"""Examples of the documents that need the workflow run as they stand there."""

import re
import shlex
import subprocess
import sys

import pytest
import yaml
from document_texts import DOCUMENTS, blocks, examples
from workspaces import DEFAULTS, HOME, OWN_STUDY, SMALL, TABLES

from dpmc_studies import studies
from dpmc_studies.configuration import checked, load, merge
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.studies.huber.figures.results import rmse_by_fraction


def block(language, first_line):
    found = [text for each in DOCUMENTS for text in blocks(each, language) if first_line in text]
    (only,) = found
    return only


@pytest.mark.workflow
@pytest.mark.slow
def test_own_mechanism_and_method(workspace):
    (workspace.folder / "my_plugin.py").write_text(block("python", "# my_plugin.py"))
    overlay = yaml.safe_load(block("yaml", "plugins:"))
    workspace.write(merge(SMALL, overlay))
    workspace.run(TABLES["huber"])
    rows = workspace.rows()
    assert {row["method"] for row in rows if row["mechanism"] == "uniform"} == {"als", "irls"}
    assert {row["mechanism"] for row in rows if row["method"] == "item_median"} == {"none"}
    drawn = rmse_by_fraction(read_frame(workspace.folder / TABLES["huber"])).data
    assert {"uniform", "item_median"} <= {*drawn["mechanism"], *drawn["method"]}
    # a change of the plug-in reruns what it defines and what uses it
    plugin = workspace.folder / "my_plugin.py"
    plugin.write_text(plugin.read_text().replace("3 * variance", "3.0 * variance"))
    assert workspace.planned(TABLES["huber"])["huber_cell"] == 3


def test_changed_grid():
    known = studies.load()
    overlay = yaml.safe_load(block("yaml", "trials: 50"))
    plan = Plan("results", checked(merge(DEFAULTS, merge(SMALL, overlay)), known), known)
    cells = known["huber"].job("cell").cells(plan.sections["huber"])
    # 4 ranks x 1 fraction x (2 methods x (1 + 3 mechanisms x 3 variances) + 4 baselines)
    assert len(list(cells)) == 4 * (2 * 10 + 4)


def targets_of(*configs):
    """Return the targets of the workflow, from the sentence that refuses one that is none."""
    given = f"--config={shlex.join(map(str, configs))}"
    command = [sys.executable, "-m", "dpmc_studies.running.launch", "--cores=1", given]
    run = subprocess.run([*command, "no"], cwd=HOME, capture_output=True, text=True, timeout=300)
    return re.findall(r"\w+", run.stderr.partition("name one of ")[2].partition(", or a file")[0])


@pytest.mark.workflow
def test_targets_named_exist(workspace):
    """Of the configurations only that of the study from outside adds targets: those of its name."""
    outside = OWN_STUDY / "config.yaml"
    known = targets_of(workspace.folder / "overlay.yaml", outside)
    assert OWN_STUDY.name in known
    for document in DOCUMENTS:
        for example in examples(document):
            copied = (word.replace("my_paper", OWN_STUDY.name) for word in example.words)
            given = dict(word.split("=", 1) for word in copied if "=" in word)
            target, config = given.get("TARGET", "all"), HOME / given.get("CONFIG", "")
            if target.startswith(OWN_STUDY.name):
                assert config == outside
            elif config.is_file() and config != outside:  # the reader's own adds no target
                assert "studies" not in load(config)
            assert target in known, example

"""The examples of README.md run as they stand there."""

import re

import pytest
import yaml
from workspaces import DEFAULTS, HOME, SMALL, TABLES

from dpmc import studies
from dpmc.cli import COMMANDS
from dpmc.configuration import checked, merge
from dpmc.study.plan import Plan

README = (HOME / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.DOTALL)


def block(language, first_line):
    (found,) = [text for kind, text in BLOCKS if kind == language and first_line in text]
    return found


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


def test_commands_named_exist():
    named = set(re.findall(r"(?<!from )dpmc (\w+)", " ".join(re.findall(r"`([^`]*)`", README))))
    assert named & set(COMMANDS)
    for command in named:
        assert command in COMMANDS, f"README names dpmc {command}"


def test_make_targets_named_exist():
    makefile = (HOME / "Makefile").read_text()
    for line in block("console", "TARGET=quick").splitlines():
        for target in line.split("#")[0].replace("$ make", "").split("|"):
            name = target.split()[0]
            assert re.search(rf"^{name}:", makefile, flags=re.MULTILINE), name

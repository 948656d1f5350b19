"""One judge: a verdict is made by a claim's predicate, and whatever repeats it reads claims.csv."""

import ast
from functools import cache
from pathlib import Path

import pytest
import yaml
from every_study import STUDIES

from dpmc_studies import studies
from dpmc_studies.frame.judging import finding, rules, verdicts
from dpmc_studies.frame.showing.chapter import LINES
from dpmc_studies.yaml_files import read_mapping

FOLDER = Path(studies.__file__).parent
SOURCE = FOLDER.parent
VERDICT_NAMES = {"SUPPORTED", "CONTRADICTED", "NO_EFFECT", "INCONCLUSIVE"}
RULES = {
    name
    for module in (rules, verdicts)
    for name, value in vars(module).items()
    if callable(value) and name[0].islower()
}
RULES -= {"percent", "points", "plain", "replace"}  # formats
THRESHOLDS = {"MARGIN", "MOST_OF_ALL", "EQUIVALENCE"}
SHOWN = {"report/page.py"}  # order of verdicts


def judging(path):
    """Whether a module is one of the claims, or lies in the frame's room of judging."""
    inside = path.relative_to(SOURCE)
    if inside.parts[0] == "studies":
        return "claims" in inside.parts or path.name == "claims.py"
    return inside.parts[:2] == ("frame", "judging")


OTHERS = [
    path
    for path in sorted(SOURCE.rglob("*.py"))
    if path.relative_to(SOURCE).parts[0] in ("studies", "frame", "report") and not judging(path)
]


@cache
def nodes_of(path):
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def name_of(path):
    return str(path.relative_to(SOURCE))


def test_the_names_of_verdicts_are_those_of_the_frame():
    named = {getattr(finding, name) for name in VERDICT_NAMES}
    assert named | {finding.NOT_RUN} == set(finding.VERDICTS)  # the last one judges nothing


def judging_words(path):
    """Yield what a module judges or says verdicts with: names that it imports, and texts."""
    names = {rules.__name__: RULES, verdicts.__name__: RULES, finding.__name__: THRESHOLDS}
    words = {getattr(finding, name) for name in VERDICT_NAMES}
    if name_of(path) in SHOWN:
        words = set()
    else:
        names[finding.__name__] = THRESHOLDS | VERDICT_NAMES
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom):
            yield from {alias.name for alias in node.names} & names.get(node.module, set())
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from words & {node.value}


def test_no_other_module_says_a_verdict_or_judges():
    found = {name_of(path): [*judging_words(path)] for path in OTHERS}
    assert {name: words for name, words in found.items() if words} == {}


CHAPTERS = sorted(FOLDER.glob("*/chapter.py"))


@pytest.mark.parametrize("path", CHAPTERS, ids=name_of)
def test_a_chapter_has_no_line_but_those_of_claims(path):
    keywords = {node.arg for node in nodes_of(path) if isinstance(node, ast.keyword)}
    assert not keywords & set(LINES)  # the frame makes them of the ids in chapter.yaml
    assert not any(isinstance(node, ast.Compare) and ordered(node) for node in nodes_of(path))


def ordered(node):
    return any(isinstance(each, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for each in node.ops)


def test_lines_are_made_by_the_frame_alone():
    assert [
        name_of(path)
        for path in OTHERS
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "Line"
    ] == []


@pytest.mark.parametrize("name", STUDIES)
def test_every_line_names_a_claim_that_exists(name):
    study = STUDIES[name]
    files = [file for step in study.steps for file in step.files if file.name == "claims.yaml"]
    claims = {each["id"]: each for file in files for each in yaml.safe_load(file.read_text())}
    texts = read_mapping(study.schema.with_name("chapter.yaml"))
    lines = [each for kind in LINES for each in texts.get(kind, ())]
    assert lines
    assert set(lines) <= set(claims)
    # what we claim ourselves is what the page says, and nothing else
    assert {each for each, claim in claims.items() if claim.get("own")} <= set(lines)

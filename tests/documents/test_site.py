"""The site has every page, and its hooks leave code alone; `make site` builds it whole."""

import re
import runpy
import sys
from types import ModuleType

import pytest
from document_texts import HOME

MKDOCS = (HOME / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.fixture
def hooks(monkeypatch):
    """Return what envs/site.py defines, without MkDocs, which is in an environment of its own."""
    for name in ("mkdocs", "mkdocs.structure", "mkdocs.structure.files"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules["mkdocs.structure.files"].File = None
    return runpy.run_path(str(HOME / "envs" / "site.py"))


def test_every_page_is_in_the_navigation(hooks):
    pages = {path.relative_to(HOME / "docs").as_posix() for path in (HOME / "docs").rglob("*.md")}
    pages |= {*hooks["OUTSIDE"], *(f"api/{name}.md" for name in hooks["API"]), "report.md"}
    listed = re.findall(r"[\w./-]+\.md$", MKDOCS, flags=re.MULTILINE)
    assert sorted(listed) == sorted(pages)


def test_a_warning_ends_the_build():
    """--quiet would keep warnings from those that count them."""
    assert re.search(r"^strict: true$", MKDOCS, flags=re.MULTILINE)
    command = re.search(r"mkdocs build.*", (HOME / "Makefile").read_text(encoding="utf-8"))[0]
    assert command == "mkdocs build"


def test_the_api_shows_what_the_page_about_python_names(hooks):
    shown = {f"dpmc.{name}" for _, names in hooks["API"].values() for name in names}
    text = (HOME / "docs" / "python.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\bdpmc\.(?:privacy|fitting|released|publication)\b[\w.]*", text))
    named |= set(re.findall(r"^from (dpmc\.(?:privacy|fitting|released)\S*)", text, re.MULTILINE))
    missing = [
        name
        for name in sorted(named)
        if not any(name == each or name.startswith(f"{each}.") for each in shown)
    ]
    assert missing == []


def test_the_place_for_parameters_in_a_docstring_is_filled():
    parameters = runpy.run_path(str(HOME / "src/dpmc/fitting/parameters.py"))["described"]()
    assert parameters.startswith("epsilon : ")
    filling = (HOME / "envs" / "site_parameters.py").read_text(encoding="utf-8")
    (place,) = re.findall(r'^PLACE = "(.*)"$', filling, flags=re.MULTILINE)
    assert place in (HOME / "src/dpmc/estimator.py").read_text(encoding="utf-8")
    assert "extensions: [envs/site_parameters.py]" in MKDOCS

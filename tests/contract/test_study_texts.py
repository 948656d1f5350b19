"""Texts in files are those that a study shows, no more and no less."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from dpmc import studies
from dpmc.frame.showing.style import FigureText
from dpmc.frame.showing.texts import placeholders
from dpmc.yaml_files import read_mapping

FOLDERS = {name: Path(studies.__file__).parent / name for name in studies.BUILT_IN}
every_study = pytest.mark.parametrize("name", studies.BUILT_IN)


def figure_lists(name):
    """Lists of figures in the study's modules that draw."""
    package = importlib.import_module(f"dpmc.studies.{name}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".figures" in module.name:
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, list) and value and isinstance(value[0], FigureText):
                    yield value


@every_study
def test_every_figure_of_the_file_is_drawn(name):
    drawn = {entry.id for entries in figure_lists(name) for entry in entries}
    assert set(read_mapping(FOLDERS[name] / "figures.yaml")["figures"]) == drawn
    for entries in figure_lists(name):
        for entry in entries:
            assert not any(map(placeholders, (entry.title, entry.caption, entry.alt)))


@every_study
def test_every_text_of_the_chapter_is_shown(name):
    code = (FOLDERS[name] / "chapter.py").read_text(encoding="utf-8")
    shown = re.findall(r"""TEXT\(\s*["'](\w+)["']""", code)
    assert set(read_mapping(FOLDERS[name] / "chapter.yaml")) == set(shown)

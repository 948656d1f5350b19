"""Texts in files are those that a study shows, no more and no less."""

import re
from pathlib import Path

import pytest
from every_study import figures_of

from dpmc import studies
from dpmc.frame.showing.texts import placeholders
from dpmc.yaml_files import read_mapping

FOLDERS = {name: Path(studies.__file__).parent / name for name in studies.BUILT_IN}
every_study = pytest.mark.parametrize("name", studies.BUILT_IN)


@every_study
def test_every_figure_of_the_file_is_drawn(name):
    drawn = figures_of(name)
    assert set(read_mapping(FOLDERS[name] / "figures.yaml")["figures"]) == set(drawn)
    for entry in drawn.values():
        assert not any(map(placeholders, (entry.title, entry.caption, entry.alt)))


@every_study
def test_every_text_of_the_chapter_is_shown(name):
    code = (FOLDERS[name] / "chapter.py").read_text(encoding="utf-8")
    shown = re.findall(r"""TEXT\(\s*["'](\w+)["']""", code)
    assert set(read_mapping(FOLDERS[name] / "chapter.yaml")) == set(shown)

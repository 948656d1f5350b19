"""Texts in files are those that a study shows, no more and no less."""

import re
from pathlib import Path

import pytest
import yaml
from every_study import figures_of

from dpmc_studies import studies
from dpmc_studies.frame.judging.claims import FIRM
from dpmc_studies.frame.showing.chapter import LINES, WORDS
from dpmc_studies.frame.showing.texts import placeholders
from dpmc_studies.yaml_files import read_mapping

FOLDERS = {name: Path(studies.__file__).parent / name for name in studies.BUILT_IN}
# that `Chapter.of` and `Chapter.not_run` show
OF_CHAPTER = {*WORDS, *LINES, "judged", "found", "metrics", "downloads", "not_run"}
CAPTION = 300  # characters: three lines of a page
every_study = pytest.mark.parametrize("name", studies.BUILT_IN)


@every_study
def test_every_figure_of_the_file_is_drawn(name):
    drawn = figures_of(name)
    assert set(read_mapping(FOLDERS[name] / "figures.yaml")["figures"]) == set(drawn)
    for entry in drawn.values():
        assert not any(map(placeholders, (entry.title, entry.caption, entry.alt)))
        assert len(entry.caption) <= CAPTION


@every_study
def test_every_text_of_the_chapter_is_shown(name):
    code = (FOLDERS[name] / "chapter.py").read_text(encoding="utf-8")
    shown = re.findall(r"""TEXT(?:\.entries)?[(\[]\s*["'](\w+)["']""", code)
    texts = set(read_mapping(FOLDERS[name] / "chapter.yaml"))
    assert texts == {*shown, *OF_CHAPTER} & texts


@every_study
def test_sentences_of_what_was_found_are_of_claims_verdicts_and_numbers(name):
    found = read_mapping(FOLDERS[name] / "chapter.yaml").get("found", {})
    claims = {each["id"] for each in yaml.safe_load((FOLDERS[name] / "claims.yaml").read_text())}
    known = {"effect", "interval", "size", "opposite"} | ({"above"} if name == "huber" else set())
    for claim, sentences in found.items():
        assert claim in claims
        assert set(sentences) <= set(FIRM)  # an open claim says nothing of what was found
        for sentence in sentences.values():
            assert placeholders(sentence) <= known
            assert sentence.endswith(".")

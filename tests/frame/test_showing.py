"""What the frame makes of a study's tables by itself: a chapter."""

from pathlib import Path

import pandas as pd

from dpmc import studies
from dpmc.frame.judging.claims import CLAIM_COLUMNS
from dpmc.frame.showing.chapter import OWN_TITLE, Chapter
from dpmc.frame.showing.texts import Texts

TEXTS = "{heading: Study, lead: we look, introduction: At it.}"


def test_a_chapter_shows_what_steps_made_and_what_texts_say(tmp_path):
    path = tmp_path / "chapter.yaml"
    path.write_text(TEXTS)
    claims = pd.DataFrame("", index=[0, 1], columns=list(CLAIM_COLUMNS))
    claims["source"] = ["own", "paper"]
    made = Chapter.of(tmp_path, Texts(path), [], claims, key_figure="x", tables=[])
    assert (made.heading, made.lead, made.introduction) == ("Study", "we look", "At it.")
    assert (made.galleries[0].folder, made.tables, made.key_figure) == (
        tmp_path / "figures",
        [],
        "x",
    )
    assert [each.title for each in made.judged] == ["Claims, judged", OWN_TITLE]
    path.write_text(TEXTS.replace("}", ", judged: Theirs}"))
    assert Chapter.of(tmp_path, Texts(path), [], claims).judged[0].title == "Theirs"


def test_a_step_that_draws_is_made_again_when_its_figures_are_declared_otherwise():
    steps = {
        f"{study.name} {step.name}"
        for study in studies.load().values()
        for step in study.steps
        if "figures.yaml" in {Path(file).name for file in step.files}
    }
    drawn = {f"{name} figures" for name in studies.BUILT_IN}
    assert steps == drawn | {
        f"huber {name}" for name in ("method_figures", "privacy_figures", "unstated")
    }

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
    claims["id"] = ["A1", "A2"]
    claims.to_csv(tmp_path / "claims.csv", index=False)
    made = Chapter.of(tmp_path, Texts(path), [], key_figure="x", tables=[])
    assert (made.heading, made.lead, made.introduction) == ("Study", "we look", "At it.")
    assert (made.galleries[0].folder, made.tables, made.key_figure) == (
        tmp_path / "figures",
        [],
        "x",
    )
    assert [each.title for each in made.judged] == ["Claims, judged", OWN_TITLE]
    more = "judged: Theirs, answers: [A2, A1, A3], key_figure: y, downloads: {mine.csv: trials}}"
    path.write_text(TEXTS.replace("}", f", {more}"))
    made = Chapter.of(tmp_path, Texts(path), [], about="Ours")
    assert (made.judged[0].title, made.key_figure, made.findings) == ("Theirs", "y", ())
    assert [line.claim for line in made.answers] == ["A2", "A1"]
    assert all(line.title.startswith("Ours: ") for line in made.answers)
    assert made.downloads == [("mine.csv", tmp_path / "trials.csv")]


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

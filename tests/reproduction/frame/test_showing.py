"""What the frame makes of a study's tables by itself: a chapter."""

import pandas as pd
import pytest

from dpmc.errors import InputError
from dpmc_studies.frame.judging.claims import CLAIM_COLUMNS
from dpmc_studies.frame.showing import frames
from dpmc_studies.frame.showing.chapter import OWN_TITLE, Chapter
from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import Labels
from dpmc_studies.frame.showing.results import mean_row
from dpmc_studies.frame.showing.table_model import Cell, Column, Row
from dpmc_studies.frame.showing.texts import Texts

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


def test_a_row_of_means_has_a_dash_for_what_was_not_run():
    means = pd.DataFrame(
        [("a", 0.5, 0.1, 3), ("b", 0.05, 0.01, 2)],
        columns=["name", "mean", "standard_error", "trials"],
    )
    row = mean_row(means, "name", ("b", "c", "a"), (1,), ("one",))
    assert [cell.number for cell in row.cells] == ["0.0500", "–", "0.500"]
    assert [cell.trials for cell in row.cells] == [2, 0, 3]


def test_a_name_without_a_label_is_shown_as_words():
    labels = Labels(a="A")
    named = [labels[name] for name in ("a", "mine", "item_median", "ml-1m", "Mine_2")]
    assert named == ["A", "Mine", "Item median", "ml-1m", "Mine_2"]
    assert list(labels) == ["a"]  # looking does not add
    shared = [each for name, each in vars(frames).items() if name.endswith("_LABELS")]
    assert len(shared) == 4
    assert all(isinstance(each, Labels) for each in shared)


TABLE = """
errors:
  title: "RMSE at {share}"
  headings: {dataset: Data}
  columns: {mean: Mean, low: [low, Interval]}
  notes: ["Over {trials}.", Ours.]
"""


def test_a_declared_table_takes_only_its_numbers_from_python(tmp_path):
    (tmp_path / "tables.yaml").write_text(TABLE)
    declared = DeclaredTables(tmp_path / "module.py")
    rows = [Row(("a",), ("A",), "ours", (Cell(1.0), Cell(2.0)))]
    table = declared("errors", rows, share="5 %", trials="3 trials")
    assert (table.id, table.title) == ("errors", "RMSE at 5 %")
    assert table.headings == (("dataset", "Data"),)
    assert table.columns == (Column("mean", "Mean"), Column("low", "low", "Interval"))
    assert (table.rows, table.notes) == (tuple(rows), ("Over 3 trials.", "Ours."))
    other = declared("errors", rows, [Column("x", "X")], share="", trials="")
    assert other.columns == (Column("x", "X"),)
    with pytest.raises(InputError, match=r"nothing is known of \{share\}"):
        declared("errors", rows, trials="")
    with pytest.raises(InputError, match=r"no text has a placeholder \{more\}"):
        declared("errors", rows, share="", trials="", more="")

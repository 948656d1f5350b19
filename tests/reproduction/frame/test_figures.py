"""A figure gets the tables that it names, and its texts are those of its file."""

from dataclasses import replace
from functools import partial
from types import ModuleType

import pandas as pd
import pytest

from dpmc.errors import InputError
from dpmc_studies.frame.showing.style import (
    Drawing,
    FigureText,
    NothingToDraw,
    drawing_step,
    new_figure,
    read_figures,
)

ROWS = pd.DataFrame({"name": ["b", "a", "b"], "at": [1, 2, 2], "trials": [3, 5, 4]})
TEXTS = """
shared: {nobody: Nobody ran it}
figures:
  one:
    {draw: draw, describe: tell, title: One, caption: Of all., alt: Lines, wide: false,
     absent: "{nobody}", with: {which: b},
     told: ["{trials} a point.", "Most at {most:g}.", "And {rest}."]}
  two: {draw: draw, describe: count, title: Two, caption: Of some., alt: Lines}
  other: {title: Other, caption: Of others., alt: Lines}
"""


def draw(rows, beside=None, *, which="a"):
    if beside is not None and "stop" in beside:
        raise NothingToDraw
    return Drawing(None, rows[rows["name"] == which].assign(beside=beside is not None))


def seen(entry, inputs):
    return replace(entry.function(inputs), figure=new_figure(1, 1))


def count(data):
    return f"{len(data)} rows."


@pytest.fixture
def read(tmp_path):
    """Read figures whose functions are those of this module and ``tell``, in another one."""
    modules = [ModuleType("first"), ModuleType("second")]
    modules[0].__file__ = str(tmp_path / "figures" / "first.py")
    (tmp_path / "figures.yaml").write_text(TEXTS)
    modules[0].tell, modules[1].draw, modules[1].count = None, draw, count

    def figures(tell=None, **chosen):
        modules[0].tell = tell
        return read_figures(*modules, **chosen)

    return figures


def test_a_function_that_draws_gets_tables_and_arguments_by_name(read):
    one, two, other = read()
    assert (one.tables, type(other)) == (("rows", "beside"), FigureText)
    assert (one.title, one.wide, two.wide) == ("One", False, True)
    assert one.function({"rows": ROWS, "other": ROWS}).data["name"].tolist() == ["b", "b"]
    assert two.function({"rows": ROWS}).data["name"].tolist() == ["a"]
    assert two.function({"rows": ROWS, "beside": ROWS}).data["beside"].all()
    assert not two.function({"rows": ROWS, "beside": ROWS.head(0)}).data["beside"].any()


@pytest.mark.parametrize(
    "inputs",
    [{}, {"rows": None}, {"rows": ROWS.head(0)}, {"rows": ROWS, "beside": ROWS.assign(stop=1)}],
)
def test_what_is_absent_is_said_in_the_words_of_the_file(read, inputs):
    one = read()[0]
    with pytest.raises(NothingToDraw, match=r"^Nobody ran it$"):
        one.function(inputs)


def test_sentences_are_filled_and_those_without_a_value_left_out(read):
    def told(**values):
        return read(lambda data: values)[0].describe(ROWS)

    assert told(most=2.5, rest="") == "3 to 5 trials a point. Most at 2.5."
    assert told(most=0, rest="more") == "3 to 5 trials a point. Most at 0. And more."
    with pytest.raises(InputError, match=r"one: nothing is known of \{most\}"):
        told(rest="")
    with pytest.raises(InputError, match=r"one: no text has a placeholder \{word\}"):
        told(most=1, rest="", word=1)
    assert read()[1].describe(ROWS) == "3 rows."


def test_figures_are_chosen_by_name_and_their_functions_must_be_there(read, tmp_path):
    assert [each.id for each in read(names=["other", "one"])] == ["other", "one"]
    with pytest.raises(InputError, match="the figure three has no text"):
        read(names=["three"])
    empty = ModuleType("empty")
    empty.__file__ = str(tmp_path / "empty.py")
    with pytest.raises(InputError, match="one: no module has a function draw"):
        read_figures(empty)


def test_a_step_draws_from_the_tables_that_its_figures_name(read, tmp_path):
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    figures = [replace(each, function=partial(seen, each)) for each in read(names=["one", "two"])]
    drawing_step(figures)(tmp_path, {}, tmp_path / "out")
    names = {path.name: len(pd.read_csv(path)) for path in (tmp_path / "out").glob("*.csv")}
    assert names == {"one.csv": 2, "two.csv": 1}
    drawing_step(figures, lambda folder: {"rows": ROWS.head(1)})(tmp_path, {}, tmp_path / "read")
    assert len(pd.read_csv(tmp_path / "read" / "one.csv")) == 1
    drawing_step(figures)(tmp_path / "nowhere", {}, tmp_path / "boxes")
    assert pd.read_csv(tmp_path / "boxes" / "one.csv").empty

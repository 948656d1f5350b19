"""A figure gets the tables that it names, and its texts are those of its file."""

import pandas as pd
import pytest

from dpmc.errors import InputError
from dpmc.frame.showing.frames import listed, span, split
from dpmc.frame.showing.panels import draw_panels
from dpmc.frame.showing.scales import signed_ticks
from dpmc.frame.showing.style import Drawing, NothingToDraw, read_figures

ROWS = pd.DataFrame({"name": ["b", "a", "b"], "at": [1, 2, 2], "trials": [3, 5, 4]})
TEXTS = """
shared: {nobody: Nobody ran it}
figures:
  one:
    {title: One, caption: Of all., alt: Lines, wide: false, absent: "{nobody}", with: {which: b},
     told: ["{trials} a point.", "Most at {most:g}.", "And {rest}."]}
  two: {title: Two, caption: Of some., alt: Lines}
"""


def draw(rows, beside=None, *, which="a"):
    if beside is not None and "stop" in beside:
        raise NothingToDraw
    return Drawing(None, rows[rows["name"] == which].assign(beside=beside is not None))


@pytest.fixture
def read(tmp_path):
    (tmp_path / "figures.yaml").write_text(TEXTS)
    return lambda drawn: read_figures(tmp_path / "figures.yaml", drawn)


def test_a_function_that_draws_gets_tables_and_arguments_by_name(read):
    one, two = read({"one": (draw, None), "two": (draw, None)})
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
    (one,) = read({"one": (draw, None)})
    with pytest.raises(NothingToDraw, match=r"^Nobody ran it$"):
        one.function(inputs)


def test_no_panels_are_nothing_to_draw():
    with pytest.raises(NothingToDraw):
        draw_panels([], ROWS)


def test_sentences_are_filled_and_those_without_a_value_left_out(read):
    def told(**values):
        (one,) = read({"one": (draw, lambda data: values)})
        return one.describe(ROWS)

    assert told(most=2.5, rest="") == "3 to 5 trials a point. Most at 2.5."
    assert told(most=0, rest="more") == "3 to 5 trials a point. Most at 0. And more."
    with pytest.raises(InputError, match=r"one: nothing is known of \{most\}"):
        told(rest="")
    with pytest.raises(InputError, match=r"one: no text has a placeholder \{word\}"):
        told(most=1, rest="", word=1)
    two = read({"two": (draw, lambda data: f"{len(data)} rows.")})[0]
    assert two.describe(ROWS) == "3 rows."


def test_a_table_is_split_in_order_into_all_combinations():
    found = [(name, at, len(part)) for name, at, part in split(ROWS, name="cb", at=())]
    assert found == [("b", 1, 1), ("b", 2, 1), ("a", 1, 0), ("a", 2, 1)]


def test_words_of_numbers_and_lists():
    assert (span([0.5, 0.25, float("nan")]), span([1.001, 0.999])) == ("0.25 to 0.50", "1.00")
    assert listed([("A", ["1", "", "2"]), ("B", []), ("C:", ["3"])]) == "A 1, 2; C: 3"
    assert signed_ticks([-0.1, 0, 5]) == {-0.1: "−0.1", 0: "0", 5: "+5"}

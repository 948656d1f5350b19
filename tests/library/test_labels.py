"""One rule turns any value into its label, and everything that reads labels uses it."""

import json
import math
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc import PrivateFactorization, labels
from dpmc.errors import InputError
from dpmc.labels import label
from dpmc.publication import fields
from dpmc.publication.numbering import labelled
from dpmc.released import PublishedItems, load

SAME = {
    "1": [
        1, 1.0, True, "1", " 1\t", "\ufeff1", b"1", np.int8(1), np.float16(1), np.True_,
        np.str_("1 "), np.bytes_(b"1"), Decimal("1"), Decimal("1.00"), Fraction(2, 2),
    ],
    "1.0": ["1.0", b"1.0", "\u20031.0\u3000"],
    "001": ["001"],
    "1.5": [1.5, np.float32(1.5), Decimal("1.50"), Fraction(3, 2), "1.5"],
    "0.1": [0.1, "0.1", np.float64(0.1), Decimal("0.1")],
    "0": [0, 0.0, -0.0, False, Decimal("-0.0")],
    "1152921504606846977": [2**60 + 1, np.int64(2**60 + 1), "1152921504606846977"],
    "": [None, math.nan, "", " ", "\ufeff", pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("NaN")],
    "inf": [math.inf, np.inf, "inf", Decimal("Infinity")],
    "a\u240ab": ["a\nb"],
    "\u2400\u2421": ["\x00\x7f"],
    "a\ufffd": ["a\ud800"],
    "2020-01-02": [date(2020, 1, 2), "2020-01-02"],
    "2020-01-02T00:00:00": [
        datetime(2020, 1, 2), pd.Timestamp("2020-01-02"), "2020-01-02T00:00:00",
        np.datetime64("2020-01-02"), np.datetime64("2020-01-02", "ns"),
    ],
    "00000000-0000-0000-0000-000000000003": [UUID(int=3)],
    "(1, 'x')": [(1, "x")],
    "e\u0301": ["e\u0301"],
    "\u00e9": ["\u00e9"],
}  # fmt: skip


@pytest.mark.parametrize(("text", "values"), SAME.items(), ids=map(repr, SAME))
def test_what_is_one_label(text, values):
    assert [label(value) for value in values] == [text] * len(values)
    # columns: of Python's objects, and of one type where Arrow has it
    found = labelled(list(values), "here")
    assert found.labels[found.codes].tolist() == [text] * len(values)
    for value in values:
        try:
            column = pa.chunked_array([pa.array([value])])
        except (pa.ArrowException, TypeError, ValueError):
            continue
        assert labelled(column, "here").labels.tolist() == [text]


def test_no_two_of_them_are_one():
    assert len({label(values[0]) for values in SAME.values()}) == len(SAME)


def test_the_blanks_are_those_of_python():
    everything = map(chr, range(0x110000))
    assert set(labels.BLANKS) == {each for each in everything if each.isspace()}


@settings(deadline=None)
@given(st.text() | st.integers() | st.floats() | st.booleans() | st.decimals() | st.none())
def test_a_label_is_one_line_of_unicode_and_its_own_label(value):
    found = label(value)
    assert not any(ord(char) < 0x20 or ord(char) == 0x7F for char in found)
    assert found.encode("utf-8").decode("utf-8") == found
    assert label(found) == found


@settings(deadline=None)
@given(st.integers(-(2**53), 2**53))
def test_a_number_has_one_label_whatever_its_type(number):
    assert label(number) == label(float(number)) == label(Decimal(number)) == str(number)


def test_numbers_without_end():
    assert label(10**5000) == "1" + "0" * 5000
    assert label(1e300) == label(int(1e300)) == label(Decimal(int(1e300)))
    assert label(Decimal("1e999999999")) == "1E+999999999"


def test_what_has_no_label():
    class Silent:
        def __str__(self):
            raise RuntimeError

    for value, sentence in ((b"\xff", "bytes that cannot be decoded"), (Silent(), "type Silent")):
        with pytest.raises(InputError, match=sentence):
            label(value)
        with pytest.raises(InputError, match=sentence):
            fields.spelled_column([value, "x"], "here")


def model(integers=False):
    names = ["1", "2", "3", "e\u0301"] if not integers else ["1", "2", "3", "4"]
    factors = np.arange(8.0).reshape(4, 2) / 8
    return PublishedItems(names, np.ones(4), factors, (1.0, 5.0), 1.0, integers=integers)


def test_a_server_reads_labels_as_the_fit_does():
    """Else it would recommend what the user has rated, without a word."""
    server = model()
    wanted = server.best({"1": 5, "2": 1}, 4)
    assert [*wanted] == ["e\u0301", "3"]
    for mine in (
        {1: 5, 2: 1}, {1.0: 5, np.float64(2): 1}, {" 1": 5, "2 ": 1}, {"\ufeff1": 5, b"2": 1},
        {np.int64(1): 5, Decimal("2.0"): 1}, pd.Series([5, 1], index=[1.0, 2.0]).to_dict(),
    ):  # fmt: skip
        assert server.best(mine, 4) == wanted
    with pytest.warns(UserWarning, match="^1 item has no factors; ratings of such were left out$"):
        assert [*server.best({"1.0": 5}, 4)] != [*wanted]
    with pytest.warns(UserWarning, match="^2 ratings were clipped to the range 1 to 5$"):
        assert server.best({1: 100, 2: 0}, 4) == wanted
    # two spellings of one item: their mean, as in a fit
    assert server.best({1: 5, "1": 4, 2: 1}, 4) == server.best({1: 4.5, 2: 1}, 4)


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", None, True, np.float64(2)])
def test_a_server_asks_how_many(n):
    with pytest.raises(InputError, match=r"n must be a whole number of at least 1, got "):
        model().best({"1": 5}, n)
    assert len(model().best({}, np.int64(2))) == 2


def test_integers_come_back_as_integers():
    found = model(integers=True).best({1: 5}, 3)
    assert {type(each) for each in found} == {int}
    assert model(integers=True).best({"1": 5}, 3) == found


def test_items_come_back_in_the_type_of_their_list(tmp_path):
    """And a catalogue of integers can be joined with what is recommended."""
    frame = pd.DataFrame({"user": [1, 1, 2, 2], "item": [3, 4, 3, 5], "rating": [5, 1, 4, 2]})
    for items, kind in (([3, 4, 5], int), (["3", "4", "5"], str), (np.array([3, 4, 5]), int)):
        with pytest.warns(UserWarning, match="the list holds exactly"):
            fitted = PrivateFactorization(
                epsilon=5, rating_range=(1, 5), items=items, simulate=0
            ).fit(frame)
        fitted.save(tmp_path / "model", force=True)
        stated = json.loads((tmp_path / "model" / "simulated_guarantee.json").read_text())
        assert stated["lists"]["items"]["labels"] == ("integers" if kind is int else "text")
        for model in (fitted, PrivateFactorization.load(tmp_path / "model")):
            assert {type(each) for each in model.recommend({3: 5}, 2)} == {kind}
            assert set(model.recommend({"3": 5.0}, 2)) == {kind(4), kind(5)}
        assert [*load(tmp_path / "model").best({3: 5}, 2)] == [*fitted.recommend({3: 5}, 2)]

"""A private table is read row by row: no row changes how another is read, or is ever shown."""

import csv
import gzip
import io
import itertools
import math
import re
import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dpmc.errors import InputError
from dpmc.publication import fields, lines, pieces
from dpmc.publication.numbering import Labelled, Numbering, labelled
from dpmc.publication.reading import USUAL, Codes, form_of, reading_of
from dpmc.publication.table import Lines, read_lines, resolve

TIMED = reading_of(timestamp="when")
HEADER = ("user", "item", "rating", "when")

LABELS = st.sampled_from(["1", "2", "10", "007", "-3", "ann", "Zoë", "a,b", '5" disc'])
VALUES = st.sampled_from([1.0, 2.5, 0.1, 0.7, 1 / 3, -4.0, 0.0, -0.0, 1e16]) | st.floats(-9, 9)
TIMES = st.integers(0, 5)
ROWS = st.lists(st.tuples(LABELS, LABELS, VALUES, TIMES), max_size=25)


def as_csv(rows, header=HEADER, separator=",", end="\n"):
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator=end)
    writer.writerow(header)
    writer.writerows([repr(x) if isinstance(x, float) else x for x in row] for row in rows)
    return buffer.getvalue().encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


def read_csv(folder, content, reading=USUAL, name="mine.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_lines(path, reading)


def read_parquet(folder, reading=USUAL, **arrays):
    path = folder / "mine.parquet"
    parquet.write_table(pa.table(arrays), path)
    return read_lines(path, reading)


def fields_of(table):
    """Return the rows as they were in the file."""
    columns = [each.labels[each.codes].tolist() for each in (table.users, table.items)]
    columns += [table.values.tolist()] + ([table.times.tolist()] if table.times is not None else [])
    return list(zip(*columns, strict=True))


def as_dict(ratings):
    users = ratings.user_labels[ratings.users].tolist()
    items = ratings.item_labels[ratings.items].tolist()
    return dict(zip(zip(users, items, strict=True), ratings.values.tolist(), strict=True))


def bits(ratings):
    arrays = (ratings.users, ratings.items, ratings.values)
    labels = (ratings.user_labels.tolist(), ratings.item_labels.tolist())
    return (*(array.tobytes() for array in arrays), *labels)


def refusal(path, reading=USUAL):
    with pytest.raises(InputError) as caught:
        read_lines(path, reading)
    sentence = str(caught.value)
    assert "\n" not in sentence
    # the exception that it comes from may quote the row, so it is not part of a traceback
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return sentence


@settings(deadline=None)
@given(
    rows=ROWS,
    separator=st.sampled_from(",;\t"),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
    block=st.sampled_from([1 << 24, 50]),
)
def test_rows_are_read_as_they_are(folder, rows, separator, end, mark, block):
    content = mark.encode() + as_csv(rows, separator=separator, end=end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", block)
        table = read_csv(folder, content, TIMED)
    assert fields_of(table) == rows
    for side, column in ((table.users, 0), (table.items, 1)):
        assert side.codes.dtype == np.int32
        assert side.labels.tolist() == sorted({row[column] for row in rows})


@settings(deadline=None)
@given(rows=ROWS, categories=st.booleans(), group=st.integers(1, 9), times=st.booleans())
def test_parquet_and_csv_give_the_same(folder, rows, categories, group, times):
    users, items, values, when = [list(column) for column in zip(*rows, strict=True)] or [[]] * 4
    arrays = {
        "when": pa.array(when, pa.int64()),
        "rating": pa.array(values, pa.float64()),
        "item": pa.array(items, pa.string()),
        "user": pa.array(users, pa.string()),
    }
    if categories:
        arrays["user"] = arrays["user"].dictionary_encode()
    path = folder / "same.parquet"
    parquet.write_table(pa.table(arrays), path, row_group_size=group)
    columns = TIMED if times else USUAL
    from_parquet = read_lines(path, columns)
    from_csv = read_csv(folder, as_csv(rows), columns)
    assert fields_of(from_parquet) == fields_of(from_csv)
    assert bits(resolve(from_parquet, (-5, 5))) == bits(resolve(from_csv, (-5, 5)))


@pytest.mark.parametrize(("kind", "limit"), [(str, "ROWS"), (int, "ROWS_OF_NUMBERS")])
def test_a_row_group_of_any_size_is_read_in_pieces(kind, limit, folder, monkeypatch):
    monkeypatch.setattr(pieces, limit, 7)
    path = folder / "groups.parquet"
    numbers = {name: list(map(kind, range(40))) for name in HEADER[:3]}
    parquet.write_table(pa.table(numbers), path, row_group_size=25)
    users, items = Numbering(), Numbering()
    found = list(pieces.read_pieces(path, USUAL, users, items, pieces.Source()))
    assert [each.values.size for each in found] == [7, 7, 7, 4, 7, 7, 1]
    assert [each.users.dtype for each in found] == [np.int32] * 7
    assert fields_of(read_lines(path, USUAL))[39] == ("39", "39", 39.0)


def plain_resolve(rows, rating_range, timed):
    """The same in plain Python, with the mean as a fraction."""
    said = {}
    for user, item, value, when in rows:
        if rating_range:
            value = min(max(value, rating_range[0]), rating_range[1])
        said.setdefault((user, item), []).append((when if timed else 0, value))
    means = {}
    for pair, entries in sorted(said.items()):
        latest = [Fraction(value) for when, value in entries if when == max(entries)[0]]
        means[pair] = float(sum(latest) / len(latest))
    return means


@settings(deadline=None)
@given(rows=ROWS, rating_range=st.sampled_from([None, (1.0, 5.0), (0.1, 0.7)]), timed=st.booleans())
def test_one_rating_of_all_that_a_user_said_of_an_item(folder, rows, rating_range, timed):
    table = read_csv(folder, as_csv(rows), TIMED if timed else USUAL)
    ratings = resolve(table, rating_range)
    found, expected = as_dict(ratings), plain_resolve(rows, rating_range, timed)
    assert list(found) == list(expected)
    for pair, value in found.items():
        own = [row[2] for row in rows if row[:2] == pair]
        assert abs(value - expected[pair]) <= 1e-15 * len(own) * max(map(abs, own))
        if len(own) == 1 or len(set(own)) == 1:
            low, high = rating_range or (-math.inf, math.inf)
            assert value == min(max(own[0], low), high)
        assert min(own) <= value <= max(own) or rating_range
    if rating_range:
        assert ratings.values.size == 0 or rating_range[0] <= ratings.values.min()
        assert ratings.values.size == 0 or ratings.values.max() <= rating_range[1]
    assert (ratings.name, ratings.rating_range) == ("ratings", None)
    assert (np.diff(ratings.users) >= 0).all()


@settings(deadline=None)
@given(data=st.data(), rows=ROWS, rating_range=st.sampled_from([None, (0.0, 0.7)]))
def test_the_order_of_the_lines_changes_no_bit(folder, data, rows, rating_range):
    rows = [(user, "one", value, when % 2) for user, _, value, when in rows]
    other = data.draw(st.permutations(rows))
    for columns in (USUAL, TIMED):
        first, second = (
            bits(resolve(read_csv(folder, as_csv(each), columns), rating_range))
            for each in (rows, other)
        )
        assert first == second


@pytest.mark.parametrize("again", [False, True])
def test_pairs_of_many_users_and_items_are_kept_apart(again):
    """Of 70,000 x 65,000 the numbers of two pairs differ by 2^32: they are not one."""
    codes = np.array([[66_076, 0], [27_296, 0]], dtype=np.int32)
    assert 66_076 * 65_000 + 27_296 == 2**32
    columns = [
        Labelled(np.repeat(of_side, 1 + again), np.arange(number).astype(str))
        for of_side, number in zip(codes, (70_000, 65_000), strict=True)
    ]
    values = np.array([5.0, 4.0, 1.0, 2.0] if again else [4.5, 1.5])
    ratings = resolve(Lines(*columns, values, None), (1, 5))
    assert as_dict(ratings) == {("0", "0"): 1.5, ("66076", "27296"): 4.5}
    assert ratings.users.tolist() == [0, 66_076]


def test_a_mean_stays_within_the_range_of_its_values(folder):
    """0.1 + 0.1 + 0.1 > 0.3, and 1e308 + 1e308 overflows."""
    for values in ([0.1] * 3, [0.7] * 11, [1e308, 1.5e308], [-1e308] * 3):
        rows = [("a", "b", value, 0) for value in values]
        ratings = resolve(read_csv(folder, as_csv(rows)), None)
        assert min(values) <= ratings.values[0] <= max(values)


@pytest.mark.parametrize("content", ["user,item,rating,when\n", "user,item,rating,when", "\n\n"])
def test_no_rows(folder, content):
    content = "user,item,rating,when" + content.removeprefix("user,item,rating,when")
    for columns in (USUAL, TIMED):
        table = read_csv(folder, content, columns)
        assert fields_of(table) == []
        assert (table.times is None) == (columns is USUAL)
        ratings = resolve(table, (1, 5))
        assert (len(ratings), ratings.n_users, ratings.n_items) == (0, 0, 0)
        assert ratings.user_labels.dtype == ratings.item_labels.dtype == object
    for kind in (pa.string(), pa.int64(), pa.null()):  # null: what pandas writes of no rows
        empty = {name: pa.array([], kind) for name in HEADER}
        assert fields_of(read_parquet(folder, TIMED, **empty)) == []


@pytest.fixture
def elsewhere(monkeypatch):
    """The machine's own time zone is not UTC."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


ISO = [
    ("2024-05-31", datetime(2024, 5, 31, tzinfo=UTC)),
    ("2024-05-31T18:30:00", datetime(2024, 5, 31, 18, 30, tzinfo=UTC)),
    (" 2024-05-31 18:30:00.25Z ", datetime(2024, 5, 31, 18, 30, 0, 250_000, tzinfo=UTC)),
    ("2024-05-31T20:30:00+02:00", datetime(2024, 5, 31, 18, 30, tzinfo=UTC)),
    ("1969-12-31T23:59:59.999999", datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
    ("20240531", datetime(1970, 1, 1, 0, 0, 20, 240_531, tzinfo=UTC)),  # a number, as it is
]


def test_dates_in_text_are_microseconds_whatever_the_other_rows_hold(folder, elsewhere):
    expected = [
        (moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1) for _, moment in ISO
    ]
    for order in itertools.permutations(range(len(ISO)), 3):
        rows = [("a", "b", 1.0, ISO[k][0]) for k in order]
        table = read_csv(folder, as_csv(rows), TIMED)
        assert table.times.tolist() == [expected[k] for k in order]
        stamps = pa.array([ISO[k][0] for k in order])
        table = read_parquet(folder, TIMED, user=[1] * 3, item=[1] * 3, rating=[1] * 3, when=stamps)
        assert table.times.tolist() == [expected[k] for k in order]


@pytest.mark.parametrize(
    "kind",
    [pa.timestamp("s"), pa.timestamp("ns", "Europe/Paris"), pa.date32(), pa.date64(), pa.string()],
)
def test_parquet_dates(folder, kind):
    days = [date(2024, 5, 31), date(1960, 2, 29), date(2024, 6, 1)]
    when = pa.array(days).cast(kind)
    table = read_parquet(
        folder, TIMED, user=["a"] * 3, item=["b"] * 3, rating=[1.0, 2.0, 3.0], when=when
    )
    assert np.argsort(table.times).tolist() == [1, 0, 2]
    assert resolve(table, None).values.tolist() == [3.0]


# the secrets must not be part of a path, a column's name or the sentence itself
SECRET_USER, SECRET_ITEM, SECRET_VALUE, SECRET_TIME = "Qzx7", "Wvk8", "73519", "86420"
GOOD = f"{SECRET_USER},{SECRET_ITEM},{SECRET_VALUE},{SECRET_TIME}"
NUMBER = "a finite number is expected in the column 'rating'"
TIME = "a number or an ISO 8601 date or time is expected in"
UNDECODED = "bytes that are not utf-8 text"
MALFORMED = [
    (f"{SECRET_USER},{SECRET_ITEM},{SECRET_VALUE}", "4 fields are expected, as in the header; 3 w"),
    (f"{GOOD},{SECRET_USER}", "4 fields are expected, as in the header; 5 w"),
    (SECRET_USER, "4 fields are expected, as in the header; 1 w"),
    (f"{SECRET_USER}\udcff,{SECRET_ITEM},{SECRET_VALUE},{SECRET_TIME}", UNDECODED),
    (f"{SECRET_USER},{SECRET_ITEM}\udce9,{SECRET_VALUE},{SECRET_TIME}", UNDECODED),
    *(
        (f"{SECRET_USER},{SECRET_ITEM},{value},{SECRET_TIME}", NUMBER)
        for value in (
            *("", "nan", "-Infinity", "1e999", f"{SECRET_VALUE}x", f"0x{SECRET_VALUE}"),
            *(f"{SECRET_VALUE}_0", "７", f'"{SECRET_VALUE},5"', "\udcff"),
        )
    ),
    *(
        (f"{SECRET_USER},{SECRET_ITEM},{SECRET_VALUE},{time}", TIME)
        for time in ("", "nan", "inf", f"{SECRET_TIME}x", "2024-05-32", "\udcff")
    ),
]


def told(sentence, path):
    return [
        secret
        for secret in (SECRET_USER, SECRET_ITEM, SECRET_VALUE, SECRET_TIME, "７", "\udcff", "2024")
        if secret in sentence.replace(str(path), "")
    ]


@pytest.mark.parametrize(
    "line",
    [
        '{"user": 1, "item": 2, "rating": 73519, "rating": 4}',
        '{"user": 1, "item": 2, "rating": 4, "user": "Qzx7"}',
        '{"user": 1, "item": 2, "rating": 4, "more": {"a": 73519, "a": 1}}',
        '[{"user": 1, "item": 2, "rating": 4}]',
        "73519",
        '{"user": 1',
    ],
)
def test_a_line_of_json_that_can_be_read_in_two_ways_is_refused(tmp_path, line):
    """Of a key that occurs twice some readers take the first value, and some the last."""
    path = tmp_path / "mine.jsonl"
    path.write_text(f'{{"user": 1, "item": 2, "rating": 3}}\n\n{line}\n', encoding="utf-8")
    wanted = "one JSON object is expected on each line, with each key once."
    assert refusal(path, reading_of()) == f"{path}, line 3: {wanted}"


@pytest.mark.parametrize("block", [1 << 24, 40])
@pytest.mark.parametrize(("row", "expected"), MALFORMED)
def test_a_malformed_line_is_named_and_not_shown(tmp_path, monkeypatch, row, expected, block):
    monkeypatch.setattr(lines, "BLOCK", block)
    path = tmp_path / "mine.csv"
    content = "\n".join([",".join(HEADER), GOOD, "", GOOD, row, GOOD]) + "\n"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    sentence = refusal(path, TIMED)
    assert sentence.startswith(f"{path}, line 5: {expected}")
    assert not told(sentence, path)


@pytest.mark.parametrize("block", [1 << 24, 40])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "rest",
    [
        [f'{GOOD},say "hi" to all"', f"{GOOD},good"],  # up to the next quote
        ['"', f"{GOOD},good"],
        [f"{GOOD},good"] * 9,  # up to the end
    ],
)
def test_a_quote_left_open_where_nobody_looks_takes_no_rows_of_others(
    tmp_path, monkeypatch, rest, end, block
):
    """Arrow reads on to the next quote, and what lies between is a part of that field."""
    monkeypatch.setattr(lines, "BLOCK", block)
    path = tmp_path / "mine.csv"
    rows = [",".join((*HEADER, "review")), f"{GOOD},ok", "", f'{GOOD},"nice film', *rest, ""]
    path.write_bytes(end.join(rows).encode())
    sentence = refusal(path)
    assert sentence.startswith(f"{path}, line 4: a quote is left open, and each row must be one")
    assert not told(sentence, path)
    path.write_bytes(end.join(rows).replace("nice film", 'nice ""film"""').encode())
    if len(rest) > 2:
        assert len(read_lines(path, USUAL).values) == 11


@pytest.mark.parametrize("size", [1, 2, 3, 5, 99])
@pytest.mark.parametrize("last", [b"", b"\n", b"\r\n\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_lines_are_the_same_wherever_they_are_cut(size, last, encoding, monkeypatch):
    """Each line is ended by a line feed, and no line is cut, whatever ends lines in the file."""
    monkeypatch.setattr(lines, "BLOCK", size)
    text = b"\r\none\n\r\n\n tw\xf6\r\n3\rfour".decode("latin-1") + last.decode()
    form = form_of(Path("mine.csv"), reading_of(encoding=encoding))
    found = lines.TextLines(io.BytesIO(text.encode(encoding)), "mine.csv", form)
    blocks = list(found.blocks())
    assert all(block.endswith(b"\n") for _, block in blocks)
    whole = b"".join(block for _, block in blocks).decode()
    assert whole.rstrip("\n") == "\none\n\n\n tw\xf6\n3\nfour"
    assert [first for first, _ in blocks][-1] == 1 + sum(
        block.count(b"\n") for _, block in blocks[:-1]
    )


def test_a_line_may_be_as_long_as_is_assumed_wherever_it_begins(folder, monkeypatch):
    """A block of the reader, 16 MiB: what is longer depends on what stands before it."""
    assert lines.LONGEST_LINE == 16 * 2**20
    monkeypatch.setattr(lines, "LONGEST_LINE", 64)
    monkeypatch.setattr(lines, "BLOCK", 64)
    row = "vic,i,5,".ljust(63, "x") + "\n"
    for before in range(64):
        content = f"user,item,rating,note\nann,i,5,{'y' * before}\n{row}bob,i,5,\n"
        assert len(read_csv(folder, content).values) == 3


def test_a_stray_carriage_return_ends_a_line_and_a_line_that_is_too_long_is_refused(
    tmp_path, monkeypatch
):
    path = tmp_path / "mine.csv"
    path.write_bytes(f"{','.join(HEADER)}\n{GOOD}\n{SECRET_USER}\r{GOOD}\n".encode())
    sentence = refusal(path)
    assert f"{path}, line 3: 4 fields are expected, as in the header; 1 were found" in sentence
    assert not told(sentence, path)
    monkeypatch.setattr(lines, "LONGEST_LINE", 1000)
    monkeypatch.setattr(lines, "BLOCK", 100)
    path.write_bytes(f"{','.join(HEADER)}\n{GOOD}\n{SECRET_USER * 500},{GOOD}\n".encode())
    assert refusal(path) == f"{path}, line 3: a line of at most 16 MiB is expected."


TEXT = pa.string()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"rating": pa.array([73519.0, None])}, NUMBER),
        ({"rating": pa.array([73519.0, math.nan])}, NUMBER),
        ({"rating": pa.array([73519.0, math.inf])}, NUMBER),
        ({"rating": pa.array([SECRET_VALUE, f"{SECRET_VALUE}x"])}, NUMBER),
        ({"rating": pa.array([b"1", b"73519\xff"], pa.binary()).view(TEXT)}, NUMBER),
        ({"when": pa.array([86420, None])}, TIME),
        ({"when": pa.array([SECRET_TIME, f"{SECRET_TIME}x"])}, TIME),
        ({"when": pa.array([date(2024, 5, 31), None])}, TIME),
    ],
)
def test_a_malformed_row_of_parquet_is_named_and_not_shown(tmp_path, changed, expected):
    good = {"user": [SECRET_USER] * 2, "item": [SECRET_ITEM] * 2, "rating": [73519] * 2}
    path = tmp_path / "mine.parquet"
    parquet.write_table(pa.table(good | {"when": [86420, 86420]} | changed), path)
    sentence = refusal(path, TIMED)
    assert sentence.startswith(f"{path}, row 2: {expected}")
    assert not told(sentence, path)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (
            {"item": pa.array([73519.0, 1e17])},
            "labels as floating-point numbers of 9007199254740",
        ),
        ({"user": pa.array([1.0, 2.0**24], pa.float32())}, "numbers of 16777216 or more"),
        ({"item": pa.array([b"1", b"Qzx7\xff"], pa.binary())}, "bytes that cannot be decoded"),
        ({"item": pa.array([b"1", b"Qzx7\xff"], pa.binary()).view(TEXT)}, "bytes that cannot be"),
        ({"rating": [[1], [2]]}, NUMBER),
        ({"rating": pa.array([1, 2], pa.timestamp("s"))}, NUMBER),
        ({"rating": pa.array([1, 2], pa.date32())}, NUMBER),
        ({"rating": pa.array([1, 2], pa.time32("s"))}, NUMBER),
        ({"when": [[1], [2]]}, TIME),
    ],
)
def test_columns_of_parquet_that_have_lost_something(tmp_path, changed, expected):
    path = tmp_path / "mine.parquet"
    good = {"user": [1, 2], "item": [1, 2], "rating": [1, 2], "when": [1, 2]}
    parquet.write_table(pa.table(good | changed), path)
    sentence = refusal(path, TIMED)
    assert expected in sentence
    assert not told(sentence, path)


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.binary(), pa.binary_view()])
def test_values_of_a_dictionary_may_be_of_any_type(kind):
    """As those of a Categorical or an Enum of polars, which are views."""
    values = pa.array(["3", "4", None]).cast(pa.binary()).cast(kind)
    column = pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([1, 2, 0, 1]), values)])
    found = labelled(column, "The column")
    assert found.labels[found.codes].tolist() == ["4", "", "3", "4"]
    numbers, missing = fields.number_column(column, "The column", Codes(texts=frozenset([""])))
    assert numbers[[0, 2, 3]].tolist() == [4, 3, 4]
    assert missing.tolist() == [False, True, False, False]
    assert labelled(column[:0], "The column").codes.size == 0


@pytest.mark.parametrize("odd", [date(2024, 5, 31), pd.Timestamp(0), {"a": 1}, b"x", b"\xff", "x"])
@pytest.mark.parametrize("form", [list, lambda values: pd.Series(values, dtype=object)])
def test_only_what_is_missing_stands_for_not_rated(odd, form):
    """A value that is no rating is refused, and not left out as if there were none."""
    empty = [None, math.nan, pd.NA, pd.NaT, np.float32("nan"), Decimal("nan"), "", b"", " "]
    missing = Codes(texts=frozenset([""]))
    numbers, found = fields.number_column(form([*empty, odd, 3]), "The column", missing)
    assert found.tolist() == [True] * len(empty) + [False, False]
    assert np.isnan(numbers[-2])


def test_numbers_of_parquet_in_any_type(folder):
    for rating in (pa.array([2], pa.int8()), pa.array([2], pa.decimal128(3, 1)), ["2"], ["2.0 "]):
        assert read_parquet(folder, user=[1], item=[1], rating=rating).values.tolist() == [2.0]
    huge = pa.array([2**64 - 1], pa.uint64())
    assert read_parquet(folder, user=[1], item=[1], rating=huge).values.tolist() == [2.0**64]


@pytest.mark.parametrize(
    ("header", "given", "expected"),
    [
        ("a,b,c", {}, "no column looks like the user; the columns are a, b, c; name one with us"),
        ("user,item,itemId,rating", {}, "several columns look like the item; the columns are user"),
        ("user,item,item,rating", {}, "two columns have the same name; the columns are user, item"),
        ("user,item,rating", {"user": "users"}, "no column 'users' (user) (did you mean 'user'?"),
        ("user,item,rating", {"timestamp": "date"}, "no column 'date' (timestamp); the columns"),
        (
            "user,item,rating",
            {"user": "item", "item": "item"},
            "user, item must name different",
        ),
        ("user\0,item,rating", {"user": "x"}, "no column 'x'"),
    ],
)
def test_headers_that_do_not_tell_the_columns(tmp_path, header, given, expected):
    for name, line in (("mine.csv", header), ("mine.tsv", header.replace(",", "\t"))):
        path = tmp_path / name
        path.write_text(line + "\n1,2,3\n")
        assert expected in refusal(path, reading_of(**given))


@pytest.mark.parametrize(
    "row",
    [
        f"{SECRET_USER},{SECRET_ITEM},{SECRET_VALUE}",
        f"{SECRET_VALUE},{SECRET_VALUE},5",
        f"{SECRET_USER};{SECRET_ITEM};3,5",
        f"user,item,.{SECRET_VALUE}",
        f"{SECRET_USER},book,-{SECRET_VALUE}",
        f"{SECRET_USER}\t{SECRET_ITEM}\t {SECRET_VALUE}",
        f'"{SECRET_USER}","{SECRET_ITEM}","{SECRET_VALUE}"',
        f"ann|heat|{SECRET_VALUE}",
        f"ann heat {SECRET_VALUE}",
    ],
)
@pytest.mark.parametrize("given", [{}, {"user": "who"}, {"user": SECRET_USER[:-1] + "6"}])
def test_a_missing_header_is_said_and_its_line_not_shown(tmp_path, row, given):
    """A well-formed row has a number, and no line with a number is shown."""
    path = tmp_path / "mine.csv"
    path.write_text(f"{row}\n{row}\n")
    sentence = refusal(path, reading_of(**given))
    assert "the first line must hold the names of the columns (it is not shown" in sentence
    assert not told(sentence, path)


# -- packed tables, and those of MovieLens 100K ----------------------------------------------------

MOVIELENS = b"196\t242\t3\t881250949\n186\t302\t4\t891717742\n"


@pytest.mark.parametrize("name", ["u.data", "U.DATA"])
def test_a_file_like_u_data_has_its_columns_by_their_places(folder, name):
    content = MOVIELENS
    wanted = [("196", "242", 3.0), ("186", "302", 4.0)]
    assert fields_of(read_csv(folder, content, name=name)) == wanted
    timed = read_csv(folder, content, reading_of(timestamp="timestamp"), name)
    assert timed.times.tolist() == [881250949.0, 891717742.0]
    # a quote is a character, since nothing is quoted in such files
    assert fields_of(read_csv(folder, b'1"\t"2\t3\t4\n', name=name)) == [('1"', '"2', 3.0)]


@pytest.mark.parametrize("cut", [0, 5, 30, -4])
def test_packed_files_that_are_damaged(tmp_path, cut):
    path = tmp_path / "mine.csv.gz"
    whole = gzip.compress(as_csv([("ann", "heat", 1.0, 1)] * 50))
    path.write_bytes(whole[:cut] if cut else b"user,item,rating\n")
    assert refusal(path) == (
        f"{path} is damaged, or not packed as .gz, which was assumed because its name ends in .gz: "
        "name what it is with format."
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "line 1: the names of the columns are expected here"),
        (b"\xff\xfeu\0s\0e\0r\0", "line 1: bytes that are not utf-8 text; encoding names another"),
    ],
)
def test_first_lines_that_are_no_header(tmp_path, content, expected):
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    assert expected in refusal(path)


def test_broken_parquet(tmp_path):
    path = tmp_path / "mine.parquet"
    parquet.write_table(pa.table({"user": [SECRET_USER], "item": [1], "rating": [1]}), path)
    whole = path.read_bytes()
    for content in (whole[:-20], b"no Parquet file", b"", whole[:9] + bytes(60) + whole[69:]):
        path.write_bytes(content)
        sentence = refusal(path)
        assert re.search("is not a whole Parquet file|cannot be read", sentence)
        assert not told(sentence, path)


# -- what one person's row must not do to others' --------------------------------------------------


@pytest.mark.parametrize("block", [1 << 24, 60, 200])
def test_a_quote_within_somebodys_field_moves_nobody_elses_rows(folder, monkeypatch, block):
    """A quote opens a field at its start only, which a count of quotes does not see."""
    monkeypatch.setattr(lines, "BLOCK", block)
    rest = 'bob,i1,5,"nice; carl,i9,1,zz"\n' + "".join(
        f"u{k},i{k % 3},3,plain\n" for k in range(40)
    )
    for odd in ("", 'vic,i2,4,5" disk\n', 'vic,i2,4,"5"" disk"\n', "vic,i2,4,plain\n"):
        for content in (odd + rest, rest + odd):
            table = read_csv(folder, "user,item,rating,note\n" + content)
            found = {each for each in fields_of(table) if each[0] != "vic"}
            assert len(found) == 41
            assert all(user == "bob" or user.startswith("u") for user, *_ in found)


def test_one_long_label_takes_no_memory_for_the_others():
    found = labelled(["a" * 1000, *map(str, range(1000))], "The column")
    assert found.labels.nbytes == 1001 * 8  # pointers

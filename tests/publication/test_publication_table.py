"""A private table is read row by row: no row changes how another is read, or is ever shown."""

import csv
import gzip
import io
import itertools
import math
import re
import time
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dpmc.datasets.readers import text
from dpmc.datasets.readers.columns import Labelled
from dpmc.errors import InputError
from dpmc.publication import fields, pieces
from dpmc.publication.numbering import Numbering
from dpmc.publication.table import Lines, read_lines, resolve

COLUMNS = {"user": None, "item": None, "rating": None, "timestamp": None}
TIMED = COLUMNS | {"timestamp": "when"}
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


def read_csv(folder, content, columns=COLUMNS, name="mine.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_lines(path, columns)


def read_parquet(folder, columns=COLUMNS, **arrays):
    path = folder / "mine.parquet"
    parquet.write_table(pa.table(arrays), path)
    return read_lines(path, columns)


def fields_of(lines):
    """Return the rows as they were in the file."""
    columns = [each.labels[each.codes].tolist() for each in (lines.users, lines.items)]
    columns += [lines.values.tolist()] + ([lines.times.tolist()] if lines.times is not None else [])
    return list(zip(*columns, strict=True))


def as_dict(ratings):
    users = ratings.user_labels[ratings.users].tolist()
    items = ratings.item_labels[ratings.items].tolist()
    return dict(zip(zip(users, items, strict=True), ratings.values.tolist(), strict=True))


def bits(ratings):
    arrays = (ratings.users, ratings.items, ratings.values)
    labels = (ratings.user_labels.tolist(), ratings.item_labels.tolist())
    return (*(array.tobytes() for array in arrays), *labels)


def refusal(path, columns=COLUMNS):
    with pytest.raises(InputError) as caught:
        read_lines(path, columns)
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
        patch.setattr(text, "_BLOCK", block)
        lines = read_csv(folder, content, TIMED)
    assert fields_of(lines) == rows
    for side, column in ((lines.users, 0), (lines.items, 1)):
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
    columns = TIMED if times else COLUMNS
    from_parquet = read_lines(path, columns)
    from_csv = read_csv(folder, as_csv(rows), columns)
    assert fields_of(from_parquet) == fields_of(from_csv)
    assert bits(resolve(from_parquet, (-5, 5))) == bits(resolve(from_csv, (-5, 5)))


def test_a_row_group_of_any_size_is_read_in_pieces(folder, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 7)
    path = folder / "groups.parquet"
    numbers = {name: list(range(40)) for name in HEADER[:3]}
    parquet.write_table(pa.table(numbers), path, row_group_size=25)
    users, items = Numbering(), Numbering()
    found = list(pieces.read_pieces(path, COLUMNS, True, users, items))
    assert [each.values.size for each in found] == [7, 7, 7, 4, 7, 7, 1]
    assert [each.users.dtype for each in found] == [np.int32] * 7
    assert fields_of(read_lines(path, COLUMNS))[39] == ("39", "39", 39.0)


def test_labels_are_text_in_the_order_of_code_points(folder):
    rows = [("10", "2", 1.0, 0), ("9", " 10\t", 2.0, 0), ("07", "10", 3.0, 0)]
    lines = read_csv(folder, as_csv(rows))
    assert lines.users.labels.tolist() == ["07", "10", "9"]
    assert lines.items.labels.tolist() == ["10", "2"]
    numbers = {"item": [2, 10, 10], "rating": [1, 2, 3]}
    for users in ([10, 9, 7], [10.0, 9.0, 7.0], pa.array([10, 9, 7], pa.uint64())):
        lines = read_parquet(folder, user=users, **numbers)
        assert lines.users.labels.tolist() == ["10", "7", "9"]
        assert fields_of(lines)[0] == ("10", "2", 1.0)


@settings(deadline=None)
@given(
    rows=ROWS,
    odd=st.sampled_from(["x", "1.5", "99999999999999999999", " ", "ÿ", "-", "1e3", "b" * 900]),
    at=st.integers(0, 25),
)
def test_one_odd_label_changes_nothing_for_the_others(folder, rows, odd, at):
    """Neither how the labels of others are read nor their order nor a bit of their ratings."""
    row = (f"{odd} odd", f"!{odd}!", 1.0, 0)
    row = tuple(each.strip() if isinstance(each, str) else each for each in row)
    before = resolve(read_csv(folder, as_csv(rows), TIMED), None)
    after = resolve(read_csv(folder, as_csv([*rows[:at], row, *rows[at:]]), TIMED), None)
    others = {pair: value for pair, value in as_dict(after).items() if pair[0] != row[0]}
    assert list(others.items()) == list(as_dict(before).items())
    for new, old, label in (
        (after.user_labels, before.user_labels, row[0]),
        (after.item_labels, before.item_labels, row[1]),
    ):
        assert [each for each in new.tolist() if each != label] == old.tolist()


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
    lines = read_csv(folder, as_csv(rows), TIMED if timed else COLUMNS)
    ratings = resolve(lines, rating_range)
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
    for columns in (COLUMNS, TIMED):
        first, second = (
            bits(resolve(read_csv(folder, as_csv(each), columns), rating_range))
            for each in (rows, other)
        )
        assert first == second


def test_many_lines_in_any_order_change_no_bit(folder):
    """Long sums, whose blocks are added in parts."""
    rng = np.random.default_rng(5)
    rows = [
        ("ab"[k % 2], "x", value, 1) for k, value in enumerate(rng.normal(size=10_000).tolist())
    ]
    first = resolve(read_csv(folder, as_csv(rows)), None)
    second = resolve(read_csv(folder, as_csv([rows[k] for k in rng.permutation(10_000)])), None)
    assert bits(first) == bits(second)
    assert first.values[0] == pytest.approx(
        math.fsum(row[2] for row in rows[::2]) / 5000, abs=1e-12
    )


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
    for columns in (COLUMNS, TIMED):
        lines = read_csv(folder, content, columns)
        assert fields_of(lines) == []
        assert (lines.times is None) == (columns is COLUMNS)
        ratings = resolve(lines, (1, 5))
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
]


def test_dates_in_text_are_microseconds_whatever_the_other_rows_hold(folder, elsewhere):
    expected = [
        (moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1) for _, moment in ISO
    ]
    for order in itertools.permutations(range(len(ISO)), 3):
        rows = [("a", "b", 1.0, ISO[k][0]) for k in order]
        lines = read_csv(folder, as_csv(rows), TIMED)
        assert lines.times.tolist() == [expected[k] for k in order]
        stamps = pa.array([ISO[k][0] for k in order])
        lines = read_parquet(folder, TIMED, user=[1] * 3, item=[1] * 3, rating=[1] * 3, when=stamps)
        assert lines.times.tolist() == [expected[k] for k in order]


@pytest.mark.parametrize(
    "kind",
    [pa.timestamp("s"), pa.timestamp("ns", "Europe/Paris"), pa.date32(), pa.date64(), pa.string()],
)
def test_parquet_dates(folder, kind):
    days = [date(2024, 5, 31), date(1960, 2, 29), date(2024, 6, 1)]
    when = pa.array(days).cast(kind)
    lines = read_parquet(
        folder, TIMED, user=["a"] * 3, item=["b"] * 3, rating=[1.0, 2.0, 3.0], when=when
    )
    assert np.argsort(lines.times).tolist() == [1, 0, 2]
    assert resolve(lines, None).values.tolist() == [3.0]


@pytest.mark.parametrize("when", ["12", " 12.5", "-3", "1e9"])
def test_times_that_are_numbers(folder, when):
    rows = [("a", "b", 1.0, "11"), ("a", "b", 2.0, when), ("a", "c", 2.0, "1")]
    lines = read_csv(folder, as_csv(rows), TIMED)
    assert lines.times.tolist() == [11.0, float(when), 1.0]


# the secrets must not be part of a path, a column's name or the sentence itself
SECRET_USER, SECRET_ITEM, SECRET_VALUE, SECRET_TIME = "Qzx7", "Wvk8", "73519", "86420"
GOOD = f"{SECRET_USER},{SECRET_ITEM},{SECRET_VALUE},{SECRET_TIME}"
LABEL = f"{fields.LABEL} is expected in the column"
NUMBER = "a finite number is expected in the column 'rating'"
TIME = "a number or an ISO 8601 date or time, of the same kind as in the first row, is expected in"
MALFORMED = [
    (f"{SECRET_USER},{SECRET_ITEM},{SECRET_VALUE}", "4 fields are expected, as in the header; 3 w"),
    (f"{GOOD},{SECRET_USER}", "4 fields are expected, as in the header; 5 w"),
    (SECRET_USER, "4 fields are expected, as in the header; 1 w"),
    (f",{SECRET_ITEM},{SECRET_VALUE},{SECRET_TIME}", f"{LABEL} 'user'"),
    (f"{SECRET_USER},,{SECRET_VALUE},{SECRET_TIME}", f"{LABEL} 'item'"),
    (f"{SECRET_USER}, \t,{SECRET_VALUE},{SECRET_TIME}", f"{LABEL} 'item'"),
    (f"{SECRET_USER},\xa0,{SECRET_VALUE},{SECRET_TIME}", f"{LABEL} 'item'"),
    (f"{SECRET_USER}\0,{SECRET_ITEM},{SECRET_VALUE},{SECRET_TIME}", f"{LABEL} 'user'"),
    (f"{SECRET_USER * 251},{SECRET_ITEM},{SECRET_VALUE},{SECRET_TIME}", f"{LABEL} 'user'"),
    (f"{SECRET_USER}\udcff,{SECRET_ITEM},{SECRET_VALUE},{SECRET_TIME}", f"{LABEL} 'user'"),
    (f"{SECRET_USER},{SECRET_ITEM}\udce9,{SECRET_VALUE},{SECRET_TIME}", f"{LABEL} 'item'"),
    *(
        (f"{SECRET_USER},{SECRET_ITEM},{value},{SECRET_TIME}", NUMBER)
        for value in (
            *("", "nan", "inf", "-Infinity", "1e999", f"{SECRET_VALUE}x", f"x{SECRET_VALUE}"),
            *(f"0x{SECRET_VALUE}", f"{SECRET_VALUE}_0", "７", f'"{SECRET_VALUE},5"', "\udcff"),
        )
    ),
    *(
        (f"{SECRET_USER},{SECRET_ITEM},{SECRET_VALUE},{time}", TIME)
        for time in ("", "nan", "inf", f"{SECRET_TIME}x", "2024-05-31", "\udcff")
    ),
]


def told(sentence, path):
    return [
        secret
        for secret in (SECRET_USER, SECRET_ITEM, SECRET_VALUE, SECRET_TIME, "７", "\udcff", "2024")
        if secret in sentence.replace(str(path), "")
    ]


@pytest.mark.parametrize("block", [1 << 24, 40])
@pytest.mark.parametrize(("row", "expected"), MALFORMED)
def test_a_malformed_line_is_named_and_not_shown(tmp_path, monkeypatch, row, expected, block):
    monkeypatch.setattr(text, "_BLOCK", block)
    path = tmp_path / "mine.csv"
    content = "\n".join([",".join(HEADER), GOOD, "", GOOD, row, GOOD]) + "\n"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    sentence = refusal(path, TIMED)
    assert sentence.startswith(f"{path}, line 5: {expected}")
    assert not told(sentence, path)


@pytest.mark.parametrize("block", [1 << 24, 16])
@pytest.mark.parametrize(
    ("first", "second"),
    [("2024-05-31", SECRET_TIME), ("2024-05-31", "2024-13-31"), (SECRET_TIME, "2024-05-31")],
)
def test_times_of_two_kinds(tmp_path, monkeypatch, first, second, block):
    """The first row decides for the whole file, not for a block of it."""
    monkeypatch.setattr(text, "_BLOCK", block)
    path = tmp_path / "mine.csv"
    path.write_bytes(as_csv([("a", "b", 1.0, first), ("a", "b", 1.0, second)]))
    sentence = refusal(path, TIMED)
    assert sentence.startswith(f"{path}, line 3: {TIME} the column 'when'")
    assert not told(sentence, path)


@pytest.mark.parametrize(
    "row",
    [f'"{SECRET_USER},{SECRET_ITEM},{SECRET_VALUE},{SECRET_TIME}', f'"{SECRET_USER}' + "y" * 9999],
)
def test_a_quote_that_is_left_open(tmp_path, monkeypatch, row):
    path = tmp_path / "mine.csv"
    path.write_text("\n".join([",".join(HEADER), row, *[GOOD] * 500]))
    assert not told(refusal(path), path)
    monkeypatch.setattr(text, "_BLOCK", 1000)
    monkeypatch.setattr(text, "_LONGEST_LINE", 3000)
    sentence = refusal(path)
    assert re.search("line 2: .*a quote (is )?left open", sentence)
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
    monkeypatch.setattr(text, "_BLOCK", block)
    path = tmp_path / "mine.csv"
    rows = [",".join((*HEADER, "review")), f"{GOOD},ok", "", f'{GOOD},"nice film', *rest, ""]
    path.write_bytes(end.join(rows).encode())
    sentence = refusal(path)
    assert sentence.startswith(f"{path}, line 4: a quote is left open, and each row must be one")
    assert not told(sentence, path)
    path.write_bytes(end.join(rows).replace("nice film", 'nice ""film"""').encode())
    if len(rest) > 2:
        assert len(read_lines(path, COLUMNS).values) == 11


@pytest.mark.parametrize("size", [1, 2, 3, 5, 99])
@pytest.mark.parametrize("last", [b"", b"\n", b"\r\n\r\n"])
def test_lines_are_counted_wherever_they_are_cut(size, last):
    counted = pieces._Counted(io.BytesIO(b"\r\none\n\r\n\n two\r\n3\rfour" + last))
    while counted.read(size):
        pass
    assert counted.lines == 4


def test_a_line_may_be_as_long_as_is_assumed_wherever_it_begins(folder, monkeypatch):
    """A block of the reader, 16 MiB: what is longer hangs on what stands before it."""
    assert text._BLOCK == 16 * 2**20
    monkeypatch.setattr(text, "_BLOCK", 64)
    row = "vic,i,5,".ljust(63, "x") + "\n"
    for before in range(64):
        content = f"user,item,rating,note\nann,i,5,{'y' * before}\n{row}bob,i,5,\n"
        assert len(read_csv(folder, content).values) == 3


def test_a_stray_carriage_return_or_a_field_without_end(tmp_path):
    path = tmp_path / "mine.csv"
    for row in (f"{SECRET_USER}\r{GOOD}", f"{SECRET_USER * 50_000},{GOOD}"):
        path.write_bytes(f"{','.join(HEADER)}\n{GOOD}\n{row}\n".encode())
        sentence = refusal(path)
        assert f"{path}, line 3: this line is malformed" in sentence
        assert not told(sentence, path)


TEXT = pa.string()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"user": pa.array([SECRET_USER, None])}, f"{LABEL} 'user'"),
        ({"user": pa.array([SECRET_USER, ""])}, f"{LABEL} 'user'"),
        ({"user": pa.array([SECRET_USER, " "]).dictionary_encode()}, f"{LABEL} 'user'"),
        ({"user": pa.array([73519, None])}, f"{LABEL} 'user'"),
        ({"item": pa.array([73519.0, 73519.5])}, f"{LABEL} 'item'"),
        ({"item": pa.array([73519.0, math.inf])}, f"{LABEL} 'item'"),
        ({"item": pa.array([73519.0, 1e17])}, f"{LABEL} 'item'"),
        ({"item": pa.array([b"Qzx7", b"Qzx7\xff"], pa.binary()).view(TEXT)}, f"{LABEL} 'item'"),
        ({"rating": pa.array([73519.0, None])}, NUMBER),
        ({"rating": pa.array([73519.0, math.nan])}, NUMBER),
        ({"rating": pa.array([73519.0, math.inf])}, NUMBER),
        ({"rating": pa.array([SECRET_VALUE, f"{SECRET_VALUE}x"])}, NUMBER),
        ({"rating": pa.array([b"1", b"73519\xff"], pa.binary()).view(TEXT)}, NUMBER),
        ({"when": pa.array([86420, None])}, TIME),
        ({"when": pa.array([SECRET_TIME, f"{SECRET_TIME}x"])}, TIME),
        ({"when": pa.array([date(2024, 5, 31), None])}, TIME),
        ({"when": pa.array(["2024-05-31", SECRET_TIME])}, TIME),
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
        ({"user": [True]}, "column 'user' must hold text or integers, not bool"),
        ({"item": [[1]]}, "column 'item' must hold text or integers, not list"),
        ({"rating": [[1]]}, "column 'rating' must hold numbers, not list"),
        ({"when": [[1]]}, "column 'when' must hold numbers, not list"),
    ],
)
def test_columns_of_parquet_of_another_kind(tmp_path, changed, expected):
    path = tmp_path / "mine.parquet"
    good = {"user": [1], "item": [1], "rating": [1], "when": [1]}
    parquet.write_table(pa.table(good | changed), path)
    assert expected in refusal(path, TIMED)


def test_numbers_of_parquet_in_any_type(folder):
    for rating in (pa.array([2], pa.int8()), pa.array([2], pa.decimal128(3, 1)), ["2"], ["2.0 "]):
        assert read_parquet(folder, user=[1], item=[1], rating=rating).values.tolist() == [2.0]
    huge = pa.array([2**64 - 1], pa.uint64())
    assert read_parquet(folder, user=[1], item=[1], rating=huge).values.tolist() == [2.0**64]


def test_columns_by_usual_names_or_as_given(folder):
    lines = read_csv(folder, "userId;movieId;score;comment\nann;7;4.5;x,y\n")
    assert fields_of(lines) == [("ann", "7", 4.5)]
    lines = read_csv(folder, "item\titem_id\trating\nann\t7\t5\n", COLUMNS | {"user": "item"})
    assert fields_of(lines) == [("ann", "7", 5.0)]
    # a column of times is used only if it is named, and need not be sound otherwise
    lines = read_csv(folder, "user,item,rating,timestamp\nann,7,5,tomorrow\n")
    assert lines.times is None


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
    for name, lines in (("mine.csv", header), ("mine.tsv", header.replace(",", "\t"))):
        path = tmp_path / name
        path.write_text(lines + "\n1,2,3\n")
        assert expected in refusal(path, COLUMNS | given)


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
    sentence = refusal(path, COLUMNS | given)
    assert "the first line must hold the names of the columns (it is not shown" in sentence
    assert not told(sentence, path)


# -- packed tables, and those of MovieLens 100K ----------------------------------------------------

MOVIELENS = b"196\t242\t3\t881250949\n186\t302\t4\t891717742\n"


@settings(deadline=None)
@given(rows=ROWS, separator=st.sampled_from(",;\t"), block=st.sampled_from([1 << 24, 50]))
def test_packed_text_is_read_as_it_would_be_unpacked(folder, rows, separator, block):
    content = as_csv(rows, separator=separator)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_BLOCK", block)
        packed = read_csv(folder, gzip.compress(content), TIMED, "mine.tsv.gz")
        assert fields_of(packed) == fields_of(read_csv(folder, content, TIMED))


@pytest.mark.parametrize("name", ["u.data", "U.DATA", "u.data.gz"])
def test_a_file_like_u_data_has_its_columns_by_their_places(folder, name):
    content = gzip.compress(MOVIELENS) if name.endswith(".gz") else MOVIELENS
    wanted = [("196", "242", 3.0), ("186", "302", 4.0)]
    assert fields_of(read_csv(folder, content, name=name)) == wanted
    timed = read_csv(folder, content, COLUMNS | {"timestamp": "timestamp"}, name)
    assert timed.times.tolist() == [881250949.0, 891717742.0]
    # a quote is a character, since nothing is quoted in such files
    odd = b'1"\t"2\t3\t4\n'
    odd = gzip.compress(odd) if name.endswith(".gz") else odd
    assert fields_of(read_csv(folder, odd, name=name)) == [('1"', '"2', 3.0)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"1\t2\t3\t4\n{SECRET_USER}\t2\t3\n", "line 2: 4 fields are expected; 3 were found."),
        (f"{SECRET_USER}\t2\tx\t4\n", "line 1: a finite number is expected in the column 'rating'"),
        (f"\t{SECRET_ITEM}\t3\t4\n", "line 1: a label "),
    ],
)
def test_faults_of_a_file_like_u_data(tmp_path, content, expected):
    path = tmp_path / "u.data"
    path.write_text(content)
    sentence = refusal(path)
    assert expected in sentence
    assert not told(sentence, path)


@pytest.mark.parametrize("cut", [0, 5, 30, -4])
def test_packed_files_that_are_damaged(tmp_path, cut):
    path = tmp_path / "mine.csv.gz"
    whole = gzip.compress(as_csv([("ann", "heat", 1.0, 1)] * 50))
    path.write_bytes(whole[:cut] if cut else b"user,item,rating\n")
    assert refusal(path) == f"{path} cannot be read: it is damaged."


def test_other_packed_files_are_refused(tmp_path):
    for name in ("mine.parquet.gz", "mine.gz", "mine.txt.gz", "gz", ".gz"):
        assert "The table of ratings must be a file that ends in .csv" in refusal(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "line 1: the names of the columns are expected here"),
        (b"\xff\xfeu\0s\0e\0r\0", "line 1: this is not UTF-8 text"),
        (b"user,item,rating\r1,2,3\r", "line 1: this line is malformed"),
    ],
)
def test_first_lines_that_are_no_header(tmp_path, content, expected):
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    assert expected in refusal(path)


def test_files_that_cannot_be_read(tmp_path):
    for name in ("none.csv", "none.parquet"):
        assert f"{tmp_path / name} cannot be read: No such file" in refusal(tmp_path / name)
    for suffix in ("csv", "parquet"):
        path = tmp_path / f"folder.{suffix}"
        path.mkdir()
        assert f"{path} " in refusal(path)
    assert "The table of ratings must be a file that ends in .csv, .tsv, .parquet" in refusal(
        tmp_path / "mine.txt"
    )


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


def test_a_date_is_no_number():
    """Else the first row, which may be anybody's, would decide what the others' are."""
    assert np.isnan(fields.to_microseconds("20200102905"))
    assert np.isnan(fields.to_microseconds("20200102"))
    assert np.isfinite(fields.to_microseconds("2020-01-02T05"))


@pytest.mark.parametrize("block", [1 << 24, 60, 200])
def test_a_quote_within_somebodys_field_moves_nobody_elses_rows(folder, monkeypatch, block):
    """A quote opens a field at its start only, which a count of quotes does not see."""
    monkeypatch.setattr(text, "_BLOCK", block)
    rest = 'bob,i1,5,"nice; carl,i9,1,zz"\n' + "".join(
        f"u{k},i{k % 3},3,plain\n" for k in range(40)
    )
    for odd in ("", 'vic,i2,4,5" disk\n', 'vic,i2,4,"5"" disk"\n', "vic,i2,4,plain\n"):
        for content in (odd + rest, rest + odd):
            lines = read_csv(folder, "user,item,rating,note\n" + content, {})
            found = {each for each in fields_of(lines) if each[0] != "vic"}
            assert len(found) == 41
            assert all(user == "bob" or user.startswith("u") for user, *_ in found)


@pytest.mark.parametrize("first", ["", "vic,x,1\n"])
def test_a_byte_order_mark_is_part_of_no_label_wherever_it_stands(folder, first):
    lines = read_csv(folder, f"user,item,rating\n{first}\ufeffbob,x,5\nbob,x,1\n", {})
    found = [each for each in fields_of(lines) if each[0] != "vic"]
    assert [each[:3] for each in found] == [("bob", "x", 5.0), ("bob", "x", 1.0)]


@pytest.mark.parametrize("label", ["i\r3", "i\n3", "i\t3", "\x7f", "a\x00b"])
def test_labels_hold_no_control_characters(label):
    assert not fields.is_label(label)


def test_one_long_label_takes_no_memory_for_the_others():
    labelled = fields.labelled(np.zeros(1, int), ["a" * 1000, *map(str, range(1000))])
    assert labelled.labels.nbytes == 1001 * 8  # pointers

"""A user's own CSV or Parquet file is a data set like any other."""

import csv
import io

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dpmc.datasets import from_entry, read, resolve
from dpmc.datasets.readers import text
from dpmc.errors import InputError
from dpmc_studies.datasets.download import obtain

# no control characters but line ends, no surrogates
TEXT = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], include_characters="\n"), min_size=1, max_size=8
)
LABELS = TEXT | st.integers(-(10**15), 10**15).map(str)
VALUES = st.floats(-5, 5, allow_subnormal=False) | st.integers(-5, 5).map(float)
RATINGS = st.dictionaries(st.tuples(LABELS, LABELS), VALUES, min_size=1, max_size=30)


def as_text(ratings):
    """Return {(user label, item label): value} with the labels as text, in order."""
    users, items = ratings.user_labels[ratings.users], ratings.item_labels[ratings.items]
    pairs = zip(map(str, users), map(str, items), strict=True)
    return dict(zip(pairs, ratings.values.tolist(), strict=True))


def read_own(path, **entry):
    dataset = from_entry("mine", {"path": str(path), **entry})
    return read(dataset, obtain(dataset, "unused"))


def refusal(path, **entry):
    with pytest.raises(InputError) as caught:
        read_own(path, **entry)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert "\n" not in sentence
    return sentence


@settings(deadline=None, max_examples=60)
@given(
    rows=RATINGS,
    separator=st.sampled_from(",;\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    columns=st.permutations(["user", "item", "rating", "comment"]),
    mark=st.sampled_from(["", "\ufeff"]),
    block=st.sampled_from([1 << 24, 64]),
)
def test_csv_round_trip(tmp_path_factory, rows, separator, quoting, end, columns, mark, block):
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerow(columns)
    for (user, item), value in rows.items():
        fields = {"user": user, "item": item, "rating": repr(value), "comment": 'so, "so"; x'}
        writer.writerow([fields[column] for column in columns])
    path = tmp_path_factory.mktemp("csv") / "mine.csv"
    path.write_bytes((mark + buffer.getvalue()).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_BLOCK", block)
        ratings = read_own(path)
    assert list(as_text(ratings).items()) == list(rows.items())
    assert ratings.user_labels.tolist() == sorted(ratings.user_labels.tolist())
    assert (ratings.name, ratings.rating_range) == ("mine", None)


@settings(deadline=None, max_examples=60)
@given(
    rows=RATINGS,
    integers=st.booleans(),
    categories=st.booleans(),
    row_group_size=st.integers(1, 40),
)
def test_parquet_round_trip(tmp_path_factory, rows, integers, categories, row_group_size):
    users, items = ([pair[k] for pair in rows] for k in (0, 1))
    if integers:  # the same equalities between labels, as numbers
        users, items = (
            [sorted(set(each)).index(label) - 3 for label in each] for each in (users, items)
        )
    table = pa.table({"rating": list(rows.values()), "movieId": items, "userId": users})
    if categories:
        table = table.set_column(2, "userId", table["userId"].dictionary_encode())
    path = tmp_path_factory.mktemp("parquet") / "mine.parquet"
    parquet.write_table(table, path, row_group_size=row_group_size)
    ratings = read_own(path)
    pairs = zip(map(str, users), map(str, items), strict=True)
    assert list(as_text(ratings).items()) == list(zip(pairs, rows.values(), strict=True))


@pytest.mark.parametrize(
    "header",
    [
        "userId,movieId,rating",
        "user_id,item_id,value",
        "User,Item,Rating",
        "uid,iid,score",
        "customer id,product-id,stars",
        "UserID,placeID,rating",
        "user,joke,rating",
    ],
)
def test_usual_names_are_detected(header, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(f"{header}\nann,7,4.5\nbob,7,3\n")
    assert as_text(read_own(path)) == {("ann", "7"): 4.5, ("bob", "7"): 3.0}


def test_named_columns_win_over_usual_names(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("user,item,rating,who,what,how\n1,2,3,ann,tea,5\n")
    ratings = read_own(path, user="who", item="what", rating="how")
    assert as_text(ratings) == {("ann", "tea"): 5.0}
    # a column named for one role is not a candidate for another
    path.write_text("item,item_id,rating\nann,7,5\n")
    assert as_text(read_own(path, user="item")) == {("ann", "7"): 5.0}


def test_integer_labels_stay_in_numeric_order_and_codes_do_not(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("user,item,rating\n10,007,1\n9,8,2\n")
    ratings = read_own(path)
    assert ratings.user_labels.tolist() == [9, 10]
    assert ratings.item_labels.tolist() == ["007", "8"]


def test_tab_separated_file(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("user\titem\trating\na\tb,c\t1\n")
    assert as_text(read_own(path)) == {("a", "b,c"): 1.0}


def test_rating_range_and_checksum_of_the_entry(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("user,item,rating\na,b,1\na,c,6\n")
    sets = {"mine": {"path": "mine.csv", "rating_range": [1, 5]}}
    dataset = resolve("mine", sets, tmp_path)
    with pytest.raises(InputError, match="line 3: rating 6 is outside the range 1 to 5"):
        read(dataset, obtain(dataset, "unused"))
    sets["mine"]["rating_range"] = [1, 6]
    dataset = resolve("mine", sets, tmp_path)
    assert read(dataset, obtain(dataset, "unused")).rating_range == (1.0, 6.0)


def test_repeated_rows(tmp_path, caplog):
    path = tmp_path / "mine.csv"
    path.write_text("user,item,rating\na,b,1\na,b,1\na,c,2\n")
    assert as_text(read_own(path)) == {("a", "b"): 1.0, ("a", "c"): 2.0}
    assert "1 of 3 rows repeat" in caplog.text
    path.write_text("user,item,rating\na,b,1\na,b,2\n")
    assert "ratings 1 and 2, in the order of the file, are of one user and item" in refusal(path)


@pytest.mark.parametrize(
    ("content", "entry", "message"),
    [
        ("", {}, "line 1: the names of the columns are expected"),
        ("user,item,rating\n", {}, "holds no ratings"),
        ("a,b,c\n1,2,3\n", {}, "no column looks like the user (a, b, c); name it with the key "),
        ("user,item,itemId,rating\n", {}, "several columns could be the item (item, itemId); name"),
        ("user,item,item,rating\n", {}, "more than one column 'item'"),
        ("user,item,rating\n", {"user": "users"}, "no column 'users' (data.sets.mine.user) (did y"),
        ("user,item,rating\na,b,1\na,,1\n", {}, "line 3: item is empty"),
        ("user,item,rating\na,b,1\na,c\n", {}, "line 3: expected 3 fields (user, item, rating), f"),
        ("user,item,rating\na,b,x\n", {}, "line 2: rating must be a number, found 'x'"),
        ("user,item,rating\na,b,inf\n", {}, "line 2: rating must be a number, found 'inf'"),
        ("user,item,rating\na,b,\n", {}, "line 2: rating must be a number, found ''"),
        ('user,item,rating\na,"b\nc",1\na,b\n', {}, "line 4: expected 3 fields"),
        (
            'user,item,rating\na,b,1\na,"b,1\n',
            {},
            "line 3: expected 3 fields (user, item, rating), f",
        ),
        (f"user,item,rating\na,{'b' * 200_000},1\na,b\n", {}, "line 2: this line is malformed"),
        ("user;item;rating\na;b;3,5\n", {}, "line 2: rating must be a number, found '3,5'"),
    ],
)
def test_bad_csv(content, entry, message, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(content)
    assert message in refusal(path, **entry)


def test_quote_that_is_never_closed(tmp_path, monkeypatch):
    """The search for the end of the row stops after 1 MB, at the row that opened the quote."""
    monkeypatch.setattr(text, "_BLOCK", 1000)
    monkeypatch.setattr(text, "_LONGEST_LINE", 3000)
    lines = [f'{k},"item {k}",1' for k in range(1000)]
    lines[500] = '500,"item 500,1'
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(["user,item,rating", *lines]) + "\n")
    assert "line 502: this row is far too long; is a quote left open?" in refusal(path)


def write_parquet(path, **columns):
    parquet.write_table(pa.table(columns), path)


@pytest.mark.parametrize(
    ("columns", "entry", "message"),
    [
        ({"user": [1], "item": [2]}, {}, "no column looks like the rating (user, item)"),
        ({"user": [1, None], "item": [2, 3], "rating": [1, 2]}, {}, "row 2: user is empty"),
        ({"user": [1, 2], "item": [2, 3], "rating": [1, None]}, {}, "row 2: rating is empty"),
        ({"user": [1.5], "item": [2], "rating": [1]}, {}, "column user must hold text or integers"),
        ({"user": [True], "item": [2], "rating": [1]}, {}, "must hold text or integers, not bool"),
        ({"user": [[1]], "item": [2], "rating": [1]}, {}, "must hold text or integers, not list"),
        ({"user": ["a", ""], "item": [2, 3], "rating": [1, 1]}, {}, "row 2: user is empty"),
        ({"user": [1], "item": [2], "rating": ["good"]}, {}, "rating must hold numbers, not strin"),
        ({"user": [1], "item": [2], "rating": [[1]]}, {}, "rating must hold numbers, not list"),
        ({"user": [1, 1], "item": [2, 3], "rating": [1.0, np.nan]}, {}, "row 2: rating nan is not"),
        ({"user": [1], "item": [2], "rating": [7]}, {"rating_range": [1, 5]}, "row 1: rating 7 is"),
        ({"user": [1, 1], "item": [2, 2], "rating": [1, 2]}, {}, "ratings 1 and 2, in the order"),
        (
            {"user": pa.array([], pa.int64()), "item": pa.array([], pa.int64()), "rating": []},
            {},
            "h",
        ),
    ],
)
def test_bad_parquet(columns, entry, message, tmp_path):
    path = tmp_path / "mine.parquet"
    write_parquet(path, **columns)
    assert message in refusal(path, **entry)


def test_broken_parquet(tmp_path):
    path = tmp_path / "mine.parquet"
    write_parquet(path, user=[1], item=[2], rating=[3.0])
    whole = path.read_bytes()
    for content in (whole[:-20], b"no Parquet file", b""):
        path.write_bytes(content)
        assert "is not a whole Parquet file" in refusal(path)


def test_whole_floats_and_decimals_are_numbers(tmp_path):
    """pandas writes integers with a missing value anywhere above as floats."""
    path = tmp_path / "mine.parquet"
    write_parquet(
        path, user=[1.0, 2.0], item=["a", "a"], rating=pa.array([1, 2], pa.decimal128(3, 1))
    )
    assert as_text(read_own(path)) == {("1", "a"): 1.0, ("2", "a"): 2.0}

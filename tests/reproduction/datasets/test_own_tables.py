"""A user's own file is a data set like any other, read as ``dpmc fit`` reads it."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dpmc.datasets import from_entry, read, resolve
from dpmc.errors import InputError
from dpmc_studies.datasets.download import obtain


def as_text(ratings):
    """Return {(user label, item label): value} with the labels as text, in order."""
    users, items = ratings.user_labels[ratings.users], ratings.item_labels[ratings.items]
    pairs = zip(map(str, users), map(str, items), strict=True)
    return dict(zip(pairs, ratings.values.tolist(), strict=True))


def read_own(path, **entry):
    dataset = from_entry("mine", {"path": str(path), **entry})
    return read(dataset, obtain(dataset, "unused"))


def test_columns_are_found_or_named(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("user,item,rating,who,what,how\n1,2,3,ann,tea,5\n")
    assert as_text(read_own(path)) == {("1", "2"): 3.0}
    assert as_text(read_own(path, user="who", item="what", rating="how")) == {("ann", "tea"): 5.0}


def test_a_table_of_any_form_that_a_fit_reads(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("Ann  tea\t5\n", encoding="utf-16")
    entry = {"separator": "blanks", "encoding": "utf-16", "columns": "user,item,rating"}
    assert as_text(read_own(path, **entry)) == {("Ann", "tea"): 5.0}
    columns = {"rating": [4.5, 1.0], "movieId": [2, 1], "userId": [1.0, 1.0]}
    parquet.write_table(pa.table(columns), tmp_path / "mine.parquet")
    found = read_own(tmp_path / "mine.parquet")
    assert list(as_text(found).items()) == [(("1", "2"), 4.5), (("1", "1"), 1.0)]
    np.testing.assert_array_equal(found.item_labels, [1, 2])


def test_integer_labels_stay_in_numeric_order_and_codes_do_not(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("user,item,rating\n10,007,1\n9,8,2\n")
    ratings = read_own(path)
    assert ratings.user_labels.tolist() == [9, 10]
    assert ratings.item_labels.tolist() == ["007", "8"]
    assert as_text(ratings) == {("10", "007"): 1.0, ("9", "8"): 2.0}


def test_rating_range_of_the_entry(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("user,item,rating\na,b,1\na,c,6\n")
    sets = {"mine": {"path": "mine.csv", "rating_range": [1, 5]}}
    with pytest.raises(InputError, match="rating number 2 is outside the stated range 1 to 5"):
        read(resolve("mine", sets, tmp_path), path)
    sets["mine"]["rating_range"] = [1, 6]
    assert read(resolve("mine", sets, tmp_path), path).rating_range == (1.0, 6.0)


def test_repeated_rows(tmp_path, caplog):
    path = tmp_path / "mine.csv"
    path.write_text("user,item,rating\na,b,1\na,b,1\na,c,2\n")
    assert as_text(read_own(path)) == {("a", "b"): 1.0, ("a", "c"): 2.0}
    assert "1 of 3 rows repeat" in caplog.text


@pytest.mark.parametrize(
    ("content", "entry", "message"),
    [
        ("user,item,rating\n", {}, "holds no ratings"),
        ("a,b,c\n1,2,3\n", {}, "name one with data.sets.mine.user"),
        ("user,item,rating\n", {"user": "users"}, "no column 'users' (data.sets.mine.user) (did y"),
        ("user,item,rating\na,b,1\na,,1\n", {}, "rating number 2: the item is empty"),
        ("user,item,rating\na,b,x\n", {}, "line 2: a finite number is expected"),
        ("user,item,rating\na,b,1\na,b,2\n", {}, "ratings 1 and 2, in the order of the file"),
    ],
)
def test_bad_tables(content, entry, message, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read_own(path, **entry)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

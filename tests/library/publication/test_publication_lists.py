"""Public lists: what counts as one, and a matrix of exactly what is listed."""

import csv

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dpmc.publication.lists import read_list, restrict
from dpmc.publication.reading import USUAL
from dpmc.publication.table import read_lines, resolve
from dpmc.ratings import Ratings

# no control characters and no line ends, which one label a line cannot hold
LABELS = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff"),
    min_size=1,
    max_size=6,
)
LISTS = st.lists(LABELS.map(str.strip).filter(bool), min_size=1, max_size=12, unique=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lists")


@settings(deadline=None)
@given(labels=LISTS, end=st.sampled_from(["\n", "\r\n", "\n \n\n"]), mark=st.booleans())
def test_one_label_a_line(folder, labels, end, mark):
    for name in ("items.txt", "items", "items.list"):
        content = "".join(f" {label}\t{end}" for label in labels)
        (folder / name).write_bytes(content.encode("utf-8-sig" if mark else "utf-8"))
        assert read_list(folder / name, "item") == (labels, False)


@settings(deadline=None)
@given(
    labels=LISTS,
    name=st.sampled_from(["ItemId", "movieId", "item", "product id", "place"]),
    separator=st.sampled_from(",;\t"),
    given_name=st.booleans(),
    title=st.booleans(),
)
def test_a_column_of_a_table(folder, labels, name, separator, given_name, title):
    columns = [name, "title"] if title else [name]
    rows = [[label, 'x, "y"; z\n'][: len(columns)] for label in labels]
    path = folder / "items.csv"
    with open(path, "w", newline="", encoding="utf-8") as stream:
        # the header of one column has no separator, so that the comma counts
        writer = csv.writer(stream, delimiter=separator if title else ",")
        writer.writerows([columns, *rows])
    column = name if given_name else None
    assert read_list(path, "item", column) == (labels, False)
    path = folder / "items.parquet"
    parquet.write_table(pa.table({"title": ["x"] * len(labels), name: labels}), path)
    assert read_list(path, "item", column) == (labels, False)


def test_other_columns_and_kinds(folder):
    path = folder / "mine.tsv"
    path.write_text("user\titem\tname\n1\tx\tann\n\n02\tx\tbob\n")
    assert read_list(path, "user") == (["1", "02"], False)
    assert read_list(str(path), "user", "name") == (["ann", "bob"], False)
    path = folder / "mine.parquet"
    for users in ([10, 9], [10.0, 9.0], pa.array(["10", " 9"]).dictionary_encode()):
        parquet.write_table(pa.table({"user": users}), path)
        assert read_list(path, "user") == (["10", "9"], users == [10, 9] and type(users[0]) is int)


def test_labels_are_those_of_the_ratings(folder):
    """Integers, blanks around labels and codes with zeros in front match by their text."""
    for suffix in ("csv", "parquet"):
        path = folder / f"ratings.{suffix}"
        if suffix == "csv":
            path.write_text("user,item,rating\n2, 10 ,1\n1,9,2\n1,07,3\n")
        else:
            arrays = {"user": [2, 1, 1], "item": ["10", "9 ", "07"], "rating": [1, 2, 3]}
            parquet.write_table(pa.table(arrays), path)
        ratings = resolve(read_lines(path, USUAL), None)
        (folder / "list.txt").write_text("07\n10\n7\n")
        ratings = restrict(ratings, read_list(folder / "list.txt", "item")[0], None)
        assert ratings.item_labels.tolist() == ["07", "10", "7"]
        assert (ratings.users.tolist(), ratings.items.tolist()) == ([0, 1], [0, 1])
        assert ratings.values.tolist() == [3.0, 1.0]


NAMES = st.lists(st.sampled_from("abcdef"), unique=True, max_size=6)


@settings(deadline=None)
@given(
    said=st.dictionaries(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), st.floats(1, 5), max_size=16
    ),
    items=st.none() | NAMES,
    users=st.none() | NAMES,
)
def test_a_matrix_of_exactly_the_lists(said, items, users):
    labels = np.array(list("abcd"))
    rows, columns = (np.array(["abcd".index(p[k]) for p in said], np.int32) for k in (0, 1))
    values = np.array(list(said.values()), dtype=float)
    ratings = Ratings(rows, columns, values, 4, 4, "mine", (1, 5), labels, labels)
    result = restrict(ratings, items, users)
    assert result.item_labels.tolist() == (list("abcd") if items is None else items)
    assert result.user_labels.tolist() == (list("abcd") if users is None else users)
    assert (result.n_users, result.n_items) == (result.user_labels.size, result.item_labels.size)
    found = zip(
        result.user_labels[result.users].tolist(),
        result.item_labels[result.items].tolist(),
        result.values.tolist(),
        strict=True,
    )
    expected = [
        (user, item, said[user, item])
        for user in (users if users is not None else "abcd")
        for item in (items if items is not None else "abcd")
        if (user, item) in said
    ]
    order = np.lexsort((result.items, result.users))
    assert order.tolist() == list(range(len(result)))
    assert list(found) == expected
    assert (result.name, result.rating_range) == ("mine", (1, 5))


def test_many_users_and_items_are_sorted():
    """The numbers of pairs go beyond 2^31."""
    labels = np.arange(70_000).astype(str)
    ratings = Ratings(
        [1, 40_000], [2, 3], [1.0, 5.0], 70_000, 65_000, user_labels=labels,
        item_labels=labels[:65_000],
    )  # fmt: skip
    found = restrict(ratings, None, labels[::-1].tolist())
    assert found.users.tolist() == [29_999, 69_998]
    assert found.values.tolist() == [5.0, 1.0]

"""The known data sets: real files, small files in the exact format, broken files.

How a table is read, and which rows are refused, is tested where ``dpmc fit`` reads one.
"""

import csv
import zipfile
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import r_data

from dpmc.datasets import REGISTRY, read
from dpmc.errors import InputError


def triplets(ratings):
    """Return {(user label, item label): value} in the order of the ratings."""
    users, items = ratings.user_labels[ratings.users], ratings.item_labels[ratings.items]
    pairs = zip(users.tolist(), items.tolist(), strict=True)
    return dict(zip(pairs, ratings.values.tolist(), strict=True))


# --- the real files


@pytest.mark.parametrize(
    ("name", "n_users", "n_items", "n_ratings", "density", "mean"),
    [
        # facts: MovieLens README; SweetRS and Restaurant & consumer as counted by the tools of
        # the shell (sort, uniq, wc); Jester from the file's own pointers. Means by awk.
        ("ml-100k", 943, 1682, 100_000, 0.0630, 3.52986),
        ("sweetrs", 1476, 77, 44_493, 0.3915, None),
        ("restaurant", 138, 130, 1_161, 0.0647, (421 + 2 * 486) / 1161),
        ("jester", 5000, 100, 363_209, 0.7264, None),
    ],
)
def test_real_files(name, n_users, n_items, n_ratings, density, mean, mirror):
    dataset = REGISTRY[name]
    ratings = read(dataset, dataset.location(mirror))
    assert (ratings.n_users, ratings.n_items, len(ratings)) == (n_users, n_items, n_ratings)
    assert ratings.density == pytest.approx(density, abs=5e-5)
    assert ratings.name == name
    assert ratings.rating_range == dataset.rating_range
    # contiguous: every user and every item has a rating
    assert np.unique(ratings.users).size == n_users
    assert np.unique(ratings.items).size == n_items
    if mean is not None:
        assert ratings.values.mean() == pytest.approx(mean, rel=1e-12)


def test_sweetrs_drops_repeats_says_so_and_keeps_zeros(mirror, caplog):
    dataset = REGISTRY["sweetrs"]
    path = dataset.location(mirror)
    ratings = read(dataset, path)
    assert "50 of 44543 rows repeat a (user, item) pair" in caplog.text
    with open(path, newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    expected = {(int(user), product.strip()): float(value) for product, user, value in rows}
    assert triplets(ratings) == expected
    assert (ratings.values == 0).sum() == sum(value == 0 for value in expected.values()) > 6000


# --- small files in the exact format


def movielens_rows(n=500, users=50, items=40):
    """Return rows (user, movie, rating, timestamp) as text, with gaps between the labels."""
    rng = np.random.default_rng(7)
    pairs = rng.choice(users * items, size=n, replace=False)
    ratings = rng.integers(1, 11, n) / 2
    return [
        (str(3 * (pair // items) + 1), str(7 * (pair % items) + 2), f"{rating:g}", "1112486027")
        for pair, rating in zip(pairs.tolist(), ratings.tolist(), strict=True)
    ]


def write_tab(path, lines, end="\n"):
    path.write_bytes("".join(line + end for line in lines).encode())


def write_dat(path, lines, end="\n", folder="ml-10M100K"):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr(f"{folder}/README", "read me")
        bundle.writestr(f"{folder}/ratings.dat", "".join(line + end for line in lines))


def write_20m(path, lines, end="\n"):
    header = "userId,movieId,rating,timestamp"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("ml-20m/movies.csv", "movieId,title,genres\n")
        bundle.writestr("ml-20m/ratings.csv", "".join(line + end for line in [header, *lines]))


FORMATS = {
    "ml-100k": (write_tab, "\t", 1),
    "ml-1m": (partial(write_dat, folder="ml-1m"), "::", 1),
    "ml-10m": (write_dat, "::", 1),
    "ml-20m": (write_20m, ",", 2),
}


def dataset_of(name):
    # half stars, as in 10M and 20M, in all formats
    return replace(REGISTRY[name], rating_range=(0.5, 5.0))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_movielens_formats(name, end, tmp_path):
    write, separator, _ = FORMATS[name]
    rows = movielens_rows()
    write(tmp_path / "file", [separator.join(row) for row in rows], end)
    ratings = read(dataset_of(name), tmp_path / "file")
    expected = {(int(user), int(item)): float(rating) for user, item, rating, _ in rows}
    assert list(triplets(ratings).items()) == list(expected.items())
    np.testing.assert_array_equal(ratings.user_labels, sorted({user for user, _ in expected}))
    np.testing.assert_array_equal(ratings.item_labels, sorted({item for _, item in expected}))


BAD_LINES = [
    (("1", "2", "3"), ", line {}: 4 fields are expected"),
    (("1", "2", "nan", "4"), ", line {}: a finite number is expected in the column 'rating'"),
    (("1", "", "3", "4"), "rating number 124: the item is empty"),
    (("1", "2", "0", "4"), "rating number 124 is outside the stated range 0.5 to 5"),
]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(("row", "message"), BAD_LINES, ids=range(len(BAD_LINES)))
def test_malformed_line_is_named(name, row, message, tmp_path):
    write, separator, first = FORMATS[name]
    lines = [separator.join(row) for row in movielens_rows()]
    lines[123] = separator.join(row)
    write(tmp_path / "file", lines)
    with pytest.raises(InputError) as caught:
        read(dataset_of(name), tmp_path / "file")
    assert message.format(123 + first) in str(caught.value)


def test_same_pair_twice(tmp_path, caplog):
    write_tab(tmp_path / "file", ["1\t2\t3\t0", "1\t4\t5\t0", "1\t2\t3\t9", "1\t4\t5\t9"])
    assert len(read(dataset_of("ml-100k"), tmp_path / "file")) == 2
    assert "2 of 4 rows repeat" in caplog.text
    write_tab(tmp_path / "file", ["1\t2\t3\t0", "7\t2\t5\t0", "1\t2\t4\t0"])
    with pytest.raises(InputError, match=r"file: ratings 1 and 3, .* differ; keep one"):
        read(dataset_of("ml-100k"), tmp_path / "file")


@pytest.mark.parametrize("name", ["ml-1m", "ml-10m", "ml-20m"])
def test_broken_archives(name, tmp_path):
    write, separator, _ = FORMATS[name]
    path = tmp_path / "file"
    write(path, [separator.join(row) for row in movielens_rows()])
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match="is not a whole zip archive"):
        read(dataset_of(name), path)


# --- InstEval, bfi, FilmTrust, Last.fm

LECTURES = "rownames,s,d,studage,lectage,service,dept,y\n"
ITEMS = "rownames,A1,A2,gender,education,age\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        (
            "inst-eval",
            LECTURES + "1,1,1002,2,2,0,2,5\n2,1,1002,2,2,1,6,2\n3,7,1050,2,1,0,6,1\n",
            {(1, 1002): 2.0, (7, 1050): 1.0},  # the last mark of a pair
        ),
        (
            "bfi",
            ITEMS + "61617,2,,1,,16\n61618,NA,6,2,3,18\n",
            {(61617, "A1"): 2, (61618, "A2"): 6},
        ),
        ("filmtrust", "1 1 2\n\n1 2 3.5\r\n1 1 4\n", {(1, 1): 4.0, (1, 2): 3.5}),
        ("lastfm", "2\t51\t1000\n2\t52\t1\n3\t51\t300000\n", {(2, 51): 3, (2, 52): 0, (3, 51): 5}),
    ],
)
def test_evaluations(name, content, expected, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content.encode())
    found = {}
    ratings = read(REGISTRY[name], path)
    for user, item, value in zip(ratings.users, ratings.items, ratings.values, strict=True):
        found[ratings.user_labels[user], ratings.item_labels[item]] = value
    assert found == pytest.approx(expected)
    assert ratings.rating_range == REGISTRY[name].rating_range


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("inst-eval", LECTURES + "1,1,1002,2,2,0,2,6\n", "rating number 1 is outside"),
        ("bfi", "rownames,A1\n1,2\n", "not in the form of bfi (its header is another one)"),
        ("bfi", ITEMS + "1,x,3,1,1,1\n", "not in the form of bfi"),
        ("filmtrust", "1 2\n", "line 1: 3 fields are expected"),
    ],
)
def test_evaluations_that_are_wrong(name, content, message, tmp_path):
    path = tmp_path / "file"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read(REGISTRY[name], path)
    assert message in str(caught.value)


# --- SweetRS, Restaurant & consumer


def test_restaurant_labels(tmp_path):
    path = tmp_path / "rating_final.csv"
    path.write_bytes(
        b"userID,placeID,rating,food_rating,service_rating\r\n"
        b"U1077,135085,2,2,2\r\nU1003,20,0,1,1\r\n"
    )
    ratings = read(REGISTRY["restaurant"], path)
    assert triplets(ratings) == {("U1077", 135085): 2.0, ("U1003", 20): 0.0}
    assert ratings.user_labels.tolist() == ["U1003", "U1077"]
    assert ratings.item_labels.tolist() == [20, 135085]


# --- Jester


USERS, JOKES = ["u2", "u7", "u1"], ["j1", "j2"]


def write_jester(path, pointers=(0, 2, 3), rows=(0, 2, 1), values=(-9.9, 0.0, 3.5), **changes):
    slots = {"users": USERS, "items": JOKES, **changes}
    matrix = r_data.sparse(pointers, rows, values, **slots)
    r_data.write(path, Jester5k=r_data.s4("realRatingMatrix", data=matrix))


def test_jester_format(tmp_path):
    write_jester(tmp_path / "small.rda")
    ratings = read(REGISTRY["jester"], tmp_path / "small.rda")
    expected = {("u2", "j1"): -9.9, ("u1", "j1"): 0.0, ("u7", "j2"): 3.5}
    assert triplets(ratings) == expected
    assert ratings.user_labels.tolist() == USERS
    assert ratings.item_labels.tolist() == JOKES


@pytest.mark.parametrize(
    "changes",
    [{"pointers": (0, 4, 3)}, {"rows": (0, 3, 1)}, {"rows": (0, -1, 1)}, {"values": (1.0, 2.0)}],
)
def test_jester_whose_parts_do_not_fit(changes, tmp_path):
    write_jester(tmp_path / "small.rda", **changes)
    with pytest.raises(InputError, match="is not a whole file of Jester 5k"):
        read(REGISTRY["jester"], tmp_path / "small.rda")


def test_files_that_are_not_jester(tmp_path):
    path = tmp_path / "small.rda"
    r_data.write(path, other=r_data.reals([1.0]))
    for content in (b"no R data", b"", path.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(InputError, match="is not a whole file of Jester 5k"):
            read(REGISTRY["jester"], path)

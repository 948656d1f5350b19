"""One odd person moves no release by more than its sensitivity, whichever way ratings come in.

A random odd user is added to a table: labels of any type and in any spelling, extreme ratings, open
quotes, bytes of any encoding. The fit of the table is replayed on the larger table: each query may
change by its sensitivity at most. Or the larger table is refused, for a reason on the list that the
documents give, :data:`REASONS`.
"""

import gzip
import json
import math
import re
from collections import Counter
from contextlib import contextmanager
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dpmc import PrivateFactorization
from dpmc.errors import InputError
from dpmc.privacy.ledger import Ledger
from dpmc.publication.store_building import build

REASONS = {
    "fields": r"\d fields are expected",
    "quote": r"a quote is left open",
    "json": r"one JSON object is expected on each line|the key '(user|item)' is expected",
    "bytes": r"bytes that (cannot be decoded|are not)",
    "rating": r"a finite number is expected",
    "array": r"is a NumPy array of",
    "digits": r"labels as floating-point numbers of \d+ or more",
}
"""What docs/own-ratings.md and docs/troubleshooting.md tell of refused tables."""
ITEMS = [str(number) for number in range(6)]
N_USERS, FIRST_USER = 25, 1000
"""An odd row is one of a user more, so no odd label is one of these users."""
ODD_TEXT = [
    "1", "1.0", "001", " 1", "1 ", "\ufeff1", "\uff11", "x", "", '"', '"1"', "a\nb", "a,b", "1e0",
    "nan", "None", "\ud800", "x" * 2000, "\x00", "\x1f", "e\u0301", "-0", "+1", "0x1",
]  # fmt: skip
ODD_VALUES = [
    None, math.nan, math.inf, 1, 1.0, 1.5, True, 2**53, 2.0**53, 2**64, 10**400, 1e300, -1,
    np.float32(1), np.int8(1), np.str_("1"), b"1", b"\xff", Decimal("1.0"), Decimal("NaN"), 1 + 0j,
    (1, 2), pd.NaT, pd.NA, pd.Timestamp("2020-01-01"), np.datetime64("2020-01-01"), [1], {"a": 1},
]  # fmt: skip
LABELS = (
    st.sampled_from(ODD_TEXT + ODD_VALUES) | st.text(max_size=5) | st.integers() | st.floats()
).filter(lambda label: str(FIRST_USER)[:2] not in str(label))
RATINGS = st.sampled_from([3, 5.0, 1e300, -1e300, -0.0, 4.5, "5", "x", True, None, math.nan, 2**70])
OWN_ITEMS = st.sampled_from([*ITEMS, *map(int, ITEMS), *map(float, ITEMS)]) | LABELS
NUMBERS = st.sampled_from([0, 3, 99])
TEXTS = st.sampled_from([each for each in ODD_TEXT if each != "\ud800"] + ITEMS)


def odd_users(users, items, ratings):
    return st.tuples(users, st.lists(st.tuples(items, ratings), min_size=1, max_size=4))


# columns of one type take the second and the third kind
EXTREME = st.sampled_from([3.0, 1e300, -4.5])
ODD = (
    odd_users(LABELS, OWN_ITEMS, RATINGS)
    | odd_users(NUMBERS | NUMBERS.map(float), NUMBERS, EXTREME)
    | odd_users(TEXTS, TEXTS, EXTREME)
)


def base_rows(user=int, item=int, rating=float):
    """Return a table whose labels have these types, with some ratings missing."""
    rng = np.random.default_rng(3)
    return [
        [user(FIRST_USER + u), item(i), rating(rng.integers(1, 6))]
        for u in range(N_USERS)
        for i in range(6)
        if rng.random() < 0.8
    ]


def with_odd(rows, odd, at):
    label, rated = odd
    at = at % (len(rows) + 1)
    return [*rows[:at], *([label, item, rating] for item, rating in rated), *rows[at:]]


# -- ways in: each makes what `fit` takes of rows; what its own library refuses is no table --------

COLUMNS = ("user", "item", "rating")


def columns_of(rows):
    return {
        name: list(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)
    }


def in_pandas(rows, _):
    return pd.DataFrame(rows, columns=list(COLUMNS))


def in_pandas_columns(rows, _):
    return pd.DataFrame(columns_of(rows))


def in_polars(rows, _):
    return pl.DataFrame(columns_of(rows))


def in_arrow(rows, _):
    return pa.table(columns_of(rows))


def in_parquet(rows, folder):
    parquet.write_table(pa.table(columns_of(rows)), folder / "mine.parquet")
    return str(folder / "mine.parquet")


def in_store(rows, folder):
    table = in_parquet(rows, folder)
    return build(table, folder / f"store{len(list(folder.iterdir()))}", block=20)


def in_json(rows, folder):
    path = folder / "mine.jsonl.gz"
    lines = [json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in rows]
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return str(path)


def in_object_array(rows, _):
    array = np.empty((len(rows), 3), dtype=object)
    for place, row in enumerate(rows):
        for column, value in enumerate(row):
            array[place, column] = value
    return array


def in_sparse(rows, _):
    users, items, ratings = zip(*rows, strict=True)
    return sp.coo_array((ratings, (users, items)))


WAYS = {
    "rows of integers": (lambda rows, _: rows, int, int),
    "rows of floats": (lambda rows, _: rows, float, float),
    "rows of text": (lambda rows, _: rows, str, str),
    "array of integers": (lambda rows, _: np.array(rows), int, int),
    "array of floats": (lambda rows, _: np.array(rows), float, float),
    "array of tuples": (lambda rows, _: np.array([tuple(row) for row in rows]), float, float),
    "array of objects": (in_object_array, float, float),
    "pandas, rows": (in_pandas, float, float),
    "pandas, large integers": (in_pandas_columns, lambda u: u + 2**60, int),
    "pandas, text": (in_pandas_columns, str, str),
    "polars": (in_polars, float, float),
    "polars, text": (in_polars, str, str),
    "Arrow": (in_arrow, int, float),
    "Parquet": (in_parquet, int, float),
    "store": (in_store, int, int),
    "JSON lines": (in_json, int, float),
    "sparse matrix": (in_sparse, int, int),
}


# -- replays ---------------------------------------------------------------------------------------


@contextmanager
def followed(outputs=None):
    """Keep what is asked of a ledger and what it answers, or answer what it did before."""
    seen, release = [], Ledger.release

    def spy(self, what, query, sensitivity, *, weight=1.0):
        noised = release(self, what, query, sensitivity, weight=weight)
        if outputs is not None:
            noised = outputs[len(seen)]
        seen.append((what, np.array(query), sensitivity, noised))
        return noised

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ledger, "release", spy)
        yield seen


def fit(table, method, **options):
    model = PrivateFactorization(
        epsilon=5, delta=1e-6, rating_range=(1, 5), items=ITEMS, method=method, **options
    )
    return model.fit(table)


@pytest.mark.filterwarnings("ignore::UserWarning")
def largest_change(here, there, method="bias", **options):
    """Return the largest change of a query over its sensitivity, the table there replayed."""
    with followed() as first:
        fit(here, method, **options)
    with followed([noised for *_, noised in first]) as second:
        fit(there, method, **options)
    assert [each[0] for each in first] == [each[0] for each in second]
    changes = [
        np.linalg.norm(np.ravel(one[1] - other[1])) / one[2]
        for one, other in zip(first, second, strict=True)
    ]
    return max(changes)


def reason_of(error):
    """Return which of the reasons a refusal is; fail if it is none."""
    found = [name for name, pattern in REASONS.items() if re.search(pattern, str(error))]
    assert found, f"not on the list of reasons: {error}"
    return found[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("odd")


EXACT = 1 + 1e-9


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_odd_user_moves_no_release_by_more_than_its_sensitivity(way, folder):
    make, user, item = WAYS[way]
    rows = base_rows(user, item)
    counts = Counter()

    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    @given(odd=ODD, at=st.integers(0, 200))
    @example(odd=(user(N_USERS), [(item(3), 4.5)]), at=7)
    @example(odd=(1 + 0j, [(item(3), 3)]), at=0)  # which makes a column of pandas complex
    def holds(odd, at):
        try:
            there = make(with_odd(rows, odd, at), folder)
        except InputError as error:  # a store is made by this library
            counts[reason_of(error)] += 1
            return
        except Exception:
            counts["its own library"] += 1
            return
        try:
            assert largest_change(make(rows, folder), there) <= EXACT
            counts["accepted"] += 1
        except InputError as error:
            counts[reason_of(error)] += 1

    holds()
    assert counts["accepted"]


@pytest.mark.parametrize("way", ["rows of floats", "pandas, rows", "Parquet"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_same_of_the_default_method(way, folder):
    make, user, item = WAYS[way]
    rows = base_rows(user, item)
    for odd in (("x", [(1.0, 5)]), (0.0, [(2.0, 1e300)]), (None, [(None, 3), (5, -0.0)])):
        try:
            there = make(with_odd(rows, odd, 7), folder)
        except Exception:
            continue
        assert largest_change(make(rows, folder), there, method="bayes") <= EXACT
    there = make(with_odd(rows, (user(FIRST_USER), [(item(2), 5.0)]), 7), folder)
    replaced = 2 * EXACT  # a row more of a user who is there: that user goes and another comes
    assert largest_change(make(rows, folder), there, method="bayes") <= replaced


ODD_LINES = [
    "x,1,3", '"x,1,3', 'x,"1,3', 'x,1,"3', '"x",1,3', 'x,"1""",3', 'x,1"2,3', '"x" y,1,3', "x,1",
    "x,1,3,4", ",,", "x,1.0,3", " x , 1 ,3", "x,1,", "x,1,1e999", "x,1,0x3", '"', '""', "x,1,3\r",
    "x\r,1,3", "x\x00,1,3", "x,1,3\n\n", "\ufeffx,1,3", "x\x1f,1,3", "x;1;3", "x" * 300 + ",1,3",
    "5,2,1e300", "5,2,-1e300", "5,2,+3", "5,2,.5e1", "1e0,2,3",
]  # fmt: skip
TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
LINES = st.sampled_from(ODD_LINES) | TEXT.map(lambda text: f"{text},1,3")
RAW = LINES.map(str.encode) | st.binary(max_size=12).map(lambda octets: octets + b",1,3")
FORMS = {
    "csv": ("mine.csv", ",", "utf-8", {}),
    "csv, small blocks": ("mine.csv", ",", "utf-8", {}),
    "latin-1": ("mine.csv", ",", "latin-1", {"encoding": "latin-1"}),
    "utf-16": ("mine.csv", ",", "utf-16-le", {"encoding": "utf-16-le"}),
    "blanks": ("mine.txt", "  ", "utf-8", {"separator": "blanks"}),
    "colons": ("mine.txt", "::", "utf-8", {"separator": "::"}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_odd_line_of_a_text_file(form, folder, monkeypatch):
    """As it stands in the file, byte by byte: whole lines of others are as they were."""
    name, separator, encoding, options = FORMS[form]
    if form.endswith("small blocks"):
        monkeypatch.setattr("dpmc.publication.lines.BLOCK", 60)
    header, *rows = [",".join(COLUMNS), *(",".join(map(str, row)) for row in base_rows())]
    path, counts = folder / name, Counter()

    def written(lines):
        path.write_bytes(b"".join(lines))
        return str(path)

    def encoded(line):
        return f"{line.replace(',', separator)}\n".encode(encoding)

    @settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
    @given(raw=st.lists(RAW, min_size=1, max_size=2), at=st.integers(0, 200), end=st.booleans())
    def holds(raw, at, end):
        odd = [line.replace(b",", separator.encode()) + b"\n" * end for line in raw]
        lines = [*map(encoded, (header, *rows))]
        at = 1 + at % len(lines)
        if not end:  # the line goes on in the next one, which is somebody else's
            at = len(lines)
        user = {line.split(separator.encode())[0].strip() for line in odd}
        if len(user) > 1 or any(b"\n" in line[:-1] or b"\r" in line[:-1] for line in odd):
            return  # these are rows of several users
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("warnings.warn", lambda *_, **__: None)
            here = written(lines)
            with followed() as first:
                fit(here, "bias", file_options=options)
            there = written([*lines[:at], *odd, *lines[at:]])
            try:
                with followed([noised for *_, noised in first]) as second:
                    fit(there, "bias", file_options=options)
            except InputError as error:
                counts[reason_of(error)] += 1
                return
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            assert np.linalg.norm(np.ravel(one[1] - other[1])) <= one[2] * EXACT
        counts["accepted"] += 1

    holds()
    assert counts["accepted"]
    assert len(counts) > 1

"""The experiment on features of items, on a small table of films."""

import hashlib
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from dpmc.datasets import read, resolve
from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies import configuration
from dpmc_studies.datasets.download import verify
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.which_model import STUDY
from dpmc_studies.studies.which_model.cells import COLUMNS, FitCell
from dpmc_studies.studies.which_model.experiments import features

HOME = Path(__file__).parents[4]
FILM = "{number}|{title}|{date}||http://x|{flags}\n"


@cache
def section():
    return STUDY.section(configuration.load(HOME / "config" / "config.yaml"))


def films(path, titles, flip=False):
    lines = []
    for number, title in enumerate(titles, start=1):
        flags = ["0"] * 19
        flags[1 + number % 3] = "1"
        if flip and number == 1:
            flags[18] = "1"
        date = "" if number == 3 else f"01-Jan-{1990 + number}"
        given = {"number": number, "title": title, "date": date, "flags": "|".join(flags)}
        lines.append(FILM.format(**given).encode("latin-1"))
    path.write_bytes(b"".join(lines))
    return path


def digest(path):
    rows = [line.split(b"|") for line in path.read_bytes().splitlines()]
    kept = [b"|".join([row[0], row[2], *row[5:]]) + b"\n" for row in rows]
    return hashlib.sha256(b"".join(kept)).hexdigest()


@pytest.fixture
def entry():
    return resolve("ml-100k-films", {})


def test_films_are_a_table_of_years_and_genres(tmp_path, entry):
    table = read(entry, films(tmp_path / "u.item", ["A", "B", "C"]))
    assert table.user_labels.tolist() == [1, 2, 3]
    assert len(table) == 3 * 19 + 2
    known = features.features_of(table)
    assert len(known.names) == 20
    years = known.table[:, known.names.index("year")]
    np.testing.assert_array_equal(years, [1991, 1992, np.nan])
    genres = {name: known.table[:, known.names.index(name)].tolist() for name in known.names}
    assert genres["action"] == [0, 0, 1]
    assert genres["adventure"] == [1, 0, 0]
    assert genres["animation"] == [0, 1, 0]


def test_titles_are_not_checked_and_all_else_is(tmp_path, entry):
    plain, accents = (films(tmp_path / name, [name, "B"]) for name in ("a", "é"))
    known = replace(entry, sha256=digest(plain))
    verify(known, plain)
    verify(known, accents)
    with pytest.raises(InputError, match="SHA-256"):
        verify(known, films(tmp_path / "other", ["a", "B"], flip=True))
    with pytest.raises(InputError, match="SHA-256"):
        verify(known, _write(tmp_path / "short", b"1|a\n"))


def _write(path, content):
    path.write_bytes(content)
    return path


def small_task(tmp_path, variants=features.VARIANTS):
    rng = np.random.default_rng(0)
    users, items = np.divmod(rng.permutation(60 * 30)[:900], 30)
    labels = {"user_labels": np.arange(60), "item_labels": np.arange(1, 31)}
    values = np.clip(np.round(3 + (items % 2) + rng.standard_normal(900)), 1, 5)
    ratings = Ratings(users, items, values, 60, 30, "small", (1.0, 5.0), **labels)
    path = films(tmp_path / "u.item", [str(n) for n in range(30)])
    table = tmp_path / "films.npz"
    read(resolve("ml-100k-films", {}), path).save(table)
    cell = FitCell("ml-100k", "local_bayes", "", 5.0)
    own = features.settings(section(), cell) | {"trials": 2}
    cells = {FitCell("ml-100k", "local_bayes", each, 5.0): own for each in variants}
    return Task(cells, {"features": str(table)}, ratings)


def test_rows_of_the_experiment(tmp_path):
    found = features.run(small_task(tmp_path))
    assert [tuple(row) for row in found] == [COLUMNS] * 6
    assert len({row["rmse"] for row in found}) == 6


def test_variants_share_splits_and_noise(tmp_path):
    """Alone or beside others, a variant has the same numbers."""
    whole = features.run(small_task(tmp_path))
    alone = features.run(small_task(tmp_path, ("features",)))
    kept = [row for row in whole if row["variant"] == "features"]
    assert [row["rmse"] for row in kept] == [row["rmse"] for row in alone]


def test_without_the_table_there_are_no_rows(tmp_path):
    task = small_task(tmp_path)
    (tmp_path / "none.npz").write_bytes(b"")
    empty = Task(task.cells, {"features": str(tmp_path / "none.npz")}, task.ratings)
    assert features.run(empty) == []


def test_shuffled_features_are_those_of_other_items(tmp_path):
    table = read(resolve("ml-100k-films", {}), films(tmp_path / "u", [str(n) for n in range(30)]))
    known = features.features_of(table)
    other = features.shuffled(known, np.random.default_rng(0))
    assert not np.array_equal(other.table, known.table, equal_nan=True)
    for column in range(len(known.names)):
        np.testing.assert_array_equal(
            np.sort(other.table[:, column]), np.sort(known.table[:, column])
        )

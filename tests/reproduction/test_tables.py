import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.files import atomic_path, write_text
from dpmc_studies import tables


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False), max_size=20))
def test_numbers_survive_to_the_last_bit(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("t") / "a.csv"
    tables.write(path, ["x"], [{"x": number} for number in numbers])
    with open(path, newline="") as stream:
        assert [float(row["x"]) for row in csv.DictReader(stream)] == numbers


def test_whole_numbers_and_nothing(tmp_path):
    path = tmp_path / "a.csv"
    tables.write(path, ["x", "y"], [{"x": 2.0, "y": None}, {"x": np.float64(0.5), "y": "a,b"}])
    assert path.read_text() == 'x,y\n2,\n0.5,"a,b"\n'


def test_join(tmp_path):
    for name, value in (("a", 1), ("b", 2)):
        tables.write(tmp_path / name, ["x"], [{"x": value}])
    tables.write(tmp_path / "empty", ["x"], [])
    tables.join(tmp_path / "all", ["x"], [tmp_path / "a", tmp_path / "empty", tmp_path / "b"])
    assert (tmp_path / "all").read_text() == "x\n1\n2\n"
    tables.write(tmp_path / "c", ["z"], [])
    with pytest.raises(ValueError, match="columns z, not x"):
        tables.join(tmp_path / "all", ["x"], [tmp_path / "c"])
    assert (tmp_path / "all").read_text() == "x\n1\n2\n"


def write_half(path):
    with atomic_path(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(RuntimeError):
        write_half(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]

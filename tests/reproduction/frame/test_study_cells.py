"""Cells are formatted and read back, named, and key their random streams."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc_studies.frame.jobs import seeds
from dpmc_studies.frame.jobs.cells import Cell, in_common


@dataclass(frozen=True)
class Fit(Cell):
    """A cell with every kind of field."""

    in_streams: ClassVar = {"method": "solver"}

    method: str
    rank: int
    epsilon: float | None
    inner: int | None = None


words = st.from_regex("[a-z][a-z_-]{0,8}", fullmatch=True)
rounded = st.floats(1e-6, 1e6).map(lambda value: float(format(value, ".12g")))


@settings(deadline=None)
@given(words, st.integers(0, 10**6), st.none() | rounded, st.none() | st.integers(0, 99))
def test_a_formatted_cell_is_read_back(method, rank, epsilon, inner):
    cell = Fit(method, rank, epsilon, inner)
    assert Fit.parse(cell.formatted()) == cell
    assert tuple(cell.formatted()) == tuple(cell.coordinates()) == Fit.names()


def test_whole_numbers_have_no_point_and_none_has_a_word():
    assert list(Fit("als", 5, 10.0, None).formatted().values()) == ["als", "5", "10", "none"]
    # an empty field of a table is none too
    row = {"method": "als", "rank": "5", "epsilon": "", "inner": "2", "trial": "7"}
    assert Fit.parse(row) == Fit("als", 5, None, 2)
    assert Fit("als", 5, None).name == "method=als, rank=5"


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="five"):
        Fit.parse({"method": "als", "rank": "five", "epsilon": "1", "inner": ""})


def test_streams_are_keyed_by_fields_under_their_first_names():
    cell = Fit("als", 5, None)
    whole = {"solver": "als", "rank": 5, "epsilon": None, "inner": None, "trial": 3}
    for ours, key in (
        (cell.stream(7, seeds.NOISE, trial=3), whole),
        (cell.stream(7, seeds.NOISE, "rank", trial=3), {"rank": 5, "trial": 3}),
    ):
        assert ours.random() == seeds.stream(7, seeds.NOISE, key).random()


def test_what_cells_have_in_common():
    cells = {Fit("als", 1, None): {"seed": 1, "trials": 2}, Fit("als", 2, None): {"seed": 1}}
    assert in_common(cells) == {"seed": 1}

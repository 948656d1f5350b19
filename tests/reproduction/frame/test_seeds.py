import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc_studies.frame.jobs.seeds import DATA, NOISE, START, stream

COORDINATES = {"dataset": "synthetic", "rank": 5, "variance": 2.0, "mechanism": "huber", "trial": 3}


def draw(*arguments):
    return stream(*arguments).integers(0, 2**63, size=4).tolist()


def test_same_key_same_stream():
    assert draw(1, NOISE, COORDINATES) == draw(1, NOISE, dict(reversed(COORDINATES.items())))


@pytest.mark.parametrize(
    ("seed", "purpose", "change"),
    [
        (2, NOISE, {}),
        (1, START, {}),
        (1, DATA, {}),
        (1, NOISE, {"trial": 4}),
        (1, NOISE, {"mechanism": "gaussian"}),
        (1, NOISE, {"variance": None}),
    ],
)
def test_any_difference_gives_another_stream(seed, purpose, change):
    assert draw(seed, purpose, COORDINATES | change) != draw(1, NOISE, COORDINATES)


def test_numbers_count_by_value():
    assert draw(1, NOISE, {"variance": 2}) == draw(1, NOISE, {"variance": np.float64(2.0)})


def test_known_answer():
    # a change here changes every number of the project: it must be deliberate
    assert draw(2206, DATA, {"dataset": "synthetic", "rank": 5, "trial": 0}) == [
        8925642330716109179,
        914253951958909555,
        5112794682826476001,
        6144217400836837919,
    ]


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.text(), st.text()), st.dictionaries(st.text(), st.text()))
def test_different_coordinates_never_collide(one, other):
    # texts may hold the separators themselves; 63-bit collisions have probability below 2^-63
    same = draw(0, NOISE, one) == draw(0, NOISE, other)
    assert same == (one == other)

"""What a parameter of a fit can be, up to its ends; what is beyond is refused in a sentence."""

import numpy as np
import pytest

from dpmc.errors import InputError
from dpmc.fitting.checks import (
    LARGEST,
    LARGEST_COUNT,
    SMALLEST_EPSILON,
    checked,
    checked_budget,
    relation_of,
)

GIVEN = {"epsilon": 2.0, "rating_range": (1, 5)}
UP, DOWN = np.inf, -np.inf


def beyond(value, way):
    return float(np.nextafter(value, way))


@pytest.mark.parametrize(
    ("name", "taken", "refused"),
    [
        (
            "epsilon",
            [SMALLEST_EPSILON, 1, np.float32(2), LARGEST],
            [0, -1, beyond(SMALLEST_EPSILON, DOWN), beyond(LARGEST, UP), np.inf, np.nan, "2", True],
        ),
        ("delta", [0, 1e-300, 0.5, beyond(1, DOWN)], [-1e-300, np.nan, np.inf, "1e-5", None]),
        ("ratings_per_user", [1, 50, LARGEST_COUNT], [0, -1, LARGEST_COUNT + 1, 1.5, "3"]),
        (
            "rating_range",
            [(1, 5), (-LARGEST, LARGEST), (0, 1 / LARGEST), [1.0, 2.0]],
            [(1, 1), (5, 1), (-LARGEST, beyond(LARGEST, UP)), (0, beyond(1 / LARGEST, DOWN)),
             (1,), (1, 2, 3), (1, np.nan), (DOWN, 1), "1 5"],
        ),
        ("likes_from", [1, 3.5, 5], [beyond(1, DOWN), beyond(5, UP), np.nan, "3"]),
        ("simulate", [0, 3, np.int64(7)], [-1, 1.5, True, "3"]),
        ("relation", ["user", "user-replace", "entry_add_remove"], ["users", "", 3]),
        ("method", ["bayes", "als"], ["bays", "private_als", 1]),
    ],
)  # fmt: skip
def test_ends_are_taken_and_what_is_beyond_them_is_refused(name, taken, refused):
    more = {"method": "ease", "purpose": "ranking"} if name == "likes_from" else {}
    for value in taken:
        found = checked(GIVEN | more | {name: value})[name]
        if name in ("epsilon", "delta", "simulate", "likes_from", "ratings_per_user"):
            assert found == value
    for value in refused:
        with pytest.raises(InputError) as caught:
            checked(GIVEN | more | {name: value})
        sentence = str(caught.value)
        assert sentence.endswith(".")
        assert "\n" not in sentence


@pytest.mark.parametrize("budget", [(SMALLEST_EPSILON, 0), "10,1e-6", (LARGEST, beyond(1, DOWN))])
def test_a_budget_is_a_pair_or_a_text(budget):
    epsilon, delta = checked_budget(budget)
    pair = budget.split(",") if isinstance(budget, str) else budget
    assert (epsilon, delta) == (float(pair[0]), float(pair[1]))


@pytest.mark.parametrize(
    "budget",
    [
        (0, 0), (beyond(SMALLEST_EPSILON, DOWN), 0), (beyond(LARGEST, UP), 0), (1, 1), (1, -1e-9),
        (np.nan, 0), (1, np.nan), "10", "10,1e-6,3", "10;1e-6", 10, (1, None),
    ],
)  # fmt: skip
def test_any_other_budget_is_refused(budget):
    with pytest.raises(InputError, match="budget must be an epsilon above 0 and a delta of at"):
        checked_budget(budget)


def test_what_goes_together_is_asked_for():
    with pytest.raises(InputError, match="a range read off the data would not be covered"):
        checked({"epsilon": 2.0})
    checked({"epsilon": 2.0, "purpose": "ranking"})
    checked({"epsilon": 2.0, "method": "ease"})
    with pytest.raises(InputError, match="budget is that of a ledger: give its file too"):
        checked(GIVEN | {"budget": "10,1e-6"})
    assert checked(GIVEN | {"budget": "10,1e-6", "ledger": "l"})["budget"] == (10, 1e-6)


def test_relations_have_names_of_one_word():
    assert relation_of("user") == relation_of("user-add-remove") == "user_add_remove"
    assert relation_of("entry") == relation_of("entry_add_remove") == "entry_add_remove"
    with pytest.raises(InputError, match=r"no neighbouring relation 'usr'.*user"):
        relation_of("usr")

"""Parameters of methods: declared by a class once, checked and stored by all methods alike."""

import inspect
from dataclasses import field

import pytest

from dpmc.errors import InputError
from dpmc.methods.base import (
    FactorModel,
    choice,
    count,
    flag,
    positive,
    share,
    with_parameters,
)
from dpmc_studies.methods import METHODS, method_class

SMALL = {
    "relation": "user_add_remove", "epsilon": 1.0, "rating_range": (1, 5), "ratings_per_user": 4,
    "rank": 2, "loss_parameter": 0.5, "row_bound": 2.0, "nuclear_bound": 9.0, "update_bound": 1.0,
    "item_ratings": 7,
}  # fmt: skip


@with_parameters
class Declared(FactorModel):
    rank: int = count()
    size: float | None = positive(None)
    part: float = share(0.5, zero=False)
    kind: str = choice(("one", "two"), "one")
    quick: bool = flag(True)

    def fit(self, ratings, **others):
        return self


@with_parameters
class Derived(Declared):
    penalty: float = positive(0.0, zero=True, infinite=True)
    kind: str = choice(("two", "three"), "three")
    quick: bool = field(default=False, init=False)


@pytest.mark.parametrize(
    ("cls", "given", "sentence"),
    [
        (Declared, {"rank": 0}, "rank must be an integer of at least 1, got 0."),
        (Declared, {"size": 0}, "size must be a number above 0, got 0."),
        (Declared, {"part": 0}, "part must be a number above 0, got 0."),
        (Declared, {"part": 2}, "part must be a share, at most 1, got 2.0."),
        (Declared, {"part": None}, "part must be a number above 0, got None."),
        (Declared, {"kind": "three"}, "kind must be 'one' or 'two', got 'three'."),
        (Declared, {"quick": 2}, "quick must be 'True' or 'False', got 2."),
        (Derived, {"rank": True}, "rank must be an integer of at least 1, got True."),
        (Derived, {"penalty": -1}, "penalty must be at least 0, got -1."),
        (Derived, {"kind": "one"}, "kind must be 'two' or 'three', got 'one'."),
    ],
)
def test_a_value_out_of_range_is_refused(cls, given, sentence):
    with pytest.raises(InputError) as error:
        cls(**({"rank": 1} | given))
    assert str(error.value) == sentence


def test_values_are_stored_as_plain_numbers():
    model = Derived(rank=3, size=2, penalty=float("inf"))
    assert (model.rank, model.size, model.part, model.penalty) == (3, 2.0, 0.5, float("inf"))
    assert isinstance(model.size, float)
    assert (model.kind, model.quick, Declared(rank=1).quick) == ("three", False, True)
    assert Declared(rank=1).size is None


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_of_every_method_is_checked(name):
    known = inspect.signature(method_class(name)).parameters
    settings = {key: value for key, value in SMALL.items() if key in known}
    method_class(name)(**settings)
    for each in known:
        with pytest.raises(InputError, match=f"{each}|no neighbouring relation"):
            method_class(name)(**(settings | {each: ("nonsense",)}))

"""The declared parameters of a fit are those of the class and of the methods."""

import inspect
import pickle
import re

import pytest

from dpmc import PrivateFactorization
from dpmc.errors import InputError, ParameterError
from dpmc.fitting.fit import prepare
from dpmc.fitting.parameters import METHODS, PARAMETERS

EVERY = {"epsilon": 2.0, "rating_range": (1, 5)}
# a value of each that a method may refuse
GIVEN = {
    "ratings_per_user": 7, "rank": 2, "iterations": 2, "factor_bound": 0.5, "residual_bound": 1.5,
    "regularization": 3.0, "user_regularization": 2.0, "shrinkage": 4.0, "report_error": 0.2,
    "item_features": "features.csv", "likes_from": 3.5,
}  # fmt: skip


def test_the_class_has_them_with_their_defaults():
    signature = inspect.signature(PrivateFactorization).parameters
    assert set(signature) == {*PARAMETERS, "columns", "missing", "not_ratings", "file_options"}
    for name, each in PARAMETERS.items():
        default = inspect.Parameter.empty if each.required else each.default
        assert signature[name].default == default, name


def test_the_class_explains_each():
    documented = inspect.getdoc(PrivateFactorization)
    for name, each in inspect.signature(PrivateFactorization).parameters.items():
        ending = ", optional" if each.default is not inspect.Parameter.empty else ""
        assert re.search(rf"^{name} : .+{ending}$", documented, re.MULTILINE), name
    assert "{parameters}" not in documented


@pytest.mark.parametrize("method", METHODS)
def test_a_method_takes_what_is_declared_and_nothing_else(method):
    assert {name for name, each in PARAMETERS.items() if each.methods} == set(GIVEN)
    for name, value in GIVEN.items():
        options = EVERY | {"method": method, name: value}
        if method in PARAMETERS[name].methods:
            model = prepare(options).model
            assert value in vars(model).values() or name == "item_features", name  # of a fit
        else:
            with pytest.raises(InputError, match=f"{name} is an option of the method"):
                prepare(options)


def test_a_refusal_names_parameters_as_its_caller_does():
    error = ParameterError("{rank} is {value!r}: see {0}.", "factor_bound", value="{rank} {0}")
    assert str(error) == "rank is '{rank} {0}': see factor_bound."
    assert error.spelled(str.upper) == "RANK is '{rank} {0}': see FACTOR_BOUND."
    assert isinstance(error, InputError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.spelled(str.upper)) == (str(error), error.spelled(str.upper))

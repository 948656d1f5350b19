"""Mechanisms by name, and plug-in classes."""

import subprocess
import sys

import numpy as np
import pytest

import dpmc.mechanisms
from dpmc.errors import InputError
from dpmc.mechanisms import (
    MECHANISMS,
    Gaussian,
    Huber,
    Laplace,
    make_mechanism,
    mechanism_module,
    register_mechanism,
)


@pytest.fixture
def own_registry(monkeypatch):
    monkeypatch.setattr(dpmc.mechanisms, "MECHANISMS", dict(MECHANISMS))
    monkeypatch.setattr(dpmc.mechanisms, "_registered", {})


class Uniform:
    """The least a plug-in must have."""

    def __init__(self, half_width, bias=0.0):
        self.half_width, self.bias = half_width, bias

    @classmethod
    def from_variance(cls, variance, bias=0.0):
        return cls((3 * variance) ** 0.5, bias)

    def rvs(self, size=None, rng=None):
        return rng.uniform(-self.half_width, self.half_width, size) + self.bias

    def var(self):
        return self.half_width**2 / 3


def test_the_names_and_classes():
    assert make_mechanism("none", None) is None
    assert make_mechanism("none", -3) is None
    assert make_mechanism("gaussian", 4.0) == Gaussian(2.0)
    assert make_mechanism("laplace", 2.0) == Laplace(1.0)
    assert make_mechanism("huber", 1) == Huber(3.0)
    assert make_mechanism("huber", 0.5, scale=0.5) == Huber.from_variance(0.5, scale=0.5)
    for name in MECHANISMS:
        assert make_mechanism(name, 2.5).var() == pytest.approx(2.5, rel=1e-13)


def test_modules_are_imported_when_needed():
    code = (
        "import sys, dpmc.mechanisms as m\n"
        "m.make_mechanism('laplace', 1.0)\n"
        "print('dpmc.mechanisms.huber' in sys.modules, 'numba' in sys.modules)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["False", "False"]


@pytest.mark.usefixtures("own_registry")
def test_a_plug_in_class():
    assert register_mechanism("uniform")(Uniform) is Uniform
    noise = make_mechanism("uniform", 3.0, bias=1.0)
    assert noise.var() == pytest.approx(3.0)
    assert noise.rvs((2, 3), np.random.default_rng(0)).shape == (2, 3)
    assert noise.bias == 1.0
    assert mechanism_module("uniform") == Uniform.__module__
    register_mechanism("uniform")(Uniform)  # a second import of the same file is fine


@pytest.mark.usefixtures("own_registry")
def test_a_plug_in_that_takes_any_option():
    class Any(Uniform):
        @classmethod
        def from_variance(cls, variance, **options):
            return cls(variance, **options)

    register_mechanism("any")(Any)
    assert make_mechanism("any", 1.0, bias=2.0).bias == 2.0


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize("name", ["none", "huber"])
def test_a_taken_name(name):
    with pytest.raises(InputError, match=f"the mechanism name '{name}' is taken; give .*Uniform"):
        register_mechanism(name)(Uniform)


@pytest.mark.usefixtures("own_registry")
def test_a_plug_in_that_lacks_something():
    class Silent:
        def var(self):
            return 0.0

    with pytest.raises(
        InputError, match=r"Silent needs a function from_variance and a function rvs\."
    ):
        register_mechanism("silent")(Silent)


def test_an_unknown_name():
    message = (
        r"unknown mechanism 'hubre' \(did you mean 'huber'\?\); "
        r"the mechanisms are none, gaussian, laplace, huber\."
    )
    with pytest.raises(InputError, match=message):
        make_mechanism("hubre", 1.0)
    with pytest.raises(InputError, match="unknown mechanism"):
        mechanism_module("hubre")


def test_an_unknown_option():
    with pytest.raises(InputError, match=r"'huber' has no option 'scal' \(did you mean 'scale'"):
        make_mechanism("huber", 2.0, scal=1.0)


@pytest.mark.parametrize("variance", [None, 0, -1, float("nan")])
def test_a_bad_variance(variance):
    with pytest.raises(InputError, match="variance must be a positive finite number"):
        make_mechanism("gaussian", variance)

"""Names to classes, plug-ins included."""

import subprocess
import sys

import pytest

from dpmc.errors import InputError
from dpmc.methods import SOLVERS, register_solver, solver_class, solver_module
from dpmc.methods.factorization.als import ALS
from dpmc.methods.factorization.baselines import GlobalMean


@pytest.fixture
def clean_registry(monkeypatch):
    monkeypatch.setattr("dpmc.methods.SOLVERS", dict(SOLVERS))
    monkeypatch.setattr("dpmc.methods._registered", {})


def test_names():
    assert set(SOLVERS) >= {
        "als", "irls", "global_mean", "item_bias", "user_item_bias", "rank_one",
    }  # fmt: skip
    assert solver_class("als") is ALS
    assert solver_module("als") == "dpmc.methods.factorization.als"
    for name in SOLVERS:
        assert solver_class(name).__module__ == solver_module(name)


def test_unknown_name_is_one_sentence_with_the_nearest():
    for function in (solver_class, solver_module):
        with pytest.raises(InputError, match=r"no solver 'item_bais' \(did you mean 'item_bias'"):
            function("item_bais")


@pytest.mark.usefixtures("clean_registry")
def test_plug_in():
    @register_solver("median")
    class Median(GlobalMean):
        pass

    assert solver_class("median") is Median
    assert solver_module("median") == __name__
    register_solver("median")(Median)  # once more does no harm


@pytest.mark.usefixtures("clean_registry")
def test_a_taken_name_and_an_incomplete_class_are_refused():
    with pytest.raises(InputError, match=r"'als' is taken by dpmc\.methods\.\w+\.als:ALS"):
        register_solver("als")(GlobalMean)

    class Nothing:
        def fit(self):
            pass

    with pytest.raises(InputError, match="needs a method predict"):
        register_solver("nothing")(Nothing)


def test_listing_names_imports_no_solver():
    code = (
        "import sys, dpmc.methods as s; s.solver_module('irls');"
        "heavy = ('numba', 'numpy', 'dpmc.methods.factorization.irls');"
        "sys.exit(any(m in sys.modules for m in heavy))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_training_imports_nothing_slow():
    code = (
        "import sys, dpmc.methods as s; [s.solver_class(name) for name in s.SOLVERS];"
        "sys.exit(any(m in sys.modules for m in ('scipy.stats', 'pandas', 'matplotlib')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

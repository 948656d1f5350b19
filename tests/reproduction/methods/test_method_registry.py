"""Names to classes, plug-ins included."""

import inspect
import subprocess
import sys

import pytest

from dpmc.errors import InputError
from dpmc.methods import register_method
from dpmc.methods.private import PrivateMethod
from dpmc_studies.methods import METHODS, PRIVATE, VARIANTS, method_class, method_module, variant
from dpmc_studies.methods.factorization.als import ALS
from dpmc_studies.methods.factorization.baselines import GlobalMean


@pytest.fixture
def clean_registry(monkeypatch):
    monkeypatch.setattr("dpmc.methods.METHODS", dict(METHODS))
    monkeypatch.setattr("dpmc.methods._registered", {})


def test_a_name_means_one_class_and_a_class_has_one_name():
    assert len(set(METHODS.values())) == len(METHODS)
    assert not {*VARIANTS} & {*METHODS}
    private = {name for name in METHODS if issubclass(method_class(name), PrivateMethod)}
    assert private == PRIVATE


def test_a_variant_fixes_settings_of_its_method():
    for name, found in VARIANTS.items():
        assert variant(name) is found
        assert {*found.settings} <= {*inspect.signature(found.factory()).parameters}
        assert found.private == (found.of in PRIVATE)
    plain = variant("als")
    assert (plain.factory(), plain.module, dict(plain.settings)) == (ALS, ALS.__module__, {})


def test_unknown_name_is_one_sentence_with_the_nearest():
    for function in (method_class, method_module):
        with pytest.raises(InputError, match=r"no method 'item_bais' \(did you mean 'item_bias'"):
            function("item_bais")


@pytest.mark.usefixtures("clean_registry")
def test_plug_in():
    @register_method("median")
    class Median(GlobalMean):
        pass

    assert method_class("median") is Median
    assert method_module("median") == __name__
    register_method("median")(Median)  # once more does no harm


@pytest.mark.usefixtures("clean_registry")
def test_a_taken_name_and_an_incomplete_class_are_refused():
    with pytest.raises(InputError, match=r"'als' is taken by dpmc_studies\.methods\.\w+\.als:ALS"):
        register_method("als")(GlobalMean)

    class Nothing:
        def fit(self):
            pass

    with pytest.raises(InputError, match="needs a function predict"):
        register_method("nothing")(Nothing)


def test_listing_names_imports_no_method():
    code = (
        "import sys, dpmc_studies.methods, dpmc.methods as s; s.method_module('irls');"
        "heavy = ('numba', 'numpy', 'dpmc_studies.methods.factorization.irls');"
        "sys.exit(any(m in sys.modules for m in heavy))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

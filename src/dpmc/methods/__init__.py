"""Methods by name.

A method is named by "module:Class" and imported only when it is asked for, so listing names is
cheap. A plug-in file adds methods with the decorator :func:`register_method`. Another package adds
the names of its methods to :data:`METHODS`.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module

from dpmc.errors import InputError, did_you_mean

METHODS: dict[str, str] = {
    "bayesian_als": "dpmc.methods.factorization.bayesian_als:BayesianALS",
    "private_als": "dpmc.methods.factorization.private_als:PrivateALS",
    "private_global_mean": "dpmc.methods.factorization.private_baselines:PrivateGlobalMean",
    "private_item_bias": "dpmc.methods.factorization.private_baselines:PrivateItemBias",
    "private_user_item_bias": "dpmc.methods.factorization.private_baselines:PrivateUserItemBias",
    "local_bayes": "dpmc.methods.user_level.local_bayes.method:LocalBayes",
    "local_ease": "dpmc.methods.user_level.local_ease.method:LocalEase",
}

_registered: dict[str, type] = {}
"""Plug-in classes themselves: their file need not be importable by its module's name."""


def register_method(name: str) -> Callable[[type], type]:
    """Return a class decorator that makes a class known as the method ``name``.

    The class needs a constructor whose arguments can all be given by keyword, ``fit(ratings, *,
    rng, noise_rng=None, callback=None)``, ``predict(users, items)`` and ``predict_matrix()``. A
    class derived from :class:`dpmc.methods.base.Method` has them. A class that lacks one of them,
    or the name of another class, raises InputError.
    """

    def register(cls):
        target = f"{cls.__module__}:{cls.__qualname__}"
        if METHODS.get(name, target) != target:
            raise InputError(
                f"The method name '{name}' is taken by {METHODS[name]}: {target} needs another one."
            )
        for function in ("fit", "predict", "predict_matrix"):
            if not callable(getattr(cls, function, None)):
                raise InputError(f"The method {target} needs a function {function}.")
        METHODS[name] = target
        _registered[name] = cls
        return cls

    return register


def method_class(name: str) -> type:
    """Return the class of a method, or raise InputError if there is none of that name."""
    module, _, attribute = _target(name).partition(":")
    return _registered.get(name) or getattr(import_module(module), attribute)


@cache
def parameters_of(method: type) -> Mapping[str, inspect.Parameter]:
    """Return the constructor's parameters of a method, by name."""
    return inspect.signature(method).parameters


def method_module(name: str) -> str:
    """Return the dotted name of the module that defines a method, without importing it."""
    return _target(name).partition(":")[0]


def method_name(model: object) -> str:
    """Return the name of a method's class, or of the nearest class that it derives from.

    InputError means that none of them has a name.
    """
    names = {target: name for name, target in METHODS.items()}
    for cls in type(model).__mro__:
        name = names.get(f"{cls.__module__}:{cls.__qualname__}")
        if name is not None:
            return name
    raise InputError(f"{type(model).__name__} is no method that has a name.")


def _target(name):
    if name not in METHODS:
        raise InputError(
            f"There is no method '{name}'{did_you_mean(name, METHODS)}; "
            f"the methods are {', '.join(METHODS)}."
        )
    return METHODS[name]

"""Differentially private matrix completion: private models of ratings and their guarantees."""

from importlib import import_module

__version__ = "0.2.0"
__all__ = ["PrivateFactorization", "__version__"]


def __getattr__(name):
    if name == "PrivateFactorization":  # imported when it is used: that takes a while
        return getattr(import_module("dpmc.estimator"), name)
    raise AttributeError(f"module 'dpmc' has no attribute '{name}'")

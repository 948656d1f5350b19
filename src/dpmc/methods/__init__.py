"""Methods by name.

A method is known by "module:Class" and imported when it is asked for, so that listing names
costs nothing. A variant is a method with some settings fixed, so that a name says which they are.
A plug-in file adds its own methods with the decorator :func:`register_method`.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from dpmc.errors import InputError, did_you_mean

METHODS: dict[str, str] = {
    "als": "dpmc.methods.factorization.als:ALS",
    "bayesian_als": "dpmc.methods.factorization.bayesian_als:BayesianALS",
    "irls": "dpmc_studies.methods.factorization.irls:IRLS",
    "global_mean": "dpmc.methods.factorization.baselines:GlobalMean",
    "item_bias": "dpmc.methods.factorization.baselines:ItemBias",
    "user_item_bias": "dpmc.methods.factorization.baselines:UserItemBias",
    "rank_one": "dpmc_studies.methods.factorization.rank_one:RankOne",
    "private_als": "dpmc.methods.factorization.private_als:PrivateALS",
    "private_irls": "dpmc_studies.methods.factorization.private_irls:PrivateIRLS",
    "private_global_mean": "dpmc.methods.factorization.private_baselines:PrivateGlobalMean",
    "private_item_bias": "dpmc.methods.factorization.private_baselines:PrivateItemBias",
    "private_user_item_bias": "dpmc.methods.factorization.private_baselines:PrivateUserItemBias",
    "dpals": "dpmc_studies.methods.user_level.dpals:DPALS",
    "dpals_features": "dpmc_studies.methods.user_level.dpals_features:DPALSWithFeatures",
    "dpfw": "dpmc_studies.methods.user_level.frank_wolfe:PrivateFrankWolfe",
    "dp_altmin": "dpmc_studies.methods.user_level.altmin:DPAltMin",
    "dp_saltls": "dpmc_studies.methods.user_level.saltls:DPSAltLS",
    "dp_svd": "dpmc_studies.methods.user_level.private_svd:PrivateSVD",
    "dp_gradient": "dpmc_studies.methods.user_level.gradient:NoisyGradient",
    "dp_effects": "dpmc_studies.methods.user_level.effects:EffectsAndCovariance",
    "local_bayes": "dpmc.methods.user_level.local_bayes.method:LocalBayes",
    "local_ease": "dpmc.methods.user_level.local_ease.method:LocalEase",
    "centred_als": "dpmc_studies.methods.user_level.als:AlternatingLeastSquares",
    "implicit_als": "dpmc_studies.methods.user_level.als:ImplicitALS",
    "altmin_published": "dpmc_studies.methods.user_level.altmin_as_printed:AltMinAsPrinted",
    "saltls_published": "dpmc_studies.methods.user_level.saltls_as_printed:SAltLSAsPrinted",
    "frank_wolfe": "dpmc_studies.methods.user_level.frank_wolfe:FrankWolfe",
    "svd": "dpmc_studies.methods.user_level.references:TruncatedSVD",
    "svt": "dpmc_studies.methods.user_level.references:SVT",
    "fast_tri": "dpmc_studies.methods.user_level.references:FastTri",
    "popularity": "dpmc_studies.methods.user_level.references:Popularity",
    "trivial": "dpmc_studies.methods.user_level.references:Trivial",
    "user_mean": "dpmc_studies.methods.user_level.references:UserMean",
}

PRIVATE = frozenset(
    {
        "private_als", "private_irls", "private_global_mean", "private_item_bias",
        "private_user_item_bias", "dpals", "dpals_features", "dpfw", "dp_altmin", "dp_saltls",
        "dp_svd", "dp_gradient", "dp_effects", "local_bayes", "local_ease",
    }
)  # fmt: skip
"""Methods that keep to a budget: known without importing them."""


@dataclass(frozen=True)
class Variant:
    """A method with settings that make it what its name says.

    Attributes
    ----------
    of : str
        A key of :data:`METHODS`.
    settings : mapping
        Arguments of its constructor.
    """

    of: str
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def private(self) -> bool:
        """Whether the constructor takes a budget."""
        return self.of in PRIVATE

    @property
    def module(self) -> str:
        """Dotted name of the module that defines the class."""
        return method_module(self.of)

    def factory(self) -> type:
        """Import and return the class."""
        return method_class(self.of)


VARIANTS: Mapping[str, Variant] = {
    # algorithm 1 of Chien et al. to the letter, and the noise of their theorem 1
    "dpals_literal": Variant(
        "dpals", {"literal": True, "resampled": True, "accounting": "published"}
    ),
    "dpals_h_free": Variant("dpals", {"gram": "free"}),
    "dpals_h_free_clipped": Variant("dpals", {"gram": "free"}),  # the experiment gives row_bound
    "dpals_analyze_gauss": Variant("dpals", {"start": "analyze_gauss"}),
    # all ratings take part, those of rare items with more weight
    "dpals_weights": Variant("dpals", {"sampling": "weights"}),
    "dpals_weights_h_free": Variant("dpals", {"sampling": "weights", "gram": "free"}),
    # Wang, Zhao and Kolar (AISTATS 2023) and DPAM (Krichene et al., ICML 2023), both mended
    "dp_gradient_spectral": Variant("dp_gradient", {"start": "analyze_gauss"}),
    "dpam": Variant("dp_gradient", {"start": "normal", "sampling": "weights"}),
    # Curmei et al. (RecSys 2023), and the idea of Krichene et al. (AISTATS 2024), in our forms
    "dp_cmf": Variant("dpals_features", {"sampling": "weights"}),
    "dp_cmf_h_free": Variant("dpals_features", {"gram": "free"}),
    "dp_encoder": Variant("dpals_features", {"feature_model": "encoded", "sampling": "weights"}),
    "dp_encoder_h_free": Variant("dpals_features", {"feature_model": "encoded", "gram": "free"}),
    "dpfw_jain": Variant("dpfw", {"noise": "jain"}),
    "dpfw_residual": Variant("dpfw", {"noise": "residual_clip"}),
}


_registered: dict[str, type] = {}
"""Plug-in classes themselves: their file need not be importable by its module's name."""


def register_method(name: str) -> Callable[[type], type]:
    """Return a class decorator that makes a class known as the method ``name``.

    The class needs a constructor whose arguments can all be given by keyword, ``fit(ratings, *,
    rng, noise_rng=None, callback=None)``, ``predict(users, items)`` and ``predict_matrix()``; to
    derive it from :class:`dpmc.methods.base.Method` is one way to get there.

    Raises
    ------
    InputError
        The name belongs to another class, or the class lacks one of the functions.
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


def variant(name: str) -> Variant:
    """Return what a name stands for: one of :data:`VARIANTS`, or a method and nothing fixed."""
    return VARIANTS.get(name) or Variant(name)


def method_class(name: str) -> type:
    """Return the class of a method.

    Raises
    ------
    InputError
        There is no method of that name.
    """
    module, _, attribute = _target(name).partition(":")
    return _registered.get(name) or getattr(import_module(module), attribute)


@cache
def parameters_of(method: type) -> Mapping[str, inspect.Parameter]:
    """Return what the constructor of a method takes, by name."""
    return inspect.signature(method).parameters


def method_module(name: str) -> str:
    """Return the dotted name of the module that defines a method, without importing it.

    Raises
    ------
    InputError
        There is no method of that name.
    """
    return _target(name).partition(":")[0]


def method_name(model: object) -> str:
    """Return the name of a method's class, or of the nearest class that it derives from.

    Raises
    ------
    InputError
        None of them has a name.
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

"""The methods of the experiments on private factorisation at user level, by name.

Sources: Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating least
squares" (ICML 2021); Jain, Thakkar and Thakurta, "Differentially private matrix completion
revisited" (ICML 2018); McSherry and Mironov (KDD 2009); Hardt, "Understanding alternating
minimization for matrix completion" (FOCS 2014); Hu, Koren and Volinsky (ICDM 2008); Cai, Candes
and Shen, "A singular value thresholding algorithm for matrix completion" (2010).

Naming a method imports nothing: a class is imported when a model of it is made.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from dpmc.errors import InputError

# how ratings reach a method whose own constructor does not choose them, see dpals_trial
PREPARED = {"als": ("item_share",), "als_sampled": ("item_share", "sampling", "ratings_per_user")}


@dataclass(frozen=True)
class Method:
    """How a method is made.

    Attributes
    ----------
    target : str
        "module:Class".
    private : bool
        Whether the constructor takes a budget.
    fixed : mapping
        Settings that make the method what its name says.
    """

    target: str
    private: bool
    fixed: Mapping[str, object] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """Dotted name of the module that defines the class."""
        return self.target.partition(":")[0]

    def factory(self) -> type:
        """Import and return the class."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)


_DPALS = "dpmc.methods.user_level.dpals:DPALS"
_FRANK_WOLFE = "dpmc.methods.user_level.frank_wolfe:PrivateFrankWolfe"
_ALS = "dpmc.methods.user_level.als:AlternatingLeastSquares"

METHODS: Mapping[str, Method] = {
    "trivial": Method("dpmc.methods.user_level.references:Trivial", False),
    "user_mean": Method("dpmc.methods.user_level.references:UserMean", False),
    "popularity": Method("dpmc.methods.user_level.references:Popularity", False),
    "als": Method(_ALS, False),
    "als_sampled": Method(_ALS, False),
    "ials": Method("dpmc.methods.user_level.als:ImplicitALS", False),
    "svd": Method("dpmc.methods.user_level.references:TruncatedSVD", False),
    "svt": Method("dpmc.methods.user_level.references:SVT", False),
    "fast_tri": Method("dpmc.methods.user_level.references:FastTri", False),
    "frank_wolfe": Method("dpmc.methods.user_level.frank_wolfe:FrankWolfe", False),
    "dpals": Method(_DPALS, True),
    # algorithm 1 to the letter, and the noise of theorem 1
    "dpals_literal": Method(
        _DPALS, True, {"literal": True, "resampled": True, "accounting": "published"}
    ),
    "dpals_h_free": Method(_DPALS, True, {"gram": "free"}),
    "dpals_h_free_clipped": Method(_DPALS, True, {"gram": "free"}),
    "dpals_analyze_gauss": Method(_DPALS, True, {"start": "analyze_gauss"}),
    "dpfw": Method(_FRANK_WOLFE, True, {"noise": "exact"}),
    "dpfw_jain": Method(_FRANK_WOLFE, True, {"noise": "jain"}),
    "dpfw_residual": Method(_FRANK_WOLFE, True, {"noise": "residual_clip"}),
    # parts and averages as published, of which nothing is private, so without noise
    "altmin_published": Method("dpmc.methods.user_level.altmin_published:PublishedAltMin", False),
    "saltls_published": Method("dpmc.methods.user_level.saltls_published:PublishedSAltLS", False),
    "dp_altmin": Method("dpmc.methods.user_level.altmin:DPAltMin", True),
    "dp_saltls": Method("dpmc.methods.user_level.saltls:DPSAltLS", True),
    "dp_svd": Method("dpmc.methods.user_level.private_svd:PrivateSVD", True),
    "private_user_item_bias": Method(
        "dpmc.methods.factorization.private_baselines:PrivateUserItemBias", True
    ),
    "private_als": Method("dpmc.methods.factorization.private_als:PrivateALS", True),
    "local_bayes": Method("dpmc.methods.user_level.local_bayes.method:LocalBayes", True),
}
# methods that rank items for users that they were not trained on, and those that do only this
RANKING = ("popularity", "ials", "dpals")
ONLY_RANKING = ("popularity", "ials")
# names of constructor arguments that the experiment itself gives
GIVEN = ("relation", "epsilon", "delta", "mechanism", "rating_range")


@cache
def taken_settings(name: str) -> tuple[str, ...]:
    """Return the settings that a method takes: those of its constructor and of its data."""
    settled = {*METHODS[name].fixed, *GIVEN} - {"relation"}
    parameters = inspect.signature(METHODS[name].factory()).parameters
    own = [each for each in parameters if each not in settled]
    return tuple(dict.fromkeys([*own, *PREPARED.get(name, ())]))


def make_model(
    name: str,
    settings: Mapping[str, object],
    *,
    rating_range: tuple[float, float],
    epsilon: float | None = None,
    delta: float | None = None,
):
    """Construct a model; settings that its constructor does not take are left to the data.

    Parameters
    ----------
    name : str
        Key of :data:`METHODS`.
    settings : mapping
        Hyper-parameters.
    rating_range : (float, float)
        The public range of the ratings.
    epsilon, delta : float, optional
        Budget of a private method, by default for adding or removing a user.

    Raises
    ------
    InputError
        A hyper-parameter that is missing or out of its range, or a budget that cannot be met.
    """
    method = METHODS[name]
    budget = {"relation": "user_add_remove", "epsilon": epsilon, "delta": delta}
    given = {"rating_range": rating_range, "mechanism": "gaussian"}
    given |= (budget if method.private else {}) | dict(settings) | dict(method.fixed)
    parameters = inspect.signature(method.factory()).parameters
    missing = [
        key
        for key, parameter in parameters.items()
        if parameter.default is parameter.empty and key not in given
    ]
    if missing:
        raise InputError(
            f"{name} needs {', '.join(missing)}; add a row to the table of hyper-parameters."
        )
    return method.factory()(**{key: value for key, value in given.items() if key in parameters})

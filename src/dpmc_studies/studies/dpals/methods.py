"""The methods of the experiments on private factorisation at user level, by name.

Sources: [Chien 2021]; [Jain 2018]; McSherry and Mironov (KDD 2009); Hardt, "Understanding
alternating minimization for matrix completion" (FOCS 2014).

Naming a method imports nothing: a class is imported when a model of it is made.
"""

from collections.abc import Mapping
from functools import cache

from dpmc.errors import InputError
from dpmc_studies.methods import Variant, parameters_of, variant

# how ratings reach a method whose own constructor does not choose them, see studies.dpals.trial
PREPARED = {"als": ("item_share",), "als_sampled": ("item_share", "sampling", "ratings_per_user")}
# what results and configuration call otherwise than dpmc.methods does
OWN_NAMES = {"als": "centred_als", "als_sampled": "centred_als"}
METHODS: Mapping[str, Variant] = {
    name: variant(OWN_NAMES.get(name, name))
    for name in (
        "trivial", "user_mean", "popularity", "als", "als_sampled", "frank_wolfe",
        "dpals", "dpals_literal", "dpals_h_free", "dpals_h_free_clipped", "dpals_analyze_gauss",
        "dpfw", "dpfw_jain",
        # parts and averages as published, of which nothing is private, so without noise
        "altmin_published", "saltls_published",
        "dp_altmin", "dp_saltls", "dp_svd", "private_user_item_bias",
    )
}  # fmt: skip
# methods that rank items for users that they were not trained on, and those that do only this
RANKING = ("popularity", "dpals")
ONLY_RANKING = ("popularity",)
# names of constructor arguments that the experiment itself gives
GIVEN = ("relation", "epsilon", "delta", "mechanism", "rating_range")


@cache
def taken_settings(name: str) -> tuple[str, ...]:
    """Return the settings that a method takes: those of its constructor and of its data."""
    settled = {*METHODS[name].settings, *GIVEN} - {"relation"}
    parameters = parameters_of(METHODS[name].factory())
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

    ``name`` is a key of :data:`METHODS`, and ``rating_range`` is public. ``epsilon`` and ``delta``
    are the budget of a private method, by default for adding or removing one user.
    """
    method = METHODS[name]
    budget = {"relation": "user_add_remove", "epsilon": epsilon, "delta": delta}
    given = {"rating_range": rating_range, "mechanism": "gaussian"}
    given |= (budget if method.private else {}) | dict(settings) | dict(method.settings)
    parameters = parameters_of(method.factory())
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

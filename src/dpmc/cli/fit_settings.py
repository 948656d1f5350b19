"""The method of ``dpmc fit``, with defaults that no rating had a part in."""

import math

from dpmc.cli.options import check_between
from dpmc.cli.relation import default_method, defaults_of, relation_of
from dpmc.errors import InputError
from dpmc.methods import method_class
from dpmc.methods.base import check_count, check_positive
from dpmc.methods.private import PrivateMethod, check_range, check_ratings_per_user
from dpmc.privacy.recommendation import mechanism_of
from dpmc.privacy.relations import USER_LEVEL
from dpmc.privacy.selection import Selection
from dpmc.privacy.sensitivity import planned_releases
from dpmc.ratings import Ratings

METHODS = {
    "bayes": "local_bayes",
    "als": "private_als",
    "irls": "private_irls",
    "dpals": "dpals",
    "bias": "private_user_item_bias",
}
LARGEST_COUNT, LARGEST = 10**9, 1e15
"""Products of several such, or of their inverses, are still numbers."""
SMALLEST_EPSILON = 1e-9
COUNTS = ("ratings_per_user", "rank", "iterations", "inner_iterations")
BOUNDS = (
    "factor_bound", "residual_bound", "row_bound", "regularization", "user_regularization",
    "loss_parameter", "shrinkage",
)  # fmt: skip
SHARES = ("items_privately", "report_error")
_OF_ALL = (
    "ratings_per_user", "rank", "iterations", "factor_bound", "residual_bound", "regularization",
    "user_regularization",
)  # fmt: skip
TUNABLE = {
    "bayes": ("ratings_per_user", "report_error"),
    "als": _OF_ALL,
    "irls": (*_OF_ALL, "inner_iterations", "loss_parameter"),
    "dpals": (*_OF_ALL, "gram", "row_bound"),
    "bias": ("ratings_per_user", "shrinkage"),
}
"""Options of each method, as the command names them."""

ROW_SHARE = 0.3
"""Default of dpals's row bound, as a share of the longest that k ratings can be, B sqrt(k)."""
FACTOR_SHARE = 0.05
"""Default of dpals's factor bound, as a share of B: users are longer, so directions count."""


def settings_of(options: dict) -> dict:
    """Return what the method is constructed with; defaults come from public constants alone.

    They did well on synthetic ratings (2,000 to 20,000 users, 300 to 500 items, rank 5, 15 %
    observed), and those of dpals on MovieLens 100K and Jester 5k as well.

    Raises
    ------
    InputError
        No or a wrong rating range, a number far too large or small, or an option that the method
        has no use for.
    """
    if options["rating_range"] is None:
        raise InputError(
            "Give --rating-range LOWEST HIGHEST, the values that a rating can take: a range read "
            "off the data would not be covered by the guarantee."
        )
    low, high = check_range(options["rating_range"])
    _check_sizes(options)
    relation, method = relation_of(options["relation"]), method_of(options)
    settings = {name: options[name] for name in ("epsilon", "delta", "mechanism")}
    settings |= {"relation": relation, "rating_range": (low, high)}
    settings |= _given(options, method)
    half = (high - low) / 2
    if settings["mechanism"] is None:
        settings["mechanism"] = _mechanism(settings, method, options.get("items_privately"))
    if method == "bayes":
        return _of_bayes(settings, options.get("items_privately"))
    if method == "dpals":
        return _of_dpals(settings, half)
    if method == "bias":
        return _of_bias(settings)
    of_users = relation in USER_LEVEL
    defaults = {"rank": 3 if of_users else 1} | defaults_of(relation, method, half)
    if of_users:
        defaults["user_regularization"] = 0.1 * half
    return defaults | settings


def method_of(options: dict) -> str:
    """Return the method that was given, or else the default for what is protected."""
    if options["method"] is not None:
        return options["method"]
    relation = relation_of(options["relation"])
    return default_method(relation, options["mechanism"], options["delta"])


def _mechanism(settings: dict, method: str, share: float | None) -> str:
    """Return what ``dpmc recommend`` says for as many releases; bayes, dpals and a private
    choice of items have Gaussian noise only."""
    if method in ("bayes", "dpals") or share is not None:
        return "gaussian"
    relation, epsilon = settings["relation"], check_positive("epsilon", settings["epsilon"])
    planned = defaults_of(relation, method, 1.0) | settings
    counts = [name for name in ("iterations", "inner_iterations") if name in planned]
    counts = {name: check_count(name, planned[name]) for name in counts}
    releases = planned_releases(relation, **{"iterations": 0} | counts, offset_sides=2)
    per_user = check_ratings_per_user(relation, planned.get("ratings_per_user"))
    return mechanism_of(relation, method, releases, epsilon, settings["delta"], per_user)


def _check_sizes(options: dict) -> None:
    """Refuse numbers so large or small that computing with them would fail half way."""
    check_between("epsilon", options["epsilon"], SMALLEST_EPSILON, LARGEST)
    for name in COUNTS:
        check_between(name, options.get(name), 1, LARGEST_COUNT)
    for name in BOUNDS:
        check_between(name, options.get(name), 1 / LARGEST, LARGEST)
    low, high = options["rating_range"]
    if max(abs(low), abs(high)) > LARGEST or high - low < 1 / LARGEST:
        raise InputError(
            f"--rating-range must lie between -{LARGEST:g} and {LARGEST:g} and be no shorter than "
            f"{1 / LARGEST:g}; got {low!r} {high!r}."
        )


def check_rank(rank: int | None, ratings: Ratings, *, items: bool, users: bool) -> list[str]:
    """Refuse a rank beyond that of any matrix with these lists, where they are public.

    To refuse it for the number of those that are not public would tell that number.

    Without any, a fit is refused for that, or says that it learns nothing.

    Parameters
    ----------
    rank : int or None
        None: it was not given, and the default is small.
    ratings : Ratings
    items, users : bool
        Whether the lists of items and users are public.

    Returns
    -------
    list of str
        What is odd about the rank: not private.

    Raises
    ------
    InputError
        The rank is beyond a public number.
    """
    counts = {"items": (ratings.n_items, items), "users": (ratings.n_users, users)}
    remarks = []
    for what, (count, public) in counts.items():
        if rank is None or count == 0 or rank <= count:
            continue
        if public:
            raise InputError(f"--rank must be at most {count} for {count} {what}, got {rank}.")
        remarks.append(f"the rank {rank} is beyond the number of {what}, {count}")
    return remarks


def _given(options: dict, method: str) -> dict:
    """Return the options that were given, or refuse those of other methods."""
    given = {name: options.get(name) for names in TUNABLE.values() for name in names}
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in TUNABLE[method]:
            owners = " and ".join(each for each, names in TUNABLE.items() if name in names)
            raise InputError(
                f"--{name.replace('_', '-')} is an option of the method {owners} only: give "
                f"--method too, or leave it out of {method}."
            )
    return given


def _of_dpals(settings: dict, half: float) -> dict:
    if settings["relation"] not in USER_LEVEL:
        raise InputError(
            "The method dpals protects users with all of their ratings: give --relation user or "
            "user_replace, or another --method."
        )
    if settings["mechanism"] != "gaussian":
        raise InputError("The method dpals has gaussian noise only: leave out --mechanism.")
    if "ratings_per_user" in settings:  # whose square root is taken below
        check_ratings_per_user(settings["relation"], settings["ratings_per_user"])
    defaults = {"ratings_per_user": 50, "rank": 3, "iterations": 3, "gram": "free"}
    settings = defaults | {"factor_bound": FACTOR_SHARE * half} | settings
    if settings["gram"] == "free" and "regularization" in settings:
        raise InputError(
            "--regularization is of no use without Gram matrices: give --gram noised too."
        )
    if "residual_bound" in settings:
        settings["value_bound"] = settings.pop("residual_bound")
    bound = ROW_SHARE * half * math.sqrt(settings["ratings_per_user"])
    return {"row_bound": bound} | settings


def _of_bayes(settings: dict, share: float | None) -> dict:
    """Return the settings of local Bayes: all ratings count, unless counts choose the items."""
    if settings["relation"] not in USER_LEVEL:
        raise InputError(
            "The method bayes protects users with all of their ratings: give --relation user or "
            "another --method."
        )
    if share is not None:
        settings = {"ratings_per_user": 50} | settings
    if "report_error" in settings:
        settings["held_out"] = settings.pop("report_error")
        if not 0 < settings["held_out"] < 1:
            raise InputError(
                "--report-error must be a share of each user's ratings between 0 and 1, such as "
                f"0.1, got {settings['held_out']!r}."
            )
    return settings


def _of_bias(settings: dict) -> dict:
    """Return the settings of biases alone; nothing but the rating range bounds what they add up."""
    settings = defaults_of(settings["relation"], "bias", 1.0) | settings
    if "shrinkage" in settings:  # users would divide by it
        check_positive("shrinkage", settings["shrinkage"])
    return settings


def selection_of(settings: dict, share: float | None) -> Selection | None:
    """Return the private choice of items that takes a share of the budget; None without one.

    Raises
    ------
    InputError
        A share that is none, noise other than Gaussian, or a relation of single ratings.
    """
    if share is None:
        return None
    if settings["mechanism"] != "gaussian":
        raise InputError("--items-privately needs gaussian noise: leave out --mechanism.")
    if settings["relation"] not in USER_LEVEL:
        raise InputError(
            "--items-privately is for the relations user and user_replace; where single ratings "
            "are protected, give --items FILE."
        )
    return Selection(
        settings["relation"],
        check_ratings_per_user(settings["relation"], settings["ratings_per_user"]),
        check_positive("epsilon", settings["epsilon"]),
        settings["delta"],
        share,
    )


def make_model(method: str, settings: dict, selection: Selection | None = None) -> PrivateMethod:
    """Return the method; regularizations that were not given are in units of its noise.

    Where items are chosen privately, the method gets the budget that this leaves.
    """
    if selection is not None:
        settings = settings | {"epsilon": selection.fit_epsilon, "delta": selection.fit_delta}
    make = method_class(METHODS[method])
    if method == "dpals":
        return _make_dpals(make, settings)
    if method in ("bayes", "bias"):
        return make(**settings)
    model = make(**{"regularization": 1.0, **settings})
    gram = model.bounds.gram() or model.bounds.factor_bound**2
    unit = model.calibration.noise.std() * gram
    model = make(**{"regularization": 8 * unit, "user_regularization": unit, **settings})
    largest = 2 * (settings["rating_range"][1] - settings["rating_range"][0])
    if settings.get("loss_parameter", 0) > largest:
        raise InputError(
            f"--loss-parameter must be at most {largest:g}, twice the range of the ratings: beyond "
            f"it clips nothing; got {settings['loss_parameter']:g}."
        )
    return model


def _make_dpals(make, settings: dict) -> PrivateMethod:
    """Return DPALS, which takes the regularization of items in units of its noise itself."""
    settings = dict(settings)
    regularization = settings.pop("regularization", None)
    model = make(**{"item_regularization": 8.0, **settings})
    if regularization is None:
        return model
    part = model.plan["gram"]
    unit = model.calibration.noise.std() * part.sensitivity * part.weight
    return make(**settings, item_regularization=regularization / unit)

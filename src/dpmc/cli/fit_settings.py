"""The solver of ``dpmc fit``, with defaults that no rating had a part in."""

from dpmc.cli.relation import defaults_of, relation_of
from dpmc.errors import InputError
from dpmc.privacy.relations import USER_LEVEL
from dpmc.solvers import solver_class
from dpmc.solvers.private import PrivateSolver, check_range

SOLVERS = {"als": "private_als", "irls": "private_irls"}
TUNABLE = (
    "ratings_per_user", "rank", "iterations", "inner_iterations", "factor_bound",
    "residual_bound", "regularization", "user_regularization", "loss_parameter",
)  # fmt: skip


def settings_of(options: dict) -> dict:
    """Return what the solver is constructed with; defaults come from public constants alone.

    They did well on synthetic ratings (2,000 to 20,000 users, 300 items, rank 5, 15 % observed).
    """
    if options["rating_range"] is None:
        raise InputError(
            "Give --rating-range LOWEST HIGHEST, the values that a rating can take: a range read "
            "off the data would not be covered by the guarantee."
        )
    low, high = check_range(options["rating_range"])
    relation = relation_of(options["relation"])
    of_users = relation in USER_LEVEL
    irls = options["solver"] == "irls"
    half = (high - low) / 2
    defaults = {"rank": 3 if of_users else 1} | defaults_of(relation, options["solver"], half)
    if of_users:
        defaults["user_regularization"] = 0.1 * half
    given = {name: options[name] for name in TUNABLE}
    for name in ("inner_iterations", "loss_parameter"):
        if not irls and given[name] is not None:
            raise InputError(f"--{name.replace('_', '-')} is an option of the solver irls only.")
    settings = {name: options[name] for name in ("epsilon", "delta", "mechanism")}
    settings |= {"relation": relation, "rating_range": (low, high)}
    settings |= {name: value for name, value in given.items() if value is not None}
    return defaults | settings


def make_model(solver: str, settings: dict) -> PrivateSolver:
    """Return the solver; regularizations that were not given are in units of its noise."""
    make = solver_class(SOLVERS[solver])
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

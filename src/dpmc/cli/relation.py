"""The neighbouring relation as an option of commands, and the defaults that depend on it."""

ALIASES = {"user": "user_add_remove", "entry": "entry_add_remove"}
HELP = (
    "What is protected: user (short for user_add_remove), entry (for entry_add_remove), "
    "user_replace or entry_change."
)


def relation_of(option: str) -> str:
    """Return the relation that an option names; hyphens do for underscores.

    Raises
    ------
    InputError
        An unknown name.
    """
    from dpmc.errors import InputError, did_you_mean
    from dpmc.privacy.relations import RELATIONS

    name = option.replace("-", "_")
    name = ALIASES.get(name, name)
    if name not in RELATIONS:
        known = (*ALIASES, *RELATIONS)
        raise InputError(
            f"There is no neighbouring relation {option!r}{did_you_mean(option, known)}; known are "
            f"{', '.join(known)}."
        )
    return name


def default_method(relation: str, mechanism: str | None, delta: float) -> str:
    """Return the method of ``dpmc fit`` if none is given.

    Parameters
    ----------
    relation : str
        One of :data:`dpmc.privacy.relations.RELATIONS`.
    mechanism : str or None
    delta : float

    Returns
    -------
    {"bayes", "als"}
        "bayes" protects users, with Gaussian noise.
    """
    from dpmc.privacy.relations import USER_LEVEL

    gaussian = mechanism in (None, "gaussian") and delta > 0
    return "bayes" if relation in USER_LEVEL and gaussian else "als"


def defaults_of(relation: str, method: str, half_range: float) -> dict[str, float]:
    """Return what ``dpmc fit`` trains with, and ``dpmc recommend`` plans with, if not told.

    Parameters
    ----------
    relation : str
        One of :data:`dpmc.privacy.relations.RELATIONS`.
    method : {"als", "irls", "bias"}
    half_range : float
        Half the length of the range of the ratings.
    """
    from dpmc.privacy.relations import USER_LEVEL

    of_users = relation in USER_LEVEL
    found = {"ratings_per_user": 50} if of_users else {}
    if method != "bias":
        found["iterations"] = 2 if of_users else 1
    if method == "irls":
        found |= {"inner_iterations": 2, "loss_parameter": 0.4 * half_range}
    return found

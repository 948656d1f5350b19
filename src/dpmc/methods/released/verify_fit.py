"""The guarantee of ``dpmc fit``, recomputed from the stated method and settings."""

from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpmc.errors import InputError
from dpmc.methods import method_class, parameters_of
from dpmc.methods.private import PrivateMethod
from dpmc.methods.released.fit_folder import (
    BUDGET,
    FILES,
    USER_COLUMNS,
    check_written,
    content_of,
)
from dpmc.methods.user_level.local_bayes.worth import Worth
from dpmc.origins import CHOSEN, FROM_FILE, FROM_PROGRAM
from dpmc.privacy import policy
from dpmc.privacy.accounting import spent
from dpmc.privacy.attacker import Attacker, attacker_of
from dpmc.privacy.calibration import Calibration
from dpmc.privacy.guarantee import Guarantee, ItemList, covered
from dpmc.privacy.ledger import FloatNoise
from dpmc.privacy.relations import USER_LEVEL
from dpmc.privacy.release import GridNoise
from dpmc.privacy.selection import Selection
from dpmc.publication.folder import EQUAL, check_list, check_stated, in_order
from dpmc.released import (
    INTEGERS,
    SIMULATED,
    load,
    read_factors,
)

ACCURACY = 1e-5
"""Relative, of an epsilon that is accounted for again."""


@dataclass(frozen=True)
class Account:
    """Consequences of a guarantee's numbers, which determine each other.

    ``small`` is :func:`dpmc.privacy.policy.at_small_delta`. ``content`` is what a folder states,
    without files and versions, in the order in which it is written.
    """

    guarantee: Guarantee
    sentence: str
    attacker: Attacker
    small: float
    content: dict[str, Any]


def account_fit(path: Path, stated: dict) -> Account:
    """Return what follows from a guarantee's numbers, or refuse what does not.

    The method is constructed again from the stated settings. It gives the number of releases, their
    noise and the assumptions; the epsilon of that noise is then computed again.
    """
    claimed = guarantee_in(stated)
    if stated["mechanism"] == "laplace" and claimed.relation in USER_LEVEL:
        raise InputError(f"{path}: no fit that protects users has the stated laplace noise.")
    selection = _selection(path, stated, claimed)
    model = _model(path, stated, selection)
    if (stated["lists"]["users"] is None) != model.bounds.user_level:
        raise InputError(f"{path}: a list of users is stated if and only if users are published.")
    made = model.calibration
    if selection is not None and claimed.listed is not None:
        _check_threshold(path, claimed, selection, model)
    guarantee = replace(
        claimed,
        epsilon=float(claimed.epsilon),
        delta=float(claimed.delta),
        listed=claimed.listed and ItemList(*map(float, astuple(claimed.listed))),
        releases=model.releases,
        accountant=made.accountant,
        publishable=covered(claimed.relation),
        noise_multiplier=made.noise.std(),
    )
    expected = content_of(model, guarantee, _lists(path, stated), {}, _found(path, stated, model))
    expected["sentence"] = stated["sentence"]  # compared where it can be said what it should be
    check_stated(path, stated, expected)
    _check_accounting(path, claimed, made, selection)
    _check_found(path, stated, model)
    _check_files(path, stated, guarantee, model)
    slack = claimed.listed.delta if claimed.listed else 0.0
    releases = model.releases_with(selection)
    budget = claimed.epsilon, claimed.delta, made.noise, releases, claimed.relation
    return Account(
        claimed,
        claimed.sentence(),
        attacker_of(guarantee, made.noise),
        policy.at_small_delta(*budget, slack),
        in_order(stated, expected),
    )


def guarantee_in(stated: dict) -> Guarantee:
    """Return the guarantee that a folder states, as it stands."""
    lists = stated["lists"]
    return Guarantee(
        **{name: stated[name] for name in BUDGET},
        noise_multiplier=stated["noise_multiplier"],
        accountant=stated["accountant"],
        releases=stated["releases"],
        publishable=tuple(stated["publishable"]),
        simulated=stated["simulated"],
        listed=ItemList(**stated["listed"]) if stated["listed"] else None,
        features="item_features" in stated,
        items_from=lists["items"]["origin"],
        users_from=lists["users"]["origin"] if lists["users"] else None,
    )


def _model(path: Path, stated: dict, selection: Selection | None) -> PrivateMethod:
    """Return the method with the stated settings, and the budget that a list leaves it.

    Settings that ``dpmc fit`` has no option for must have their defaults.
    """
    budget = {name: stated[name] for name in BUDGET}
    if selection is not None:
        budget |= {"epsilon": selection.fit_epsilon, "delta": selection.fit_delta}
    try:
        make = method_class(stated["method"])
        fixed = vars(make).get("fixed")
        if not issubclass(make, PrivateMethod) or fixed is None:
            raise InputError(f"{stated['method']} is no method of dpmc fit.")
        model = make(**budget, **stated["constants"])
        if not stated["simulated"]:
            model.check_settings()
    except (TypeError, InputError) as error:
        raise InputError(f"{path}: no method has the stated settings: {error}") from None
    for name in fixed:
        found, default = getattr(model, name), parameters_of(make)[name].default
        if found != default:
            raise InputError(
                f"{path}: constants.{name} is stated as {found!r}, and dpmc fit has {default!r}."
            )
    return model


def _selection(path: Path, stated: dict, guarantee: Guarantee) -> Selection | None:
    """Return the private choice of items, if its noise is what it should be."""
    listed = guarantee.listed
    if (guarantee.items_from == CHOSEN) != (listed is not None):
        raise InputError(f"{path}: it is stated both that the items were chosen privately and not.")
    if listed is None:
        return None
    selection = Selection(
        guarantee.relation,
        stated["constants"].get("ratings_per_user"),
        guarantee.epsilon,
        guarantee.delta,
        listed.share,
    )
    _check_choice(path, "delta", listed.delta, selection.list_delta)
    _check_choice(path, "noise", listed.noise_std, selection.noise_std)
    return selection


def _check_threshold(
    path: Path, guarantee: Guarantee, selection: Selection, model: PrivateMethod
) -> None:
    """Refuse another threshold than :meth:`dpmc.privacy.ledger.Ledger.select` takes."""
    assert guarantee.listed is not None
    noise: GridNoise | FloatNoise = GridNoise(model.calibration.noise)
    if guarantee.simulated:
        noise = FloatNoise(model.calibration.noise, np.random.default_rng(0))
    weight = (selection.share * model.releases_with(selection)) ** -0.5
    scale = selection.sensitivity * weight
    threshold = 1 + noise.upper(selection.probability, scale, selection.changed)
    _check_choice(path, "threshold", guarantee.listed.threshold, threshold)


def _check_choice(path: Path, what: str, found: float, needed: float) -> None:
    if not abs(found - needed) <= EQUAL * needed:
        raise InputError(
            f"{path}: the {what} of the private choice of items is {found:g}, and the stated "
            f"share of the budget needs {needed:g}: the guarantee does not hold."
        )


def _check_accounting(
    path: Path, guarantee: Guarantee, made: Calibration, selection: Selection | None
) -> None:
    """Ask another accountant than calibration whether the noise keeps to the budget."""
    delta, budget = guarantee.delta, guarantee.epsilon
    if selection is not None:
        delta, budget = selection.fit_delta, selection.fit_epsilon
    needed = spent(made.noise, guarantee.releases, delta, guarantee.relation)
    if not needed <= budget * (1 + ACCURACY):
        raise InputError(
            f"{path}: the stated noise gives epsilon {needed:.6g} at delta {delta:g}, not "
            f"{budget:.6g}: the guarantee does not hold."
        )


# -- what a fit alone can tell ----------------------------------------------------------------


def _lists(path: Path, stated: dict) -> dict[str, object]:
    """Return what is stated of the lists, as it is written; they are compared with the files."""

    def written(of: dict) -> dict[str, object]:
        names = ("origin", "count", "sha256", "labels")
        return {name: of[name] for name in names if name in of} | {"count": int(of["count"])}

    items, users = (stated["lists"][what] for what in ("items", "users"))
    if items["labels"] == INTEGERS and items["origin"] not in (FROM_FILE, FROM_PROGRAM):
        raise InputError(f"{path}: only a list that was given can have had integers.")
    return {"items": written(items), "users": users and written(users)}


def _found(path: Path, stated: dict, model: PrivateMethod) -> dict[str, object]:
    """Return what is stated of the fit itself, as it is written, if it is stated where it must."""
    features, worth, outcome = (stated.get(n) for n in ("item_features", "worth", "outcome"))
    if features and not model.takes_features:
        raise InputError(f"{path}: features of items are stated, and the method takes none.")
    if (worth is not None) != model.tells_error:
        raise InputError(f"{path}: an error is stated if and only if ratings were held out.")
    if (outcome is not None) != bool(model.instead):
        raise InputError(f"{path}: an outcome is stated if and only if the method has several.")
    if outcome and outcome.keys() != {"fell_back_to", *model.outcome_counts}:
        raise InputError(f"{path}: steps are stated if and only if the method takes some.")
    if outcome and outcome["fell_back_to"] not in (None, *model.instead):
        raise InputError(f"{path}: this method never falls back to {outcome['fell_back_to']!r}.")
    found: dict[str, object] = {}
    if features:
        names = ("origin", "names", "count", "sha256")
        found["item_features"] = {n: features[n] for n in names} | {"count": int(features["count"])}
    if worth:
        numbers = {name: worth[name] for name in Worth._fields if worth[name] is not None}
        told = numbers.pop("told")
        found["worth"] = {"told": told, "rmse": None, "bias_rmse": None} | {
            name: float(number) for name, number in numbers.items()
        }
    if outcome:
        counts = {name: int(outcome[name]) for name in model.outcome_counts}
        found["outcome"] = {"fell_back_to": outcome["fell_back_to"]} | counts
    return found


def _check_found(path: Path, stated: dict, model: PrivateMethod) -> None:
    """Refuse what no fit can have told of itself."""
    worth, outcome = stated.get("worth"), stated.get("outcome")
    if worth and not model.could_state(worth):
        raise InputError(f"{path}: the stated errors are not what any noised sums tell.")
    problem = model.impossible_outcome(outcome) if outcome else None
    if problem is not None:
        raise InputError(f"{path}: {problem}.")


def _check_files(path: Path, stated: dict, guarantee: Guarantee, model: PrivateMethod) -> None:
    """Check that the files hold what they should, for exactly the lists, and nothing else."""
    lists, prefix = stated["lists"], SIMULATED if guarantee.simulated else ""
    there = {part: path / (prefix + name) for part, name in FILES.items()}
    there = {part: file for part, file in there.items() if file.name in stated["files"]}
    for part, file in there.items():
        if part not in guarantee.publishable:
            raise InputError(f"{file} is not covered by the guarantee.")
    if "item_factors" not in there:
        raise InputError(f"{path} has no {FILES['item_factors']}.")
    file = there["item_factors"]
    check_list(path, "items", _factors(file, model.way.columns, model)[0], lists)
    items = load(path)  # as whoever uses it does
    if "outcome" in stated and items.labels:
        fell_back_to = stated["outcome"]["fell_back_to"]
        if fell_back_to not in model.published_as(items):
            raise InputError(
                f"{path}: the item factors are not those of a fit that fell back to "
                f"{fell_back_to or 'nothing'}."
            )
    _check_possible(file, model.impossible_items(items))
    if "user_factors" not in there:
        return
    file = there["user_factors"]
    users, factors = _factors(file, USER_COLUMNS, model)
    check_list(path, "users", users, lists)
    _check_possible(file, model.impossible_users(factors))


def _check_possible(file: Path, impossible: str | None) -> None:
    if impossible is not None:
        raise InputError(f"{file} holds what no fit with these settings writes: {impossible}.")


def _factors(
    file: Path, names: tuple[str, ...], model: PrivateMethod
) -> tuple[list[str], np.ndarray]:
    """Return labels and numbers of a file of factors, if it is written as ``dpmc fit`` does."""
    labels, table = read_factors(file, names)
    columns, most = table.shape[1] - (len(names) - 1), model.n_factors
    found = 1 <= columns <= most if model.finds_rank else columns == most
    if not found or not np.isfinite(table).all():
        raise InputError(f"{file} holds something else than {most} factors.")
    check_written(file, names, labels, table)
    return labels, table

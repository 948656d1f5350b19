"""The guarantee of ``dpmc fit``, made anew from the method and the settings that it states."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Mechanism
from dpmc.methods import method_class
from dpmc.methods.private import PrivateMethod
from dpmc.methods.released.fit_folder import (
    BUDGET,
    FALLING_BACK,
    FILES,
    USER_COLUMNS,
    check_written,
    described,
    terms,
)
from dpmc.methods.user_level.local_bayes.constants import CREDITED, MOST_STEPS
from dpmc.methods.user_level.local_ease.method import POPULAR_INSTEAD
from dpmc.privacy.accounting import Releases, epsilon
from dpmc.privacy.attacker import Attacker, attacker_of
from dpmc.privacy.guarantee import Guarantee, ItemList, covered
from dpmc.privacy.relations import USER_LEVEL
from dpmc.privacy.selection import Selection
from dpmc.publication.folder import (
    CHOSEN,
    check_list,
    check_pairs,
    check_stated,
    describe_law,
    describe_noise,
)
from dpmc.released import (
    SIMULATED,
    PublishedItems,
    PublishedRanking,
    item_columns,
    load,
    read_factors,
)

ACCURACY = 1e-5
"""Relative, of an epsilon that is accounted for anew."""

EQUAL = 1e-9
"""Relative, of numbers that are the same but for rounding."""


def account_fit(path: Path, stated: dict) -> tuple[str, Attacker]:
    """Return the sentence and the attacker that follow from a guarantee's numbers.

    They must follow from each other. The method is constructed again from the stated settings: it
    says how many releases there are, with what noise, and what is assumed. The epsilon of that
    noise is then accounted for anew.
    """
    guarantee = guarantee_in(stated)
    if stated["mechanism"] == "laplace" and guarantee.relation in USER_LEVEL:
        raise InputError(f"{path}: no fit that protects users has the stated laplace noise.")
    selection = _selection(path, stated, guarantee)
    model = _model(path, stated, selection)
    made = model.calibration
    expected = {
        "releases": model.releases,
        "accountant": made.accountant,
        "publishable": list(covered(guarantee.relation)),
        "noise_multiplier": made.noise.std(),
        "noise": describe_law(made.noise) | {"made_of": describe_noise(guarantee.simulated)},
        **json.loads(json.dumps(terms(model, guarantee))),
    }
    check_stated(path, stated, expected)
    delta, budget = guarantee.delta, guarantee.epsilon
    if selection is not None:
        delta, budget = selection.fit_delta, selection.fit_epsilon
    needed = spent(made.noise, guarantee.releases, delta, guarantee.relation)
    if not needed <= budget * (1 + ACCURACY):
        raise InputError(
            f"{path}: the stated noise gives epsilon {needed:.6g} at delta {delta:g}, not "
            f"{budget:.6g}: the guarantee does not hold."
        )
    worth, (low, high) = stated.get("worth"), model.rating_range
    if (worth is not None) != bool(getattr(model, "held_out", 0)):
        raise InputError(f"{path}: an error is stated if and only if ratings were held out.")
    if worth and not max(worth["rmse"], worth["bias_rmse"]) <= 2 * (high - low):
        raise InputError(f"{path}: the stated error is larger than one can be in that range.")
    outcome = stated.get("outcome")
    if (outcome is not None) != (stated["method"] in FALLING_BACK):
        raise InputError(f"{path}: an outcome is stated if and only if the method has several.")
    if outcome and ("steps_taken_back" in outcome) == model.ranks:
        raise InputError(f"{path}: steps are stated if and only if the method takes some.")
    if outcome and not outcome.get("steps_taken_back", 0) < MOST_STEPS:  # never the first one
        raise InputError(f"{path}: more steps are stated to be taken back than there can be.")
    if guarantee.features and not model.takes_features:
        raise InputError(f"{path}: features of items are stated, and the method takes none.")
    _check_files(path, stated, guarantee, model)
    attacker = attacker_of(guarantee, made.noise)
    derived = json.loads(json.dumps(described(attacker, guarantee, made.noise)))
    check_stated(path, stated, derived)
    return guarantee.sentence(), attacker


def guarantee_in(stated: dict) -> Guarantee:
    """Return the guarantee that a folder states, as it stands."""
    return Guarantee(
        **{name: stated[name] for name in BUDGET},
        noise_multiplier=stated["noise_multiplier"],
        accountant=stated["accountant"],
        releases=stated["releases"],
        publishable=tuple(stated["publishable"]),
        simulated=stated["simulated"],
        listed=ItemList(**stated["listed"]) if stated["listed"] else None,
        features="item_features" in stated,
    )


def _model(path: Path, stated: dict, selection: Selection | None) -> PrivateMethod:
    """Return the method with the stated settings, and the budget that a list leaves it."""
    budget = {name: stated[name] for name in BUDGET}
    if selection is not None:
        budget |= {"epsilon": selection.fit_epsilon, "delta": selection.fit_delta}
    try:
        return method_class(stated["method"])(**budget, **stated["constants"])
    except (TypeError, InputError) as error:
        raise InputError(f"{path}: no method has the stated settings: {error}") from None


def _selection(path: Path, stated: dict, guarantee: Guarantee) -> Selection | None:
    """Return the private choice of items, if its noise and threshold are what they should be."""
    listed = guarantee.listed
    if (stated["lists"]["items"]["origin"] == CHOSEN) != (listed is not None):
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
    threshold = 1 + float(Gaussian(selection.noise_std).isf(selection.probability))
    for what, found, least, room in (
        ("delta", listed.delta, selection.list_delta, 1e-9),
        ("noise", listed.noise_std, selection.noise_std, 1e-9),
        ("threshold", listed.threshold, threshold, 2e-3),  # noise on a grid is larger by 1/1024
    ):
        if not least * (1 - 1e-9) <= found <= least * (1 + room):
            raise InputError(
                f"{path}: the {what} of the private choice of items is {found:g}, and the stated "
                f"share of the budget needs {least:g}: the guarantee does not hold."
            )
    return selection


def spent(noise: Mechanism, releases: int, delta: float, relation: str) -> float:
    """Return the epsilon of a number of releases of sensitivity 1 at ``delta``."""
    if isinstance(noise, Gaussian):
        return noise.epsilon(math.sqrt(releases), delta)
    kind = Releases(noise, 1.0, releases, norm="l1")
    accountants = ("basic",) if delta == 0 else ("basic", "pld")
    return min(
        epsilon(kind, delta, relation=relation, accountant=name).epsilon for name in accountants
    )


def _check_files(path: Path, stated: dict, guarantee: Guarantee, model: PrivateMethod) -> None:
    """Check that the files hold what they should, for exactly the lists, and nothing else."""
    lists, prefix = stated["lists"], SIMULATED if guarantee.simulated else ""
    if (lists["users"] is None) != model.bounds.user_level:
        raise InputError(f"{path}: a list of users is stated if and only if users are published.")
    for part, name in FILES.items():
        if prefix + name in stated["files"] and part not in guarantee.publishable:
            raise InputError(f"{path / (prefix + name)} is not covered by the guarantee.")
    file, columns = path / (prefix + FILES["item_factors"]), item_columns(stated["method"])
    check_list(path, "items", _factors(file, columns, model), lists)
    items = load(path)  # as whoever uses it does
    if "outcome" in stated and items.labels:
        _check_outcome(path, stated["outcome"]["fell_back_to"], items)
    name = prefix + FILES["user_factors"]
    if name in stated["files"]:
        check_list(path, "users", _factors(path / name, USER_COLUMNS, model), lists)
    name = prefix + FILES["predictions"]
    if name in stated["files"]:
        check_pairs(path / name, lists, {"prediction": "float64"})


def _check_outcome(path: Path, fell_back_to: str | None, items: PublishedItems) -> None:
    """Check that a simpler model is published if it is stated, and users' own means only then.

    In both all items have the same and only factor, the user's level. With own means they have one
    offset and one precision, too, by which the mean of all counts as so many ratings.
    """
    if isinstance(items, PublishedRanking):
        _check_fallback(
            path, fell_back_to, {None: items.factors.any(), POPULAR_INSTEAD: _popular(items)}
        )
        return
    level, precisions = items.factors[:, 0], items.precisions
    simple = items.factors.shape[1] == 1 and _same(level)
    means = simple and _same(items.offsets) and _same(precisions)
    means = means and abs(level[0] ** 2 * precisions[0] * CREDITED - 1) <= EQUAL
    found = {None: not means, "biases": simple and not means, "own means": means}
    _check_fallback(path, fell_back_to, found)


def _popular(items: PublishedRanking) -> bool:
    """Return whether it is popularity that is published: one column of zeros, and equal scales."""
    return items.factors.shape[1] == 1 and not items.factors.any() and (items.scales == 1).all()


def _check_fallback(path: Path, fell_back_to: str | None, found: Mapping[str | None, bool]) -> None:
    if not found.get(fell_back_to):
        raise InputError(
            f"{path}: the item factors are not those of a fit that fell back to "
            f"{fell_back_to or 'nothing'}."
        )


def _same(numbers: np.ndarray) -> bool:
    return np.ptp(numbers) <= EQUAL * np.abs(numbers).max()


def _factors(file: Path, names: tuple[str, ...], model: PrivateMethod) -> list[str]:
    labels, table = read_factors(file, names)
    columns, most = table.shape[1] - (len(names) - 1), model.n_factors
    found = 1 <= columns <= most if model.finds_rank else columns == most
    if not found or not np.isfinite(table).all():
        raise InputError(f"{file} holds something else than {most} factors.")
    check_written(file, names, labels, table)
    return labels

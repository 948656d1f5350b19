"""The folder that ``dpmc fit`` writes and ``dpmc complete`` reads."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms import Mechanism
from dpmc.methods import method_name, parameters_of
from dpmc.methods.private import EVERY_RATING, PrivateMethod
from dpmc.methods.user_level.local_bayes.worth import AT_LEAST
from dpmc.origins import CHOSEN, FROM_PROGRAM, assumed
from dpmc.privacy.attacker import Attacker, attacker_of, event_of
from dpmc.privacy.guarantee import Guarantee
from dpmc.privacy.relations import USER_LEVEL
from dpmc.privacy.sums import MOST_USERS
from dpmc.publication.folder import (
    TABLE,
    describe_law,
    describe_list,
    describe_noise,
    whole_folder,
    write_guarantee,
)
from dpmc.released import GUARANTEE, INTEGERS, ITEM_FACTORS, SIMULATED, TEXT

FORMAT = "dpmc-fit-2"
FILES = {
    "item_factors": ITEM_FACTORS,
    "user_factors": "user_factors.csv",
}
USER_COLUMNS = ("user",)
"""Of the file of user factors, before the factors."""
BUDGET = ("relation", "epsilon", "delta", "mechanism")
"""Settings of a method that are not among the constants of a guarantee, but beside them."""
FROM_MECHANISM = ("norm",)
"""Settings that follow from the mechanism in each fit for publication: nothing states them."""


def write(
    path: Path,
    model: PrivateMethod,
    parts: tuple[str, ...],
    notes: Mapping[str, object],
    *,
    origins: Mapping[str, str] | None = None,
    integers: bool = False,
) -> list[str]:
    """Write a fitted model, whole or not at all, and return the names of the files.

    The guarantee covers everything in the folder that is computed from the ratings. At user level
    this is the factors and offsets of the items, and their list if it was chosen privately. The
    ratings must have labels. ``parts`` are keys of :data:`FILES` and include the item factors.
    ``notes`` are further public entries of the guarantee. ``origins`` names the sources of the
    lists "items" and "users" (:func:`with_origins`). ``integers``: whether the list of items had
    integers; recommendations are then integers, too.
    """
    guarantee = with_origins(model.guarantee_, origins or {})
    prefix = SIMULATED if guarantee.simulated else ""
    for part in parts:
        if part not in guarantee.publishable:
            guarantee.require(part)
    found: dict[str, object] = {}
    if guarantee.features:
        found["item_features"] = model.item_features_.described()
    if model.tells_error:
        found["worth"] = model.worth_._asdict()
    if model.instead:
        found["outcome"] = model.outcome()
    content = content_of(model, guarantee, _lists(model, guarantee, integers), notes, found)
    with whole_folder(path) as folder:
        for part in parts:
            _WRITERS[part](folder / (prefix + FILES[part]), model)
        write_guarantee(folder, prefix + GUARANTEE, content)
    return [prefix + FILES[part] for part in parts] + [prefix + GUARANTEE]


def with_origins(guarantee: Guarantee, origins: Mapping[str, str]) -> Guarantee:
    """Return a guarantee that says where the lists are from: by default, from a program.

    ``origins`` has "items" and "users" -> such as :data:`dpmc.origins.FROM_FILE`.
    """
    items = CHOSEN if guarantee.listed else origins.get("items", FROM_PROGRAM)
    users = None if guarantee.relation in USER_LEVEL else origins.get("users", FROM_PROGRAM)
    return replace(guarantee, items_from=items, users_from=users)


def content_of(
    model: PrivateMethod,
    guarantee: Guarantee,
    lists: Mapping[str, object],
    notes: Mapping[str, object],
    found: Mapping[str, object],
) -> dict[str, object]:
    """Return the content that a folder states, except files and versions, in the file's order.

    ``lists`` are the lists' origins and digests. ``found`` is what only a fit can tell, by name:
    features of items, its error, and its outcome. Everything else follows from the settings.
    """
    noise = model.calibration.noise
    return {
        "format": FORMAT,
        **guarantee.as_dict(),
        **described(attacker_of(guarantee, noise), guarantee, noise),
        "noise": describe_law(noise) | {"made_of": describe_noise(guarantee.simulated)},
        "lists": lists,
        **notes,
        **terms(model, guarantee),
        **found,
    }


def described(attacker: Attacker, guarantee: Guarantee, noise: Mechanism) -> dict[str, object]:
    """Return the consequences of a guarantee and its noise at sensitivity 1, for other programs."""
    return {"attacker": asdict(attacker), "event": event_of(guarantee, noise)}


def worth_in_words(
    told: str,
    rmse: float | None,
    bias_rmse: float | None,
    rmse_deviation: float,
    bias_rmse_deviation: float,
    difference_deviation: float,
) -> str:
    """Return in words the released errors of the model and of biases."""
    if rmse is None or bias_rmse is None:
        return (
            f"cannot be told: noise alone amounts to {rmse_deviation:.2g}. A larger epsilon or "
            "more users make it smaller"
        )
    least = f"{told} " if told == AT_LEAST else ""
    said = (
        f"{least}{rmse:.4g} (deviation {rmse_deviation:.2g}) on ratings held out, {least}"
        f"{bias_rmse:.4g} (deviation {bias_rmse_deviation:.2g}) by biases: "
        f"{bias_rmse - rmse:.2g} (deviation {difference_deviation:.2g}) gained"
    )
    return f"{said}, as far as large errors of users count" if least else said


def terms(model: PrivateMethod, guarantee: Guarantee) -> dict[str, object]:
    """Return the terms of a guarantee that depend only on the method and its settings.

    ``method`` and ``constants`` are enough to construct the method again; the rest follows from it.
    """
    return {
        "method": method_name(model),
        "constants": {name: getattr(model, name) for name in _constants(type(model))},
        "assumed_public": assumed_public(model, guarantee),
        "key": describe_key(model, guarantee),
        "prediction": model.way.sentence,
    }


@cache
def _constants(method: type) -> list[str]:
    """Return the names of a method's settings, those that have to be given first."""
    parameters = parameters_of(method).values()
    needed_first = sorted(parameters, key=lambda each: each.default is not each.empty)
    return [each.name for each in needed_first if each.name not in (*BUDGET, *FROM_MECHANISM)]


def assumed_public(model: PrivateMethod, guarantee: Guarantee) -> dict[str, str]:
    """Return what the guarantee takes for known, in words: nothing else may depend on a person."""
    users = not model.bounds.user_level
    public = {
        "rating_range": model.ratings_in_words(),
        "constants": "relation, epsilon, delta, method, mechanism and every number under constants "
        "were chosen without the ratings",
        "table": TABLE,
        "sizes": f"there are at most {MOST_USERS} {'ratings' if users else 'users'}",
    }
    if not guarantee.listed:
        public["items"] = assumed("items", guarantee.items_from)
    if guarantee.features:
        public["item_features"] = "the features of items, known without the ratings"
    if users:
        public["users"] = assumed("users", guarantee.users_from)
    elif model.ratings_per_user < EVERY_RATING:
        public["ratings_per_user"] = (
            f"that {model.ratings_per_user} ratings of a user count, whoever the users are"
        )
    if model.bounds.counts_are_public:
        public["pairs"] = "which user rated which item"
    return public


def describe_key(model: PrivateMethod, guarantee: Guarantee) -> str | None:
    """Return in words how the ratings of a user that count were chosen; None if all count."""
    if not model.bounds.user_level:
        return None
    if model.ratings_per_user == EVERY_RATING and not model.share_apart:
        return None
    if guarantee.simulated:
        return "simulated: a user's ratings that count were chosen by a seeded generator"
    return (
        "a user's ratings that count were chosen by BLAKE2 of the user's own label and the item, "
        "with 256 random bits of the operating system as key, which were used for this fit alone "
        "and kept nowhere; the guarantee would hold even if they were known"
    )


def _lists(model: PrivateMethod, guarantee: Guarantee, integers: bool) -> dict[str, object]:
    users, labels = None, {"labels": INTEGERS if integers else TEXT}
    if not model.bounds.user_level:
        users = describe_list(model.user_labels_, guarantee.users_from)
    items = describe_list(model.item_labels_, guarantee.items_from) | labels
    return {"items": items, "users": users}


def _write_items(path, model):
    columns = model.way.columns
    before = [getattr(model, f"item_{column}s_") for column in columns[1:]]
    table = np.column_stack([*before, model.item_factors_])
    _write_factors(path, columns, model.item_labels_, table)


def _write_users(path, model):
    _write_factors(path, USER_COLUMNS, model.user_labels_, model.user_factors_)


def _write_factors(path, names, labels, table):
    with open(path, "w", newline="", encoding="utf-8") as stream:
        stream.writelines(_lines(names, labels.tolist(), table))


def _lines(names, labels, table) -> Iterator[str]:
    """Yield the lines of a file of factors, in the one way that they are written."""
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    factors = [f"factor_{k + 1}" for k in range(table.shape[1] + 1 - len(names))]
    writer.writerow([*names, *factors])
    for label, row in zip(labels, table.tolist(), strict=True):
        yield line.getvalue()
        line.seek(0)
        line.truncate()
        writer.writerow([label, *map(repr, row)])
    yield line.getvalue()


def check_written(path: Path, names: tuple[str, ...], labels: list[str], table: np.ndarray) -> None:
    """Refuse a file of factors whose bytes are not those that its labels and numbers give.

    Extra digits of a number, or unneeded quotes and blanks, could carry information that no
    guarantee covers. Names, labels and table are as in :func:`read_factors`.
    """
    with open(path, newline="", encoding="utf-8") as stream:
        if stream.read() != "".join(_lines(names, labels, table)):
            raise InputError(f"{path} is not written as dpmc fit writes labels and numbers.")


_WRITERS = {
    "item_factors": _write_items,
    "user_factors": _write_users,
}

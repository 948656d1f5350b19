"""The folder that ``dpmc fit`` writes and ``dpmc complete`` reads."""

import csv
import json
from pathlib import Path

import numpy as np

from dpmc.cli.output import GUARANTEE, SIMULATED, whole_folder, write_guarantee, write_pairs
from dpmc.errors import InputError
from dpmc.privacy.relations import ENTRY_CHANGE, USER_LEVEL
from dpmc.ratings import Ratings
from dpmc.solvers.local import PublishedItems
from dpmc.solvers.private import PrivateSolver

FILES = {
    "item_factors": "item_factors.csv",
    "user_factors": "user_factors.csv",
    "predictions": "predictions.parquet",
}
CONSTANTS = (
    "rating_range", "ratings_per_user", "rank", "iterations", "inner_iterations", "factor_bound",
    "residual_bound", "regularization", "user_regularization", "loss_parameter", "offsets", "start",
    "value_bound", "row_bound", "gram", "item_regularization", "centring",
)  # fmt: skip
"""Settings of a solver: public, the guarantee rests on them or they are needed to use factors."""


def write(
    path: Path,
    model: PrivateSolver,
    ratings: Ratings,
    parts: tuple[str, ...],
    notes: dict[str, object],
) -> list[str]:
    """Write a fitted model, whole or not at all, and return the names of the files.

    Parameters
    ----------
    path : Path
        The folder.
    model : PrivateSolver
        Fitted to ``ratings``.
    ratings : Ratings
        For its labels only.
    parts : tuple of str
        Keys of :data:`FILES`; always with the item factors.
    notes : dict
        Further public entries of the guarantee file.

    Raises
    ------
    InputError
        A part that the guarantee does not cover.
    """
    guarantee = model.guarantee_
    prefix = SIMULATED if guarantee.simulated else ""
    for part in parts:
        if part not in guarantee.publishable:
            guarantee.require(part)
    with whole_folder(path) as folder:
        for part in parts:
            _WRITERS[part](folder / (prefix + FILES[part]), model, ratings)
        content = {
            **guarantee.as_dict(),
            **_terms(model),
            **notes,
            "constants": {name: getattr(model, name) for name in CONSTANTS if hasattr(model, name)},
        }
        write_guarantee(folder / (prefix + GUARANTEE), content)
    return [prefix + FILES[part] for part in parts] + [prefix + GUARANTEE]


def assumed_public(relation: str) -> list[str]:
    """Return what the guarantee takes for known, in words."""
    assumed = ["every number under constants", "the list of items"]
    if relation not in USER_LEVEL:
        assumed.append("the list of users")
    if relation == ENTRY_CHANGE:
        assumed.append("which user rated which item")
    return assumed


def _terms(model: PrivateSolver) -> dict[str, object]:
    """What the guarantee takes for granted, and how to use the factors."""
    regression = (
        "clipped to the rating range; a user's factors are (V^T V + user_regularization I)^-1 "
        "V^T y, V the factors of the items that the user rated and y the ratings less"
    )
    if getattr(model, "centring", None) == "user":
        prediction = (
            f"mean of the user's ratings + user factors . item factors, {regression} their mean"
        )
    else:
        prediction = (
            f"item offset + user factors . item factors, {regression} the items' offsets, clipped "
            "to half the range"
        )
    return {"assumed_public": assumed_public(model.relation), "prediction": prediction}


def _write_items(path, model, ratings):
    table = np.column_stack([model.item_offsets_, model.item_factors_])
    _write_factors(path, ["item", "offset"], ratings.item_labels, table)


def _write_users(path, model, ratings):
    _write_factors(path, ["user"], ratings.user_labels, model.user_factors_)


def _write_factors(path, names, labels, table):
    factors = [f"factor_{k + 1}" for k in range(table.shape[1] + 1 - len(names))]
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names + factors)
        for label, row in zip(labels.tolist(), table.tolist(), strict=True):
            writer.writerow([label, *map(repr, row)])


def _write_predictions(path, model, ratings):
    columns = {"prediction": "float64"}
    write_pairs(path, ratings, columns, lambda users, items: [model.predict(users, items)])


_WRITERS = {
    "item_factors": _write_items,
    "user_factors": _write_users,
    "predictions": _write_predictions,
}


def read_published(path: Path) -> PublishedItems:
    """Read the item factors and constants of a folder that ``dpmc fit`` wrote.

    Raises
    ------
    InputError
        There are no such files, or they are not in the format.
    """
    prefix = SIMULATED if (path / (SIMULATED + GUARANTEE)).exists() else ""
    table = path / (prefix + FILES["item_factors"])
    try:
        constants = json.loads((path / (prefix + GUARANTEE)).read_text("utf-8"))["constants"]
        with open(table, newline="", encoding="utf-8") as stream:
            _, *rows = csv.reader(stream)
        return PublishedItems(
            [row[0] for row in rows],
            np.array([float(row[1]) for row in rows]),
            np.array([[float(x) for x in row[2:]] for row in rows]),
            tuple(constants["rating_range"]),
            constants["user_regularization"],
            constants.get("centring") == "user",
        )
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(f"{path} holds no output of dpmc fit ({error}).") from None

"""The guarantee of ``dpmc onebit``, made anew from the settings that it states."""

import math
import zipfile
from pathlib import Path

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.onebit.guarantee import guarantee_of
from dpmc.methods.onebit.links import link_of
from dpmc.methods.onebit.noise import Facts
from dpmc.methods.onebit.solve import Ball
from dpmc.methods.released.onebit_folder import (
    ASSUMED_PUBLIC,
    COLUMNS,
    FACTORS,
    PREDICTION,
    TABLES,
    describe_signs,
    entry_bound,
    radius,
)
from dpmc.privacy.attacker import Attacker, attacker_within
from dpmc.publication.folder import SIMULATED, check_list, check_pairs, check_stated

ARRAYS = {"user_factors", "item_factors", "user_labels", "item_labels"}


def account_onebit(path: Path, stated: dict) -> tuple[str, Attacker]:
    """Return the sentence and the attacker that follow from a guarantee's numbers.

    They must follow from each other. The guarantee is in the format ``dpmc-onebit-1``. How many
    ratings the user with most of them has cannot be seen from outside.
    """
    constants, lists, simulated = stated["constants"], stated["lists"], stated["simulated"]
    shape = lists["users"]["count"], lists["items"]["count"]
    expected = {
        "mechanism": stated["mechanism"],
        "epsilon": stated["claimed_epsilon"],
        "delta": stated["claimed_delta"],
        "tau": radius(shape, constants["rank"], constants["alpha"]),
        "entry_bound": entry_bound(constants),
    }
    check_stated(path, constants, expected)
    most = constants["most_ratings_of_a_user"]
    if not 1 <= most <= shape[1]:
        raise InputError(f"{path}: a user cannot have {most} ratings of {shape[1]} items.")
    alpha = constants["alpha"]
    ball = Ball(constants["tau"], alpha if constants["constraint"] == "both" else None)
    guarantee = guarantee_of(
        stated["mechanism"],
        Facts(link_of(constants["link"]), ball, alpha, shape, most),
        stated["claimed_epsilon"],
        delta=stated["claimed_delta"] or None,
        simulated=simulated,
    )
    if not (simulated or guarantee.holds):
        raise InputError(
            f"{path}: {stated['mechanism']} does not keep what it claims, so its noise is "
            "simulated, which this folder denies."
        )
    names = ("actual_epsilon", "actual_delta", "user_epsilon", "user_delta", "note")
    proven = {name: getattr(guarantee, name) for name in names}
    proven = {name: "infinite" if each == math.inf else each for name, each in proven.items()}
    of_words = {"noise": describe_signs(stated["mechanism"], simulated), "prediction": PREDICTION}
    check_stated(path, stated, proven | of_words | {"assumed_public": ASSUMED_PUBLIC})
    _check_files(path, stated, shape, constants["rank"])
    attacker = attacker_within(guarantee.actual_epsilon, guarantee.actual_delta)
    return guarantee.sentence(), attacker


def _check_files(path: Path, stated: dict, shape: tuple[int, int], rank: int) -> None:
    prefix = SIMULATED if stated["simulated"] else ""
    factors = path / (prefix + FACTORS)
    try:
        with np.load(factors, allow_pickle=False) as stored:
            found = dict(stored)
    except OSError as error:
        raise InputError(f"{factors} cannot be read: {error.strerror or error}.") from None
    except (ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{factors} holds no factors ({error}).") from None
    shapes = {f"{what}_factors": (n, rank) for what, n in zip(("user", "item"), shape, strict=True)}
    if found.keys() != ARRAYS or not all(
        found[name].dtype == np.float64
        and found[name].shape == size
        and np.isfinite(found[name]).all()
        for name, size in shapes.items()
    ):
        raise InputError(f"{factors} holds something else than factors of rank {rank} and labels.")
    for what in ("items", "users"):
        check_list(path, what, found[f"{what[:-1]}_labels"].ravel().tolist(), stated["lists"])
    tables = [prefix + name for name in TABLES if prefix + name in stated["files"]]
    if len(tables) != 1:
        raise InputError(f"{path} holds {len(tables)} tables of predictions, not one.")
    check_pairs(path / tables[0], stated["lists"], COLUMNS)

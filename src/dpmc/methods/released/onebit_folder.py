"""The folder that ``dpmc onebit`` writes."""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dpmc import ties
from dpmc.methods.onebit.guarantee import INP
from dpmc.methods.onebit.noise import OUTPUT
from dpmc.methods.onebit.private import Completion, Problem
from dpmc.methods.onebit.projection import singular_pairs
from dpmc.publication.folder import (
    GUARANTEE,
    SIMULATED,
    TABLE,
    describe_list,
    describe_noise,
    whole_folder,
    write_guarantee,
    write_pairs,
)

FORMAT = "dpmc-onebit-1"
FACTORS = "factors.npz"
TABLES = ("predictions.csv", "predictions.parquet")
FILES = (FACTORS, *TABLES)
MOST_ROWS = 1_000_000
"""Of predictions as CSV, about 60 MB; more are written as Parquet."""
COLUMNS = {"sign": "int8", "probability": "float64", "probability_truncated": "float64"}
PREDICTION = (
    "sign (0 where undecided) and probability of +1, h(x), are those of the completed matrix; "
    "probability_truncated is that of the nearest matrix of the rank below, whose factors are in "
    "the .npz file: nearer to the truth where the noise is strong, further from it where the truth "
    "has more factors. h is the link, x clipped to +-entry_bound if that is a number"
)
ASSUMED_PUBLIC = {
    "constants": "every number under constants was chosen without the ratings",
    "table": TABLE,
    "items": "the list of items, known without the ratings",
    "users": "the list of users, known without the ratings",
    "pairs": "which user rated which item",
}


def factorise(matrix: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Return U (users x rank) and V (items x rank), U V^T the nearest matrix of that rank.

    Column k of both has the norm sqrt(s_k), s_k the k-th singular value.
    """
    if matrix.shape[0] > matrix.shape[1]:
        items, users = factorise(matrix.T, rank)
        return users, items
    values, vectors = singular_pairs(matrix)
    root, basis = np.sqrt(values[:rank]), vectors[:, :rank]
    return basis * root, matrix.T @ basis / np.where(root > 0, root, 1.0)


def write(
    path: Path,
    completion: Completion,
    problem: Problem,
    settings: dict,
    *,
    origins: Mapping[str, str] | None = None,
) -> list[str]:
    """Write a completed matrix, whole or not at all, and return the names of the files.

    All that is written of the matrix is computed from the completion's ``matrix``, which the
    guarantee covers; how it was solved is not covered, and not written. The problem, which was
    solved, gives labels and bounds, and the settings are public: what
    :func:`dpmc.fitting.onebit.settings_of` returned. Origins are those of
    :func:`dpmc.methods.released.fit_folder.write`.
    """
    guarantee = completion.guarantee
    prefix = SIMULATED if guarantee.simulated else ""
    table = TABLES[completion.matrix.size > MOST_ROWS]
    factors = factorise(completion.matrix, settings["rank"])
    bound = entry_bound(settings)
    signs, origins = problem.signs, dict(origins or {})
    content = {
        "format": FORMAT,
        **_plain(guarantee.as_dict()),
        "noise": describe_signs(settings["mechanism"], guarantee.simulated),
        "lists": {
            "items": describe_list(signs.item_labels, origins.get("items")),
            "users": describe_list(signs.user_labels, origins.get("users")),
        },
        "assumed_public": ASSUMED_PUBLIC,
        "prediction": PREDICTION,
        "constants": settings
        | {"tau": problem.ball.tau, "entry_bound": bound}
        | {"most_ratings_of_a_user": problem.facts.most_ratings},
    }
    with whole_folder(path) as folder:
        _write_factors(folder / (prefix + FACTORS), *factors, signs)
        _write_table(folder / (prefix + table), completion.matrix, *factors, problem, bound)
        write_guarantee(folder, prefix + GUARANTEE, content)
    return [prefix + name for name in (FACTORS, table, GUARANTEE)]


def entry_bound(settings: dict) -> float | None:
    """Return what entries are clipped to before a probability is made of them, None if nothing.

    Truncation and noise leave the box that the solver, or the noise on its output, kept to.
    """
    boxed = settings["constraint"] == "both" or settings["mechanism"] in OUTPUT
    return settings["alpha"] if boxed else None


def radius(shape: tuple[int, int], rank: int, alpha: float) -> float:
    """Return tau = alpha sqrt(users items rank), the bound on the nuclear norm."""
    return alpha * math.sqrt(shape[0] * shape[1] * rank)


def describe_signs(mechanism: str, simulated: bool) -> str:
    """Return in words what hides the signs."""
    if mechanism == INP and not simulated:
        return "exact: probabilities of flips without rounding, random bits of the operating system"
    return describe_noise(simulated)


def _write_factors(path, users, items, signs):
    labels = {"user_labels": signs.user_labels, "item_labels": signs.item_labels}
    labels = {name: np.array(each.tolist()) for name, each in labels.items()}  # no objects
    with open(path, "wb") as stream:
        np.savez(stream, user_factors=users, item_factors=items, **labels)


def _write_table(path, matrix, users, items, problem, bound):
    limit = np.inf if bound is None else bound
    tie = ties.margin(matrix)

    def predict(rows, columns):
        completed = matrix[rows, columns]
        truncated = np.einsum("nk,nk->n", users[rows], items[columns])
        probabilities = [
            problem.link.cdf(np.clip(entries, -limit, limit)) for entries in (completed, truncated)
        ]
        return [ties.signs(completed, tie).astype(np.int8), *probabilities]

    labels = problem.signs.user_labels, problem.signs.item_labels
    write_pairs(path, *labels, COLUMNS, predict)


def _plain(values: dict[str, object]) -> dict[str, object]:
    """Spell what JSON has no number for: a loss without bound."""
    unbounded = [name for name, value in values.items() if value == math.inf]
    return values | dict.fromkeys(unbounded, "infinite")

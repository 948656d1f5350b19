"""Low-rank matrices with a random set of observed entries (paper, section 4, synthetic data)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpmc.errors import InputError
from dpmc.files import atomic_path, reading_npz
from dpmc.ratings import Ratings


@dataclass(frozen=True, eq=False)
class SyntheticInstance:
    """A known matrix M = scale * P Q^T and its observed entries.

    Attributes
    ----------
    user_factors : float64 array P, shape (n_users, rank)
    item_factors : float64 array Q, shape (n_items, rank)
        ``scale`` is folded into P.
    observed : Ratings
        The entries of M that a method sees, without noise.
    """

    user_factors: np.ndarray
    item_factors: np.ndarray
    observed: Ratings

    def matrix(self) -> np.ndarray:
        """Return M, shape (n_users, n_items)."""
        return self.user_factors @ self.item_factors.T

    def unobserved(self) -> np.ndarray:
        """Return which entries of M are not observed: a mask, shape (n_users, n_items)."""
        hidden = np.ones((self.observed.n_users, self.observed.n_items), dtype=bool)
        hidden[self.observed.users, self.observed.items] = False
        return hidden


def generate(
    rng: np.random.Generator,
    *,
    users: int,
    items: int,
    rank: int,
    observed_fraction: float,
    scale: float = 1.0,
) -> SyntheticInstance:
    """Draw M = scale * P Q^T, P and Q iid U(0, 1), and observe each entry with a probability.

    The papers state neither the size of the matrices nor the distribution of the factors. The
    defaults of the configuration (100 x 500, scale 1) fit their reported errors best (see
    ``benchmarks/forensics.py``).

    Parameters
    ----------
    rng : numpy.random.Generator
        Factors are drawn first, then one uniform number for each entry, so a larger
        ``observed_fraction`` with the same stream observes a superset.
    users, items, rank : int
        Shape and rank of M, all at least 1.
    observed_fraction : float
        Probability that an entry is observed, 0 < observed_fraction <= 1.
    scale : float
        Positive factor in front of M.

    Raises
    ------
    InputError
        A parameter out of its range.
    """
    for name, value in (("users", users), ("items", items), ("rank", rank)):
        if value < 1:
            raise InputError(f"{name} must be at least 1, got {value}.")
    if not 0 < observed_fraction <= 1:
        raise InputError(
            f"observed_fraction must be above 0 and at most 1, got {observed_fraction:g}."
        )
    if not (np.isfinite(scale) and scale > 0):
        raise InputError(f"scale must be a positive number, got {scale}.")
    user_factors = scale * rng.random((users, rank))
    item_factors = rng.random((items, rank))
    mask = rng.random((users, items)) < observed_fraction
    rows, columns = np.nonzero(mask)
    # einsum, not BLAS: the same bits on every CPU
    values = np.einsum("nr,nr->n", user_factors[rows], item_factors[columns])
    observed = Ratings(rows, columns, values, users, items, name="synthetic")
    return SyntheticInstance(user_factors, item_factors, observed)


def save_instances(path: str | Path, instances: Sequence[SyntheticInstance]) -> None:
    """Write instances of one shape to an .npz file, whole or not at all."""
    fields = {}
    for number, instance in enumerate(instances):
        fields[f"user_factors_{number}"] = instance.user_factors
        fields[f"item_factors_{number}"] = instance.item_factors
        fields[f"users_{number}"] = instance.observed.users
        fields[f"items_{number}"] = instance.observed.items
        fields[f"values_{number}"] = instance.observed.values
    with atomic_path(path) as temporary, open(temporary, "wb") as stream:
        np.savez(stream, count=np.array(len(instances)), **fields)


def load_instances(path: str | Path) -> list[SyntheticInstance]:
    """Read what :func:`save_instances` wrote."""
    with reading_npz(path), np.load(path) as stored:
        return [_load_instance(stored, number) for number in range(int(stored["count"]))]


def _load_instance(stored, number: int) -> SyntheticInstance:
    user_factors = stored[f"user_factors_{number}"]
    item_factors = stored[f"item_factors_{number}"]
    observed = Ratings(
        stored[f"users_{number}"],
        stored[f"items_{number}"],
        stored[f"values_{number}"],
        len(user_factors),
        len(item_factors),
        name="synthetic",
    )
    return SyntheticInstance(user_factors, item_factors, observed)

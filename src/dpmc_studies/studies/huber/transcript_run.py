"""One run of the published algorithms with all that it released, and its exact privacy losses.

Source of the algorithms: [Gowtham 2022], algorithms 1 to 3.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc.ratings import Compressed, Ratings
from dpmc_studies.frame.jobs.seeds import NOISE, START
from dpmc_studies.methods.factorization.alternating import AlternatingMethod
from dpmc_studies.methods.kernels.regressions import Regressions
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.transcript_kernels import add_losses
from dpmc_studies.studies.huber.trial import SHARED, fit


class Run(NamedTuple):
    """One fit with noise and what its releases were made from."""

    ratings: Ratings
    model: AlternatingMethod
    user_factors: np.ndarray  # shape (iterations, n_users, rank)
    item_factors: np.ndarray  # shape (iterations + 1, n_items, rank), the start V_0 first
    starts: np.ndarray  # theta_0 of A-IRLS by iteration; ALS has no use for it
    noise: np.ndarray  # t on the right-hand sides, shape (iterations, steps, n_items, rank)


class Changes(NamedTuple):
    """Neighbouring data sets, in each of which one rating has another value."""

    index: np.ndarray  # which rating
    values: np.ndarray  # its value there


def far_changes(
    ratings: Ratings, limits: tuple[float, float], count: int, rng: np.random.Generator
) -> Changes:
    """Choose ratings at random; each moves to the end of the range that is far from it."""
    index = rng.choice(len(ratings), count, replace=False)
    low, high = limits
    return Changes(index, np.where(ratings.values[index] > (low + high) / 2, low, high))


def record(cell: Cell, settings: Mapping, trial: int, ratings: Ratings) -> Run:
    """Repeat the fit of a trial, with its random streams, and keep all releases.

    The method of the cell is "als" or "irls", and the mechanism is one of the papers'. ``settings``
    are the settings of the cell, and ``ratings`` is the training data of the trial.
    """
    users, items = [], []

    def keep(_iteration, model):
        users.append(model.user_factors_)
        items.append(model.item_factors_)

    model, _ = fit(cell, settings, trial, ratings, keep)
    rng = cell.stream(settings["seed"], START, *SHARED, trial=trial)
    drawn = (rng.standard_normal if model.start == "normal" else rng.random)(
        (model.iterations + 1, *items[0].shape)
    )
    noise_rng = cell.stream(settings["seed"], NOISE, trial=trial)
    size = (model.iterations, cell.irls_iterations or 1, *items[0].shape)
    noise = model.mechanism.rvs(size=size, rng=noise_rng)
    rows = np.stack(users), np.stack([drawn[0], *items])
    return Run(ratings, model, *rows, drawn[1:], noise)


def privacy_losses(run: Run, changes: Changes) -> np.ndarray:
    """Return log p(releases) on the data of a run minus that on neighbouring data, by change.

    RuntimeError if the item rows along which the losses were computed are not those that the run
    released.
    """
    model, by_item = run.model, run.ratings.by_item
    shape, scale = density(model.mechanism)
    moved, pairs = _moved(run.ratings, changes)
    moved_users = Regressions(moved, model.rank, model.regularization)
    losses, solution = np.zeros(changes.index.size), np.zeros(run.item_factors.shape[1:])
    for iteration in range(model.iterations):
        moved_rows = moved_users.solve(run.item_factors[iteration])
        add_losses(
            (by_item.indptr, by_item.indices, by_item.values), pairs,
            run.user_factors[iteration], moved_rows,
            run.starts[iteration], run.noise[iteration], getattr(model, "threshold", math.inf),
            model.regularization, shape, scale, losses, solution,
        )  # fmt: skip
        released = run.item_factors[iteration + 1]
        if not np.allclose(solution, released, rtol=1e-6, atol=1e-6 * np.abs(released).max()):
            raise RuntimeError(f"these are not the item rows of iteration {iteration + 1}")
    return losses


def density(mechanism: Gaussian | Huber | Laplace) -> tuple[float, float]:
    """Return shape and scale for :func:`dpmc_studies.studies.huber.transcript_kernels.cost`."""
    if isinstance(mechanism, Huber):
        return mechanism.a, mechanism.scale
    return {Gaussian: math.inf, Laplace: 0.0}[type(mechanism)], mechanism.scale


def _moved(ratings: Ratings, changes: Changes):
    """Return the rows of the users whose rating changes: by neighbour, and as pairs of items."""
    by_user = ratings.by_user
    users, items = ratings.users[changes.index], ratings.items[changes.index]
    counts = by_user.sizes[users]
    indptr = np.concatenate([[0], np.cumsum(counts)])
    neighbour = np.repeat(np.arange(users.size), counts)
    inside = np.arange(indptr[-1]) - indptr[neighbour]
    source = by_user.indptr[users][neighbour] + inside
    indices, values = by_user.indices[source], by_user.values[source]
    moved = np.where(indices == items[neighbour], changes.values[neighbour], values)
    order = np.argsort(indices, kind="stable")
    firsts = np.concatenate([[0], np.cumsum(np.bincount(indices, minlength=ratings.n_items))])
    pairs = (firsts, neighbour[order], users[neighbour][order], values[order], moved[order])
    return Compressed(indptr, indices, moved), pairs

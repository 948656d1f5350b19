"""Errata about the method: sensitivity, objective, where noise goes, starting values.

The small runs behind the evidence have the synthetic size and settings of the configuration's
defaults and a seed of their own, so that the page does not depend on a run.
"""

import math

import numpy as np

from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.frame.judging.finding import NOT_AVAILABLE
from dpmc.frame.showing.erratum import Evidence
from dpmc.mechanisms.huber import Huber
from dpmc.statistics.tests import Interval, mean_interval
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.errata.sources import Sources
from dpmc.studies.huber.trial import fit, run_cell, synthetic_instance

SETTINGS = {
    "seed": 1,
    "trials": 5,
    "users": 100,
    "items": 500,
    "scale": 1.0,
    "regularization": 0.5,
    "iterations": 50,
    "start": "normal",
    "loss_parameter": "noise",
    "residual_scale": 1.0,
}
LARGEST_RANK = 20
METHODS = (("als", None), ("irls", 20))
REGRESSIONS, INNER_STEPS = 500, 20


def sensitivity(sources: Sources) -> Evidence:
    """One number for every data set, and nothing that bounds what is noised."""
    cell = Cell(SYNTHETIC, LARGEST_RANK, None, 0.15, "als", "none", None)
    instance = synthetic_instance(cell.coordinates(), SETTINGS, 0)
    spread = float(np.ptp(instance.matrix()))
    model, _ = fit(cell, SETTINGS, 0, instance.observed)
    factors = np.abs(model.user_factors_)
    numbers = {
        "synthetic_range": spread,
        "l1": spread * float(factors.sum(axis=1).max()),
        "l2": spread * float(np.sqrt(np.square(factors).sum(axis=1)).max()),
    }
    stated = []
    for dataset, label in (("sweetrs", "SweetRS"), ("ml-100k", "MovieLens 100K")):
        if dataset in sources.ratings:
            values = sources.ratings[dataset].values
            numbers[f"{dataset}_range"] = float(np.ptp(values))
            stated.append(f"{np.ptp(values):g} on {label} ({values.min():g} to {values.max():g})")
        else:
            stated.append(f"{NOT_AVAILABLE} on {label}")
    return Evidence(
        numbers, ranges=", ".join(stated), synthetic_range=spread, largest_rank=LARGEST_RANK
    )


def regularization(sources: Sources) -> Evidence:
    """The algorithm minimises another objective than the one reported."""
    weight = 0.5
    rng = np.random.default_rng(1)
    factors, values = rng.standard_normal((40, 5)), 3 * rng.standard_normal(40)
    theta = np.zeros(5)
    for _ in range(500):
        weights = np.minimum(1.0, 1.0 / np.maximum(np.abs(values - factors @ theta), 1e-300))
        gram = (factors.T * weights) @ factors + weight * np.eye(5)
        theta = np.linalg.solve(gram, factors.T @ (weights * values))
    pull = factors.T @ np.clip(values - factors @ theta, -1.0, 1.0)
    numbers = {
        "gradient": float(np.abs(weight * theta - pull).max()),
        "published_gradient": float(np.abs(2 * weight * theta - pull).max()),
    }
    return Evidence(numbers)


def noise_in_the_sum(sources: Sources) -> Evidence:
    """Noise once an item, not once a rating."""
    numbers, factors = {}, []
    for fraction in (0.05, 0.10, 0.15):
        shared = {"rank": 5, "observed_fraction": fraction}
        observed = synthetic_instance(shared, SETTINGS, 0).observed
        numbers[f"factor_{fraction:g}"] = factor = len(observed) / observed.n_items
        factors.append(f"{factor:.1f} on synthetic data at {fraction:.0%} observed")
    if "ml-100k" in sources.ratings:
        ratings = sources.ratings["ml-100k"]
        numbers["factor_ml-100k"] = factor = 0.8 * len(ratings) / ratings.n_items
        factors.append(f"{factor:.1f} on MovieLens 100K")
    return Evidence(numbers, factors=", ".join(factors))


def unstated_start(sources: Sources) -> Evidence:
    """The law of the first factors is not stated; paper and thesis start theta differently."""
    als = Cell(SYNTHETIC, LARGEST_RANK, None, 0.1, "als", "none", None)
    paper, thesis = (
        Cell(SYNTHETIC, LARGEST_RANK, None, 0.1, "irls", "none", inner) for inner in (20, 10)
    )
    start = log_ratio(errors(als, start="uniform"), errors(als))
    inner = log_ratio(errors(thesis), errors(paper))
    return Evidence(
        {"start": start.estimate, "inner": inner.estimate},
        largest_rank=LARGEST_RANK,
        trials=SETTINGS["trials"],
        start=formatted(start),
        inner=formatted(inner),
    )


def gradient(sources: Sources) -> Evidence:
    """The gradient of section 3.2 lacks a transpose."""
    rng = np.random.default_rng(1)
    items, theta, values = (rng.standard_normal(shape) for shape in ((40, 5), 5, 40))
    residuals = values - items @ theta
    weighted = np.clip(residuals, -1, 1)  # W r

    def objective(point: np.ndarray) -> float:
        size = np.abs(values - items @ point)
        return float(np.where(size <= 1, size**2 / 2, size - 0.5).sum() + point @ point / 4)

    step = 1e-6
    differences = [
        (objective(theta + step * unit) - objective(theta - step * unit)) / (2 * step)
        for unit in np.eye(5)
    ]
    right = -items.T @ weighted + theta / 2
    numbers = {"difference": float(np.abs(right - differences).max())}
    return Evidence(numbers)


def identical_noise(sources: Sources) -> Evidence:
    """Chien et al. put noise on the Gram matrices too."""
    cell = Cell(SYNTHETIC, 5, 2.0, 0.1, "als", "huber", None)
    observed = synthetic_instance(cell.coordinates(), SETTINGS, 0).observed
    model, _ = fit(cell, SETTINGS, 0, observed)
    users = model.user_factors_[observed.users]
    size = np.abs(users).sum(axis=1)
    predicted = np.abs((users * model.item_factors_[observed.items]).sum(axis=1))
    numbers = {
        "gram": float((size * predicted).max()),
        "right_side": float((size * np.abs(observed.values)).max()),
    }
    return Evidence(numbers)


def noise_in_ratings(sources: Sources) -> Evidence:
    """Huber's loss is the likelihood of noise in ratings; the noise is added to their sums."""
    noise = Huber.from_variance(2.0)
    rng = np.random.default_rng(1)
    squares = {place: {"plain": [], "robust": []} for place in ("ratings", "sums")}
    for _ in range(REGRESSIONS):
        users, theta = rng.standard_normal((40, 5)), rng.standard_normal(5)
        values = users @ theta
        found = {
            "ratings": (values + noise.rvs(40, rng), np.zeros(5)),
            "sums": (values, noise.rvs(5, rng)),
        }
        for place, (targets, added) in found.items():
            plain = robust = np.linalg.solve(users.T @ users, users.T @ targets + added)
            for _ in range(INNER_STEPS):
                residuals = np.abs(targets - users @ robust)
                weights = np.minimum(1.0, noise.a / np.maximum(residuals, 1e-300))
                weighted = users.T * weights
                robust = np.linalg.solve(weighted @ users, weighted @ targets + added)
            for name, estimate in (("plain", plain), ("robust", robust)):
                squares[place][name].append(np.square(estimate - theta).sum())
    numbers = {
        place: float(np.mean(each["robust"]) / np.mean(each["plain"]) - 1)
        for place, each in squares.items()
    }
    cells = [Cell(SYNTHETIC, 5, 2.0, 0.1, method, "huber", inner) for method, inner in METHODS]
    change = log_ratio(errors(cells[1]), errors(cells[0]))
    return Evidence(
        numbers | {"change": change.estimate},
        change=formatted(change),
        regressions=REGRESSIONS,
        trials=SETTINGS["trials"],
    )


def residual_scale(sources: Sources) -> Evidence:
    """Scaled residuals in the text, unscaled ones in the algorithm."""
    cell = Cell(SYNTHETIC, 5, 2.0, 0.1, "irls", "huber", 20)
    scale = math.sqrt(cell.variance)
    change = log_ratio(errors(cell, residual_scale=scale), errors(cell))
    return Evidence(
        {"change": change.estimate},
        change=formatted(change),
        scale=scale,
        trials=SETTINGS["trials"],
    )


def errors(cell: Cell, **change: object) -> np.ndarray:
    """Return RMSE by trial with the settings of this module, some of them changed."""
    return np.array([row["rmse_all"] for row in run_cell(cell, SETTINGS | change)])


def log_ratio(first: np.ndarray, second: np.ndarray) -> Interval:
    """Return the mean log ratio of errors, paired by trial."""
    return mean_interval(np.log(first / second))


def formatted(change: Interval) -> str:
    """Write a change with its standard error."""
    return f"{change.estimate:+.2g} ± {change.standard_error:.1g}"

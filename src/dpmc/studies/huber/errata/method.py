"""Errata about the method: sensitivity, objective, weights, where noise goes, starting values.

The small runs behind the evidence have the synthetic size and settings of the configuration's
defaults and a seed of their own, so that the page does not depend on a run.
"""

import math

import numpy as np

from dpmc.statistics.tests import Interval, mean_interval
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.errata.sources import Sources
from dpmc.studies.huber.trial import fit, run_cell, synthetic_instance
from dpmc.study.cells import SYNTHETIC
from dpmc.study.erratum import CHANGES_CONCLUSION, UNSTATED, WITHOUT_CONSEQUENCE, Erratum
from dpmc.study.finding import NOT_AVAILABLE

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


def sensitivity(name: str, sources: Sources) -> Erratum:
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
    return Erratum(
        name,
        "A sensitivity of 5 for every data set",
        CHANGES_CONCLUSION,
        "Paper, sections 2.2 and 4, table 1",
        "The range of the ratings, called 5 for all data sets, is the sensitivity.",
        "The range differs by data set; and the noised vector AᵀWy changes by the range times "
        "‖u‖₁ (Laplace, Huber) or ‖u‖₂ (Gaussian) of the user's factors, which nothing bounds. "
        "The budgets of table 1 are therefore per release and nominal.",
        f"The range is {', '.join(stated)} and {spread:.2f} on a synthetic matrix of rank "
        f"{LARGEST_RANK}. After training there, the largest change of a noised vector is "
        f"{numbers['l1']:.1f} in ℓ₁ and {numbers['l2']:.1f} in ℓ₂.",
        numbers,
    )


def regularization(name: str, sources: Sources) -> Erratum:
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
    return Erratum(
        name,
        "λ in the objective, λ/2 in the algorithm",
        WITHOUT_CONSEQUENCE,
        "Paper, section 3.2: equations 6, 7a and 7b against the gradient below them and "
        "algorithms 2 and 3",
        "Equations 6 and 7 have Σρ + λ‖θ‖² with ρ(t) = t²/2 near 0; the gradient and the "
        "algorithms have (AᵀWA + λI) θ = AᵀWy.",
        "The algorithms minimise Σρ + (λ/2)‖θ‖²; equations 6 and 7 would need 2λI. Algorithm 1 "
        "agrees with its own objective in section 3.1, ½‖·‖² + (λ/2)‖·‖². The algorithms are what "
        "was run, so dpmc keeps λI.",
        "Where reweighted least squares comes to rest, the largest component of the gradient is "
        f"{numbers['gradient']:.1e} for λ/2 and {numbers['published_gradient']:.3f} for λ (40 "
        "ratings, 5 factors, λ = .5, a = 1).",
        numbers,
    )


def weights_at_zero(name: str, sources: Sources) -> Erratum:
    """The reported weight is undefined at a residual of 0."""
    a = 1.5
    residuals = np.linspace(-5, 5, 1001)
    with np.errstate(invalid="ignore"):
        reported = np.clip(residuals, -a, a) / residuals
    with np.errstate(divide="ignore"):
        right = np.minimum(1.0, a / np.abs(residuals))
    numbers = {
        "undefined": int(np.isnan(reported).sum()),
        "at_zero": float(right[residuals == 0][0]),
        "largest_difference": float(np.nanmax(np.abs(reported - right))),
    }
    return Erratum(
        name,
        "Weights that are 0/0",
        WITHOUT_CONSEQUENCE,
        "Paper, section 3.2 and algorithm 3",
        "The weight of a rating is ψ(r)/r.",
        "min(1, a/|r|), which is the same for r ≠ 0 and 1 at r = 0.",
        f"Of {residuals.size} residuals from −5 to 5, ψ(r)/r is undefined at "
        f"{numbers['undefined']}, where min(1, a/|r|) is {numbers['at_zero']:g}; elsewhere they "
        f"differ by at most {numbers['largest_difference']:.1g}.",
        numbers,
    )


def noise_in_the_sum(name: str, sources: Sources) -> Erratum:
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
    return Erratum(
        name,
        "Noise inside the sum over users",
        WITHOUT_CONSEQUENCE,
        "Thesis, equation 3.11",
        "The noise stands inside the sum over users, so that it is added once for each rating.",
        "Both algorithms add it once for each item, and so does dpmc.",
        "Inside the sum, its variance would be multiplied by the number of ratings of an item, on "
        f"average {', '.join(factors)}.",
        numbers,
    )


def unstated_start(name: str, sources: Sources) -> Erratum:
    """The law of the first factors is not stated; paper and thesis start theta differently."""
    als = Cell(SYNTHETIC, LARGEST_RANK, None, 0.1, "als", "none", None)
    paper, thesis = (
        Cell(SYNTHETIC, LARGEST_RANK, None, 0.1, "irls", "none", inner) for inner in (20, 10)
    )
    start = _log_ratio(_errors(als, start="uniform"), _errors(als))
    inner = _log_ratio(_errors(thesis), _errors(paper))
    return Erratum(
        name,
        "The law of the first factors; different inner starts, the same reported results",
        UNSTATED,
        "Paper, algorithms 1 to 3 and section 4; thesis, algorithm 1 (section 4.6) and section 5.2",
        "U and V start with “random entries” of no stated law. θ₀ of the inner iterations is "
        "N(0, 1) in the paper (algorithm 3) and U(0, 1) in the thesis; on real data the paper has "
        "20 inner iterations and the thesis 10, with the same tables.",
        "Settings. One law serves V₀ and θ₀; the default is N(0, 1), which fits the reported "
        "numbers best (target forensics), with the paper's 20.",
        f"Without noise at rank {LARGEST_RANK}, 10 % observed, on the same "
        f"{SETTINGS['trials']} matrices and masks: log RMSE changes by {_formatted(start)} from "
        f"N(0, 1) to U(0, 1) with ALS (V₀), and by {_formatted(inner)} from 20 to 10 inner "
        "iterations of IRLS (mean and standard error).",
        {"start": start.estimate, "inner": inner.estimate},
    )


def gradient(name: str, sources: Sources) -> Erratum:
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
    return Erratum(
        name,
        "A transpose lacks in the gradient",
        WITHOUT_CONSEQUENCE,
        "Paper, section 3.2, the gradient below equation 7",
        "−V Wᵢ (xᵢ − V uᵢ) + λ uᵢ = 0, with V of shape n × r and Wᵢ of shape n × n.",
        "−Vᵀ Wᵢ (xᵢ − V uᵢ) + λ uᵢ = 0, as algorithm 3 has it; V Wᵢ has no meaning unless n = r.",
        f"With Vᵀ, 40 ratings, 5 factors and λ = .5, it differs from finite differences of "
        f"Σρ + (λ/2)‖u‖² by {numbers['difference']:.1e} at most.",
        numbers,
    )


def identical_noise(name: str, sources: Sources) -> Erratum:
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
    return Erratum(
        name,
        "Noise “identical to the noise addition in Chien et al.”",
        CHANGES_CONCLUSION,
        "Thesis, section 3.4.1, and 4.6 (“in the same location”); paper, section 3.1 (“similar”)",
        "Noise on the right-hand side of an item’s equations alone, said to be identical to that "
        "of Chien et al. (2021).",
        "Chien et al. also noise the Gram matrices, and clip ratings and users’ rows (algorithm 1 "
        "of DPALS). Without that their guarantee does not carry over: who rated an item changes "
        "its Gram matrix.",
        "If one rating is left out, the noise of its item vector has to cover a change of up to "
        f"{numbers['gram']:.1f} in ℓ₁ from the Gram matrix and {numbers['right_side']:.1f} from "
        "the right-hand side; the sensitivity is taken to be 5 (synthetic data, rank 5, 10 % "
        "observed, the item vectors as released).",
        numbers,
    )


def residual_scale(name: str, sources: Sources) -> Erratum:
    """Scaled residuals in the text, unscaled ones in the algorithm."""
    cell = Cell(SYNTHETIC, 5, 2.0, 0.1, "irls", "huber", 20)
    scale = math.sqrt(cell.variance)
    change = _log_ratio(_errors(cell, residual_scale=scale), _errors(cell))
    return Erratum(
        name,
        "Residuals with and without a scale",
        UNSTATED,
        "Thesis, equations 3.14 and 3.18 against its algorithm 1",
        "The equations divide residuals by a scale σ, the algorithm does not.",
        "A setting, residual_scale, which is 1 (the algorithm) by default.",
        f"With Huber noise of variance 2 at rank 5, 10 % observed, log RMSE changes by "
        f"{_formatted(change)} when residuals are divided by the noise's standard deviation "
        f"{scale:.3f} ({SETTINGS['trials']} trials, mean and standard error).",
        {"change": change.estimate},
    )


def _errors(cell: Cell, **change: object) -> np.ndarray:
    return np.array([row["rmse_all"] for row in run_cell(cell, SETTINGS | change)])


def _log_ratio(first: np.ndarray, second: np.ndarray) -> Interval:
    return mean_interval(np.log(first / second))


def _formatted(change: Interval) -> str:
    return f"{change.estimate:+.2g} ± {change.standard_error:.1g}"

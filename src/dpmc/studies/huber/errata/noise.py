"""Errata about the noise itself: its formulas and its privacy budgets."""

import math

import numpy as np

from dpmc.frame.showing.erratum import Evidence, listed
from dpmc.mechanisms.facts import huber_to_laplace_variance, published_inverse_cdf
from dpmc.mechanisms.gaussian import Gaussian
from dpmc.mechanisms.huber import Huber
from dpmc.privacy.calibration import calibrate
from dpmc.studies.huber.claims.budgets import RELEASES, TOTAL_DELTA, TOTAL_EPSILON
from dpmc.studies.huber.errata.sources import Sources
from dpmc.studies.huber.experiments.common import NOISES
from dpmc.studies.huber.experiments.forensics_huber import AS_PRINTED
from dpmc.studies.huber.nominal import table_one

SENSITIVITY = 5.0  # of table 1
TAIL = 0.05  # below -a
COORDINATES, SHIFTS = 20, 1000


def inverse_cdf(sources: Sources) -> Evidence:
    """A minus sign is missing in the upper tail."""
    a = _reported_a(sources)
    # midpoints: the inverse CDF is infinite at 0 and 1
    draws = published_inverse_cdf((np.arange(1_000_000) + 0.5) / 1_000_000, a)
    numbers = {
        "published_quantile": float(published_inverse_cdf(0.95, 1.0)),
        "quantile": float(Huber(1.0).ppf(0.95)),
        "reported_mean": float(draws.mean()),
        "reported_variance": float(draws.var()),
        "variance": Huber(a).var(),
    }
    columns = sources.huber_columns
    printed = columns[(columns["noise"] == AS_PRINTED)]
    places = {}
    for variance, part in printed.groupby("variance"):
        for start, here in part.groupby("start"):
            change = np.expm1(here["difference"])
            for name, value in {"least": change.min(), "most": change.max()}.items():
                places[f"{start}_{name}_{variance:g}"] = float(value)
    return Evidence(numbers | places, a=a, trials=int(columns["trials"].min()))


def normaliser(sources: Sources) -> Evidence:
    """N has two meanings, and an equation a stray factor."""
    a = _reported_a(sources)
    integral = 1 / math.exp(Huber(a).logpdf(0.0))
    exponent = math.log(a * integral * TAIL) / a  # the left of B.15
    numbers = {
        "normaliser": integral,
        "quantile": float(Huber(a).ppf(TAIL)),
        "without": exponent - a / 2,
        "with": exponent / a - a / 2,
    }
    return Evidence(numbers, a=a, integral=integral, inverse=1 / integral, tail=TAIL)


def gaussian_budgets(sources: Sources) -> Evidence:
    """log10 was taken for ln."""
    reported = sources.budgets("gaussian")
    rows = {row["variance"]: row for row in table_one() if row["mechanism"] == "gaussian"}
    right = [rows[variance] for variance in reported.index]
    deltas = [
        Gaussian.from_variance(variance).delta(epsilon, SENSITIVITY)
        for variance, epsilon in reported.items()
    ]
    numbers = {}
    for row, delta in zip(right, deltas, strict=True):
        variance = f"{row['variance']:g}"
        numbers |= {
            f"log10_{variance}": row["epsilon_published_form"],
            f"ln_{variance}": row["epsilon_corrected"],
            f"exact_{variance}": row["epsilon_exact"],
            f"delta_{variance}": delta,
        }
    return Evidence(
        numbers,
        reported=listed(reported, 3),
        log10=listed([r["epsilon_published_form"] for r in right], 3),
        ln=listed([r["epsilon_corrected"] for r in right], 3),
        exact=listed([r["epsilon_exact"] for r in right], 3),
        deltas=listed(deltas, 3),
    )


def huber_budgets(sources: Sources) -> Evidence:
    """The parameter a was not solved for to the reported digits."""
    reported = sources.budgets("huber").drop(1.0)  # the papers choose a = 3 there
    right = {v: Huber.from_variance(v).epsilon(SENSITIVITY) for v in reported.index}
    return Evidence(
        {f"epsilon_{variance:g}": epsilon for variance, epsilon in right.items()},
        reported=listed(reported, 3),
        right=listed(right.values(), 4),
        variances=listed((Huber(e / SENSITIVITY).var() for e in reported), 4),
    )


def less_noise_than_laplace(sources: Sources) -> Evidence:
    """At an equal budget of one release Huber noise is larger than Laplace noise, over many not."""
    grid = np.geomspace(0.1, 30, 1001)
    ratios = np.array([huber_to_laplace_variance(a) for a in grid])
    a = _reported_a(sources)
    laplace, huber = (
        calibrate(name, releases=RELEASES, epsilon=TOTAL_EPSILON, delta=TOTAL_DELTA).noise
        for name in ("laplace", "huber")
    )
    numbers = {
        "smallest_ratio": float(ratios.min()),
        "ratio": huber_to_laplace_variance(a),
        "training_ratio": huber.var() / laplace.var(),
    }
    return Evidence(
        numbers,
        a=a,
        smallest_excess=numbers["smallest_ratio"] - 1,
        releases=RELEASES,
        epsilon=TOTAL_EPSILON,
        delta=TOTAL_DELTA,
        best_a=huber.a,
    )


def falling_budgets(sources: Sources) -> Evidence:
    """Gaussian and Laplace budgets fall alike with the variance."""
    reported = {name: sources.budgets(name) for name in NOISES}
    return Evidence(
        {f"{name}_fall": float(each[4.0] / each[1.0]) for name, each in reported.items()}
    )


def proof_for_numbers(sources: Sources) -> Evidence:
    """The privacy of Huber noise is proven for one number."""
    a = _reported_a(sources)
    noise = Huber(a)
    shifts = np.abs(np.random.default_rng(1).standard_normal((SHIFTS, COORDINATES)))
    losses = {}
    for norm, power in (("l1", 1), ("l2", 2)):
        sizes = np.linalg.norm(shifts, power, axis=1, keepdims=True)
        scaled = SENSITIVITY * shifts / sizes
        # the loss is largest, and constant, where all coordinates of the noise exceed a
        losses[norm] = (noise.logpdf(a) - noise.logpdf(a + scaled)).sum(axis=1)
    numbers = {
        "claimed": a * SENSITIVITY,
        "l1": float(losses["l1"].max()),
        "l2": float(losses["l2"].max()),
    }
    return Evidence(numbers, shifts=SHIFTS, coordinates=COORDINATES, a=a, sensitivity=SENSITIVITY)


def _reported_a(sources: Sources) -> float:
    """Return the papers' a at variance 2, from their budget."""
    return float(sources.budgets("huber")[2.0]) / SENSITIVITY

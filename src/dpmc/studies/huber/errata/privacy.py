"""Errata about what the reported budgets are said to protect: a whole training, and its output."""

import numpy as np

from dpmc.mechanisms.gaussian import Gaussian
from dpmc.privacy.nominal import table_one
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.errata.method import SETTINGS
from dpmc.studies.huber.errata.noise import SENSITIVITY
from dpmc.studies.huber.errata.sources import Sources
from dpmc.studies.huber.trial import fit, synthetic_instance
from dpmc.study.cells import SYNTHETIC
from dpmc.study.erratum import CHANGES_CONCLUSION, Erratum

VARIANCE, DELTA = 2.0, 1e-5
RELEASES = {"ALS": 50, "A-IRLS": 1000}  # T, and T K, on synthetic data


def one_release(name: str, sources: Sources) -> Erratum:
    """The reported budget is spent at every release."""
    pure = {
        row["mechanism"]: row["epsilon_corrected"]
        for row in table_one([VARIANCE])
        if row["delta"] == 0
    }
    reported = {m: float(sources.budgets(m)[VARIANCE]) for m in ("gaussian", "laplace", "huber")}
    noise = Gaussian.from_variance(VARIANCE)
    numbers, totals = {}, []
    for method, count in RELEASES.items():
        # n releases with sensitivity D are as private as one with sensitivity sqrt(n) D
        total = noise.epsilon(SENSITIVITY * np.sqrt(count), DELTA, formula="exact")
        found = {"gaussian": total} | {m: count * epsilon for m, epsilon in pure.items()}
        numbers |= {f"{mechanism}_{count}": value for mechanism, value in found.items()}
        totals.append(
            f"{found['gaussian']:,.0f} with Gaussian, {found['laplace']:,.0f} with Laplace and "
            f"{found['huber']:,.0f} with Huber noise over the {count:,} releases of {method}"
        )
    return Erratum(
        name,
        "The reported ε is that of one release, not of a training",
        CHANGES_CONCLUSION,
        "Paper, section 4 and table 1; thesis, table 5.1",
        f"ε = {reported['gaussian']:.3f}, {reported['laplace']:.3f} and {reported['huber']:.3f} "
        f"for Gaussian, Laplace and Huber noise of variance {VARIANCE:g}, whatever the number of "
        "iterations.",
        "Every iteration releases every item vector, A-IRLS in every inner iteration, and the "
        "budgets of releases add up.",
        f"If every release changed by at most {SENSITIVITY:g}, which nothing ensures, the totals "
        f"would be {'; '.join(totals)} (exact at δ = 1e-5 for Gaussian noise, basic composition "
        "for the other two).",
        numbers,
    )


def noiseless_users(name: str, sources: Sources) -> Erratum:
    """The rows of users have no noise."""
    cell = Cell(SYNTHETIC, 5, VARIANCE, 0.1, "als", "huber", None)
    observed = synthetic_instance(cell.coordinates(), SETTINGS, 0).observed
    model, _ = fit(cell, SETTINGS, 0, observed)
    first = observed.users == observed.users[0]
    rated, ratings = model.item_factors_[observed.items[first]], observed.values[first]
    moved = ratings.copy()
    low, high = observed.values.min(), observed.values.max()
    moved[0] = low if ratings[0] > (low + high) / 2 else high
    gram = rated.T @ rated + SETTINGS["regularization"] * np.eye(cell.rank)
    change = np.linalg.solve(gram, rated.T @ (moved - ratings))
    shifts = np.abs(model.item_factors_ @ change)
    numbers = {"largest": float(shifts.max()), "changed": int((shifts > 0).sum())}
    return Erratum(
        name,
        "Users' rows without noise",
        CHANGES_CONCLUSION,
        "Paper, algorithms 1 and 2",
        "Only the update of the items has noise; that of the users has none.",
        "Given the item vectors, a user's row, and with it a row of the completed matrix, is a "
        "function of that user's ratings. So no ε covers the completed matrix; at best the item "
        "vectors are private, each user keeping their own row (joint differential privacy), if "
        "factors are clipped and Gram matrices noised too.",
        f"With the item vectors of a training held fixed, one rating moved from {ratings[0]:.2f} "
        f"to {moved[0]:.2f} changes {numbers['changed']} of {shifts.size} predictions for its "
        f"user, by up to {numbers['largest']:.3f}, with certainty.",
        numbers,
    )

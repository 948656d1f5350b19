"""What the reported budgets mean: totals over a training, and the losses that were measured."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.showing.frames import (
    DATASET_LABELS,
    MECHANISM_LABELS,
    METHOD_LABELS,
    PRIVATE,
    percent,
    select,
    split,
)


@dataclass(frozen=True)
class PublishedRun:
    """One kind of training that the papers ran with noise.

    Attributes
    ----------
    releases : int
        Of each item vector: T iterations with ALS, T K with A-IRLS ([Gowtham 2022], section 4).
    how : str
        T and K.
    mechanisms : tuple of str
        With which it was run.
    irls_iterations : float or None
        K.
    """

    dataset: str
    method: str
    releases: int
    how: str
    variances: tuple[float, ...]
    mechanisms: tuple[str, ...]
    irls_iterations: int | None = None

    @property
    def label(self) -> str:
        """Method with T and K, for the reader."""
        return f"{METHOD_LABELS[self.method]}, {self.how}"


PUBLISHED_RUNS = (
    PublishedRun(SYNTHETIC, "als", 50, "T = 50", (1.0, 2.0), PRIVATE),
    PublishedRun(SYNTHETIC, "irls", 1000, "T = 50, K = 20", (1.0, 2.0), PRIVATE, 20),
    PublishedRun("ml-100k", "als", 20, "T = 20", (1.0,), ("gaussian",)),
    PublishedRun("ml-100k", "irls", 400, "T = 20, K = 20", (1.0,), ("laplace", "huber"), 20),
    PublishedRun("ml-100k", "irls", 40, "T = 20, K = 2", (1.0,), ("huber",), 2),
    PublishedRun("sweetrs", "als", 100, "T = 100", (1.0,), ("gaussian",)),
    PublishedRun("sweetrs", "irls", 2000, "T = 100, K = 20", (1.0,), ("laplace", "huber"), 20),
    PublishedRun("sweetrs", "irls", 200, "T = 100, K = 2", (1.0,), ("huber",), 2),
)


TIGHTEST = ("pld", "exact")
EXAMPLE = {"variance": 2.0, "releases": 50}  # ALS on synthetic data


def totals_text(totals: pd.DataFrame | None) -> str:
    """Say what the budgets of one release become over a training of ALS; empty if not computed."""
    if totals is None:
        return ""
    tight = select(totals, **EXAMPLE)
    tight = tight[tight["accountant"].isin(TIGHTEST)].groupby("mechanism")["epsilon"].min()
    parts = [
        f"{tight[name]:,.0f} with {MECHANISM_LABELS[name]} noise"
        for name in PRIVATE
        if name in tight
    ]
    if not parts:
        return ""
    return (
        f"A training of ALS has {EXAMPLE['releases']} releases for every item, and even if each "
        f"changed by at most 5 they would add up to ε = {', '.join(parts)} (variance "
        f"{EXAMPLE['variance']:g})."
    )


def share_above(part: pd.DataFrame, name: str) -> float:
    """Return the share of all measured neighbours whose loss is above a claim, in a column."""
    return float(np.average(part[name], weights=part["neighbours"]))


def shares_above(losses: pd.DataFrame | None) -> str:
    """Say, by data set, in how many changes of a rating the loss exceeds the total of a run."""
    if losses is None:
        return "– % of cases"
    return ", ".join(
        f"{percent(share_above(part, 'share_above_total'))} of cases on {DATASET_LABELS[name]}"
        for name, part in split(losses, dataset=DATASET_LABELS)
    )


def losses_text(losses: pd.DataFrame | None) -> str:
    """Say how often measured losses exceed the reported budgets, like with like, by data set.

    A training is set against the total over its releases, and the mean of its releases against the
    epsilon of one. Empty if not measured.
    """
    if losses is None or losses.empty:
        return ""
    shares = [
        _losses_of(part, DATASET_LABELS[name])
        for name, part in split(losses, dataset=DATASET_LABELS)
    ]
    return (
        "All that follows is of every iterate of a run, the inner ones of A-IRLS too. If one "
        f"rating is changed, the measured loss exceeds {'; '.join(shares)}."
    )


def _losses_of(part: pd.DataFrame, label: str) -> str:
    weights = part["neighbours"]
    total, nominal = (
        percent(share_above(part, f"share_above_{name}")) for name in ("total", "nominal")
    )
    of_one = (part["median"] / part["releases"] / part["nominal_epsilon"]).median()
    return (
        f"the total over the training for {total} of {weights.sum():,} on {label} (a single ε for "
        f"{nominal}; a release loses typically {of_one:.2g} times its ε)"
    )

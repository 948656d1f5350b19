"""The frames, labels and looks that figures, tables and findings of the one-bit study share.

"The paper" is [Li 2021]. The measure of accuracy is ARE = ||X - M||_F^2 / ||M||_F^2 on synthetic
data, and the share of test signs that are right on real data.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.frames import DatasetLabels, cell_means
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.frame.showing.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    Look,
)
from dpmc_studies.studies.onebit.cells import BASELINES, CLEAR, ONEBIT_COORDINATES, SYNTHETIC

NAMES = (
    "trials", "ranks", "outp_change", "outp_attack", "claims", "wrong_link", "gradient_steps",
)  # fmt: skip
BENCHMARK, LARGE = SYNTHETIC, "synthetic_large"
DATASETS = DatasetLabels(
    {
        BENCHMARK: "Synthetic 100 × 100",
        LARGE: "Synthetic 500 × 500",
        "ml-100k": "MovieLens 100K",
        "restaurant": "RC",
    }
)
LINKS = {"gaussian": "Gaussian link", "logistic": "logistic link"}
MECHANISM_LABELS = {
    "inp": "InP",
    "objp_paper": "ObjP",
    "grap": "GraP",
    "outp_paper": "OutP, as published",
    "objp": "ObjP, corrected",
    "objp_literal": "ObjP, as published",
    "grap_paper": "GraP, scale C",
    "grap_gaussian": "GraP, Gaussian noise",
    "outp": "OutP, correct scale",
    "private_item_bias": "Item bias, private",
    "clear": "Clear",
    "zero": "Predict zero",
    "majority": "Majority sign",
    "item_bias": "Item bias",
}
CONSTRAINTS = {"nuclear": "nuclear norm", "both": "nuclear norm and entries"}
PUBLISHED = ("inp", "objp_paper", "grap", "outp_paper")  # the paper's four
OTHERS = ("objp", "objp_literal", "grap_paper", "grap_gaussian", "outp", "private_item_bias")
FREE = (CLEAR, *BASELINES)  # without noise
ITEM_BIAS = "private_item_bias"
LOOKS = {
    "inp": Look(BLUE, "s"),
    "objp_paper": Look(GREEN, "D"),
    "grap": Look(VERMILLION, "^"),
    "outp_paper": Look(PURPLE, "v"),
    "objp": Look(GREEN, "P"),
    "objp_literal": Look(GREEN, "*"),
    "grap_paper": Look(VERMILLION, "<"),
    "grap_gaussian": Look(ORANGE, ">"),
    "outp": Look(PURPLE, "h"),
    ITEM_BIAS: Look(SKY, "X"),
    "clear": Look(BLACK, ""),
    "zero": Look(GREY, "", (0, (1, 1.2))),
    "majority": Look(GREY, "", (0, (3, 1.5))),
    "item_bias": Look(GREY, "", (0, (6, 1.5, 1, 1.5))),
}


def read_onebit(folder: str | Path) -> dict[str, pd.DataFrame | None]:
    """Read the tables of :data:`NAMES` from a folder; those not there, or empty, are None."""
    return read_results(folder, NAMES)


def is_real(dataset: str) -> bool:
    """Say whether a data set is judged by the share of right signs, not by ARE."""
    return not dataset.startswith(BENCHMARK)


def metric_of(dataset: str, stage: str) -> str:
    """Return the column of the data set's metric; ``stage`` is "raw" or "truncated"."""
    return f"{'accuracy' if is_real(dataset) else 'are'}_{stage}"


def summary(trials: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return :func:`~dpmc_studies.frame.showing.frames.cell_means` of a metric."""
    return cell_means(trials, metric, ONEBIT_COORDINATES)


def main_constraint(trials: pd.DataFrame, dataset: str) -> str:
    """Return the constraint under which most budgets of a data set were run."""
    here = trials[trials["dataset"] == dataset]
    counts = here.groupby("constraint")["epsilon"].nunique()
    return counts.index[int(np.argmax(counts.to_numpy()))]


def main_rows(trials: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the rows under the :func:`main_constraint`, at the smallest observed fraction."""
    here = trials[trials["dataset"] == dataset]
    if here.empty:
        return here
    return at_smallest_share(here[here["constraint"] == main_constraint(trials, dataset)])


def at_smallest_share(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of every data set at its smallest observed fraction."""
    smallest = trials.groupby("dataset")["observed_fraction"].transform("min")
    return trials[trials["observed_fraction"] == smallest]


def mechanism_label(name: str, link: str | None = None) -> str:
    """Return the label of a mechanism; ObjP has two scales with the Gaussian link, told apart."""
    label = MECHANISM_LABELS.get(name, name)
    return f"{label}, as published" if (name, link) == ("objp_paper", "gaussian") else label


def link_label(name: str) -> str:
    """Format a link."""
    return LINKS.get(name, name)


dataset_label = DATASETS.__getitem__

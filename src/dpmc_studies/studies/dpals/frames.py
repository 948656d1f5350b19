"""What figures, tables and findings of DPALS share: its frames, labels and looks.

"The paper" is [Chien 2021]. Ratings are judged by RMSE, implicit feedback by Recall@20. A model
without privacy has no epsilon.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.frames import RAISED, DatasetLabels, Labels, cell_means, present
from dpmc_studies.frame.showing.frames import number as format_number
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.frame.showing.style import BLACK, BLUE, GREEN, GREY, PURPLE, SKY, VERMILLION, Look
from dpmc_studies.studies.dpals.cells import DPALS_COORDINATES, STANDARD
from dpmc_studies.studies.dpals.variant_names import named_settings

NAMES = ("trials", "iterations", "timing", "coverage", "accounting", "claims")
PAPER = ("dpals", "dpals_literal", "dpfw", "dpfw_jain", "dp_svd")  # methods that the paper runs
DPALS, BIAS = "dpals", "private_user_item_bias"
PART = "ml-10m-top400-part"
DATASETS = DatasetLabels(
    {
        "synthetic-5k": "Synthetic, 5,000 users",
        "synthetic-10k": "Synthetic, 10,000 users",
        "synthetic-20k": "Synthetic, 20,000 users",
        "synthetic-50k": "Synthetic, 50,000 users",
        "items-250": "Synthetic, 20,000 users, 250 items",
        "items-500": "Synthetic, 20,000 users, 500 items",
        "items-2000": "Synthetic, 20,000 users, 2,000 items",
        "rank-one-20k": "Rank one, 20,000 users",
        "rank-one-100k": "Rank one, 100,000 users",
        "rank-one-500k": "Rank one, 500,000 users",
        "ml-100k": "MovieLens 100K",
        "ml-1m": "MovieLens 1M",
        "jester-5k": "Jester 5k",
        "jester": "Jester",
        "ml-10m-top400": "MovieLens 10M, top 400",
        PART: "23 % of the users of MovieLens 10M, top 400",
        "ml-10m": "MovieLens 10M",
        "ml-20m": "MovieLens 20M",
    }
)
# how the names of such data sets begin
SYNTHETIC, BY_ITEMS, RANK_ONE = "synthetic", "items", "rank-one"
FREE = {
    "trivial": "Global mean",
    "user_mean": "User’s own mean",
    "popularity": "Most rated items",
    "als": "ALS",
    "als_sampled": "ALS, k ratings a user",
    "frank_wolfe": "Frank-Wolfe",
    "altmin_published": "AltMin, as published",
    "saltls_published": "SAltLS, as published",
}
PRIVATE = {
    "dpals": "DPALS",
    "dpals_literal": "DPALS, as published",
    "dpals_h_free": "DPALS, H-free",
    "dpals_h_free_clipped": "DPALS, H-free, rows clipped",
    "dpals_analyze_gauss": "DPALS, Analyze-Gauss start",
    "dpfw": "DPFW, exact noise",
    "dpfw_jain": "DPFW, published noise",
    "dp_altmin": "DP-AltMin",
    "dp_saltls": "DP-SAltLS",
    "dp_svd": "DPSVD",
    BIAS: "User + item bias, private",
}
METHODS = Labels({**FREE, **PRIVATE})
DASHED, DOTTED, LONG_DASHED = (0, (4, 1.5)), (0, (1, 1.2)), (0, (7, 2))
DASH_DOTTED = (0, (6, 1.5, 1, 1.5))
LOOKS = {
    "dpals": Look(BLUE, "s"),
    "dpals_literal": Look(BLUE, "o", DASHED),
    "dpals_h_free": Look(GREEN, "D", DASHED),
    "dpals_h_free_clipped": Look(GREEN, "P"),
    "dpals_analyze_gauss": Look(SKY, "v"),
    "dpfw": Look(VERMILLION, "^"),
    "dpfw_jain": Look(VERMILLION, "<", DASHED),
    "dp_altmin": Look(PURPLE, "X"),
    "dp_saltls": Look(PURPLE, "*", DASHED),
    "dp_svd": Look(GREY, "h"),
    BIAS: Look(PURPLE, "d", DASHED),
    "als": Look(BLACK, ""),
    "als_sampled": Look(BLACK, "", LONG_DASHED),
    "trivial": Look(GREY, "", DOTTED),
    "user_mean": Look(GREY, "", DASHED),
    "popularity": Look(GREY, "", DASH_DOTTED),
    "frank_wolfe": Look(VERMILLION, "", DOTTED),
    "altmin_published": Look(PURPLE, "", LONG_DASHED),
    "saltls_published": Look(PURPLE, "", (0, (10, 2, 1, 2))),
}
METRICS = {"rmse": "RMSE", "rse": "RSE = ‖M̂ − M‖ / ‖M‖", "recall": "Recall@20"}
SMALL = 1e-3  # numbers below it get an exponent

PUBLISHED = Path(__file__).with_name("published.csv")


def read_dpals(folder: str | Path) -> dict[str, pd.DataFrame | None]:
    """Read the tables of :data:`NAMES`; those not there, or empty, are None.

    "published" are numbers that were reported or measured elsewhere: columns ``source``,
    ``dataset``, ``method``, ``variant``, ``epsilon``, ``metric``, ``value``, ``note``.
    """
    return {"published": pd.read_csv(PUBLISHED), **read_results(folder, NAMES)}


def summary(
    trials: pd.DataFrame, metric: str, keys: Iterable[str] = DPALS_COORDINATES
) -> pd.DataFrame:
    """Return :func:`cell_means` of cells, or by what names coarser ones."""
    return cell_means(trials, metric, keys)


def standard(trials: pd.DataFrame | None) -> pd.DataFrame:
    """Return the rows of the standard variant."""
    return pd.DataFrame() if trials is None else trials[trials["variant"] == STANDARD]


def item_rows(trials: pd.DataFrame | None) -> pd.DataFrame:
    """Return the rows of projected variants that name a share of items and a sampling, with both as
    columns.
    """
    if trials is None:
        return pd.DataFrame(columns=["item_share", "sampling"])
    said = {name: named_settings(name) for name in trials["variant"].unique()}
    named = [name for name, each in said.items() if "item_share" in each and each["projection"]]
    here = trials[trials["variant"].isin(named)]
    columns = {
        what: here["variant"].map({name: said[name][what] for name in named})
        for what in ("item_share", "sampling")
    }
    return here.assign(**columns)


def datasets_of(trials: pd.DataFrame | None) -> list[str]:
    """Return the data sets that were run, in the order of the page."""
    return [] if trials is None or trials.empty else present(trials["dataset"], DATASETS)


def synthetic_sizes(trials: pd.DataFrame | None) -> dict[str, int]:
    """Return the synthetic data sets with their numbers of users, few users first."""
    names = [name for name in datasets_of(trials) if name.startswith(SYNTHETIC)]
    sizes = {name: int(trials.loc[trials["dataset"] == name, "users"].iloc[0]) for name in names}
    return dict(sorted(sizes.items(), key=lambda pair: pair[1]))


def metric_of(trials: pd.DataFrame) -> str:
    """Return the metric of the rows of one data set: "recall" if they have it, else "rmse"."""
    return "recall" if trials["recall"].notna().any() else "rmse"


def dataset_label(name: str) -> str:
    """Format a data set."""
    return DATASETS[name]


def method_label(name: str) -> str:
    """Format a method."""
    return METHODS[name]


def is_real(dataset: str) -> bool:
    """Say whether ratings of a data set are real ones."""
    return not dataset.startswith((SYNTHETIC, BY_ITEMS, RANK_ONE))


def number(value: float, digits: int = 3) -> str:
    """Format a number with so many significant digits, below :data:`SMALL` with an exponent."""
    if np.isfinite(value) and 0 < abs(value) < SMALL:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa} · 10⁻{str(-int(exponent)).translate(RAISED)}"
    return format_number(value, digits)

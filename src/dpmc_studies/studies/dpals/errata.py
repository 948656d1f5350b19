"""Errata of the DPALS paper, its program and DP_Matrix_Completion_Alt_Min.

Numbers of a run are filled in here; all others are text, which tests compare with computations.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dpmc_studies.frame.showing.erratum import Erratum, Evidence, read_errata
from dpmc_studies.frame.showing.results import Results
from dpmc_studies.studies.dpals.frames import (
    STANDARD,
    dataset_label,
    datasets_of,
    item_rows,
    number,
    read_dpals,
    summary,
)
from dpmc_studies.studies.dpals.theory import IN_ITEMS, slopes

TEXTS = Path(__file__).with_name("errata.yaml")
RESAMPLED = "resampled"  # the variant of DPALS


def resampling(results: Results) -> Evidence:
    """Ratings are drawn again in each step; the paper and dpmc do not, in practice."""
    here = results.get("trials")
    numbers, changes = {}, []
    if here is not None and len(here):
        here = here[(here["method"] == "dpals") & here["epsilon"].notna()]
    for dataset in datasets_of(here):
        own = here[here["dataset"] == dataset]
        tables = [own[own["variant"] == variant] for variant in (RESAMPLED, STANDARD)]
        wide = [table.pivot(index="trial", columns="epsilon", values="rmse") for table in tables]
        ratio = np.exp((np.log(wide[0]) - np.log(wide[1])).mean()).dropna()
        if len(ratio):
            numbers |= {f"{dataset}_{epsilon:g}": value for epsilon, value in ratio.items()}
            ratios = ", ".join(f"{value:.2f} at ε = {at:g}" for at, value in ratio.items())
            changes.append({"dataset": dataset_label(dataset), "ratios": ratios})
    return Evidence(numbers, () if changes else ["measured"], changes=changes)


def all_movies(results: Results) -> Evidence:
    """The text has ALS worst on all movies."""
    here = item_rows(results.get("trials"))
    if len(here):  # ALS has no sampling: one row for each share and trial
        here = here[here["method"] == "als"]
        here = here.drop_duplicates(["dataset", "item_share", "trial"])
    numbers, changes = {}, []
    for dataset in datasets_of(here):
        table = summary(here[here["dataset"] == dataset], "rmse", ("item_share",))
        if len(table) < 2:
            continue
        first, last = (table.sort_values("item_share").iloc[end] for end in (0, -1))
        numbers |= {f"{dataset}_least": float(first["mean"]), f"{dataset}_all": float(last["mean"])}
        changes.append({
            "few": number(first["mean"], 4), "share_of_few": 100 * first["item_share"],
            "all": number(last["mean"], 4), "share_of_all": 100 * last["item_share"],
            "dataset": dataset_label(dataset),
        })  # fmt: skip
    return Evidence(numbers, () if changes else ["measured"], changes=changes)


def growth_with_items(results: Results) -> Evidence:
    """Theorem 2 has a factor sqrt(m) that table 1 and remark 6 do not have."""
    fits = slopes(results.get("trials"))
    here = fits[(fits["along"] == IN_ITEMS) & (fits["method"] == "dpals")]
    numbers = {f"epsilon_{row.at:g}": float(row.slope) for row in here.itertuples()}
    measured = here[["slope", "low", "high", "at"]].to_dict("records")
    return Evidence(numbers, () if measured else ["measured"], measured=measured)


# the papers share one numbering; E33 was wrong and is gone
ENTRIES = {"E36": all_movies, "E50": resampling, "E52": growth_with_items}


def errata(folder: Path, raw_files: Mapping[str, Path]) -> list[Erratum]:
    """Return every erratum; of results that are not there it says that they are not available."""
    return entries(read_dpals(folder))


def entries(results: Results) -> list[Erratum]:
    """Return every erratum with its evidence; tables that are absent may be left out."""
    return read_errata(TEXTS, ENTRIES, results)

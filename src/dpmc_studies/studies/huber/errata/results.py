"""Errata about the data sets and about the papers' own tables."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.erratum import Evidence
from dpmc_studies.studies.huber.errata.sources import Sources


def labels(sources: Sources) -> Evidence:
    """Labels and indices that contradict the text around them."""
    reported = sources.published
    chosen = (reported["table"] == "table4") & (reported["method"] == "als")
    value = float(reported.loc[chosen & (reported["mechanism"] == "none"), "published"].iloc[0])
    numbers, words, without = {"reported": value}, {}, []
    clipped = _clipped_movielens(sources.trials)
    if np.isfinite(clipped):
        numbers["clipped_rmse"] = clipped
        words["clipped_square"] = clipped**2
    else:
        without.append("clipped")
    if "ml-100k" in sources.ratings:
        ratings = sources.ratings["ml-100k"]
        words["entries"] = ratings.n_users * ratings.n_items
        numbers["unrated"] = words["entries"] - len(ratings)
    else:
        without.append("unrated")
    return Evidence(numbers, without, **words)


def _clipped_movielens(trials: pd.DataFrame | None) -> float:
    if trials is None:
        return np.nan
    chosen = (trials["dataset"] == "ml-100k") & (trials["method"] == "als")
    return float(trials.loc[chosen & (trials["mechanism"] == "none"), "rmse_clipped"].mean())


def claims_about_own_tables(sources: Sources) -> Evidence:
    """Sentences that the papers' own tables contradict."""
    wide = _synthetic(sources, ["mechanism", "rank", "variance", "observed_fraction"], "method")
    als = (wide["als"] < wide["irls"]).groupby(["mechanism", "rank"]).sum()
    irls = (wide["irls"] < wide["als"]).groupby(["mechanism", "rank"]).sum()
    rows = wide.groupby(["mechanism", "rank"]).size()
    numbers = {}
    for which, lower, mechanism in (("als", als, "gaussian"), ("irls", irls, "laplace")):
        numbers |= {
            f"{mechanism}_{which}_table3": int(lower[mechanism, 5]),
            f"{mechanism}_{which}": int(lower[mechanism].sum()),
            f"{mechanism}_rows_table3": int(rows[mechanism, 5]),
            f"{mechanism}_rows": int(rows[mechanism].sum()),
        }
    low = wide.loc["huber"].xs(1, level="variance")  # where ALS is said to be better
    numbers |= {
        "low_table3": int((low["als"] < low["irls"]).loc[5].sum()),
        "low_rows_table3": len(low.loc[5]),
        "low": int((low["als"] < low["irls"]).sum()),
        "low_rows": len(low),
    }
    gains = wide.loc["huber", 5]["irls"] / wide.loc["huber", 5]["als"] - 1
    words = {
        f"gain_{variance:g}_{100 * fraction:g}": gain
        for (variance, fraction), gain in gains.items()
    }
    return Evidence(numbers | words)


def _synthetic(sources: Sources, index: list[str], columns: str) -> pd.DataFrame:
    """Return the reported RMSE on synthetic data as a wide table."""
    table = sources.published[sources.published["metric"] == "rmse_all"]
    return table.pivot_table(index=index, columns=columns, values="published")

"""Errata about the data sets and about the papers' own tables."""

from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.frame.showing.erratum import Evidence
from dpmc.studies.huber.errata.sources import Sources
from dpmc.studies.huber.experiments.common import NOISES

STATED_USERS, STATED_ITEMS, STATED_RATINGS = 2000, 77, 45_000  # of SweetRS, thesis 5.2


def data_sets(sources: Sources) -> Evidence:
    """Numbers of users, and what "5.1 %" is a share of."""
    numbers = {"stated_density": STATED_RATINGS / (STATED_USERS * STATED_ITEMS)}
    without = ["neither"]
    if "sweetrs" in sources.ratings:
        ratings = sources.ratings["sweetrs"]
        lines = Path(sources.raw_files["sweetrs"]).read_bytes().splitlines()
        rows = len(lines) - 1  # without the header
        numbers |= {
            "sweetrs_users": ratings.n_users,
            "sweetrs_items": ratings.n_items,
            "sweetrs_rows": rows,
            "sweetrs_ratings": len(ratings),
            "sweetrs_repeats": rows - len(ratings),
            "sweetrs_density": rows / (ratings.n_users * ratings.n_items),
        }
    else:
        without.append("sweetrs")
    if "ml-100k" in sources.ratings:
        density = sources.ratings["ml-100k"].density
        numbers |= {"movielens_density": density, "movielens_training": 0.8 * density}
    else:
        without.append("movielens")
    if not sources.ratings:
        without.remove("neither")
    return Evidence(
        numbers,
        without,
        stated_ratings=STATED_RATINGS,
        stated_users=STATED_USERS,
        stated_items=STATED_ITEMS,
    )


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
    return Evidence(numbers)


def noiseless_columns(sources: Sources) -> Evidence:
    """What has no noise differs between noise variances."""
    wide = _synthetic(sources, ["mechanism", "rank", "observed_fraction", "method"], "variance")
    pairs = wide.loc["none"]
    difference = pairs.max(axis=1) / pairs.min(axis=1) - 1
    rank, fraction, method = difference.idxmax()
    worst = pairs.loc[(rank, fraction, method)]
    numbers = {"largest": float(difference.max()), "median": float(difference.median())}
    return Evidence(
        numbers,
        one=worst.iloc[0],
        other=worst.iloc[1],
        method=method.upper(),
        rank=rank,
        fraction=fraction,
        pairs=len(pairs),
    )


def small_fractions(sources: Sources) -> Evidence:
    """Where Gaussian noise is said to be good."""
    rows = ["observed_fraction", "method", "rank", "variance"]
    wide = _synthetic(sources, rows, "mechanism")[list(NOISES)]
    lowest = (wide.idxmin(axis=1) == "gaussian").groupby("observed_fraction").agg(["sum", "size"])
    logs = np.log(wide)
    below = logs["gaussian"] < logs[["laplace", "huber"]].mean(axis=1)
    lowest = lowest.assign(below=below.groupby("observed_fraction").sum())
    numbers = {
        f"{name}_{fraction:g}": int(n)
        for name, column in (("lowest", "sum"), ("below", "below"))
        for fraction, n in lowest[column].items()
    }
    counts = lowest.rename(columns={"sum": "count"}).reset_index().to_dict("records")
    real = sources.published[sources.published["table"] == "table5"]
    for fraction, table in real.groupby("observed_fraction"):
        noised = table[table["mechanism"] != "none"]
        best = noised.loc[noised["published"].idxmin(), "mechanism"]
        numbers[f"sweetrs_{fraction:g}"] = int(best == "gaussian")
    wins = [f"{fraction:.0%}" for fraction in lowest.index if numbers[f"sweetrs_{fraction:g}"]]
    return Evidence(numbers, lowest=counts, wins=", ".join(wins))


def two_inner_iterations(sources: Sources) -> Evidence:
    """IRLS-2 with Huber noise beside what costs still less: ALS with Gaussian noise."""
    real = sources.published[sources.published["table"].isin(["table4", "table5"])]
    keys = ["table", "observed_fraction"]
    two = real[real["irls_iterations"] == 2].set_index(keys)["published"]
    als = real[(real["method"] == "als") & (real["mechanism"] == "gaussian")]
    change = two / als.set_index(keys)["published"] - 1
    names = {"table4": "MovieLens 100K", "table5": "SweetRS"}
    rows = [
        {"data": names[table], "fraction": fraction, "change": value}
        for (table, fraction), value in change.items()
    ]
    numbers = {f"{table}_{fraction:g}": float(v) for (table, fraction), v in change.items()}
    return Evidence(numbers, places=rows)


def _synthetic(sources: Sources, index: list[str], columns: str) -> pd.DataFrame:
    """Return the reported RMSE on synthetic data as a wide table."""
    table = sources.published[sources.published["metric"] == "rmse_all"]
    return table.pivot_table(index=index, columns=columns, values="published")

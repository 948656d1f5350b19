"""Errata about the data sets and about the papers' own tables."""

from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.studies.huber.errata.sources import Sources
from dpmc.study.erratum import CHANGES_CONCLUSION, WITHOUT_CONSEQUENCE, Erratum
from dpmc.study.rules import NOT_AVAILABLE


def data_sets(name: str, sources: Sources) -> Erratum:
    """Numbers of users, and what "5.1 %" is a share of."""
    numbers, sentences = {}, []
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
        sentences.append(
            f"SweetRS: {ratings.n_users:,} users, {ratings.n_items} products and {rows:,} rows, "
            f"{numbers['sweetrs_density']:.2%} of the matrix; {rows - len(ratings)} rows repeat a "
            f"user and product, {len(ratings):,} remain."
        )
    if "ml-100k" in sources.ratings:
        ratings = sources.ratings["ml-100k"]
        numbers |= {
            "movielens_density": ratings.density,
            "movielens_training": 0.8 * ratings.density,
        }
        sentences.append(
            f"MovieLens 100K: {ratings.density:.2%} of the matrix is rated, an 80/20 split leaves "
            f"{0.8 * ratings.density:.2%} for training."
        )
    return Erratum(
        name,
        "Sizes and densities of the data sets",
        WITHOUT_CONSEQUENCE,
        "Paper, section 4; thesis, section 5.2",
        "SweetRS has 2000 users; the visible fraction of MovieLens is 5.1 %.",
        "The published SweetRS file has fewer users (the 39.19 % that the thesis states is right) "
        "and repeats, which dpmc drops; 5.1 % is the training share of an 80/20 split of MovieLens "
        "100K, and the visible fractions of SweetRS are shares of its ratings.",
        " ".join(sentences) or f"{NOT_AVAILABLE.capitalize()}.",
        numbers,
    )


def labels(name: str, sources: Sources) -> Erratum:
    """Labels and indices that contradict the text around them."""
    reported = sources.published
    chosen = (reported["table"] == "table4") & (reported["method"] == "als")
    value = float(reported.loc[chosen & (reported["mechanism"] == "none"), "published"].iloc[0])
    numbers = {"reported": value}
    sentences = []
    clipped = _clipped_movielens(sources.trials)
    if np.isfinite(clipped):
        numbers["clipped_rmse"] = clipped
        sentences.append(
            f"Without noise table 4 prints {value:.4f}. Our RMSE, with predictions clipped to the "
            f"range of ratings, is {clipped:.4f}, our mean square error {clipped**2:.4f}."
        )
    if "ml-100k" in sources.ratings:
        ratings = sources.ratings["ml-100k"]
        numbers["unrated"] = ratings.n_users * ratings.n_items - len(ratings)
        sentences.append(
            f"{numbers['unrated']:,} of the {ratings.n_users * ratings.n_items:,} entries of "
            "MovieLens 100K have no rating to compare with."
        )
    return Erratum(
        name,
        "Labels and indices",
        WITHOUT_CONSEQUENCE,
        "Paper, table 4, sections 3.1, 3.2 and 4; thesis, table 5.6",
        "The rows of the tables on real data are labelled MSE under a caption that says RMSE; the "
        "RMSE is defined over all entries; the objective in 3.1 has ‖U‖² twice; 3.2 puts the noise "
        "on the update of the rows.",
        "RMSE over held-out ratings on real data; ‖U‖² + ‖V‖²; the algorithms put the noise on the "
        "items (columns), and so does dpmc.",
        " ".join(sentences) or f"{NOT_AVAILABLE.capitalize()}.",
        numbers,
    )


def _clipped_movielens(trials: pd.DataFrame | None) -> float:
    if trials is None:
        return np.nan
    chosen = (trials["dataset"] == "ml-100k") & (trials["method"] == "als")
    return float(trials.loc[chosen & (trials["mechanism"] == "none"), "rmse_clipped"].mean())


def claims_about_own_tables(name: str, sources: Sources) -> Erratum:
    """Sentences that the papers' own tables contradict."""
    table = sources.published[sources.published["metric"] == "rmse_all"]
    wide = table.pivot_table(
        index=["mechanism", "rank", "variance", "observed_fraction"],
        columns="method",
        values="published",
    )
    lower = (wide["als"] < wide["irls"]).groupby(["mechanism", "rank"]).sum()
    rows = wide.groupby(["mechanism", "rank"]).size()
    gaussian = lower["gaussian"].to_dict()
    by_rank = [f"{n} of {rows['gaussian'][rank]} at rank {rank:g}" for rank, n in gaussian.items()]
    laplace = int(rows["laplace"].sum() - lower["laplace"].sum())
    numbers = {f"gaussian_als_{rank:g}": int(n) for rank, n in gaussian.items()}
    numbers |= {"laplace_irls": laplace, "laplace_rows": int(rows["laplace"].sum())}
    return Erratum(
        name,
        "Sentences that the papers' own tables contradict",
        CHANGES_CONCLUSION,
        "Paper, section 4; thesis, section 5.2",
        "For Gaussian noise ALS is consistently better; for Laplace noise IRLS is better in most "
        "cases.",
        "Neither is so in the reported tables; the claims page judges every such sentence on our "
        "trials too.",
        f"Reported rows in which ALS has the lower RMSE under Gaussian noise: "
        f"{', '.join(by_rank)}. IRLS has the lower one under Laplace noise in {laplace} of "
        f"{numbers['laplace_rows']}.",
        numbers,
    )

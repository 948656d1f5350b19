"""What figures, tables and claims of the study share: its tables, labels and looks."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing import style
from dpmc_studies.frame.showing.frames import DatasetLabels, Labels, cell_means
from dpmc_studies.frame.showing.style import BLUE, GREEN, GREY, PURPLE, SKY, VERMILLION, Look
from dpmc_studies.statistics import paired
from dpmc_studies.statistics.tests import log_positive, row_tests
from dpmc_studies.studies.which_model.cells import COORDINATES, LOCAL_BAYES, TUNED
from dpmc_studies.studies.which_model.variants import POSTERIOR, SEARCHED

NAMES = ("trials", "ranking")
PLACE = ("dataset", "epsilon")
NOISES = {"": "no noise", "-half-noise": "noise 0.5", "-full-noise": "noise 1"}
DATASETS = DatasetLabels(
    {
        "ml-100k": "MovieLens 100K",
        "jester": "Jester 5k",
        "sweetrs": "SweetRS",
        **{
            f"drawn-{name}{end}": f"Drawn, {sizes}, {noise}"
            for name, sizes in (("20k-500", "20,000 × 500"), ("50k-1000", "50,000 × 1,000"))
            for end, noise in NOISES.items()
        },
        "drawn-5k-300-half-noise": "Drawn, 5,000 × 300, noise 0.5",
        "surrogate-3500": "Generated 10M, a twentieth",
    }
)
NEW_DATA = {
    "inst-eval": "New: InstEval",
    "bfi": "New: bfi",
    "filmtrust-800": "New: FilmTrust, 800 films",
    "lastfm-800": "New: Last.fm, 800 artists",
    "filmtrust": "New: FilmTrust",
}
"""Data sets that Local Bayes was not developed with; claims about them are claims of their own."""
DATASETS |= NEW_DATA
METHODS = Labels(
    {
        "private_user_item_bias": "User + item bias, private",
        "private_als": "ALS, private",
        "dpals_h_free_clipped": "DPALS, H-free, rows clipped",
        "dp_altmin": "DP-AltMin",
        "dp_svd": "DPSVD",
        "private_item_bias": "Item bias, private",
        "private_irls": "A-IRLS, private",
        "dpals": "DPALS",
        "dpals_h_free": "DPALS, H-free",
        "dpals_analyze_gauss": "DPALS, Analyze-Gauss start",
        "dpfw": "DPFW, exact noise",
        "dpfw_residual": "DPFW, residuals clipped",
        "dp_saltls": "DP-SAltLS",
        "dpals_weights": "DPALS, adaptive weights",
        "dpals_weights_h_free": "DPALS, adaptive weights, H-free",
        "dpam": "DPAM",
        "dp_gradient_spectral": "Noisy gradient, private start",
        "dp_effects": "Effects and covariance",
        "dp_cmf": "DP-CMF",
        "dp_cmf_h_free": "DP-CMF, H-free",
        "dp_encoder": "DPALS, item encoder",
        "dp_encoder_h_free": "DPALS, item encoder, H-free",
        LOCAL_BAYES: "Local Bayes",
    }
)
LATER = {"dpals_weights", "dpals_weights_h_free", "dpam", "dp_gradient_spectral", "dp_effects"}
LOOKS = {
    "private_user_item_bias": Look(PURPLE, "d", (0, (4, 1.5))),
    "private_als": Look(SKY, "H", (0, (4, 1.5))),
    "dpals_h_free_clipped": Look(GREEN, "P"),
    "dp_altmin": Look(VERMILLION, "X"),
    "dp_svd": Look(GREY, "h"),
    LOCAL_BAYES: style.LOCAL_BAYES,
}
RANKING_MODEL = "local_ease"
RANKED = {
    RANKING_MODEL: "Ranking model (local EASE)",
    "private_popularity": "Popularity, private",
    "local_bayes_share": "Local Bayes and log share",
    LOCAL_BAYES: "Local Bayes, predicted ratings",
    "popularity": "Popularity, no privacy",
    "ease": "EASE, no privacy",
}
RANKED_LOOKS = {
    RANKING_MODEL: Look(BLUE, "o"),
    "private_popularity": Look(GREEN, "s", (0, (4, 1.5))),
    "local_bayes_share": Look(PURPLE, "d"),
    LOCAL_BAYES: style.LOCAL_BAYES,
    "popularity": Look(GREY, "", (0, (1, 1.2))),
    "ease": Look(GREY, "", (0, (6, 1.5))),
}
MEASURES = {"recall": "recall@20", "ndcg": "NDCG@20", "rmse": "RMSE"}
CAVEAT = (
    "The default was developed with these data in sight; the settings of the others are the best "
    "of our search, and none of them is younger than 2021."
)


dataset_label = DATASETS.__getitem__


def method_label(name: str) -> str:
    """Format a method."""
    return METHODS[name]


def summary(trials: pd.DataFrame) -> pd.DataFrame:
    """Return :func:`cell_means` of the RMSE of cells."""
    return cell_means(trials, "rmse", COORDINATES)


def of_variants(trials: pd.DataFrame | None, variants: Collection[str]) -> pd.DataFrame:
    """Return the rows of some variants; an empty frame if there are none."""
    return pd.DataFrame() if trials is None else trials[trials["variant"].isin(variants)]


def models(trials: pd.DataFrame | None) -> dict[tuple, pd.DataFrame]:
    """Return log RMSE by (data set, epsilon): a column a method and variant."""
    if trials is None or trials.empty:
        return {}
    return paired.places(trials, log_positive(trials["rmse"]), PLACE, ["method", "variant"])


def list_means(ranking: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return :func:`cell_means` of a measure of lists; without privacy epsilon is missing."""
    return cell_means(ranking, measure, ("dataset", "method", "epsilon"))


def over(table: pd.DataFrame, reference: str, names: Sequence[str] = PLACE) -> pd.DataFrame:
    """Return the error of each variant over that of one of them, in geometric means by place.

    Columns: ``names``, ``variant``, ``mean`` with its 95 % interval ``low`` and ``high``, and
    ``trials``; paired by trial.
    """
    found = []
    for place, errors in paired.places(
        table, log_positive(table["rmse"]), names, "variant"
    ).items():
        for variant in errors.columns.drop(reference, errors="ignore"):
            if reference not in errors:
                continue
            test = row_tests((errors[variant] - errors[reference]).to_numpy())
            ends = {end: float(np.exp(getattr(test, end)[0])) for end in ("mean", "low", "high")}
            named = dict(zip(names, place, strict=True)) | {"variant": variant}
            found.append(named | ends | {"trials": int(test.trials[0])})
    return pd.DataFrame(found, columns=[*names, "variant", "mean", "low", "high", "trials"])


def of_tuned(trials: pd.DataFrame | None) -> dict[tuple, paired.Pair]:
    """Set Local Bayes against the best of the others, things named (method, variant)."""
    return _of_default(of_variants(trials, (TUNED,)), TUNED)


def of_opponents(trials: pd.DataFrame | None) -> dict[tuple, paired.Pair]:
    """Set Local Bayes against the best of the others, at settings of either search.

    The places are those of the search with equal effort; things are named (method, variant).
    """
    rows = of_variants(trials, (SEARCHED, TUNED))
    return _of_default(rows, SEARCHED)


def of_posterior(trials: pd.DataFrame | None) -> dict[tuple, paired.Pair]:
    """Set Local Bayes against the best of the others with its offsets and posterior of users."""
    if trials is None:
        return {}
    with_posterior = trials["variant"].str.startswith(POSTERIOR)
    default = (trials["method"] == LOCAL_BAYES) & (trials["variant"] == TUNED)
    return _of_default(trials[with_posterior | default], POSTERIOR)


def of_either(trials: pd.DataFrame) -> tuple[dict[tuple, paired.Pair], dict[tuple, paired.Pair]]:
    """Compare Local Bayes with the best other method on the splits of :func:`of_posterior`, twice.

    The first result uses the other methods as they are. In the second, each other method is used as
    it is or with Local Bayes' offsets and posterior of users, whichever has the lower RMSE.
    """
    with_posterior = trials["variant"].str.startswith(POSTERIOR)
    splits = trials.loc[with_posterior, [*PLACE, "trial"]].drop_duplicates()
    as_they_are = of_variants(trials, (SEARCHED, TUNED)).merge(splits)
    either = pd.concat([as_they_are, trials[with_posterior]])
    return _of_default(as_they_are, SEARCHED), _of_default(either, POSTERIOR)


def _of_default(rows: pd.DataFrame, beginning: str) -> dict[tuple, paired.Pair]:
    """Compare at the places where something has a variant that begins so."""
    found = {
        place: here
        for place, here in models(rows).items()
        if any(variant.startswith(beginning) for _, variant in here.columns)
    }
    names = {name for here in found.values() for name in here.columns}
    default = [name for name in names if name[0] == LOCAL_BAYES]
    return paired.pairs(found, default, names - set(default))

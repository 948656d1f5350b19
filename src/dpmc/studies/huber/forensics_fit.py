"""How well each choice of the forensics fits the reported numbers."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from dpmc.frame.showing.frames import select
from dpmc.statistics.bootstrap import bootstrap_interval
from dpmc.statistics.tests import log_positive, mean_interval, trial_matrix
from dpmc.studies.huber.experiments.forensics_real import INNER_ITERATIONS, RealVariant
from dpmc.studies.huber.experiments.forensics_synthetic import SyntheticVariant
from dpmc.studies.huber.reported.numbers import IRLS_ITERATIONS

SYNTHETIC_KEYS = ["rank", "variance", "observed_fraction", "mechanism"]
REAL_KEYS = ["observed_fraction", "method", "mechanism", "irls_iterations", "variance"]
_MEASURES = ("mean", "standard_error", "log_ratio")
REAL_COLUMNS = [
    *("dataset", "split", "start", *REAL_KEYS, "published", "trials"),
    *(f"{measure}{suffix}" for suffix in ("", "_clipped") for measure in _MEASURES),
]
CHOICE_COLUMNS = ["dataset", "split", "start", "choice", "predictions", "numbers", "rms_log_ratio"]
LOSS_FIT_COLUMNS = ["dataset", "observed_fraction", "mechanism", "loss_parameter", "rmse",
               "above_als", "low", "high", "reported", "reported_above_als", "trials"]  # fmt: skip


def synthetic_fit(
    runs: Mapping[SyntheticVariant, pd.DataFrame], published: pd.DataFrame
) -> pd.DataFrame:
    """Compare synthetic variants with the reported ALS columns without and with Gaussian noise.

    ``runs`` is variant to its trial rows, ``published`` as
    :func:`dpmc.studies.huber.reported.load` returns it. The result has one row per variant:
    ``users, items, scale`` (NaN: rescaled to a largest entry of 5), ``start, cells, trials,
    rms_log_ratio, median_absolute_log_ratio`` and ``behind_best``, by how much the best variant
    fits better, with its 95 % bootstrap interval ``behind_low, behind_high``. Trials of the same
    number share their random streams, so the difference is bootstrapped over pairs; NaN with few
    trials or other numbers of trials.
    """
    reported = _reported_synthetic(published)
    fits = {variant: _LogRatios.of(trials, reported) for variant, trials in runs.items()}
    best = min(fits.values(), key=_LogRatios.rms)
    rows = []
    for variant, fit in fits.items():
        low = high = np.nan
        if fit.count == best.count:
            behind = bootstrap_interval(lambda w, fit=fit: fit.rms(w) - best.rms(w), fit.count)
            low, high = behind.low, behind.high
        rows.append(
            asdict(variant)
            | {
                "cells": len(fit.target),
                "trials": fit.count,
                "rms_log_ratio": fit.rms(),
                "median_absolute_log_ratio": float(np.median(np.abs(fit.of_means()))),
                "behind_best": fit.rms() - best.rms(),
                "behind_low": low,
                "behind_high": high,
            }
        )
    return pd.DataFrame(rows).astype({"scale": float})


@dataclass(frozen=True)
class _LogRatios:
    """RMSE of cells by trials, and the logarithm of what is reported for each cell."""

    matrix: np.ndarray
    target: np.ndarray

    @classmethod
    def of(cls, trials: pd.DataFrame, reported: Mapping[tuple, float]) -> "_LogRatios":
        cells, matrix = trial_matrix(trials, trials["rmse_all"], SYNTHETIC_KEYS)
        keys = cells.fillna({"variance": 0.0}).itertuples(index=False, name=None)
        return cls(matrix, np.log([reported[key] for key in keys]))

    @property
    def count(self) -> int:
        return self.matrix.shape[1]

    def of_means(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Return log(mean / reported) by cell, also for each row of bootstrap weights."""
        weights = np.ones(self.count) if weights is None else weights
        return np.log(weights @ self.matrix.T / self.count) - self.target

    def rms(self, weights: np.ndarray | None = None):
        return np.sqrt(np.mean(np.square(self.of_means(weights)), axis=-1))


def _reported_synthetic(published: pd.DataFrame) -> dict[tuple, float]:
    """Return the reported RMSE of each cell; without noise the geometric mean of both blocks."""
    table = published[(published["metric"] == "rmse_all") & (published["method"] == "als")]
    table = table.assign(
        variance=table["variance"].where(table["mechanism"] != "none", 0.0),
        log=np.log(table["published"]),
    )
    return np.exp(table.groupby(SYNTHETIC_KEYS)["log"].mean()).to_dict()


def real_fit(runs: Mapping[RealVariant, pd.DataFrame], published: pd.DataFrame) -> pd.DataFrame:
    """Compare every cell on real data with the number reported for its column.

    The result has one row per variant and cell, none without data: ``dataset, split, start``, the
    coordinates, ``published, trials``, and ``mean, standard_error, log_ratio`` of the raw RMSE and,
    with the suffix ``_clipped``, of that of predictions clipped to the range of ratings.
    """
    reported = _reported_real(published)
    rows = []
    for variant, trials in runs.items():
        for key, cell in trials.groupby(REAL_KEYS, dropna=False, sort=False):
            place = dict(zip(REAL_KEYS, key, strict=True))
            inner = _reported_inner(place["irls_iterations"])
            value = reported.get((variant.dataset, *key[:3], inner))
            if value is None:  # a fraction of the user's own
                continue
            row = {"dataset": variant.dataset, "split": variant.split, "start": variant.start}
            row |= place | {"published": value, "trials": len(cell)}
            for metric, suffix in (("rmse_heldout", ""), ("rmse_clipped", "_clipped")):
                found = mean_interval(cell[metric])
                row[f"mean{suffix}"] = found.estimate
                row[f"standard_error{suffix}"] = found.standard_error
                row[f"log_ratio{suffix}"] = float(np.log(found.estimate / value))
            rows.append(row)
    return pd.DataFrame(rows, columns=REAL_COLUMNS)


def _reported_inner(inner: float) -> float:
    """Return the K under which a column is reported; 0 without K."""
    if np.isnan(inner):
        return 0.0
    return float(IRLS_ITERATIONS if inner in INNER_ITERATIONS else inner)


def _reported_real(published: pd.DataFrame) -> dict[tuple, float]:
    table = published[published["metric"] == "rmse_heldout"].fillna({"irls_iterations": 0.0})
    keys = ["dataset", "observed_fraction", "method", "mechanism", "irls_iterations"]
    return table.set_index(keys)["published"].to_dict()


def real_choices(fit: pd.DataFrame) -> pd.DataFrame:
    """Summarise :func:`real_fit`: how well each open choice fits, over the columns it touches.

    The result has ``dataset, split, start, choice`` ("no noise", "variance 0.5", ... for the
    Gaussian column, "K = 20", "K = 10" for the private IRLS columns at variance 1), ``predictions``
    (raw or clipped), ``numbers`` and ``rms_log_ratio``.
    """
    rows = []
    for key, variant in fit.groupby(["dataset", "split", "start"], sort=False):
        gaussian = variant["mechanism"] == "gaussian"
        private = variant["mechanism"].isin(["laplace", "huber"]) & (variant["variance"] == 1)
        choices = {"no noise": (variant["mechanism"] == "none") & (variant["method"] == "als")}
        for variance in sorted(variant.loc[gaussian, "variance"].unique()):
            choices[f"variance {variance:g}"] = gaussian & (variant["variance"] == variance)
        for inner in INNER_ITERATIONS:
            choices[f"K = {inner}"] = private & (variant["irls_iterations"] == inner)
        for choice, chosen in choices.items():
            for predictions, suffix in (("raw", ""), ("clipped", "_clipped")):
                ratios = variant.loc[chosen, f"log_ratio{suffix}"]
                rms = float(np.sqrt(np.mean(np.square(ratios))))
                rows.append((*key, choice, predictions, len(ratios), rms))
    return pd.DataFrame(rows, columns=CHOICE_COLUMNS)


def loss_fit(trials: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Set A-IRLS against ALS without noise, ours by loss parameter beside the reported ones.

    ``trials`` is the table of :mod:`dpmc.studies.huber.experiments.forensics_loss`; ``published``
    is as :func:`dpmc.studies.huber.reported.load` returns it. The result has the columns
    :data:`LOSS_FIT_COLUMNS`, a row per data set, fraction, mechanism and parameter: ``above_als``
    is the mean log ratio of RMSE to that of ALS without noise, paired, with its 95 % t interval
    ``low, high``.
    """
    rows = []
    reported = published[published["metric"] == "rmse_heldout"]
    places = ["dataset", "observed_fraction"]
    for place, part in trials.groupby(places, sort=False):
        where = dict(zip(places, place, strict=True))
        als = part[part["method"] == "als"].set_index("trial")["rmse_heldout"]
        theirs = select(reported, **where)
        base = select(theirs, method="als", mechanism="none")["published"]
        irls = part[part["method"] == "irls"]
        keys = ["mechanism", "loss_parameter", "irls_iterations"]
        for (mechanism, loss, inner), cell in irls.groupby(keys, sort=False):
            same = select(theirs, method="irls", mechanism=mechanism, irls_iterations=inner)
            if base.empty or same.empty:  # a fraction of the user's own
                continue
            errors = cell.set_index("trial")["rmse_heldout"]
            ratio = mean_interval(log_positive(errors) - log_positive(als.reindex(errors.index)))
            value = float(same["published"].iloc[0])
            rows.append(
                (*place, mechanism, loss, errors.mean(), ratio.estimate, ratio.low, ratio.high,
                 value, float(np.log(value / base.iloc[0])), len(errors))
            )  # fmt: skip
    return pd.DataFrame(rows, columns=LOSS_FIT_COLUMNS)

"""What the Huber paper leaves open: makes results/reference/huber/huber_columns.csv again.

``python benchmarks/forensics.py columns FILE`` writes the sweep over the sampler and variance of
Huber noise (6 CPU minutes): which noise gives the printed Huber columns? They lie below the
Gaussian ones by up to seven per cent at variance 2, ours do not. The thesis prints an inverse CDF
with a wrong sign, by which its noise may have been drawn, and its law of the starting values
(U(0, 1)) is not the paper's (N(0, 1)). All noises of a trial are made of the same uniform numbers
by an inverse CDF, as the thesis draws, on the same matrix, mask and start.

``python benchmarks/forensics.py sizes FILE`` writes how near each of 56 sizes, scales and starts of
the synthetic data comes to the printed errors (5 CPU minutes); the configuration has the nearest.

``fits`` and ``fitted_variance`` say how near the noises of the sweep come to the printed columns:
mistake E60.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.datasets.synthetic import SyntheticInstance
from dpmc.mechanisms.gaussian import Gaussian
from dpmc.mechanisms.huber import Huber
from dpmc_studies import configuration
from dpmc_studies.frame.checking.runs import write_frame
from dpmc_studies.frame.jobs import seeds
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.showing.frames import select
from dpmc_studies.mechanism_facts import published_inverse_cdf
from dpmc_studies.methods import method_class
from dpmc_studies.statistics.bootstrap import bootstrap_interval
from dpmc_studies.statistics.tests import Interval, log_positive
from dpmc_studies.studies.huber.cells import AS_PRINTED, HUBER_KEYS, RIGHT, Cell
from dpmc_studies.studies.huber.experiments.common import METHOD_SETTINGS
from dpmc_studies.studies.huber.reported import load
from dpmc_studies.studies.huber.trial import run_cell, synthetic_instance

HOME = Path(__file__).parents[1]
RANKS, FRACTIONS, STARTS = (5, 10, 20), (0.05, 0.10, 0.15), ("normal", "uniform")
GAUSSIAN, REPORTED_VARIANCES = "gaussian", (1.0, 2.0)
VARIANCES = {
    GAUSSIAN: REPORTED_VARIANCES,
    RIGHT: (1.0, 1.2, 1.4, 1.6, 2.0),
    AS_PRINTED: REPORTED_VARIANCES,  # of the law that it should draw from
}
SMALLEST_UNIFORM = 2.0**-54  # a uniform number of exactly 0 would give minus infinity
COLUMN_TRIALS, SIZE_TRIALS = 20, 5
REPORTED_TRIALS = 10  # "averaged over 10 trials"
PLACE, METHODS = ["rank", "observed_fraction"], ("als", "irls")
NOISE = [name for name in HUBER_KEYS if name not in PLACE]
SIZES = ((100, 500), (100, 600), (80, 500), (120, 400), (200, 200), (300, 300), (943, 1682))
SCALES = (0.95, 1.0, 1.05, None)  # None: each matrix is rescaled to a largest entry of 5
LARGEST = 5.0  # the papers say that ratings range from 1 to 5
NOISES = (("none", None), (GAUSSIAN, 1.0), (GAUSSIAN, 2.0))  # no parameter but their variance
ONE_TRIAL_ENTRIES = 1_000_000  # means over more entries vary too little to need more trials


def settings() -> dict[str, object]:
    """Return the settings of the papers' grid on synthetic data."""
    section = configuration.load(HOME / "config" / "config.yaml")["huber"]
    return {name: section[name] for name in METHOD_SETTINGS} | dict(section["synthetic"])


@dataclass(frozen=True)
class InverseCdf:
    """Noise drawn by an inverse CDF, which need not be right."""

    quantile: Callable[[np.ndarray], np.ndarray]

    def rvs(self, size=None, rng=None):
        return self.quantile(np.maximum(rng.random(size), SMALLEST_UNIFORM))


def noises() -> dict[tuple[str, float], InverseCdf]:
    """Return the noises by name and variance; Huber noise of "variance 1" is that of a = 3."""
    quantiles = {
        GAUSSIAN: lambda variance: Gaussian.from_variance(variance).ppf,
        RIGHT: lambda variance: Huber.from_variance(variance).ppf,
        AS_PRINTED: lambda variance: partial(
            published_inverse_cdf, a=Huber.from_variance(variance).a
        ),
    }
    return {
        (name, variance): InverseCdf(quantiles[name](variance))
        for name, variances in VARIANCES.items()
        for variance in variances
    }


def column_trials(
    starts: Sequence[str], ranks: Sequence[int], fractions: Sequence[float], used: Mapping
) -> Iterator[dict[str, object]]:
    """Yield the RMSE of ALS with each noise in each trial."""
    drawn, als = noises(), method_class("als")
    for start, rank, fraction in product(starts, ranks, fractions):
        place = {"rank": rank, "observed_fraction": fraction}
        for trial in range(used["trials"]):
            instance = synthetic_instance(place, used, trial)
            key = {"dataset": SYNTHETIC, **place, "trial": trial}
            for (name, variance), noise in drawn.items():
                model = als(
                    rank=rank,
                    regularization=used["regularization"],
                    iterations=used["iterations"],
                    start=start,
                    mechanism=noise,
                ).fit(
                    instance.observed,
                    rng=seeds.stream(used["seed"], seeds.START, key),
                    noise_rng=seeds.stream(used["seed"], seeds.NOISE, key),
                )
                error = np.square(model.predict_matrix() - instance.matrix()).mean()
                found = {"noise": name, "variance": variance, "rmse_all": float(np.sqrt(error))}
                yield {"start": start, **place, "trial": trial, **found}


def differences(trials: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return log RMSE with Huber noise less that with Gaussian noise, ours beside the reported.

    The result has a row for each value of :data:`HUBER_KEYS`: ``difference`` (mean of ours with
    ALS, Gaussian noise having the reported variance), its ``standard_error``, the
    ``sampling_error`` of a reported one (standard error of a difference of two means of ten trials,
    each on its own matrices), ``reported_als``, ``reported_irls`` and ``trials``.
    """
    logs = trials.assign(log=log_positive(trials["rmse_all"])).pivot(
        index=["start", *PLACE, "trial"], columns=["noise", "variance"], values="log"
    )
    wide = published[published["metric"] == "rmse_all"].pivot_table(
        index=["method", "variance", *PLACE], columns="mechanism", values="published"
    )
    reported = np.log(wide["huber"] / wide["gaussian"])
    rows = []
    for (start, rank, fraction), part in logs.groupby(level=["start", *PLACE], sort=False):
        for (noise, variance), level in product(logs.columns, REPORTED_VARIANCES):
            # the wrong sampler at the reported variance; the right one at any
            if noise == GAUSSIAN or (noise == AS_PRINTED and variance != level):
                continue
            pair = part[[(noise, variance), (GAUSSIAN, level)]]
            paired = pair.iloc[:, 0] - pair.iloc[:, 1]
            keys = (start, noise, variance, level, rank, fraction)
            rows.append(
                {
                    **dict(zip(HUBER_KEYS, keys, strict=True)),
                    "difference": paired.mean(),
                    "standard_error": paired.std() / np.sqrt(len(paired)),
                    "sampling_error": np.sqrt(pair.var().sum() / REPORTED_TRIALS),
                    **{
                        f"reported_{method}": reported[method, level, rank, fraction]
                        for method in METHODS
                    },
                    "trials": len(paired),
                }
            )
    return pd.DataFrame(rows).sort_values(list(HUBER_KEYS), ignore_index=True)


def columns() -> pd.DataFrame:
    """Return the table of the reference."""
    used = settings() | {"trials": COLUMN_TRIALS}
    return differences(pd.DataFrame(column_trials(STARTS, RANKS, FRACTIONS, used)), load())


def fits(columns: pd.DataFrame) -> pd.DataFrame:
    """Return how near each noise comes to the reported differences of 18 columns.

    The result has :data:`NOISE`, ``columns``, ``rms`` (root mean square of ours less reported),
    ``errors_apart`` (the same in standard errors; 1 by chance) and ``beyond``, how many columns are
    more than two standard errors away.
    """
    rows = []
    for key, part in columns.groupby(NOISE, sort=False):
        off, error = _off(part)
        rows.append(
            (*key, off.size, *(np.sqrt(np.mean(np.square(each))) for each in (off, off / error)),
             int((np.abs(off) > 2 * error).sum()))
        )  # fmt: skip
    return pd.DataFrame(rows, columns=[*NOISE, "columns", "rms", "errors_apart", "beyond"])


def _off(part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return ours less reported, and its standard error, both of shape (methods, places)."""
    off = np.array([part["difference"] - part[f"reported_{method}"] for method in METHODS])
    error = np.hypot(part["standard_error"], part["sampling_error"])
    return off, np.broadcast_to(error, off.shape)


def fitted_variance(
    columns: pd.DataFrame, start: str, reported_variance: float, fraction: float
) -> Interval:
    """Return the variance of right Huber noise that fits best, with a 95 % bootstrap interval.

    Over ranks and methods at one observed fraction: least squares of differences over their
    standard errors, differences being interpolated between the variances of the sweep; resampled
    are the reported columns.
    """
    place = {"start": start, "noise": RIGHT, "reported_variance": reported_variance}
    chosen = select(columns, **place, observed_fraction=fraction)
    known = np.sort(chosen["variance"].unique())
    grid = np.linspace(known[0], known[-1], 201)
    squares = []
    for _, part in chosen.sort_values("variance").groupby(PLACE):
        off, error = _off(part)
        squares += [np.interp(grid, known, each) ** 2 for each in off / error]
    squares = np.array(squares)
    return bootstrap_interval(
        lambda weights: grid[np.argmin(weights @ squares, axis=1)], len(squares)
    )


def choices() -> list[tuple[tuple[int, int], float | None, str]]:
    """Return the sizes, scales and starts that are tried."""
    return list(product(SIZES, SCALES, STARTS))


def distance(size: tuple[int, int], scale: float | None, start: str, used: Mapping) -> float:
    """Return the root mean square of log(our RMSE / the printed one) over 27 cells of ALS."""
    used = {**used, "users": size[0], "items": size[1], "scale": scale or 1.0, "start": start}
    if np.prod(size) > ONE_TRIAL_ENTRIES:
        used["trials"] = 1
    printed = load().query("metric == 'rmse_all' and method == 'als'")
    off = []
    for rank, fraction in product(RANKS, FRACTIONS):
        place = {"rank": rank, "observed_fraction": fraction}
        instances = [synthetic_instance(place, used, trial) for trial in range(used["trials"])]
        if scale is None:
            instances = [rescaled(instance) for instance in instances]
        here = printed[(printed["rank"] == rank) & (printed["observed_fraction"] == fraction)]
        for mechanism, variance in NOISES:
            cell = Cell(SYNTHETIC, rank, variance, fraction, "als", mechanism, None)
            ours = [row["rmse_all"] for row in run_cell(cell, used, instances=instances)]
            same = here[here["mechanism"] == mechanism]
            if variance is not None:
                same = same[same["variance"] == variance]
            # without noise it is printed twice
            off.append(np.log(np.mean(ours)) - np.log(same["published"]).mean())
    return float(np.sqrt(np.mean(np.square(off))))


def rescaled(instance: SyntheticInstance) -> SyntheticInstance:
    """Multiply a matrix by the factor that makes its largest entry :data:`LARGEST`."""
    factor = LARGEST / instance.matrix().max()
    observed = replace(instance.observed, values=factor * instance.observed.values)
    return SyntheticInstance(factor * instance.user_factors, instance.item_factors, observed)


def sizes() -> pd.DataFrame:
    """Return the choices, the nearest first."""
    used = settings() | {"trials": SIZE_TRIALS}
    rows = [
        (*size, scale, start, distance(size, scale, start, used))
        for size, scale, start in choices()
    ]
    names = ["users", "items", "scale", "start", "rms_log_ratio"]
    return pd.DataFrame(rows, columns=names).sort_values("rms_log_ratio", ignore_index=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("columns", "sizes"))
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    write_frame(given.file, {"columns": columns, "sizes": sizes}[given.what]())

"""What shows the errata of the Huber paper and the thesis.

Small runs have the synthetic size and settings of the configuration's defaults and a seed of their
own, so that no text depends on a run.
"""

import io
import lzma
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from forensics import fitted_variance

from dpmc.mechanisms.gaussian import Gaussian
from dpmc.mechanisms.huber import Huber, huber_loss
from dpmc.mechanisms.laplace import Laplace
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.nominal import table_one
from dpmc.ratings import Ratings
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.mechanism_facts import huber_to_laplace_variance, published_inverse_cdf
from dpmc_studies.statistics.tests import Interval, mean_interval
from dpmc_studies.studies.huber import KEPT
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.claims.budgets import RELEASES, TOTAL_DELTA, TOTAL_EPSILON
from dpmc_studies.studies.huber.claims.facts import SMALL_RUN, changed_predictions
from dpmc_studies.studies.huber.experiments.common import NOISES
from dpmc_studies.studies.huber.reported import load
from dpmc_studies.studies.huber.trial import fit, run_cell, synthetic_instance
from errata_numbers import Evidence, below, listed

SETTINGS = SMALL_RUN | {"trials": 5, "loss_parameter": "noise", "residual_scale": 1.0}
LARGEST_RANK, FRACTION = 20, 0.1
SENSITIVITY = 5.0  # of table 1
REGRESSIONS, INNER_STEPS = 500, 20
TAIL = 0.05  # below -a
COORDINATES, SHIFTS = 20, 1000
STATED_LARGEST = 5.0
REPORTED_VARIANCE = 2.0
ROWS, COLUMNS, SHARE = 12, 8, 0.5
THRESHOLD = 2.0  # tau
FAR = 1000.0  # how far along P(M) the dual is looked at


@dataclass(frozen=True)
class Sources:
    """What is printed, and the papers' data sets, of those whose files there are."""

    ratings: Mapping[str, Ratings]
    raw_files: Mapping[str, Path]
    published: pd.DataFrame = field(default_factory=load)

    def budgets(self, mechanism: str) -> pd.Series:
        """Return the epsilons reported in table 1, by variance."""
        table = self.published[
            (self.published["metric"] == "epsilon") & (self.published["mechanism"] == mechanism)
        ]
        return table.set_index("variance")["published"]


ENTRIES: dict[str, Callable[[Sources], Evidence]] = {}


def shows(identifier: str) -> Callable:
    """Return a decorator that registers what shows a mistake under its id."""
    return lambda function: ENTRIES.setdefault(identifier, function)


def errors(cell: Cell, **change: object) -> np.ndarray:
    """Return RMSE by trial with the settings of this module, some of them changed."""
    return np.array([row["rmse_all"] for row in run_cell(cell, SETTINGS | change)])


def log_ratio(first: np.ndarray, second: np.ndarray) -> Interval:
    """Return the mean log ratio of errors, paired by trial."""
    return mean_interval(np.log(first / second))


def formatted(change: Interval) -> str:
    """Write a change with its standard error."""
    return f"{change.estimate:+.2g} ± {change.standard_error:.1g}"


def als_on_movielens(table: str) -> pd.DataFrame:
    """Return the rows of ALS without noise on MovieLens 100K of the last full run."""
    packed = KEPT.parent / "tables" / f"{table}.csv.xz"
    rows = pd.read_csv(io.BytesIO(lzma.decompress(packed.read_bytes())))
    return rows.query("dataset == 'ml-100k' and method == 'als' and mechanism == 'none'")


@shows("E3")
def gaussian_budgets(sources: Sources) -> Evidence:
    rows = [row for row in table_one() if row["mechanism"] == "gaussian"]
    deltas = [
        Gaussian.from_variance(variance).delta(epsilon, SENSITIVITY)
        for variance, epsilon in sources.budgets("gaussian").items()
    ]
    forms = {"log10": "published_form", "ln": "corrected"}
    found = {
        name: listed((row[f"epsilon_{form}"] for row in rows), 3) for name, form in forms.items()
    }
    return Evidence({}, deltas=listed(deltas, 3), **found)


@shows("E5")
def sensitivity(sources: Sources) -> Evidence:
    cell = Cell(SYNTHETIC, LARGEST_RANK, None, 0.15, "als", "none", None)
    instance = synthetic_instance(cell.coordinates(), SETTINGS, 0)
    spread = float(np.ptp(instance.matrix()))
    model, _ = fit(cell, SETTINGS, 0, instance.observed)
    ranges = {
        name.replace("-", "_"): float(np.ptp(ratings.values))
        for name, ratings in sources.ratings.items()
    }
    changes = {
        f"l{power}": spread * float(np.linalg.norm(model.user_factors_, power, axis=1).max())
        for power in (1, 2)
    }
    return Evidence({"range": spread, **changes}, **ranges)


@shows("E11")
def labels(sources: Sources) -> Evidence:
    clipped = float(als_on_movielens("trials")["rmse_clipped"].mean())
    table = sources.published.query("table == 'table4' and mechanism == 'none'")
    als = table.set_index("method")["published"]["als"]
    return Evidence({"als": als, "rmse": clipped, "square": clipped**2})


@shows("E14")
def claims_about_own_tables(sources: Sources) -> Evidence:
    wide = _synthetic(sources, ["mechanism", "rank", "variance", "observed_fraction"], "method")
    als = wide["als"] < wide["irls"]
    counts = {"gaussian": als["gaussian"], "laplace": ~als["laplace"],
              "huber": als["huber"].xs(1, level="variance")}  # fmt: skip
    said = [
        f"{part.sum()} of {len(part)}"
        for rows in counts.values()
        for part in (rows.xs(5, level="rank"), rows)
    ]
    ratios = (wide["irls"] / wide["als"]).loc["huber", 5].groupby("variance").idxmin()
    gains = [f"{fraction:.0%}".replace("%", " %") for _, fraction in ratios]
    return Evidence({}, counts=" … ".join(said), gains=" … ".join(gains))


@shows("E15")
def one_release(sources: Sources) -> Evidence:
    noise, pure = Gaussian.from_variance(2.0), {"laplace": 5.0, "huber": None}
    pure["huber"] = Huber.from_variance(2.0).epsilon(SENSITIVITY)
    totals = []
    for count in (50, 1000):
        # n releases with sensitivity D are as private as one with sensitivity sqrt(n) D
        total = noise.epsilon(SENSITIVITY * np.sqrt(count), 1e-5, formula="exact")
        totals += [f"{each:,.0f}" for each in (total, *(count * one for one in pure.values()))]
    reported = [f"{sources.budgets(name)[2.0]:.3f}" for name in ("gaussian", "laplace", "huber")]
    return Evidence({}, reported=" … ".join(reported), totals=" … ".join(totals))


@shows("E16")
def noiseless_users(sources: Sources) -> Evidence:
    rating, moved, shifts = changed_predictions()
    numbers = {"largest": float(shifts.max()), "changed": int((shifts > 0).sum())}
    return Evidence(numbers, rating=rating, moved=moved, predictions=shifts.size)


@shows("E61")
def settings(sources: Sources) -> Evidence:
    als = Cell(SYNTHETIC, LARGEST_RANK, None, FRACTION, "als", "none", None)
    irls = Cell(SYNTHETIC, LARGEST_RANK, None, FRACTION, "irls", "none", 20)
    means = als_on_movielens("heldout").groupby("iteration")["rmse_heldout"].mean()
    changes = {
        "size": (als, {"users": 200, "items": 200}),
        "scale": (als, {"scale": 1.05}),
        "loss": (irls, {"loss_parameter": 0.1}),
    }
    return Evidence(
        {"after": float(means[20])},
        **{
            name: formatted(log_ratio(errors(cell, **change), errors(cell)))
            for name, (cell, change) in changes.items()
        },
    )


@shows("E63")
def noise_in_ratings(sources: Sources) -> Evidence:
    noise = Huber.from_variance(2.0)
    rng = np.random.default_rng(1)
    squares = {place: {"plain": [], "robust": []} for place in ("ratings", "sums")}
    for _ in range(REGRESSIONS):
        users, theta = rng.standard_normal((40, 5)), rng.standard_normal(5)
        values = users @ theta
        found = {
            "ratings": (values + noise.rvs(40, rng), np.zeros(5)),
            "sums": (values, noise.rvs(5, rng)),
        }
        for place, (targets, added) in found.items():
            plain = robust = np.linalg.solve(users.T @ users, users.T @ targets + added)
            for _ in range(INNER_STEPS):
                residuals = np.abs(targets - users @ robust)
                weights = np.minimum(1.0, noise.a / np.maximum(residuals, 1e-300))
                weighted = users.T * weights
                robust = np.linalg.solve(weighted @ users, weighted @ targets + added)
            for name, estimate in (("plain", plain), ("robust", robust)):
                squares[place][name].append(np.square(estimate - theta).sum())
    numbers = {
        place: float(np.mean(each["robust"]) / np.mean(each["plain"]) - 1)
        for place, each in squares.items()
    }
    return Evidence(numbers, regressions=REGRESSIONS)


@shows("E1")
def inverse_cdf(sources: Sources) -> Evidence:
    a = _reported_a(sources)
    # midpoints: the inverse CDF is infinite at 0 and 1
    draws = published_inverse_cdf((np.arange(1_000_000) + 0.5) / 1_000_000, a)
    numbers = {
        "published_quantile": float(published_inverse_cdf(0.95, 1.0)),
        "quantile": float(Huber(1.0).ppf(0.95)),
        "reported_mean": float(draws.mean()),
        "reported_variance": float(draws.var()),
        "variance": Huber(a).var(),
    }
    return Evidence(numbers, a=a)


@shows("E2")
def normaliser(sources: Sources) -> Evidence:
    a = _reported_a(sources)
    integral = 1 / math.exp(Huber(a).logpdf(0.0))
    exponent = math.log(a * integral * TAIL) / a  # the left of B.15
    numbers = {"quantile": float(Huber(a).ppf(TAIL)), "with": exponent / a - a / 2}
    return Evidence(numbers, a=a, tail=TAIL)


@shows("E4")
def huber_budgets(sources: Sources) -> Evidence:
    reported = sources.budgets("huber").drop(1.0)  # the papers choose a = 3 there
    return Evidence(
        {},
        reported=listed(reported, 3),
        right=listed((Huber.from_variance(v).epsilon(SENSITIVITY) for v in reported.index), 4),
        variances=listed((Huber(e / SENSITIVITY).var() for e in reported), 4),
    )


@shows("E13")
def less_noise_than_laplace(sources: Sources) -> Evidence:
    a = _reported_a(sources)
    budget = {"releases": RELEASES, "epsilon": TOTAL_EPSILON, "delta": TOTAL_DELTA}
    laplace, huber = (calibrate(name, **budget).noise for name in ("laplace", "huber"))
    return Evidence(
        {"ratio": huber_to_laplace_variance(a), "training_ratio": huber.var() / laplace.var()},
        a=a,
        best_a=huber.a,
        **budget,
    )


@shows("E66")
def falling_budgets(sources: Sources) -> Evidence:
    reported = {name: sources.budgets(name) for name in NOISES}
    return Evidence(
        {f"{name}_fall": float(each[4.0] / each[1.0]) for name, each in reported.items()}
    )


@shows("E41")
def proof_for_numbers(sources: Sources) -> Evidence:
    a = _reported_a(sources)
    noise = Huber(a)
    shifts = np.abs(np.random.default_rng(1).standard_normal((SHIFTS, COORDINATES)))
    losses = {}
    for norm, power in (("l1", 1), ("l2", 2)):
        sizes = np.linalg.norm(shifts, power, axis=1, keepdims=True)
        scaled = SENSITIVITY * shifts / sizes
        # the loss is largest, and constant, where all coordinates of the noise exceed a
        losses[norm] = (noise.logpdf(a) - noise.logpdf(a + scaled)).sum(axis=1)
    numbers = {norm: float(each.max()) for norm, each in losses.items()}
    return Evidence(numbers, shifts=SHIFTS, coordinates=COORDINATES, a=a, sensitivity=SENSITIVITY)


def _reported_a(sources: Sources) -> float:
    """Return the papers' a at variance 2, from their budget."""
    return float(sources.budgets("huber")[2.0]) / SENSITIVITY


@shows("E6")
def regularization(sources: Sources) -> Evidence:
    weight = 0.5
    rng = np.random.default_rng(1)
    factors, values = rng.standard_normal((40, 5)), 3 * rng.standard_normal(40)
    theta = np.zeros(5)
    for _ in range(500):
        weights = np.minimum(1.0, 1.0 / np.maximum(np.abs(values - factors @ theta), 1e-300))
        gram = (factors.T * weights) @ factors + weight * np.eye(5)
        theta = np.linalg.solve(gram, factors.T @ (weights * values))
    pull = factors.T @ np.clip(values - factors @ theta, -1.0, 1.0)
    numbers = {
        "gradient": below(1e-12, np.abs(weight * theta - pull).max()),
        "published_gradient": float(np.abs(2 * weight * theta - pull).max()),
    }
    return Evidence(numbers)


@shows("E8")
def noise_in_the_sum(sources: Sources) -> Evidence:
    places = ({"rank": 5, "observed_fraction": fraction} for fraction in (0.05, 0.10, 0.15))
    drawn = [synthetic_instance(place, SETTINGS, 0).observed for place in places]
    counts = [len(observed) / observed.n_items for observed in drawn]
    ratings = sources.ratings["ml-100k"]
    counts.append(0.8 * len(ratings) / ratings.n_items)
    return Evidence({}, counts=" … ".join(f"{count:.1f}" for count in counts))


@shows("E9")
def unstated_start(sources: Sources) -> Evidence:
    als = Cell(SYNTHETIC, LARGEST_RANK, None, 0.1, "als", "none", None)
    paper, thesis = (
        Cell(SYNTHETIC, LARGEST_RANK, None, 0.1, "irls", "none", inner) for inner in (20, 10)
    )
    return Evidence(
        {},
        largest_rank=LARGEST_RANK,
        trials=SETTINGS["trials"],
        start=formatted(log_ratio(errors(als, start="uniform"), errors(als))),
        inner=formatted(log_ratio(errors(thesis), errors(paper))),
    )


@shows("E42")
def gradient(sources: Sources) -> Evidence:
    rng = np.random.default_rng(1)
    items, theta, values = (rng.standard_normal(shape) for shape in ((40, 5), 5, 40))
    residuals = values - items @ theta
    weighted = np.clip(residuals, -1, 1)  # W r

    def objective(point: np.ndarray) -> float:
        size = np.abs(values - items @ point)
        return float(np.where(size <= 1, size**2 / 2, size - 0.5).sum() + point @ point / 4)

    step = 1e-6
    differences = [
        (objective(theta + step * unit) - objective(theta - step * unit)) / (2 * step)
        for unit in np.eye(5)
    ]
    right = -items.T @ weighted + theta / 2
    numbers = {"difference": below(1e-6, np.abs(right - differences).max())}
    return Evidence(numbers)


@shows("E43")
def identical_noise(sources: Sources) -> Evidence:
    cell = Cell(SYNTHETIC, 5, 2.0, 0.1, "als", "huber", None)
    observed = synthetic_instance(cell.coordinates(), SETTINGS, 0).observed
    model, _ = fit(cell, SETTINGS, 0, observed)
    users = model.user_factors_[observed.users]
    size = np.abs(users).sum(axis=1)
    predicted = np.abs((users * model.item_factors_[observed.items]).sum(axis=1))
    numbers = {
        "gram": float((size * predicted).max()),
        "right_side": float((size * np.abs(observed.values)).max()),
    }
    return Evidence(numbers)


@shows("E12")
def residual_scale(sources: Sources) -> Evidence:
    cell = Cell(SYNTHETIC, 5, 2.0, 0.1, "irls", "huber", 20)
    scale = math.sqrt(cell.variance)
    change = formatted(log_ratio(errors(cell, residual_scale=scale), errors(cell)))
    return Evidence({}, change=change, scale=scale, trials=SETTINGS["trials"])


@shows("E10")
def data_sets(sources: Sources) -> Evidence:
    """Numbers of users, and what "5.1 %" is a share of."""
    ratings, density = sources.ratings["sweetrs"], sources.ratings["ml-100k"].density
    lines = Path(sources.raw_files["sweetrs"]).read_bytes().splitlines()
    rows = len(lines) - 1  # without the header
    numbers = {
        "sweetrs_users": ratings.n_users,
        "sweetrs_items": ratings.n_items,
        "sweetrs_rows": rows,
        "sweetrs_ratings": len(ratings),
        "sweetrs_repeats": rows - len(ratings),
        "sweetrs_density": rows / (ratings.n_users * ratings.n_items),
        "movielens_training": 0.8 * density,
    }
    return Evidence(numbers)


@shows("E44")
def noiseless_columns(sources: Sources) -> Evidence:
    wide = _synthetic(sources, ["mechanism", "rank", "observed_fraction", "method"], "variance")
    pairs = wide.loc["none"]
    difference = pairs.max(axis=1) / pairs.min(axis=1) - 1
    rank, fraction, method = difference.idxmax()
    worst = pairs.loc[(rank, fraction, method)]
    return Evidence(
        {"largest": float(difference.max())},
        one=worst.iloc[0],
        other=worst.iloc[1],
        method=method.upper(),
        rank=rank,
        fraction=fraction,
    )


@shows("E45")
def small_fractions(sources: Sources) -> Evidence:
    rows = ["observed_fraction", "method", "rank", "variance"]
    wide = _synthetic(sources, rows, "mechanism")[list(NOISES)]
    lowest = (wide.idxmin(axis=1) == "gaussian").groupby("observed_fraction").sum()
    counts = lowest.rename("count").reset_index().to_dict("records")
    real = sources.published.query("table == 'table5' and mechanism != 'none'")
    best = real.loc[real.groupby("observed_fraction")["published"].idxmin()]
    wins = best.loc[best["mechanism"] == "gaussian", "observed_fraction"]
    return Evidence({}, lowest=counts, wins=", ".join(f"{fraction:.0%}" for fraction in wins))


@shows("E65")
def two_inner_iterations(sources: Sources) -> Evidence:
    real = sources.published[sources.published["table"].isin(["table4", "table5"])]
    keys = ["table", "observed_fraction"]
    two = real[real["irls_iterations"] == 2].set_index(keys)["published"]
    als = real[(real["method"] == "als") & (real["mechanism"] == "gaussian")]
    whole = real[(real["mechanism"] == "huber") & (real["irls_iterations"] != 2)]
    whole, als = whole.set_index(keys)["published"], als.set_index(keys)["published"]
    words = {
        name: [{"fraction": fraction, "change": value} for (_, fraction), value in change.items()]
        for name, change in (("loss", two / whole - 1), ("win", whole / als - 1))
    }
    return Evidence({}, **words)


@shows("E60")
def huber_columns(sources: Sources) -> Evidence:
    columns = read_frame(KEPT)
    found = []
    for fraction in columns["observed_fraction"].unique():
        best = fitted_variance(columns, "normal", REPORTED_VARIANCE, fraction)
        found.append({"best": best.estimate, "low": best.low, "high": best.high})
    shown = columns[columns["reported_variance"] == REPORTED_VARIANCE]
    reported = shown[["reported_als", "reported_irls"]].drop_duplicates().to_numpy()
    sizes = {"mean": np.expm1(reported.mean()), "largest": np.expm1(reported.min())}
    return Evidence(sizes, variance=REPORTED_VARIANCE, found=found, columns=reported.size)


@shows("E62")
def rating_range(sources: Sources) -> Evidence:
    place = "metric == 'rmse_all' and method == 'als' and mechanism == 'none'"
    place += f" and observed_fraction == {FRACTION} and rank == {LARGEST_RANK}"
    value = sources.published.query(place)["published"].mean()
    cell = Cell(SYNTHETIC, LARGEST_RANK, None, FRACTION, "als", "none", None)
    matrix = synthetic_instance(cell.coordinates(), SETTINGS, 0).matrix()
    scale = float(STATED_LARGEST / matrix.max())
    numbers = {
        "smallest": float(matrix.min()),
        "largest": float(matrix.max()),
        "unscaled": float(errors(cell).mean() / value),
        "stated": float(errors(cell, scale=scale).mean() / value),
    }
    return Evidence(numbers, fraction=FRACTION, trials=SETTINGS["trials"])


@shows("E39")
def thresholding(sources: Sources) -> Evidence:
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((ROWS, COLUMNS))
    seen = rng.random(matrix.shape) < SHARE
    target = np.where(seen, matrix, 0.0)

    def dual(multiplier: np.ndarray) -> float:
        at = shrunk(multiplier, THRESHOLD)
        nuclear = np.linalg.svd(at, compute_uv=False).sum()
        lagrangian = THRESHOLD * nuclear + np.square(at - multiplier).sum() / 2
        return lagrangian - np.square(multiplier).sum() / 2 + np.sum(multiplier * target)

    return Evidence({"dual_far": float(dual(FAR * target))}, rows=ROWS, columns=COLUMNS, far=FAR)


@shows("E40")
def decomposition(sources: Sources) -> Evidence:
    matrix = np.random.default_rng(1).standard_normal((ROWS, COLUMNS))
    largest = float(np.linalg.svd(matrix, compute_uv=False)[0])
    eigenvalue = float(np.linalg.eigvalsh(matrix.T @ matrix).max())
    return Evidence({"largest": largest, "eigenvalue": eigenvalue}, rows=ROWS, columns=COLUMNS)


def shrunk(matrix: np.ndarray, threshold: float) -> np.ndarray:
    """Return the matrix with its singular values less the threshold, but no less than 0."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    return (left * np.maximum(values - threshold, 0)) @ right


@shows("E64")
def slips(sources: Sources) -> Evidence:
    variance, sensitivity, delta = 2.0, 5.0, 1e-5
    noise = Gaussian.from_variance(variance)
    epsilon = noise.epsilon(sensitivity, delta, formula="exact")
    # the loss of Gaussian noise is linear in the noise: it exceeds epsilon beyond this
    beyond = (epsilon - sensitivity**2 / (2 * variance)) * variance / sensitivity
    a, shift = 1.0, 3.0
    places = {"inside": -a, "edge": a}
    numbers = {
        "epsilon": float(epsilon),
        "exceeds": float(noise.sf(beyond)),
        **{
            name: float(huber_loss(abs(x + shift), a) - huber_loss(abs(x), a))
            for name, x in places.items()
        },
        "printed_inside": a * (2 * -a + shift) / 2,
        "printed_edge": a * shift / 2,
    }
    return Evidence(
        numbers, variance=variance, sensitivity=sensitivity, delta=delta, a=a, shift=shift
    )


@shows("E94")
def definitions(sources: Sources) -> Evidence:
    scales = {f"scale_{epsilon}": Laplace(SENSITIVITY / epsilon).scale for epsilon in (1, 2)}
    before, after = np.bincount([3], minlength=6), np.bincount([5], minlength=6)
    return Evidence(scales | {"moved": int(np.abs(before - after).sum())})


def _synthetic(sources: Sources, index: list[str], columns: str) -> pd.DataFrame:
    """Return the reported RMSE on synthetic data as a wide table."""
    table = sources.published[sources.published["metric"] == "rmse_all"]
    return table.pivot_table(index=index, columns=columns, values="published")

"""Made-up results of DPALS, in the shape and size of the real ones."""

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

BUDGETS = (1.0, 2.0, 5.0, 10.0, 20.0)
SIZES = {"synthetic-5k": 5000, "synthetic-10k": 10_000, "synthetic-20k": 20_000,
         "synthetic-50k": 50_000}  # fmt: skip
SHAPES = {
    **{name: (users, 1000) for name, users in SIZES.items()},
    "rank-one-20k": (20_000, 400), "rank-one-100k": (100_000, 400), "jester-5k": (5000, 100),
    "jester": (20_000, 100), "ml-100k": (943, 1682), "ml-10m-top400": (69_878, 400),
    "ml-10m-top400-part": (16_072, 400), "ml-10m": (69_878, 10_677),
    "ml-20m": (138_493, 26_744),
}  # fmt: skip
DPALS = ("dpals", "dpals_literal", "dpals_h_free", "dpals_h_free_clipped", "dpals_analyze_gauss")
FRANK_WOLFE = ("dpfw", "dpfw_jain", "dpfw_residual")
OTHERS = ("dp_altmin", "dp_saltls", "dp_svd")
BIAS = "private_user_item_bias"
GAIN = {"dpals": 1.0, "dpals_literal": 1.3, "dpals_h_free": 0.75, "dpals_h_free_clipped": 0.35,
        "dpals_analyze_gauss": 0.8, "dp_altmin": 3.0, "dp_saltls": 1.6}  # fmt: skip
RATINGS = {"ml-100k": (0.93, 1.12, 1.04), "jester": (4.3, 5.2, 4.6),
           "ml-10m-top400": (0.79, 1.05, 0.97),
           "ml-10m": (0.80, 1.06, 0.98)}  # fmt: skip


def error_of(dataset: str, method: str, epsilon: float) -> float:
    """Return an RMSE near those that were measured."""
    users = SHAPES[dataset][0]
    dataset = dataset.removesuffix("-part")
    if dataset in RATINGS:
        best, trivial, own = RATINGS[dataset]
        plain = {"trivial": trivial, "user_mean": own, "als": best, "als_sampled": 1.03 * best,
                 "svd": 1.08 * best, "svt": 1.05 * best, "fast_tri": 1.06 * best}  # fmt: skip
        if method in plain:
            return plain[method]
        if method == BIAS:
            return best * (1.02 + 0.02 / epsilon)
        if method == "dp_svd":
            return trivial * (1 + 0.3 / epsilon)
        loss = 1.5 if method.startswith("dpfw") else GAIN.get(method, 1.0)
        return best + (own - best) * min(loss * 2 / (epsilon + 1), 1.3) * (70_000 / users) ** 0.1
    scale = {"rank-one-20k": 0.2, "rank-one-100k": 0.2, "jester-5k": 1.2}.get(dataset, 1.0)
    if method == "trivial":
        return scale
    if method in ("als", "svt", "fast_tri", "svd"):
        return scale * (2e-6 if method == "als" else 0.02)
    if method in FRANK_WOLFE:
        extra = {"dpfw": 1.0, "dpfw_jain": 1.5, "dpfw_residual": 0.8}[method]
        return scale * min(1.05, 0.4 + extra * 20_000 / users / epsilon / 3)
    if method == "dp_svd":
        return scale * (1 + 0.2 / epsilon)
    return scale * min(1.0, 0.02 + GAIN[method] * 0.17 * (50_000 / users) ** 1.1 / epsilon**0.75)


def fake_trials(seed: int = 5) -> pd.DataFrame:
    """Errors that fall with users and epsilon; H-free with clipped rows is the best method."""
    rng = np.random.default_rng(seed)
    rows: list[dict] = []
    plan = [(name, ("trivial", "als", *DPALS, *FRANK_WOLFE), BUDGETS, 5) for name in SIZES]
    plan += [("synthetic-20k", OTHERS, BUDGETS, 5)]
    plan += [("synthetic-5k", ("svd", "svt", "fast_tri"), (), 3)]
    beside = ("trivial", "als", "dpals", "dpals_h_free_clipped", "dpfw", *OTHERS)
    plan += [(name, beside, BUDGETS, 3) for name in ("rank-one-20k", "rank-one-100k", "jester-5k")]
    real = ("trivial", "user_mean", "als", BIAS, "dpals", "dpals_h_free", "dpals_h_free_clipped",
            "dpfw", *OTHERS)  # fmt: skip
    plan += [
        ("ml-100k", (*real, "svd", "svt", "fast_tri"), BUDGETS, 10),
        ("jester", real, BUDGETS, 5),
    ]
    large = ("trivial", "user_mean", "als", "als_sampled", BIAS, "dpals", "dpfw", "dp_svd")
    plan += [(name, large, (1.0, 5.0, 10.0, 20.0), 1)
             for name in ("ml-10m-top400", "ml-10m")]  # fmt: skip
    plan += [("ml-10m-top400-part", ("dpals",), (1.0, 5.0, 10.0, 20.0), 1)]
    for dataset, methods, budgets, trials in plan:
        common = 0.02 * rng.standard_normal(trials)
        for method in methods:
            private = method.startswith(("dp", "private"))
            for epsilon in budgets if private else (np.nan,):
                level = error_of(dataset, method, epsilon)
                rows += _rows((dataset, method, "standard", epsilon), level, common, rng)
    rows += _recall(rng) + _items(rng) + _projection(rng)
    return pd.DataFrame(rows)


def _rows(cell, level, common, rng, recall=False) -> list[dict]:
    dataset, method, variant, epsilon = cell
    users, items = SHAPES[dataset]
    private = np.isfinite(epsilon)
    actual = epsilon * (1.06 if method == "dpals_literal" else 1.0)
    rows = []
    for trial, shared in enumerate(common):
        value = level * np.exp(shared + 0.005 * rng.standard_normal())
        rows.append({
            "dataset": dataset, "method": method, "variant": variant, "epsilon": epsilon,
            "trial": trial, "users": users, "items": items, "ratings": 200 * users,
            "rmse": np.nan if recall else value, "rse": np.nan if recall else value / 1.01,
            "recall": value if recall else np.nan, "iterations": 3,
            "claimed_epsilon": epsilon if private else np.inf,
            "claimed_delta": 1e-5 if private else np.inf,
            "actual_epsilon": actual if private else np.inf,
            "actual_delta": 1e-5 if private else np.inf, "seconds": 2.0,
        })  # fmt: skip
    return rows


def _recall(rng) -> list[dict]:
    levels = {("popularity", np.nan): 0.16, ("ials", np.nan): 0.36, ("dpals", 1.0): 0.28,
              ("dpals", 5.0): 0.32, ("dpals", 20.0): 0.33}  # fmt: skip
    rows = []
    for (method, epsilon), level in levels.items():
        cell = ("ml-20m", method, "standard", epsilon)
        rows += _rows(cell, level, np.zeros(1), rng, recall=True)
    return rows


def _items(rng) -> list[dict]:
    rows = []
    for method, epsilon in (
        ("als", np.nan),
        ("als_sampled", np.nan),
        ("dpals", 1.0),
        ("dpals", 10.0),
    ):
        for sampling in ("uniform", "adaptive"):
            for share in (0.05, 0.2, 1.0):
                level = error_of("ml-10m", method, epsilon) + 0.02 * np.log(share) ** 2
                level *= 0.98 if sampling == "adaptive" else 1.0
                if np.isfinite(epsilon):
                    level += 0.05 * share / epsilon
                cell = ("ml-10m", method, f"{sampling}_{share:g}", epsilon)
                rows += _rows(cell, level, np.zeros(1), rng)
    cell = ("ml-10m", "dpals", "adaptive_0.2_no_projection", 10.0)
    return rows + _rows(cell, 1.9, np.zeros(1), rng)


def _projection(rng) -> list[dict]:
    rows = []
    for strength in (0.1, 1.0, 3.0, 10.0, 30.0):
        with_it = 0.5 + 0.3 * np.exp(-strength)
        without = with_it * (1 + 4 * np.exp(-strength / 2))
        for name, level in (("projected", with_it), ("none", without)):
            cell = ("synthetic-20k", "dpals", f"{name}_{strength:g}", 1.0)
            rows += _rows(cell, level, np.zeros(5), rng)
    return rows


def fake_iterations() -> pd.DataFrame:
    """Errors that fall by a constant factor, with noise down to a floor; DPFW is slow."""
    rng = np.random.default_rng(6)
    factors = {"als": (0.1, 1e-6, 8), "frank_wolfe": (0.9, 0.2, 20), "dpals": (0.4, 0.1, 8),
               "dpals_literal": (0.5, 0.14, 8), "dpfw": (0.95, 0.45, 15),
               "dp_altmin": (0.6, 0.3, 8), "dp_saltls": (0.5, 0.2, 8)}  # fmt: skip
    rows = []
    for method, (factor, floor, steps) in factors.items():
        private = method.startswith("dp")
        for epsilon in (1.0, 5.0, 20.0) if private else (np.nan,):
            least = floor * (3 / np.sqrt(epsilon) if private else 1)
            for trial in range(3):
                for step in range(1, steps + 1):
                    rse = max(factor**step, least) * (1 + 0.01 * step * private)
                    rse *= np.exp(0.02 * rng.standard_normal())
                    rows.append(("synthetic-20k", method, "long", epsilon, trial, step, rse, rse,
                                 0.1 * step))  # fmt: skip
    names = "dataset method variant epsilon trial iteration rmse rse seconds"
    return pd.DataFrame(rows, columns=names.split())


def fake_timing() -> pd.DataFrame:
    """Seconds in proportion to the ratings, DPALS 1.2 times ALS."""
    rng = np.random.default_rng(7)
    factors = {"als": 1.0, "dpals": 1.2, "dpfw": 3.0, "dp_altmin": 2.0, "dp_saltls": 1.4}
    rows = []
    for method, factor in factors.items():
        for users in (5000, 10_000, 20_000, 50_000):
            for repeat in range(3):
                seconds = factor * 2e-8 * 200 * users * np.exp(0.02 * rng.standard_normal())
                rows.append((method, users, 1000, 200 * users, 5, repeat, seconds))
    names = "method users items ratings rank repeat seconds"
    return pd.DataFrame(rows, columns=names.split())


def fake_coverage() -> pd.DataFrame:
    """Power laws: uniform samples are more skewed than all ratings, adaptive ones less."""
    rows = []
    shares = np.linspace(0, 1, 51)
    for dataset, skew in (("ml-100k", 4.0), ("ml-10m", 7.0)):
        for sampling, factor in (
            ("full", 1.0), ("uniform", 1.3), ("adaptive", 0.5), ("shuffled", 1.02)
        ):  # fmt: skip
            for share in shares:
                held = 1 - (1 - share) ** (skew * factor)
                gini = 1 - 2 / (skew * factor + 1)
                rows.append((dataset, sampling, 50, share, held, gini, -0.2))
    names = "dataset sampling ratings_per_user item_share rating_share gini count_correlation"
    return pd.DataFrame(rows, columns=names.split())


def fake_accounting() -> pd.DataFrame:
    """The epsilons at the published noise that exact accounting gives, to four digits."""
    rows = [
        (1.0, 1e-5, 50, 2, 49.9, 1.060, 52.76, 0.2681),
        (5.0, 1e-5, 50, 3, 14.0, 5.575, 15.45, 1.1212),
        (20.0, 1e-5, 100, 4, 7.9, 20.89, 8.204, 3.4478),
    ]
    names = (
        "epsilon delta ratings_per_user iterations published_sigma epsilon_at_published exact_sigma"
    )
    return pd.DataFrame(rows, columns=[*names.split(), "mu"])


def fake_claims(ids: Iterable[str] = ("D2", "D1", "D25")) -> pd.DataFrame:
    """Three judged claims with every kind of verdict, the last two of them findings."""
    verdicts = ("supported", "contradicted", "inconclusive")
    return pd.DataFrame(
        {
            "id": name, "claim": f"Claim {name}.", "source": "section 6",
            "sentence": "", "predicate": "all below 0", "depends_on": "",
            "verdict": verdict, "reported_verdict": np.nan,
            "effect": -0.1, "interval_low": -0.2, "interval_high": 0.0, "n": 40,
            "reason": "On 6 cells.",
        }
        for name, verdict in zip(ids, verdicts, strict=True)
    )  # fmt: skip


def fake_published() -> pd.DataFrame:
    """Numbers from elsewhere: three that ours meet, others that they do not, some without ours."""
    rows = [
        ("prototype", "synthetic-50k", "dpals", "standard", 1.0, "rmse", 0.19),
        ("prototype", "synthetic-50k", "dpals", "standard", 20.0, "rmse", 0.038),
        ("prototype", "synthetic-20k", "dpals", "standard", 1.0, "rmse", 0.48),
        ("prototype", "synthetic-50k", "dpfw", "standard", 5.0, "rmse", 0.9),
        ("paper", "ml-10m", "als", "uniform_1", np.nan, "rmse", 0.785),
        ("paper", "ml-10m", "dpals", "uniform_1", 20.0, "rmse", 0.870),
        ("literature", "ml-20m", "ials", "standard", np.nan, "recall", 0.36),
    ]
    names = ["source", "dataset", "method", "variant", "epsilon", "metric", "value"]
    return pd.DataFrame(rows, columns=names).assign(note="section 6")


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Return all tables by name."""
    return {
        "trials": fake_trials(),
        "iterations": fake_iterations(),
        "timing": fake_timing(),
        "coverage": fake_coverage(),
        "accounting": fake_accounting(),
        "claims": fake_claims(),
        "published": fake_published(),
    }

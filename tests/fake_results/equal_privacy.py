"""Made-up results at equal privacy, in the shape and size of the real ones."""

from functools import cache

import numpy as np
import pandas as pd

from dpmc.mechanisms import Huber
from dpmc_studies.frame.judging.claims import judge_all
from dpmc_studies.studies.equal_privacy.claims import judge, own
from dpmc_studies.studies.equal_privacy.claims.evidence import Evidence

MECHANISMS = ("gaussian", "laplace", "huber")
EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
RELATIONS = {
    "synthetic": ["entry_change", "entry_add_remove", "user_add_remove", "user_replace"],
    "synthetic_large": ["entry_change", "user_add_remove"],
    "ml-100k": ["entry_change", "user_add_remove"],
    "sweetrs": ["entry_change", "user_add_remove"],
    "jester": ["entry_change", "user_add_remove"],
}
LEVELS = {  # global mean, item bias, both biases, factors without noise
    "synthetic": (0.488, 0.37, 0.36, 0.13),
    "synthetic_large": (0.49, 0.37, 0.33, 0.05),
    "ml-100k": (1.13, 1.03, 0.95, 0.93),
    "sweetrs": (1.71, 1.57, 1.50, 1.40),
    "jester": (5.2, 5.0, 4.5, 4.2),
}
BASELINES = ("private_global_mean", "private_item_bias", "private_user_item_bias")


def fake_calibrated(trials: int = 6, seed: int = 5) -> pd.DataFrame:
    """Errors that fall with epsilon; without an advantage of any mechanism.

    Factors beat the biases at epsilon 10 and 20 only, on the large matrix from 5 on. At epsilon
    .5 nothing beats the global mean at user level.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for dataset, relations in RELATIONS.items():
        mean, item, both, floor = LEVELS[dataset]
        common = 0.01 * rng.standard_normal(trials)
        for relation in relations:
            for epsilon in EPSILONS:
                cost = 2.5 if relation.startswith("user") else 1.0
                cost *= 0.4 if dataset == "synthetic_large" else 1.0
                few = relation.startswith("user") and epsilon not in (1.0, 5.0, 20.0)
                mechanisms = ("gaussian",) if few else MECHANISMS
                share = epsilon / (epsilon + 3 * cost)
                for method in ("private_als", "private_irls"):
                    for mechanism in mechanisms:
                        centre = floor + (mean - floor) * 1.2 * (1 - share)
                        centre *= 1.01 if method == "private_irls" else 1.0
                        rows += _trials(dataset, relation, epsilon, method, mechanism, centre,
                                        common, 0.004, rng)  # fmt: skip
                for method, level in zip(BASELINES, (mean, item, both), strict=True):
                    for mechanism in ("gaussian", "laplace"):
                        centre = level * (1 + (0 if method == BASELINES[0] else 0.3 / epsilon))
                        rows += _trials(dataset, relation, epsilon, method, mechanism, centre,
                                        common, 0.001, rng)  # fmt: skip
        for method, level in (("als", floor), ("user_item_bias", both)):
            rows += _trials(dataset, np.nan, np.nan, method, "none", level, common, 0.001, rng)
    return pd.DataFrame(rows)


def _trials(dataset, relation, epsilon, method, mechanism, centre, common, spread, rng):
    values = centre * np.exp(common + spread * rng.standard_normal(len(common)))
    known = dataset.startswith("synthetic")
    free = mechanism == "none"
    return [
        {
            "dataset": dataset, "relation": relation, "epsilon": epsilon,
            "delta": np.nan if free else 1e-5, "method": method, "mechanism": mechanism,
            "trial": trial, "rmse_all": value if known else np.nan,
            "rmse_heldout": 1.02 * value if known else value,
            "rmse_clipped": np.nan if known else 0.99 * value,
            "releases": np.nan if free else 20, "noise_multiplier": np.nan if free else 12.6,
            "seconds": 0.1,
        }
        for trial, value in enumerate(values)
    ]  # fmt: skip


def fake_frontier() -> pd.DataFrame:
    """Smooth variances with a ridge where Huber noise wins, as on the real map."""
    rows = []
    for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        for epsilon in (0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 80):
            laplace = 2 * (n / epsilon) ** 2
            gaussian = n * (3.7 / epsilon) ** 2 * (1 + 0.3 * np.log1p(epsilon)) ** -0.5
            best = min(laplace, gaussian)
            ratio = 1 - 0.1 * np.exp(-2 * np.log(laplace / gaussian) ** 2)
            ratio = ratio if ratio < 0.995 else 1.0
            name = "huber" if ratio < 1 else "laplace" if laplace < gaussian else "gaussian"
            a = 1.5 * (laplace / gaussian) ** 0.3
            rows.append((n, epsilon, 1e-5, laplace, gaussian, ratio * best, a,
                         np.sqrt(ratio * best / Huber(a).var()), ratio, name))  # fmt: skip
    names = "releases epsilon delta laplace gaussian huber huber_a huber_scale ratio best"
    return pd.DataFrame(rows, columns=names.split())


@cache
def fake_claims() -> pd.DataFrame:
    """The real claims, judged on these results, without other readings."""
    evidence = Evidence(fake_calibrated(), fake_frontier())
    return judge_all(judge.__file__, judge.PREDICATES, evidence)


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Return all tables by name."""
    frames = {"calibrated": fake_calibrated(), "frontier": fake_frontier()}
    compared = own.comparisons(Evidence(**frames))
    return frames | {"claims": fake_claims(), "comparisons": compared}

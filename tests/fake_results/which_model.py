"""Made-up results of the comparison of private models, in the shape and size of the real ones."""

from functools import cache

import numpy as np
import pandas as pd

from dpmc_studies.studies.which_model.claims.judge import judge
from dpmc_studies.studies.which_model.experiments.ranking import LIMITS, PRIVATE
from dpmc_studies.studies.which_model.variants import FORMS

EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
SHAPES = {"ml-100k": (943, 1682), "jester": (5000, 100)}
LEVELS = {"ml-100k": (0.93, 1.04), "jester": (4.1, 4.4)}  # without privacy, of users' own means
LOSSES = {
    "private_user_item_bias": 1.2,
    "private_als": 1.5,
    "dpals_h_free_clipped": 1.0,
    "dp_altmin": 1.1,
    "dp_svd": 1.3,
    "local_bayes": 0.5,
    "dpals": 1.35,
    "dpals_weights": 1.3,
    "dpals_weights_h_free": 0.95,
    "dp_gradient_spectral": 1.25,
    "dp_effects": 1.1,
    "dp_cmf_h_free": 0.8,
    "dp_encoder": 0.85,
}
TUNED = (
    "private_user_item_bias", "private_als", "dpals_h_free_clipped", "dp_altmin", "dp_svd",
    "local_bayes",
)  # fmt: skip

RECALLS = {
    "local_ease": 0.35, "private_popularity": 0.22, "local_bayes_share": 0.2, "local_bayes": 0.12,
    "popularity": 0.23, "ease": 0.43,
}  # fmt: skip
WITH_FEATURES = ("dp_cmf_h_free", "dp_encoder")
FACTORS = {"no_features": 1.0, "features": 0.98, "shuffled_features": 1.0}


def fake_trials(seed: int = 5, trials: int = 10) -> pd.DataFrame:
    """Errors that fall with epsilon; Local Bayes has the least."""
    rng = np.random.default_rng(seed)
    rows = []
    for dataset in SHAPES:
        common = 0.02 * rng.standard_normal(trials)
        for method in TUNED:
            for epsilon in EPSILONS:
                rows += _rows((dataset, method, "tuned", epsilon), common, rng)
    return pd.DataFrame(
        rows + _opponents(rng) + _features(rng) + _forms(rng) + _others_with_features(rng)
    )


def _opponents(rng) -> list[dict]:
    """A search finds a little more than the other one; the posterior and later methods help."""
    rows = []
    for dataset in SHAPES:
        common = 0.02 * rng.standard_normal(10)
        for method in [each for each in LOSSES if each not in ("local_bayes", *WITH_FEATURES)]:
            for epsilon in (1.0, 5.0, 20.0):
                rows += _rows((dataset, method, "searched", epsilon), common, rng, 0.999)
        for method in ("dp_svd", "dpals_h_free_clipped"):
            for epsilon in (1.0, 5.0, 20.0):
                rows += _rows((dataset, method, "posterior_0.1", epsilon), common, rng, 0.99)
    return rows


def _features(rng, fifth: int | None = None) -> list[dict]:
    """Features help, more so in the middle of the items; shuffled ones change nothing."""
    common, rows = 0.02 * rng.standard_normal(10), []
    gain = 0.98 if fifth in (None, 1, 4) else 0.97 if fifth in (2, 3) else 0.99
    for variant, factor in FACTORS.items():
        for epsilon in (1.0, 5.0, 20.0):
            cell = ("ml-100k", "local_bayes", variant, epsilon)
            rows += _rows(cell, common, rng, gain if variant == "features" else factor)
    return rows


def _others_with_features(rng) -> list[dict]:
    """On the splits of the opponents; they are better than DPALS and not as good as Local Bayes."""
    common = 0.02 * rng.standard_normal(10)
    return [
        row
        for method in WITH_FEATURES
        for epsilon in (1.0, 5.0, 20.0)
        for row in _rows(("ml-100k", method, "features", epsilon), common, rng)
    ]


def fake_popularity(seed: int = 6) -> pd.DataFrame:
    """Errors by fifth of the items."""
    rng = np.random.default_rng(seed)
    names = ("dataset", "method", "variant", "epsilon", "trial", "rmse")
    rows = [
        {name: row[name] for name in names} | {"fifth": fifth, "test_ratings": 100 * fifth**3}
        for fifth in range(1, 6)
        for row in _features(rng, fifth)
    ]
    return pd.DataFrame(rows)


def _forms(rng) -> list[dict]:
    """Every form has more error than the whole."""
    rows = []
    for dataset in SHAPES:
        common = 0.02 * rng.standard_normal(5)
        for place, form in enumerate(FORMS):
            for epsilon in (1.0, 5.0, 20.0):
                cell = (dataset, "local_bayes", form, epsilon)
                rows += _rows(cell, common, rng, 1 + 0.01 * place)
    return rows


def _rows(cell, common, rng, factor=1.0) -> list[dict]:
    dataset, method, variant, epsilon = cell
    best, worst = LEVELS[dataset]
    level = best + (worst - best) * min(LOSSES[method] * 2 / (epsilon + 1), 1.2)
    users, items = SHAPES[dataset]
    return [
        {
            "dataset": dataset, "method": method, "variant": variant, "epsilon": epsilon,
            "trial": trial, "users": users, "items": items, "ratings": 80 * users,
            "rmse": factor * level * np.exp(shared + 0.002 * rng.standard_normal()),
            "claimed_epsilon": epsilon, "claimed_delta": 1e-5, "actual_epsilon": epsilon,
            "actual_delta": 1e-5, "seconds": 0.1,
        }
        for trial, shared in enumerate(common)
    ]  # fmt: skip


def fake_ranking(seed: int = 7, trials: int = 10) -> pd.DataFrame:
    """Lists that get better with epsilon; those of the ranking model are the best private ones."""
    rng, rows = np.random.default_rng(seed), []
    private = [(m, e) for m in PRIVATE for e in (1.0, 5.0, 20.0)]
    for dataset in SHAPES:
        common = 0.02 * rng.standard_normal(trials)
        for method, epsilon in [*private, *((m, None) for m in LIMITS)]:
            level = RECALLS[method] * (1 if epsilon is None else 1 - 0.1 / epsilon)
            for trial, shared in enumerate(common):
                recall = level * np.exp(shared + 0.002 * rng.standard_normal())
                rows.append({
                    "dataset": dataset, "method": method, "epsilon": epsilon, "trial": trial,
                    "users": SHAPES[dataset][0], "rmse": 0.9 if method == "local_bayes" else None,
                    "recall": recall, "ndcg": 0.9 * recall, "fell_back": 0,
                })  # fmt: skip
    return pd.DataFrame(rows)


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Return every table by name."""
    found = {"trials": fake_trials(), "popularity": fake_popularity(), "ranking": fake_ranking()}
    return found | {"claims": judge(found)}

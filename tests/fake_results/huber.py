"""Made-up results of the Huber study, in the shape and size of the real ones.

The numbers are close to what the experiments give (the published value of the Gaussian column
for every mechanism, so that no mechanism is better than another), with paired noise over trials.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.judging.claims import load_claims
from dpmc_studies.frame.judging.finding import VERDICTS
from dpmc_studies.studies import huber
from dpmc_studies.studies.huber.claims.judge import PREDICATES  # with all of them registered
from dpmc_studies.studies.huber.reported import compare, load

HUBER = Path(huber.__file__).parent
REPORTED = HUBER / "reported"
NOISES = ("gaussian", "laplace", "huber")
BASELINES = {
    ("synthetic", 5): [(0.488, 0.488, 0.488), (0.383, 0.367, 0.361), (0.249, 0.216, 0.205)],
    ("synthetic", 10): [(0.695, 0.695, 0.695), (0.561, 0.536, 0.528), (0.360, 0.309, 0.293)],
    ("synthetic", 20): [(0.998, 0.998, 0.998), (0.822, 0.789, 0.778), (0.517, 0.446, 0.422)],
    ("sweetrs", 32): [(1.712, 1.712, 1.712), (1.570, 1.559, 1.556), (1.517, 1.482, 1.467)],
    ("ml-100k", 32): [(1.130,), (1.026,), (0.944,)],
}
COLUMNS = [
    "dataset",
    "rank",
    "variance",
    "observed_fraction",
    "method",
    "mechanism",
    "irls_iterations",
    "trial",
    "rmse_all",
    "rmse_heldout",
    "rmse_clipped",
    "seconds",
]


def _rows(cell: dict, centre: float, common: np.ndarray, rng) -> list[dict]:
    spread = 0.004 if cell["mechanism"] == "none" else 0.012
    rmse = centre * np.exp(common + spread * rng.standard_normal(len(common)))
    synthetic = cell["dataset"] == "synthetic"
    return [
        {
            **cell,
            "trial": trial,
            "rmse_all": value if synthetic else np.nan,
            "rmse_heldout": 1.02 * value if synthetic else value,
            "rmse_clipped": np.nan if synthetic else 0.9 * value,
            "seconds": rng.uniform(0.05, 0.3),
        }
        for trial, value in enumerate(rmse)
    ]


def fake_trials(count: int = 10, seed: int = 7, real: bool = True) -> pd.DataFrame:
    """Return a trial table: 126 synthetic cells, 24 real ones if ``real``, and baselines."""
    rng = np.random.default_rng(seed)
    published = load().query("metric != 'epsilon'").rename(columns={"published": "rmse"})
    published = published.astype({"rank": int})
    published = published[real | (published["dataset"] == "synthetic")]
    commons: dict[tuple, np.ndarray] = {}
    rows: list[dict] = []
    done = set()
    for row in published.itertuples():
        quiet = row.mechanism == "none"
        cell = {
            "dataset": row.dataset,
            "rank": row.rank,
            "variance": np.nan if quiet else float(row.variance),
            "observed_fraction": row.observed_fraction,
            "method": row.method,
            "mechanism": row.mechanism,
            "irls_iterations": row.irls_iterations,
        }
        if str(cell) in done:
            continue
        done.add(str(cell))
        setting = (row.dataset, row.rank, row.observed_fraction)
        if setting not in commons:
            commons[setting] = 0.02 * rng.standard_normal(count)
            rows += _baseline_rows(cell, commons[setting], rng)
        rows += _rows(cell, _centre(published, row), commons[setting], rng)
    return pd.DataFrame(rows)[COLUMNS]


def _centre(published: pd.DataFrame, row) -> float:
    """Without an advantage of any mechanism: the Gaussian number stands for all of them."""
    if row.dataset != "synthetic" or row.mechanism == "none":
        return row.rmse
    like = published[
        (published.dataset == "synthetic")
        & (published["rank"] == row.rank)
        & (published.variance == row.variance)
        & (published.observed_fraction == row.observed_fraction)
        & (published.method == row.method)
        & (published.mechanism == "gaussian")
    ]
    return float(like.rmse.iloc[0])


def _baseline_rows(cell: dict, common: np.ndarray, rng) -> list[dict]:
    levels = BASELINES[cell["dataset"], cell["rank"]]
    position = {0.05: 0, 0.1: 1, 0.15: 2}.get(cell["observed_fraction"], 0)
    values = [level[position] for level in levels]
    names = ["global_mean", "item_bias", "user_item_bias", "rank_one"]
    rows = []
    for name, value in zip(names, [*values, values[-1] * 1.05], strict=True):
        baseline = {**cell, "method": name, "mechanism": "none"}
        baseline["variance"] = baseline["irls_iterations"] = np.nan
        rows += _rows(baseline, value, 0.3 * common, rng)
    return rows


def fake_comparison(trials: pd.DataFrame) -> pd.DataFrame:
    """Set the made-up trials beside the published numbers, as the workflow does."""
    return compare(trials, load(), fake_budgets())


def fake_budgets() -> pd.DataFrame:
    return pd.DataFrame(table_one())


def fake_claims(seed: int = 1) -> pd.DataFrame:
    """The real claims with made-up verdicts."""
    rng = np.random.default_rng(seed)
    rows = []
    for claim in load_claims(HUBER / "claims.yaml", PREDICATES):
        effect = rng.normal(0, 0.03)
        rows.append(
            {
                **claim,
                "verdict": rng.choice(VERDICTS, p=[0.4, 0.3, 0.1, 0.15, 0.05]),
                "reported_verdict": rng.choice(VERDICTS),
                "effect": effect,
                "interval_low": effect - 0.01,
                "interval_high": effect + 0.01,
                "n": 10,
                "rule": "most",
                "margin": 0.01,
                "margin_of": "ours",
                "needed": rng.choice([np.nan, np.inf, 240.0]),
                "depends_on": rng.choice(["", "equal weights: contradicted"]),
                "readings": "even trials: supported; equal weights: contradicted",
                "reason": "3 wins, 2 losses and 7 ties in 12 cells of 10 trials.",
            }
        )
    return pd.DataFrame(rows)


def committed(name: str) -> pd.DataFrame:
    """Return a table of the last full run."""
    return pd.read_csv(huber.REFERENCE / "tables" / f"{name}.csv.xz")


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Return all tables by name."""
    trials = fake_trials()
    return {
        "trials": trials,
        "comparison": fake_comparison(trials),
        "claims": fake_claims(),
        "totals": committed("totals"),
        "transcript_loss": committed("transcript_loss"),
    }

"""Invented results about privacy, in the shape and size of the real ones."""

from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.mechanisms import Huber, make_mechanism
from dpmc.studies.huber.nominal import table_one

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


def fake_totals() -> pd.DataFrame:
    """Totals that keep exact <= RDP <= basic; Gaussian ones are those of its exact composition."""
    rows = []
    nominal = {(r["mechanism"], r["variance"]): r["epsilon_corrected"] for r in table_one()}
    for (mechanism, variance), one in nominal.items():
        for n in (20, 40, 50, 100, 200, 400, 1000, 2000):
            totals = {"basic": n * one, "rdp": 0.9 * n * one, "pld": 0.88 * n * one}
            if mechanism == "gaussian":
                noise = make_mechanism("gaussian", variance)
                exact = noise.epsilon(5.0 * np.sqrt(n), 1e-5, formula="exact")
                totals = {"rdp": 1.02 * exact, "exact": exact}
            for accountant, epsilon in totals.items():
                delta = 0.0 if accountant == "basic" else 1e-5
                rows.append((mechanism, variance, n, 5.0, delta, accountant, epsilon,
                             0.999 * epsilon, 1.001 * epsilon))  # fmt: skip
    names = "mechanism variance releases sensitivity delta accountant epsilon"
    return pd.DataFrame(rows, columns=[*names.split(), "epsilon_lower", "epsilon_upper"])


def fake_losses() -> pd.DataFrame:
    """Losses far above the claim, some with a lower quartile below zero."""
    rng = np.random.default_rng(11)
    kinds = [
        ("synthetic", rank, variance, fraction, method, mechanism, inner)
        for rank in (5, 10, 20)
        for variance in (1.0, 2.0)
        for fraction in (0.05, 0.10, 0.15)
        for method, inner in (("als", np.nan), ("irls", 20.0))
        for mechanism in MECHANISMS
    ]
    columns = (("als", "gaussian", np.nan), ("irls", "laplace", 20.0), ("irls", "huber", 20.0),
               ("irls", "huber", 2.0))  # fmt: skip
    for method, mechanism, inner in columns:
        kinds.append(("ml-100k", 32, 1.0, 0.051, method, mechanism, inner))
        kinds += [("sweetrs", 32, 1.0, f, method, mechanism, inner) for f in (0.05, 0.1, 0.15)]
    nominal = {(r["mechanism"], r["variance"]): r for r in table_one()}
    rows = []
    for dataset, rank, variance, fraction, method, mechanism, inner in kinds:
        outer = {"synthetic": 50, "ml-100k": 20, "sweetrs": 100}[dataset]
        releases = int(outer * (1 if np.isnan(inner) else inner))
        budget = nominal[mechanism, variance]
        total = 0.8 * releases * budget["epsilon_corrected"]
        for neighbour, scale in (("change", 6.0), ("remove_user", 1.5)):
            losses = scale * releases**0.6 * rng.lognormal(0.5, 0.9, 200) - 3.0 * scale
            rows.append(
                {
                    "dataset": dataset, "rank": rank, "variance": variance,
                    "observed_fraction": fraction, "method": method, "mechanism": mechanism,
                    "irls_iterations": inner, "neighbour": neighbour, "neighbours": 200,
                    "releases": releases, "nominal_epsilon": budget["epsilon_published_form"],
                    "nominal_delta": budget["delta"], "total_basic": 1.2 * total,
                    "total_rdp": 1.02 * total, "total_pld": total,
                    "median": np.median(losses), "lower_quartile": np.quantile(losses, 0.25),
                    "upper_quartile": np.quantile(losses, 0.75), "largest": losses.max(),
                    "share_above_nominal": (losses > budget["epsilon_published_form"]).mean(),
                    "share_above_total": (losses > total).mean(),
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


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


FAULTS = (
    "scale x 0.8",
    "wrong sign in the inverse CDF",
    "factors not clipped",
    "one release not counted",
    "noise reused",
)


def fake_attacks() -> list[dict[str, object]]:
    """Rows of the audit of files: two methods, one under two relations, and one-bit completion."""
    claim = {"target": "published", "claimed_epsilon": 2.0, "delta": 0.05, "passed": True}
    attack = claim | {"test": "black_box", "samples": 300, "confidence": 0.999}
    item = {"method": "private_item_bias", "mechanism": "gaussian"}
    dpals = {"method": "dpals", "mechanism": "gaussian"}
    onebit = {"mechanism": "grap", "relation": "entry_change", "lower_bound": 1.2, "delta": 0.0}
    return [
        {**attack, **item, "relation": "user_add_remove", "lower_bound": 0.7},
        {**attack, **dpals, "relation": "user_add_remove", "lower_bound": 0.0},
        {**attack, **item, "relation": "user_replace", "lower_bound": 0.2},
        {**claim, **item, "relation": "user_replace", "test": "published", "measured": 0},
        {**attack, **onebit},
    ]


def fake_audit() -> pd.DataFrame:
    """Honest targets that pass every test, and planted faults that are caught."""
    columns = (
        "target test mechanism method relation claimed_epsilon delta samples lower_bound measured "
        "confidence passed planted_fault"
    )
    blank = dict.fromkeys(columns.split())
    rows = []
    for target in ("mechanism", "composition"):
        for mechanism in (*MECHANISMS, "discrete_huber"):
            claim = {"target": target, "mechanism": mechanism, "claimed_epsilon": 1.0,
                     "delta": 0.0 if mechanism == "laplace" else 0.05, "samples": 1_000_000,
                     "confidence": 0.999, "passed": True}  # fmt: skip
            rows.append({**blank, **claim, "test": "likelihood_ratio", "lower_bound": 0.98})
            rows.append({**blank, **claim, "test": "histogram", "lower_bound": 0.91})
            rows.append({**blank, **claim, "test": "kolmogorov_smirnov", "measured": 0.43})
    models = [(s, m) for s in ("private_als", "private_irls", *BASELINES) for m in MECHANISMS]
    for method, mechanism in models:
        for relation in RELATIONS["synthetic"]:
            claim = {"target": "method", "method": method, "relation": relation,
                     "mechanism": mechanism, "claimed_epsilon": 5.0, "delta": 1e-5,
                     "samples": 1000, "passed": True}  # fmt: skip
            rows.append({**blank, **claim, "test": "privacy_loss", "lower_bound": 1.9,
                         "confidence": 0.999})  # fmt: skip
            rows.append({**blank, **claim, "test": "sensitivity", "measured": 0.999})
    rows += [{**blank, **row} for row in fake_attacks()]
    found = [("likelihood_ratio", 1.23, None), ("kolmogorov_smirnov", None, 1e-12),
             ("sensitivity", None, 3.1), ("likelihood_ratio", 1.4, None),
             ("histogram", np.inf, None)]  # fmt: skip
    for fault, (test, bound, measured) in zip(FAULTS, found, strict=True):
        rows.append({**blank, "target": "mechanism", "mechanism": "huber", "claimed_epsilon": 1.0,
                     "delta": 0.05, "samples": 1_000_000, "test": test, "lower_bound": bound,
                     "measured": measured, "confidence": 0.999, "passed": True,
                     "planted_fault": fault})  # fmt: skip
    return pd.DataFrame(rows)


def write_results(top: Path, **frames: pd.DataFrame) -> Path:
    """Write all invented tables below ``top``, a folder for each study, and return it.

    ``frames`` replace some of them.
    """
    invented = {
        "huber": {"totals": fake_totals(), "transcript_loss": fake_losses()},
        "equal_privacy": {"calibrated": fake_calibrated(), "frontier": fake_frontier()},
        "audit": {"audit": fake_audit()},
    }
    for study, tables in invented.items():
        (top / study).mkdir(parents=True, exist_ok=True)
        for name, frame in tables.items():
            frames.get(name, frame).to_csv(top / study / f"{name}.csv", index=False)
    return top

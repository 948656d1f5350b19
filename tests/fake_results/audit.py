"""Made-up results of the audit, in the shape and size of the real ones."""

from functools import cache

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.claims import judge_all
from dpmc_studies.studies.audit import claims as judging
from fake_results.equal_privacy import BASELINES, MECHANISMS, RELATIONS

FAULTS = (
    "scale x 0.8",
    "wrong sign in the inverse CDF",
    "factors not clipped",
    "one release not counted",
    "noise reused",
)


def fake_attacks() -> list[dict[str, object]]:
    """Rows of the audit of files: two methods, one of them under two relations."""
    claim = {"target": "published", "claimed_epsilon": 2.0, "delta": 0.05, "passed": True}
    attack = claim | {"test": "black_box", "samples": 300, "confidence": 0.999}
    biases = {"method": "private_user_item_bias", "mechanism": "gaussian"}
    als = {"method": "private_als", "mechanism": "gaussian"}
    return [
        {**attack, **biases, "relation": "user_add_remove", "lower_bound": 0.7},
        {**attack, **als, "relation": "user_add_remove", "lower_bound": 0.0},
        {**attack, **biases, "relation": "user_replace", "lower_bound": 0.2},
        {**claim, **biases, "relation": "user_replace", "test": "published", "measured": 0},
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
        for mechanism in (*MECHANISMS, "discrete_laplace"):
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


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Return all tables by name."""
    audit = fake_audit()
    claims = judge_all(judging.__file__, judging.PREDICATES, audit)
    return {"audit": audit, "claims": claims}

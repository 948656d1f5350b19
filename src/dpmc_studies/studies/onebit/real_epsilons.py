"""What OutP as published really promises: upper bounds, exact values and what an attack proves."""

import numpy as np
import pandas as pd

from dpmc_studies.statistics.privacy_bounds import threshold_bound
from dpmc_studies.studies.onebit.experiments.outp import BLOCK

MOST = "most that can be proven"
COLUMNS = ["kind", "instance", "link", "claimed_epsilon", "low", "epsilon", "high", "samples"]


def real_epsilons(change: pd.DataFrame | None, attack: pd.DataFrame) -> pd.DataFrame:
    """Return what is drawn: one row a curve and claimed epsilon.

    ``kind`` is "guaranteed" (upper bound), "true" (of one pair of neighbouring data sets, or the
    median over typical draws with the smallest and largest), "proven" (lower bound of the attack)
    and :data:`MOST` (by so many samples at that confidence).
    """
    claims = sorted(attack["claimed_epsilon"].unique())
    rows = []
    for claim, part in attack.groupby("claimed_epsilon"):
        guaranteed = part["guaranteed_epsilon"].max()
        rows.append(("guaranteed", "any", "any", claim, np.nan, guaranteed, np.nan, np.nan))
    block = attack[attack["instance"] == BLOCK]
    for (link, claim), part in block.groupby(["link", "claimed_epsilon"]):
        true = part["true_epsilon"].max()
        rows.append(("true", BLOCK, link, claim, np.nan, true, np.nan, np.nan))
    if change is not None:
        typical = change[change["instance"] != BLOCK]
        for (name, link), part in typical.groupby(["instance", "link"]):
            moved = part["l1_change"] / part["per_entry_sensitivity"]
            for claim in claims:
                ends = (claim * moved).quantile([0, 0.5, 1]).tolist()
                rows.append(("true", name, link, claim, *ends, len(part)))
    for row in attack.itertuples():
        named = (row.instance, row.link, row.claimed_epsilon, np.nan)
        rows.append(("proven", *named, row.lower_bound, np.nan, row.samples))
    for (samples, confidence), _ in attack.groupby(["samples", "confidence"]):
        most = most_provable(int(samples), confidence)
        rows.append((MOST, "any", "any", np.nan, np.nan, most, np.nan, samples))
    return pd.DataFrame(rows, columns=COLUMNS)


def most_provable(samples: int, confidence: float) -> float:
    """Return the largest lower bound that so many samples can give: two laws that never overlap."""
    apart = np.ones(samples)
    return threshold_bound(apart, -apart, delta=0.0, confidence=confidence)

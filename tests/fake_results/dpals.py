"""Results of DPALS: the committed tables of a full run, with rows made up where it lacks data."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc_studies.studies.dpals.claims.evidence import TABLES
from dpmc_studies.studies.dpals.frames import PUBLISHED

COMMITTED = Path(__file__).parents[2] / "results" / "reference" / "dpals" / "tables"


def fake_trials() -> pd.DataFrame:
    """Return the trials, with those of MovieLens 100K standing for 10M, and recalls for 20M."""
    trials = pd.read_csv(COMMITTED / "trials.csv.xz")
    here = trials[trials["dataset"] == "ml-100k"]
    copies = [here.assign(dataset=name) for name in ("ml-10m-top400", "ml-10m")]
    part = here[(here["method"] == "dpals") & (here["variant"] == "standard")]
    recalls = part.assign(dataset="ml-20m", rmse=np.nan, rse=np.nan, recall=0.3)
    part = part.assign(dataset="ml-10m-top400-part")
    return pd.concat([trials, *copies, part, recalls], ignore_index=True)


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


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Return all tables by name."""
    others = {name: pd.read_csv(COMMITTED / f"{name}.csv.xz") for name in TABLES[1:]}
    published = pd.read_csv(PUBLISHED)
    return {"trials": fake_trials(), **others, "claims": fake_claims(), "published": published}

"""The committed results of the one-bit study, with few of their trials."""

from functools import cache
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.judging.claims import load_claims
from dpmc_studies.studies.onebit.claims import judge
from dpmc_studies.yaml_files import beside

COMMITTED = Path(__file__).parents[2] / "results" / "reference" / "onebit"
TRIALS = 5


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Return all tables by name."""
    files = sorted((COMMITTED / "tables").glob("*.csv.xz"))
    found = {path.name.partition(".")[0]: pd.read_csv(path) for path in files}
    del found["wrong_link"]  # which no page shows
    for name in ("trials", "ranks"):
        found[name] = found[name][found[name]["trial"] < TRIALS].reset_index(drop=True)
    stated = load_claims(beside(judge.__file__, "claims.yaml"), judge.PREDICATES)
    verdicts = pd.read_csv(COMMITTED / "expected" / "full" / "claims.csv")
    found["claims"] = pd.DataFrame(stated).merge(
        verdicts.drop(columns=["source", "written"]), on="id"
    )
    return found

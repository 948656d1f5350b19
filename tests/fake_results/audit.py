"""The committed results of the audit."""

from functools import cache
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.judging.claims import judge_all
from dpmc_studies.studies.audit import claims as judging

REFERENCE = Path(__file__).parents[2] / "results" / "reference" / "audit" / "tables"


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Return all tables by name."""
    audit = pd.read_csv(REFERENCE / "audit.csv.xz")
    claims = judge_all(judging.__file__, judging.PREDICATES, audit)
    return {"audit": audit, "claims": claims}

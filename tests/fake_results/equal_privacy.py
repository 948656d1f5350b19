"""The committed results at equal privacy."""

from functools import cache
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.judging.claims import judge_all
from dpmc_studies.studies.equal_privacy import claims as judging

REFERENCE = Path(__file__).parents[2] / "results" / "reference" / "equal_privacy" / "tables"


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Return all tables by name; claims are judged without other readings."""
    frames = {
        name: pd.read_csv(REFERENCE / f"{name}.csv.xz") for name in ("calibrated", "frontier")
    }
    evidence = judging.Evidence(**frames)
    claims = judge_all(judging.__file__, judging.PREDICATES, evidence)
    return frames | {"claims": claims, "comparisons": judging.compared_places(evidence)}

"""The committed results of the comparison of private models."""

from functools import cache
from pathlib import Path

import pandas as pd

from dpmc_studies.studies.which_model.claims import judge

REFERENCE = Path(__file__).parents[2] / "results" / "reference" / "which_model" / "tables"


@cache
def tables() -> dict[str, pd.DataFrame]:
    """Return every table by name."""
    found = {name: pd.read_csv(REFERENCE / f"{name}.csv.xz") for name in ("trials", "ranking")}
    return found | {"claims": judge(found)}

"""Local Bayes against the others at settings that we searched: L1.

Rows are places (data set, epsilon), each a difference of log RMSE, paired by trial.
"""

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import MARGIN, Finding
from dpmc_studies.frame.judging.rules import always_below, explained, not_available
from dpmc_studies.frame.showing.frames import present
from dpmc_studies.statistics.paired import compare, more
from dpmc_studies.studies.which_model.claims.evidence import (
    Evidence,
    claim,
    method_named,
    place_named,
    rows_of,
)
from dpmc_studies.studies.which_model.frames import CAVEAT, METHODS, PLACE, of_local_bayes, tuned


@claim("L1")
def local_bayes_is_never_worse(evidence: Evidence) -> Finding:
    """ALL places of the comparison: its error is less than 1 % above that of the best other."""
    rows = tuned(evidence.trials)
    found = of_local_bayes(rows)
    if not found:
        return not_available("Local Bayes and others")
    table = compare(found, PLACE).sort_values("difference")
    others = present(rows["method"], METHODS)
    names = ", ".join(method_named(name) for name in others if name in set(table["second"]))
    text = (
        f"RMSE over that of the best of the others ({names}): from {_place(table.iloc[0])} to "
        f"{_place(table.iloc[-1])}, and significantly more at {more(table).sum()} of {len(table)} "
        f"points. {CAVEAT}"
    )
    return explained(always_below(rows_of(found), MARGIN[1]), text)


def _place(row: pd.Series) -> str:
    where = place_named(row["dataset"], row["epsilon"])
    return f"{np.exp(row['difference']):.3g} ({where}, against {method_named(row['second'])})"

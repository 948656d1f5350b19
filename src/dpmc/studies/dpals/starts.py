"""Whether every random start of DPALS works out, from trials on the same kind of drawn matrix."""

import pandas as pd

from dpmc.studies.dpals.frames import standard, synthetic_sizes
from dpmc.study.effects import Answer
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc.study.frames import NOT_RUN as NONE

FROM_NOISE = ("dpals", "dpals_literal", "dpals_h_free", "dpals_h_free_clipped")
FROM_DATA = "dpals_analyze_gauss"
FAR = 1.5  # times the median of its cell
FEWEST = 3  # trials of a cell that has a median worth the name


def random_starts(trials: pd.DataFrame | None) -> Answer:
    """Judge whether random starts all lead to about the same error on the synthetic data."""
    title = "On the synthetic data every random start of DPALS leads to about the same error"
    far, count, worst = _far_off(trials, FROM_NOISE)
    if not count:
        return Answer(INCONCLUSIVE, title, NONE)
    text = (
        f"{far} of {count} fits from a random start have more than {FAR:g} times the median error "
        f"of their cell (at most {worst:.3g} times)"
    )
    others, of_these, _ = _far_off(trials, (FROM_DATA,))
    if of_these:
        text += f"; from a private spectral start {others} of {of_these}"
    if far:
        text += (
            ". A start that is nearly orthogonal to one direction of the matrix loses it for an "
            "iteration or two, and there are no more than three: so means over trials have a long "
            "upper tail, and medians tell more"
        )
    return Answer(CONTRADICTED if far else SUPPORTED, title, f"{text}.")


def _far_off(trials, methods) -> tuple[int, int, float]:
    """Return how many trials are far above the median of their cell, of how many, and the worst."""
    shares = [pd.Series(dtype=float)]
    for name in synthetic_sizes(trials):
        here = standard(trials, name)
        here = here[here["method"].isin(methods)]
        cells = here.groupby(["method", "epsilon"])["rmse"]
        full = cells.transform("size") >= FEWEST
        shares.append((here["rmse"] / cells.transform("median"))[full])
    found = pd.concat([each for each in shares if len(each)] or shares)
    return int((found > FAR).sum()), len(found), float(found.max()) if len(found) else 0.0

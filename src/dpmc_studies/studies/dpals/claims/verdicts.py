"""How the DPALS paper's claims are judged beside ALL: within bounds, below in some case."""

import numpy as np

from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    SUPPORTED,
    UNREPORTED,
    Finding,
)
from dpmc_studies.frame.judging.rules import Rows, as_matrix, percent
from dpmc_studies.frame.judging.verdicts import fewest, tally
from dpmc_studies.statistics.tests import row_tests

SOME = "some"


def some_below(rows: Rows) -> Finding:
    """Judge that some comparison is below 0, Holm-corrected; contradicted if all are above."""
    matrix = as_matrix(rows)
    counts = tally(matrix)
    tests = row_tests(matrix)
    trials = fewest(tests.trials)
    if counts.obstacle:
        return Finding(INCONCLUSIVE, n=trials, reason=counts.obstacle, rule=SOME)
    least = int(np.argmin(tests.mean))
    effect, lower, upper = (float(side[least]) for side in (tests.mean, tests.low, tests.high))
    opposite = CONTRADICTED if counts.losses == counts.total else INCONCLUSIVE
    return Finding(
        SUPPORTED if counts.wins else opposite,
        UNREPORTED,
        effect,
        lower,
        upper,
        trials,
        f"{counts.formatted()}; least {list(rows)[least]} {percent(effect)} ({percent(lower)} to "
        f"{percent(upper)}); n = {trials}",
        SOME,
    )


def best(rows: Rows) -> tuple[str, np.ndarray]:
    """Return the row with the least mean over trials, or one that has none, with its name."""
    means = row_tests(as_matrix(rows)).mean
    place = int(np.argmin(means))  # a missing mean counts as the least
    return list(rows.items())[place]

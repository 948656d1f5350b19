"""An erratum about what is not stated: settings that decide the numbers.

Small runs have the settings of :data:`dpmc_studies.studies.huber.errata.method.SETTINGS`.
"""

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.showing.erratum import Evidence
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.errata.method import (
    LARGEST_RANK,
    SETTINGS,
    errors,
    formatted,
    log_ratio,
)
from dpmc_studies.studies.huber.errata.sources import Sources

FRACTION = 0.1
OTHER_USERS, OTHER_ITEMS, OTHER_SCALE = 200, 200, 1.05
ITERATIONS = 20  # T on MovieLens
OTHER_LOSS = 0.1  # parameter a, where 3 is that of Huber noise of variance 1


def settings(sources: Sources) -> Evidence:
    """Settings without which nothing can be repeated, and what each of them changes."""
    als = Cell(SYNTHETIC, LARGEST_RANK, None, FRACTION, "als", "none", None)
    irls = Cell(SYNTHETIC, LARGEST_RANK, None, FRACTION, "irls", "none", 20)
    changes = {
        "size": log_ratio(errors(als, users=OTHER_USERS, items=OTHER_ITEMS), errors(als)),
        "scale": log_ratio(errors(als, scale=OTHER_SCALE), errors(als)),
        "loss": log_ratio(errors(irls, loss_parameter=OTHER_LOSS), errors(irls)),
    }
    numbers = {name: change.estimate for name, change in changes.items()}
    words = {name: formatted(change) for name, change in changes.items()}
    words |= {
        "trials": SETTINGS["trials"],
        "rank": LARGEST_RANK,
        "fraction": FRACTION,
        "users": OTHER_USERS,
        "items": OTHER_ITEMS,
        "other_scale": OTHER_SCALE,
        "other_loss": OTHER_LOSS,
    }
    stopping = _stopping(sources)
    without = [] if stopping else ["stopping"]
    return Evidence(numbers | stopping, without, **words)


def _stopping(sources: Sources) -> dict[str, float]:
    """Return after how many iterations our noise-free error passes the reported ones."""
    if sources.heldout is None:
        return {}
    table = sources.heldout
    lines = table[(table["method"] == "als") & (table["mechanism"] == "none")]
    means = lines.groupby("iteration")["rmse_heldout"].mean()
    if ITERATIONS not in means.index:
        return {}
    rising = means.loc[means.idxmin() :]  # the first iterations are far above
    reported = sources.published[
        (sources.published["table"] == "table4") & (sources.published["mechanism"] == "none")
    ].set_index("method")["published"]
    return {
        "reported_als": float(reported["als"]),
        "reported_irls": float(reported["irls"]),
        "passed_als": int((rising > reported["als"]).idxmax()),
        "passed_irls": int((rising > reported["irls"]).idxmax()),
        "after": float(means[ITERATIONS]),
    }

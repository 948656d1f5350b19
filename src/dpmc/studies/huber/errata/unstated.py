"""Errata about what is not stated: settings that decide the numbers, and the noise that was drawn.

Small runs have the settings of :data:`dpmc.studies.huber.errata.method.SETTINGS`.
"""

import numpy as np

from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.frame.showing.erratum import Evidence
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.errata.method import LARGEST_RANK, SETTINGS, errors, formatted, log_ratio
from dpmc.studies.huber.errata.sources import Sources
from dpmc.studies.huber.experiments.forensics_huber import AS_PRINTED, RIGHT
from dpmc.studies.huber.huber_columns import NOISE, fits, fitted_variance
from dpmc.studies.huber.trial import synthetic_instance

FRACTION = 0.1
OTHER_USERS, OTHER_ITEMS, OTHER_SCALE = 200, 200, 1.05
ITERATIONS = 20  # T on MovieLens
OTHER_LOSS = 0.1  # parameter a, where 3 is that of Huber noise of variance 1
STATED_LARGEST = 5.0
REPORTED_VARIANCE = 2.0
LESS = 1.4  # another variance, to set beside it
STARTS = {"normal": "N(0, 1)", "uniform": "U(0, 1)"}


def huber_columns(sources: Sources) -> Evidence:
    """The printed Huber columns look like noise of less variance."""
    columns = sources.huber_columns
    found = fits(columns).set_index(NOISE)
    numbers, rows = {}, []
    for start, label in STARTS.items():
        noises = {
            "right": (RIGHT, REPORTED_VARIANCE),
            "less": (RIGHT, LESS),
            "as_printed": (AS_PRINTED, REPORTED_VARIANCE),
        }
        places = {name: (start, *noise, REPORTED_VARIANCE) for name, noise in noises.items()}
        row = {name: float(found.loc[place, "errors_apart"]) for name, place in places.items()}
        for fraction in columns["observed_fraction"].unique():
            best = fitted_variance(columns, start, REPORTED_VARIANCE, fraction)
            percent = f"{100 * fraction:g}"
            row |= {f"best_{percent}": best.estimate, f"low_{percent}": best.low}
            row[f"high_{percent}"] = best.high
        numbers |= {f"{start}_{name}": value for name, value in row.items()}
        rows.append({"start": label, "less_variance": LESS, **row})
    shown = columns[columns["reported_variance"] == REPORTED_VARIANCE]
    reported = shown[["reported_als", "reported_irls"]].drop_duplicates().to_numpy()
    numbers |= {
        "mean": float(np.expm1(reported.mean())),
        "largest": float(np.expm1(reported.min())),
    }
    return Evidence(numbers, variance=REPORTED_VARIANCE, starts=rows, columns=reported.size)


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


def rating_range(sources: Sources) -> Evidence:
    """The stated range of the synthetic ratings does not go with the reported errors."""
    table = sources.published[sources.published["metric"] == "rmse_all"]
    chosen = table[
        (table["method"] == "als")
        & (table["mechanism"] == "none")
        & (table["observed_fraction"] == FRACTION)
    ]
    reported = chosen.groupby("rank")["published"].mean()
    numbers, rows = {}, []
    for rank, value in reported.items():
        cell = Cell(SYNTHETIC, int(rank), None, FRACTION, "als", "none", None)
        matrix = synthetic_instance(cell.coordinates(), SETTINGS, 0).matrix()
        scale = float(STATED_LARGEST / matrix.max())
        row = {
            "smallest": float(matrix.min()),
            "largest": float(matrix.max()),
            "unscaled": float(errors(cell).mean() / value),
            "stated": float(errors(cell, scale=scale).mean() / value),
        }
        numbers |= {f"{name}_{rank:g}": number for name, number in row.items()}
        rows.append({"rank": int(rank), **row})
    return Evidence(numbers, ranks=rows, fraction=FRACTION, trials=SETTINGS["trials"])

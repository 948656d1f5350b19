"""What differs between two runs: trials, statuses beside the published numbers, verdicts."""

import numpy as np
import pandas as pd

from dpmc.statistics.tests import log_positive, row_tests
from dpmc.studies.huber.statistics import published_metric
from dpmc.studies.huber.trial import METRICS
from dpmc.study.runs import Run, by_row, changed_settings
from dpmc.study.tolerances import relative_difference


def difference(first: Run, second: Run, tolerance: float) -> dict[str, object]:
    """Compare two runs.

    Parameters
    ----------
    first, second : Run
    tolerance : float
        Relative difference up to which two numbers count as equal.

    Returns
    -------
    dict
        Plain values, ready for JSON: ``equal`` (bool); ``tolerance``; ``cells``, a list with
        ``cell``, ``trials``, ``max_relative_difference`` (None if a number is missing on one
        side), ``mean_log_ratio`` (second over first, of the published metric, paired by trial)
        and ``interval`` (95 %, None below two trials); ``only_in_first`` and ``only_in_second``,
        lists of cells with their number of unpaired trials; ``settings``, ``statuses`` and
        ``verdicts``, lists of what changed (``name``, ``first``, ``second``; a setting also with
        its ``cells``), None where one of the runs has no such table.
    """
    cells = _cells(first.trials, second.trials)
    result = {
        "tolerance": tolerance,
        "cells": cells,
        "only_in_first": _unpaired(first.trials, second.trials),
        "only_in_second": _unpaired(second.trials, first.trials),
        "settings": _settings(first, second),
        "statuses": _changed(by_row(first.statuses), by_row(second.statuses)),
        "verdicts": _changed(by_row(first.verdicts), by_row(second.verdicts)),
    }
    within = all(
        cell["max_relative_difference"] is not None and cell["max_relative_difference"] <= tolerance
        for cell in cells
    )
    lists = ("only_in_first", "only_in_second", "settings", "statuses", "verdicts")
    return {"equal": within and not any(result[name] for name in lists)} | result


def _cells(first: pd.DataFrame, second: pd.DataFrame) -> list[dict[str, object]]:
    common = first.index.intersection(second.index, sort=False)
    first, second = first.loc[common], second.loc[common]
    relative = relative_difference(second[list(METRICS)], first[list(METRICS)]).max(axis=1)
    ratio = log_positive(published_metric(second)) - log_positive(published_metric(first))
    cells = []
    names = common.get_level_values("cell")
    for name in dict.fromkeys(names):
        rows = names == name
        worst = float(relative[rows].max())
        tests = row_tests(ratio[rows])
        mean, *interval = (float(x[0]) for x in (tests.mean, tests.low, tests.high))
        cells.append(
            {
                "cell": name,
                "trials": int(rows.sum()),
                "max_relative_difference": worst if np.isfinite(worst) else None,
                "mean_log_ratio": mean if np.isfinite(mean) else None,
                "interval": interval if np.isfinite(interval).all() else None,
            }
        )
    return cells


def _unpaired(these: pd.DataFrame, those: pd.DataFrame) -> list[dict[str, object]]:
    names = these.index.difference(those.index, sort=False).get_level_values("cell")
    return [{"cell": name, "trials": int((names == name).sum())} for name in dict.fromkeys(names)]


def _settings(first: Run, second: Run) -> list[dict[str, object]] | None:
    if first.settings is None or second.settings is None:
        return None
    changes = changed_settings(first.settings, second.settings)
    return [
        {"name": setting, "first": here, "second": there, "cells": cells}
        for (setting, here, there), cells in changes.items()
    ]


def _changed(first: dict | None, second: dict | None) -> list[dict[str, object]] | None:
    """List what has not the same value on both sides; None if a side is absent."""
    if first is None or second is None:
        return None
    return [
        {"name": name, "first": first.get(name), "second": second.get(name)}
        for name in dict.fromkeys([*first, *second])
        if first.get(name) != second.get(name)
    ]

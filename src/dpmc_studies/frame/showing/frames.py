"""Labels, selection of cells and paired differences, for tables, figures and the page.

Differences between two models are paired by trial and taken between logarithms, so that they are
relative: -0.01 means 1 % less error.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import product

import numpy as np
import pandas as pd
from scipy import special

from dpmc.privacy.calibration import CALIBRATED
from dpmc.privacy.guarantee import ROUNDING
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.statistics.tests import CONFIDENCE, row_tests, trial_matrix

PRIVATE = CALIBRATED  # mechanisms, in the order of tables and legends


class Labels(dict):
    """Name -> label that readers see, in the order of tables and legends.

    Users can add data sets, mechanisms and methods. A name without a label is shown as words
    (``item_median`` as "Item median"); with other characters (``ml-1m``) it stays as it is.
    """

    def __missing__(self, name: str) -> str:
        if re.fullmatch("[a-z]+(_[a-z]+)*", name):
            return name.replace("_", " ").capitalize()
        return name


MECHANISM_LABELS = Labels(
    {"none": "No noise", "gaussian": "Gaussian", "laplace": "Laplace", "huber": "Huber"}
)
METHOD_LABELS = Labels(als="ALS", irls="IRLS")
BASELINE_LABELS = Labels(
    global_mean="Global mean",
    item_bias="Item bias",
    user_item_bias="Item + user bias",
    rank_one="Rank one",
)
FACTOR_MODELS = Labels(private_als="ALS", private_irls="A-IRLS")
PRIVATE_BASELINES = Labels(
    private_global_mean="Global mean",
    private_item_bias="Item bias",
    private_user_item_bias="Item + user bias",
)
DATASET_LABELS = Labels(
    {
        SYNTHETIC: "Synthetic",
        "ml-100k": "MovieLens 100K",
        "sweetrs": "SweetRS",
        "restaurant": "Restaurant & consumer",
        "jester": "Jester 5k",
    }
)


class DatasetLabels(Labels):
    """The labels of data sets in a study; the usual label for others."""

    def __missing__(self, name: str) -> str:
        return DATASET_LABELS[name]


NOT_RUN = "Not run."
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def select(frame: pd.DataFrame, **coordinates) -> pd.DataFrame:
    """Return the rows with these coordinates; None and NaN both mean that there is no value."""
    keep = np.ones(len(frame), dtype=bool)
    for name, value in coordinates.items():
        column = frame[name]
        if value is None or pd.isna(value):
            keep &= column.isna().to_numpy()
        elif isinstance(value, str):
            keep &= column.to_numpy(dtype=object, na_value=None) == value
        else:
            keep &= np.isclose(column.to_numpy(dtype=float, na_value=np.nan), float(value))
    return frame[keep]


def trials_text(counts) -> str:
    """Return the number of trials in words: "10 trials", "8 to 10 trials"."""
    counts = [int(count) for count in counts if pd.notna(count) and count > 0]
    if not counts:
        return "no trials"
    low, high = min(counts), max(counts)
    if low == high:
        return f"{low} trial{'s' if low != 1 else ''}"
    return f"{low} to {high} trials"


def half_width(standard_error: pd.Series, trials: pd.Series) -> np.ndarray:
    """Return half the width of the 95 % t interval of a mean; NaN with fewer than two trials."""
    error = np.asarray(standard_error, dtype=float)
    freedom = np.asarray(trials, dtype=float) - 1
    quantile = special.stdtrit(np.maximum(freedom, 1), (1 + CONFIDENCE) / 2)
    return np.where(freedom >= 1, quantile * error, np.nan)


def cell_means(trials: pd.DataFrame, metric: str, keys: Iterable[str]) -> pd.DataFrame:
    """Return the mean of a metric over the trials of every cell; rows without it are left out.

    The columns are ``keys``, ``mean``, ``standard_error``, ``low`` and ``high`` (95 % t interval,
    NaN with fewer than two trials), and ``trials``, the number of trials.
    """
    values = trials[metric].astype(float)
    here = values.notna()
    cells, matrix = trial_matrix(trials[here], values[here], list(keys))
    tests = row_tests(matrix)
    names = ("mean", "standard_error", "low", "high", "trials")
    return cells.assign(**{name: getattr(tests, name) for name in names})


def present(values: Iterable, known: Iterable) -> list:
    """Return the distinct ``values`` in the order of ``known``, then others sorted, without NaN."""
    found = {value for value in values if pd.notna(value)}
    return [value for value in known if value in found] + sorted(found - set(known))


def split(table: pd.DataFrame, **known: Iterable) -> Iterator[tuple]:
    """Yield each combination of values of columns, in the order of :func:`present`, with its rows.

    Combinations without rows are included, because they are panels of a grid.
    """
    values = [present(table[name], order) for name, order in known.items()]
    for each in product(*values):
        here = np.ones(len(table), dtype=bool)
        for name, value in zip(known, each, strict=True):
            here &= (table[name] == value).to_numpy()
        yield *each, table[here]


def span(values: Iterable[float], form: Callable[[float], str] = "{:.2f}".format) -> str:
    """Format the range of some numbers: "0.12 to 0.34", or one number if both ends agree."""
    found = [value for value in values if pd.notna(value)]
    return " to ".join(dict.fromkeys(map(form, (min(found), max(found)))))


def listed(said: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Join texts on several subjects: "A 1, 2; B 3"; subjects without texts are left out."""
    texts = [(name, ", ".join(filter(None, each))) for name, each in said]
    return "; ".join(f"{name} {text}" for name, text in texts if text)


def number(value: float, digits: int = 3) -> str:
    """Format a positive number with ``digits`` significant digits, without exponent below 10^6."""
    if not np.isfinite(value):
        return "∞"
    if abs(value) >= 1e6:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa} · 10{str(int(exponent)).translate(RAISED)}"
    places = max(digits - 1 - int(np.floor(np.log10(abs(value)))), 0) if value else 0
    return f"{round(value, places):,.{places}f}"


def best_at_ends(
    means: pd.DataFrame,
    label: Callable[[str], str],
    show: Callable[[float], str] = number,
    *,
    ascending: bool = True,
) -> list[str]:
    """Return sentences on the lowest mean, and its method, at the smallest and largest epsilon.

    If not ``ascending``, on the highest mean.
    """
    ends = means[means["epsilon"].isin(means["epsilon"].agg(["min", "max"]))]
    rows = ends.sort_values("mean", ascending=ascending, kind="stable").drop_duplicates("epsilon")
    return [
        f"{show(row.mean)} at ε = {row.epsilon:g} ({label(row.method)})"
        for row in rows.sort_values("epsilon").itertuples()
    ]


def private_rows(trials: pd.DataFrame | None) -> pd.DataFrame | None:
    """Return the rows of mechanisms with a budget; None if there are none."""
    if trials is None:
        return None
    rows = trials[trials["epsilon"].notna()]
    return rows if len(rows) else None


def keeps_claim(trials: pd.DataFrame) -> pd.Series:
    """Return for each row whether the proven guarantee is the claimed one."""
    epsilon = trials["actual_epsilon"] <= trials["claimed_epsilon"] * ROUNDING
    return epsilon & (trials["actual_delta"] <= trials["claimed_delta"])


def in_list(label: str) -> str:
    """Return a label without a comma of its own, for lists: "OutP (as published)"."""
    name, _, rest = label.partition(", ")
    return f"{name} ({rest})" if rest else label


def percent(share: float) -> str:
    """Format a share in whole per cent; only exact 0 and 1 become 0 and 100 %."""
    if 0 < share < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < share < 1 else f"{100 * share:.0f} %"

"""Tables 3 to 7 of the paper: RMSE, reported and ours, with baselines and marked winners."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.judging.finding import NOT_AVAILABLE
from dpmc_studies.frame.showing.frames import (
    BASELINE_LABELS,
    DATASET_LABELS,
    MECHANISM_LABELS,
    METHOD_LABELS,
    PRIVATE,
    select,
    trials_text,
)
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.statistics.paired import leader
from dpmc_studies.statistics.tests import row_tests
from dpmc_studies.studies.huber.reported.compare import DEVIATES
from dpmc_studies.studies.huber.statistics import log_by_trial, published_metric

NOT_RUN = "not run"
THESIS_TABLES = {
    "table1": "5.1",
    "table2": "5.2",
    "table3": "5.3",
    "table4": "5.6",
    "table5": "5.7",
    "table6": "5.4",
    "table7": "5.5",
}
BASELINES = "Baselines (no noise; not in the paper)"
OWN = "Others (not in the paper)"
MARKS = (
    "Bold: lowest private model of its row, and significantly below every other one (paired "
    "t-tests of log RMSE over trials, Holm, 5 %). †: differs from the published number by more "
    "than sampling error (t-test, equal standard error assumed for the paper, Holm)."
)
HEADINGS = {"variance": "Variance", "observed_fraction": "Observed"}
METRICS = {
    True: "Published metric: RMSE on all entries; below it ours on the unobserved entries.",
    False: "Published metric: RMSE on held-out ratings, predictions as they are; below it ours "
    "with predictions clipped to the range of the ratings.",
}


def rmse_table(name: str, trials: pd.DataFrame, comparison: pd.DataFrame) -> Table:
    """Return one of the paper's tables 3 to 7, with baselines and plug-ins added.

    Each row has three lines: the published numbers, our numbers in the published metric, and our
    numbers in a second metric. The second metric is the RMSE on unobserved entries for synthetic
    data, and the RMSE of predictions clipped to the range of the ratings for real data.
    """
    reported = comparison[comparison["table"] == name]
    dataset, rank = reported["dataset"].iloc[0], int(reported["rank"].iloc[0])
    synthetic = dataset == SYNTHETIC
    ours = trials[(trials["dataset"] == dataset) & (trials["rank"] == rank)]
    places = ["variance", "observed_fraction"] if synthetic else ["observed_fraction"]
    columns, selectors = _columns(reported, ours, synthetic)
    absent = NOT_AVAILABLE if not synthetic and ours.empty else NOT_RUN
    rows = []
    for place in distinct(reported, places):
        where = dict(zip(places, place, strict=True))
        rows += _rows(where, reported, ours, selectors, synthetic, absent)
    of = f"synthetic data of rank {rank}" if synthetic else DATASET_LABELS[dataset]
    counts = trials_text(cell.trials for row in rows for cell in row.cells)
    notes = (f"Ours: mean and standard error over {counts}.", METRICS[synthetic], MARKS)
    headings = tuple((place, HEADINGS[place]) for place in places)
    return Table(name, titled(name, f"RMSE on {of}"), headings, columns, tuple(rows), notes)


def titled(name: str, title: str) -> str:
    """Return the title of a table with its number in the paper and in the thesis."""
    return f"Table {name[5:]} (thesis: {THESIS_TABLES[name]}): {title}"


def distinct(frame: pd.DataFrame, names: list[str]) -> list[tuple]:
    """Return the different rows of some columns, in order of appearance."""
    return list(frame[names].drop_duplicates().itertuples(index=False, name=None))


def _columns(
    reported: pd.DataFrame, ours: pd.DataFrame, synthetic: bool
) -> tuple[tuple[Column, ...], list[dict]]:
    """The columns of the paper, the baselines, what plug-ins define; each with what selects it."""
    names = ["method", "mechanism", "irls_iterations"]
    selectors = [dict(zip(names, row, strict=True)) for row in distinct(reported, names)]
    usual = reported["irls_iterations"].max()
    columns = [_column(selector, usual, synthetic) for selector in selectors]
    for method, label in BASELINE_LABELS.items():
        columns.append(Column(method, label, BASELINES))
        selectors.append({"method": method, "mechanism": "none", "irls_iterations": None})
    for row in distinct(ours, names):
        if is_own(*row[:2]):
            selectors.append(dict(zip(names, row, strict=True)))
            columns.append(_column(selectors[-1], usual, synthetic))
    return tuple(columns), selectors


def is_own(method: str, mechanism: str) -> bool:
    """Say whether a cell is neither of a model of the papers nor of a baseline beside them."""
    return method not in METHOD_LABELS | BASELINE_LABELS or mechanism not in MECHANISM_LABELS


def _column(selector: dict, usual: float, synthetic: bool) -> Column:
    method, mechanism = selector["method"], selector["mechanism"]
    inner = selector["irls_iterations"]
    short = "" if pd.isna(inner) or inner == usual else f"{inner:g}"
    name = METHOD_LABELS[method] + (f"-{short}" if short else "")
    if is_own(method, mechanism):
        label = name if mechanism == "none" else f"{name} + {MECHANISM_LABELS[mechanism]}"
        return Column(f"{method}{short}_{mechanism}", label, OWN)
    if synthetic:
        return Column(f"{method}_{mechanism}", MECHANISM_LABELS[mechanism], name)
    label = name if mechanism == "none" else f"{name} + {mechanism[0].upper()}"
    return Column(f"{method}{short}_{mechanism}", label)


def _rows(place, reported, ours, selectors, synthetic, absent) -> list[Row]:
    here = select(reported, **place)
    cells = [_cell_trials(ours, place, selector, here) for selector in selectors]
    lowest = significantly_lowest(
        {
            index: cell
            for index, (cell, selector) in enumerate(zip(cells, selectors, strict=True))
            if selector["mechanism"] in PRIVATE
        }
    )
    published, reproduced, second = [], [], []
    for index, (cell, selector) in enumerate(zip(cells, selectors, strict=True)):
        found = select(here, **selector)
        published.append(Cell(found["published"].iloc[0] if len(found) else np.nan))
        deviates = bool(len(found)) and found["status"].iloc[0] == DEVIATES
        values = published_metric(cell)
        reproduced.append(mean_cell(values, absent, lowest=index == lowest, deviates=deviates))
        second.append(mean_cell(cell["rmse_heldout" if synthetic else "rmse_clipped"], absent))
    labels = tuple(
        f"{100 * value:.3g} %" if name == "observed_fraction" else f"{value:g}"
        for name, value in place.items()
    )
    lines = {"published": published, "ours": reproduced}
    lines["ours, unobserved" if synthetic else "ours, clipped"] = second
    keys = tuple(place.values())
    return [Row(keys, labels, line, tuple(cells)) for line, cells in lines.items()]


def _cell_trials(ours, place: dict, selector: dict, reported: pd.DataFrame) -> pd.DataFrame:
    """Trials of one cell. Without noise it has no variance; on real data the reported rows say
    which variance, one for all, stands for the paper's own, which is not stated."""
    variance = None
    if selector["mechanism"] != "none":
        variance = reported["variance"].dropna().iloc[0]
    coordinates = {**selector, "variance": variance}
    return select(ours, observed_fraction=place["observed_fraction"], **coordinates)


def mean_cell(values: pd.Series, absent: str = "–", **shown) -> Cell:
    """Return the mean of the trials of one cell with its standard error."""
    tests = row_tests(values.to_numpy(dtype=float)[None, :])
    count = int(tests.trials[0])
    return Cell(float(tests.mean[0]), float(tests.standard_error[0]), count, absent=absent, **shown)


def significantly_lowest(cells: dict) -> object | None:
    """Return the key of the cell whose RMSE is significantly below that of every other.

    ``cells`` maps a key to the trials of one cell; cells without trials are ignored. The winner is
    the cell with the lowest mean log RMSE. It counts only if paired t-tests over trials against all
    other cells reject at 5 % after Holm's correction; otherwise the result is None.
    """
    logs = pd.DataFrame({key: log_by_trial(cell) for key, cell in cells.items() if len(cell)})
    first = leader(logs) if logs.shape[1] > 1 else None
    return None if first is None or first.tied else first.best

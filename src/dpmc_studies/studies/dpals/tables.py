"""Tables of DPALS: errors by method and epsilon, accounting, speed, rates and bounds, verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.claims_table import claims_table
from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import present, trials_text
from dpmc_studies.frame.showing.results import write_tables
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.dpals.frames import (
    BY_ITEMS,
    DATASETS,
    METHODS,
    RANK_ONE,
    STANDARD,
    SYNTHETIC,
    Results,
    dataset_label,
    method_label,
    read_dpals,
    standard,
    summary,
)
from dpmc_studies.studies.dpals.speed import growth, slopes
from dpmc_studies.studies.dpals.theory import IN_NOISE, RATE_IN_ITEMS, bounds
from dpmc_studies.studies.dpals.theory import slopes as rates
from dpmc_studies.studies.dpals.variant_names import in_variant_order, variant_label

KEYS = ("dataset", "method", "variant")
DECLARED = DeclaredTables(__file__)
OURS = "ours"
PREDICATES = "Effects are as each predicate says; predicates and reasons stand in claims.csv."
LABELS = {
    "dataset": dataset_label,
    "method": method_label,
    "variant": variant_label,
    "users": "{:,}".format,
    "at": str,
    "along": lambda name: "1/σ" if name == IN_NOISE else name,
    "epsilon": lambda value: "–" if pd.isna(value) else f"{value:g}",
}
# below the first an exponent, from the second on no decimals, from the third on an exponent again
SMALL, LARGE, HUGE = 5e-4, 1e3, 1e5


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Write the tables of the study as .csv, .md, .tex and .html into ``folder``.

    They are made of the tables that :func:`~dpmc_studies.studies.dpals.frames.read_dpals` reads;
    what is missing is left out.
    """
    write_tables(build_dpals_tables(read_dpals(results_folder)), folder)


def build_dpals_tables(results: Results) -> list[Table]:
    """Return the tables that :func:`run` writes, in the order of the page."""
    made = {"accounting": accounting_table, "iterations": iterations_table, "timing": timing_table}
    others = [make(results[name]) for name, make in made.items() if results.get(name) is not None]
    claims = results.get("claims")
    return [
        *_error_tables(results["trials"], results.get("published")),
        *others,
        *theory_tables(results["trials"]),
        *([] if claims is None else [judged_table(claims)]),
    ]


def _error_tables(trials: pd.DataFrame | None, published: pd.DataFrame | None) -> list[Table]:
    plain = standard(trials)
    if plain.empty:
        return []
    drawn = plain["dataset"].str.startswith((SYNTHETIC, BY_ITEMS, RANK_ONE))
    beside = plain["dataset"].str.startswith((RANK_ONE, "jester-5k"))
    parts = (
        ("table_dpals_1_synthetic", plain[drawn], "rmse"),
        ("table_dpals_2_ratings", plain[~drawn], "rmse"),
        ("table_dpals_3_recall", plain[~drawn], "recall"),
        ("table_dpals_4_side_by_side", plain[beside], "rse"),
        ("table_dpals_5_variants", trials[trials["variant"] != STANDARD], "rmse"),
    )
    return [
        error_table(here, published, name, metric)
        for name, here, metric in parts
        if here[metric].notna().any()
    ]


def error_table(
    trials: pd.DataFrame, published: pd.DataFrame | None, name: str, metric: str
) -> Table:
    """Return a metric by method and epsilon with numbers from elsewhere below ours.

    At least one row of ``trials`` has the metric; ``published`` are described in
    :func:`~dpmc_studies.studies.dpals.frames.read_dpals`.
    """
    table = summary(trials, metric)
    budgets = [np.inf, *sorted(table["epsilon"].dropna().unique())]
    columns = (
        Column("no_epsilon", "no noise"),
        *(Column(f"epsilon_{value:g}", f"{value:g}", "ε of one user") for value in budgets[1:]),
    )
    rows = []
    for keys, part in _in_order(table):
        sources = {OURS: part.rename(columns={"mean": "value"})}
        for source, theirs in (sources | _elsewhere(published, keys, metric)).items():
            found = {
                row["epsilon"]: row for row in theirs.fillna({"epsilon": np.inf}).to_dict("records")
            }
            cells = [_mean_cell(found.get(epsilon, {})) for epsilon in budgets]
            rows.append(Row(keys, _labels(KEYS, keys), source, tuple(cells)))
    shown = DECLARED(name, rows, columns, trials=trials_text(table["trials"]))
    return shown.without_constants("method")


def _labels(names: Sequence[str], keys: Sequence) -> tuple[str, ...]:
    return tuple(LABELS.get(n, "{:g}".format)(key) for n, key in zip(names, keys, strict=True))


def _in_order(table: pd.DataFrame) -> Iterator[tuple[tuple, pd.DataFrame]]:
    """Yield the keys of rows and their part of a table, in the order shown."""
    known = {
        "dataset": present(table["dataset"], DATASETS),
        "method": present(table["method"], METHODS),
    }
    known["variant"] = in_variant_order(table["variant"])
    places = pd.DataFrame({name: table[name].map(known[name].index) for name in KEYS})
    for _, part in table.groupby([places[name] for name in KEYS]):
        yield tuple(part[[*KEYS]].iloc[0]), part


def _elsewhere(
    published: pd.DataFrame | None, keys: tuple[str, ...], metric: str
) -> dict[str, pd.DataFrame]:
    """Return the numbers that sources have for a row, by the source."""
    if published is None:
        return {}
    here = published[published["metric"] == metric]
    for name, key in zip(KEYS, keys, strict=True):
        here = here[here[name] == key]
    return dict(iter(here.groupby("source", sort=False)))


def _mean_cell(found: Mapping) -> Cell:
    """Return the cell of a mean with its error, or of a number from elsewhere."""
    if not found:
        return Cell()
    return error_cell(found["value"], found.get("standard_error", np.nan), found.get("trials", 0))


def _of_frame(
    name: str,
    frame: pd.DataFrame,
    columns: Sequence[Column] | None = None,
    line: str = OURS,
    **values: object,
) -> Table:
    """Return a table whose rows are those of a frame, by the headings and columns of the table."""
    headings = [*DECLARED.entries[name]["headings"]]
    shown = DECLARED.columns(name) if columns is None else columns
    rows = []
    for row in frame.to_dict("records"):
        keys = tuple(row[key] for key in headings)
        cells = tuple(error_cell(row[column.key]) for column in shown)
        rows.append(Row(keys, _labels(headings, keys), line, cells))
    return DECLARED(name, rows, columns, **values)


def accounting_table(accounting: pd.DataFrame) -> Table:
    """Return the noise that theorem 1 prints beside that which its budget needs."""
    line = f"δ = {accounting['delta'].iloc[0]:g}".replace("e-0", "e-")
    return _of_frame("table_dpals_6_accounting", accounting, line=line)


def iterations_table(iterations: pd.DataFrame) -> Table:
    """Return the change of RSE by iteration and when a method has arrived."""
    fits = slopes(iterations)
    ordered = pd.concat([part for _, part in _in_order(fits)])
    trials = trials_text(fits["trials"]).capitalize()
    table = _of_frame("table_dpals_7_iterations", ordered, trials=trials)
    return table.without_constants("method")


def timing_table(timing: pd.DataFrame) -> Table:
    """Return CPU seconds of an iteration by size, and their slope."""
    sizes = timing.drop_duplicates("ratings").sort_values("ratings")
    columns = [
        Column(f"ratings_{row.ratings}", f"{row.users:,}", "CPU seconds, by users")
        for row in sizes.itertuples()
    ]
    medians = timing.pivot_table(
        index="method", columns="ratings", values="seconds", aggfunc="median"
    )
    medians = medians.rename(columns=lambda ratings: f"ratings_{ratings}")
    frame = medians.assign(slope=growth(timing)).loc[present(medians.index, METHODS)].reset_index()
    top = sizes.iloc[-1]
    return _of_frame(
        "table_dpals_8_timing", frame, [*columns, Column("slope", "slope")],
        items=top["items"], rank=top["rank"], fewest=sizes["ratings"].min(), ratings=top["ratings"],
    )  # fmt: skip


def theory_tables(trials: pd.DataFrame | None) -> list[Table]:
    """Return the tables of bounds and of rates; none without drawn matrices of several sizes."""
    fits, cells = rates(trials), bounds(trials)
    found = []
    if len(cells):
        found.append(_of_frame("table_dpals_9_bounds", cells))
    if len(fits):
        at = [
            f"{value:,.0f} users" if along == IN_NOISE else f"ε = {value:g}"
            for along, value in zip(fits["along"], fits["at"], strict=True)
        ]
        text = trials_text(fits["trials"]).capitalize()
        shown = fits.assign(at=at)
        found.append(_of_frame("table_dpals_9_rates", shown, rate=RATE_IN_ITEMS, trials=text))
    return found


def error_cell(value: float, error: float = np.nan, trials: int = 0) -> Cell:
    """Return a cell with four significant digits at most, tiny and huge numbers with an exponent;
    whole numbers have no decimals.
    """
    if not np.isfinite(value):
        return Cell(absent="∞" if np.isinf(value) else "–")
    size = abs(value)
    exponent = 0 < size < SMALL or size >= HUGE
    whole = isinstance(value, int) or size >= LARGE
    digits = -1 if exponent else 0 if whole else 4 if size < 0.1 else 3
    return Cell(value, error, trials, digits)


def judged_table(claims: pd.DataFrame) -> Table:
    """Return the verdicts on the paper's claims; the page shows them with their reasons."""
    return replace(claims_table(claims), id="dpals_claims", notes=(PREDICATES,))

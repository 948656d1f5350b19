"""The differences between two runs: every table of every study, row by row.

Rows are paired by their names: the columns up to ``trial`` or, in a table without trials, the
columns of text and whole numbers. Rows of the same name are paired in the order of their numbers.
Of claims only the verdicts are compared. Seconds, which always differ, are not compared.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.errors import InputError
from dpmc_studies.frame.checking.runs import read_text_table, row_names
from dpmc_studies.frame.checking.tolerances import relative_difference
from dpmc_studies.frame.jobs.cell_settings import SETTINGS, read_settings

NOT_COMPARED = ("seconds",)
JUDGED = ("id", "verdict", "reported_verdict")
EXAMPLES = 5


def difference(first: str | Path, second: str | Path, tolerance: float) -> dict[str, object]:
    """Compare two folders of results, ``results`` or one study's, with tables at any depth.

    ``tolerance`` is the relative difference up to which two numbers count as equal.

    The result has plain values, ready for JSON. ``equal`` is a bool, ``tolerance`` the argument,
    and ``only_in_first`` and ``only_in_second`` are names of tables. ``tables`` has for each table
    of both folders its ``name``; the numbers of ``rows``, of ``different`` rows, and of rows
    ``only_in_first`` and ``only_in_second``; ``largest``, the largest relative difference (None if
    columns or a text differ, or a number is missing on one side); and ``examples``, a few different
    rows in words, or all if they are verdicts.
    """
    sides = [tables_of(Path(first)), tables_of(Path(second))]
    common = [name for name in sides[0] if name in sides[1]]
    compared = [compare(name, *(side[name] for side in sides), tolerance) for name in common]
    result = {
        "tolerance": tolerance,
        "tables": compared,
        "only_in_first": [name for name in sides[0] if name not in sides[1]],
        "only_in_second": [name for name in sides[1] if name not in sides[0]],
    }
    kinds = ("different", "only_in_first", "only_in_second")
    alike = not any(table[kind] for table in compared for kind in kinds)
    return {"equal": alike and not (result["only_in_first"] or result["only_in_second"])} | result


def tables_of(folder: Path) -> dict[str, Path]:
    """Return the result tables below a folder, and their settings, by name.

    Parts of a table from single jobs do not count. A folder that also holds other files is for
    readers and does not count either.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    homes = [folder, *(path for path in sorted(folder.rglob("*")) if path.is_dir())]
    found = {
        str(path.relative_to(folder)): path
        for home in homes
        if not _is_left_out(home.relative_to(folder))
        for path in _tables_in(home)
    }
    if not any(name.endswith(".csv") for name in found):
        raise InputError(f"{folder} is no folder of results: it has no tables.")
    return found


def _is_left_out(home: Path) -> bool:
    return "reference" in home.parts or any("~" in part for part in home.parts)


def _tables_in(home: Path) -> list[Path]:
    files = [path for path in sorted(home.iterdir()) if path.is_file()]
    if any(path.suffix not in (".csv", ".json", ".txt") or "~" in path.name for path in files):
        return []
    return [path for path in files if path.suffix == ".csv" or path.name == SETTINGS]


def compare(name: str, first: Path, second: Path, tolerance: float) -> dict[str, object]:
    """Compare two files of one name; tables with different columns have no row in common."""
    read = _settings_table if name.endswith(SETTINGS) else _comparable
    sides = [read(path) for path in (first, second)]
    if sides[0].equals(sides[1]):  # as most are: nothing to pair
        return _found(name, sides, np.zeros(len(sides[0])), tolerance, [])
    if list(sides[0]) != list(sides[1]):
        columns = [f"columns {list(sides[0])}, {list(sides[1])}"]
        return _found(name, sides, np.empty(0), tolerance, columns) | {"largest": None}
    keys = _keys(*sides)
    sides = [_named(side, keys) for side in sides]
    common = sides[0].index.intersection(sides[1].index, sort=False)
    left, right = (side.loc[common] for side in sides)
    relative = _relative(left, right)
    worst = relative.max(axis=1, initial=0.0)
    shown = None if "verdict" in left else EXAMPLES  # who compares verdicts wants them all
    examples = [
        f"{common[row][0]}: {left.columns[column]} {left.iloc[row, column] or 'nothing'} -> "
        f"{right.iloc[row, column] or 'nothing'}"
        for row in np.flatnonzero(worst > tolerance)[:shown]
        for column in [int(np.argmax(relative[row]))]
    ]
    return _found(name, sides, worst, tolerance, examples)


def _found(name, sides, worst: np.ndarray, tolerance, examples) -> dict[str, object]:
    """Count rows; ``worst`` is the largest relative difference of each that both sides have."""
    largest = float(worst.max(initial=0.0))
    return {
        "name": name,
        "rows": len(worst),
        "different": int((worst > tolerance).sum()),
        "only_in_first": len(sides[0]) - len(worst),
        "only_in_second": len(sides[1]) - len(worst),
        "largest": largest if np.isfinite(largest) else None,
        "examples": examples,
    }


def _comparable(path: Path) -> pd.DataFrame:
    table = read_text_table(path)
    if "verdict" in table:
        return table[[name for name in JUDGED if name in table]]
    return table.drop(columns=[name for name in NOT_COMPARED if name in table])


def _settings_table(path: Path) -> pd.DataFrame:
    settings = read_settings(path)
    rows = [("all cells", "reference", settings.reference)]
    rows += [
        (cell, name, str(value))
        for cell, values in settings.cells.items()
        for name, value in values.items()
    ]
    return pd.DataFrame(rows, columns=["cell", "setting", "value"], dtype=str)


def _keys(first: pd.DataFrame, second: pd.DataFrame) -> list[str]:
    columns = list(first)
    if columns == ["cell", "setting", "value"]:
        return columns[:2]
    if "trial" in columns:
        last = max(columns.index(name) for name in ("trial", "iteration") if name in columns)
        return columns[: last + 1]
    if "verdict" in columns:
        return ["id"]
    return [name for name in columns if not _has_fractions(first[name])]


def _has_fractions(column: pd.Series) -> bool:
    numbers = pd.to_numeric(column[column != ""], errors="coerce")
    return bool(len(numbers)) and bool(numbers.notna().all()) and bool((numbers % 1 != 0).any())


def _named(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Index a table by the names of its rows and their order among the rows of one name.

    Their numbers give the order: a budget of 0.5 is not in a name, but tells rows apart.
    """
    names = pd.Series(row_names(table, keys), index=table.index, dtype=object)
    values = table.drop(columns=keys)
    if len(values.columns) and not names.is_unique:
        numbers = values.apply(pd.to_numeric, errors="coerce")
        names = names[numbers.sort_values(list(values), kind="stable").index]
    places = names.groupby(names).cumcount()
    index = pd.MultiIndex.from_arrays([each[table.index] for each in (names, places)])
    return values.set_index(index)


def _relative(left: pd.DataFrame, right: pd.DataFrame) -> np.ndarray:
    """Return relative differences of numbers, infinite where a text differs."""
    changed = left.to_numpy() != right.to_numpy()
    numbers = [side.apply(pd.to_numeric, errors="coerce") for side in (right, left)]
    are_texts = np.logical_and(*(side.isna().to_numpy() for side in numbers))
    return np.where(changed, np.where(are_texts, np.inf, relative_difference(*numbers)), 0.0)

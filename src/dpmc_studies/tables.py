"""CSV tables of numbers, written whole or not at all.

Numbers are written with ``repr``, so reading them back gives the same bits. Training jobs use this
module instead of pandas, whose import takes half a second.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dpmc.files import atomic_path


def write(path: str | Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write rows as CSV; None becomes an empty field, 2.0 becomes 2."""
    with atomic_path(path) as temporary, open(temporary, "w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_format(row[column]) for column in columns])


def join(path: str | Path, columns: Sequence[str], parts: Iterable[str | Path]) -> None:
    """Write the rows of CSV files with the same header one after the other."""
    header = ",".join(columns)
    with atomic_path(path) as temporary, open(temporary, "w", newline="") as stream:
        stream.write(header + "\n")
        for part in parts:
            first, *lines = Path(part).read_text().splitlines(keepends=True)
            if first.rstrip("\n") != header:
                raise ValueError(f"{part} has the columns {first.rstrip()}, not {header}.")
            stream.writelines(lines)


def _format(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() else repr(float(value))
    return str(value)

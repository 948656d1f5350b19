"""Tables that a study declares in ``tables.yaml``: everything that readers see except numbers."""

from collections.abc import Iterable
from pathlib import Path

from dpmc_studies.frame.showing.table_model import Column, Row, Table
from dpmc_studies.frame.showing.texts import check_used, fill
from dpmc_studies.yaml_files import beside, read_mapping


class DeclaredTables:
    """The titles, headings, columns and notes in the file next to a module, by table id.

    A heading is a key of the rows with its label. A column is a key with a label, or with a list of
    a label and the heading above it. Titles and notes have placeholders, see
    :mod:`dpmc_studies.frame.showing.texts`.
    """

    def __init__(self, module: str | Path) -> None:
        self.path = beside(module, "tables.yaml")
        self.entries = read_mapping(self.path)

    def columns(self, name: str) -> tuple[Column, ...]:
        """Return the declared columns of a table."""
        return tuple(
            Column(key, *([label] if isinstance(label, str) else label))
            for key, label in self.entries[name]["columns"].items()
        )

    def __call__(
        self,
        name: str,
        rows: Iterable[Row],
        columns: Iterable[Column] | None = None,
        **values: object,
    ) -> Table:
        """Return a table with its placeholders filled; every value must be used.

        ``columns`` are the columns of a table that does not declare them.
        """
        entry, where = self.entries[name], f"{self.path}, {name}"
        texts = [entry["title"], *entry.get("notes", ())]
        check_used(values, texts, where)
        title, *notes = (fill(text, values, where) for text in texts)
        shown = self.columns(name) if columns is None else tuple(columns)
        headings = tuple(entry["headings"].items())
        return Table(name, title, headings, shown, tuple(rows), tuple(notes))

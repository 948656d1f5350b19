"""Jobs about the published budgets: what they add up to, and what the algorithms reveal.

The tables and figures that are made of them are in :mod:`dpmc.studies.huber.tables_privacy` and
:mod:`dpmc.studies.huber.figures.privacy_totals`, what they mean is said in
:mod:`dpmc.studies.huber.privacy_meaning`.
"""

from collections.abc import Mapping

from dpmc.methods import method_module
from dpmc.studies.huber.cells import Cell, huber_cells
from dpmc.studies.huber.effort import in_proportion_to
from dpmc.studies.huber.privacy_columns import TABLES, TOTAL_COLUMNS, TRANSCRIPT_COLUMNS
from dpmc.study.api import RatingsOf, Section
from dpmc.study.cells import SYNTHETIC
from dpmc.study.text_cells import Coordinates
from dpmc.study.text_cells import text_job as Job

SUMS, LOSSES = TABLES
METHODS = ("als", "irls")
NOISES = ("gaussian", "laplace", "huber")
PART = ("dataset", "rank", "method")


def noised_cells(section: Section) -> list[Cell]:
    """Return the cells of the papers' algorithms with noise, whose releases have a density."""
    return [
        cell for cell in huber_cells(section) if cell.method in METHODS and cell.mechanism in NOISES
    ]


def transcript_parts(section: Section) -> list[Coordinates]:
    """Return data set, rank and method of every part: most cells take less than starting Python."""
    parts = dict.fromkeys(map(_part, noised_cells(section)))
    return [dict(zip(PART, part, strict=True)) for part in parts]


def transcript_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return the cells of a part, in their order, each formatted and with exactly what it uses."""
    from dpmc.studies.huber.settings import cell_settings  # imports the methods

    own = section["transcript"]
    extra = {name: own[name] for name in ("neighbours", "delta")}
    part = tuple(coordinates[name] for name in PART)
    return {
        "cells": [
            {"cell": cell.formatted(), "settings": cell_settings(section, cell) | extra}
            for cell in noised_cells(section)
            if _part(cell) == part
        ]
    }


def transcript_inputs(section: Section, coordinates: Coordinates) -> dict[str, RatingsOf]:
    """Return the ratings of a real data set; synthetic data are generated."""
    dataset = coordinates["dataset"]
    return {} if dataset == SYNTHETIC else {"ratings": RatingsOf(dataset)}


def transcript_modules(section: Section, coordinates: Coordinates) -> list[str]:
    """Return the modules of the part's method and of all its mechanisms."""
    noises = [f"dpmc.mechanisms.{name}" for name in NOISES]
    return [method_module(coordinates["method"]), *noises]


def totals_settings(section: Section, coordinates: Coordinates) -> Mapping[str, object]:
    """Return the arguments of :func:`dpmc.studies.huber.totals.totals_table`."""
    return dict(section["totals"])


def _part(cell: Cell) -> tuple[str, ...]:
    formatted = cell.formatted()
    return tuple(formatted[name] for name in PART)


TOTALS = Job(
    name="totals",
    run="dpmc.studies.huber.totals:run",
    tables={SUMS: TOTAL_COLUMNS},
    settings=totals_settings,
    seconds=10.0,
)
TRANSCRIPT = Job(
    name="transcript",
    run="dpmc.studies.huber.transcript:run",
    tables={LOSSES: TRANSCRIPT_COLUMNS},
    coordinates=PART,
    cells=transcript_parts,
    settings=transcript_settings,
    effort=in_proportion_to("transcript.neighbours"),
    inputs=transcript_inputs,
    modules=transcript_modules,
    seconds=15.0,
)

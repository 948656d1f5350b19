"""Jobs about how the methods behave: weights, held-out errors, a variance, the thesis's methods.

The tables and figures that are made of them are in :mod:`dpmc.studies.huber.tables_methods` and
:mod:`dpmc.studies.huber.figures.methods`.
"""

from collections.abc import Callable

from dpmc.methods import method_module
from dpmc.studies.huber import plugins
from dpmc.studies.huber.cells import COORDINATES, Cell, huber_cells
from dpmc.studies.huber.effort import in_proportion_to
from dpmc.studies.huber.heldout import HELDOUT_COLUMNS
from dpmc.studies.huber.settings import cell_settings
from dpmc.studies.huber.thesis_methods import THESIS_COLUMNS
from dpmc.studies.huber.trial import TRIAL_COLUMNS
from dpmc.study.api import RatingsOf, Section
from dpmc.study.cells import SYNTHETIC
from dpmc.study.text_cells import Coordinates
from dpmc.study.text_cells import text_job as Job

MOVIELENS, SWEETRS = "ml-100k", "sweetrs"
WEIGHTS_COLUMNS = (
    *COORDINATES, "trial", "loss_parameter", "weights_first", "below_first", "weights_later",
    "below_later", "rmse_irls", "rmse_als",
)  # fmt: skip
TABLES = ("weights", "heldout", "sweetrs_variances", "thesis_methods")
# ALS without noise, and the models with the noise that is theirs in the papers' table 4
HELDOUT_MODELS = (("als", "none"), ("als", "gaussian"), ("irls", "huber"))


def _only(dataset: str) -> Callable[[Section], list[Coordinates]]:
    """Return the cells of a job about one data set: none where the section leaves it out."""
    return lambda section: [{"dataset": dataset}] if dataset in section["real"] else []


def ratings_of(section: Section, coordinates: Coordinates) -> dict[str, RatingsOf]:
    """Return the ratings of a real data set; synthetic data are generated."""
    dataset = coordinates["dataset"]
    return {} if dataset == SYNTHETIC else {"ratings": RatingsOf(dataset)}


def _modules(section: Section, coordinates: Coordinates) -> list[str]:
    return plugins.side_modules()


def _with_settings(section: Section, cell: Cell, **changed: object) -> dict[str, object]:
    return cell.coordinates() | {"settings": cell_settings(section, cell) | changed}


def _weighted_cells(section: Section) -> list[Cell]:
    """Return the A-IRLS cells of the grid with the usual K of their data."""
    mechanisms, real = section["weights"]["trials"], section["real"]
    return [
        cell
        for cell in huber_cells(section)
        if cell.method == "irls"
        and cell.mechanism in mechanisms
        and cell.irls_iterations == real.get(cell.dataset, section)["irls_iterations"]
    ]


def _weighted_data(section: Section) -> list[Coordinates]:
    names = dict.fromkeys(cell.dataset for cell in _weighted_cells(section))
    return [{"dataset": name} for name in names]


def _settings_of_weights(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Real data run once: each trial has millions of weights."""
    dataset, own = coordinates["dataset"], section["weights"]
    cells = [cell for cell in _weighted_cells(section) if cell.dataset == dataset]
    trials = own["trials"] if dataset == SYNTHETIC else dict.fromkeys(own["trials"], 1)
    return {
        "counted_iterations": own["counted_iterations"],
        "trials": trials,
        "cells": [_with_settings(section, cell) for cell in cells],
    }


def _real_cell(
    section: Section, dataset: str, fraction: float, method: str, mechanism: str, variance: float
) -> Cell:
    entry = section["real"][dataset]
    inner = entry["irls_iterations"] if method == "irls" else None
    level = None if mechanism == "none" else float(variance)
    return Cell(dataset, entry["rank"], level, float(fraction), method, mechanism, inner)


def _settings_of_heldout(section: Section, coordinates: Coordinates) -> dict[str, object]:
    entry, own = section["real"][MOVIELENS], section["heldout"]
    fraction = entry["splits"][0]["observed_fraction"]
    cells = [
        _real_cell(section, MOVIELENS, fraction, *model, entry["variance"])
        for model in HELDOUT_MODELS
    ]
    changed = {"iterations": own["iterations"]}
    return {
        "trials": own["trials"],
        "cells": [_with_settings(section, cell, **changed) for cell in cells],
    }


def _settings_of_variances(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """ALS with Gaussian noise alone: neither Huber noise of scale 1 nor its loss goes below 1."""
    own = section["sweetrs_variances"]
    fraction, changed = own["observed_fraction"], {"trials": own["trials"]}
    cells = [_real_cell(section, SWEETRS, fraction, "als", "none", 1.0)]
    cells += [
        _real_cell(section, SWEETRS, fraction, "als", "gaussian", variance)
        for variance in own["variances"]
    ]
    return {"cells": [_with_settings(section, cell, **changed) for cell in cells]}


def _settings_of_thesis_methods(section: Section, coordinates: Coordinates) -> dict[str, object]:
    first = section["real"][MOVIELENS]["splits"][0]
    fraction = first["observed_fraction"]
    return dict(section["thesis_methods"]) | {
        "seed": section["seed"],
        "dataset": MOVIELENS,
        "observed_fraction": fraction,
        "training_share": first.get("training_share", fraction),
    }


def _thesis_modules(section: Section, coordinates: Coordinates) -> list[str]:
    entries = section["thesis_methods"]["methods"].values()
    return [method_module(entry["method"]) for entry in entries]


JOBS = (
    Job(
        name="weights",
        run="dpmc.studies.huber.run:weights",
        tables={"weights": WEIGHTS_COLUMNS},
        coordinates=("dataset",),
        cells=_weighted_data,
        settings=_settings_of_weights,
        inputs=ratings_of,
        modules=_modules,
        seconds=12.0,
    ),
    Job(
        name="heldout",
        run="dpmc.studies.huber.run:heldout",
        tables={"heldout": HELDOUT_COLUMNS},
        coordinates=("dataset",),
        cells=_only(MOVIELENS),
        settings=_settings_of_heldout,
        effort=in_proportion_to("heldout.trials", "heldout.iterations"),
        inputs=ratings_of,
        modules=_modules,
        seconds=20.0,
    ),
    Job(
        name="sweetrs_variances",
        run="dpmc.studies.huber.run:sweetrs_variances",
        tables={"sweetrs_variances": TRIAL_COLUMNS},
        coordinates=("dataset",),
        cells=_only(SWEETRS),
        settings=_settings_of_variances,
        effort=in_proportion_to("sweetrs_variances.trials"),
        inputs=ratings_of,
        modules=_modules,
        seconds=4.0,
    ),
    Job(
        name="thesis_methods",
        run="dpmc.studies.huber.run:thesis_methods",
        tables={"thesis_methods": THESIS_COLUMNS},
        coordinates=("dataset",),
        cells=_only(MOVIELENS),
        settings=_settings_of_thesis_methods,
        effort=in_proportion_to("thesis_methods.trials"),
        inputs=ratings_of,
        modules=_thesis_modules,
        alone=True,
        seconds=15.0,
    ),
)

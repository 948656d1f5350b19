"""Table 2 of the paper (5.2 of the thesis): the parameters of the simulations, and ours.

Source: [Gowtham 2022], table 2 and, for real data, section 4.
"""

from collections.abc import Mapping

import numpy as np

from dpmc.datasets import REGISTRY
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import DATASET_LABELS
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.huber.tables_rmse import titled

DECLARED = DeclaredTables(__file__)
PARAMETERS = {  # label, reported value, digits
    "iterations": ("Number of alternating steps T", 50, 0),
    "irls_iterations": ("IRLS iterations K", 20, 0),
    "regularization": ("Regularization parameter λ", 0.5, 1),
    "trials": ("Trials for averaging", 10, 0),
    "smallest": ("Ratings range, from", 1, 0),
    "largest": ("Ratings range, to", 5, 0),
}
COMMON = ("iterations", "irls_iterations", "regularization")


def parameter_settings(section: Section) -> dict[str, dict[str, object]]:
    """Return what is run here, by data set: users' own are left out."""
    common = {name: section[name] for name in COMMON} | {"trials": section["reported_trials"]}
    real = {
        name: common | {each: entry[each] for each in COMMON if each in entry}
        for name, entry in section["real"].items()
        if name in REGISTRY
    }
    return {"synthetic": common} | real


def parameters_table(settings: Mapping[str, Mapping]) -> Table:
    """Return table 2 beside what is run here, and the scale of real ratings.

    ``settings`` is as :func:`parameter_settings` returns it.
    """
    columns = [Column("reported", "Reported")]
    columns += [Column(name, DATASET_LABELS[name], "Ours") for name in settings]
    ours = [each | _scale(name) for name, each in settings.items()]
    rows = [
        Row((key,), (label,), "",
            tuple(Cell(float(value), digits=digits)
                  for value in (reported, *(each.get(key, np.nan) for each in ours))))
        for key, (label, reported, digits) in PARAMETERS.items()
    ]  # fmt: skip
    return DECLARED("table2", rows, columns, titled=titled("table2", "simulation parameters"))


def _scale(name: str) -> dict[str, float]:
    known = name in REGISTRY and REGISTRY[name].rating_range
    return dict(zip(("smallest", "largest"), known or (np.nan, np.nan), strict=True))

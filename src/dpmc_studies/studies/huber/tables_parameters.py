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
from dpmc_studies.studies.huber.trial import synthetic_instance

DECLARED = DeclaredTables(__file__)
REPORTED = {
    "iterations": 50,
    "irls_iterations": 20,
    "regularization": 0.5,
    "trials": 10,
    "smallest": 1,
    "largest": 5,
}
LABELS = {
    "iterations": "Number of alternating steps T",
    "irls_iterations": "IRLS iterations K",
    "regularization": "Regularization parameter λ",
    "trials": "Trials for averaging",
    "smallest": "Ratings range, from",
    "largest": "Ratings range, to",
}
DIGITS = {"regularization": 1, "smallest": 2, "largest": 2}
COMMON = ("iterations", "irls_iterations", "regularization")


def parameter_settings(section: Section) -> dict[str, object]:
    """Return what :func:`parameters_table` uses."""
    synthetic = section["synthetic"]
    common = {name: section[name] for name in COMMON}
    real = {
        name: common | {each: entry[each] for each in COMMON if each in entry}
        for name, entry in section["real"].items()
        if name in REGISTRY  # others are the user's own
    }
    return {
        "trials": section["reported_trials"],
        "ranks": section["ranks"],
        "observed_fraction": section["observed_fractions"][0],
        "common": common,
        "real": real,
        "data": {"seed": section["seed"]}
        | {name: synthetic[name] for name in ("users", "items", "scale")},
    }


def parameters_table(settings: Mapping) -> Table:
    """Return table 2 beside what is run here, and the ratings that there really are.

    ``settings`` is as :func:`parameter_settings` returns it.
    """
    trials = settings["trials"]
    columns = [Column("reported", "Reported")]
    values = [REPORTED]
    for rank in settings["ranks"]:
        columns.append(Column(f"rank_{rank}", f"Synthetic, rank {rank}", "Ours"))
        smallest, largest = _entries(settings, rank)
        limits = {"smallest": smallest, "largest": largest}
        values.append(settings["common"] | {"trials": trials} | limits)
    for name, own in settings["real"].items():
        columns.append(Column(name, DATASET_LABELS[name], "Ours"))
        values.append(own | {"trials": trials} | _scale(name))
    rows = tuple(
        Row(
            (key,),
            (label,),
            "",
            tuple(Cell(float(each.get(key, np.nan)), digits=DIGITS.get(key, 0)) for each in values),
        )
        for key, label in LABELS.items()
    )
    return DECLARED(
        "table2", rows, columns, titled=titled("table2", "simulation parameters"), trials=trials
    )


def _entries(settings: Mapping, rank: int) -> np.ndarray:
    """Return the means over trials of the smallest and the largest entry of a matrix."""
    shared = {"rank": rank, "observed_fraction": settings["observed_fraction"]}
    matrices = (
        synthetic_instance(shared, settings["data"], trial).matrix()
        for trial in range(settings["trials"])
    )
    return np.mean([(matrix.min(), matrix.max()) for matrix in matrices], axis=0)


def _scale(name: str) -> dict[str, float]:
    limits = REGISTRY[name].rating_range or (np.nan, np.nan)
    return dict(zip(("smallest", "largest"), limits, strict=True))

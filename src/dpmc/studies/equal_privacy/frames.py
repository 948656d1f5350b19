"""What tables, figures and findings of the privacy part share: its frames, labels and runs."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    USER_ADD_REMOVE,
    USER_REPLACE,
)
from dpmc.study.cells import SYNTHETIC
from dpmc.study.frames import (
    BASELINE_LABELS,
    DATASET_LABELS,
    FACTOR_MODELS,
    MECHANISM_LABELS,
    PRIVATE_BASELINES,
    SOLVER_LABELS,
)

NAMES = ("totals", "transcript_loss", "calibrated", "frontier", "audit")
CELL = ["dataset", "relation", "epsilon"]
MODEL = ["solver", "mechanism"]
TRIVIAL = "private_global_mean"
DATASETS = {
    SYNTHETIC: "Synthetic, 100 × 500",
    "synthetic_large": "Synthetic, 20,000 × 500",
    "ml-100k": "MovieLens 100K",
    "sweetrs": "SweetRS",
    "jester": "Jester 5k",
}
RELATION_TITLES = {
    ENTRY_CHANGE: "Entry level: one rating changes",
    USER_ADD_REMOVE: "User level: one user joins or leaves",
    ENTRY_ADD_REMOVE: "Entry level: one rating is added or removed",
    USER_REPLACE: "User level: one user is replaced",
}


def read_results(folder: str | Path) -> dict[str, pd.DataFrame | None]:
    """Read the tables of :data:`NAMES` from a folder; those that are not there are None."""
    paths = {name: Path(folder) / f"{name}.csv" for name in NAMES}
    frames = {name: pd.read_csv(path) for name, path in paths.items() if path.is_file()}
    return {name: _whole(frames.get(name)) for name in NAMES}


def _whole(frame: pd.DataFrame | None) -> pd.DataFrame | None:
    """An empty table says as much as a missing one."""
    return None if frame is None or frame.empty else frame


def has_results(results: Mapping[str, pd.DataFrame | None]) -> bool:
    """Say whether anything of the privacy part has been run."""
    return any(frame is not None for frame in results.values())


def dataset_label(name: str) -> str:
    """Spell a data set; one of the reader's own keeps its name."""
    return DATASETS.get(name) or DATASET_LABELS.get(name, name)


def model_label(solver: str, mechanism: str) -> str:
    """Spell a model: "ALS + Huber", "Item bias", "ALS without noise"."""
    labels = {**FACTOR_MODELS, **PRIVATE_BASELINES, **SOLVER_LABELS, **BASELINE_LABELS}
    name = labels.get(solver, solver)
    if mechanism == "none":
        return f"{name} without noise" if solver in SOLVER_LABELS else f"{name}, not private"
    return f"{name} + {MECHANISM_LABELS.get(mechanism, mechanism)}"

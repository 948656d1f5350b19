"""What tables, figures and findings of the privacy part share: its frames, labels and runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    USER_ADD_REMOVE,
    USER_REPLACE,
)
from dpmc.report.frames import BASELINE_LABELS, DATASET_LABELS, MECHANISM_LABELS, SOLVER_LABELS
from dpmc.studies.huber.cells import SYNTHETIC

NAMES = ("totals", "transcript_loss", "calibrated", "frontier", "audit")
CELL = ["dataset", "relation", "epsilon"]
MODEL = ["solver", "mechanism"]
FACTOR_MODELS = {"private_als": "ALS", "private_irls": "A-IRLS"}
PRIVATE_BASELINES = {
    "private_global_mean": "Global mean",
    "private_item_bias": "Item bias",
    "private_user_item_bias": "Item + user bias",
}
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


@dataclass(frozen=True)
class PublishedRun:
    """One kind of training that the papers ran with noise.

    Attributes
    ----------
    dataset, solver : str
    releases : int
        Of each item vector: T iterations with ALS, T K with A-IRLS ("Introducing the Huber
        mechanism for differentially private low-rank matrix completion", section 4).
    how : str
        T and K.
    variances : tuple of float
    mechanisms : tuple of str
        With which it was run.
    irls_iterations : float or None
        K.
    """

    dataset: str
    solver: str
    releases: int
    how: str
    variances: tuple[float, ...]
    mechanisms: tuple[str, ...]
    irls_iterations: int | None = None

    @property
    def label(self) -> str:
        """Solver with T and K, for the reader."""
        return f"{SOLVER_LABELS[self.solver]}, {self.how}"


EVERY = ("gaussian", "laplace", "huber")
PUBLISHED_RUNS = (
    PublishedRun(SYNTHETIC, "als", 50, "T = 50", (1.0, 2.0), EVERY),
    PublishedRun(SYNTHETIC, "irls", 1000, "T = 50, K = 20", (1.0, 2.0), EVERY, 20),
    PublishedRun("ml-100k", "als", 20, "T = 20", (1.0,), ("gaussian",)),
    PublishedRun("ml-100k", "irls", 400, "T = 20, K = 20", (1.0,), ("laplace", "huber"), 20),
    PublishedRun("ml-100k", "irls", 40, "T = 20, K = 2", (1.0,), ("huber",), 2),
    PublishedRun("sweetrs", "als", 100, "T = 100", (1.0,), ("gaussian",)),
    PublishedRun("sweetrs", "irls", 2000, "T = 100, K = 20", (1.0,), ("laplace", "huber"), 20),
    PublishedRun("sweetrs", "irls", 200, "T = 100, K = 2", (1.0,), ("huber",), 2),
)


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


def percent(share: float) -> str:
    """Spell a share in whole per cent, but never as all or none when it is not."""
    if 0 < share < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < share < 1 else f"{100 * share:.0f} %"


def in_order(values, known) -> list:
    """Return the different ``values`` in the order of ``known``, others last and sorted."""
    found = set(values)
    return [v for v in known if v in found] + sorted(found - set(known))

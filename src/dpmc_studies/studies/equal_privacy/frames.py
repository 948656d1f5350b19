"""What tables, figures and findings at equal privacy share: their frames and labels."""

from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    USER_ADD_REMOVE,
    USER_REPLACE,
)
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.showing.frames import (
    BASELINE_LABELS,
    METHOD_LABELS,
    DatasetLabels,
    Labels,
)

NAMES = ("calibrated", "frontier")
CELL = ["dataset", "relation", "epsilon"]
MODEL = ["method", "mechanism"]
REFERENCE_LABELS = Labels({**METHOD_LABELS, "bayesian_als": "Bayesian ALS", **BASELINE_LABELS})
HUBER = "huber"
TRIVIAL = "private_global_mean"
UNTUNED = Labels(local_bayes="Local Bayes")
"""Models of which nothing was chosen on other seeds."""
DATASETS = DatasetLabels(
    {
        SYNTHETIC: "Synthetic, 100 × 500",
        "synthetic_large": "Synthetic, 20,000 × 500",
        "ml-100k": "MovieLens 100K",
        "sweetrs": "SweetRS",
        "jester": "Jester 5k",
    }
)
RELATION_TITLES = {
    ENTRY_CHANGE: "Entry level: one rating changes",
    USER_ADD_REMOVE: "User level: one user joins or leaves",
    ENTRY_ADD_REMOVE: "Entry level: one rating is added or removed",
    USER_REPLACE: "User level: one user is replaced",
}
EVENTS = {
    ENTRY_CHANGE: "if one rating changes",
    USER_ADD_REMOVE: "if one user joins or leaves",
    ENTRY_ADD_REMOVE: "if one rating is added or removed",
    USER_REPLACE: "if one user is replaced",
}


dataset_label = DATASETS.__getitem__

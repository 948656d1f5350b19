"""Which private model for ratings, where users are protected? (a question of our own)

Local Bayes, the default of ``dpmc fit``, beside the other methods that protect users. Cells, data
and random streams of the comparison are named as they were when its numbers were drawn.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.frame.api import Regression, Section, Step, Study
from dpmc.frame.jobs.generated import GENERATE
from dpmc.frame.jobs.hyperparameters import load_hyperparameters
from dpmc.studies.which_model.jobs import FIT
from dpmc.studies.which_model.settings import fit_cells

HYPERPARAMETERS = Path(__file__).with_name("hyperparameters.yaml")


def prepare(section: Section, own_sets: Mapping[str, Mapping]) -> Section:
    """Return the section with its table of hyper-parameters and its cells."""
    # constructs models, so it imports all methods
    from dpmc.studies.which_model.check import check

    table = load_hyperparameters(section["hyperparameters"] or HYPERPARAMETERS)
    section = {**section, "hyperparameters": table}
    check({**section, "large": True}, own_sets)  # what may run later too
    return {**section, "cells": fit_cells(section)}


STUDY = Study.of(
    __name__,
    title="Which private model for ratings?",
    prepare=prepare,
    jobs=(GENERATE, FIT),
    steps=(
        Step("claims", ".claims.judge:run", makes=("claims",)),
        Step("tables", ".tables:run", needs=("trials", "popularity", "ranking")),
        Step("figures", ".figures:run", seconds=14.0),
    ),
    documents=("docs/local_bayes.md",),
    regression=Regression(
        table="trials", optional={"ranking": ("dataset", "method", "epsilon", "trial")}
    ),
)

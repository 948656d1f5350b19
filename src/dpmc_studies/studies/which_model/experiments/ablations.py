"""The contribution of each part of Local Bayes: the part is removed or replaced by a simpler one.

Splits, starts and noise are the same for all forms (:mod:`dpmc_studies.studies.which_model.forms`).
"""

from collections.abc import Iterable, Mapping

from dpmc_studies.datasets.parts import Split
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.entries import inputs_of
from dpmc_studies.frame.jobs.seeds import NOISE, START
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.which_model.cells import COLUMNS, LOCAL_BAYES, FitCell
from dpmc_studies.studies.which_model.settings import data_settings
from dpmc_studies.studies.which_model.variants import FORMS

PUBLIC = "public"  # a stream of random numbers that are no noise


def cells(section: Section) -> list[FitCell]:
    """Return every cell: a data set, a form and a budget."""
    given = section["ablations"]
    return [
        FitCell(dataset, LOCAL_BAYES, form, float(epsilon))
        for dataset in given["datasets"]
        for form in FORMS
        for epsilon in given["epsilons"]
    ]


def settings(section: Section, cell: FitCell) -> dict[str, object]:
    """Return exactly what a cell uses."""
    return data_settings(section, cell, section["ablations"]["trials"])


def run(task: Task) -> list[dict[str, object]]:
    """Fit all forms of the method at all budgets."""
    # these import numba
    from dpmc_studies.studies.which_model.forms import FORMS as CLASSES
    from dpmc_studies.studies.which_model.trial import budget_of, run_trials

    def fit(cell: FitCell, settings: Mapping, trial: int, split: Split):
        same = ("dataset", "method", "epsilon")
        rng, noise_rng, public = (
            cell.stream(settings["seed"], purpose, *same, trial=trial)
            for purpose in (START, NOISE, PUBLIC)
        )
        model = CLASSES[cell.variant](**budget_of(cell, settings))
        model.public = public
        return model.fit(split.training, rng=rng, noise_rng=noise_rng)

    return run_trials(task, fit)


def modules(section: Mapping, cell: object) -> Iterable[str]:
    """Return the modules that are imported by name."""
    return ["dpmc.mechanisms.gaussian"]


TABLES = {"trials": COLUMNS}
CELL = FitCell
BY = ("dataset",)
inputs = inputs_of

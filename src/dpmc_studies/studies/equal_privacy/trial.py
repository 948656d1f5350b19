"""What a trial at equal privacy is: data and split from their stream, one fit a mechanism."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpmc.datasets.synthetic import generate
from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.datasets.splits import random_split
from dpmc_studies.frame.jobs.seeds import DATA, NOISE, START
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods import method_class, parameters_of
from dpmc_studies.statistics.errors import rmse, rmse_clipped
from dpmc_studies.studies.equal_privacy.cells import CalibratedCell


@dataclass(frozen=True, eq=False)
class KnownMatrix:
    """The problem of a trial on synthetic data: all entries are known."""

    training: Ratings
    matrix: np.ndarray  # shape (n_users, n_items)

    def errors(self, model, rating_range: Sequence[float]) -> dict[str, float | None]:
        """Return RMSE on all entries and on the unobserved ones."""
        squares = model.predict_matrix() - self.matrix
        np.square(squares, out=squares)
        hidden = squares.size - len(self.training)
        total = squares.sum()
        squares[self.training.users, self.training.items] = 0.0
        return {
            "rmse_all": float(np.sqrt(total / squares.size)),
            "rmse_heldout": float(np.sqrt(squares.sum() / hidden)) if hidden else None,
            "rmse_clipped": None,
        }


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The problem of a trial on real data: a random part of the ratings is held out."""

    training: Ratings
    heldout: Ratings

    def errors(self, model, rating_range: Sequence[float]) -> dict[str, float | None]:
        """Return RMSE on held-out ratings, raw and clipped to the public range."""
        predicted = model.predict(self.heldout.users, self.heldout.items)
        return {
            "rmse_all": None,
            "rmse_heldout": rmse(predicted, self.heldout.values),
            "rmse_clipped": rmse_clipped(predicted, self.heldout.values, tuple(rating_range)),
        }


Problem = KnownMatrix | HeldOut


def make_problem(
    cell: CalibratedCell, settings: Mapping, trial: int, ratings: Ratings | None = None
) -> Problem:
    """Return the data of a trial, the same for all relations, epsilons, methods and mechanisms.

    The data set "synthetic" has exactly the data of the papers' grid with the same seed.
    ``ratings`` is the whole data set if it is a real one.
    """
    seed = settings["seed"]
    if ratings is not None:
        share = settings["training_share"]
        rng = cell.stream(seed, DATA, "dataset", trial=trial, training_share=share)
        return HeldOut(*random_split(ratings, share, rng, ratings.name))
    law = {name: settings[name] for name in ("rank", "observed_fraction")}
    sizes = {name: settings[name] for name in ("users", "items", "scale")}
    rng = cell.stream(seed, DATA, "dataset", trial=trial, **law)
    instance = generate(rng, **law, **sizes)
    return KnownMatrix(instance.observed, instance.matrix())


def make_calibrated_method(
    cell: CalibratedCell, settings: Mapping, mechanism: str, hyperparameters: Mapping
):
    """Construct the method of a cell with one mechanism."""
    factory = method_class(cell.method)
    known = parameters_of(factory)
    for name in hyperparameters:
        if name not in known:
            raise InputError(f"Method {cell.method} has no hyper-parameter {name}.")
    if cell.relation is None:
        return factory(**hyperparameters)
    return factory(
        relation=cell.relation,
        epsilon=cell.epsilon,
        delta=settings["delta"],
        mechanism=mechanism,
        rating_range=tuple(settings["rating_range"]),
        **hyperparameters,
    )


def fit_calibrated(
    cell: CalibratedCell,
    settings: Mapping,
    mechanism: str,
    hyperparameters: Mapping,
    trial: int,
    problem: Problem,
) -> dict[str, object]:
    """Fit once on the streams of a trial: errors, releases, noise and seconds of the fit.

    All mechanisms, methods and epsilons share the start and, at user level, the choice of the
    ratings that a user gives. Each fit has its own noise.
    """
    model = make_calibrated_method(cell, settings, mechanism, hyperparameters)
    seed = settings["seed"]
    begin = time.perf_counter()
    model.fit(
        problem.training,
        rng=cell.stream(seed, START, "dataset", trial=trial),
        noise_rng=cell.stream(seed, NOISE, mechanism=mechanism, trial=trial),
    )
    seconds = time.perf_counter() - begin
    guarantee = getattr(model, "guarantee_", None)
    return {
        **problem.errors(model, settings["rating_range"]),
        "releases": guarantee.releases if guarantee else None,
        "noise_multiplier": guarantee.noise_multiplier if guarantee else None,
        "seconds": seconds,
    }


def run(task: Task) -> list[dict[str, object]]:
    """Run all epsilons, trials and mechanisms of one data set, relation and method.

    All cells share the data of a trial. Rows come cell by cell; a value that does not apply is
    None. The seconds of the first fit include loading the compiled kernels.
    """
    rows: dict[CalibratedCell, list] = {cell: [] for cell in task.cells}
    first, shared = next(iter(task.cells.items()))
    for trial in range(shared["trials"]):
        problem = make_problem(first, shared, trial, task.ratings)
        for cell, settings in task.cells.items():
            for mechanism, hyperparameters in settings["hyperparameters"].items():
                found = fit_calibrated(cell, settings, mechanism, hyperparameters, trial, problem)
                here = {"delta": settings.get("delta"), "mechanism": mechanism, "trial": trial}
                rows[cell].append({**cell.coordinates(), **here, **found})
    return [row for each in rows.values() for row in each]

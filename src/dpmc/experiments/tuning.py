"""Choosing the hyper-parameters of fits at equal privacy, on other seeds.

Each mechanism gets its own, found by the same search over the same candidates, so that none is
favoured. The data, splits, starts and noises are those of a tuning seed: synthetic data are other
data, real data are the same ratings split otherwise. Such tuning is not private. Whoever tunes on
the data to be protected has to pay for it from the budget (Papernot and Steinke, "Hyperparameter
tuning with Renyi differential privacy", ICLR 2022); here it stands for what is known beforehand.
"""

import inspect
import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from dpmc.errors import InputError
from dpmc.experiments.calibrated import HYPERPARAMETERS, CalibratedCell
from dpmc.experiments.calibrated_trial import fit_calibrated, make_problem
from dpmc.experiments.seeds import stream
from dpmc.privacy.relations import USER_LEVEL
from dpmc.ratings import Ratings
from dpmc.solvers import solver_class

TUNING = "tuning"
CANDIDATES = 24  # drawn at random and tried once
FINALISTS = 6  # of these, tried on all tuning trials
TRIALS = 3
ROUNDS = 2  # of steps to the neighbours of the best so far
GIVE_UP = math.log(1.02)  # a step this much worse on the first trial is not tried on the others

Candidate = tuple[int, ...]  # an index into the values of each hyper-parameter
Space = dict[str, tuple]


def space_of(cell: CalibratedCell, rating_range) -> Space:
    """Return the values to try of each hyper-parameter, in order, for the solver of a cell.

    Everything that has a unit is in units of the half-range B of the ratings, which is public:
    factors have the unit sqrt(B), regularizations B, residuals B. So the same list serves stars
    from 1 to 5 and jokes from -10 to 10.
    """
    half = (rating_range[1] - rating_range[0]) / 2
    values = {
        "rank": (1, 2, 3, 5, 8),
        "iterations": (1, 2, 3, 5, 8, 12),
        "inner_iterations": (1, 2, 3, 5),
        "factor_bound": _scaled(math.sqrt(half), 0.5, 0.7, 1.0, 1.4, 2.0),
        "regularization": _scaled(half, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000),
        "user_regularization": _scaled(half, 0.03, 0.1, 0.3, 1, 3, 10, 30),
        "loss_parameter": _scaled(half, 0.1, 0.2, 0.4, 0.8),
        "shrinkage": (0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0),
    }
    if cell.relation in USER_LEVEL:
        values["ratings_per_user"] = (5, 10, 20, 40, 80)
    known = inspect.signature(solver_class(cell.solver)).parameters
    return {name: values[name] for name in HYPERPARAMETERS if name in known and name in values}


def tune(
    cell: CalibratedCell, settings: Mapping, *, ratings: Ratings | None = None
) -> Iterator[dict[str, object]]:
    """Choose the hyper-parameters of a cell, one row for each of its mechanisms.

    Parameters
    ----------
    cell : CalibratedCell
    settings : mapping
        What :func:`dpmc.experiments.calibrated.tuning_settings` returns.
    ratings : Ratings, optional
        The whole data set of a real cell.

    Yields
    ------
    dict
        Keys :data:`dpmc.experiments.calibrated.HYPERPARAMETER_COLUMNS`; ``tuning_rmse`` is the
        geometric mean RMSE over the tuning trials.
    """
    space = space_of(cell, settings["rating_range"])
    problems = [make_problem(cell, settings, trial, ratings) for trial in range(TRIALS)]
    for mechanism in settings["mechanisms"]:

        def error(candidate: Candidate, trial: int, mechanism=mechanism) -> float:
            given = named(space, candidate)
            try:
                row = fit_calibrated(cell, settings, mechanism, given, trial, problems[trial])
            except InputError:  # a combination that the solver refuses, or factors that overflow
                return math.inf
            return row["rmse_heldout"] if row["rmse_all"] is None else row["rmse_all"]

        # the same candidates for every mechanism
        rng = stream(settings["seed"], TUNING, cell.coordinates())
        best, log_rmse = search(error, [len(values) for values in space.values()], rng)
        yield {
            **cell.coordinates(),
            "mechanism": mechanism,
            **dict.fromkeys(HYPERPARAMETERS),
            **named(space, best),
            "tuning_rmse": float(f"{math.exp(log_rmse):.6g}"),
        }


def named(space: Space, candidate: Candidate) -> dict[str, float]:
    """Return the hyper-parameters that a candidate stands for."""
    return {
        name: values[index] for (name, values), index in zip(space.items(), candidate, strict=True)
    }


def search(
    error: Callable[[Candidate, int], float], sizes: list[int], rng: np.random.Generator
) -> tuple[Candidate, float]:
    """Return the best candidate found and its mean log error over the tuning trials.

    Random candidates are tried on one trial and the best of them on all, as in successive halving
    (Jamieson and Talwalkar, AISTATS 2016); then single steps from the best one as long as they
    help.

    Parameters
    ----------
    error : callable
        ``error(candidate, trial)``, a positive number or infinity.
    sizes : list of int
        How many values each hyper-parameter has.
    rng : numpy.random.Generator
        Draws the candidates.
    """
    logs: dict[tuple[Candidate, int], float] = {}

    def mean_log(candidate: Candidate, trials: int) -> float:
        for trial in range(trials):
            if (candidate, trial) not in logs:
                logs[candidate, trial] = math.log(error(candidate, trial))
        return sum(logs[candidate, trial] for trial in range(trials)) / trials

    drawn = {tuple(int(rng.integers(size)) for size in sizes): None for _ in range(CANDIDATES)}
    finalists = sorted(drawn, key=lambda candidate: mean_log(candidate, 1))[:FINALISTS]
    best = min(finalists, key=lambda candidate: mean_log(candidate, TRIALS))
    for _ in range(ROUNDS):
        before = best
        for place, size in enumerate(sizes):
            for step in (-1, 1):
                near = (*best[:place], best[place] + step, *best[place + 1 :])
                if not 0 <= near[place] < size:
                    continue
                # a step that is much worse on one trial is not tried on the others
                if mean_log(near, 1) < mean_log(best, 1) + GIVE_UP:
                    best = min(best, near, key=lambda candidate: mean_log(candidate, TRIALS))
        if best == before:
            break
    return best, mean_log(best, TRIALS)


def _scaled(unit: float, *multiples: float) -> tuple[float, ...]:
    # four digits are enough for a hyper-parameter, and are what the file shows
    return tuple(float(f"{unit * multiple:.4g}") for multiple in multiples)

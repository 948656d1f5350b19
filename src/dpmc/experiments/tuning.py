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

from dpmc.experiments.calibrated import HYPERPARAMETERS, CalibratedCell
from dpmc.experiments.calibrated_trial import fit_calibrated, make_calibrated_solver, make_problem
from dpmc.experiments.seeds import stream
from dpmc.privacy.relations import USER_LEVEL
from dpmc.ratings import Ratings
from dpmc.solvers import solver_class

TUNING = "tuning"
CANDIDATES = 8  # drawn at random for each tuning trial, but tried on the first one alone
FINALISTS = 6  # of these, tried on all tuning trials
ROUNDS = 2  # of steps to the neighbours of the best so far
GIVE_UP = math.log(1.02)  # a step this much worse on the first trial is not tried on the others

NOISE_UNITS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
WITHOUT_NOISE = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)

Candidate = tuple[int, ...]  # an index into the values of each hyper-parameter
Space = dict[str, tuple]


def space_of(cell: CalibratedCell, rating_range) -> Space:
    """Return the values to try of each hyper-parameter, in order, for the solver of a cell.

    Everything that has a unit is in units of what is public, so that the same lists serve stars
    from 1 to 5 and jokes from -10 to 10: with B the half-range of the ratings, factors have the
    unit sqrt(B), residuals and the regularization of a step without noise B. That of a step with
    noise is in units of the noise, see :func:`hyperparameters_of`.
    """
    half = (rating_range[1] - rating_range[0]) / 2
    values = {
        "rank": (1, 2, 3, 5, 8),
        "iterations": (1, 2, 3, 5, 8, 12),
        "inner_iterations": (1, 2, 3, 5),
        "factor_bound": _rounded(math.sqrt(half) * np.array([0.5, 0.7, 1.0, 1.4, 2.0])),
        "regularization": NOISE_UNITS,
        "user_regularization": NOISE_UNITS,
        "loss_parameter": _rounded(half * np.array([0.1, 0.2, 0.4, 0.8])),
        "shrinkage": (0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0),
    }
    if cell.relation in USER_LEVEL:
        values["ratings_per_user"] = (5, 10, 20, 40, 80, 160)
        values["user_regularization"] = _rounded(half * np.array(WITHOUT_NOISE))
    if cell.relation is None:
        values["iterations"] = (5, 10, 20, 50)
        values["regularization"] = _rounded(half * np.array(WITHOUT_NOISE))
    known = inspect.signature(solver_class(cell.solver)).parameters
    return {name: values[name] for name in HYPERPARAMETERS if name in known and name in values}


def hyperparameters_of(
    cell: CalibratedCell, settings: Mapping, mechanism: str, space: Space, candidate: Candidate
) -> dict[str, float]:
    """Return the hyper-parameters that a candidate stands for.

    Ridge regression with noise of standard deviation s on right-hand sides wants a
    regularization that grows with s / Gamma; in this unit, good values hardly depend on epsilon,
    the number of iterations and the ratings per user.
    """
    values = {
        name: options[index]
        for (name, options), index in zip(space.items(), candidate, strict=True)
    }
    noised = [name for name in _noised_steps(cell) if name in values]
    if noised:
        model = make_calibrated_solver(cell, settings, mechanism, values)
        sensitivity = model.bounds.right_hand_side()
        unit = model.calibration.noise.std() * sensitivity / model.bounds.factor_bound
        values |= {name: _rounded([unit * values[name]])[0] for name in noised}
    return values


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
    trials = settings["tuning_trials"]
    problems = [make_problem(cell, settings, trial, ratings) for trial in range(trials)]
    space = space_of(cell, settings["rating_range"])
    sizes = [len(values) for values in space.values()]
    for mechanism in settings["mechanisms"]:

        def given(candidate: Candidate, mechanism=mechanism) -> dict[str, float]:
            return hyperparameters_of(cell, settings, mechanism, space, candidate)

        def error(candidate: Candidate, trial: int, mechanism=mechanism, given=given) -> float:
            values = given(candidate)
            row = fit_calibrated(cell, settings, mechanism, values, trial, problems[trial])
            return row["rmse_heldout"] if row["rmse_all"] is None else row["rmse_all"]

        # the same candidates for every mechanism
        rng = stream(settings["seed"], TUNING, cell.coordinates())
        best, log_rmse = search(error, sizes, trials, rng)
        yield {
            **cell.coordinates(),
            "mechanism": mechanism,
            **dict.fromkeys(HYPERPARAMETERS),
            **given(best),
            "tuning_rmse": _rounded([math.exp(log_rmse)])[0],
        }


def search(
    error: Callable[[Candidate, int], float],
    sizes: list[int],
    trials: int,
    rng: np.random.Generator,
) -> tuple[Candidate, float]:
    """Return the best candidate found and its mean log error over the tuning trials.

    The middle of all lists and random candidates are tried on one trial and the best of them on
    all, as in successive halving (Jamieson and Talwalkar, AISTATS 2016); then come single steps
    from the best one.

    Parameters
    ----------
    error : callable
        ``error(candidate, trial)``, a positive number or infinity.
    sizes : list of int
        How many values each hyper-parameter has.
    trials : int
        The number of tuning trials.
    rng : numpy.random.Generator
        Draws the candidates.
    """
    logs: dict[tuple[Candidate, int], float] = {}

    def mean_log(candidate: Candidate, trials: int) -> float:
        for trial in range(trials):
            if (candidate, trial) not in logs:
                logs[candidate, trial] = math.log(error(candidate, trial))
        return sum(logs[candidate, trial] for trial in range(trials)) / trials

    def on_one(candidate: Candidate) -> float:
        return mean_log(candidate, 1)

    def on_all(candidate: Candidate) -> float:
        return mean_log(candidate, trials)

    drawn = [tuple(int(rng.integers(size)) for size in sizes) for _ in range(CANDIDATES * trials)]
    drawn = dict.fromkeys([tuple(size // 2 for size in sizes), *drawn])
    best = min(sorted(drawn, key=on_one)[:FINALISTS], key=on_all)
    for _ in range(ROUNDS):
        before = best
        for place, size in enumerate(sizes):
            for step in (-1, 1):
                near = (*best[:place], best[place] + step, *best[place + 1 :])
                if 0 <= near[place] < size and on_one(near) < on_one(best) + GIVE_UP:
                    best = min(best, near, key=on_all)
        if best == before:
            break
    return best, on_all(best)


def _noised_steps(cell: CalibratedCell) -> tuple[str, ...]:
    """Return the regularizations of steps with noise: at user level, users solve without."""
    if cell.relation is None:
        return ()
    at_user_level = cell.relation in USER_LEVEL
    return ("regularization",) if at_user_level else ("regularization", "user_regularization")


def _rounded(values) -> tuple[float, ...]:
    # four digits are enough for a hyper-parameter, and are what the file shows
    return tuple(float(f"{value:.4g}") for value in values)

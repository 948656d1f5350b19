"""Choosing the hyper-parameters of fits at equal privacy, on other seeds.

Each mechanism gets its own, found by the same search over the same candidates, so that none is
favoured. The data, splits, starts and noises are those of a tuning seed: synthetic data are other
data, real data are the same ratings split otherwise. Such tuning is not private. Whoever tunes on
the data to be protected has to pay for it from the budget (Papernot and Steinke, "Hyperparameter
tuning with Renyi differential privacy", ICLR 2022); here it stands for what is known beforehand.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import product
from operator import itemgetter

import numpy as np

from dpmc.privacy.relations import USER_LEVEL
from dpmc.ratings import Ratings
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods import method_class, parameters_of
from dpmc_studies.studies.equal_privacy.cells import CalibratedCell
from dpmc_studies.studies.equal_privacy.hyperparameters import HYPERPARAMETERS
from dpmc_studies.studies.equal_privacy.settings import L1_MECHANISMS
from dpmc_studies.studies.equal_privacy.trial import (
    fit_calibrated,
    make_calibrated_method,
    make_problem,
)

TUNING = "tuning"
CANDIDATES = 8  # drawn at random for each tuning trial, but tried on the first one alone
FINALISTS = 6  # of these and the starts, tried on all tuning trials
ROUNDS = 3  # of steps to the neighbours of the best so far
GIVE_UP = math.log(1.02)  # a step this much worse on the first trial is not tried on the others

NOISE_UNITS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
WITHOUT_NOISE = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
GAUSSIAN = "gaussian"
AVERAGED = "bayesian_als"  # forgives a rank too high, and more iterations never harm it

Candidate = tuple[int, ...]  # an index into the values of each hyper-parameter
Space = dict[str, tuple]
LogError = Callable[[Candidate, int], float]


def space_of(cell: CalibratedCell, rating_range) -> Space:
    """Return the values to try of each hyper-parameter, in order, for the method of a cell.

    Everything that has a unit is in units of what is public, so that the same lists serve stars
    from 1 to 5 and jokes from -10 to 10: with B the half-range of the ratings, factors have the
    unit sqrt(B), residuals and the regularization of a step without noise B. That of a step with
    noise is in units of the noise, see :func:`hyperparameters_of`.
    """
    half = (rating_range[1] - rating_range[0]) / 2
    values = {
        "rank": (1, 2, 3, 5, 8),
        "iterations": (1, 2, 3, 5, 8, 12),
        "inner_iterations": (1, 2, 3),
        "offsets": (0, 1),
        "factor_bound": _rounded(math.sqrt(half) * np.array([0.35, 0.5, 0.7, 1.0, 1.4])),
        "residual_bound": _rounded(half * np.array([0.25, 0.5, 1.0])),
        "regularization": NOISE_UNITS,
        "user_regularization": NOISE_UNITS,
        "loss_parameter": _rounded(half * np.array([0.1, 0.2, 0.4, 0.8])),
        "shrinkage": (0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0),
    }
    if cell.relation in USER_LEVEL:
        values["ratings_per_user"] = (5, 10, 20, 40, 80, 160)
        values["user_regularization"] = _rounded(half * np.array(WITHOUT_NOISE))
    if cell.relation is None:
        values["iterations"] = (5, 10, 20, 50)
        values["regularization"] = _rounded(half * np.array(WITHOUT_NOISE))
    if cell.method == AVERAGED:
        values["rank"], values["iterations"] = (2, 5, 10, 20), (200,)
    known = parameters_of(method_class(cell.method))
    return {name: values[name] for name in HYPERPARAMETERS if name in known and name in values}


def hyperparameters_of(
    cell: CalibratedCell,
    settings: Mapping,
    mechanism: str,
    space: Space,
    candidate: Candidate,
    norm: int | None = None,
) -> dict[str, float]:
    """Return the hyper-parameters that a candidate stands for.

    Ridge regression with noise of standard deviation s on right-hand sides wants a
    regularization that grows with s / Gamma; in this unit, good values hardly depend on epsilon,
    the number of iterations and the ratings per user.

    ``norm`` is in which sensitivities are measured, if not that of the mechanism.
    """
    values = {
        name: options[index]
        for (name, options), index in zip(space.items(), candidate, strict=True)
    }
    values |= {} if norm is None else {"norm": norm}
    noised = [name for name in _noised_steps(cell) if name in values]
    if noised:
        model = make_calibrated_method(cell, settings, mechanism, values)
        sensitivity = model.bounds.right_hand_side(model.residual_bound)
        unit = model.calibration.noise.std() * sensitivity / model.bounds.factor_bound
        values |= {name: _rounded([unit * values[name]])[0] for name in noised}
    return values


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Choose the hyper-parameters of one data set, relation, epsilon and method."""
    return {"hyperparameters": tune(task.cell, task.settings, ratings=task.ratings)}


def tune(
    cell: CalibratedCell, settings: Mapping, *, ratings: Ratings | None = None
) -> Iterator[dict[str, object]]:
    """Choose the hyper-parameters of a cell, one row for each of its mechanisms.

    ``settings`` is what :func:`dpmc_studies.studies.equal_privacy.settings.tuning_settings`
    returns; ``ratings`` is the whole data set of a real cell. Rows have the keys
    :data:`dpmc_studies.studies.equal_privacy.hyperparameters.HYPERPARAMETER_COLUMNS`;
    ``tuning_rmse`` is the geometric mean RMSE over the tuning trials.
    """
    trials = settings["tuning_trials"]
    problems = [make_problem(cell, settings, trial, ratings) for trial in range(trials)]
    space = space_of(cell, settings["rating_range"])

    @cache
    def log_error(
        mechanism: str, candidate: Candidate, trial: int, norm: int | None = None
    ) -> float:
        given = hyperparameters_of(cell, settings, mechanism, space, candidate, norm)
        row = fit_calibrated(cell, settings, mechanism, given, trial, problems[trial])
        return math.log(row["rmse_heldout"] if row["rmse_all"] is None else row["rmse_all"])

    sizes = [len(values) for values in space.values()]
    found = {
        # the same candidates for every mechanism
        mechanism: search(
            partial(log_error, mechanism), sizes, starts_of(space), trials,
            cell.stream(settings["seed"], TUNING),
        )
        for mechanism in settings["mechanisms"]
    }  # fmt: skip
    for mechanism in found:
        # every mechanism tries what the others found, so that none owes a win to a luckier search
        tried: list[tuple[Candidate, dict[str, int]]] = [(each, {}) for each in found.values()]
        if mechanism in L1_MECHANISMS and GAUSSIAN in found:
            tried.append((found[GAUSSIAN], {"norm": 2}))  # by an l2 bound it is nearly that noise
        errors = [
            mean_log(partial(log_error, mechanism, **norm), candidate, trials)
            for candidate, norm in tried
        ]
        error, (best, norm) = min(zip(errors, tried, strict=True), key=itemgetter(0))
        yield {
            **cell.coordinates(),
            "mechanism": mechanism,
            **dict.fromkeys(HYPERPARAMETERS),
            **hyperparameters_of(cell, settings, mechanism, space, best, **norm),
            "tuning_rmse": _rounded([math.exp(error)])[0],
        }


def starts_of(space: Space) -> list[Candidate]:
    """Return where to start.

    The middle of all lists, also with one iteration, with rank 1; and what pays where users are
    many: rank 5 or 8, two iterations, short users, residuals clipped early, hardly any
    regularization of users.
    """
    choices = [
        [0, len(values) // 2] if name in ("rank", "iterations") else [len(values) // 2]
        for name, values in space.items()
    ]
    many = {"iterations": [1], "rank": [3, 4], "factor_bound": [0], "residual_bound": [0, 1]}
    many |= {"ratings_per_user": [4], "user_regularization": [0], "inner_iterations": [0]}
    rich = [
        [place for place in many.get(name, [len(values) // 2]) if place < len(values)]
        for name, values in space.items()
    ]
    return list(dict.fromkeys([*product(*choices), *product(*rich)]))


def search(
    log_error: LogError,
    sizes: list[int],
    starts: list[Candidate],
    trials: int,
    rng: np.random.Generator,
) -> Candidate:
    """Return the best candidate found.

    The starts and random candidates are tried on one trial and the best of them on all, as in
    successive halving (Jamieson and Talwalkar, AISTATS 2016); then come single steps from the
    best one.

    ``log_error(candidate, trial)`` should remember its values. ``sizes`` says how many values each
    hyper-parameter has, ``trials`` how many tuning trials there are; ``rng`` draws the random
    candidates.
    """

    def on_one(candidate: Candidate) -> float:
        return log_error(candidate, 0)

    def on_all(candidate: Candidate) -> float:
        return mean_log(log_error, candidate, trials)

    drawn = [tuple(int(rng.integers(size)) for size in sizes) for _ in range(CANDIDATES * trials)]
    candidates = list(dict.fromkeys([*starts, *drawn]))
    best = min(sorted(candidates, key=on_one)[:FINALISTS], key=on_all)
    for _ in range(ROUNDS):
        before = best
        for place, size in enumerate(sizes):
            for step in (-1, 1):
                near = (*best[:place], best[place] + step, *best[place + 1 :])
                if 0 <= near[place] < size and on_one(near) < on_one(best) + GIVE_UP:
                    best = min(best, near, key=on_all)
        if best == before:
            break
    return best


def mean_log(log_error: LogError, candidate: Candidate, trials: int) -> float:
    """Return the mean log error over the tuning trials."""
    return sum(log_error(candidate, trial) for trial in range(trials)) / trials


def _noised_steps(cell: CalibratedCell) -> tuple[str, ...]:
    """Return the regularizations of steps with noise: at user level, users solve without."""
    if cell.relation is None:
        return ()
    at_user_level = cell.relation in USER_LEVEL
    return ("regularization",) if at_user_level else ("regularization", "user_regularization")


def _rounded(values) -> tuple[float, ...]:
    # four digits are enough for a hyper-parameter, and are what the file shows
    return tuple(float(f"{value:.4g}") for value in values)

"""One trial: data, split, start and noise from their streams, one fit, its errors."""

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from dpmc.datasets.synthetic import SyntheticInstance, generate
from dpmc.errors import InputError, did_you_mean
from dpmc.mechanisms import make_mechanism
from dpmc.ratings import Ratings
from dpmc_studies.datasets.splits import random_split
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.jobs.seeds import DATA, NOISE, START, stream
from dpmc_studies.methods import METHODS, method_class, parameters_of
from dpmc_studies.statistics.errors import rmse, rmse_clipped
from dpmc_studies.studies.huber.cells import COORDINATES, Cell

METRICS = ("rmse_all", "rmse_heldout", "rmse_clipped")
TRIAL_COLUMNS = (*COORDINATES, "trial", *METRICS, "seconds")
# the coordinates that data, mask and start depend on; noise depends on all of them
SHARED = ("dataset", "rank", "observed_fraction")
# settings a method's constructor may ask for by name, beside rank, mechanism, inner_iterations
METHOD_SETTINGS = (
    "regularization",
    "iterations",
    "start",
    "loss_parameter",
    "residual_scale",
    "shrinkage",
)
CELL_SETTINGS = {*METHOD_SETTINGS, "rank", "mechanism", "inner_iterations", "noise_target"}
"""All that the constructor of a cell's method is given, if it takes it."""


def synthetic_instance(cell_or_shared: Mapping, settings: Mapping, trial: int) -> SyntheticInstance:
    """Generate the data of one trial of a rank and an observed fraction."""
    rank, fraction = cell_or_shared["rank"], cell_or_shared["observed_fraction"]
    key = {"dataset": SYNTHETIC, "rank": rank, "observed_fraction": fraction, "trial": trial}
    return generate(
        stream(settings["seed"], DATA, key),
        users=settings["users"],
        items=settings["items"],
        rank=rank,
        observed_fraction=fraction,
        scale=settings["scale"],
    )


def split(ratings: Ratings, settings: Mapping, cell: Cell, trial: int) -> tuple[Ratings, Ratings]:
    """Split ratings at random into a training and a held-out part.

    The split does not depend on the rank, so ranks are compared on the same data.
    """
    rng = cell.stream(settings["seed"], DATA, "dataset", "observed_fraction", trial=trial)
    return random_split(ratings, settings["training_share"], rng, cell.dataset)


def cell_method(name: str) -> type:
    """Return the class of a method whose constructor asks for nothing that cells do not give.

    Calibrated methods ask for a budget and bounds, which no cell has.
    """
    if name in METHODS and _fits_cells(name):
        return method_class(name)
    usable = [each for each in METHODS if _fits_cells(each)]
    if name not in METHODS:
        problem = f"There is no method '{name}'{did_you_mean(name, usable)}"
    else:
        wanted = [each for each in _asked_for(name) if each not in CELL_SETTINGS]
        problem = f"The method {name} cannot run in a cell, which does not give {', '.join(wanted)}"
    raise InputError(f"{problem}; the methods of cells are {', '.join(usable)}.")


def _fits_cells(name: str) -> bool:
    return CELL_SETTINGS.issuperset(_asked_for(name))


def _asked_for(name: str) -> list[str]:
    """Return the arguments that the constructor of a method cannot do without."""
    parameters = parameters_of(method_class(name)).values()
    return [
        each.name
        for each in parameters
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]


def accepted_settings(method: str) -> tuple[str, ...]:
    """Return which of :data:`METHOD_SETTINGS` the constructor of a method takes."""
    parameters = parameters_of(cell_method(method))
    return tuple(name for name in METHOD_SETTINGS if name in parameters)


def make_method(cell: Cell, settings: Mapping):
    """Construct the method of a cell."""
    factory = cell_method(cell.method)
    parameters = parameters_of(factory)
    given = {name: settings[name] for name in accepted_settings(cell.method)}
    mechanism = make_mechanism(cell.mechanism, cell.variance)
    if mechanism is not None and "mechanism" not in parameters:
        raise InputError(f"Method {cell.method} takes no noise; use mechanism none with it.")
    if given.get("loss_parameter") == "noise":
        # the papers set the loss parameter only for Huber noise: same a for the others
        given["loss_parameter"] = make_mechanism("huber", cell.variance or 1.0).a
    own = {
        "rank": cell.rank,
        "mechanism": mechanism,
        "inner_iterations": cell.irls_iterations,
        "noise_target": settings.get("noise_target", "right_hand_side"),
    }
    given |= {name: value for name, value in own.items() if name in parameters}
    return factory(**given)


def run_cell(
    cell: Cell,
    settings: Mapping,
    *,
    instances: Sequence[SyntheticInstance] | None = None,
    ratings: Ratings | None = None,
    trials: Sequence[int] | None = None,
) -> Iterator[dict[str, object]]:
    """Run the trials of a cell, yielding a row of the trial table for each.

    ``settings`` are the settings of the cell. ``instances`` are the stored data of a synthetic
    cell's trials; the function generates them if they are not given. ``ratings`` is the whole data
    set of a real cell. ``trials`` selects trials; the default is all of ``settings["trials"]``.
    Rows have the keys :data:`TRIAL_COLUMNS`; a metric that does not apply is None.
    """
    chosen = list(range(settings["trials"]) if trials is None else trials)
    short = {name: 1 if name == "iterations" else value for name, value in settings.items()}
    # the first fit of a process loads the compiled kernels: keep that out of the seconds
    for trial, used in [(chosen[0], short), *((trial, settings) for trial in chosen)]:
        if cell.dataset == SYNTHETIC:
            stored = instances[trial] if instances is not None else None
            row = synthetic_trial(cell, used, trial, stored)
        else:
            row = real_trial(cell, used, trial, ratings)
        if used is short:
            continue
        yield cell.coordinates() | {"trial": trial} | dict.fromkeys(METRICS) | row


def synthetic_trial(cell, settings, trial, instance=None, callback=None) -> dict[str, float]:
    """Run one trial on synthetic data: RMSE on all entries and on the unobserved ones."""
    if instance is None:
        instance = synthetic_instance(cell.coordinates(), settings, trial)
    model, seconds = fit(cell, settings, trial, instance.observed, callback)
    squares = np.square(model.predict_matrix() - instance.matrix())
    hidden = instance.unobserved()
    return {
        "rmse_all": float(np.sqrt(squares.mean())),
        "rmse_heldout": float(np.sqrt(squares[hidden].mean())) if hidden.any() else None,
        "seconds": seconds,
    }


def real_trial(cell, settings, trial, ratings) -> dict[str, float]:
    """Run one trial on real data: RMSE on held-out ratings, raw and clipped to their range."""
    training, heldout = split(ratings, settings, cell, trial)
    model, seconds = fit(cell, settings, trial, training)
    predicted = model.predict(heldout.users, heldout.items)
    limits = ratings.rating_range or (ratings.values.min(), ratings.values.max())
    return {
        "rmse_heldout": rmse(predicted, heldout.values),
        "rmse_clipped": rmse_clipped(predicted, heldout.values, limits),
        "seconds": seconds,
    }


def fit(cell, settings, trial, training, callback=None):
    """Fit the method of a cell on the streams of a trial; return the model and its seconds."""
    model = make_method(cell, settings)
    rng = cell.stream(settings["seed"], START, *SHARED, trial=trial)
    noise_rng = cell.stream(settings["seed"], NOISE, trial=trial)
    begin = time.perf_counter()
    model.fit(training, rng=rng, noise_rng=noise_rng, callback=callback)
    return model, time.perf_counter() - begin

"""One trial of one-bit completion: data from their stream, one completion, its errors.

Source: [Li 2021], section 5. The data of a trial depend only on the data set, the observed fraction
and the trial, so links, constraints, mechanisms and epsilons are compared on the same data. The
noise depends on all of these. An experiment draws data at its largest observed fraction; a smaller
fraction uses the same matrix and a subset of the same signs.

``settings`` are what :func:`dpmc_studies.studies.onebit.settings.cell_settings` returns,
``ratings`` the whole data set of a real cell, in the order of its file.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dpmc.errors import InputError
from dpmc.files import atomic_path, reading_npz
from dpmc.ratings import Ratings
from dpmc_studies.datasets.splits import random_split
from dpmc_studies.frame.jobs.cells import is_drawn
from dpmc_studies.frame.jobs.seeds import DATA, NOISE
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods.onebit.links import link_of
from dpmc_studies.methods.onebit.private import Problem, Simulated, complete
from dpmc_studies.methods.onebit.signs import binarise
from dpmc_studies.methods.onebit.solve import Ball
from dpmc_studies.studies.onebit.cells import BOTH, CLEAR, ONEBIT_COLUMNS, OneBitCell
from dpmc_studies.studies.onebit.instances import first_split, instance
from dpmc_studies.studies.onebit.sample import BY_RANK, Sample, rank_rows

# what rows say of a guarantee, by the names of EntryGuarantee
BUDGETS = tuple(name for name in ONEBIT_COLUMNS if name.endswith(("_epsilon", "_delta")))
# settings that complete() takes by the same name
COMPLETION_SETTINGS = ("clip", "iterations", "step", "delta")


def run_clear_job(task: Task) -> dict[str, Iterable[dict]]:
    """Solve without privacy and run the baselines; store the solutions for output perturbation."""
    rows, matrices = run_clear(task.cell, task.settings, ratings=task.ratings)
    save_matrices(task.file, matrices)
    return {"trials": rows, "ranks": rank_rows(rows)}


def run_curve_job(task: Task) -> dict[str, Iterable[dict]]:
    """Run a private mechanism with all its epsilons."""
    solutions = load_matrices(task.inputs[CLEAR]) if CLEAR in task.inputs else None
    rows = run_curve(list(task.cells), task.settings, ratings=task.ratings, clear=solutions)
    return {"trials": rows, "ranks": rank_rows(rows)}


def make_sample(
    cell: OneBitCell, settings: Mapping, trial: int, ratings: Ratings | None = None
) -> Sample:
    """Return the data of a trial."""
    drawn = settings.get("drawn_fraction", cell.observed_fraction)
    source = replace(cell, observed_fraction=drawn)
    rng = source.stream(settings["seed"], DATA, "dataset", "observed_fraction", trial=trial)
    if is_drawn(settings):
        sizes = (settings[name] for name in ("users", "items", "rank"))
        link = link_of(settings.get("drawn_link", cell.link))
        matrix, signs = instance(
            rng, *sizes, cell.observed_fraction, link, settings["alpha"], drawn
        )
        return Sample(signs, matrix=matrix)
    signs = binarise(ratings, settings["threshold"])
    if not has_fixed_split(settings):
        training, test = random_split(signs, cell.observed_fraction, rng, cell.dataset)
        return Sample(training, test=test)
    training, test = first_split(signs, settings["test_ratings"])
    if len(training) != round(cell.observed_fraction * len(signs)):
        raise InputError(
            f"{cell.dataset}: {settings['test_ratings']} test ratings leave a share of "
            f"{len(training) / len(signs):g} for training; make that its observed fraction, "
            f"not {cell.observed_fraction:g}."
        )
    return Sample(training, test=test)


def has_fixed_split(settings: Mapping) -> bool:
    """Return whether all trials have the same data, and so the same solution without privacy."""
    return "test_ratings" in settings


def make_problem(cell: OneBitCell, settings: Mapping, training: Ratings) -> Problem:
    """Return the problem of a trial: tau = alpha sqrt(users x items x rank)."""
    alpha = float(settings["alpha"])
    tau = alpha * float(np.sqrt(training.n_users * training.n_items * settings["rank"]))
    ball = Ball(tau, alpha if cell.constraint == BOTH else None)
    return Problem(training, cell.link, ball, alpha)


def run_clear(
    cell: OneBitCell, settings: Mapping, *, ratings: Ratings | None = None
) -> tuple[list[dict[str, object]], list[np.ndarray]]:
    """Solve a cell of the mechanism ``"clear"``, and make the rows of the baselines too.

    Rows have the keys :data:`dpmc_studies.studies.onebit.cells.ONEBIT_COLUMNS` and, with ``ranks``
    in the settings, :data:`~dpmc_studies.studies.onebit.sample.BY_RANK`. A value that does not
    apply is None. The matrices, float64 of shape (users, items), are the solutions of the trials.
    With a fixed split there is only one solution, and every trial repeats its row.
    """
    rows, matrices = [], []
    distinct = 1 if has_fixed_split(settings) else settings["trials"]
    for trial in range(distinct):
        sample = make_sample(cell, settings, trial, ratings)
        problem = make_problem(cell, settings, sample.training)
        for mechanism in (CLEAR, *settings["baselines"]):
            named = replace(cell, mechanism=mechanism)
            row, matrix = _completed(named, settings, trial, sample, problem)
            rows.append(row)
            if mechanism == CLEAR:
                matrices.append(matrix)
    repeats = [
        row | {"trial": trial} for trial in range(distinct, settings["trials"]) for row in rows
    ]
    return rows + repeats, matrices


def run_curve(
    cells: Sequence[OneBitCell],
    settings: Mapping,
    *,
    ratings: Ratings | None = None,
    clear: Sequence[np.ndarray] | None = None,
) -> list[dict[str, object]]:
    """Run the trials of private cells that differ in their epsilon alone.

    The cells, at least one, share the data of a trial but not the noise: the rows are the same as
    if each cell had been run alone, cell after cell, with the keys of :func:`run_clear`. ``clear``
    holds the matrices of :func:`run_clear` for the same configuration, for mechanisms that add
    noise to the solution; they are solved here if not given, and the seconds do not include this.
    """
    first, fixed = cells[0], has_fixed_split(settings)
    if first.needs_clear and clear is None:
        _, clear = run_clear(first.clear(), settings | {"baselines": []}, ratings=ratings)
    rows: dict[OneBitCell, list[dict[str, object]]] = {cell: [] for cell in cells}
    for trial in range(settings["trials"]):
        if trial == 0 or not fixed:
            sample = make_sample(first, settings, trial, ratings)
            problem = make_problem(first, settings, sample.training)
        matrix = clear[0 if fixed else trial] if first.needs_clear else None
        for cell in cells:
            rows[cell].append(_completed(cell, settings, trial, sample, problem, matrix)[0])
    return [row for cell in cells for row in rows[cell]]


def save_matrices(path: str | Path, matrices: Sequence[np.ndarray]) -> None:
    """Write the matrices of :func:`run_clear` to an .npz file, whole or not at all."""
    fields = {f"matrix_{number}": matrix for number, matrix in enumerate(matrices)}
    with atomic_path(path) as temporary, open(temporary, "wb") as opened:
        np.savez(opened, **fields)


def load_matrices(path: str | Path) -> list[np.ndarray]:
    """Read what :func:`save_matrices` wrote."""
    with reading_npz(path), np.load(path) as stored:
        return [stored[f"matrix_{number}"] for number in range(len(stored.files))]


def _completed(
    cell: OneBitCell,
    settings: Mapping,
    trial: int,
    sample: Sample,
    problem: Problem,
    clear: np.ndarray | None = None,
) -> tuple[dict, np.ndarray]:
    """Complete once: the row of the trial table, and the matrix."""
    randomness = Simulated(cell.stream(settings["seed"], NOISE, trial=trial))
    options = {name: settings[name] for name in COMPLETION_SETTINGS if name in settings}
    begin = time.perf_counter()
    made = complete(
        cell.mechanism, problem, cell.epsilon, randomness=randomness, clear=clear, **options
    )
    seconds = time.perf_counter() - begin
    errors = sample.errors(made.matrix, settings["rank"], settings.get("ranks", ()))
    found = {
        **cell.coordinates(),
        "trial": trial,
        **errors,
        "objective": made.value,
        "iterations": made.iterations,
        "converged": made.converged,
        **{name: getattr(made.guarantee, name) for name in BUDGETS},
        "seconds": seconds,
    }
    columns = [*ONEBIT_COLUMNS, BY_RANK] if BY_RANK in errors else ONEBIT_COLUMNS
    return {name: found[name] for name in columns}, made.matrix

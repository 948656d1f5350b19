"""Why A-IRLS equals ALS: how many of its weights are below 1, and what they change.

R-IRLS (paper, algorithm 3) weighs residuals and then adds noise to the right-hand side, so the
noise of one inner step reaches the residuals of the next only through theta. Where all weights are
1, theta_K depends on the noise of the last step alone, and A-IRLS is ALS with that noise. So an ALS
with that noise is fitted beside each A-IRLS: what differs is what the weights do, and nothing else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.frame.jobs.seeds import NOISE, START
from dpmc.frame.jobs.task import Task
from dpmc.methods.factorization.irls import IRLS
from dpmc.methods.kernels.regressions import Regressions
from dpmc.ratings import Compressed, Ratings
from dpmc.statistics.errors import rmse
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.trial import SHARED, make_method, split, synthetic_instance


class Counts:
    """How many weights there were and how many below 1, in the first inner step and in later ones.

    The first step weighs residuals of the random theta_0, later ones those of an estimate.
    """

    def __init__(self):
        self.weights, self.below = np.zeros(2, dtype=int), np.zeros(2, dtype=int)

    def add(self, step: int, residuals: np.ndarray, threshold: float) -> None:
        """Count the residuals of a step (from 0) beyond the threshold, whose weight is below 1."""
        later = int(step > 0)
        self.weights[later] += residuals.size
        self.below[later] += np.count_nonzero(np.abs(residuals) > threshold)


class CountingRegressions(Regressions):
    """R-IRLS that counts its weights once in so many outer iterations, step by step.

    Parameters are those of :class:`dpmc.methods.kernels.regressions.Regressions`, and ``every``:
    weights are counted in the last of every so many outer iterations.
    """

    def __init__(self, rows: Compressed, rank, regularization, steps, counts: Counts, every: int):
        super().__init__(rows, rank, regularization, steps)
        self._single = Regressions(rows, rank, regularization)
        self._row_of = np.repeat(np.arange(self.counts.size), self.counts)
        self._tally, self._every, self._iteration = counts, every, 0

    def solve(self, factors, *, threshold=np.inf, start=None, noise=None):
        self._iteration += 1
        if self._iteration % self._every == 0:
            self._count(factors, threshold, start, noise)
        return super().solve(factors, threshold=threshold, start=start, noise=noise)

    def _count(self, factors, threshold, theta, noise):
        gathered = factors[self.rows.indices]
        for step in range(self.steps):
            predicted = np.einsum("ij,ij->i", gathered, theta[self._row_of])
            self._tally.add(step, self.rows.values - predicted, threshold)
            fresh = None if noise is None else noise[step : step + 1]
            theta = self._single.solve(factors, threshold=threshold, start=theta, noise=fresh)


class CountingIRLS(IRLS):
    """A-IRLS, number by number, that counts its weights."""

    def __init__(self, *, every: int, **parameters):
        super().__init__(**parameters)
        self._every, self.counts_ = every, Counts()

    def _item_regressions(self, ratings):
        steps = self.inner_iterations
        return CountingRegressions(
            ratings.by_item, self.rank, self.regularization, steps, self.counts_, self._every
        )


class Remembering:
    """A mechanism that remembers the noise of the last inner step of every outer iteration."""

    def __init__(self, mechanism):
        self.mechanism, self.last = mechanism, []

    def rvs(self, size, rng):
        """Draw noise of shape (K, items, rank)."""
        noise = self.mechanism.rvs(size=size, rng=rng)
        self.last.append(noise[-1])
        return noise


class Replaying:
    """A mechanism that gives remembered noise again, shape (items, rank) at each call."""

    def __init__(self, noise):
        self._noise = iter(noise)

    def rvs(self, size, rng):
        """Return the next of the noise."""
        return next(self._noise)


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Count the weights of A-IRLS below 1, and fit ALS with the same noise."""
    rows = (
        row
        for cell, settings in task.cells.items()
        for row in weights(cell, settings, task.ratings)
    )
    return {"weights": rows}


def weights(
    cell: Cell, settings: Mapping, ratings: Ratings | None = None
) -> Iterator[dict[str, object]]:
    """Yield a row of the table of weights for every trial of an A-IRLS cell.

    ``settings`` are those of the cell, and ``counted_iterations``: in so many outer iterations, the
    last of equal parts of a training, weights are counted. ``ratings`` is the whole data set of a
    real cell. Rows have the keys :data:`dpmc.studies.huber.experiments.weights.WEIGHTS_COLUMNS`.
    ``rmse_irls`` is the published error of the cell's trial, ``rmse_als`` that of ALS with the
    noise of the last inner steps.
    """
    every = max(1, settings["iterations"] // settings["counted_iterations"])
    for trial in range(settings["trials"]):
        found = _trial(cell, settings, trial, every, ratings)
        yield cell.coordinates() | {"trial": trial} | found


def _trial(cell: Cell, settings: Mapping, trial: int, every: int, ratings) -> dict[str, object]:
    """Fit A-IRLS on the streams of a trial, and ALS on the same and its last noise."""
    if cell.dataset == SYNTHETIC:
        instance = synthetic_instance(cell.coordinates(), settings, trial)
        training, truth = instance.observed, instance.matrix()
    else:
        training, heldout = split(ratings, settings, cell, trial)

    def error(model):
        if cell.dataset == SYNTHETIC:
            return rmse(model.predict_matrix(), truth)
        return rmse(model.predict(heldout.users, heldout.items), heldout.values)

    model = CountingIRLS(every=every, **vars(make_method(cell, settings)))
    noisy = model.mechanism is not None
    if noisy:
        model.mechanism = Remembering(model.mechanism)
    noise_rng = cell.stream(settings["seed"], NOISE, trial=trial)

    def start():
        return cell.stream(settings["seed"], START, *SHARED, trial=trial)

    model.fit(training, rng=start(), noise_rng=noise_rng)
    plain = make_method(replace(cell, method="als", irls_iterations=None), settings)
    plain.mechanism = Replaying(model.mechanism.last) if noisy else None
    plain.fit(training, rng=start(), noise_rng=noise_rng)
    counts = model.counts_
    return {
        "loss_parameter": model.loss_parameter,
        "weights_first": int(counts.weights[0]),
        "below_first": int(counts.below[0]),
        "weights_later": int(counts.weights[1]),
        "below_later": int(counts.below[1]),
        "rmse_irls": error(model),
        "rmse_als": error(plain),
    }

"""Runs of a calibrated method, and their replays on neighbouring data.

A replay gives the outputs of a run to the method on neighbouring data, and shows which queries the
method would have made there. This is enough, because everything that a method does after a release
depends only on outputs, public constants and the user's own ratings. So the privacy loss of a run
is the sum over its releases of log p(out - query) - log p(out - query there), exactly.
"""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from dpmc.privacy.ledger import Ledger, Noise, Replay
from dpmc.ratings import Ratings

OTHERWISE = "asked otherwise"
"""A name, sensitivity or weight that depends on the data: noise would tell of them, whatever the
queries do."""


@dataclass(frozen=True, eq=False)
class Trace:
    """One run on some data, compared with its replay on neighbouring data.

    ``loss`` is the log density of the outputs on the data minus their log density on the
    neighbouring data. ``changes`` maps a statistic to its largest change between the two data sets,
    divided by its stated sensitivity. :data:`OTHERWISE` maps to infinity if any name, sensitivity
    or weight of a release differs. ``residuals`` is the noise of each release, at sensitivity 1.
    """

    loss: float
    changes: dict[str, float]
    residuals: list[np.ndarray]


class _Spent(Exception):
    """Nothing more may be released."""


def follow(
    method, noise: Noise, here: Ratings, there: Ratings, seed: int, *, whole: bool = True
) -> Trace:
    """Run a method on ``here`` and replay its outputs on ``there``.

    Both fits have the same public start, drawn by ``seed``; the run takes its noise from ``noise``.
    A fit that is not ``whole`` stops when the budget is spent, because the model then consists of
    released outputs only. Whole fits also detect a further release.
    """
    run = _fitted(method, here, noise, seed, whole)
    outputs = Replay([each.output for each in run.transcript])
    replay = _fitted(method, there, outputs, seed, whole)
    return compare(run, replay, method.calibration.noise, method.bounds.p)


def _fitted(method, ratings, noise, seed, whole) -> Ledger:
    ledger = Ledger(noise, method.releases, keep=True)

    def end_if_spent():
        if ledger.spent >= ledger.releases * (1 - 1e-9):
            raise _Spent

    if not whole:
        ledger.report = end_if_spent
    with suppress(_Spent):
        method.fit(ratings, rng=seed, ledger=ledger)
    return ledger


def compare(run: Ledger, replay: Ledger, noise, norm: int) -> Trace:
    """Compare a run with its replay on neighbouring data, both with their transcripts.

    ``noise`` is that at sensitivity 1, ``norm`` (1 or 2) that of the sensitivities.
    """
    loss, changes, residuals = 0.0, {}, []
    if asked(run) != asked(replay):
        changes[OTHERWISE] = np.inf
    for first, second in zip(run.transcript, replay.transcript, strict=False):
        here, there = ((first.output - each.query) / each.scale for each in (first, second))
        residuals.append(here)
        loss += np.sum(noise.logpdf(here) - noise.logpdf(there))
        loss += here.size * np.log(second.scale / first.scale)  # 0 unless asked otherwise
        change = np.linalg.norm((first.query - second.query).ravel(), norm)
        change /= first.sensitivity
        changes[first.what] = max(changes.get(first.what, 0.0), float(change))
    return Trace(float(loss), changes, residuals)


def asked(ledger: Ledger) -> list[tuple[str, float, float]]:
    """Return the name, sensitivity and weight of each release: they must not depend on the data."""
    return [(each.what, each.sensitivity, each.weight) for each in ledger.transcript]

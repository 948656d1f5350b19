"""Local Bayes of the package, compared with plain NumPy that was written from formulas alone.

Both get the same table and the same noise, release by release, so that they predict the same but
for rounding. What the check says, and one release that is far off, are given as noise, too: a step
that is taken back, and the simpler models that are published instead of one that is worse.
"""

import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import plain_local_bayes as plain
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr

from dpmc.methods.user_level.covariance import pack
from dpmc.methods.user_level.local_bayes.constants import BINS
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.privacy.ledger import Ledger
from dpmc.publication.features import Features
from dpmc.ratings import Ratings

MIRROR = os.environ.get("DPMC_DATA_MIRROR")
RANGE, DELTA = (1.0, 5.0), 1e-5
FAR = 1e9  # deviations of the noise


def dense(rng, users=600, items=40, rank=3, noise=0.5):
    factors, tastes = 0.45 * rng.normal(size=(items, rank)), rng.normal(size=(users, rank))
    values = 3 + 0.4 * rng.normal(size=items) + 0.5 * rng.normal(size=(users, 1))
    values += tastes @ factors.T + noise * rng.normal(size=(users, items))
    return values, rng.random((users, items)) < 0.6, None


def sparse(rng, users=800, items=300):
    """Stars, Zipf's law of items and users with 1 rating or many, which differ by two factors."""
    values = 3.3 + 0.5 * rng.normal(size=items) + 0.5 * rng.normal(size=(users, 1))
    values += 0.4 * rng.normal(size=(users, 2)) @ rng.normal(size=(2, items))
    values += 0.7 * rng.normal(size=(users, items))
    keys = rng.gumbel(size=(users, items)) - 0.9 * np.log(np.arange(1, items + 1))
    numbers = np.minimum(rng.geometric(1 / 18, size=(users, 1)), 120)
    return np.round(values), np.argsort(np.argsort(-keys, 1), 1) < numbers, None


def featured(rng):
    """Return a sparse table in which three features of four explain most of the offsets."""
    values, rated, _ = sparse(rng)
    features = rng.normal(size=(rated.shape[1], 4))
    return np.round(values + features @ [0.5, 0.4, 0.3, 0]), rated, features


def alike(rng):
    """Return a table in which all users give all items the same."""
    values, rated, _ = dense(rng)
    return np.tile(values[:, :1], values.shape[1]), rated, None


def films(rng):
    """Return MovieLens 100K."""
    users, items, values, _ = np.loadtxt(Path(MIRROR) / "ml-100k" / "u.data", dtype=int).T
    table = np.zeros((943, 1682))
    table[users - 1, items - 1] = values
    return table, table > 0, None


def mu_of(epsilon):
    """Return the privacy of Gaussian noise that is (epsilon, DELTA)."""

    def more(mu):
        return ndtr(mu / 2 - epsilon / mu) - np.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu) - DELTA

    return brentq(more, 1e-3, 100, xtol=1e-14, rtol=1e-14)


class Drawn:
    """The generator of the plain program: keeps what it draws, and puts single draws far off.

    ``far`` has their numbers, or "check" for that of the last release, and what they become.
    """

    def __init__(self, seed, far):
        self.rng, self.far, self.kept = np.random.default_rng(seed), dict(far), []

    def normal(self, size):
        found = self.rng.normal(size=size)
        name = "check" if size == (2,) else len(self.kept)
        self.kept.append(np.asarray(self.far.get(name, found), float))
        return self.kept[-1]


class Same:
    """Noise that was drawn by the plain program, in the order of the sums of the package."""

    simulated = True

    def __init__(self, mechanism, drawn):
        self.mechanism, self.drawn = mechanism, iter(drawn)

    def add(self, query, sensitivity):
        noise = np.concatenate([each.ravel() for each in self.next_of(query.size)])
        return query + sensitivity * self.mechanism.scale * noise

    def next_of(self, size):
        first = next(self.drawn)
        if size == 2:
            return [first]
        if first.shape == (BINS,):
            return [first, *(next(self.drawn) for _ in range(3))]
        if first.ndim == 1:
            return [first, next(self.drawn), next(self.drawn)]
        if pack(first).size == size:
            return [pack((first + first.T) / 2)]
        counts, spread, gram = (next(self.drawn) for _ in range(3))
        return [np.column_stack([first, counts]), pack((gram + gram.T) / 2), spread]


class Cell(NamedTuple):
    draw: object
    epsilon: float
    relation: str = "user_add_remove"
    far: tuple = ()  # draws and what is drawn there instead
    published: str | None = None  # instead of the model
    taken_back: int = 0


SPREADS = range(10, 30, 4)  # the numbers of the draws that are the noise on the spreads of steps
CELLS = {
    "factors": Cell(dense, 5),
    "much noise": Cell(dense, 1),
    "no covariance": Cell(partial(dense, users=200), 0.1, far=[("check", (-FAR, -FAR))]),
    "few ratings": Cell(sparse, 5),
    "a covariance that shows nothing": Cell(sparse, 1),
    "features": Cell(featured, 5),
    "users who give all items the same": Cell(alike, 5),
    "a strong direction, and offsets that are known": Cell(
        partial(dense, users=100, noise=0.1), 20
    ),
    "a strong direction of few users": Cell(partial(dense, users=100, items=500, noise=0.1), 20),
    "users replaced": Cell(partial(dense, users=1200), 5, "user_replace"),
    "more factors than a vector has lanes": Cell(partial(dense, users=3000, items=90, rank=10), 20),
    "hardly any noise of ratings": Cell(partial(dense, users=3000, noise=1e-3), 20),
    "biases": Cell(dense, 5, far=[("check", (FAR, 0))], published="biases"),
    "own means": Cell(dense, 5, far=[("check", (0, FAR))], published="own means"),
    "a step taken back": Cell(dense, 5, far=[(SPREADS[2], -3.0)], taken_back=1),
    "all later steps taken back": Cell(dense, 5, far=[(SPREADS[2], -6.0)], taken_back=4),
    "a spread that seems too small": Cell(dense, 5, far=[(SPREADS[0], 15.0), (SPREADS[1], 40.0)]),
    "MovieLens 100K": Cell(films, 5),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * ("Lens" in name)) for name in CELLS]
)
def test_the_plain_program_predicts_the_same_with_the_same_noise(name):
    cell, rng = CELLS[name], np.random.default_rng(1)
    if cell.draw is films and not MIRROR:
        pytest.skip("DPMC_DATA_MIRROR does not name a folder with the real data files")
    values, rated, features = cell.draw(rng)
    values, (users, items) = np.clip(values, *RANGE), np.nonzero(rated)
    drawn, x = Drawn(2, cell.far), np.where(rated, values - 3, 0)
    replace, mu = cell.relation == "user_replace", mu_of(cell.epsilon)
    expected, worse = plain.fit(x, rated.astype(float), 2.0, mu, drawn, replace, features)
    expected = 3 + expected.b + plain.users(expected, x, rated.astype(float))[0] @ expected.v.T

    given = {"epsilon": cell.epsilon, "delta": DELTA, "rating_range": RANGE}
    method = LocalBayes(relation=cell.relation, **given)
    labels = np.arange(values.shape[1]).astype(str)
    ratings = Ratings(
        users, items, values[users, items], *values.shape, "drawn", RANGE, item_labels=labels
    )
    if features is not None:
        features = Features(tuple("abcd"), labels, features)
    noise = Same(method.calibration.noise, drawn.kept)
    ledger = Ledger(noise, method.releases, keep=True)
    method.fit(ratings, rng=0, ledger=ledger, item_features=features)
    np.testing.assert_allclose(method.predict_matrix(), np.clip(expected, *RANGE), atol=1e-8)
    np.testing.assert_allclose(ledger.transcript[-1].output, worse, rtol=1e-9)
    assert next(noise.drawn, None) is None
    assert method.fell_back_to_ == cell.published
    assert method.steps_taken_back_ == cell.taken_back

"""Runs under Huber and Laplace noise, replayed on neighbours, against both of its guarantees."""

import math
from functools import cache

import numpy as np
import pytest

from dpmc.mechanisms import Gaussian
from dpmc.methods.factorization.private_baselines import PrivateUserItemBias
from dpmc.privacy.ledger import FloatNoise, Ledger, Replay
from dpmc.privacy.losses import gaussian_shift
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.ratings import Ratings

RUNS, RATED, N_USERS = 2000, 4, 3
SETTINGS = {"relation": USER_ADD_REMOVE, "ratings_per_user": RATED, "rating_range": (-1, 1)}


def ratings_of(n_users):
    """The last user changes as much as one can: ratings at an end of the range, k items."""
    users, items = np.divmod(np.arange(n_users * RATED), RATED)
    values = np.where(users == N_USERS - 1, 1.0, 0.2)
    return Ratings(users, items, values, N_USERS, RATED)


@cache
def replayed(mechanism):
    """Return the noise by the l2 bound, and losses, l1 and l2 changes over the scale by run."""
    model = PrivateUserItemBias(mechanism=mechanism, norm=2, epsilon=2, delta=1e-3, **SETTINGS)
    noise, rng = model.calibration.noise, np.random.default_rng(7)
    here, there, found = ratings_of(N_USERS), ratings_of(N_USERS - 1), []
    for _ in range(RUNS):
        run = Ledger(FloatNoise(noise, rng), model.releases, keep=True)
        model.fit(here, rng=0, ledger=run)
        replay = Ledger(Replay([e.output for e in run.transcript]), model.releases, keep=True)
        model.fit(there, rng=0, ledger=replay)
        loss, moved = 0.0, []
        for first, second in zip(run.transcript, replay.transcript, strict=True):
            at, other = ((first.output - each.query) / first.scale for each in (first, second))
            loss += np.sum(noise.logpdf(at) - noise.logpdf(other))
            moved.append((at - other).ravel())
        found.append(
            (loss, np.abs(np.concatenate(moved)).sum(), np.linalg.norm(np.concatenate(moved)))
        )
    return noise, np.array(found).T


@pytest.mark.parametrize("mechanism", ["huber", "laplace"])
def test_no_run_loses_more_than_its_l1_change_allows(mechanism):
    noise, (losses, by_l1, _) = replayed(mechanism)
    allowed = 2 * RATED**0.5 * noise.epsilon(1.0)  # of two releases, k coordinates alike each
    assert noise.epsilon(by_l1.max()) == pytest.approx(allowed, rel=1e-6)  # the most there can be
    assert np.abs(losses).max() <= allowed * (1 + 1e-6)


@pytest.mark.parametrize("mechanism", ["huber", "laplace"])
def test_runs_lose_no_more_than_gaussian_noise_by_their_l2_change(mechanism):
    """delta = E[(1 - e^(epsilon - loss))+]; a wrong alarm in one of 10,000 tests."""
    noise, (losses, _, by_l2) = replayed(mechanism)
    mu = gaussian_shift(noise, math.sqrt(2))
    assert gaussian_shift(noise, by_l2.max()) <= mu * (1 + 1e-6)
    assert Gaussian(1.0).delta(2.0, mu) == pytest.approx(1e-3, rel=1e-6)  # what was calibrated for
    for epsilon in (0.2, 0.5):
        terms = np.maximum(-np.expm1(epsilon - losses), 0)
        least = terms.mean() - 4 * terms.std() / math.sqrt(RUNS)
        assert least <= Gaussian(1.0).delta(epsilon, mu)
        # it is above what 0.7 of this mu would allow: so a mu that is too small shows
        assert least > Gaussian(1.0).delta(epsilon, 0.7 * mu)

"""What docs/local_bayes.md proves of errors, on draws: each bound holds, and is no further off.

Means may be off by SURE standard errors, under the normal law a chance of 6e-8 for each of the 19
comparisons: at other seeds, right code would fail once in a million times.
"""

import re

import numpy as np
import pytest
from document_texts import HOME
from scipy.stats import cosine, norm

from dpmc.methods.user_level.covariance import unpack
from dpmc.methods.user_level.local_bayes import directions, offsets
from dpmc.methods.user_level.local_bayes.constants import (
    COUNTED,
    OFFSETS_SHARE,
    OWN_MEANS,
    SHORTEST,
)
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.ratings import Ratings

SURE = 5.3
LONGEST = SHORTEST * np.sqrt(1 + COUNTED**2)
C = offsets.NORM * LONGEST / np.sqrt(OFFSETS_SHARE)
MU = {1: 0.26805, 5: 1.12124, 20: 3.44778}


def least_error(n_items, n_users, mu, spread=1.0, within=np.inf):
    """Return what proposition 2 says of the root mean square error of an item."""
    least = spread * np.sqrt(n_items / np.expm1(mu**2)) / (n_users + 1)
    return least / (1 + np.pi * least / within)


def test_error_of_an_offset():
    """Proposition 1: its mean over items and draws is 0.93 to 1 times the bound.

    Without what users' levels leave in it, it would be above.
    """
    n_users, n_items, mu, spread, own, draws = 150, 24, 8.0, 0.7, 0.8, 400
    rng, typical, mean = np.random.default_rng(1), 1.0, 0.1
    rated = rng.choice([1, 2, 8], n_users)
    chosen = np.argsort(rng.random((n_users, n_items)), axis=1).argsort(axis=1) < rated[:, None]
    (users, items), b = np.nonzero(chosen), 0.3 * rng.normal(size=n_items)
    scale = Scale(typical, mean, 0.01, float(n_users), float(items.size))
    rho, counts = OWN_MEANS**2 + scale.mean_variance / typical**2, np.bincount(items)
    part = rho / (1 + rho * (rated - 1))[users]
    others = ((b - mean) * chosen).sum(1)[users] - (b - mean)[items]
    beta = np.bincount(items, part * others) / counts
    levels = own**2 * np.bincount(items, (1 + rho * (rated - 1.0))[users] ** -2) / counts
    alone = beta**2 + (1 + rho / 4) * spread**2 / counts + (C * typical / (mu * counts)) ** 2
    bound = alone + levels / counts
    sigma, found, above = offsets.NORM / (mu * np.sqrt(OFFSETS_SHARE)), [], []
    for _ in range(draws):
        values = b[items] + own * rng.choice([-1, 1], n_users)[users]
        values += spread * rng.choice([-1, 1], items.size)
        rows = Ratings(users, items, values, n_users, n_items).by_user
        sums, _ = offsets.statistic(rows, n_items, scale)
        assert np.allclose(sums[n_items:-1], counts * COUNTED / LONGEST)  # none is shortened
        noised = sums[:n_items] + sigma * rng.normal(size=n_items)
        squares = (LONGEST * noised / counts - (b - mean)) ** 2
        found.append(np.mean(squares / bound))
        above.append(np.mean(squares / alone))
    off, off_above = (SURE * np.std(each) / np.sqrt(draws) for each in (found, above))
    assert 0.93 - off < np.mean(found) < 1 + off
    assert np.mean(above) > 1 + off_above


@pytest.mark.parametrize("mu", [0.002, 0.05, 0.1])
def test_no_release_does_better(mu):
    """Proposition 2: rows cut off at their usual norm, with noise, then shrunk to the prior.

    From releases that say nothing to those that say more than the prior; both sides of the proof.
    """
    n_items, n_users, half_range, draws = 100, 2000, 1.4, 60
    rng, prior = np.random.default_rng(2), cosine(scale=half_range / np.pi)
    longest = np.sqrt(n_items * (1 + prior.var()))
    noise = longest / mu / n_users
    shrunk, found, moved = prior.var() / (prior.var() + noise**2), [], []
    for _ in range(draws):
        b = prior.rvs(n_items, random_state=rng)
        rows = b + rng.normal(size=(n_users, n_items))
        whole = rows.sum(0) - n_users * b
        rows *= np.minimum(1, longest / np.linalg.norm(rows, axis=1, keepdims=True))
        released = shrunk * (rows.sum(0) / n_users + noise * rng.normal(size=n_items))
        left = released.clip(-half_range, half_range) - b
        found.append(np.mean(left**2))
        moved.append(whole @ left)
    (error, off), (mean, off_mean) = (
        (np.mean(each), SURE * np.std(each) / np.sqrt(draws)) for each in (found, moved)
    )
    least, high, low = (
        least_error(n_items, n_users, mu, within=half_range),
        np.sqrt(error + off),
        np.sqrt(error - off),
    )
    assert high > least
    assert low < 1.5 * least
    assert mean + off_mean > n_items * (1 - np.pi * high / half_range)
    assert mean - off_mean < (n_users + 1) * np.sqrt(np.expm1(mu**2) * n_items) * high


def test_the_prior_of_that_proof():
    """Density, mean of its square, and of the square of the derivative of its logarithm."""
    half_range, prior = 1.4, cosine(scale=1.4 / np.pi)
    b = half_range * np.linspace(-1, 1, 20_001)[1:-1]
    step = b[1] - b[0]
    density = np.cos(np.pi * b / (2 * half_range)) ** 2 / half_range
    np.testing.assert_allclose(density, prior.pdf(b), rtol=1e-6, atol=1e-12)
    slope = -np.pi / half_range * np.tan(np.pi * b / (2 * half_range))
    assert np.sum(slope**2 * density) * step == pytest.approx((np.pi / half_range) ** 2, rel=1e-3)
    assert np.sum(-slope * b * density) * step == pytest.approx(1, rel=1e-3)
    assert prior.var() == pytest.approx((1 / 3 - 2 / np.pi**2) * half_range**2)


def test_the_page_has_the_price_of_privacy():
    page = " ".join((HOME / "docs" / "local_bayes.md").read_text(encoding="utf-8").split())
    assert rf"\approx{C:.1f}$" in page
    most = re.search(r"about ([\d,]+), ([\d,]+) and ([\d,]+) ratings", page).groups()
    most = [float(each.replace(",", "")) for each in most]
    assert most == pytest.approx([C**2 / mu**2 for mu in MU.values()], rel=0.02)


def table_of_rows(rng, n_users, size, strength):
    """Return users' outer products, as step 3 adds them up, of rows with one direction."""
    along = rng.normal(size=size) / np.sqrt(size)
    rows = strength * rng.normal(size=(n_users, 1)) * along * np.sqrt(size)
    rows += rng.normal(size=(n_users, size))
    users, items = np.indices(rows.shape)
    ratings = Ratings(users.ravel(), items.ravel(), rows.ravel(), n_users, size).by_user
    return directions.statistic(ratings, np.arange(size), size, 1.0)[0]


@pytest.mark.parametrize("uneven", [False, True])
def test_recovery_of_a_direction(uneven):
    """Proposition 3: the sine is below the bound, a quarter of it (0.2 to 0.3) if c is 1."""
    size, n_users, sigma, draws, x = 60, 3000, 20.0, 200, 2.0
    rng = np.random.default_rng(3)
    c = rng.uniform(0.7, 1, size) if uneven else np.ones(size)
    triangle, scales = table_of_rows(rng, n_users, size, 1.0), np.outer(c, c)
    S = unpack(triangle, size) * scales
    values, vectors = np.linalg.eigh(S)
    first, gap, noise = vectors[:, -1], values[-1] - values[-2], sigma * c.max() ** 2
    sines, within, found, seen = [], [], [], []
    for _ in range(draws):
        M = unpack(triangle + sigma * rng.normal(size=triangle.size), size) * scales
        off = rng.uniform(0, 20, size) if uneven else np.zeros(size)
        np.fill_diagonal(M, np.diagonal(S) - off)
        largest, v = (part[..., -1] for part in np.linalg.eigh(M))
        sines.append(np.sqrt(1 - min((v @ first) ** 2, 1)))
        bound = (2 * noise * (np.sqrt(2 * size) + x) + np.ptp(off)) / gap
        within.append(sines[-1] <= bound)
        found.append(largest >= values[-1] - off.max() - x * noise)
        seen.append(sines[-1] / (2 * noise * np.sqrt(2 * size) / gap))
    for each, chance in ((within, 1 - 2 * np.exp(-(x**2) / 2)), (found, norm.cdf(x))):
        assert np.mean(each) >= chance - SURE * np.sqrt(chance * (1 - chance) / draws)
    assert uneven or 0.2 < np.mean(seen) < 0.3

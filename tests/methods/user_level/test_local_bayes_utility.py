"""What docs/local_bayes.md proves of errors, on draws: each bound holds, and is no further off.

Means may be off by SURE standard errors, under the normal law a chance of 1.2e-7 for each mean.
"""

import re

import numpy as np
import pytest
from document_texts import HOME
from scipy.stats import norm

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


def least_error(n_items, n_users, mu, spread=1.0):
    """Return what proposition 2 says of the mean square error of an item."""
    return spread**2 * n_items / ((n_users + 1) ** 2 * np.expm1(mu**2))


def test_error_of_an_offset():
    """Proposition 1: its mean over items and draws is 0.93 to 1 times the bound."""
    n_users, n_items, rated, mu, spread, draws = 120, 24, 14, 1.0, 0.8, 300
    rng, typical, mean = np.random.default_rng(1), 1.0, 0.1
    chosen = np.argsort(rng.random((n_users, n_items)), axis=1)[:, :rated]
    users, items, b = (
        np.repeat(np.arange(n_users), rated),
        chosen.ravel(),
        0.4 * rng.normal(size=n_items),
    )
    scale = Scale(typical, mean, 0.01, float(n_users), float(items.size))
    rho = OWN_MEANS**2 + scale.mean_variance / typical**2
    counts, others = (
        np.bincount(items),
        (b - mean)[chosen].sum(1, keepdims=True) - (b - mean)[chosen],
    )
    pulled = rho / (1 + rho * (rated - 1)) * others
    beta = np.bincount(items, pulled.ravel()) / counts
    price = C * typical / (mu * counts)
    bound = beta**2 + (1 + rho / 4) * spread**2 / counts + price**2
    sigma, found = offsets.NORM / (mu * np.sqrt(OFFSETS_SHARE)), []
    for _ in range(draws):
        values = b[items] + spread * rng.choice([-1, 1], items.size)
        rows = Ratings(users, items, values, n_users, n_items).by_user
        sums, _ = offsets.statistic(rows, n_items, scale)
        assert np.allclose(sums[n_items:-1], counts * COUNTED / LONGEST)  # none is shortened
        noised = sums[:n_items] + sigma * rng.normal(size=n_items)
        found.append(np.mean((LONGEST * noised / counts - (b - mean)) ** 2 / bound))
    found, off = np.mean(found), SURE * np.std(found) / np.sqrt(draws)
    assert found < 1 + off
    assert found > 0.93 - off


@pytest.mark.parametrize("mu", [0.05, 0.1])
def test_no_release_does_better(mu):
    """Proposition 2, before the prior grows: rows cut off at their usual norm, with noise."""
    n_items, n_users, prior, draws = 100, 2000, 0.5, 60
    rng, found = np.random.default_rng(2), []
    longest = np.sqrt(n_items * (1 + prior**2))
    for _ in range(draws):
        b = prior * rng.normal(size=n_items)
        rows = b + rng.normal(size=(n_users, n_items))
        rows *= np.minimum(1, longest / np.linalg.norm(rows, axis=1, keepdims=True))
        noise = longest / mu * rng.normal(size=n_items)
        found.append(np.mean(((rows.sum(0) + noise) / n_users - b) ** 2))
    error = np.mean(found) + SURE * np.std(found) / np.sqrt(draws)
    sides = np.sqrt(error / least_error(n_items, n_users, mu)) + np.sqrt(error) / prior
    assert 1 < sides < 1.5


def test_the_page_has_the_ratios():
    page = (HOME / "docs" / "local_bayes.md").read_text(encoding="utf-8")
    page = " ".join(page.split("**Utility")[1].split("**Not proven")[0].split())
    ratios = {
        epsilon: C / (mu * 10_000) / np.sqrt(least_error(25, 9_999, mu))
        for epsilon, mu in MU.items()
    }
    assert f"≈ {C:.1f}" in page
    small = C / 5
    for text in (
        f"a ratio of {small:.1f} for small mu, {ratios[1]:.1f} at epsilon 1, {ratios[5]:.1f} at",
        f"Of the {small:.1f}, {OFFSETS_SHARE**-0.5:.1f} is the share",
        f"and {C / 5 * OFFSETS_SHARE**0.5:.1f} what counts and levels take",
    ):
        assert text in page
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

"""The sampler of Huber noise.

All seeds are fixed. Every statistical assertion is at 1e-5: that is the share of seeds at which
a right sampler would fail it.
"""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from scipy import stats

from dpmc.mechanisms import Huber, huber_sampler
from dpmc_studies.mechanism_facts import published_inverse_cdf

pytestmark = pytest.mark.slow

COMPILED = not numba.config.DISABLE_JIT
LEVEL = 1e-5
PARAMETERS = [1e-3, 0.3, 0.72, 1.0759, 2.0, 3.0, 3.66, 4.5, 10.0, 1e3]
at_every_a = pytest.mark.parametrize("a", PARAMETERS)


def sample_size(n):
    """Fewer draws where the kernels run as plain Python."""
    return n if COMPILED else n // 50


def chi_square_at(draws, edges, noise):
    """p-value of the counts between the (ascending) edges, whose outermost are infinite."""
    mass = noise.cdf(edges)
    expected = np.where(edges[1:] <= 0, np.diff(mass), -np.diff(noise.sf(edges))) * draws.size
    # Cells with fewer than 20 expected draws are pooled into one.
    counts = np.diff(np.searchsorted(np.sort(draws), edges))
    small = expected < 20
    counts = np.append(counts[~small], counts[small].sum())
    expected = np.append(expected[~small], expected[small].sum())
    keep = expected > 0
    return stats.chisquare(counts[keep], expected[keep] * (draws.size / expected.sum())).pvalue


@at_every_a
def test_draws_follow_the_distribution(a):
    noise = Huber(a, scale=1.7)
    size = sample_size(200_000)
    draws = noise.rvs(size, rng=np.random.default_rng([7, int(1000 * a)]))
    assert stats.kstest(draws, noise.cdf).pvalue > LEVEL
    edges = np.concatenate([[-np.inf], noise.ppf(np.arange(1, 100) / 100), [np.inf]])
    assert chi_square_at(draws, edges, noise) > LEVEL


@at_every_a
def test_every_piece_of_the_ziggurat_has_its_share(a):
    """Cells are the edges of the pieces: a piece chosen or a wedge cut wrongly shows here."""
    noise = Huber(a)
    pieces = huber_sampler.ziggurat(a)
    right = pieces.edges[:0:-1]  # 0 to R
    middles = (right[1:] + right[:-1]) / 2
    half = np.sort(np.concatenate([right, middles]))
    edges = np.concatenate([[-np.inf], -half[:0:-1], half, [np.inf]])
    draws = noise.rvs(sample_size(2_000_000), rng=np.random.default_rng([8, int(1000 * a)]))
    assert chi_square_at(draws, edges, noise) > LEVEL


@at_every_a
def test_the_tail_beyond_the_base(a):
    """Drawn by a routine of its own, one draw in 300 to 3000: so tested on its own."""
    start = huber_sampler.ziggurat(a).edges[1]
    noise = Huber(a)
    rng = np.random.default_rng([10, int(1000 * a)])
    tail = np.array([huber_sampler._draw_tail(rng, start, a) for _ in range(5000)])
    assert tail.min() >= start
    assert stats.kstest(tail, lambda x: 1 - noise.sf(x) / noise.sf(start)).pvalue > LEVEL


def test_the_reported_formula_fails():
    """The planted fault: without its minus sign the thesis' inverse CDF draws other noise."""
    noise = Huber.from_variance(2)
    uniform = np.random.default_rng(41).random(200_000)
    wrong = published_inverse_cdf(uniform, noise.a)
    assert stats.kstest(wrong, noise.cdf).pvalue < 1e-300
    assert stats.kstest(noise.ppf(uniform), noise.cdf).pvalue > LEVEL


@at_every_a
def test_the_pieces_cover_the_density_exactly(a):
    edges, heights = huber_sampler.ziggurat(a)
    noise = Huber(a)
    np.testing.assert_allclose(heights[1:], noise.pdf(edges[1:]) / noise.pdf(0), rtol=1e-13)
    assert np.all(np.diff(edges) < 0)
    assert (edges[-1], heights[-1]) == (0.0, 1.0)
    area = edges[0] * heights[1]
    np.testing.assert_allclose(edges[1:-1] * np.diff(heights[1:]), area, rtol=1e-10)
    tail = noise.sf(edges[1]) / noise.pdf(0)
    assert area == pytest.approx(edges[1] * heights[1] + tail, rel=1e-13)


def test_some_bases_begin_inside_and_some_outside_of_a():
    starts = {a: huber_sampler.ziggurat(a).edges[1] for a in PARAMETERS}
    assert {a for a, start in starts.items() if start < a} == {4.5, 10.0, 1e3, 3.66}
    # Marsaglia and Tsang's 256-layer ziggurat of the normal density, R = 3.6541528853610088
    assert starts[1e3] == pytest.approx(3.6541528853610088, rel=1e-13)
    # and Marsaglia and Tsang's of the exponential density, R = 7.69711747013104972.
    assert huber_sampler.ziggurat(1e-9).edges[1] * 1e-9 == pytest.approx(
        7.69711747013104972, rel=1e-8
    )


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.Philox, np.random.MT19937])
def test_same_seed_same_draws_with_any_generator(bits):
    first, second = (np.random.Generator(bits(17)) for _ in range(2))
    noise = Huber(1.1)
    for _ in range(3):
        np.testing.assert_array_equal(noise.rvs((40, 30), first), noise.rvs((40, 30), second))
    assert first.random() == second.random()
    assert stats.kstest(noise.rvs(4000, first), noise.cdf).pvalue > LEVEL


def test_the_first_draws_stay_what_they_are():
    """Every published result depends on these: change them only on purpose."""
    draws = Huber(1.0759779011734087, scale=2.0).rvs(4, rng=np.random.default_rng(2206))
    pinned = [0.5537360032088787, 1.0464614375080705, 2.0213543837424477, -0.7547692800765227]
    np.testing.assert_allclose(draws, pinned, rtol=1e-12)


@pytest.mark.skipif(not COMPILED, reason="compares the compiled kernel with plain Python")
@pytest.mark.parametrize("a", [0.72, 10.0])
def test_compiled_and_plain_kernels_draw_the_same(a):
    code = (
        "import numpy as np; from dpmc.mechanisms import Huber; "
        f"print(Huber({a}).rvs(3000, np.random.default_rng(5)).sum().hex())"
    )
    plain = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled = Huber(a).rvs(3000, np.random.default_rng(5)).sum()
    assert float.fromhex(plain.stdout.strip()) == pytest.approx(compiled, rel=1e-12)

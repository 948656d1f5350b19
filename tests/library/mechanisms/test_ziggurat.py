"""What the ziggurat does with given random numbers: no draw of 10^7 would show all of it.

One draw in a hundred is not settled by its first word, and falls on a piece that is chosen then.
"""

import numpy as np
import pytest

from dpmc.mechanisms import Huber, huber_sampler
from dpmc.mechanisms.huber_sampler import PIECES, ziggurat

at_every_a = pytest.mark.parametrize("a", [1e-3, 0.72, 1.0759, 3.66, 10.0])


class Given:
    """Stands for a generator that draws these numbers, and no others."""

    def __init__(self, *uniform, exponential=()):
        self.uniform, self.exponential = [*uniform], [*exponential]

    def random(self):
        return self.uniform.pop(0)

    def standard_exponential(self):
        return self.exponential.pop(0)


@pytest.fixture
def settle(monkeypatch):
    """Return the routine in plain Python, which takes such a generator."""
    for name in ("_settle", "_draw_tail"):
        compiled = getattr(huber_sampler, name)
        monkeypatch.setattr(huber_sampler, name, getattr(compiled, "py_func", compiled))

    def settled(rng, piece, x, a):
        return huber_sampler._settle(rng, piece, x, *ziggurat(a), a)

    return settled


@at_every_a
def test_after_a_rejection_each_piece_has_its_share(settle, a):
    edges, _ = ziggurat(a)
    for piece in range(PIECES):
        for uniform in (piece / PIECES, np.nextafter((piece + 1) / PIECES, 0)):
            for position, side in ((0.75, 0.5), (0.25, -0.5)):
                # the top of the stack is above the density; 0 is the lowest point of a piece
                rng = Given(1 - 2.0**-53, uniform, position, 0.0)
                assert settle(rng, PIECES - 1, 0.99 * edges[PIECES - 1], a) == side * edges[piece]


@at_every_a
@pytest.mark.parametrize("piece", [1, 2, 100, PIECES - 2, PIECES - 1])
def test_a_point_is_taken_where_it_is_below_the_density(settle, a, piece):
    edges, heights = ziggurat(a)
    noise = Huber(a)
    for part in (0.1, 0.5, 0.9):
        x = -(edges[piece + 1] + part * (edges[piece] - edges[piece + 1]))
        density = noise.pdf(x) / noise.pdf(0)
        height = (density - heights[piece]) / (heights[piece + 1] - heights[piece])
        assert 0 < height < 1
        assert settle(Given(height * (1 - 1e-6)), piece, x, a) == x
        another = Given(height * (1 + 1e-6), 0.5 / PIECES, 0.5)  # the middle of the base
        assert settle(another, piece, x, a) == 0


@at_every_a
@pytest.mark.parametrize("sign", [-1, 1])
def test_beyond_the_base_the_tail_is_drawn_on_the_side_of_the_point(settle, a, sign):
    edges, _ = ziggurat(a)
    start, slope = edges[1], min(edges[1], a)
    at = sign * (start + edges[0]) / 2
    first, second = (start + each / slope for each in (0.7, 0.1))
    if start >= a:  # the tail is an exponential
        assert settle(Given(exponential=[0.7]), 0, at, a) == pytest.approx(sign * first, rel=1e-15)
        return
    # it falls faster than one: a second exponential thins it by what the loss rises above
    noise = Huber(a)
    rise = noise.logpdf(start) - noise.logpdf(first) - 0.7
    taken = Given(exponential=[0.7, rise * (1 + 1e-6)])
    assert settle(taken, 0, at, a) == pytest.approx(sign * first, rel=1e-15)
    refused = Given(exponential=[0.7, rise * (1 - 1e-6), 0.1, 9.0])
    assert settle(refused, 0, at, a) == pytest.approx(sign * second, rel=1e-15)


def test_a_draw_is_the_point_of_its_word():
    """The lowest bits choose the piece and the highest the position, whatever the generator."""
    a, scale, n = 1.0759, 3.0, 4000
    edges, _ = ziggurat(a)
    found = 0
    for seed in range(n):
        word = int(np.random.PCG64(seed).random_raw())
        piece, position = word % PIECES, (word >> 11) - 2**52 + 0.5
        x = position / 2**52 * edges[piece]
        if abs(x) < edges[piece + 1]:
            assert Huber(a, scale).rvs(rng=np.random.default_rng(seed)) == scale * x
            found += 1
    assert found > 0.97 * n

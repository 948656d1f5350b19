"""A ziggurat for Huber noise: fast, exact and deterministic draws at any a.

The half line under f(z) = exp(-rho_a(z)) is cut into 256 pieces of equal area: 255 flat rectangles
stacked on a base, which is a rectangle up to R and the tail beyond. In about 99 % of the draws, a
random piece and a random position in it give a point under f at once (Marsaglia and Tsang, "The
Ziggurat Method for Generating Random Variables", Journal of Statistical Software 5(8), 2000). The
method needs an f that decreases and a tail that can be drawn. Both hold for any a: if R > a, the
tail is exponential; if R < a, it is thinned from an exponential. Each draw uses one 64-bit word: 8
bits choose the piece and 53 other bits the position, so the two are independent (Doornik, "An
Improved Ziggurat Method to Generate Normal Random Samples", 2005).
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

# numba's own Generator.integers draws the same word, ten times slower.
from numba.np.random.generator_core import next_uint64

from dpmc.compiled import njit

PIECES = 256


class Ziggurat(NamedTuple):
    """The pieces, from the base (0) to the top (255), in units of the scale.

    Attributes
    ----------
    edges : float64 array, shape (257,)
        Piece i spans [0, edges[i]]. edges[0] is the width that the base would have as a
        rectangle, edges[1] = R is where its tail begins, edges[256] = 0.
    heights : float64 array, shape (257,)
        Piece i > 0 spans the heights [heights[i], heights[i + 1]], heights[i] = f(edges[i]).
    """

    edges: np.ndarray
    heights: np.ndarray


def draw(a: float, scale: float, size, rng: np.random.Generator):
    """Draw Huber noise, shape ``size`` (None: one float).

    The same state of any bit generator gives the same draws. ``a`` and ``scale`` are checked by the
    caller, :class:`dpmc.mechanisms.huber.Huber`.
    """
    values = np.empty(() if size is None else size)
    _fill(rng, values.reshape(-1), *ziggurat(a), a, scale)
    return float(values) if size is None else values


@njit(cache=True)
def _fill(rng, values, edges, heights, a, scale):
    bits = rng.bit_generator
    for i in range(values.size):
        word = next_uint64(bits)
        piece = np.int64(word & np.uint64(PIECES - 1))
        # The upper 53 bits as a signed number plus 1/2: symmetric, never 0, never at an edge.
        position = np.int64(word >> np.uint64(11)) - 2**52 + 0.5
        x = position * 2.0**-52 * edges[piece]
        if abs(x) >= edges[piece + 1]:
            x = _settle(rng, piece, x, edges, heights, a)
        values[i] = scale * x


@njit(cache=True)
def _settle(rng, piece, x, edges, heights, a):
    """Decide on a point that is not certainly under f, and draw again where it is not."""
    while abs(x) >= edges[piece + 1]:
        if piece == 0:
            return math.copysign(_draw_tail(rng, edges[1], a), x)
        height = heights[piece] + rng.random() * (heights[piece + 1] - heights[piece])
        if height < math.exp(-_loss(abs(x), a)):
            return x
        piece = int(rng.random() * PIECES)
        x = (2.0 * rng.random() - 1.0) * edges[piece]
    return x


@njit(cache=True)
def _draw_tail(rng, start, a):
    """Draw z > start from f: along the tangent of rho at start, thinned by rho's rise above it.

    Where start >= a the tangent is rho itself and the first candidate is taken.
    """
    slope = min(start, a)
    while True:
        step = rng.standard_exponential() / slope
        if start >= a:
            return start + step
        rise = _loss(start + step, a) - _loss(start, a) - slope * step
        if rng.standard_exponential() >= rise:
            return start + step


@njit(cache=True)
def _loss(z, a):
    clipped = min(z, a)
    return clipped * (z - clipped / 2.0)


@lru_cache(maxsize=256)
def ziggurat(a: float) -> Ziggurat:
    """Return the pieces for a, found by bisection on R: the stack must end at height f(0) = 1.

    A larger R means a smaller area of each piece, and a lower stack.
    """
    edges, heights = np.zeros(PIECES + 1), np.zeros(PIECES + 1)
    low, high = 1.0 / min(a, 1.0), 20.0 / min(a, 1.0)
    while low < (middle := (low + high) / 2) < high:
        if _stack(middle, a, edges, heights):
            low = middle
        else:
            high = middle
    _stack(high, a, edges, heights)
    heights[PIECES] = 1.0
    for array in (edges, heights):
        array.flags.writeable = False  # every draw with this a shares them
    return Ziggurat(edges, heights)


@njit(cache=True)
def _stack(start, a, edges, heights):
    """Stack pieces of the base's area on a base whose tail begins at ``start``.

    Fills edges 0 to 255 and heights 1 to 256; returns whether the stack outgrew the density.
    """
    edges[1] = start
    heights[1] = math.exp(-_loss(start, a))
    area = start * heights[1] + _tail_area(start, a)
    edges[0] = area / heights[1]
    for piece in range(1, PIECES):
        heights[piece + 1] = heights[piece] + area / edges[piece]
        if heights[piece + 1] >= 1.0:
            return True
        if piece + 1 < PIECES:
            edges[piece + 1] = _inverse_loss(-math.log(heights[piece + 1]), a)
    return False


@njit(cache=True)
def _tail_area(start, a):
    """Integral of f beyond ``start``."""
    beyond = max(start, a)
    area = math.exp(-_loss(beyond, a)) / a
    if start < a:
        half = math.sqrt(0.5)
        area += math.sqrt(math.pi / 2.0) * (math.erfc(start * half) - math.erfc(a * half))
    return area


@njit(cache=True)
def _inverse_loss(loss, a):
    """The z >= 0 with rho_a(z) = loss."""
    if loss <= a * a / 2.0:
        return math.sqrt(2.0 * loss)
    return loss / a + a / 2.0

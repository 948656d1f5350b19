"""Discrete Laplace and Gaussian noise drawn by OpenDP, an optional extra (``dpmc[release]``)."""

import math

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms.discrete import Discrete, DiscreteGaussian, DiscreteLaplace

_LARGEST_SCALE = 2**52
"""OpenDP cuts noise off at 64 bits; of this scale, it gets there with probability exp(-2^11)."""


def draw_opendp(noise: Discrete, size: int) -> np.ndarray:
    """Draw independent integers with the library OpenDP, whose samplers are exact too.

    Parameters
    ----------
    noise : DiscreteLaplace or DiscreteGaussian
        Its scale is rounded up to a floating-point number, which OpenDP takes exactly.
    size : int

    Returns
    -------
    array of Python's integers

    Raises
    ------
    InputError
        OpenDP is not installed, does not know the noise, or would cut it off.

    References
    ----------
    OpenDP Library, https://docs.opendp.org, ``make_laplace`` and ``make_gaussian``.
    """
    dp = _library()
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if isinstance(noise, DiscreteLaplace):
        space, then = (domain, dp.l1_distance(T="i64")), dp.m.then_laplace
    elif isinstance(noise, DiscreteGaussian):
        space, then = (domain, dp.l2_distance(T="f64")), dp.m.then_gaussian
    else:
        raise InputError("OpenDP has no Huber noise; draw it with the sampler dpmc.")
    scale = float(noise.scale)
    if scale > _LARGEST_SCALE:
        raise InputError(
            f"The sampler opendp cuts noise of {scale:g} steps off at 64 bits; "
            "draw it with the sampler dpmc."
        )
    if scale < noise.scale:
        scale = math.nextafter(scale, math.inf)
    drawn = (space >> then(scale=scale))([0] * size)
    # integers of Python, whose sums do not overflow: these go up to the end of 64 bits
    return np.array(list(drawn), dtype=object)


def _library():
    try:
        import opendp.prelude as dp
    except ImportError:
        raise InputError(
            "The sampler opendp needs the package opendp: pip install 'dpmc[release]'."
        ) from None
    dp.enable_features("contrib")
    return dp

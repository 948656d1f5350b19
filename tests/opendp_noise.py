"""Discrete Laplace and Gaussian noise drawn by OpenDP, whose samplers are exact too: an oracle."""

import opendp.prelude as dp

from dpmc.mechanisms.discrete import DiscreteLaplace

dp.enable_features("contrib")


def draw_opendp(noise, size):
    """Draw integers; the scale of the noise has to be a floating-point number."""
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if isinstance(noise, DiscreteLaplace):
        space, then = (domain, dp.l1_distance(T="i64")), dp.m.then_laplace
    else:
        space, then = (domain, dp.l2_distance(T="f64")), dp.m.then_gaussian
    return (space >> then(scale=float(noise.scale)))([0] * size)

"""Shapes of the error bounds: steepness and flatness of links, and how the bounds fall."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.methods.onebit.links import link_of
from dpmc.studies.onebit.bounds import (
    bounds,
    mean_square,
    squared_error_bounds,
    steepness_and_flatness,
)
from dpmc.studies.onebit.cells import BOUND_COLUMNS

LOGISTIC, GAUSSIAN = link_of("logistic"), link_of("gaussian")
SIZES = {"seed": 3, "trials": 5, "users": 100, "items": 100, "rank": 1, "alpha": 1}
SETTINGS = SIZES | {
    "links": ["logistic", "gaussian"],
    "points": [[0.2, 1.0], [0.2, 10.0], [0.8, 1.0], [0.8, 10.0]],
}


@settings(deadline=None)
@given(st.floats(0.1, 4))
def test_of_the_logistic_link_they_are_known(alpha):
    steep, flat = steepness_and_flatness(LOGISTIC, alpha)
    assert steep == pytest.approx(1)
    # not e^alpha
    assert flat == pytest.approx((1 + math.exp(alpha)) ** 2 / math.exp(alpha))


def test_of_the_gaussian_link_they_are_at_alpha():
    steep, flat = steepness_and_flatness(GAUSSIAN, 1.0)
    assert steep == pytest.approx(1.8127, abs=1e-4)
    assert flat == pytest.approx(2.2798, abs=1e-4)


@settings(deadline=None)
@given(st.sampled_from([LOGISTIC, GAUSSIAN]), st.floats(0.001, 0.49))
def test_flips_flatten_a_link(link, flip):
    steep, flat = steepness_and_flatness(link, 1.0, flip)
    clear_steep, clear_flat = steepness_and_flatness(link, 1.0)
    assert steep < clear_steep
    assert flat > clear_flat


@pytest.mark.parametrize("link", [LOGISTIC, GAUSSIAN])
def test_all_bounds_come_to_that_without_privacy(link):
    steep, flat = steepness_and_flatness(link, 1.0)
    clear = steep * flat * math.sqrt(200 / 1500)
    found = squared_error_bounds(link, SIZES, 0.15, 40.0)
    assert found[1, "inp"] == pytest.approx(clear, rel=1e-6)
    assert found[2, "objp_paper"] > clear
    assert found[4, "outp_paper"] == pytest.approx(clear + 8 / 40**2)
    near = squared_error_bounds(link, SIZES, 0.15, 600.0)[2, "objp_paper"]
    assert near == pytest.approx(clear, rel=0.02)


@pytest.mark.parametrize("link", [LOGISTIC, GAUSSIAN])
def test_bounds_scale_as_stated(link):
    one, twice = (squared_error_bounds(link, SIZES, share, 2.0) for share in (0.2, 0.8))
    for key in ((1, "inp"), (2, "objp_paper")):
        assert one[key] / twice[key] == pytest.approx(2)
    noise = 8 / 2.0**2
    ratio = (one[4, "outp_paper"] - noise) / (twice[4, "outp_paper"] - noise)
    assert ratio == pytest.approx(2)
    ranks = squared_error_bounds(link, SIZES | {"rank": 4}, 0.2, 2.0)
    assert ranks[1, "inp"] / one[1, "inp"] == pytest.approx(2)
    half, full = (squared_error_bounds(link, SIZES, 0.2, epsilon) for epsilon in (0.5, 1.0))
    assert half[4, "outp_paper"] - full[4, "outp_paper"] == pytest.approx(8 * (4 - 1))
    steep, flat = steepness_and_flatness(link, 1.0)
    clear = steep * flat * math.sqrt(200 / 2000)
    gaps = half[2, "objp_paper"] - clear, full[2, "objp_paper"] - clear
    assert gaps[0] / gaps[1] == pytest.approx(2)


def test_rows_are_relative_errors_of_every_link_and_point():
    rows = list(bounds(SETTINGS))
    assert len(rows) == 2 * 4 * 3
    assert all(tuple(row) == BOUND_COLUMNS for row in rows)
    means = {share: mean_square(SIZES, share) for share in (0.2, 0.8)}
    for row in rows:
        squared = squared_error_bounds(
            link_of(row["link"]), SIZES, row["observed_fraction"], row["epsilon"]
        )
        expected = squared[row["theorem"], row["mechanism"]] / means[row["observed_fraction"]]
        assert row["bound"] == pytest.approx(expected)


def test_the_mean_square_is_that_of_matrices_whose_largest_entry_is_alpha():
    # E[u^2 v^2] = 1/144 over the square of the largest |u v|, near 1/16: a little above 1/9
    assert mean_square(SIZES, 0.15) == pytest.approx(1 / 9, rel=0.15)
    double = mean_square(SIZES | {"alpha": 2}, 0.15)
    assert double == pytest.approx(4 * mean_square(SIZES, 0.15))
    assert np.isfinite(double)

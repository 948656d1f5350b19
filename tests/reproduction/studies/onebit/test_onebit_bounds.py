"""The error bounds as printed and as corrected: their constants, and how they fall."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc_studies.methods.onebit.links import link_of
from dpmc_studies.studies.onebit.experiments.bounds import (
    BOUND_COLUMNS,
    CONSTANT_COLUMNS,
    bounds,
    link_constants,
    mean_square_and_norm,
    noise_product,
    published_steepness_and_flatness,
    sampling_constants,
    squared_error_bounds,
    steepness_and_flatness,
)

LOGISTIC, GAUSSIAN = link_of("logistic"), link_of("gaussian")
SIZES = {"seed": 3, "trials": 5, "users": 100, "items": 100, "rank": 1, "alpha": 1}
SETTINGS = SIZES | {
    "links": ["logistic", "gaussian"],
    "points": [[0.2, 1.0], [0.2, 10.0], [0.8, 1.0], [0.8, 10.0]],
    "drawn": [[0.2, 0.8], [0.8, 0.8]],
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


@pytest.mark.parametrize(
    ("link", "steep", "flat", "flipped"),
    [(LOGISTIC, 1.0, math.e, 3.7005), (GAUSSIAN, 16.0, math.pi * math.exp(0.5), 4.9312)],
)
def test_printed_constants(link, steep, flat, flipped):
    assert published_steepness_and_flatness(link, 1.0) == pytest.approx((steep, flat))
    p = 1 / (1 + math.e)
    found = published_steepness_and_flatness(link, 1.0, p)
    assert found == pytest.approx(((1 - 2 * p) * steep, flipped), abs=1e-4)
    true = steepness_and_flatness(link, 1.0, p)
    assert true[0] <= found[0]  # the bound on L holds
    assert true[1] > 3 * found[1]  # that on beta does not


def test_the_sampling_constant_has_three_forms():
    found = sampling_constants(100, 100, 1500)
    assert found["theorems"] == pytest.approx(233.4, abs=0.1)
    assert found["appendix_b"] == pytest.approx(305.9, abs=0.1)
    assert found["appendix_d"] == pytest.approx(57.81, abs=0.01)
    assert found["right"] == pytest.approx(found["appendix_d"] ** 2)
    for count in (10, 10_000):
        assert sampling_constants(30, 200, count)["right"] >= count


def test_corrections_do_what_the_errata_say():
    """Every bound with the logistic link and 1500 of 100 x 100 entries, from its formula."""
    epsilon = 2.0
    p = 1 / (1 + math.exp(epsilon))
    rate = math.sqrt(200 / 1500)
    printed = rate * math.sqrt(math.sqrt(1500 + 1e4 * math.log(200)) / 1500)
    correct = rate * math.sqrt(1 + 200 * math.log(1e4) / 1500)
    flat = (1 + math.e) ** 2 / math.e
    steep_c, flat_c = steepness_and_flatness(LOGISTIC, 1.0, p)
    logs = math.log(200) ** 2 / 4
    found = squared_error_bounds(LOGISTIC, SIZES, 0.15, epsilon)
    expected = {
        (1, "inp"): (
            (1 - 2 * p) * (1 / (2 * (1 - 2 * p) ** 2) + math.e / 2) * printed,
            steep_c * flat_c * correct,
            4.0,
        ),
        (2, "objp_paper"): (
            math.e * printed + 8 * math.sqrt(2) * math.e / (2 * 1500 ** (1 / 3)),
            flat * correct + 16 * flat / 2,
            4.0,
        ),
        (4, "outp_paper"): (math.e * printed + logs, 2 * (flat * correct + logs), 4.0 + 8 / 4),
    }
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        assert tuple(found[key]) == pytest.approx(values), key
    # with a spectral norm of 12 duality gives 2 tau 12/1500 = 1.6, less than 2 alpha
    by_duality = squared_error_bounds(LOGISTIC, SIZES, 0.15, epsilon, norm=12.0)
    assert by_duality[2, "objp_paper"].corrected == pytest.approx(
        flat * correct + 8 * flat * 1.6 / 2
    )
    assert by_duality[2, "objp_paper"].published == found[2, "objp_paper"].published


def test_the_noise_of_the_gaussian_link_has_the_delta_of_the_theorem():
    low, high = (
        squared_error_bounds(GAUSSIAN, SIZES, 0.15, epsilon)[2, "objp_paper"]
        for epsilon in (1.0, 1e-3)
    )
    flat = 2.2798
    # 16 alpha Delta beta (1000 - 1), Delta = 1.8127 and not 5.03
    assert high.corrected - low.corrected == pytest.approx(16 * 1.8127 * flat * 999, rel=1e-4)
    printed = 8 * math.sqrt(2) * 5.0287 * math.pi * math.exp(0.5) * 999 / 1500 ** (1 / 3)
    assert high.published - low.published == pytest.approx(printed, rel=1e-3)


def in_the_set(matrix, tau):
    """Return the matrix, made small enough for nuclear norm tau and entries within +-1."""
    nuclear = np.linalg.norm(matrix, ord="nuc")
    return matrix / max(np.abs(matrix).max(), nuclear / tau)


@pytest.mark.parametrize(("side", "count"), [(20, 60), (20, 300), (60, 2000)])
def test_no_matrices_exceed_the_bound_on_their_product_with_noise(side, count):
    """Drawn matrices of the set, and those made to follow the noise, by power iterations."""
    rng = np.random.default_rng(side + count)
    sizes = {"users": side, "items": side, "rank": 1, "alpha": 1}
    noise = np.zeros(side * side)
    noise[rng.permutation(noise.size)[:count]] = rng.laplace(size=count)
    noise = noise.reshape(side, side)
    # of the sizes of entries their mean is taken for 1
    norm, sizes_of = np.linalg.norm(noise, ord=2), np.abs(noise).sum() / count
    bound = max(1.0, sizes_of) * noise_product(sizes, count, norm)
    largest = 0.0
    for rank in (1, 2, 5, side):
        factors = rng.standard_normal((2, side, rank))
        matrix = factors[0] @ factors[1].T
        for _ in range(30):
            difference = 2 * in_the_set(matrix, side)
            largest = max(largest, float((noise * difference).sum()) / count)
            matrix = np.clip(matrix + 0.3 * side * noise / norm, -1, 1)
    assert largest <= bound
    assert largest > 0.2 * bound  # not met by being far too large
    if noise_product(sizes, count, norm) < 2:
        # without the entrywise bound the dual norm is attained
        left, values, right = np.linalg.svd(noise)
        attained = 2 * side * (noise * np.outer(left[:, 0], right[0])).sum() / count
        assert attained == pytest.approx(2 * side * values[0] / count)
        assert attained == pytest.approx(noise_product(sizes, count, norm))


def test_duality_has_the_rate_of_the_first_term():
    """sqrt((d1 + d2)/n): n by 4 halves it, and so does d by 1/4 at one n."""

    def product(side, fraction):
        sizes = SIZES | {"users": side, "items": side, "trials": 3}
        norm = mean_square_and_norm(sizes, fraction, fraction)[1]
        return noise_product(sizes, round(fraction * side * side), norm)

    dense, sparse, small = product(200, 0.8), product(200, 0.2), product(50, 0.8)
    assert sparse / dense == pytest.approx(2, rel=0.1)
    assert small / dense == pytest.approx(2, rel=0.1)
    # 2 tau norm/n with the norm 2 sqrt(2 n/d) of a matrix of independent entries
    assert dense == pytest.approx(4 * math.sqrt(2 / (0.8 * 200)), rel=0.05)


@pytest.mark.parametrize("link", [LOGISTIC, GAUSSIAN])
def test_bounds_scale_as_stated(link):
    ranks, one = (
        squared_error_bounds(link, SIZES | {"rank": rank}, 0.2, 2.0)[1, "inp"] for rank in (4, 1)
    )
    assert ranks.published / one.published == pytest.approx(2)
    assert ranks.corrected / one.corrected == pytest.approx(2)
    few, many = (squared_error_bounds(link, SIZES, share, 0.01)[2, "objp_paper"]
                 for share in (0.1, 0.8))  # fmt: skip
    # at a small epsilon noise is all: as printed it falls with the cube root of n; entry by entry,
    # without the spectral norm, not at all
    assert few.published / many.published == pytest.approx(2, rel=0.02)
    assert few.corrected / many.corrected == pytest.approx(1, rel=0.02)
    half, full = (
        squared_error_bounds(link, SIZES, 0.2, epsilon)[4, "outp_paper"] for epsilon in (0.5, 1.0)
    )
    logs = math.log(200) ** 2 * (4 - 1)
    assert half.published - full.published == pytest.approx(logs)
    assert half.corrected - full.corrected == pytest.approx(2 * logs)
    assert half.trivial - full.trivial == pytest.approx(8 * (4 - 1))


def test_rows_are_relative_errors_of_every_link_and_point():
    rows = list(bounds(SETTINGS))
    assert len(rows) == 2 * 4 * 3
    assert all(tuple(row) == BOUND_COLUMNS for row in rows)
    means = {share: mean_square_and_norm(SIZES, share, 0.8) for share in (0.2, 0.8)}
    assert means[0.2][0] == means[0.8][0]  # the same matrices
    for row in rows:
        mean, norm = means[row["observed_fraction"]]
        squared = squared_error_bounds(
            link_of(row["link"]), SIZES, row["observed_fraction"], row["epsilon"], norm
        )
        expected = squared[row["theorem"], row["mechanism"]]
        for name, value in expected._asdict().items():
            assert row[name] == pytest.approx(value / mean)


def test_constants_of_links_with_and_without_flips():
    rows = list(link_constants(SETTINGS))
    assert all(tuple(row) == CONSTANT_COLUMNS for row in rows)
    assert [(row["link"], row["epsilon"]) for row in rows] == [
        (link, epsilon) for link in ("logistic", "gaussian") for epsilon in (None, 1.0, 10.0)
    ]
    assert rows[0]["flatness"] == pytest.approx((1 + math.e) ** 2 / math.e)
    assert rows[0]["flatness_published"] == pytest.approx(math.e)
    assert (rows[1]["flatness"], rows[4]["flatness"]) == pytest.approx((28.903, 18.004), abs=1e-3)
    assert rows[4]["steepness_published"] == pytest.approx(16 * math.tanh(0.5))


def test_the_mean_square_is_that_of_matrices_whose_largest_entry_is_alpha():
    # E[u^2 v^2] = 1/144 over the square of the largest |u v|, near 1/16: a little above 1/9
    once, twice = (
        mean_square_and_norm(SIZES | {"alpha": alpha}, 0.15, 0.15)[0] for alpha in (1, 2)
    )
    assert once == pytest.approx(1 / 9, rel=0.15)
    assert twice == pytest.approx(4 * once)

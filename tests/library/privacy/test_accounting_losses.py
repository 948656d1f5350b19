"""The loss of one release, and the discrete releases that bound it."""

import dataclasses

import mpmath
import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import (
    from_gaussian_mechanism,
    from_laplace_mechanism,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.linalg import norm
from plain_accounting import Composition, single_delta
from scipy.fft import fft, next_fast_len

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc.privacy.compositions import TRUNCATED, chords, compose, tangents
from dpmc.privacy.losses import Loss

# Both quadratic, one knee passed, both tails at once, Laplace in all but name, Gaussian likewise.
CASES = [
    (Gaussian(1.3), 1.0),
    (Laplace(0.7), 2.0),
    (Huber(1.2), 2 / 3),
    (Huber(3.0, 2.0), 5.0),
    (Huber(0.4, 1.5), 4.0),
    (Huber(0.01, 0.02), 3.0),
    (Huber(9.0), 2.0),
]


@st.composite
def noises(draw):
    scale = draw(st.floats(0.3, 5))
    a = draw(st.floats(0.05, 6))
    return draw(st.sampled_from([Gaussian(scale), Laplace(scale), Huber(a, scale)]))


class TestLoss:
    @settings(deadline=None, derandomize=True, max_examples=60)
    @given(noises(), st.floats(0.05, 5), st.floats(-0.999, 0.999))
    def test_the_threshold_is_where_the_loss_is_epsilon(self, noise, sensitivity, share):
        loss = Loss(noise, sensitivity)
        epsilon = share * loss.reach
        x = float(loss.threshold(epsilon))
        found = noise.logpdf(x) - noise.logpdf(x + sensitivity)
        assert found == pytest.approx(epsilon, abs=1e-9 * max(1, loss.reach))

    @pytest.mark.parametrize(("noise", "sensitivity"), CASES)
    def test_delta_is_the_hockey_stick_integral(self, noise, sensitivity):
        loss = Loss(noise, sensitivity)
        for share in (0, 0.2, 0.6, 0.95):
            epsilon = share * min(loss.reach, 8.0)
            direct = single_delta(noise, sensitivity, epsilon)
            assert loss.delta(epsilon) == pytest.approx(direct, rel=1e-6, abs=1e-13)

    @pytest.mark.parametrize(("noise", "sensitivity"), CASES)
    def test_epsilon_inverts_delta(self, noise, sensitivity):
        loss = Loss(noise, sensitivity)
        for delta in (1e-12, 1e-5, 0.01):
            epsilon = loss.epsilon(delta)
            if epsilon > 0:
                assert loss.delta(epsilon) <= delta
                assert loss.delta(epsilon * (1 - 1e-6)) > delta
        assert loss.epsilon(0.999999) == 0

    def test_the_largest_loss_is_an_atom(self):
        loss = Loss(Huber(1.2), 2 / 3)
        assert loss.largest == loss.reach == pytest.approx(0.8)
        for epsilon in (0.8, 0.8 * (1 - 1e-14), 0.8 * (1 + 1e-14)):
            here, there = loss.tails(epsilon)
            assert here == pytest.approx(Huber(1.2).tail_mass / 2)
            assert here / there == pytest.approx(np.exp(0.8))
        assert loss.tails(0.8 * (1 + 1e-11)) == (0, 0)
        assert loss.tails(-0.8) == (1, 1)
        assert loss.delta(0.8) == pytest.approx(0, abs=1e-15)

    @pytest.mark.parametrize("sensitivity", [1e-6, 1e-3, 1.0])
    def test_an_atom_is_seen_at_any_sensitivity(self, sensitivity):
        for a in (0.01, 1.0, 5.0):
            loss = Loss(Huber(a, a), sensitivity)
            assert loss.bounded
            assert loss.reach == sensitivity
        assert not Loss(Huber(9.0), sensitivity).bounded

    def test_cells_partition_both_laws(self):
        for noise, sensitivity in CASES:
            loss = Loss(noise, sensitivity)
            edges = np.linspace(-1.1, 1.1, 302) * loss.reach
            for masses in loss.cells(edges):
                assert (masses >= 0).all()
                assert masses.sum() == pytest.approx(1, abs=1e-14)

    def test_what_it_refuses(self):
        with pytest.raises(InputError, match="sensitivity must be a positive finite number, got 0"):
            Loss(Laplace(1.0), 0)
        with pytest.raises(InputError, match="privacy loss of float noise is not known"):
            Loss(1.0, 1.0)
        with pytest.raises(InputError, match="delta must be above"):
            Loss(Gaussian(1.0), 1.0).epsilon(1e-40)


class TestOneDiscreteRelease:
    @settings(deadline=None, derandomize=True, max_examples=60)
    @given(noises(), st.floats(0.05, 5), st.integers(2, 60), st.floats(0, 1), st.booleans())
    def test_chords_lie_above_and_tangents_below(self, noise, sensitivity, points, place, aligned):
        """Domination of one release is what makes the bounds of a composition certain."""
        loss = Loss(noise, sensitivity)
        step = loss.reach / points * (1 if aligned else 0.83)
        epsilons = _between(loss, step, place)
        exact = np.array([loss.delta(epsilon) for epsilon in epsilons])
        below, above = (
            _deltas(discretise(loss, step), step, epsilons) for discretise in (tangents, chords)
        )
        assert (below <= exact + 1e-12).all()
        assert (above >= exact - 1e-12).all()

    @pytest.mark.parametrize("noise", [Gaussian(1.0), Huber(3.0), Laplace(1.0)])
    def test_what_is_cut_off_counts(self, noise, monkeypatch):
        monkeypatch.setattr("dpmc.privacy.losses.NEGLIGIBLE", 0.03)
        loss = Loss(noise, 1.0)
        step = loss.reach / 40
        epsilons = np.linspace(-1.5, 1.5, 77) * loss.reach
        exact = np.array([loss.delta(epsilon) for epsilon in epsilons])
        for discretise, sign in ((chords, 1), (tangents, -1)):
            _, probs, infinite = discrete = discretise(loss, step)
            assert probs.sum() + infinite == pytest.approx(1, abs=1e-12)
            assert (sign * (_deltas(discrete, step, epsilons) - exact) >= -1e-12).all()

    def test_atoms_stay_where_they_are(self):
        loss = Loss(Laplace(1.0), 1.0)
        for discretise in (chords, tangents):
            low, probs, infinite = discretise(loss, 0.01)
            assert (low, infinite) == (-100, 0.0)
            assert probs[-1] == pytest.approx(0.5, abs=0.01)
            assert probs[0] == pytest.approx(np.exp(-1) / 2, abs=0.01)

    def test_too_large_a_loss(self):
        with pytest.raises(InputError, match="One release loses up to 1000, more than the 500"):
            chords(Loss(Laplace(0.001), 1.0), 1.0)


class TestComposition:
    @pytest.mark.parametrize(
        ("noise", "sensitivity", "releases"),
        [
            (Laplace(2.0), 1.0, 30),
            (Huber(1.5, 2.4), 1.0, 10),
            (Huber(0.3), 1.0, 7),
            (Huber(3.0), 5.0, 100),
        ],
    )
    def test_against_a_plain_fourier_transform(self, noise, sensitivity, releases):
        plain = Composition((noise, sensitivity, releases))
        loss = Loss(noise, sensitivity)
        pessimistic = compose([(loss, releases)], loss.reach / 1500)
        for delta in (1e-8, 1e-5, 1e-2):
            expected = plain.epsilon(delta)
            assert pessimistic.epsilon(delta) == pytest.approx(expected, rel=2e-5)
        assert pessimistic.delta(expected) == pytest.approx(delta, rel=1e-3)

    @settings(deadline=None, derandomize=True, max_examples=25)
    @given(st.floats(0.5, 30), st.integers(1, 200), st.integers(20, 300), st.floats(1e-9, 0.1))
    def test_the_bounds_enclose_exact_gaussian_privacy(self, scale, releases, points, delta):
        loss = Loss(Gaussian(scale), 1.0)
        exact = Gaussian(scale).epsilon(np.sqrt(releases), delta)
        lower, upper = (
            compose([(loss, releases)], loss.reach / points, pessimistic=side)
            for side in (False, True)
        )
        assert lower.epsilon(delta) <= exact * (1 + 1e-12) <= upper.epsilon(delta) * (1 + 2e-12)
        if exact > 0:
            assert lower.delta(exact) <= delta * (1 + 1e-9) <= upper.delta(exact) * (1 + 2e-9)

    @pytest.mark.parametrize("releases", [2, 40])
    def test_against_dp_accounting(self, releases):
        for noise, theirs in (
            (Laplace(3.0), from_laplace_mechanism),
            (Gaussian(3.0), from_gaussian_mechanism),
        ):
            loss = Loss(noise, 1.0)
            step = loss.reach / 3000
            expected = theirs(noise.scale, value_discretization_interval=step).self_compose(
                releases
            )
            found = compose([(loss, releases)], step)
            for epsilon in (0.3, 1.0):
                assert found.delta(epsilon) == pytest.approx(
                    expected.get_delta_for_epsilon(epsilon), rel=1e-5, abs=1e-11
                )
            assert found.epsilon(1e-5) == pytest.approx(
                expected.get_epsilon_for_delta(1e-5), rel=1e-6
            )

    def test_epsilon_and_delta_invert_each_other(self):
        loss = Loss(Huber(1.5), 0.3)
        for side in (False, True):
            found = compose([(loss, 20)], loss.reach / 100, pessimistic=side)
            for delta in (1e-9, 1e-5, 0.05):
                assert found.delta(found.epsilon(delta)) == pytest.approx(delta, rel=1e-7)
        assert found.epsilon(0.999) == 0
        assert found.epsilon(1e-17) == np.inf

    def test_rounding_errors_count_on_both_sides(self):
        loss = Loss(Laplace(1.0), 1.0)
        for side, delta in ((True, 1e-3), (False, 0.0)):
            found = compose([(loss, 2)], 0.01, pessimistic=side)
            assert 0 < found.rounding < 1e-11
            coarse = dataclasses.replace(found, rounding=1e-3)
            # All losses are below 2.
            assert coarse.delta(2.5) == pytest.approx(delta, abs=1e-14)
            assert (coarse.epsilon(0.01) > found.epsilon(0.01)) is side

    def test_a_grid_that_is_too_long(self, monkeypatch):
        monkeypatch.setattr("dpmc.privacy.compositions.LONGEST", 1000)
        with pytest.raises(InputError, match="The grid of privacy losses would have"):
            compose([(Loss(Laplace(1.0), 1.0), 50)], 0.01)


# Atoms and none, many releases of few points and few of many, one kind and several; with each the
# points on either side of 0 of the kind that loses most.
KINDS = {
    "4000 Laplace": (2, [(Laplace(60.0), 1.0, 4000)]),
    "4000 Gaussian": (2, [(Gaussian(200.0), 1.0, 4000)]),
    "4000 Huber": (2, [(Huber(1.2), 0.01, 4000)]),
    "30 Laplace": (100, [(Laplace(1.0), 1.0, 30)]),
    "2 Huber, atoms beside a density": (5000, [(Huber(1.5), 1.0, 2)]),
    "3 Huber": (300, [(Huber(1.0), 3.0, 3)]),
    "one of each": (
        300, [(Gaussian(1.0), 1.0, 1), (Huber(3.0), 1.0, 1), (Laplace(0.3), 1.0, 1)],
    ),
    "few and many": (4, [(Laplace(0.5), 1.0, 2), (Gaussian(30.0), 1.0, 500)]),
    "many and few": (4, [(Gaussian(30.0), 1.0, 500), (Laplace(0.5), 1.0, 2)]),
}  # fmt: skip


def composed(name, side):
    """Return releases on a grid of few points as they are composed, and what is composed."""
    points, kinds = KINDS[name]
    losses = [(Loss(noise, sensitivity), count) for noise, sensitivity, count in kinds]
    step = max(losses, key=lambda each: each[0].reach * each[1])[0].reach / points
    discretise = chords if side else tangents
    made = [(*discretise(loss, step), count) for loss, count in losses]
    return compose(losses, step, pessimistic=side), made, step


class TestErrorOfTheTransform:
    """Theorem 4: what rounding in the FFT does to a delta, at most."""

    @pytest.mark.parametrize("side", [True, False])
    @pytest.mark.parametrize("name", KINDS)
    def test_deltas_are_off_by_no_more_than_is_said(self, name, side):
        """Against sums of products without a transform: all positive, they err relatively alone."""
        found, made, step = composed(name, side)
        low, exact, finite = 0, np.ones(1), 1.0
        for first, probs, infinite, count in made:
            low, finite = low + count * first, finite * (1 - infinite) ** count
            exact = np.convolve(exact, power(probs, count))
        between = np.linspace(0, found.pmf.size, 400).astype(int) + found.pmf._lower_loss - 0.5
        epsilons = between * step
        expected = _deltas((low, exact, 1 - finite), step, epsilons)
        errors = [found.pmf.get_delta_for_epsilon(float(each)) for each in epsilons] - expected
        allowed = found.rounding + 1e-11 * expected
        assert (np.abs(errors) <= allowed).all()
        pushed = [found.delta(float(each)) for each in epsilons] - expected
        assert ((pushed if side else -pushed) >= -1e-11 * expected).all()
        if "4000" in name:  # and what may be cut off is not all that counts
            assert np.abs(errors)[expected < 1e-4].max() > 20 * TRUNCATED

    @pytest.mark.parametrize("name", KINDS)
    def test_the_bound_is_that_of_the_derivation(self, name):
        """With the coefficients themselves, not with what their inverse transform tells of them."""
        found, made, _ = composed(name, True)
        needed, total = 0.0, None
        for _, probs, _, count in made:
            part = power(probs, count)
            if count > 1:
                size = next_fast_len(part.size)
                f, steps = np.abs(fft(probs, size)), 5 * np.log2(size)
                needed += (steps + 7) * count * norm(f ** (count - 1)) + steps * norm(f**count)
            if total is not None:
                size = next_fast_len(total.size + part.size - 1)
                f, g = (np.abs(fft(each, size)) for each in (total, part))
                each = 5 * np.log2(size) * min(norm(f), norm(g))
                needed += 2 * each + 3 * norm(f * g) + 5 * np.log2(size) * norm(f * g)
            total = part if total is None else np.convolve(total, part)
        needed *= 2.0**-53
        assert needed <= found.rounding <= 3 * needed + 20 * TRUNCATED

    def test_at_the_smallest_deltas_the_exact_one_lies_between(self):
        """Gaussian noise, with 30 digits: where a delta is near the errors of the transform."""
        loss, count = Loss(Gaussian(2.0), 1.0), 100
        mu = mpmath.mpf(count) ** 0.5 / 2
        lower, upper = (
            compose([(loss, count)], loss.reach / 2000, pessimistic=side) for side in (False, True)
        )
        with mpmath.workdps(30):
            for epsilon in (45.0, 49.0, 51.0, 52.0, 55.0):
                ends = (mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu)
                exact = mpmath.ncdf(ends[0]) - mpmath.exp(epsilon) * mpmath.ncdf(ends[1])
                assert lower.delta(epsilon) <= exact <= upper.delta(epsilon)
                assert upper.delta(epsilon) <= 1.01 * exact + 2.1 * upper.rounding


def power(probs, count):
    """Return a convolution power by repeated squaring."""
    half = np.ones(1) if count < 2 else power(probs, count // 2)
    half = np.convolve(half, half)
    return np.convolve(half, probs) if count % 2 else half


def _between(loss, step, place):
    """Epsilons that are no grid points, all over the range."""
    return (np.arange(-3, 60) + place) / 60 * min(loss.reach, 30.0) + step * place


def _deltas(discrete, step, epsilons):
    low, probs, infinite = discrete
    losses = (low + np.arange(probs.size)) * step
    return np.array(
        [infinite - (probs * np.minimum(np.expm1(e - losses), 0)).sum() for e in epsilons]
    )

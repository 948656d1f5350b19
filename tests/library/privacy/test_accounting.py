"""Answers of the four accountants: tables of totals, order, errors, vectors, other software."""

import math
from itertools import pairwise

import numpy as np
import opendp.prelude as dp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_accounting import Composition
from scipy import integrate

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Huber, Laplace, make_mechanism
from dpmc.privacy.accounting import Releases, epsilon
from dpmc.privacy.losses import Loss
from dpmc.privacy.renyi import divergence

DELTA = 1e-5
dp.enable_features("contrib")


def of(releases, accountant="pld", at=DELTA, **options):
    return epsilon(releases, at, relation="entry_change", accountant=accountant, **options).epsilon


class TestTotals:
    # Computed independently of this library: sensitivity 5, delta 1e-5.
    @pytest.mark.parametrize(
        ("mechanism", "variance", "releases", "basic", "rdp", "tight"),
        [
            ("laplace", 1, 50, 353.6, 343.3, 341.645),
            ("laplace", 1, 1000, 7071, 6313, 6291),
            ("laplace", 2, 50, 250.0, 239.8, 238.1),
            ("laplace", 2, 1000, 5000, 4244, 4222),
            ("huber", 1, 50, 750.0, 590.9, 583.6),
            ("huber", 1, 1000, 15000, 10453, 10407),
            ("huber", 2, 50, 269.0, 248.4, 246.3),
            ("huber", 2, 1000, 5380, 4370, 4346),
            ("gaussian", 1, 50, None, 791.6, 774.8),
            ("gaussian", 1, 1000, None, 13254, 13173),
            ("gaussian", 2, 50, None, 429.7, 418.2),
            ("gaussian", 2, 1000, None, 6782, 6726),
        ],
    )
    def test_published_releases(self, mechanism, variance, releases, basic, rdp, tight):
        released = Releases(make_mechanism(mechanism, variance), 5.0, releases)
        digit = 0.051 if releases == 50 else 0.51
        assert of(released, "rdp") == pytest.approx(rdp, abs=digit)
        assert of(released, "pld") == pytest.approx(tight, abs=digit)
        if mechanism == "gaussian":
            assert of(released, "exact") == pytest.approx(tight, abs=digit)
            assert of(released, "exact") <= of(released, "pld") <= of(released, "rdp")
        else:
            assert of(released, "basic") == pytest.approx(basic, abs=digit)
            assert of(released, "pld") <= of(released, "rdp") <= of(released, "basic")


class TestAnswers:
    @settings(deadline=None, derandomize=True, max_examples=20)
    @given(
        st.floats(0.3, 4),
        st.floats(0.5, 6),
        st.integers(1, 60),
        st.sampled_from([1e-8, 1e-5, 0.01]),
    )
    def test_bounds_enclose(self, a, scale, count, at):
        released = Releases(Huber(a, scale), 1.0, count)
        answer = epsilon(released, at, relation="user_replace")
        assert (answer.relation, answer.delta, answer.accountant) == ("user_replace", at, "pld")
        assert answer.lower <= answer.upper == answer.epsilon
        assert answer.upper - answer.lower <= 1e-4 * answer.upper

    def test_one_release_is_exact(self):
        answer = epsilon(Releases(Laplace(1.0), 1.0), DELTA, relation="entry_change")
        # delta = 1 - exp((epsilon - 1) / 2) for epsilon < 1 at b = 1.
        assert answer.lower == answer.upper == pytest.approx(1 + 2 * math.log1p(-DELTA), abs=1e-14)

    def test_accuracy_can_be_asked_for(self):
        released = Releases(Huber(2.0, 3.0), 1.0, 20)
        widths = []
        for accuracy in (1e-3, 1e-6):
            answer = epsilon(released, DELTA, relation="entry_change", accuracy=accuracy)
            widths.append(answer.upper / answer.lower - 1)
            assert widths[-1] <= accuracy
        assert widths[1] < widths[0]

    def test_pure_guarantees(self):
        mixed = [Releases(Laplace(2.0), 1.0, 3), Releases(Huber(1.5, 3.0), 1.0, 4)]
        for accountant in ("pld", "basic", "rdp"):
            assert of(mixed, accountant, at=0) == pytest.approx(3.5)
        # No delta is too small where there is a pure guarantee.
        assert of(mixed, at=1e-18) <= 3.5

    def test_several_kinds(self):
        kinds = [(Laplace(2.0), 1.0, 5), (Gaussian(3.0), 1.0, 4), (Huber(1.0, 2.0), 0.5, 3)]
        mixed = [Releases(*kind) for kind in kinds]
        expected = Composition(*kinds).epsilon(DELTA)
        answer = epsilon(mixed, DELTA, relation="entry_change")
        assert answer.lower <= expected
        assert answer.upper == pytest.approx(expected, rel=1e-5)
        assert answer.upper <= of(mixed, "rdp") <= of(mixed, "basic")


class TestLimits:
    def test_huber_noise_becomes_laplace_noise(self):
        for accountant in ("basic", "rdp", "pld"):
            small = of(Releases(Huber(1e-3, 2e-3), 1.0, 20), accountant)
            assert small == pytest.approx(of(Releases(Laplace(2.0), 1.0, 20), accountant), rel=2e-6)

    def test_huber_noise_becomes_gaussian_noise(self):
        noise = Huber(8.0, 3.0)
        assert of(Releases(noise, 1.0)) == pytest.approx(
            Gaussian(3.0).epsilon(1.0, DELTA), abs=5e-8
        )
        found = epsilon(Releases(noise, 1.0, 20), DELTA, relation="entry_change", accuracy=1e-7)
        exact = Gaussian(3.0).epsilon(math.sqrt(20), DELTA)
        assert found.lower <= exact <= found.upper == pytest.approx(exact, abs=5e-7)
        assert of(Releases(noise, 1.0, 20), "rdp") == pytest.approx(
            of(Releases(Gaussian(3.0), 1.0, 20), "rdp"), rel=1e-9
        )


class TestRefusals:
    @pytest.mark.parametrize(
        ("releases", "arguments", "message"),
        [
            (Releases(Gaussian(1.0), 1.0), {"delta": 0}, "no guarantee at delta = 0, because its"),
            (
                Releases(Gaussian(1.0), 1.0),
                {"delta": 0, "accountant": "basic"},
                "Gaussian noise gives no guarantee at delta = 0",
            ),
            (
                [Releases(Gaussian(1.0), 1.0), Releases(Huber(1.0), 1.0)],
                {"accountant": "exact"},
                "'exact' is for Gaussian noise alone, not for huber",
            ),
            (Releases(Laplace(1.0), 1.0), {"accountant": "rdb"}, "did you mean 'rdp'"),
            (Releases(Laplace(1.0), 1.0), {"relation": "user"}, "no neighbouring relation 'user'"),
            (Releases(Laplace(1.0), 1.0), {"delta": 1}, r"delta must lie in \[0, 1\), got 1"),
            (Releases(Gaussian(1.0), 1.0, 9), {"delta": 1e-16}, "No finite epsilon can be shown"),
            ([], {}, "There are no releases to account for"),
        ],
    )
    def test_of_epsilon(self, releases, arguments, message):
        with pytest.raises(InputError, match=message):
            epsilon(releases, **({"delta": DELTA, "relation": "entry_change"} | arguments))

    @pytest.mark.parametrize("noise", [Laplace(1.0), Huber(1.0)])
    def test_an_l1_bound_is_that_of_a_number(self, noise):
        assert of(Releases(noise, 1.0, norm="l1")) == of(Releases(noise, 1.0))

    def test_of_releases(self):
        with pytest.raises(InputError, match="count must be a whole number of at least 1, got 0"):
            Releases(Laplace(1.0), 1.0, 0)
        with pytest.raises(InputError, match="norm must be one of scalar, l1, l2, got 'l3'"):
            Releases(Laplace(1.0), 1.0, norm="l3")
        with pytest.raises(InputError, match="sensitivity must be a positive"):
            Releases(Laplace(1.0), -1.0)


class TestVectors:
    """Two coordinates against one, by brute force."""

    @pytest.mark.parametrize("noise", [Laplace(1.0), Huber(0.5), Huber(1.5), Gaussian(1.0)])
    @pytest.mark.parametrize("share", [0.1, 0.35, 0.5])
    def test_at_equal_l1_distance_one_coordinate_loses_most(self, noise, share):
        total = 2.5
        for at in (0.0, 0.4, 1.0, 1.7):
            scalar = Loss(noise, total).delta(at)
            split = two_coordinates(noise, share * total, (1 - share) * total, at)
            assert split <= scalar + 1e-9
            assert split >= 0.3 * scalar - 1e-9  # the integral is no trivial number

    def test_at_equal_l2_distance_it_does_not(self):
        total, split = 1.0, math.sqrt(0.5)
        noise = Laplace(1.0)
        assert two_coordinates(noise, split, split, 1.0) > Loss(noise, total).delta(1.0) + 0.01

    @pytest.mark.parametrize("noise", [Laplace(1.0), Huber(0.5), Huber(1.5), Gaussian(1.0)])
    def test_renyi_divergences_are_superadditive(self, noise):
        orders = np.array([1.05, 1.5, 3.0, 20.0])
        for one, two in ((0.3, 0.4), (1.0, 1.0), (0.1, 3.0)):
            parts = divergence(Loss(noise, one), orders) + divergence(Loss(noise, two), orders)
            assert (parts <= divergence(Loss(noise, one + two), orders) * (1 + 1e-12)).all()


def two_coordinates(noise, first, second, at):
    """The hockey-stick divergence of two coordinates: the mean over one of that of the other."""
    end = float(noise.isf(1e-14))
    edges = np.linspace(-end - first, end, 200_001)
    mass = np.diff(noise.cdf(edges))
    middle = (edges[1:] + edges[:-1]) / 2
    loss = noise.logpdf(middle) - noise.logpdf(middle + first)
    here, there = Loss(noise, second).tails(at - loss)
    return float((mass * np.maximum(here - np.exp(at - loss) * there, 0)).sum())


class TestRenyi:
    @pytest.mark.parametrize("shift", [0.3, 1.0, 2.5, 6.0])
    @pytest.mark.parametrize("a", [0.05, 0.8, 2.0, 7.0])
    def test_against_quadrature(self, a, shift):
        noise = Huber(a)
        loss = Loss(noise, shift)
        for order in (1.02, 2.0, 7.5, 30.0):

            def exponent(x, order=order):
                return order * noise.logpdf(x) + (1 - order) * noise.logpdf(x + shift)

            top = exponent(np.linspace(-a - shift - 1, a + order * shift + 1, 20_001)).max()

            def integrand(x, exponent=exponent, top=top):
                return np.exp(exponent(x) - top)

            edges = [-np.inf, *sorted({-a - shift, a - shift, -a, a}), np.inf]
            total = sum(
                integrate.quad(integrand, low, high, epsabs=0, limit=400)[0]
                for low, high in pairwise(edges)
            )
            expected = (top + math.log(total)) / (order - 1)
            assert divergence(loss, [order])[0] == pytest.approx(expected, rel=1e-7)

    @pytest.mark.parametrize("noise", [Laplace(0.7), Huber(1.0), Huber(4.0, 2.0)])
    def test_rises_from_twice_the_variance_to_the_pure_epsilon(self, noise):
        loss = Loss(noise, 1.0)
        found = divergence(loss)
        assert (np.diff(found) > -1e-12).all()
        assert found[0] > 0
        assert found[-1] == pytest.approx(loss.largest, rel=2e-3)
        assert (found < loss.largest).all()


class TestOpenDP:
    """Agreement with OpenDP, which has no Huber noise."""

    space = (dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float))

    def test_gaussian(self):
        theirs = dp.m.make_gaussian(*self.space, scale=4.0)
        rho = theirs.map(3.0)
        orders = np.array([1.5, 2.0, 10.0])
        assert divergence(Loss(Gaussian(4.0), 3.0), orders) == pytest.approx(orders * rho)
        curve = dp.c.make_zCDP_to_approxDP(dp.c.make_composition([theirs] * 10)).map(3.0)
        ours = Releases(Gaussian(4.0), 3.0, 10)
        # Both convert from Renyi divergences, by formulas that differ a little.
        assert of(ours, "rdp") == pytest.approx(curve.epsilon(DELTA), rel=0.01)
        assert of(ours, "exact") <= curve.epsilon(DELTA)

"""Budget in, noise out: certified, tight, and never worse than its limits."""

import math

import pytest
from dp_accounting import get_sigma_gaussian
from dp_accounting.pld.accountant import get_smallest_laplace_noise
from dp_accounting.pld.common import DifferentialPrivacyParameters
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_accounting import Composition

from dpmc.errors import InputError
from dpmc.mechanisms import Huber, Laplace
from dpmc.privacy.accounting import Releases, epsilon
from dpmc.privacy.calibration import CALIBRATED, GAUSSIAN_A, LAPLACE_A, calibrate
from dpmc.privacy.losses import Loss

pytestmark = pytest.mark.slow

DELTA = 1e-5


def variance(mechanism, releases, epsilon, delta=DELTA):
    return calibrate(mechanism, releases=releases, epsilon=epsilon, delta=delta).noise.var()


class TestKnownNumbers:
    # Computed independently of this library, to the digits given; sensitivity 1, delta 1e-5.
    @pytest.mark.parametrize(
        ("releases", "budget", "laplace", "gaussian", "huber", "a"),
        [
            (1, 1, 2.000, 13.92, 2.000, LAPLACE_A),
            (10, 1, 196.0, 139.2, 133.3, 1.83),
            (10, 5, 7.968, 7.954, 7.225, 1.5),
            (10, 10, 1.996, 2.499, 1.996, 0.24),
            (50, 10, 20.87, 12.49, 12.42, 2.4),
            (50, 80, 0.594, 0.598, 0.5405, 1.5),
            (1000, 1, 27697, 13918, 13918, GAUSSIAN_A),
        ],
    )
    def test_smallest_variances(self, releases, budget, laplace, gaussian, huber, a):
        for mechanism, expected in (("laplace", laplace), ("gaussian", gaussian), ("huber", huber)):
            assert variance(mechanism, releases, budget) == pytest.approx(expected, rel=5e-4)
        noise = calibrate("huber", releases=releases, epsilon=budget, delta=DELTA).noise
        assert noise.a == pytest.approx(a, rel=0.04)

    @pytest.mark.parametrize(
        ("budget", "once", "of_users"), [(1, 3.731, 52.8), (5, 0.892, 12.6), (10, 0.500, 7.07)]
    )
    def test_gaussian_noise(self, budget, once, of_users):
        one, four = (math.sqrt(variance("gaussian", releases, budget)) for releases in (1, 4))
        assert one == pytest.approx(once, abs=5e-4)
        assert one == pytest.approx(get_sigma_gaussian(budget, DELTA), rel=1e-6)
        assert four == pytest.approx(2 * one, rel=1e-12)
        # k = 50 ratings of a user, T = 2.
        assert math.sqrt(50) * four == pytest.approx(of_users, rel=2e-3)

    def test_laplace_noise_of_dp_accounting(self):
        theirs = get_smallest_laplace_noise(
            DifferentialPrivacyParameters(2.0, DELTA), num_queries=20
        )
        ours = calibrate("laplace", releases=20, epsilon=2.0, delta=DELTA).noise.scale
        # Theirs is right to the third digit: a search with a wide grid, rounded up.
        assert ours <= theirs == pytest.approx(ours, rel=3e-3)


class TestCertified:
    @pytest.mark.parametrize("mechanism", ["laplace", "huber"])
    @pytest.mark.parametrize(
        ("releases", "budget", "delta"),
        [(2, 0.3, 1e-6), (10, 5, 1e-5), (40, 1, 1e-7), (120, 12, 1e-5)],
    )
    def test_an_independent_composition_confirms_it(self, mechanism, releases, budget, delta):
        found = calibrate(mechanism, releases=releases, epsilon=budget, delta=delta)
        spent = Composition((found.noise, 1.0, releases)).epsilon(delta)
        assert found.accountant in ("pld", "exact")
        assert spent <= budget * (1 + 2e-6)  # what the plain composition rounds
        assert spent >= budget * (1 - 2e-5)

    @settings(deadline=None, derandomize=True, max_examples=8)
    @given(
        st.sampled_from(CALIBRATED),
        st.integers(1, 200),
        st.floats(0.1, 50),
        st.floats(1e-7, 0.1),
    )
    def test_its_own_accounting_confirms_it(self, mechanism, releases, budget, delta):
        found = calibrate(mechanism, releases=releases, epsilon=budget, delta=delta)
        released = Releases(found.noise, 1.0, releases)
        if found.accountant == "exact":
            if mechanism == "huber":
                assert found.noise.a == GAUSSIAN_A
                return
            answer = epsilon(released, delta, relation="entry_change", accountant="exact")
        else:
            answer = epsilon(released, delta, relation="entry_change", accuracy=1e-6)
        # Another grid than that which certified it: both bounds hold, to the last digits.
        assert answer.lower <= budget
        assert answer.upper <= budget * (1 + 1e-4)
        assert answer.upper >= budget * (1 - 1e-4)

    def test_less_noise_would_not_do(self):
        found = calibrate("huber", releases=30, epsilon=3.0, delta=DELTA)
        less = Huber(found.noise.a, found.noise.scale * 0.999)
        answer = epsilon(Releases(less, 1.0, 30), DELTA, relation="entry_change")
        assert answer.lower > 3.0


class TestHuber:
    @pytest.mark.parametrize("releases", [1, 3, 10, 300])
    @pytest.mark.parametrize("budget", [0.5, 20.0])
    def test_never_worse_than_its_limits(self, releases, budget):
        huber, laplace, gaussian = (
            variance(mechanism, releases, budget) for mechanism in ("huber", "laplace", "gaussian")
        )
        assert huber <= min(laplace, gaussian) * (1 + 1e-5)


class TestWithoutDelta:
    def test_laplace_noise_is_the_pure_choice(self):
        for mechanism in ("laplace", "huber"):
            found = calibrate(mechanism, releases=4, epsilon=2.0, delta=0.0)
            assert found.accountant == "basic"
            assert found.noise.var() == pytest.approx(8.0, rel=1e-7)
            assert 4 * Loss(found.noise, 1.0).largest == pytest.approx(2.0)

    @pytest.mark.parametrize("delta", [1e-13, 1e-25])
    def test_a_delta_that_cannot_be_computed_costs_no_more(self, delta):
        for mechanism in ("laplace", "huber"):
            assert variance(mechanism, 4, 2.0, delta) <= 8.0 * (1 + 1e-7)

    def test_a_budget_too_large_for_privacy_loss_distributions(self):
        found = calibrate("laplace", releases=2, epsilon=2000.0, delta=DELTA)
        assert (found.accountant, found.noise) == ("basic", Laplace(1e-3))


class TestArguments:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"mechanism": "gaussian", "delta": 0.0}, "no guarantee at delta = 0, because its"),
            ({"mechanism": "hubert"}, r"no calibrated mechanism 'hubert' \(did you mean 'huber'"),
            ({"epsilon": 0}, "epsilon must be a positive finite number, got 0"),
            ({"delta": 1.0}, r"delta must lie in \[0, 1\), got 1"),
            ({"releases": 0}, "releases must be a whole number of at least 1, got 0"),
            ({"releases": 2.5}, "releases must be a whole number of at least 1, got 2.5"),
        ],
    )
    def test_refused(self, arguments, message):
        given = {"mechanism": "laplace", "releases": 2, "epsilon": 1.0, "delta": DELTA} | arguments
        with pytest.raises(InputError, match=message):
            calibrate(given.pop("mechanism"), **given)

"""What the best attacker reaches: against exact trade-off functions, and against dp-accounting."""

import math
from dataclasses import replace

import numpy as np
import pytest
from document_texts import HOME
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant

from dpmc.mechanisms import Gaussian, Laplace
from dpmc.mechanisms.discrete import DiscreteGaussian
from dpmc.privacy.attacker import (
    COMPARED,
    FALSE_POSITIVES,
    WORDS,
    Attacker,
    _of_pairs,
    attacker_of,
    comparison,
    event_of,
)
from dpmc.privacy.attacker import explain as explain_with
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.guarantee import Guarantee, ItemList
from dpmc.privacy.policy import REASONABLE, STRONG, TOO_LARGE_DELTA, at_small_delta
from dpmc.privacy.relations import ENTRY_CHANGE, RELATIONS, USER_ADD_REMOVE
from dpmc.privacy.selection import Selection

RATES = np.array(FALSE_POSITIVES)


def fitted(mechanism, releases, epsilon, delta, relation=ENTRY_CHANGE):
    found = calibrate(mechanism, releases=releases, epsilon=epsilon, delta=delta)
    stated = Guarantee(
        relation, epsilon, delta, mechanism, found.noise.std(), found.accountant, releases, ()
    )
    return stated, found.noise


def chosen(releases=7, epsilon=4.0, delta=1e-5, share=0.3):
    """A fit whose items were chosen privately."""
    selection = Selection(USER_ADD_REMOVE, 20, epsilon, delta, share)
    fit, noise = fitted("gaussian", releases, selection.fit_epsilon, selection.fit_delta)
    listed = ItemList(share, selection.list_delta, selection.noise_std, 30.0)
    return replace(fit, epsilon=epsilon, delta=delta, listed=listed), noise, selection


def attacker_within(epsilon, delta):
    """The best attacker if nothing but a budget is known."""
    return _of_pairs(np.array([epsilon]), np.array([delta]))


def laplace_power(rate, epsilon):
    """True positives of one Laplace release, exactly."""
    if rate <= math.exp(-epsilon) / 2:
        return math.exp(epsilon) * rate
    return (
        1 - math.exp(-epsilon) / (4 * rate) if rate <= 0.5 else 1 - math.exp(-epsilon) * (1 - rate)
    )


def test_gaussian_noise_has_the_mu_of_all_releases():
    guarantee, noise = fitted("gaussian", 9, 5.0, 1e-6)
    found = attacker_of(guarantee, noise)
    assert found.mu == pytest.approx(3 / noise.scale)
    assert found.slack == 0
    power = Gaussian().cdf(found.mu - Gaussian().isf(RATES))
    np.testing.assert_allclose(found.true_positives, power, rtol=1e-12)
    # the same from its epsilons and deltas, of which every one is a bound
    deltas = {each: noise.delta(each, 3.0) for each in np.linspace(0, 7, 400)}
    bounds = [min(math.exp(e) * rate + d for e, d in deltas.items()) for rate in RATES]
    assert (np.array(bounds) >= np.array(found.true_positives) - 1e-12).all()
    np.testing.assert_allclose(bounds[:3], found.true_positives[:3], rtol=1e-3)
    assert found.success == pytest.approx((1 + noise.delta(0, 3.0)) / 2)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_laplace_noise_has_its_exact_curve(epsilon):
    guarantee, noise = fitted("laplace", 1, epsilon, 0.0)
    found = attacker_of(guarantee, noise)
    exact = np.array([laplace_power(rate, epsilon) for rate in RATES])
    assert found.mu is None
    assert (np.array(found.true_positives) >= exact * (1 - 1e-12)).all()
    np.testing.assert_allclose(found.true_positives, exact, rtol=1e-3)
    assert found.success == pytest.approx(1 - math.exp(-epsilon / 2) / 2)


def test_what_is_released_on_a_grid_is_below_the_bound():
    """Thresholds are the best tests: level and power of each, for noise larger by 1/1024."""
    scale, shift = 20_000, 15_000
    mu = shift / scale
    noise = DiscreteGaussian(math.ceil(scale * (1 + 2**-10)))
    k = np.arange(-10 * scale, 10 * scale)
    tail = np.cumsum(np.exp(noise.logpmf(k))[::-1])[::-1]
    level, power = tail[shift + 1 :], tail[: -(shift + 1)]  # one step more, for rounding
    inner = (level > 1e-12) & (level < 1 - 1e-12)
    bound = Gaussian().sf(Gaussian().isf(level[inner]) - mu)
    assert (power[inner] <= bound * (1 + 1e-9)).all()


@pytest.mark.parametrize("delta", [1e-5, 0.1])
def test_a_private_choice_of_items_is_in_it(delta):
    guarantee, noise, selection = chosen(delta=delta)
    found = attacker_of(guarantee, noise)
    assert found.mu == pytest.approx(1 / selection.noise_multiplier)
    assert found.slack == selection.list_delta
    alone = Gaussian(1 / found.mu)
    less = math.log1p(-found.slack)
    budgets = [
        (each - less, alone.delta(each, 1.0) + found.slack) for each in np.linspace(0, 8, 500)
    ]
    bounds = np.array([math.exp(epsilon) * RATES + delta for epsilon, delta in budgets])
    assert (found.true_positives <= bounds + 1e-12).all()
    np.testing.assert_allclose(found.true_positives[:3], bounds.min(axis=0)[:3], rtol=1e-3)
    assert found.success <= (1 + alone.delta(0, 1.0)) / 2 + found.slack + 1e-15


def test_noise_of_which_no_distribution_can_be_made_is_bounded_by_its_budget():
    guarantee, noise = fitted("laplace", 2, 2000.0, 0.0)
    assert attacker_of(guarantee, noise) == attacker_within(2000.0, 0.0)


# -- in words -------------------------------------------------------------------------------------


def explain(relation, epsilon, delta, attacker, users=None):
    """Of a delta that is small by itself."""
    return explain_with(relation, epsilon, delta, attacker, users, small=epsilon)


def test_how_sure_an_attacker_can_be():
    """The log 2 is needed: the loss of Gaussian noise exceeds epsilon more often than delta."""
    epsilon, delta = 5.0, 1e-6
    _, noise = fitted("gaussian", 1, epsilon, delta)
    mu = 1 / noise.scale
    more = Gaussian().sf((epsilon - mu**2 / 2) / mu)
    assert delta < more
    assert Gaussian().sf((epsilon + math.log(2) - mu**2 / 2) / mu) <= 2 * delta
    said = explain(USER_ADD_REMOVE, epsilon, delta, attacker_within(epsilon, delta))
    assert any(
        "at most 99.7 % sure of it afterwards, but for a probability of 2e-06" in x for x in said
    )
    pure = explain(USER_ADD_REMOVE, math.log(3), 0.0, attacker_within(math.log(3), 0.0))
    assert any("is at most 75 % sure of it afterwards." in x for x in pure)
    assert "Delta is 0: there is no exception to that." in pure
    for delta in (TOO_LARGE_DELTA, 0.7):
        lost = explain(USER_ADD_REMOVE, 1.0, delta, attacker_within(1.0, delta))
        assert not any("sure of it afterwards" in each for each in lost)
        assert any(f"may be told with probability {delta:g}, the delta." in each for each in lost)


def test_numbers_in_words_are_rounded_up():
    attacker = Attacker(1.00011, 1e-7, 0.69001, FALSE_POSITIVES, (0.1,) * 6)
    said = " ".join(explain(USER_ADD_REMOVE, 1.0, 1e-6, attacker, 5000))
    assert "is right about at most 69.1 % of them" in said
    assert "1.001-Gaussian differential privacy, but for a probability of 1e-07." in said
    assert "Delta 1e-06 fits about 5000 users" in said
    # the bound is 1 - 2.26e-5 and 1 - 2.8e-5, and never said to be certain
    for epsilon, surest in ((10.0, "99.998 %"), (9.79, "99.998 %"), (20.0, "99.9999999 %")):
        said = " ".join(explain(USER_ADD_REMOVE, epsilon, 1e-6, attacker))
        assert f"is at most {surest} sure" in said


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_relation_has_words(relation):
    assert relation in WORDS
    for epsilon, tier in ((1, "strong"), (10, "reasonable"), (10.1, "weak")):
        said = explain(relation, epsilon, 1e-6, attacker_within(epsilon, 1e-6), 100)
        assert said[0].startswith("What is protected: ")
        assert any(f"this one is {tier} " in each for each in said)
        assert any(each.startswith('Judge by "at worst", which is promised to') for each in said)


def test_a_tier_is_that_of_the_epsilon_at_a_small_delta():
    """The same noise has a smaller epsilon at a larger delta, however it is stated."""
    for mechanism, releases in (("gaussian", 1), ("gaussian", 9), ("laplace", 40)):
        small = calibrate(mechanism, releases=releases, epsilon=8.0, delta=1e-6).noise
        for delta in (1e-4, 0.009, 0.5):
            stated = epsilon_of(small, releases, delta)
            assert stated < 8
            found = at_small_delta(stated, delta, small, releases, USER_ADD_REMOVE)
            assert found == pytest.approx(8, rel=2e-3)
    guarantee, noise = fitted("gaussian", 1, 5.0, 0.5)
    terms = (5.0, 0.5, noise, 1, USER_ADD_REMOVE)
    assert at_small_delta(*terms) == pytest.approx(21.8, abs=0.05)  # as dp-accounting has it
    said = explain_with(
        USER_ADD_REMOVE, 5.0, 0.5, attacker_of(guarantee, noise), small=at_small_delta(*terms)
    )
    assert any("at delta 1e-06 it has epsilon 21.8, so this one is weak " in each for each in said)
    # a smaller one counts as it is
    assert at_small_delta(7.0, 1e-9, noise, 1, USER_ADD_REMOVE) == 7


def epsilon_of(noise, releases, delta):
    """By dp-accounting."""
    made = {Gaussian: dp_event.GaussianDpEvent, Laplace: dp_event.LaplaceDpEvent}[type(noise)]
    accountant = PLDAccountant()
    accountant.compose(dp_event.SelfComposedDpEvent(made(noise.scale), releases))
    return accountant.get_epsilon(delta)


def test_a_private_choice_that_may_tell_too_much_is_weak():
    guarantee, noise, selection = chosen(epsilon=4.0, delta=1e-5, share=0.05)
    slack = guarantee.listed.delta
    terms = (noise, selection.releases(guarantee.releases), USER_ADD_REMOVE)
    found = at_small_delta(4.0, 1e-5, *terms, slack)
    alone = Gaussian(1 / attacker_of(guarantee, noise).mu)
    assert 4 < found == pytest.approx(alone.epsilon(1.0, 5e-7) - math.log1p(-slack))
    assert at_small_delta(4.0, 1e-5, *terms, 1e-6) == math.inf
    said = explain_with(USER_ADD_REMOVE, 4.0, 1e-5, attacker_of(guarantee, noise), small=math.inf)
    assert any("at delta 1e-06 no epsilon holds, so this one is weak " in each for each in said)


def test_epsilons_are_put_beside_each_other():
    """On average as an attacker on Gaussian noise fares, at worst as stated of a budget."""
    (
        head,
        _,
        *_,
    ) = lines = comparison(USER_ADD_REMOVE, 1e-5)
    assert "at delta 1e-05" in head
    rows = {float(e): (worst, mean) for e, worst, mean in map(cells, lines[4:])}
    assert list(rows) == list(COMPARED)
    for epsilon, (worst, mean) in rows.items():
        guarantee, noise = fitted("gaussian", 1, epsilon, 1e-5)
        found = attacker_of(guarantee, noise)
        said = " ".join(explain(USER_ADD_REMOVE, epsilon, 1e-5, found))
        assert f"is at most {worst} sure of it afterwards" in said
        assert f"is right about at most {mean} of them" in said
    for delta in (0, TOO_LARGE_DELTA):  # of which nothing can be said at worst
        assert "at delta 1e-06" in comparison(USER_ADD_REMOVE, delta)[0]


def cells(line):
    return [each.strip() for each in line.strip("|").split("|")]


def test_documents_call_an_epsilon_what_verify_does():
    named = f"strong up to {STRONG:g}, reasonable up to {REASONABLE:g}, and weak above"
    for file, words in (
        ("docs/read-a-guarantee.md", named),
        ("docs/threats.md", f"a remark of `fit` and `verify` above {REASONABLE:g}"),
    ):
        assert words in " ".join((HOME / file).read_text("utf-8").split())


def test_a_document_has_the_table_of_epsilons():
    text = (HOME / "docs/read-a-guarantee.md").read_text("utf-8")
    assert "\n".join(comparison(USER_ADD_REMOVE, 1e-6)[2:]) in text


# -- dp-accounting --------------------------------------------------------------------------------


def rebuilt(event):
    if isinstance(event, list):
        return [rebuilt(each) for each in event]
    if not isinstance(event, dict):
        return event
    fields = {name: rebuilt(value) for name, value in event.items()}
    assert fields.pop("module_name") == dp_event.__name__
    return getattr(dp_event, fields.pop("class_name"))(**fields)


def accounted(event, delta):
    accountant = PLDAccountant()
    accountant.compose(rebuilt(event))
    return accountant.get_epsilon(delta)


@pytest.mark.parametrize("mechanism", ["gaussian", "laplace"])
def test_dp_accounting_finds_the_stated_epsilon(mechanism):
    guarantee, noise = fitted(mechanism, 9, 5.0, 1e-6)
    assert accounted(event_of(guarantee, noise), 1e-6) == pytest.approx(5, rel=1e-3)
    half = fitted(mechanism, 9, 2.5, 1e-6)
    both = [event_of(*half), event_of(guarantee, noise)]
    accountant = PLDAccountant()
    for each in both:
        accountant.compose(rebuilt(each))
    assert 5 < accountant.get_epsilon(1e-6) < 7.5


def test_dp_accounting_finds_the_epsilon_of_a_private_choice_too():
    guarantee, noise, _ = chosen()
    slack = attacker_of(guarantee, noise).slack
    found = accounted(event_of(guarantee, noise), guarantee.delta - slack) - math.log1p(-slack)
    assert found == pytest.approx(guarantee.epsilon, rel=1e-3)

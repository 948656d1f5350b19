"""Local Bayes, where it goes wrong: steps are taken back, and simpler models published instead."""

import numpy as np
import pytest

from dpmc.methods.user_level.local_bayes import check, offsets, refinement, scale
from dpmc.methods.user_level.local_bayes.beliefs import LEVEL, OFFSET, Beliefs
from dpmc.methods.user_level.local_bayes.counts import Popularity
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.methods.user_level.local_bayes.users import Model, posterior_means
from dpmc.ratings import Ratings

N_ITEMS = 30


def drawn(seed=0, n_users=2000, offset=0.3, level=0.2, noise=0.4):
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((n_users, N_ITEMS)) < 0.5)
    truth = offset * rng.standard_normal(N_ITEMS)
    values = truth[items] + level * rng.standard_normal(n_users)[users]
    values = np.clip(values + noise * rng.standard_normal(users.size), -1, 1)
    return Ratings(users, items, values, n_users, N_ITEMS), truth


def followed(too_small, steps=4, noise=1e-3, rng=None):
    """Return beliefs before and after each step, steps taken back, caution and spread.

    ``too_small`` divides the shares of half of the items: what they are moved by is too much.
    """
    ratings, _ = drawn()
    shares = np.full(N_ITEMS, 1 / N_ITEMS)
    wrong = np.where(np.arange(N_ITEMS) % 2, shares / too_small, shares)
    popularity = Popularity(wrong, np.zeros(N_ITEMS), 1.0, wrong, np.inf)
    whole = scale.Scale(0.5, 0.0, 0.0, 2000.0, len(ratings))
    guard, beliefs, spread, states = refinement.Guard(), Beliefs(0.5, 0.2, shares), 0.5, []
    for _ in range(steps):
        form = refinement.Step.of(spread, beliefs, popularity, whole)
        sent, _ = refinement.statistic(ratings.by_user, beliefs, popularity, whole, form)
        if rng is not None:
            sent = sent + noise * rng.standard_normal(sent.size)
        before = beliefs.copy()
        beliefs, spread, popularity = guard.step(sent, noise, beliefs, popularity, whole, form)
        states.append([before, beliefs.copy(), guard.taken_back, guard.caution, spread])
    return states


@pytest.mark.parametrize("too_small", [3, 10, 100])
def test_a_step_that_overshoots_is_taken_back_and_the_next_one_half_as_long(too_small):
    (start, far, *first), (_, again, *second), (_, half, *third), *_ = followed(too_small)
    assert first[:2] == [0, 1.0]
    assert second == [1, 2.0, first[2]]  # and the spread of then
    np.testing.assert_array_equal(again.mean, start.mean)
    np.testing.assert_array_equal(again.precision, start.precision)
    wrong = np.arange(N_ITEMS) % 2 == 1
    moved, less = (np.abs(each.mean[wrong, OFFSET]).mean() for each in (far, half))
    assert less == pytest.approx(moved / 2, rel=0.05)
    assert third[:2] == [1, 2.0]


def test_caution_grows_until_a_step_does_not_overshoot():
    *_, (_, _, taken_back, caution, _) = followed(10, steps=10)
    assert caution == 2.0**taken_back
    assert 3 <= taken_back <= 4
    (_, end, *_) = followed(3, steps=10)[-1]
    (_, expected, *_) = followed(1, steps=10)[-1]
    np.testing.assert_allclose(end.mean[:, OFFSET], expected.mean[:, OFFSET], atol=0.05)


@pytest.mark.parametrize("noise", [1e-3, 3.0, 10.0, 30.0])
def test_nothing_is_taken_back_where_all_is_well(noise):
    for seed in range(3):
        *_, last = followed(1, steps=5, noise=noise, rng=np.random.default_rng(seed))
        assert last[2:4] == [0, 1.0]


def test_what_is_said_of_a_spread_far_too_small_is_no_measure_for_later_steps():
    """Users' excesses are bounded, so the released spread goes on rising until it is right."""
    ratings, _ = drawn(noise=0.9)
    shares = np.full(N_ITEMS, 1 / N_ITEMS)
    popularity = Popularity(shares, np.zeros(N_ITEMS), 1.0, shares, np.inf)
    whole = scale.Scale(0.3, 0.0, 0.0, 2000.0, len(ratings))
    guard, beliefs, spread = refinement.Guard(), Beliefs(0.3, 0.2, shares), 0.1
    for _ in range(6):
        form = refinement.Step.of(spread, beliefs, popularity, whole)
        sent, _ = refinement.statistic(ratings.by_user, beliefs, popularity, whole, form)
        beliefs, spread, popularity = guard.step(sent, 1e-3, beliefs, popularity, whole, form)
    assert guard.taken_back == 0
    assert 0.5 < spread < 0.8  # clipped to the range


def test_one_fluke_of_the_noise_does_not_take_back_all_that_follows():
    ratings, _ = drawn()
    shares = np.full(N_ITEMS, 1 / N_ITEMS)
    popularity = Popularity(shares, np.zeros(N_ITEMS), 1.0, shares, np.inf)
    whole = scale.Scale(0.5, 0.0, 0.0, 2000.0, len(ratings))
    guard, beliefs, spread, noise = refinement.Guard(), Beliefs(0.5, 0.2, shares), 0.42, 3.0
    for step in range(7):
        form = refinement.Step.of(spread, beliefs, popularity, whole)
        sent, _ = refinement.statistic(ratings.by_user, beliefs, popularity, whole, form)
        sent[-1] -= 8 * noise * (step == 2)  # as if hardly anything were left of ratings
        beliefs, spread, popularity = guard.step(sent, noise, beliefs, popularity, whole, form)
    assert guard.taken_back == 2  # of four steps after it


def planted(truth, off, level=0.2, spread=0.4):
    """Return a model whose offsets are off by this much, one way or the other."""
    offsets = truth + off * np.where(np.arange(N_ITEMS) % 2, 1, -1)
    precisions = np.full(N_ITEMS, spread**-2)
    return Model(offsets, np.full((N_ITEMS, 1), level), precisions, np.zeros(N_ITEMS))


@pytest.mark.parametrize(
    ("ours", "biases", "offset", "expected"),
    [
        (0.0, 0.0, 0.3, None),
        (0.0, 1.0, 0.3, None),
        (0.4, 0.0, 0.3, 0),
        (0.4, 0.3, 0.1, 1),
        (0.4, 0.4, 0.1, 1),
    ],
)
def test_the_check_names_the_best_of_planted_models(ours, biases, offset, expected):
    ratings, truth = drawn(offset=offset)
    whole = scale.Scale(0.5, 0.0, 0.0, 2000.0, len(ratings))
    others = (planted(truth, biases), check.own_means(N_ITEMS, whole))
    sent, _ = check.statistic(ratings.by_user, planted(truth, ours), others, whole.typical)
    assert check.better(sent, 100.0) == expected
    assert check.better(sent, 1e4) is None  # what noise hides is no reason


def test_own_means_are_shrunk_by_two_ratings():
    whole = scale.Scale(0.7, 0.1, 0.0, 10.0, 20.0)
    model = check.own_means(1, whole)
    values, spread = np.array([0.9, 0.5, -0.2]), 1 / model.precisions[0]
    expected = (values.sum() + 2 * 0.1) / 5
    found = posterior_means(
        Ratings(np.zeros(3, int), np.arange(3), values, 1, 3).by_user,
        *(np.repeat(each, 3, axis=0) for each in model[:3]),
    )
    assert model.offsets[0] + model.factors[0, 0] * found[0, 0] == pytest.approx(expected)
    assert spread == pytest.approx(0.7**2)


def test_an_item_s_part_in_its_own_prediction_is_that_of_the_noise_of_ratings():
    """The mean of n ratings of variance 1 and a faint prior: one of them is 1/n of it.

    Around a prediction ratings have the variance 1 + 1/n, so that it is taken for 1 / (n + 1).
    """
    n = 20.0  # and of levels next to nothing is known, so that other ratings say nothing of one
    beliefs = Beliefs(1.0, 0.5, np.full(N_ITEMS, 1 / N_ITEMS))
    beliefs.prior_variance[:] = 1e-9, 1e-9
    beliefs.prior_variance[OFFSET] = 1e4
    beliefs.precision[:, OFFSET, OFFSET] = 1e8
    beliefs.sampling[:, OFFSET, OFFSET] = n
    beliefs._update()
    beliefs.mean[:, LEVEL] = 0
    shares = np.full(N_ITEMS, 1 / N_ITEMS)
    popularity = Popularity(shares, np.zeros(N_ITEMS), 1.0, shares, np.inf)

    def leverages(spread, ratings):
        whole = scale.Scale(1.0, 0.0, 0.0, 10.0, ratings * N_ITEMS)
        return refinement.model_of(beliefs, 0.0, spread, popularity, whole).leverages

    np.testing.assert_allclose(leverages(1.0, n), 1 / (n + 1), rtol=1e-3)
    # a spread that is too small by far does not say that one rating decides
    np.testing.assert_allclose(leverages(0.01, n), 1 / n, rtol=1e-3)
    np.testing.assert_allclose(leverages(0.01, 1e-3), refinement.MOST_LEVERAGE)
    beliefs.precision[:, OFFSET, OFFSET] = n  # as much of the variance is of privacy
    beliefs._update()
    beliefs.mean[:, LEVEL] = 0
    np.testing.assert_allclose(leverages(1.0, n / 4), 1 / (n + 2), rtol=1e-3)


def fitted(epsilon=20.0, **settings):
    """Return a model without directions, which could explain what is planted, and offsets."""
    ratings, truth = drawn(**settings)
    given = {"epsilon": epsilon, "delta": 1e-5, "rating_range": (-1.0, 1.0), "explained": 1e-6}
    model = LocalBayes(relation="user_add_remove", **given)
    return model.fit(ratings, rng=0, noise_rng=1), truth


def off_by(monkeypatch, owner, name, place):
    """Put the offsets of beliefs that a function returns .35 off ratings of which all are 0."""
    right = getattr(owner, name)

    def wrong(*given):
        found = list(right(*given))
        found[place].mean[:, OFFSET] = 0.35 * np.where(np.arange(N_ITEMS) % 2, 1, -1)
        return found

    monkeypatch.setattr(owner, name, wrong)


def test_a_model_far_off_is_not_published_but_the_biases_it_began_with(monkeypatch):
    assert fitted(offset=0.1)[0].fell_back_to_ is None
    off_by(monkeypatch, refinement.Guard, "step", 0)
    model, truth = fitted(offset=0.1)
    assert model.fell_back_to_ == "biases"
    assert model.item_factors_.shape == (N_ITEMS, 1)
    assert np.abs(model.item_offsets_ - truth).max() < 0.1


def test_where_the_biases_are_off_too_users_get_their_own_means(monkeypatch):
    off_by(monkeypatch, refinement.Guard, "step", 0)
    off_by(monkeypatch, offsets, "read", 1)
    model, _ = fitted(offset=0.0)
    assert model.fell_back_to_ == "own means"
    assert np.ptp(model.item_offsets_) == 0
    assert np.ptp(model.item_factors_) == 0


def test_the_steps_that_were_taken_back_are_counted(monkeypatch):
    assert fitted()[0].steps_taken_back_ == 0
    right = refinement.read

    def too_far(noised, noise, beliefs, *given):
        before = beliefs.mean[:, OFFSET].copy()
        found = right(noised, noise, beliefs, *given)
        beliefs.mean[:, OFFSET] += 9 * (beliefs.mean[:, OFFSET] - before)
        return found

    monkeypatch.setattr(refinement, "read", too_far)
    assert fitted()[0].steps_taken_back_ >= 1


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 20])
def test_offsets_and_predictions_lie_in_the_range(epsilon):
    """Of ratings at the ends of the range, with noise that puts many items beyond them."""
    model, _ = fitted(epsilon, offset=3.0)
    for found in (model.item_offsets_, model.predict_matrix()):
        assert np.isfinite(found).all()
        assert -1 <= found.min() <= found.max() <= 1

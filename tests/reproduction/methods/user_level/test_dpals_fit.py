"""What DPALS computes, and what its noise is worth; the contract has what all methods do."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from user_level_fits import build, fit_exactly, labelled, small_ratings

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation
from dpmc.privacy.release import LEAST_SHARE, GridNoise
from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.item_step import ItemStatistics
from dpmc_studies.methods.user_level.plan import published_sigma


@pytest.fixture
def ratings():
    return small_ratings()


def test_without_noise_it_is_alternating_least_squares():
    """On a matrix of rank 2, all observed, with bounds that do not bind and next to no lambda."""
    rng = np.random.default_rng(3)
    truth = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 8))
    users, items = np.nonzero(np.ones(truth.shape))
    ratings = Ratings(users, items, truth.ravel(), 30, 8)
    for options in ({}, {"literal": True}, {"start": "analyze_gauss"}, {"dtype": "float32"}):
        model = build(
            rating_range=(-20, 20), ratings_per_user=8, centring="none", factor_bound=100.0,
            user_regularization=1e-6, item_regularization=1e-9, **options,
        )  # fmt: skip
        fit_exactly(model, ratings)
        np.testing.assert_allclose(model.predict_matrix(), truth, atol=2e-3)


@pytest.mark.parametrize("gram", ["noised", "free"])
def test_adaptive_weights_in_plain_numpy(gram):
    """One step of all ratings, weighted by the noised counts; users fit theirs unweighted."""
    ratings = small_ratings()
    exponent = 0.5 if gram == "noised" else 0.0
    model = build(
        gram=gram, iterations=1, sampling="weights", counts_share=0.1, weight_exponent=0.5,
        regularization_exponent=exponent, centring="global", factor_bound=0.4,
    )  # fmt: skip
    made = fit_exactly(model, ratings)
    mask = np.zeros((12, 9), dtype=bool)
    mask[ratings.users, ratings.items] = True
    x = np.zeros((12, 9))
    x[mask] = ratings.values - 3
    counts = np.maximum(made[0].query, 1)
    assert made[0].query.sum() == np.minimum(mask.sum(axis=1), 4).sum()  # k of each user's
    weights = mask / np.sqrt(counts)
    weights *= 2 / np.maximum(np.linalg.norm(weights, axis=1), 1e-300)[:, None]

    def of_users(v):
        grams = np.einsum("ui,ir,is->urs", mask, v, v) + 0.5 * np.eye(2)
        return np.linalg.solve(grams, (x @ v)[..., None])[..., 0]

    def balanced(v):
        left, _, right = np.linalg.svd(v, full_matrices=False)
        return 3 * left @ right

    rng = np.random.default_rng(0)
    rng.integers(2**63)  # which ratings of a user are counted
    u = of_users(balanced(rng.standard_normal((9, 2))))
    u *= np.minimum(1, 0.4 / np.maximum(np.linalg.norm(u, axis=1), 0.4))[:, None]
    v = (weights * x).T @ u
    if gram == "noised":
        part = model.plan["gram"]
        strengths = (counts + 1) ** exponent
        strengths *= 100 * (counts + 1).sum() / ((counts + 1) @ strengths)
        strengths *= model.calibration.noise.std() * part.sensitivity * part.weight
        grams = np.einsum("ui,ur,us->irs", weights, u, u) + strengths[:, None, None] * np.eye(2)
        v = np.linalg.solve(grams, v[..., None])[..., 0]
    np.testing.assert_allclose(model.item_factors_, balanced(v), atol=1e-9)
    np.testing.assert_allclose(model.user_factors_, of_users(balanced(v)), atol=1e-9)


def test_users_take_all_of_their_own_ratings():
    """k bounds what items see, not what a user learns from."""
    ratings = small_ratings()
    model = build(ratings_per_user=1, centring="none")
    fit_exactly(model, ratings)
    design, rows = model.item_factors_, ratings.by_user
    for user in range(11):
        own = slice(*rows.indptr[user : user + 2])
        v, x = design[rows.indices[own]], rows.values[own]
        u = np.linalg.solve(v.T @ v + 0.5 * np.eye(2), v.T @ x)
        np.testing.assert_allclose(model.user_factors_[user], u, rtol=1e-9)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_ratings_that_count_are_drawn_anew_in_each_step(dtype, monkeypatch):
    """With one rating of each user: which items these are of, step by step."""
    counted, sums = [], ItemStatistics.sums

    def watched(self, by_user, by_item, users, n_items, weights):
        counted.append(tuple(by_user.indices))
        if dtype == "float32":  # sums in floating point want them by item, too
            by_items = np.bincount(by_user.indices, minlength=9)
            np.testing.assert_array_equal(by_items, by_item.sizes)
        return sums(self, by_user, by_item, users, n_items, weights)

    monkeypatch.setattr(ItemStatistics, "sums", watched)
    for resampled, different in ((False, 1), (True, 4)):
        counted.clear()
        given = {"ratings_per_user": 1, "iterations": 4, "dtype": dtype}
        build(resampled=resampled, **given).fit(small_ratings(), rng=0, noise_rng=100)
        assert len(counted) == 4
        assert len(set(counted)) == different


def test_users_fit_a_part_of_their_ratings():
    """Rows of factors are those of some of the ratings: of half of them with T = 2."""
    ratings = small_ratings()
    model = build(centring="none", resampled=True, iterations=2)
    fit_exactly(model, ratings)
    design, rows, sizes = model.item_factors_, ratings.by_user, []
    for user in range(11):
        own = slice(*rows.indptr[user : user + 2])
        v, x = design[rows.indices[own]], rows.values[own]
        for chosen in (list(c) for n in range(len(x) + 1) for c in combinations(range(len(x)), n)):
            u = np.linalg.solve(v[chosen].T @ v[chosen] + 0.5 * np.eye(2), v[chosen].T @ x[chosen])
            if np.allclose(u, model.user_factors_[user], rtol=1e-9):
                sizes.append((len(chosen), len(x)))
                break
    taken, all_of_them = np.sum(sizes, axis=0)
    assert len(sizes) == 11
    assert 0.25 < taken / all_of_them < 0.75  # of 60 ratings: outside with probability 1e-4


@pytest.mark.parametrize("share", [0.4, 0.45, 1 / 3])
def test_the_share_of_the_items_is_rounded_up_as_published(share):
    options = {"item_share": share, "counts_share": 0.1}
    numbers = [
        build(literal=literal, **options).fit(small_ratings(), rng=0, noise_rng=1).frequent_.sum()
        for literal in (False, True)
    ]
    assert numbers == [round(9 * share), math.ceil(9 * share - 1e-9)]


# -- the guarantee ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "k", "steps", "true"), [(1, 50, 2, 1.060), (20, 100, 4, 20.89)]
)
def test_the_published_noise_is_guaranteed_what_it_is_worth(epsilon, k, steps, true, ratings):
    options = {"epsilon": epsilon, "ratings_per_user": k, "iterations": steps, "delta": 1e-5}
    model = build(accounting="published", factor_bound=0.3, value_bound=1.7, **options)
    model.fit(ratings, rng=0, noise_rng=1)
    assert model.guarantee_.epsilon == pytest.approx(true, abs=5e-3)
    assert model.claimed_epsilon_ == epsilon
    sigma = published_sigma(epsilon, 1e-5, k, steps)
    scale = model.calibration.noise.std()
    parts = {what: part.sensitivity * part.weight * scale for what, part in model.plan.items()}
    assert parts == pytest.approx({"gram": sigma * 0.09, "right_hand_side": sigma * 0.51})
    exact = build(**options)
    assert exact.calibration.noise.std() > scale


def test_noise_has_the_stated_size():
    """Of 600 items nobody rated; a wrong size by 5 % is 8 standard errors off."""
    nothing = Ratings([], [], [], 5, 600)
    for relation in ("user_add_remove", "user_replace"):
        model = build(relation=relation, iterations=1, rank=3, factor_bound=0.2)
        ledger = Ledger(FloatNoise(model.calibration.noise, np.random.default_rng(1)), 1, keep=True)
        model.fit(nothing, rng=0, ledger=ledger)
        mu = 1 / model.calibration.noise.std()
        replaced = relation == "user_replace"
        # 2 k T / sigma^2 = mu^2, three times as much if users are replaced
        sigma = np.sqrt((6 if replaced else 2) * 4) / mu
        gram, right = (each.output for each in ledger.transcript)
        assert right.std() == pytest.approx(sigma * 0.2 * 2.0, rel=0.05)
        diagonal = np.array([0, 3, 5])  # of upper triangles, row by row
        assert gram[:, diagonal].std() == pytest.approx(sigma * 0.04, rel=0.05)


def test_another_plan_than_the_budget_is_noticed(ratings):
    model = build()
    part = model.plan["gram"]
    for share, message in ((0.2, "were made"), (0.3, "only 1 releases")):
        model.plan["gram"] = replace(part, share=share)
        with pytest.raises(PrivacyViolation, match=message):
            model.fit(ratings, rng=0, noise_rng=1)
    assert not hasattr(model, "guarantee_")


def test_what_rounding_errors_would_void_is_refused_before_anything_is_released(ratings):
    for given, sentence in (
        ({"dtype": "float32"}, "need dtype 'float64'"),
        ({"resampled": True}, "need resampled=False"),
        ({"user_regularization": 9e-7}, "must be at least 1e-06, or rounding"),
        (
            {"mean_share": LEAST_SHARE, "centring": "global"},  # two releases share it
            r"at least the share 0\.000244141 of the budget.*the smallest is 0\.00012",
        ),
    ):
        model = build(**given)
        ledger = Ledger(GridNoise(model.calibration.noise), model.releases)
        with pytest.raises(InputError, match=sentence) as caught:
            model.fit(labelled(ratings), ledger=ledger)
        assert "\n" not in str(caught.value)
        assert ledger.count == 0
    with pytest.raises(InputError, match="delta between 0 and 1"):
        build(delta=0.0, accounting="published").fit(ratings, rng=0, noise_rng=0)


def test_exact_noise_of_a_share_has_its_deviation():
    ledger = Ledger(GridNoise(Gaussian(1.5)), 1)
    drawn = [
        ledger.release("x", np.zeros(3000), 2.0, weight=weight) for weight in (2**0.5, 2, 4, 4, 8)
    ]
    for each, weight in zip(drawn, (2**0.5, 2, 4, 4, 8), strict=True):
        # 3000 draws: 1.3 % at one deviation; wrong once in some million runs
        assert each.std() == pytest.approx(3 * weight, rel=0.065)
    assert ledger.spent == pytest.approx(0.5 + 0.25 + 2 / 16 + 1 / 64)

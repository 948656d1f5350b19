"""What DPALS does whatever its options: manners, predictions, guarantee."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from small_dpals import (
    FAMILIES,
    HIGH,
    LOW,
    SMALL,
    Nothing,
    build,
    fit,
    fit_exactly,
    labelled,
    small_ratings,
)

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation
from dpmc.ratings import Ratings
from dpmc_studies.methods import method_class
from dpmc_studies.methods.user_level.item_step import ItemStatistics
from dpmc_studies.methods.user_level.plan import published_sigma

every_family = pytest.mark.parametrize("family", FAMILIES)


@pytest.fixture
def ratings():
    return small_ratings()


@every_family
def test_predictions_are_the_model(family, ratings):
    model = fit(ratings, **FAMILIES[family])
    plain = model.user_factors_ @ model.item_factors_.T + model.item_offsets_
    plain = plain + model.user_offsets_[:, None]
    plain[:, ~model.frequent_] = model.user_means_[:, None]
    matrix = model.predict_matrix()
    np.testing.assert_allclose(matrix, np.clip(plain, LOW, HIGH), rtol=1e-6)
    users, items = np.array([[0, 11, 3], [5, 5, 5]]), np.array([[0, 8, 2], [7, 8, 3]])
    np.testing.assert_allclose(model.predict(users, items), matrix[users, items], rtol=1e-6)
    whole = math.ceil if FAMILIES[family].get("literal") else round
    assert model.frequent_.sum() == max(1, whole(9 * FAMILIES[family].get("item_share", 1)))
    assert not model.item_factors_[~model.frequent_].any()


@every_family
def test_order_of_the_file_changes_nothing_that_is_released(family, ratings):
    shuffled = ratings.take(np.random.default_rng(5).permutation(len(ratings)))
    model = build(**FAMILIES[family])
    made, again = (fit_exactly(model, each) for each in (ratings, shuffled))
    assert [each.what for each in made] == [each.what for each in again]
    for one, two in zip(made, again, strict=True):
        np.testing.assert_array_equal(one.query, two.query)


@every_family
def test_releases_of_public_shapes_that_use_up_the_budget(family, ratings):
    model = build(**FAMILIES[family])
    made = fit_exactly(model, ratings)
    nothing = fit_exactly(model, Ratings([], [], [], 3, 9))  # not even the number of users shows
    assert [(each.what, each.sensitivity, each.weight, each.query.shape) for each in made] == [
        (each.what, each.sensitivity, each.weight, each.query.shape) for each in nothing
    ]
    assert sum(each.weight**-2 for each in made) == pytest.approx(1, rel=1e-12)
    assert np.isfinite(model.predict_matrix()).all()


@every_family
def test_a_fit_repeats_calls_back_and_leaves_its_input_alone(family, ratings):
    before = ratings.values.copy(), ratings.by_user.values.copy()
    seen = []

    def callback(iteration, model):
        seen.append(iteration)
        assert np.isfinite(model.predict_matrix()).all()

    model = build(**FAMILIES[family])
    model.fit(ratings, rng=0, noise_rng=100, callback=callback)
    assert seen == list(range(1, model.iterations + 1))
    np.testing.assert_array_equal(
        model.predict_matrix(), fit(ratings, **FAMILIES[family]).predict_matrix()
    )
    np.testing.assert_array_equal(ratings.values, before[0])
    np.testing.assert_array_equal(ratings.by_user.values, before[1])


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
        fit(small_ratings(), resampled=resampled, **given)
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
        fit(small_ratings(), literal=literal, **options).frequent_.sum()
        for literal in (False, True)
    ]
    assert numbers == [round(9 * share), math.ceil(9 * share - 1e-9)]


# -- the guarantee ------------------------------------------------------------------------------


def test_a_guarantee_is_that_of_the_budget(ratings):
    model = fit(ratings, delta=1e-6)
    guarantee = model.guarantee_
    assert (guarantee.epsilon, guarantee.delta) == (3.0, 1e-6)
    assert (guarantee.accountant, guarantee.publishable) == ("exact", ("item_factors",))
    assert model.calibration.noise.epsilon(1.0, 1e-6) == pytest.approx(3.0, rel=1e-9)
    assert guarantee.noise_multiplier == model.calibration.noise.std()
    assert guarantee.simulated


@pytest.mark.parametrize(
    ("epsilon", "k", "steps", "true"), [(1, 50, 2, 1.060), (20, 100, 4, 20.89)]
)
def test_the_published_noise_is_guaranteed_what_it_is_worth(epsilon, k, steps, true, ratings):
    options = {"epsilon": epsilon, "ratings_per_user": k, "iterations": steps, "delta": 1e-5}
    model = fit(ratings, accounting="published", factor_bound=0.3, value_bound=1.7, **options)
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


class Real:
    """Noise that says it is fit for publication."""

    simulated = False

    def __init__(self, mechanism):
        self.mechanism = mechanism

    def add(self, query, sensitivity):
        return query + sensitivity * self.mechanism.rvs(query.shape, np.random.default_rng(0))


def test_publication_needs_double_precision_and_the_right_noise(ratings):
    model, ratings = build(), labelled(ratings)
    noise = model.calibration.noise
    model.fit(ratings, ledger=Ledger(Real(noise), 1))
    model.guarantee_.require("item_factors")
    with pytest.raises(PrivacyViolation, match="as calibrated"):
        model.fit(ratings, ledger=Ledger(Real(Gaussian(noise.scale / 2)), 1))
    with pytest.raises(InputError, match="need dtype 'float64'"):
        build(dtype="float32").fit(ratings, ledger=Ledger(Real(noise), 1))


# -- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"relation": "entry_change"}, "relation must be 'user_add_remove' or 'user_replace'"),
        ({"mechanism": "huber"}, "mechanism must be 'gaussian'"),
        ({"ratings_per_user": None}, "ratings_per_user must be an integer of at least 1"),
        ({"rank": 0}, "rank must be an integer"),
        ({"iterations": 1.5}, "iterations must be an integer"),
        ({"value_bound": 0}, "value_bound must be a number above 0"),
        ({"factor_bound": np.inf}, "factor_bound must be a number above 0"),
        ({"row_bound": -1}, "row_bound must be a number above 0"),
        ({"user_regularization": 0}, "user_regularization must be a number above 0"),
        ({"item_regularization": np.nan}, "item_regularization must be a number above 0"),
        ({"global_penalty": -1}, "global_penalty must be at least 0"),
        ({"start": "svd"}, "start must be 'normal' or 'analyze_gauss'"),
        ({"gram": "none"}, "gram must be 'noised' or 'free'"),
        ({"centring": "item"}, "centring must be 'none' or 'global' or 'user'"),
        ({"accounting": "rdp"}, "accounting must be 'exact' or 'published'"),
        ({"dtype": "float16"}, "dtype must be 'float32' or 'float64'"),
        ({"sampling": "best"}, "sampling must be 'uniform' or 'adaptive'"),
        ({"item_share": 0.0}, "item_share must be a number above 0"),
        ({"item_share": 1.5}, "item_share must be a share, at most 1"),
        ({"item_share": 0.5}, "give counts_share"),
        ({"sampling": "adaptive"}, "give counts_share"),
        ({"sampling": "weights"}, "give counts_share"),
        ({"regularization_exponent": 0.5}, "give counts_share"),
        ({"weight_exponent": -0.5}, "weight_exponent must be at least 0"),
        ({"weight_exponent": 2.0}, "weight_exponent must be a share, at most 1"),
        (
            {"gram": "free", "sampling": "weights", "counts_share": 0.1}
            | {"regularization_exponent": 0.5},
            "gram 'free' does without",
        ),
        (
            {"sampling": "weights", "counts_share": 0.1, "resampled": True},
            "all ratings count: resampled draws nothing",
        ),
        ({"counts_share": 0.1}, "counts_share pays for nothing"),
        ({"mean_share": 0.1, "centring": "none"}, "mean_share pays for nothing"),
        ({"mean_share": 0.6, "item_share": 0.5, "counts_share": 0.4}, "sum to less than 1"),
        ({"start": "analyze_gauss", "start_share": 0}, "start_share must be above 0"),
        ({"gram": "free", "literal": True}, "gram 'free' has no matrix H"),
        ({"gram": "free", "projection": False}, "gram 'free' has no matrix H"),
        ({"literal": True, "global_penalty": 1.0}, "literal does not go with global_penalty"),
    ],
)
def test_options_that_do_not_fit_are_refused_in_one_sentence(given, message):
    with pytest.raises(InputError, match=message):
        build(**given)


def test_fits_that_cannot_be_are_refused_before_any_release(ratings):
    ledger = Ledger(Nothing(), 1)
    with pytest.raises(InputError, match="rank must be at most 4, the number of items"):
        build(rank=5, item_share=0.4, counts_share=0.1).fit(ratings, rng=0, ledger=ledger)
    assert ledger.count == 0
    with pytest.raises(InputError, match="noise_rng is needed"):
        build().fit(ratings, rng=0)
    with pytest.raises(InputError, match="no guarantee at delta = 0"):
        build(delta=0.0).fit(ratings, rng=0, noise_rng=0)
    with pytest.raises(InputError, match="delta between 0 and 1"):
        build(delta=0.0, accounting="published").fit(ratings, rng=0, noise_rng=0)


def test_it_is_known_by_name():
    assert isinstance(method_class("dpals")(**SMALL), type(build()))

"""What every private method at user level must do: DPALS in all its forms, and the others."""

import inspect
import math

import numpy as np
import pytest
from user_level_fits import (
    EVERY,
    FAMILIES,
    HIGH,
    JOINT,
    LOW,
    RELATIONS,
    RESAMPLED,
    Nothing,
    build,
    kept,
    labelled,
    neighbours,
    noised,
    replayed,
    small_ratings,
)

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.privacy.ledger import Ledger, PrivacyViolation
from dpmc.privacy.release import GridNoise
from dpmc.ratings import Ratings

every_case = pytest.mark.parametrize("case", EVERY)
every_relation = pytest.mark.parametrize("relation", RELATIONS)


@pytest.fixture
def ratings():
    """Every other user rates at an end of the range, as far as a user can be from another one."""
    ratings = small_ratings()
    values = np.where(ratings.users % 2, ratings.values, HIGH)
    return Ratings(ratings.users, ratings.items, values, 12, 9)


def slack_of(model):
    """Of sums in single precision; those are for simulated noise alone."""
    return 1e-5 if getattr(model, "dtype", "") == "float32" else 1e-9


# -- privacy ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [*EVERY, "resampled"])
@every_relation
def test_neighbours_stay_within_the_sensitivities(case, relation, ratings):
    """Replayed with the outputs of one run, its neighbour asks nothing farther than stated."""
    model = build(case, relation) if case in EVERY else build("dpals", relation, **RESAMPLED)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        run = noised(model, ratings, seed)
        outputs = [each.output for each in run]
        for other in neighbours(relation, ratings, rng):
            there = replayed(model, other, outputs, seed)
            for one, two in zip(run, there, strict=True):
                change = np.linalg.norm((one.query - two.query).ravel())
                assert change <= one.sensitivity * (1 + slack_of(model)), one.what


@every_case
@every_relation
def test_the_noise_amounts_to_the_stated_epsilon(case, relation, ratings):
    """By Gaussian differential privacy, from what was released and nothing else."""
    model = build(case, relation)
    made = noised(model, ratings)
    mu = math.sqrt(sum((1 / each.weight) ** 2 for each in made)) / model.calibration.noise.scale
    epsilon = Gaussian(1.0).epsilon(mu, model.delta)
    assert model.guarantee_.epsilon == pytest.approx(epsilon, rel=1e-6)
    if "jain" not in case:
        assert model.guarantee_.epsilon == 3.0
    assert (model.guarantee_.relation, model.guarantee_.accountant) == (relation, "exact")
    assert model.guarantee_.publishable == ("item_factors",)


@every_case
def test_shapes_of_releases_tell_nothing_of_the_users(case, ratings):
    model = build(case)
    made = noised(model, ratings)
    kinds = [(each.what, each.sensitivity, each.weight, each.query.shape) for each in made]
    few = ratings.take(ratings.users < 3)
    few = Ratings(few.users, few.items, few.values, 3, 9)
    for other in (few, Ratings([], [], [], 12, 9)):
        again = noised(model, other)
        assert kinds == [(e.what, e.sensitivity, e.weight, e.query.shape) for e in again]
        assert np.isfinite(model.predict_matrix()).all()


@every_case
def test_users_share_nothing_but_releases(case, ratings):
    """With the outputs given, whoever the others are, what is published is the same, and so are a
    user's predictions.
    """
    model = build(case)
    outputs = [each.output for each in noised(model, ratings)]
    published = model.item_factors_, model.item_offsets_, model.frequent_
    mine = model.predict_matrix()[5]
    for user in (5, 9):
        replayed(model, ratings.take(ratings.users == user), outputs)
        again = model.item_factors_, model.item_offsets_, model.frequent_
        for one, two in zip(published, again, strict=True):
            np.testing.assert_array_equal(one, two)
        if user == 5:
            np.testing.assert_allclose(model.predict_matrix()[5], mine, rtol=slack_of(model))


@pytest.mark.parametrize("case", [name for name in FAMILIES if name != "dpals_single"])
def test_a_user_who_leaves_moves_no_bit_of_what_does_not_concern_that_user(case, ratings):
    """Rows of users must not depend on each other, nor sums of an item on those of others."""
    model = build(case)
    run = noised(model, ratings)
    rows, seen = ratings.by_user, 0
    for user in (1, 5, 9):
        there = replayed(model, ratings.take(ratings.users != user), [e.output for e in run])
        mine = np.isin(np.arange(9), rows.indices[rows.indptr[user] : rows.indptr[user + 1]])
        for one, two in zip(run, there, strict=True):
            of_items = one.query.reshape(len(one.query), -1), two.query.reshape(len(two.query), -1)
            if one.what in ("gram", "right_hand_side", "counts") and len(one.query) == 9:
                np.testing.assert_array_equal(of_items[0][~mine], of_items[1][~mine])
                assert not np.array_equal(*of_items)
                seen += 1
    assert seen or EVERY[case][1].get("item_share", 1) < 1


@every_case
def test_another_number_of_releases_is_noticed(case, ratings):
    model = build(case)
    outputs = [each.output for each in noised(model, ratings)]

    class Same(Nothing):
        def __init__(self):
            self.outputs = iter(outputs)

        def add(self, query, sensitivity):
            return next(self.outputs)

    for wrong in (model.releases - 0.5, model.releases + 1):
        with pytest.raises(PrivacyViolation, match="releases were accounted for"):
            model.fit(ratings, rng=0, ledger=Ledger(Same(), wrong))
        assert not hasattr(model, "guarantee_")


@pytest.mark.parametrize("case", [name for name in FAMILIES if name != "dpals_single"])
def test_exact_noise_in_shares(case, ratings):
    model = build(case)
    kept(model, labelled(ratings), GridNoise(model.calibration.noise), None)
    assert not model.guarantee_.simulated
    model.guarantee_.require("item_factors")
    assert np.isfinite(model.item_factors_).all()


# -- models ---------------------------------------------------------------------------------------


@every_case
def test_predictions(case, ratings):
    model = build(case).fit(ratings, rng=0, noise_rng=1)
    matrix = model.predict_matrix()
    assert ((matrix >= LOW) & (matrix <= HIGH)).all()
    users, items = np.array([[0, 11, 3], [5, 5, 5]]), np.array([[0, 8, 2], [7, 8, 3]])
    np.testing.assert_allclose(model.predict(users, items), matrix[users, items], rtol=1e-6)
    plain = model.user_factors_ @ model.item_factors_.T + model.item_offsets_
    plain += model.user_offsets_[:, None]
    plain[:, ~model.frequent_] = model.user_means_[:, None]
    np.testing.assert_allclose(matrix, np.clip(plain, LOW, HIGH), rtol=1e-6)
    assert not model.item_factors_[~model.frequent_].any()
    share = EVERY[case][1].get("item_share", 1)
    whole = math.ceil if case in JOINT else round
    if "effects" not in case:  # whose other items have offsets of their own
        assert model.frequent_.sum() == whole(9 * share)
        means = [ratings.values[ratings.users == user].mean() for user in range(11)]
        rare = matrix[:11, ~model.frequent_]
        np.testing.assert_allclose(rare, np.broadcast_to(np.array(means)[:, None], rare.shape))


@every_case
def test_a_fit_repeats_whatever_the_order_calls_back_and_leaves_its_input_alone(case, ratings):
    arrays = [ratings.values, ratings.by_user.values, ratings.by_user.indices]
    before, seen = [array.copy() for array in arrays], []

    def callback(iteration, model):
        seen.append(iteration)
        assert np.isfinite(model.predict([0, 1], [2, 3])).all()

    model = build(case)
    first = model.fit(ratings, rng=0, noise_rng=1, callback=callback).predict_matrix()
    assert seen == list(range(1, model.iterations + 1))
    shuffled = ratings.take(np.random.default_rng(5).permutation(len(ratings)))
    for each in (ratings, shuffled):  # fitting again forgets the first fit
        model.fit(each, rng=0, noise_rng=1)
        np.testing.assert_array_equal(first, model.predict_matrix())
    assert (model.fit(ratings, rng=0, noise_rng=2).predict_matrix() != first).any()
    for old, new in zip(before, arrays, strict=True):
        np.testing.assert_array_equal(old, new)


# -- refusals: a parameter out of its range is refused by all methods alike ------------------------


@every_case
def test_refusals_that_all_share(case):
    for parameter in inspect.signature(type(build(case))).parameters.values():
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
    joint = (
        ({"item_share": 1.5, "counts_share": 0.1}, "item_share must be at most 1"),
        ({"item_share": 0.5, "counts_share": 0.0}, "give both item_share below 1 and"),
        ({"item_share": 1.0, "counts_share": 0.2}, "give both item_share below 1 and"),
    )
    for given, message in (
        ({"relation": "entry_change"}, "relation must be 'user_add_remove' or 'user_replace'"),
        ({"mechanism": "laplace"}, "mechanism must be 'gaussian', got 'laplace'"),
        ({"rating_range": None}, "known without looking at the ratings"),
        ({"ratings_per_user": 0}, "ratings_per_user must be an integer of at least 1"),
        *joint * (case in JOINT),
    ):
        with pytest.raises(InputError, match=message):
            build(case, **given)
    with pytest.raises(InputError, match="noise_rng is needed"):
        build(case).fit(Ratings([], [], [], 3, 4), rng=0)
    with pytest.raises(InputError, match="no guarantee at delta = 0"):
        build(case, delta=0.0).fit(small_ratings(), rng=0, noise_rng=0)


@pytest.mark.parametrize(
    ("case", "given", "message"),
    [
        ("dpfw", {"item_share": 0.5, "counts_share": 0.1}, "need ratings_per_user"),
        ("dp_gradient", {"start_share": 1.0}, "nothing of the budget is left"),
        ("dp_effects", {"effects_share": 1}, "effects_share must be below 1, or nothing is left"),
        ("dp_effects", {"pairs_share": 1.0}, "pairs_share must be below 1, or nothing is left"),
        ("dp_altmin", {"start_share": 1.0}, "start_share must be below 1"),
        ("dp_saltls", {"coherence": 0.9}, "coherence must be at least 1"),
        ("dpals", {"item_share": 0.5}, "give counts_share"),
        ("dpals", {"sampling": "adaptive"}, "give counts_share"),
        ("dpals", {"regularization_exponent": 0.5}, "give counts_share"),
        ("dpals_weights", {"gram": "free"}, "gram 'free' does without"),
        (
            "dpals_weights",
            {"regularization_exponent": 0.0, "resampled": True},
            "all ratings count: resampled draws nothing",
        ),
        ("dpals", {"counts_share": 0.1}, "counts_share pays for nothing"),
        ("dpals", {"mean_share": 0.1, "centring": "none"}, "mean_share pays for nothing"),
        ("dpals_uncentred", {"centring": "user", "mean_share": 0.9}, "sum to less than 1"),
        ("dpals", {"start": "analyze_gauss", "start_share": 0}, "start_share must be above 0"),
        ("dpals", {"gram": "free", "literal": True}, "gram 'free' has no matrix H"),
        ("dpals", {"gram": "free", "projection": False}, "gram 'free' has no matrix H"),
        ("dpals", {"literal": True, "global_penalty": 1.0}, "literal does not go with global"),
    ],
)
def test_options_that_do_not_fit_are_refused_in_one_sentence(case, given, message):
    with pytest.raises(InputError, match=message):
        build(case, **given)


@pytest.mark.parametrize("case", ["dp_svd", "dp_altmin", "dp_saltls", "dp_effects", "dpals"])
def test_a_rank_above_the_number_of_items_is_refused_before_any_release(case, ratings):
    model = build(case, rank=10)
    ledger = Ledger(Nothing(), model.releases)
    with pytest.raises(InputError, match="rank must be at most 9, the number of items"):
        model.fit(ratings, rng=0, ledger=ledger)
    assert ledger.count == 0 or case in ("dp_svd", "dp_altmin", "dp_effects")

"""What every private method that DPALS is compared with must do."""

import inspect
import math

import numpy as np
import pytest
from baseline_fits import CASES, EVERY, HIGH, LOW, RELATIONS, build, neighbours, noised, replayed

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.privacy.ledger import Ledger, PrivacyViolation
from dpmc.ratings import Ratings

every_case = pytest.mark.parametrize("case", EVERY)
every_relation = pytest.mark.parametrize("relation", RELATIONS)


@pytest.fixture
def ratings():
    """14 users x 9 items; the last user and the first item have no ratings."""
    rng = np.random.default_rng(0)
    matrix = np.clip(3 + rng.standard_normal((14, 2)) @ rng.standard_normal((2, 9)), LOW, HIGH)
    users, items = np.nonzero(rng.random((14, 9)) < 0.6)
    full = Ratings(users, items, matrix[users, items], 14, 9)
    return full.take((full.users < 13) & (full.items > 0))


# -- privacy ------------------------------------------------------------------------------------


@every_case
@every_relation
def test_neighbours_stay_within_the_sensitivities(case, relation, ratings):
    """Replayed with the outputs of one run, its neighbour asks nothing farther than stated."""
    model = build(case, relation)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        outputs = [each.output for each in noised(model, ratings, seed)]
        for other in neighbours(relation, ratings, rng):
            here, there = (replayed(model, each, outputs, seed) for each in (ratings, other))
            for one, two in zip(here, there, strict=True):
                change = np.linalg.norm(one.query - two.query)
                assert change <= one.sensitivity * (1 + 1e-9), one.what


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
def test_noise_has_the_deviation_that_the_ledger_says(case, ratings):
    """Standardised, the noise of 60 fits has variance 1: 5 standard errors."""
    model, all_noise = build(case), []
    for seed in range(60):
        for each in noised(model, ratings, seed):
            noise = (each.output - each.query) / (each.scale * model.calibration.noise.scale)
            all_noise.append(np.ravel(noise))
    values = np.concatenate(all_noise)
    assert np.mean(values**2) == pytest.approx(1, abs=5 * math.sqrt(2 / values.size))


@every_case
def test_shapes_of_releases_tell_nothing_of_the_users(case, ratings):
    model = build(case)
    made = noised(model, ratings)
    kinds = [(each.what, each.sensitivity, each.weight, each.query.shape) for each in made]
    few = ratings.take(ratings.users < 3)
    few = Ratings(few.users, few.items, few.values, 3, 9)
    for other in (few, Ratings([], [], [], 14, 9)):
        again = noised(model, other)
        assert kinds == [(e.what, e.sensitivity, e.weight, e.query.shape) for e in again]
        assert np.isfinite(model.predict_matrix()).all()


@every_case
def test_item_factors_depend_on_users_only_through_releases(case, ratings):
    """With the outputs given, whoever the users are, the published part is the same."""
    model = build(case)
    outputs = [each.output for each in noised(model, ratings)]
    published = model.item_factors_, model.item_offsets_, model.frequent_
    few = ratings.take(ratings.users < 3)
    for other in (
        ratings.take(ratings.users > 6),
        Ratings(few.users, few.items, few.values, 3, 9),
    ):
        replayed(model, other, outputs)
        again = model.item_factors_, model.item_offsets_, model.frequent_
        for one, two in zip(published, again, strict=True):
            np.testing.assert_array_equal(one, two)


@every_case
def test_a_user_s_predictions_depend_on_no_other_user(case, ratings):
    model = build(case)
    outputs = [each.output for each in noised(model, ratings)]
    mine = model.predict_matrix()[5]
    others = ratings.take(ratings.users == 5)
    replayed(model, others, outputs)
    np.testing.assert_allclose(model.predict_matrix()[5], mine, rtol=1e-9)


@every_case
def test_another_number_of_releases_is_noticed(case, ratings):
    model = build(case)
    outputs = [each.output for each in noised(model, ratings)]

    class Same:
        simulated = True

        def __init__(self):
            self.outputs = iter(outputs)

        def add(self, query, sensitivity):
            return next(self.outputs)

    for wrong in (model.releases - 0.5, model.releases + 1):
        with pytest.raises(PrivacyViolation, match="releases were accounted for"):
            model.fit(ratings, rng=0, ledger=Ledger(Same(), wrong))
        assert not hasattr(model, "guarantee_")


# -- models ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_predictions(case, ratings):
    model = build(case).fit(ratings, rng=0, noise_rng=1)
    matrix = model.predict_matrix()
    assert matrix.shape == (14, 9)
    assert ((matrix >= LOW) & (matrix <= HIGH)).all()
    users, items = np.array([[0, 13, 3], [5, 5, 5]]), np.array([[0, 8, 2], [7, 8, 3]])
    np.testing.assert_allclose(model.predict(users, items), matrix[users, items], rtol=1e-12)
    plain = model.user_factors_ @ model.item_factors_.T + model.item_offsets_
    plain += model.user_offsets_[:, None]
    frequent = model.frequent_
    assert frequent.sum() == (5 if model.item_share < 1 else 9)
    np.testing.assert_allclose(matrix[:, frequent], np.clip(plain[:, frequent], LOW, HIGH))
    means = [ratings.values[ratings.users == user].mean() for user in range(13)]
    rare = matrix[:13, ~frequent]
    np.testing.assert_allclose(rare, np.broadcast_to(np.array(means)[:, None], rare.shape))


@every_case
def test_same_seeds_same_bits_whatever_the_order(case, ratings):
    shuffled = ratings.take(np.random.default_rng(5).permutation(len(ratings)))
    first = build(case).fit(ratings, rng=0, noise_rng=1).predict_matrix()
    again = build(case)
    for each in (ratings, shuffled):  # fitting again forgets the first fit
        again.fit(each, rng=0, noise_rng=1)
        np.testing.assert_array_equal(first, again.predict_matrix())
    other = build(case).fit(ratings, rng=0, noise_rng=2)
    assert (other.predict_matrix() != first).any()


@every_case
def test_input_is_not_modified(case, ratings):
    arrays = [ratings.values, ratings.by_user.values, ratings.by_user.indices]
    before = [array.copy() for array in arrays]
    build(case).fit(ratings, rng=0, noise_rng=1)
    for old, new in zip(before, arrays, strict=True):
        np.testing.assert_array_equal(old, new)


@every_case
def test_callback_after_each_iteration(case, ratings):
    seen = []

    def callback(iteration, model):
        seen.append(iteration)
        assert np.isfinite(model.predict([0, 1], [2, 3])).all()

    model = build(case).fit(ratings, rng=0, noise_rng=1, callback=callback)
    assert seen == list(range(1, model.iterations + 1))
    silent = build(case).fit(ratings, rng=0, noise_rng=1)
    np.testing.assert_array_equal(model.predict_matrix(), silent.predict_matrix())


# -- refusals -------------------------------------------------------------------------------------


@every_case
def test_refusals_that_all_share(case):
    for parameter in inspect.signature(type(build(case))).parameters.values():
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
    for given, message in (
        ({"relation": "entry_change"}, "relation must be 'user_add_remove' or 'user_replace'"),
        ({"mechanism": "laplace"}, "mechanism must be 'gaussian', got 'laplace'"),
        ({"epsilon": 0}, "epsilon must be a number above 0"),
        ({"rating_range": None}, "known without looking at the ratings"),
        ({"ratings_per_user": 0}, "ratings_per_user must be an integer of at least 1"),
    ):
        with pytest.raises(InputError, match=message):
            build(case, **given)
    for given, message in (
        ({"centring": "item"}, "centring must be 'global' or 'user'"),
        ({"item_share": 1.5, "counts_share": 0.1}, "item_share must be at most 1"),
        ({"item_share": 0.5, "counts_share": 0.0}, "give both item_share below 1 and"),
        ({"item_share": 1.0, "counts_share": 0.2}, "give both item_share below 1 and"),
    ) * (case in CASES):
        with pytest.raises(InputError, match=message):
            build(case, **given)
    with pytest.raises(InputError, match="noise_rng is needed"):
        build(case).fit(Ratings([], [], [], 3, 4), rng=0)


@pytest.mark.parametrize(
    ("case", "given", "message"),
    [
        ("dpfw", {"row_bound": 0}, "row_bound must be a number above 0"),
        ("dpfw", {"nuclear_bound": -1}, "nuclear_bound must be a number above 0"),
        ("dpfw", {"iterations": 0}, "iterations must be an integer of at least 1"),
        ("dpfw", {"noise": "reported"}, "noise must be 'exact' or 'jain' or 'residual_clip'"),
        ("dpfw", {"eigenvector": "power"}, "eigenvector must be 'exact' or 'oja'"),
        ("dpfw", {"products": 0}, "products must be an integer"),
        ("dpfw", {"slack": "yes"}, "slack must be"),
        ("dpfw", {"item_share": 0.5, "counts_share": 0.1}, "need ratings_per_user"),
        ("dp_svd", {"users": "none"}, "users must be 'projection' or 'regression'"),
        ("dp_svd", {"rank": 0}, "rank must be an integer"),
        ("dp_gradient", {"update_bound": 0}, "update_bound must be a number above 0"),
        ("dp_gradient", {"item_ratings": -1}, "item_ratings must be a number above 0"),
        ("dp_gradient", {"inner_iterations": 0}, "inner_iterations must be an integer"),
        ("dp_gradient", {"coherence": 0}, "coherence must be a number above 0"),
        ("dp_gradient", {"ratings_per_user": None}, "ratings_per_user must be an integer"),
        ("dp_gradient", {"start_share": 1.0}, "nothing of the budget is left"),
        ("dp_gradient", {"sampling": "weights"}, "give counts_share"),
        ("dp_effects", {"value_bound": 0}, "value_bound must be a number above 0"),
        ("dp_effects", {"effects_share": 0}, "effects_share must be a number above 0"),
        ("dp_effects", {"effects_share": 1}, "effects_share must be below 1, or nothing is left"),
        ("dp_effects", {"pairs_share": 1.0}, "pairs_share must be below 1, or nothing is left"),
        ("dp_effects", {"pairs_shrinkage": 0}, "pairs_shrinkage must be a number above 0"),
        ("dp_effects", {"item_share": 0}, "item_share must be a number above 0"),
        ("dp_altmin", {"update_bound": 0}, "update_bound must be a number above 0"),
        ("dp_altmin", {"item_ratings": np.inf}, "item_ratings must be a number above 0"),
        ("dp_altmin", {"start_share": 1.0}, "start_share must be below 1"),
        ("dp_saltls", {"ratings_per_user": None}, "ratings_per_user must be an integer"),
        ("dp_saltls", {"groups": 0}, "groups must be an integer"),
        ("dp_saltls", {"coherence": 0.9}, "coherence must be at least 1"),
    ],
)
def test_refusals(case, given, message):
    with pytest.raises(InputError, match=message):
        build(case, **given)


@pytest.mark.parametrize("case", ["dp_svd", "dp_altmin", "dp_saltls", "dp_effects"])
def test_rank_above_the_number_of_items_is_refused(case, ratings):
    model = build(case, rank=10, item_share=1.0)
    with pytest.raises(InputError, match="rank must be at most 9, the number of items, got 10"):
        model.fit(ratings, rng=0, noise_rng=1)

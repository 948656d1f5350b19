"""What every calibrated method must do, whatever its method and relation."""

import numpy as np
import pytest
from private_fits import (
    CASES,
    HIGH,
    LOW,
    Nothing,
    build,
    fit,
    fit_exactly,
    small_ratings,
)

from dpmc.errors import InputError
from dpmc.privacy.guarantee import Guarantee
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation, Replay
from dpmc.privacy.relations import USER_LEVEL
from dpmc.privacy.sensitivity import NORMS
from dpmc.ratings import Ratings

pytestmark = [pytest.mark.slow, pytest.mark.parametrize(("name", "relation"), CASES)]


@pytest.fixture
def ratings():
    return small_ratings()


def test_shapes_and_predictions(name, relation, ratings):
    model = fit(name, relation, ratings)
    matrix = model.predict_matrix()
    assert matrix.shape == (12, 9)
    assert ((matrix >= LOW) & (matrix <= HIGH)).all()
    users, items = np.array([[0, 11, 3], [5, 5, 5]]), np.array([[0, 8, 2], [7, 8, 3]])
    np.testing.assert_allclose(model.predict(users, items), matrix[users, items], rtol=1e-12)
    plain = model.item_offsets_ + model.user_factors_ @ model.item_factors_.T
    np.testing.assert_allclose(matrix, np.clip(plain, LOW, HIGH), rtol=1e-12)
    with pytest.raises(InputError, match=r"users must lie in 0\.\.11, got 12"):
        model.predict([12], [0])


def test_same_seeds_same_bits_and_no_others(name, relation, ratings):
    first = fit(name, relation, ratings)
    again = first.item_offsets_, first.item_factors_, first.user_factors_
    refitted = first.fit(ratings, rng=0, noise_rng=100)  # fitting again forgets the first fit
    for one, two in zip(
        again,
        (refitted.item_offsets_, refitted.item_factors_, refitted.user_factors_),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)
    other = build(name, relation).fit(ratings, rng=0, noise_rng=101)
    assert (other.item_offsets_ != again[0]).all()


def test_order_of_ratings_does_not_matter(name, relation, ratings):
    shuffled = ratings.take(np.random.default_rng(5).permutation(len(ratings)))
    one, two = (fit(name, relation, each).predict_matrix() for each in (ratings, shuffled))
    np.testing.assert_array_equal(one, two)


def test_ratings_out_of_range_count_as_its_ends(name, relation, ratings):
    far = Ratings(ratings.users, ratings.items, 100 * (ratings.values - 3), 12, 9)
    clipped = Ratings(far.users, far.items, np.clip(far.values, LOW, HIGH), 12, 9)
    one, two = (fit(name, relation, each).predict_matrix() for each in (far, clipped))
    np.testing.assert_array_equal(one, two)


# -- releases -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", NORMS)
def test_as_many_releases_as_planned_of_public_shapes(name, relation, mechanism, ratings):
    model = build(name, relation, mechanism=mechanism)
    made = fit_exactly(model, ratings, keep=True)
    assert len(made) == model.releases == model.guarantee_.releases
    emptied = fit_exactly(model, Ratings([], [], [], 12, 9), keep=True)
    assert [(each.what, each.sensitivity, each.query.shape) for each in made] == [
        (each.what, each.sensitivity, each.query.shape) for each in emptied
    ]
    if relation in USER_LEVEL:  # not even the number of users shows
        fewer = ratings.take(ratings.users < 3)
        fewer = Ratings(fewer.users, fewer.items, fewer.values, 3, 9)
        alone = fit_exactly(model, fewer, keep=True)
        shapes = [each.query.shape for each in made]
        assert shapes == [each.query.shape for each in alone]
        assert all(shape[0] in (1, 9) for shape in shapes)


def test_another_number_of_releases_is_noticed(name, relation, ratings):
    model = fit(name, relation, ratings)  # whose guarantee must not stay
    with pytest.raises(PrivacyViolation, match=r"only .* releases were accounted for"):
        model.fit(ratings, rng=0, ledger=Ledger(Nothing(), model.releases - 1))
    with pytest.raises(PrivacyViolation, match=r"were accounted for, .* were made"):
        model.fit(ratings, rng=0, ledger=Ledger(Nothing(), model.releases + 1))
    assert not hasattr(model, "guarantee_")


@pytest.mark.parametrize("mechanism", ["gaussian", "huber"])
def test_neighbours_stay_within_the_sensitivities(name, relation, mechanism, ratings):
    """Replayed with the outputs of one run, its neighbour asks nothing farther than stated."""
    model = build(name, relation, mechanism=mechanism)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        outputs = _noised(model, ratings, rng)
        for other in _neighbours(relation, ratings, rng):
            here, there = (_replayed(model, each, outputs) for each in (ratings, other))
            for one, two in zip(here, there, strict=True):
                change = (one.query - two.query).ravel()
                assert np.linalg.norm(change, NORMS[mechanism]) <= one.sensitivity * (1 + 1e-12)


def _noised(model, ratings, rng):
    ledger = Ledger(FloatNoise(model.calibration.noise, rng), model.releases, keep=True)
    model.fit(ratings, rng=0, ledger=ledger)
    return [each.output for each in ledger.transcript]


def _replayed(model, ratings, outputs):
    ledger = Ledger(Replay(outputs), model.releases, keep=True)
    model.fit(ratings, rng=0, ledger=ledger)
    return ledger.transcript


def _neighbours(relation, ratings, rng):
    """Yield a few neighbours that differ as much as they may."""
    user = int(rng.integers(11))
    users, items, values = ratings.users, ratings.items, ratings.values
    if relation == "entry_change":
        changed = values.copy()
        changed[0] = -100.0
        yield Ratings(users, items, changed, 12, 9)
    elif relation == "entry_add_remove":
        yield ratings.take(np.arange(len(ratings)) != rng.integers(len(ratings)))
    elif relation == "user_add_remove":
        yield ratings.take(users != user)
        everything = ratings.take(users != 11)  # the last one has no ratings
        yield Ratings(
            np.append(everything.users, np.full(9, 11)),
            np.append(everything.items, np.arange(9)),
            np.append(everything.values, rng.choice([-100.0, 100.0], 9)),
            12,
            9,
        )
    else:
        kept = ratings.take(users != user)
        yield Ratings(
            np.append(kept.users, np.full(9, user)),
            np.append(kept.items, np.arange(9)),
            np.append(kept.values, rng.choice([-100.0, 100.0], 9)),
            12,
            9,
        )


# -- the guarantee ------------------------------------------------------------------------------


def test_guarantee(name, relation, ratings):
    model = build(name, relation, delta=1e-6)
    assert "no guarantee yet" in str(model)
    model.fit(ratings, rng=0, noise_rng=1)
    guarantee = model.guarantee_
    assert isinstance(guarantee, Guarantee)
    assert (guarantee.relation, guarantee.epsilon, guarantee.delta) == (relation, 3.0, 1e-6)
    assert (guarantee.mechanism, guarantee.accountant) == ("gaussian", "exact")
    assert guarantee.releases == model.releases
    assert guarantee.noise_multiplier == pytest.approx(model.calibration.noise.std())
    assert guarantee.simulated
    assert str(model).endswith(guarantee.sentence())
    everything = ("item_factors", "user_factors", "predictions")
    assert guarantee.publishable == (everything[:1] if relation in USER_LEVEL else everything)


# -- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad", [None, "auto", "max", (1,), (1, 2, 3), (5, 1), (1, 1), (1, np.inf), ("1", "5"), 5]
)
def test_ranges_that_are_not_public_are_refused(name, relation, bad):
    with pytest.raises(InputError, match=r"known without looking at the ratings: the noise .* got"):
        build(name, relation, rating_range=bad)


@pytest.mark.parametrize("bad", [None, "max", 0, -1, 2.5, True])
def test_numbers_of_ratings_that_are_not_public_are_refused(name, relation, bad):
    if relation in USER_LEVEL:
        with pytest.raises(InputError, match=r"chosen without looking at the ratings: .* got"):
            build(name, relation, ratings_per_user=bad)
    elif bad is not None:
        with pytest.raises(InputError, match=f"no meaning with the relation {relation}"):
            build(name, relation, ratings_per_user=bad)


def test_other_refusals(name, relation, ratings):
    with pytest.raises(InputError, match=r"no neighbouring relation 'user'"):
        build(name, "user", ratings_per_user=3)
    with pytest.raises(InputError, match=r"must be dpmc\.ratings\.Ratings, got ndarray"):
        fit(name, relation, np.ones((3, 3)))
    with pytest.raises(InputError, match="noise_rng is needed"):
        build(name, relation).fit(ratings, rng=0)
    with pytest.raises(InputError, match="rng is needed"):
        build(name, relation).fit(ratings, rng=None, noise_rng=0)
    with pytest.raises(InputError, match="no guarantee at delta = 0"):
        fit(name, relation, ratings, delta=0)
    with pytest.raises(InputError, match="no predictions before fit"):
        build(name, relation).predict([0], [0])

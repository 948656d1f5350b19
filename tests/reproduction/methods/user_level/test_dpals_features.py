"""DPALS with public features: nothing more is released, and each step minimises what it should."""

import numpy as np
import pytest
from user_level_fits import BUDGET, DPALS, build, small_ratings

from dpmc.errors import InputError
from dpmc.privacy.ledger import FloatNoise, Ledger
from dpmc.publication.features import Features
from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.dpals_features import (
    ALTERNATIONS,
    FEATURE_MODELS,
    DPALSWithFeatures,
    encoded,
    factored,
)

GRAMS = {
    "with Gram matrices": {"sampling": "weights", "counts_share": 0.1},
    "without": {"gram": "free", "row_bound": 3.0, "item_share": 0.7, "counts_share": 0.1},
}
of_grams = pytest.mark.parametrize("grams", GRAMS)
of_models = pytest.mark.parametrize("model", FEATURE_MODELS)


def labelled(ratings):
    items = [f"i{number}" for number in range(ratings.n_items)]
    shape = ratings.n_users, ratings.n_items
    return Ratings(ratings.users, ratings.items, ratings.values, *shape, item_labels=items)


def features_of(ratings, columns=3, seed=9):
    table = np.random.default_rng(seed).standard_normal((ratings.n_items, columns))
    return Features(tuple("abcdef"[:columns]), list(ratings.item_labels), table)


def with_features(**given):
    return DPALSWithFeatures(relation="user_add_remove", **(BUDGET | DPALS | given))


def transcript(model, ratings, **given):
    noise = FloatNoise(model.calibration.noise, np.random.default_rng(100))
    ledger = Ledger(noise, model.releases, keep=True)
    model.fit(ratings, rng=0, ledger=ledger, **given)
    return ledger.transcript


@of_grams
@of_models
def test_weight_0_or_no_features_is_dpals_to_the_bit(grams, model):
    ratings = labelled(small_ratings())
    plain = build(**GRAMS[grams]).fit(ratings, rng=0, noise_rng=1)
    given = {"item_features": features_of(ratings)}
    for weight, known in ((0.0, given), (3.0, {})):
        found = with_features(**GRAMS[grams], feature_model=model, feature_weight=weight)
        found.fit(ratings, rng=0, noise_rng=1, **known)
        np.testing.assert_array_equal(found.item_factors_, plain.item_factors_)
        np.testing.assert_array_equal(found.user_factors_, plain.user_factors_)
        assert found.guarantee_.features == bool(known)


@of_grams
@of_models
def test_features_add_no_release_and_change_none_of_the_first_round(grams, model):
    ratings = labelled(small_ratings())
    plain = transcript(build(**GRAMS[grams]), ratings)
    found = transcript(
        with_features(**GRAMS[grams], feature_model=model, start="normal"),
        ratings,
        item_features=features_of(ratings),
    )
    assert [(each.what, each.sensitivity) for each in plain] == [
        (each.what, each.sensitivity) for each in found
    ]
    rounds = [place for place, each in enumerate(plain) if each.what == "right_hand_side"]
    for one, two in zip(plain[: rounds[0] + 1], found[: rounds[0] + 1], strict=True):
        np.testing.assert_array_equal(one.query, two.query)
    assert np.abs(plain[rounds[1]].query - found[rounds[1]].query).max() > 1e-3


@pytest.fixture
def step():
    """Return H, w, lambda and f of 7 items with 3 factors, and omega."""
    rng = np.random.default_rng(4)
    halves = rng.standard_normal((7, 3, 2))  # H have an eigenvalue 0
    strengths = rng.uniform(0.5, 2.0, 7)
    return (
        halves @ halves.swapaxes(1, 2),
        rng.standard_normal((7, 3)),
        strengths,
        rng.standard_normal((7, 4)),
        1.7,
    )


def root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def test_factored_rows_are_least_squares_by_turns(step):
    grams, targets, strengths, features, weight = step
    rows, loadings = np.zeros_like(targets), np.zeros((4, 3))
    for _ in range(ALTERNATIONS + 1):
        for item in range(7):
            ridged = root(grams[item] + strengths[item] * np.eye(3))
            left = np.vstack([ridged, np.sqrt(weight) * loadings])
            right = [np.linalg.solve(ridged, targets[item]), np.sqrt(weight) * features[item]]
            rows[item] = np.linalg.lstsq(left, np.concatenate(right), rcond=None)[0]
        loadings = features.T @ rows @ np.linalg.inv(rows.T @ rows)
    np.testing.assert_allclose(factored(*step), rows, rtol=1e-8)


def test_encoded_rows_are_the_least_of_all_together(step):
    grams, targets, strengths, features, weight = step
    columns = np.column_stack([np.ones(7), features])

    def residuals(parameters):
        rows, encoder = parameters[:21].reshape(7, 3), parameters[21:].reshape(5, 3)
        free = np.sqrt(strengths)[:, None] * (rows - columns @ encoder)
        private = [root(gram) @ row for gram, row in zip(grams, rows, strict=True)]
        return np.concatenate(
            [np.ravel(private), free.ravel(), np.sqrt(strengths.mean() / weight) * encoder.ravel()]
        )

    design = np.array([residuals(unit) for unit in np.eye(36)]).T
    slopes = np.concatenate([targets.ravel(), np.zeros(15)])
    least = np.linalg.solve(design.T @ design, slopes)[:21].reshape(7, 3)
    np.testing.assert_allclose(encoded(*step), least, rtol=1e-7)


def test_features_need_labels_before_anything_is_spent():
    ratings = small_ratings()
    known = features_of(labelled(ratings))
    with pytest.raises(InputError, match="Features of items need ratings with item_labels"):
        with_features().fit(ratings, rng=0, noise_rng=1, item_features=known)

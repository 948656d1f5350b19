"""A fit for publication is of the settings that its noise was made for, or it is refused."""

import numpy as np
import pytest

from dpmc.errors import InputError
from dpmc.privacy.ledger import Ledger
from dpmc.privacy.release import GridNoise
from dpmc.privacy.selection import Selection
from dpmc.ratings import Ratings
from dpmc_studies.methods import method_class

USERS, ITEMS = 12, 6


def ratings_of(user_labels=None, item_labels=None):
    users, items = np.divmod(np.arange(USERS * ITEMS), ITEMS)
    labels = [
        np.array([f"{what}{k}" for k in range(size)]) if given is None else np.array(given)
        for what, size, given in (("u", USERS, user_labels), ("i", ITEMS, item_labels))
    ]
    fields = {"user_labels": labels[0], "item_labels": labels[1]}
    return Ratings(users, items, 1.0 + users % 5, USERS, ITEMS, **fields)


def model_of(name="private_als", **changes):
    settings = {
        "relation": "user_add_remove", "epsilon": 5.0, "delta": 1e-3, "rating_range": (1, 5),
        "ratings_per_user": 3, "rank": 1,
    }  # fmt: skip
    return method_class(name)(**settings | changes)


def refused(model, ratings, **given):
    """Return why an exact fit is refused; nothing is released before it is."""
    releases = model.releases_with(given.get("selection"))
    ledger = Ledger(GridNoise(model.calibration.noise), releases)
    with pytest.raises(InputError) as caught:
        model.fit(ratings, ledger=ledger, **given)
    assert ledger.count == 0
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["private_als", "dpals"])
@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("epsilon", 0.1),
        ("iterations", 50),
        ("relation", "user_replace"),
        ("rating_range", (0.0, 9.0)),
        ("ratings_per_user", 1),
    ],
)
def test_settings_that_change_after_construction(name, attribute, value):
    model = model_of(name)
    noise, releases = model.calibration.noise, model.releases
    setattr(model, attribute, value)
    ledger = Ledger(GridNoise(noise), releases)
    with pytest.raises(InputError, match=f"{attribute} was changed after construction"):
        model.fit(ratings_of(), ledger=ledger)
    assert ledger.count == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"row_bound": 1e-200, "gram": "free"},
        {"factor_bound": 1e-201},
        {"user_regularization": 1e200},
        {"rating_range": (0, 5e153)},
    ],
)
def test_settings_whose_squares_are_no_numbers(changes):
    """Clipping would divide by a norm that is 0 or infinite, and so clip nothing."""
    assert "must lie between 1e-30 and 1e+30" in refused(model_of("dpals", **changes), ratings_of())


@pytest.mark.parametrize("name", ["private_als", "dpals", "local_bayes"])
@pytest.mark.parametrize("low", [2.0**54 + 4, -(2.0**54) - 8, 1e10])
def test_a_range_that_floats_do_not_resolve(name, low):
    """Its middle is rounded to one of its ends, and ratings lie further off than half of it."""
    settings = {"relation": "user_add_remove", "epsilon": 5.0, "rating_range": (low, low + 4)}
    settings |= {} if name == "local_bayes" else {"rank": 1, "ratings_per_user": 3}
    with pytest.raises(InputError, match="rating_range must be no shorter than 1e-09 of its larg"):
        method_class(name)(**settings)


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("private_als", {"user_regularization": 1e-9}, "user_regularization must be at least"),
        ("private_irls", {"loss_parameter": 4.01}, "loss_parameter must be at most 4"),
        ("private_als", {"mechanism": "laplace", "norm": 2}, "norm must be 1 in a fit for public"),
        ("dpals", {"user_regularization": 1e-9}, "user_regularization must be at least"),
        ("dpals", {"dtype": "float32"}, "need dtype 'float64'"),
        ("dpals", {"row_bound": 1e-200, "gram": "free"}, "must lie between 1e-30 and"),
    ],
)
def test_settings_are_refused_without_any_ratings(name, settings, said):
    with pytest.raises(InputError, match=said):
        model_of(name, **settings).check_settings()


def test_labels_that_occur_twice():
    assert "Two users have the same label" in refused(model_of(), ratings_of(["u"] * USERS))
    twice = ratings_of(item_labels=["i"] * ITEMS)
    assert "Two items have the same label" in refused(model_of(), twice)


@pytest.mark.parametrize(
    "other", [{"relation": "user_add_remove"}, {"ratings_per_user": 2}, {"ratings_per_user": 4}]
)
def test_a_choice_of_items_for_another_model(other):
    mine = {"relation": "user_replace", "ratings_per_user": 3}
    its = mine | other
    selection = Selection(its["relation"], its["ratings_per_user"], 5.0, 1e-3, 0.3)
    model = model_of(**mine, epsilon=selection.fit_epsilon, delta=selection.fit_delta)
    sentence = refused(model, ratings_of(), selection=selection)
    assert "needs the relation and the number of ratings of a user of the model" in sentence

"""What the guarantee of published DPALS results rests on, beside its sensitivities."""

import numpy as np
import pytest
from small_dpals import labelled

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.privacy.ledger import FloatNoise, Ledger, Replay
from dpmc.privacy.release import LEAST_SHARE, GridNoise
from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.dpals import DPALS

FORMS = {
    "noised": {},
    "free and clipped": {"gram": "free", "row_bound": 2.0},
    "private start": {"start": "analyze_gauss"},
    "penalty and counts": {
        "global_penalty": 0.1,
        "sampling": "adaptive",
        "counts_share": 0.1,
        "mean_share": 0.1,
        "centring": "global",
    },
}
EVERY_FORM = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def model_of(**given):
    public = {"relation": "user_add_remove", "epsilon": 5.0, "rating_range": (1, 5)}
    return DPALS(**{**public, "ratings_per_user": 6, "rank": 2, **given})


def ratings_of(users=40, items=12, seed=0):
    rng = np.random.default_rng(seed)
    pairs = np.argwhere(rng.random((users, items)) < 0.5)
    return Ratings(*pairs.T, rng.integers(1, 6, len(pairs)), users, items)


def published(model, ratings):
    ledger = Ledger(GridNoise(model.calibration.noise), model.releases)
    return model.fit(labelled(ratings), ledger=ledger)


@EVERY_FORM
def test_exact_noise_in_shares(form):
    model = published(model_of(**form), ratings_of())
    assert not model.guarantee_.simulated
    model.guarantee_.require("item_factors")
    assert np.isfinite(model.item_factors_).all()


def test_exact_noise_of_a_share_has_its_deviation():
    ledger = Ledger(GridNoise(Gaussian(1.5)), 1)
    drawn = [
        ledger.release("x", np.zeros(3000), 2.0, weight=weight) for weight in (2**0.5, 2, 4, 4, 8)
    ]
    for each, weight in zip(drawn, (2**0.5, 2, 4, 4, 8), strict=True):
        # 3000 draws: 1.3 % at one deviation; wrong once in some million runs
        assert each.std() == pytest.approx(3 * weight, rel=0.065)
    assert ledger.spent == pytest.approx(0.5 + 0.25 + 2 / 16 + 1 / 64)


def test_too_much_for_the_errors_of_rounding_is_refused_before_anything_is_released():
    for given, ratings, sentence in (
        ({"dtype": "float32"}, ratings_of(), "need dtype 'float64'"),
        ({"resampled": True}, ratings_of(), "need resampled=False"),
        ({"user_regularization": 9e-7}, ratings_of(), "must be at least 1e-06, or rounding"),
        (
            {"mean_share": LEAST_SHARE, "centring": "global"},  # two releases share it
            ratings_of(),
            r"at least the share 0\.000244141 of the budget.*the smallest is 0\.00012",
        ),
    ):
        model = model_of(**given)
        ledger = Ledger(GridNoise(model.calibration.noise), model.releases)
        with pytest.raises(InputError, match=sentence) as caught:
            model.fit(labelled(ratings), ledger=ledger)
        assert "\n" not in str(caught.value)
        assert ledger.count == 0


@EVERY_FORM
def test_a_user_who_leaves_moves_no_bit_of_what_does_not_concern_that_user(form):
    """Replayed, so that all released numbers agree: rows of users must not depend on each other,
    nor sums of an item on those of others."""
    ratings, model = ratings_of(), model_of(**form)
    ledger = Ledger(FloatNoise(model.calibration.noise, np.random.default_rng(3)), 1, keep=True)
    model.fit(ratings, rng=0, ledger=ledger)
    rows = ratings.by_user
    for user in (0, 17, 39):
        replay = Ledger(Replay(each.output for each in ledger.transcript), 1, keep=True)
        model.fit(ratings.take(ratings.users != user), rng=0, ledger=replay)
        mine = np.isin(np.arange(12), rows.indices[rows.indptr[user] : rows.indptr[user + 1]])
        seen = []
        for here, there in zip(ledger.transcript, replay.transcript, strict=True):
            if here.what in ("gram", "right_hand_side", "counts"):
                one, two = here.query.reshape(12, -1), there.query.reshape(12, -1)
                np.testing.assert_array_equal(one[~mine], two[~mine])
                assert not np.array_equal(one, two)
                seen.append(here.what)
        assert seen.count("right_hand_side") == model.iterations

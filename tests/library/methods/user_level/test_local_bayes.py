"""Local Bayes as a whole: budget, publication, what users complete, and how good it is."""

import json

import numpy as np
import pytest

from dpmc.errors import InputError
from dpmc.methods import method_class
from dpmc.methods.blocks import joined
from dpmc.methods.private import EVERY_RATING
from dpmc.methods.released import fit_folder
from dpmc.methods.released.verify_fit import account_fit
from dpmc.methods.user_level.local_bayes import check, directions, offsets, refinement, scale, worth
from dpmc.methods.user_level.local_bayes import method as local_bayes
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation, Replay
from dpmc.privacy.release import GridNoise
from dpmc.publication.features import Features
from dpmc.ratings import Ratings
from dpmc.released import load
from dpmc_studies.studies.audit.neighbours import labelled_neighbours, of_people
from dpmc_studies.studies.audit.released import Publisher, follow_published
from dpmc_studies.studies.audit.traces import asked

RANGE = (1.0, 5.0)


def drawn(seed, n_users=1500, n_items=60, rank=3, density=0.4, noise=0.6):
    """Return ratings of a drawn matrix of stars: item offsets, factors and noise."""
    rng = np.random.default_rng(seed)
    observed = rng.random((n_users, n_items)) < density
    users, items = np.nonzero(observed)
    u, v = rng.standard_normal((n_users, rank)), 0.4 * rng.standard_normal((n_items, rank))
    truth = 3 + 0.4 * rng.standard_normal(n_items) + 0.4 * rng.standard_normal((n_users, 1))
    truth = truth + u @ v.T
    values = np.clip(truth[users, items] + noise * rng.standard_normal(users.size), *RANGE)
    labels = {
        "user_labels": np.array([f"u{k}" for k in range(n_users)], dtype=object),
        "item_labels": np.array([f"i{k}" for k in range(n_items)], dtype=object),
    }
    return Ratings(users, items, values, n_users, n_items, **labels)


def model(epsilon=5.0, relation="user_add_remove", rating_range=RANGE, **settings):
    return LocalBayes(
        relation=relation, epsilon=epsilon, delta=1e-5, rating_range=rating_range, **settings
    )


def halves(ratings, seed=0):
    part = np.random.default_rng(seed).random(len(ratings)) < 0.8
    return ratings.take(part), ratings.take(~part)


def rmse(fitted, test):
    return np.sqrt(np.mean((fitted.predict(test.users, test.items) - test.values) ** 2))


@pytest.mark.parametrize("relation", ["user_add_remove", "user_replace"])
@pytest.mark.parametrize("epsilon", [0.01, 1, 20])
def test_a_fit_spends_its_budget_and_no_more(relation, epsilon):
    fitted = model(epsilon, relation)
    noise = FloatNoise(fitted.calibration.noise, np.random.default_rng(1))
    ledger = Ledger(noise, fitted.releases, keep=True)
    fitted.fit(drawn(0, n_users=200), rng=0, ledger=ledger)
    assert ledger.spent == pytest.approx(fitted.releases, rel=1e-12)
    names = [each.what for each in ledger.transcript]
    assert names[:2] == ["scale", "offsets"]
    assert set(names[2:-1]) <= {"covariance", "updates"}
    assert names[-1] == "check"
    assert fitted.guarantee_.epsilon == epsilon
    doubled = 2 if relation == "user_replace" else 1
    assert ledger.transcript[0].sensitivity == 2 * doubled


@pytest.mark.parametrize("n_ratings", [0, 1, 5])
def test_hardly_any_ratings_are_no_error(n_ratings):
    few = drawn(0, n_users=50).take(np.arange(n_ratings))
    fitted = model(0.5).fit(few, rng=0, noise_rng=1)
    matrix = fitted.predict_matrix()
    assert np.isfinite(matrix).all()
    assert matrix.min() >= 1
    assert matrix.max() <= 5


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"relation": "entry_change"}, "relation must be"),
        ({"mechanism": "laplace"}, "mechanism must be"),
        ({"most_factors": 0}, "most_factors must be an integer of at least 1"),
        ({"epsilon": 0}, "epsilon must be"),
    ],
)
def test_settings_out_of_range_are_refused(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        model(**settings)


@pytest.mark.parametrize("given", [None, 10])
def test_published_with_exact_noise_and_completed_alone(tmp_path, given):
    ratings = drawn(1, n_users=400)
    fitted = model(20.0, ratings_per_user=given)
    fitted.fit(ratings, ledger=Ledger(GridNoise(fitted.calibration.noise), fitted.releases))
    fit_folder.write(tmp_path / "out", fitted, ("item_factors",), {})
    stated = json.loads((tmp_path / "out" / "guarantee.json").read_text())
    assert stated["constants"]["ratings_per_user"] == (given or EVERY_RATING)
    assert ("ratings_per_user" in stated["assumed_public"]) == (given is not None)
    assert (stated["key"] is None) == (given is None)
    assert account_fit(tmp_path / "out", stated).sentence == stated["sentence"]
    published = load(tmp_path / "out")
    rows = ratings.by_user
    for user in (0, 3):
        own = slice(rows.indptr[user], rows.indptr[user + 1])
        labels = ratings.item_labels[rows.indices[own]].tolist()
        found = published.complete(dict(zip(labels, rows.values[own], strict=True)))
        expected = fitted.predict(np.full(60, user), np.arange(60))
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 2, 20])
def test_it_is_never_worse_than_biases_and_better_where_there_is_room(epsilon):
    """Over 4 drawn matrices; differences are 5 standard errors or more: it fails by no chance."""
    gaps = []
    for seed in range(4):
        train, test = halves(drawn(seed, n_users=3000))
        bias = method_class("private_user_item_bias")(
            relation="user_add_remove", epsilon=epsilon, rating_range=RANGE, ratings_per_user=30
        ).fit(train, rng=0, noise_rng=1)
        fitted = model(epsilon).fit(train, rng=0, noise_rng=1)
        gaps.append(rmse(fitted, test) / rmse(bias, test))
    assert max(gaps) < 1.003
    if epsilon == 20:
        assert max(gaps) < 0.93
        assert fitted.item_factors_.shape[1] == 4  # the users' level and the three drawn factors


def test_held_out_ratings_say_what_the_model_is_worth(tmp_path):
    """The noise of 5 % of epsilon 20 over 3,000 users is .002: the bounds are ten times that."""
    ratings = drawn(0, n_users=3000)
    fitted = model(20.0, held_out=0.2).fit(ratings, rng=0, noise_rng=1)
    worth = fitted.worth_
    train, test = halves(ratings)
    unbiased = model(20.0).fit(train, rng=0, noise_rng=1)
    assert abs(worth.rmse - rmse(unbiased, test)) < 0.02
    assert worth.rmse < worth.bias_rmse - 5 * worth.difference_deviation
    assert 0 < worth.difference_deviation < worth.bias_rmse_deviation < 0.02
    fit_folder.write(tmp_path / "out", fitted, ("item_factors",), {})
    stated = json.loads(next((tmp_path / "out").glob("*guarantee.json")).read_text())
    assert stated["worth"]["rmse"] == worth.rmse
    assert account_fit(tmp_path / "out", stated).sentence == stated["sentence"]


@pytest.mark.parametrize("seed", range(3))
def test_the_stated_deviations_of_errors_are_those_of_the_noise(seed):
    """2,000 draws of the noise: standard deviations are within 7 % but once in 10^5."""
    rng = np.random.default_rng(seed)
    exact = np.array([300.0, 40.0, 1000.0, 0.0]) * rng.uniform(0.8, 1.2, 4)
    draws = [worth.read(exact + 5 * rng.standard_normal(4), 5.0, 4.0, 5.0) for _ in range(2000)]
    expected = worth.read(exact, 5.0, 4.0, 5.0)
    square, gain = expected.rmse**2, expected.bias_rmse**2 - expected.rmse**2
    of_ours, of_gain = square**2 * (2 / 5 + 0.36) / exact[2], 4 * square * gain / 5 / exact[2]
    for name, values, drawn in (  # which ratings were held out does not change here
        ("rmse_deviation", [each.rmse for each in draws], of_ours / square),
        (
            "bias_rmse_deviation",
            [each.bias_rmse for each in draws],
            (of_ours + of_gain) / expected.bias_rmse**2,
        ),
        (
            "difference_deviation",
            [each.bias_rmse - each.rmse for each in draws],
            4 * of_gain / (expected.rmse + expected.bias_rmse) ** 2,
        ),
    ):
        by_noise = np.sqrt(getattr(expected, name) ** 2 - drawn / 4)
        assert np.std(values) == pytest.approx(by_noise, rel=0.15)


def test_the_stated_deviation_covers_which_ratings_were_held_out():
    """Normal errors and no noise: of 400 draws 1 in 20 is beyond 2 deviations, never 1 in 8."""
    rng, beyond = np.random.default_rng(0), 0
    for _ in range(400):
        errors = rng.standard_normal((300, 8)) * np.exp(0.28 * rng.standard_normal((300, 1)))
        sums = np.array([np.sum(np.mean(errors**2, axis=1)) / 9, 0.0, 300.0, 0.0])
        found = worth.read(sums, 1e-6, 9.0, 8.0)
        beyond += abs(found.rmse - np.exp(0.28**2)) > 2 * found.rmse_deviation
    assert beyond < 50


def test_an_error_is_at_least_what_is_told_where_some_are_larger_than_what_counts():
    """One user in ten is 50 off, of which a square of 4 counts."""
    rows = Ratings(*np.divmod(np.arange(1200), 6), np.zeros(1200), 200, 6).by_user
    errors = np.where(np.arange(1200) < 120, 50.0, 1.0)
    sums, _ = worth.statistic(rows, lambda *_: (rows, errors, errors), 4.0, 12.0)
    assert sums[3] == 10  # a user with 6 of 12 ratings counts for a half
    noisy = worth.read(sums, 1.0, 4.0, 12.0)
    assert noisy.told == worth.AT_LEAST
    assert noisy.rmse < np.sqrt(np.mean(errors**2)) / 5
    assert worth.read(sums * [1, 1, 1, 0], 1.0, 4.0, 12.0).told == worth.ABOUT


@pytest.mark.parametrize("error", [0.0, 1.0])
def test_an_error_below_its_noise_is_not_told(error):
    """10 users beside noise of 10: neither an error of nothing nor one of the noise's size."""
    found = worth.read(np.array([10 * error / 4, 0.0, 10.0, 0.0]), 10.0, 4.0, 5.0)
    assert found[:3] == (worth.NOTHING, None, None)
    assert found.rmse_deviation == pytest.approx(2.0)
    assert "cannot be told: noise alone amounts to 2" in fit_folder.worth_in_words(*found)


def test_the_less_noise_the_more_ratings_of_a_user_count():
    whole = scale.Scale(typical=0.5, mean=0.0, mean_variance=0.0, users=1000.0, ratings=5e4)
    assert worth.full_weight(100.0, whole, 0.2) == 5  # of 10 that are held out, on average
    assert worth.full_weight(10.0, whole, 0.2) == pytest.approx(10)
    assert worth.full_weight(1e-3, whole, 0.2) == pytest.approx(20)


@pytest.mark.parametrize(("noise", "squares"), [(1.0, 10.0), (1e-3, 64.0), (50.0, 4.0)])
def test_the_less_noise_the_larger_errors_count(noise, squares):
    whole = scale.Scale(typical=0.5, mean=0.0, mean_variance=0.0, users=1000.0, ratings=1e4)
    assert worth.largest(noise, whole) == pytest.approx(squares * 0.5**2)


def test_errors_are_those_of_ratings_held_out_where_none_is_large_and_none_is_noised():
    """Differences of both kinds are beyond what counts of them: of the model's error nothing is."""
    rng = np.random.default_rng(0)
    rows = Ratings(*np.divmod(np.arange(300), 6), rng.normal(size=300), 50, 6).by_user
    ours, theirs = 0.1 * rng.normal(size=(2, 300)) + [[0.0], [3.0]]
    predictions = rows.values - ours, rows.values - theirs
    sent, _ = worth.statistic(rows, lambda *_: (rows, *predictions), 4.0, 5.0)
    found = worth.read(sent, 1e-9, 4.0, 5.0)
    assert found.rmse == pytest.approx(np.sqrt(np.mean(ours**2)), rel=1e-6)
    assert found.bias_rmse**2 == pytest.approx(found.rmse**2 + 1, rel=1e-6)


def test_one_user_moves_the_errors_by_at_most_their_norm():
    rng, most = np.random.default_rng(0), 0.0
    for n in [*rng.integers(1, 12, 200), 10_000]:
        rows = Ratings(np.zeros(n, int), np.arange(n), 9 * rng.standard_normal(n), 1, n).by_user
        both = 9 * rng.standard_normal((2, n)) * (rng.random((2, 1)) < 0.7)
        given = (rows, *both)
        terms = rng.uniform(0.1, 10), rng.uniform(5, 20)
        sent, longest = worth.statistic(rows, lambda *_, given=given: given, *terms)
        assert np.linalg.norm(sent) == pytest.approx(longest, rel=1e-12)
        assert longest <= worth.NORM * (1 + 1e-12)
        most = max(most, longest)
    assert most == pytest.approx(worth.NORM)  # attained: all four numbers are at their ends


@pytest.mark.parametrize("module", [scale, offsets, directions, refinement, check, worth])
def test_a_user_beyond_the_stated_norm_of_any_release_stops_the_fit(module, monkeypatch):
    """So each release is measured, and not its bound compared with itself."""
    right = module.statistic

    def longer(*given, **named):
        sent, _, *more = right(*given, **named)
        return sent, 2.1, *more

    monkeypatch.setattr(module, "statistic", longer)
    fitted = model(held_out=0.3, explained=1e6)
    if module is refinement:  # the class holds it, so that forms of the method can have another
        monkeypatch.setattr(type(fitted), "update", staticmethod(longer))
    with pytest.raises(PrivacyViolation, match=r": a user has a norm above the bound [\d.]+$"):
        fitted.fit(drawn(0, n_users=50), rng=0, noise_rng=1)


def test_a_user_with_10_000_ratings_moves_no_release_by_more_than_is_stated():
    """All at one end: attained is the first release, for which others have too few ratings."""
    rng = np.random.default_rng(2)
    crowd = rng.random((15, 10_000)) < 0.001
    rows = np.where(np.vstack([crowd[:7], np.ones(10_000, bool), crowd[7:]]), 5.0, np.nan)
    labels = [f"person {number}" for number in range(16)]
    here, there = of_people(rows, labels), of_people(np.delete(rows, 7, 0), np.delete(labels, 7))
    publisher = Publisher(model(explained=1e-6))
    noise = FloatNoise(publisher.method.calibration.noise, rng)
    changes = follow_published(publisher, noise, here, there, rng).changes
    assert 0.99 < changes["scale"] <= 1 + 1e-9
    assert max(changes.values()) <= 1 + 1e-9


@pytest.mark.parametrize("relation", ["user_add_remove", "user_replace"])
@pytest.mark.parametrize("explained", [1e-6, 1e6])  # without a covariance, and with one
def test_nothing_but_noised_sums_leaves_a_fit_that_tells_its_error(relation, explained):
    """Which ratings are held out, and which of the others count, is each user's own business."""
    settings = {"held_out": 0.4, "ratings_per_user": 3, "explained": explained}
    publisher = Publisher(model(relation=relation, **settings))
    rng = np.random.default_rng(0)
    noise = FloatNoise(publisher.method.calibration.noise, rng)
    for _ in range(2):
        for here, there in labelled_neighbours(relation, rng).values():
            found = follow_published(publisher, noise, here, there, rng)
            assert "worth" in found.changes
            assert max(found.changes.values()) <= 1 + 1e-9
            assert found.differing == 0


FEATURES = Features(
    ("year", "drama"), [f"i{k}" for k in range(60)], np.random.default_rng(1).random((60, 2))
)


@pytest.mark.parametrize(
    ("told", "features"),
    [(None, None), ((1e9, 0), None), (None, FEATURES)],
    ids=["as noised", "biases", "features"],
)
def test_the_same_outputs_give_the_same_publication_whatever_the_ratings_are(told, features):
    """Neighbours differ too little to show which items, steps or means exact numbers would choose.

    The others are few, all at one end, and of a few items alone.
    """
    here, fitted = drawn(0, n_users=300), model(20.0)
    places = np.arange(40)
    labels = {"item_labels": here.item_labels}
    there = Ratings(places % 20, 57 + places // 20, np.full(40, 5.0), 20, 60, **labels)
    noise = FloatNoise(fitted.calibration.noise, np.random.default_rng(0))
    run = Ledger(noise, fitted.releases, keep=True)
    fitted.fit(here, rng=0, ledger=run, item_features=features)
    outputs = [each.output for each in run.transcript]
    if told is not None:  # so that another model is published
        outputs = [np.array(told, float) if each.shape == (2,) else each for each in outputs]
    published = []
    for ratings in (here, there):
        replay = Ledger(Replay(outputs), fitted.releases, keep=True)
        again = model(20.0).fit(ratings, rng=0, ledger=replay, item_features=features)
        published.append(vars(again))
        assert asked(replay) == asked(run)
    assert "covariance" in [each.what for each in run.transcript]
    for name in ("item_offsets_", "item_factors_", "item_precisions_", "spread_", "scale_"):
        np.testing.assert_array_equal(published[0][name], published[1][name])
    for name in ("fell_back_to_", "steps_taken_back_"):
        assert published[0][name] == published[1][name]


def test_offsets_stay_within_the_range_where_noise_puts_them_beyond():
    """Half of the items are as bad as can be, the others as good."""
    users, items = np.divmod(np.arange(200 * 60), 60)
    ratings = Ratings(users, items, np.where(items % 2, 5.0, 1.0), 200, 60)
    offsets = model(20.0).fit(ratings, rng=0, noise_rng=0).item_offsets_
    assert RANGE[0] == offsets.min() < offsets.max() == RANGE[1]


def test_ratings_held_out_have_no_part_in_the_check_either(monkeypatch):
    right, seen = local_bayes.check.statistic, []

    def counted(rows, *others):
        seen.append(joined(rows).values.size)
        return right(rows, *others)

    monkeypatch.setattr(local_bayes.check, "statistic", counted)
    ratings = drawn(0, n_users=50)
    model(held_out=0.5).fit(ratings, rng=0, noise_rng=0)
    assert 0.3 < seen[0] / len(ratings) < 0.7

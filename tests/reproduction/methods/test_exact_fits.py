"""Fits for publication: nothing that anybody could repeat has a part in them."""

import ast
import inspect
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plain_methods import random_ratings
from private_fits import SMALL, labelled

from dpmc import methods
from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.methods import private
from dpmc.methods.private import PrivateMethod
from dpmc.methods.private_choice import Keyed, Seeded
from dpmc.privacy import release
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation, Replay
from dpmc.privacy.relations import RELATIONS, USER_LEVEL
from dpmc.privacy.release import GridNoise, grid, secure
from dpmc.privacy.selection import Selection
from dpmc.ratings import Ratings
from dpmc_studies.methods import METHODS, method_class

NAMES = sorted(name for name in METHODS if name.startswith(("private_", "dp", "local")))
CASES = [
    (name, relation)
    for name in NAMES
    for relation in RELATIONS
    if name.startswith("private_") or relation in USER_LEVEL
]
EVERY = pytest.mark.parametrize(("name", "relation"), CASES)
AT_USER_LEVEL = pytest.mark.parametrize(
    ("name", "relation"), [case for case in CASES if case[1] in USER_LEVEL]
)
MORE = {
    "row_bound": 4.0,
    "nuclear_bound": 20.0,
    "update_bound": 2.0,
    "item_ratings": 4.0,
    "groups": 2,
    "explained": 1e6,
}


def build(name, relation, **given):
    make = method_class(name)
    of_users = relation in USER_LEVEL
    settings = SMALL | MORE | {"relation": relation, "ratings_per_user": 3 if of_users else None}
    known = inspect.signature(make).parameters
    return make(**{key: value for key, value in (settings | given).items() if key in known})


def exact(model, **given):
    return Ledger(GridNoise(model.calibration.noise), model.releases, **given)


@pytest.fixture(scope="module")
def ratings():
    """40 users x 9 items, with labels."""
    return labelled(random_ratings(np.random.default_rng(0), 40, 9, 0.7))


def test_all_private_methods_are_meant():
    private = {name for name in METHODS if issubclass(method_class(name), PrivateMethod)}
    assert private == set(NAMES)
    assert {"dpals", "dpfw", "dp_altmin", "dp_saltls", "dp_svd", "private_als"} < private


@EVERY
def test_generators_and_seeds_are_refused_before_anything_is_released(name, relation, ratings):
    model = build(name, relation)
    key = Keyed(ratings, bytes(32), np.random.default_rng(0))
    generator = np.random.default_rng(0)
    for given in (
        {"rng": 0}, {"noise_rng": generator}, {"rng": "secret"}, {"rng": key},
        {"rng": Seeded(generator)},
    ):  # fmt: skip
        ledger = exact(model, keep=True)
        with pytest.raises(InputError, match="takes neither rng nor noise_rng, because") as caught:
            model.fit(ratings, ledger=ledger, **given)
        assert "\n" not in str(caught.value)
        assert (ledger.count, ledger.spent, ledger.transcript) == (0, 0, [])
        assert not hasattr(model, "guarantee_")


@EVERY
def test_without_them_it_fits(name, relation, ratings):
    model = build(name, relation)
    ledger = exact(model)
    model.fit(ratings, ledger=ledger)
    assert not model.guarantee_.simulated
    model.guarantee_.require("item_factors")
    assert ledger.spent == pytest.approx(model.releases)
    assert np.isfinite(model.predict_matrix()).all()
    np.testing.assert_array_equal(model.user_labels_, ratings.user_labels)
    np.testing.assert_array_equal(model.item_labels_, ratings.item_labels)


@EVERY
def test_users_without_labels_are_refused_where_they_are_protected(name, relation, ratings):
    nameless = replace(ratings, user_labels=None)
    model = build(name, relation)
    ledger = exact(model)
    if relation not in USER_LEVEL:  # all ratings count, whoever they are of
        assert not model.fit(
            replace(nameless, item_labels=None), ledger=ledger
        ).guarantee_.simulated
        return
    with pytest.raises(InputError, match="For publication ratings need user_labels") as caught:
        model.fit(nameless, ledger=ledger)
    assert "\n" not in str(caught.value)
    assert (ledger.count, ledger.spent) == (0, 0)
    assert not hasattr(model, "guarantee_")
    model.fit(nameless, rng=0, noise_rng=1)  # simulated, it may


@AT_USER_LEVEL
def test_two_exact_fits_differ_in_the_choice_of_ratings(name, relation, ratings, monkeypatch):
    """About 40 users with 3 of about 6 ratings each: two choices agree once in 1e40 runs. Whatever
    generators of numpy are seeded with."""
    choices, outputs = [], []
    choosing = Keyed._choosing

    def watched(self, most, columns):
        choose, seen = choosing(self, most, columns), set()

        def recorded(first, rows):
            found = choose(first, rows)
            if first not in seen:  # a block comes again in every step
                seen.add(first)
                choices[-1].append(found.indices.tolist())
            return found

        return recorded

    monkeypatch.setattr(Keyed, "_choosing", watched)
    model = build(name, relation)
    for _ in range(2):
        choices.append([])
        np.random.seed(0)  # noqa: NPY002
        ledger = exact(model, keep=True)
        model.fit(ratings, ledger=ledger)
        outputs.append([each.output for each in ledger.transcript])
    one, two = choices
    assert len(one) == len(two) >= 1
    for here, there in zip(one, two, strict=True):
        # a part of the likes that ranks them is held out first, by the same hashes
        assert len(here) == len(there) < len(ratings) or name == "local_ease"
        assert here != there
    for here, there in zip(*outputs, strict=False):  # noise may ask for further steps
        assert not np.array_equal(here, there)


@pytest.mark.parametrize("relation", USER_LEVEL)
def test_a_private_choice_of_items_and_the_fit_count_the_same_ratings(relation, ratings):
    """One key for both: what counted for the list counts for the fit, if its item is listed."""
    chosen = Selection(relation, 3, 60.0, 1e-3, 0.5)
    budget = {"epsilon": chosen.fit_epsilon, "delta": chosen.fit_delta}
    model = build("private_als", relation, **budget)
    noise = GridNoise(model.calibration.noise)
    ledger = Ledger(noise, model.releases_with(chosen), keep=True)
    model.fit(ratings, ledger=ledger, selection=chosen)
    first, *others = ledger.transcript
    assert first.what == "item_counts"
    assert first.query.sum() == 3 * 40 - shortfall(ratings)
    (counts,) = [each.query for each in others if each.what == "counts"]
    listed = np.searchsorted(ratings.item_labels, model.item_labels_)
    assert counts.size == listed.size >= 2  # counts are about 13, and the threshold below 5
    assert (counts >= first.query[listed]).all()
    if listed.size == ratings.n_items:
        np.testing.assert_array_equal(counts, first.query)
    assert (model.guarantee_.epsilon, model.guarantee_.delta) == (60.0, 1e-3)
    assert model.guarantee_.listed.share == 0.5
    for refused in ({"rng": 0}, {"noise_rng": 0}):
        ledger = Ledger(noise, model.releases_with(chosen))
        with pytest.raises(InputError, match="takes neither rng nor noise_rng"):
            model.fit(ratings, ledger=ledger, selection=chosen, **refused)
        assert ledger.count == 0
    wrong = Ledger(noise, model.releases)
    with pytest.raises(PrivacyViolation):
        model.fit(ratings, ledger=wrong, selection=chosen)


def shortfall(ratings):
    counts = np.bincount(ratings.users, minlength=40)
    return int(np.maximum(3 - counts, 0).sum())


@EVERY
def test_noise_must_be_as_calibrated_and_from_bits_that_nobody_can_repeat(name, relation, ratings):
    model = build(name, relation)
    noise = model.calibration.noise
    weaker = Ledger(GridNoise(Gaussian(0.99 * noise.scale)), model.releases)
    with pytest.raises(PrivacyViolation, match="as calibrated"):
        model.fit(ratings, ledger=weaker)
    assert weaker.count == 0
    for simulated in (
        GridNoise(noise, lambda law, size: secure(law, size)),
        FloatNoise(noise, np.random.default_rng(0)),
    ):
        ledger = Ledger(simulated, model.releases)
        with pytest.raises(InputError, match="rng is needed"):
            model.fit(ratings, ledger=ledger)
        assert ledger.count == 0
        model.fit(ratings, rng=0, ledger=ledger)
        assert model.guarantee_.simulated
        with pytest.raises(InputError, match="must not be published"):
            model.guarantee_.require("item_factors")


@AT_USER_LEVEL
def test_an_audit_may_simulate_with_a_key(name, relation, ratings):
    """What a published fit chooses by, and all else from a seed: repeatable."""
    model, found = build(name, relation), []
    for key in (bytes(32), bytes(32), b"1" * 32):
        rng = np.random.default_rng(5)
        choice = Keyed(ratings, key, np.random.default_rng(6))
        ledger = Ledger(FloatNoise(model.calibration.noise, rng), model.releases)
        model.fit(ratings, rng=choice, ledger=ledger)
        assert model.guarantee_.simulated
        found.append(model.predict_matrix())
    np.testing.assert_array_equal(found[0], found[1])
    # in dpfw a bound on the length of a user's ratings serves, so that all count
    assert np.array_equal(found[0], found[2]) == (name == "dpfw")


@EVERY
def test_nobody_is_data_like_any_other(name, relation):
    """With exact noise too: no ratings, and at user level no users."""
    labels = {"item_labels": np.array(["a", "b", "c"])}
    for users in (3, 0) if relation in USER_LEVEL else (3,):
        labels["user_labels"] = np.array([f"u{number}" for number in range(users)], np.str_)
        model = build(name, relation)
        model.fit(Ratings([], [], [], users, 3, **labels), ledger=exact(model))
        assert np.isfinite(model.item_factors_).all()
        assert model.predict_matrix().shape == (users, 3)
    nothing = Ratings([], [], [], 3, 0, user_labels=np.array(["a", "b", "c"]))
    model = build(name, relation)
    with pytest.raises(InputError, match="There are no items: a fit needs their list"):
        model.fit(nothing, ledger=exact(model))


@EVERY
def test_exact_and_simulated_fits_ask_for_the_same_and_make_the_same_of_it(
    name, relation, ratings, monkeypatch
):
    """One key and start for both, and the outputs of the first: so all that audits, which simulate,
    find out holds of what is published."""
    laws, rng = [], np.random.default_rng(1)

    def quick(law, size):
        laws.append(law)
        return np.rint(float(law.scale) * rng.standard_normal(size)).astype(int).tolist()

    def same():
        start = np.random.default_rng(5)
        return Keyed(ratings, bytes(32), start) if relation in USER_LEVEL else start

    monkeypatch.setattr(release, "secure", quick)
    monkeypatch.setattr(Keyed, "fresh", lambda _: same())
    monkeypatch.setattr(private, "secret_generator", same)
    more = {"held_out": 0.4} if name == "local_bayes" else {}
    model, twin = (build(name, relation, **more) for _ in range(2))
    run = Ledger(GridNoise(model.calibration.noise, quick), model.releases, keep=True)
    model.fit(ratings, ledger=run)
    assert not model.guarantee_.simulated
    noise = model.calibration.noise
    assert laws == [grid(noise, each.scale, each.query.size)[1] for each in run.transcript]
    replay = Ledger(Replay([each.output for each in run.transcript]), twin.releases, keep=True)
    twin.fit(ratings, rng=same(), ledger=replay)
    assert twin.guarantee_.simulated
    for exact_one, simulated in zip(run.transcript, replay.transcript, strict=True):
        assert (exact_one.what, exact_one.sensitivity, exact_one.weight) == (
            simulated.what, simulated.sensitivity, simulated.weight
        )  # fmt: skip
        np.testing.assert_array_equal(exact_one.query, simulated.query)
    np.testing.assert_array_equal(model.item_factors_, twin.item_factors_)
    np.testing.assert_array_equal(model.predict_matrix(), twin.predict_matrix())
    assert getattr(model, "worth_", None) == getattr(twin, "worth_", None)


ASK = {"simulated", "FloatNoise", "GridNoise", "Replay", "secure"}
MAY_ASK = {"private.py", "released", "onebit"}
"""What all methods share, what writes folders, and signs, whose noise is simulated."""


def test_nothing_below_the_methods_asks_whether_noise_is_simulated():
    library = Path(methods.__file__).parent
    folders, looked_at = (library, library.parents[1] / "dpmc_studies" / "methods"), []
    inside = [(each, folder) for folder in folders for each in sorted(folder.rglob("*.py"))]
    for path, folder in inside:
        if path.relative_to(folder).parts[0] in MAY_ASK:
            continue
        looked_at.append(path.name)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = {getattr(node, field, None) for field in ("attr", "id", "name", "arg")}
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)  # of getattr
            assert not found & ASK, f"{path}, line {node.lineno}"
            if isinstance(node, ast.Attribute) and node.attr == "noise":
                assert "ledger" not in ast.unparse(node.value), f"{path}, line {node.lineno}"
    assert {"method.py", "dpals.py", "private_als.py", "private_statistics.py"} < {*looked_at}


@EVERY
def test_more_users_or_ratings_than_could_be_added_up_are_refused(
    name, relation, ratings, monkeypatch
):
    what, number = ("users", 40) if relation in USER_LEVEL else ("ratings", len(ratings))
    model = build(name, relation)
    monkeypatch.setattr(private, "MOST_USERS", number)
    fitted = model.fit(ratings, ledger=exact(model))
    assert not fitted.guarantee_.simulated
    monkeypatch.setattr(private, "MOST_USERS", number - 1)
    ledger = exact(model)
    with pytest.raises(InputError, match=f"{number} {what}, and exact noise is for {number - 1}"):
        model.fit(ratings, ledger=ledger)
    assert ledger.count == 0

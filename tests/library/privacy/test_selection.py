"""The private choice of items: its theorem against direct computation, its parts against others."""

import math
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting import get_epsilon_gaussian, get_sigma_gaussian
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.methods import method_class
from dpmc.privacy import release
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation
from dpmc.privacy.release import GridNoise, grid
from dpmc.privacy.selection import Selection
from dpmc.ratings import Ratings
from dpmc_studies.statistics.privacy_bounds import clopper_pearson

RELATIONS = ("user_add_remove", "user_replace")


def selection_of(relation="user_add_remove", k=50, epsilon=5.0, delta=1e-6, share=0.2):
    return Selection(relation, k, epsilon, delta, share)


def ledger_of(selection, noise=None, *, fits=1, keep=False):
    scale = selection.noise_multiplier * math.sqrt(selection.releases(fits))
    noise = noise or GridNoise
    return Ledger(noise(Gaussian(scale)), selection.releases(fits), keep=keep)


# -- the theorem ----------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_the_list_and_a_fit_keep_to_the_budget(relation, share, epsilon):
    """The exact hockey-stick divergence of (list, one Gaussian release of the fit) on neighbours.

    One common item, whose count differs by 1, and k - 1 new ones (user_replace: on either side).
    Lists that show a new item are possible on one side only; the fit's release is integrated over
    a grid. The common item's count is near the threshold, where its listing tells most.
    """
    delta, k = 0.05, 3
    selection = selection_of(relation, k, epsilon, delta, share)
    deviation, q = selection.noise_std, selection.probability
    threshold = 1 + deviation * norm.isf(q)
    # the fit's release moves by its whole sensitivity, and lists by one count of the several
    sigma = selection.noise_multiplier / math.sqrt(1 - share)
    x = np.linspace(-12 * sigma, 12 * sigma + 1, 40_001)
    width = x[1] - x[0]
    densities = norm.pdf(x, 0, sigma), norm.pdf(x, 1, sigma)
    hidden = (1 - q) ** (k - 1)
    for count in np.linspace(1, threshold + 3 * deviation, 25):
        listed = norm.sf(threshold - np.array([count, count + 1]), scale=deviation)
        sides = []
        for side, new in ((1, True), (0, relation == "user_replace")):
            nothing = hidden if new else 1.0
            chances = np.array([listed[side], 1 - listed[side]]) * nothing
            sides.append((chances[:, None] * densities[side], 1 - nothing))
        for (here, own), (there, _) in (sides, sides[::-1]):
            gap = here - math.exp(epsilon) * there
            assert np.maximum(gap, 0).sum() * width + own <= delta * (1 + 1e-6)


@pytest.mark.parametrize("delta", [1e-6, 0.05])
def test_the_budget_is_divided_without_rest(delta):
    """mu^2 of the list and of the fit add up to that of what is left of the budget."""
    for share in (0.05, 0.2, 0.7):
        selection = selection_of(share=share, delta=delta)
        left = selection.epsilon + math.log1p(-selection.list_delta)
        sigma = get_sigma_gaussian(left, selection.fit_delta)
        assert selection.noise_multiplier == pytest.approx(sigma, rel=1e-6)
        of_list = math.sqrt(50) / selection.noise_std
        of_fit = 1 / get_sigma_gaussian(selection.fit_epsilon, selection.fit_delta)
        assert of_list**2 + of_fit**2 == pytest.approx(sigma**-2, rel=1e-6)
        assert selection.list_delta + selection.fit_delta == pytest.approx(delta)
        together = get_epsilon_gaussian(1 / math.hypot(of_list, of_fit), selection.fit_delta)
        assert together == pytest.approx(left, rel=1e-6)


def test_a_users_own_items_and_others_counts():
    add, replace = (selection_of(relation) for relation in RELATIONS)
    assert (add.changed, replace.changed) == (50, 100)
    assert add.sensitivity == pytest.approx(math.sqrt(50))
    assert replace.sensitivity == pytest.approx(10)
    for each in (add, replace):  # of one user's k items none is listed, but for list_delta
        assert 1 - (1 - each.probability) ** 50 == pytest.approx(each.list_delta, rel=1e-9)


def test_the_threshold_is_that_of_opendp():
    """OpenDP's own delta at our noise and threshold, for counts and the l0 bound k."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    for k, share in ((1, 0.2), (20, 0.2), (50, 0.5)):
        selection = selection_of(k=k, share=share)
        threshold = 1 + float(Gaussian(selection.noise_std).isf(selection.probability))
        space = (
            dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=float, nan=False)),
            dp.l02inf_distance(dp.absolute_distance(T=float)),
        )
        measured = dp.m.make_gaussian_threshold(
            *space, scale=selection.noise_std, threshold=threshold
        )
        rho, delta = measured.map((k, math.sqrt(k), 1.0))
        assert delta == pytest.approx(selection.list_delta, rel=1e-3)
        # zero-concentrated: mu^2 / 2
        assert rho == pytest.approx(k / selection.noise_std**2 / 2, rel=1e-6)


# -- the noise ------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(
    probability=st.floats(1e-6, 0.4),
    scale=st.floats(0.5, 20.0),
    changed=st.integers(1, 40),
)
def test_grid_noise_exceeds_its_upper_end_no_more_often_than_stated(probability, scale, changed):
    """By the sum of its probabilities, on a grid coarse enough to sum over."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "_FINENESS", 8)
        patch.setattr(release, "_INFLATION", 1 + Fraction(1, 8))
        step, noise = grid(Gaussian(scale), 1.0, changed)
        upper = GridNoise(Gaussian(scale)).upper(probability, 1.0, changed)
    k = np.arange(math.floor(upper / step) + 1, math.ceil(40 * float(noise.scale)))
    assert math.fsum(np.exp(noise.logpmf(k))) <= probability
    assert upper <= norm.isf(probability) * scale * 1.2 + 3 * step  # and is not far off


def test_an_item_of_one_user_is_listed_no_more_often_than_stated():
    """With exact noise; the bound is exceeded by chance once in 1e6 runs, as it is not seeded."""
    selection = selection_of(k=5, delta=0.5, share=0.4)
    labels = np.array([f"i{k}" for k in range(5)])
    runs, shown = 1500, 0
    for _ in range(runs):
        listed, _ = selection.select(labels, np.ones(5), ledger_of(selection))
        shown += len(listed) > 0
    lower, upper = clopper_pearson(shown, runs, 1e-6)
    assert lower <= selection.list_delta <= upper  # attained: no room is wasted


@pytest.mark.parametrize(
    "noise", [GridNoise, lambda law: FloatNoise(law, np.random.default_rng(1))]
)
def test_what_many_rated_is_listed_in_the_order_of_labels(noise):
    selection = selection_of()
    labels = np.array(["pear", "apple", "fig", "kiwi"])
    ledger = ledger_of(selection, noise, keep=True)
    listed, threshold = selection.select(labels, np.array([10_000, 5_000, 1, 0]), ledger)
    assert labels[listed].tolist() == ["apple", "pear"]
    assert threshold == pytest.approx(
        1 + selection.noise_std * norm.isf(selection.probability), rel=2e-3
    )
    (made,) = ledger.transcript
    assert made.query.tolist() == [10_000, 5_000, 1]  # nobody counted for the last one
    assert made.scale * ledger.noise.mechanism.scale == pytest.approx(selection.noise_std)
    assert ledger.spent == pytest.approx(0.2 * ledger.releases)
    with pytest.raises(PrivacyViolation, match="releases were accounted for"):
        ledger.close()  # the fit has not been made


def test_an_item_that_70_000_users_rated_is_listed():
    n, selection = 70_000, selection_of(k=1)
    labels = {"user_labels": np.arange(n).astype(str), "item_labels": np.array(["popular", "rare"])}
    ratings = Ratings(
        np.arange(n + 1) % n, np.arange(n + 1) // n, np.full(n + 1, 3.0), n, 2, **labels
    )
    model = method_class("private_item_bias")(
        relation="user_add_remove", epsilon=selection.fit_epsilon, delta=selection.fit_delta,
        rating_range=(1, 5), ratings_per_user=1,
    )  # fmt: skip
    ledger = Ledger(GridNoise(model.calibration.noise), model.releases_with(selection), keep=True)
    model.fit(ratings, ledger=ledger, selection=selection)
    assert model.item_labels_.tolist() == ["popular"]
    assert ledger.transcript[0].query.sum() == n  # the user of both counts once
    assert ledger.transcript[0].query[0] >= n - 1


def test_the_grid_does_not_depend_on_how_many_items_there_are(monkeypatch):
    steps = []
    monkeypatch.setattr(
        release, "grid", lambda *given: steps.append(grid(*given)[0]) or grid(*given)
    )
    selection = selection_of()
    for number in (1, 3000):
        labels = np.array([f"i{k}" for k in range(number)])
        selection.select(labels, np.full(number, 2.0), ledger_of(selection))
    assert len(set(steps)) == 1


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        *[({"share": bad}, "must lie between 0 and 1") for bad in (0, 1, -0.1, 1.5, math.nan)],
        ({"relation": "entry_change"}, "where users are protected"),
        ({"relation": "users"}, "no neighbouring relation"),
        ({"delta": 0.0}, "needs a delta between 0 and 1"),
        ({"epsilon": 1e-9, "delta": 0.5}, "too small for a private choice of items"),
    ],
)
def test_refusals_are_one_sentence(changes, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        selection_of(**changes)
    assert "\n" not in str(caught.value)


@settings(deadline=None, max_examples=50)
@given(
    relation=st.sampled_from(RELATIONS),
    k=st.integers(1, 1000),
    epsilon=st.floats(0.01, 30),
    delta=st.floats(1e-12, 0.1),
    share=st.floats(0.01, 0.99),
)
def test_the_parts_of_any_budget_are_budgets(relation, k, epsilon, delta, share):
    """Or the budget is refused, because delta leaves nothing of a small epsilon."""
    try:
        selection = Selection(relation, k, epsilon, delta, share)
    except InputError:
        left, fit_delta = epsilon + math.log1p(-share * delta), delta * (1 - share)
        if left > 0:  # then the share of the fit is covered by its delta alone
            mu = math.sqrt(1 - share) / get_sigma_gaussian(left, fit_delta)
            assert 2 * norm.cdf(mu / 2) - 1 <= fit_delta * (1 + 1e-6)
        return
    assert 0 < selection.fit_epsilon < epsilon
    assert 0 < selection.fit_delta < delta
    assert 0 < selection.probability <= selection.list_delta
    assert selection.noise_std > 0

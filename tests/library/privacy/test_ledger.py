"""The ledger counts and scales; a guarantee covers what it names, and no simulation."""

from dataclasses import replace

import numpy as np
import pytest

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Laplace
from dpmc.origins import FROM_PROGRAM, FROM_RATINGS
from dpmc.privacy.guarantee import PARTS, Guarantee, ItemList
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation, Replay
from dpmc.privacy.release import GridNoise

QUERY = np.arange(6.0).reshape(2, 3)
COUNTS = np.ones(3)
GUARANTEE = Guarantee(
    relation="user_add_remove", epsilon=1.0, delta=1e-5, mechanism="gaussian",
    noise_multiplier=7.5, accountant="exact", releases=6, publishable=("item_factors",),
    simulated=False,
)  # fmt: skip


def noise(seed=1):
    return FloatNoise(Laplace(2.0), np.random.default_rng(seed))


def test_noise_is_scaled_to_the_sensitivity_and_drawn_anew():
    drawn = Laplace(2.0).rvs((2, 2, 3), np.random.default_rng(1))
    ledger = Ledger(noise(), 2)
    for sensitivity, expected in zip((0.5, 3.0), drawn, strict=True):
        output = ledger.release("gram", QUERY, sensitivity)
        np.testing.assert_allclose(output, QUERY + sensitivity * expected, rtol=1e-12)


def test_neither_more_nor_fewer_releases_than_accounted_for():
    ledger = Ledger(noise(), 2)
    ledger.release("gram", QUERY, 1.0)
    with pytest.raises(PrivacyViolation, match="2 releases were accounted for, 1 were made"):
        ledger.close()
    ledger.release("gram", QUERY, 1.0)
    ledger.close()
    with pytest.raises(PrivacyViolation, match="sums: only 2 releases were accounted for"):
        ledger.release("sums", QUERY, 1.0)
    assert ledger.count == 2


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf, np.nan])
def test_a_sensitivity_bounds_something(bad):
    ledger = Ledger(noise(), 1)
    with pytest.raises(PrivacyViolation, match="bounds nothing"):
        ledger.release("gram", QUERY, bad)
    assert ledger.count == 0


def test_each_release_is_reported_after_it_was_made():
    ledger, said = Ledger(gaussian(), 2), []
    ledger.report = lambda: said.append(ledger.count)
    ledger.release("gram", QUERY, 1.0)
    ledger.select("items", COUNTS, 1.0, probability=0.1, changed=1, weight=1.0)
    assert said == [1, 2]


def gaussian(seed=1):
    return FloatNoise(Gaussian(2.0), np.random.default_rng(seed))


def test_gaussian_noise_is_dealt_out_in_shares():
    drawn = Gaussian(2.0).rvs((3, 2, 3), np.random.default_rng(1))
    ledger = Ledger(gaussian(), 2, keep=True)
    for share, noised in zip((0.25, 1.65, 0.1), drawn, strict=True):
        output = ledger.release("gram", QUERY, 3.0, weight=share**-0.5)
        np.testing.assert_allclose(output, QUERY + 3.0 * share**-0.5 * noised, rtol=1e-12)
    ledger.close()
    assert ledger.count == 3
    assert ledger.spent == pytest.approx(2)
    first = ledger.transcript[0]
    assert (first.sensitivity, first.weight, first.scale) == (3.0, 2.0, 6.0)


def test_shares_add_up_to_what_was_accounted_for():
    ledger = Ledger(gaussian(), 1)
    ledger.release("gram", QUERY, 1.0, weight=0.5**-0.5)
    with pytest.raises(PrivacyViolation, match=r"1 releases were accounted for, 0\.5 were made"):
        ledger.close()
    with pytest.raises(PrivacyViolation, match="sums: only 1 releases were accounted for"):
        ledger.release("sums", QUERY, 1.0, weight=0.500001**-0.5)
    for _ in range(5):  # whose rounding errors are no overdraft
        ledger.release("sums", QUERY, 1.0, weight=0.1**-0.5)
    ledger.close()
    with pytest.raises(PrivacyViolation, match="only 1 releases"):
        ledger.release("sums", QUERY, 1.0, weight=1e3)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf, np.nan])
def test_a_weight_scales_something(bad):
    ledger = Ledger(gaussian(), 1)
    with pytest.raises(PrivacyViolation, match="cannot have the weight"):
        ledger.release("gram", QUERY, 1.0, weight=bad)
    assert ledger.count == 0


def test_shares_are_for_gaussian_noise_alone():
    ledger = Ledger(noise(), 1)
    with pytest.raises(PrivacyViolation, match="only Gaussian noise can have the weight 2"):
        ledger.release("gram", QUERY, 1.0, weight=2.0)
    ledger.release("gram", QUERY, 1.0, weight=1.0)
    ledger.close()


def test_noise_for_publication_is_not_dealt_out_in_tiny_shares():
    """Rounding to the grid, which is relative to the noise, would exceed what it allows for."""
    simulated = GridNoise(Gaussian(3.0), draw=lambda noise, size: [0] * size)
    exact = GridNoise(Gaussian(3.0))
    for each, weight in ((simulated, 65.0), (exact, 64.0)):
        Ledger(each, 1).release("gram", QUERY, 1.0, weight=weight)
    with pytest.raises(InputError, match=r"share 0.000244141 .*gram has 0.00024"):
        Ledger(exact, 1).release("gram", QUERY, 1.0, weight=65.0)
    refused = Ledger(exact, 1)
    with pytest.raises(InputError, match=r"share 0.000244141 .*counts has 0.00024"):
        refused.select("counts", COUNTS, 1.0, probability=1e-9, changed=1, weight=65.0)
    assert (refused.count, refused.spent) == (0, 0)


def test_queries_are_kept_for_audits_alone_and_replayed():
    assert not Ledger(noise(), 1).transcript
    ledger = Ledger(noise(), 1, keep=True)
    output = ledger.release("gram", QUERY, 2.0)
    (kept,) = ledger.transcript
    assert (kept.what, kept.sensitivity) == ("gram", 2.0)
    np.testing.assert_array_equal(kept.query, QUERY)
    again = Ledger(Replay([kept.output]), 1).release("gram", QUERY + 1, 2.0)
    np.testing.assert_array_equal(again, output)
    with pytest.raises(PrivacyViolation, match="shape of a release depends on the ratings"):
        Ledger(Replay([kept.output]), 1).release("gram", QUERY[:1], 2.0)


def test_a_guarantee_covers_the_parts_that_it_names():
    GUARANTEE.require("item_factors")
    for part in ("user_factors", "predictions"):
        with pytest.raises(InputError, match=f"does not cover {PARTS[part]}; it covers what is"):
            GUARANTEE.require(part)
        replace(GUARANTEE, publishable=tuple(PARTS)).require(part)


def test_what_was_simulated_is_not_for_publication():
    simulated = replace(GUARANTEE, simulated=True)
    with pytest.raises(InputError, match="must not be published: the noise was simulated"):
        simulated.require("item_factors")
    assert "for experiments, not for publication" in simulated.sentence()
    assert "simulated" not in GUARANTEE.sentence()


def test_a_guarantee_says_everything():
    items = (
        "what is learnt of the items (offsets, factors and their number; precisions, scales and a "
        "noised error where there are any)"
    )
    assert GUARANTEE.sentence() == (
        f"If one user with all ratings is added or removed, the law of {items} "
        "changes by at most (epsilon = 1, delta = 1e-05), provided that the list of items was "
        "known without the ratings: all that is released amounts to 6 releases with gaussian noise "
        "of standard deviation 7.5 times their sensitivity, accounted exactly, as Gaussian "
        "differential privacy. Not covered: the user factors and the completed matrix; each user "
        "may see their own, nobody else's."
    )
    of_entries = replace(GUARANTEE, relation="entry_change", publishable=tuple(PARTS))
    assert "and the user factors and the completed matrix changes by" in of_entries.sentence()
    assert ", and that the list of users was known without the ratings" in of_entries.sentence()
    assert "Not covered" not in of_entries.sentence()
    known = replace(of_entries, items_from=FROM_PROGRAM, users_from=FROM_RATINGS, features=True)
    assert (
        "delta = 1e-05), provided that the list of items, which was given by the program that "
        "fitted, was known without the ratings, and that everybody knows the list of users, which "
        "was read off the ratings themselves, and that the features of items were known without "
        "the ratings: all"
    ) in known.sentence()
    assert known.as_dict() == of_entries.as_dict() | {"sentence": known.sentence()}
    listed = ItemList(share=0.25, delta=2.5e-6, noise_std=31.25, threshold=162.5)
    chosen = replace(GUARANTEE, listed=listed)
    assert chosen.sentence() == (
        "If one user with all ratings is added or removed, the law of the list of items and "
        f"{items} changes by at most (epsilon = 1, delta = 1e-05): all that is "
        "released amounts to 6 releases with gaussian noise of standard deviation 7.5 times their "
        "sensitivity, and the items that more "
        "than 162.5 users rated by a count with gaussian noise of standard deviation 31.25, "
        "accounted exactly, as Gaussian differential privacy. Not covered: the user factors and "
        "the completed matrix; each user may see their own, nobody else's."
    )
    assert GUARANTEE.as_dict()["listed"] is None
    assert chosen.as_dict()["listed"] == {
        "share": 0.25, "delta": 2.5e-6, "noise_std": 31.25, "threshold": 162.5
    }  # fmt: skip
    assert GUARANTEE.as_dict()["publishable"] == ["item_factors"]
    with pytest.raises(InputError, match="no neighbouring relation 'users'"):
        replace(GUARANTEE, relation="users")

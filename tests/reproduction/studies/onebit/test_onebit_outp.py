"""How far one flip moves a solution, and what an attack on outputs with published noise learns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc_studies.studies.onebit.experiments.outp import (
    OUTP_ATTACK_COLUMNS,
    block_change,
    block_signs,
    privacy_losses,
    run_outp,
    typical_change,
)

PAPER = {"seed": 3, "users": 100, "items": 100, "rank": 1, "alpha": 1, "observed_fraction": 0.15}
SMALL = PAPER | {"users": 20, "items": 16, "links": ["logistic", "gaussian"], "trials": 4}
ATTACK = {"epsilons": [0.001, 1.0, 10.0], "samples": 4000}


@settings(deadline=None)
@given(st.integers(2, 9), st.integers(2, 9), st.sampled_from([-1.0, 1.0]))
def test_the_block_instance_is_two_blocks_and_one_entry(users, items, sign):
    signs = block_signs(users, items, sign)
    half, middle = users // 2, items // 2
    assert len(signs) == half * middle + (users - half) * (items - middle) + 1
    beside = (signs.users < half) != (signs.items < middle)
    assert signs.values[beside].tolist() == [sign]
    assert (signs.values[~beside] == 1).all()


@pytest.mark.parametrize("link", ["gaussian", "logistic"])
def test_one_flip_turns_half_of_the_block_instance_over(link):
    change = block_change(link, PAPER)
    assert np.abs(change).sum() == pytest.approx(10_000, abs=5)
    # the two blocks beside the diagonal, each entry from -alpha to alpha
    beside = change[:50, 50:], change[50:, :50]
    assert all(np.abs(each - 2).max() < 0.01 for each in beside)


def test_one_flip_of_a_typical_instance_moves_more_than_one_entry_can():
    # medians of 40 draws: 157 and 173; here of 8, whose standard error is about 12
    medians = {
        link: np.median([np.abs(typical_change(link, PAPER, draw)).sum() for draw in range(8)])
        for link in ("gaussian", "logistic")
    }
    assert medians["gaussian"] == pytest.approx(157, abs=40)
    assert medians["logistic"] == pytest.approx(173, abs=40)


def test_losses_have_the_law_of_outputs_with_laplace_noise():
    rng = np.random.default_rng(5)
    change = rng.standard_normal((4, 5))
    samples, scale = 40_000, 0.8
    found = privacy_losses(change, [scale, 3 * scale], samples, rng)
    for losses, width in zip(found, (scale, 3 * scale), strict=True):
        noise = rng.laplace(0, width, (samples, 4, 5))
        # log p/q of a + noise, p at a and q at a - change
        direct = (np.abs(noise + change) - np.abs(noise)).sum(axis=(1, 2)) / width
        for sample in (losses[0], -losses[1]):
            # two samples of one law: quantiles differ by about one standard error
            levels = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99]
            gap = np.quantile(sample, levels) - np.quantile(direct, levels)
            assert np.abs(gap).max() < 0.05 * direct.std()
        assert losses[0].max() <= np.abs(change).sum() / width + 1e-4
        # E[q/p] = 1 under p
        assert np.exp(-losses[0]).mean() == pytest.approx(1, abs=0.1 if width > scale else 0.5)


@pytest.fixture(scope="module")
def tables():
    return run_outp(SMALL | ATTACK)


def test_an_attack_bounds_epsilon_between_the_claim_and_the_truth(tables):
    changes, attacks = tables
    assert len(attacks) == 2 * 2 * 3
    for link in ("logistic", "gaussian"):
        of_link = [row for row in changes if row["link"] == link]
        typical = sorted(row["l1_change"] for row in of_link if row["instance"] == "typical")
        change = {"block": of_link[0]["l1_change"], "typical": typical[1]}
        for row in (row for row in attacks if row["link"] == link):
            assert tuple(row) == OUTP_ATTACK_COLUMNS
            claimed = row["claimed_epsilon"]
            assert row["true_epsilon"] == pytest.approx(claimed * change[row["instance"]] / 2)
            assert row["guaranteed_epsilon"] == pytest.approx(claimed * 320)
            # fails with a probability of 0.1 % if right; the seed is fixed
            assert 0 <= row["lower_bound"] <= row["true_epsilon"]
            assert (row["samples"], row["confidence"]) == (4000, 0.999)
    found = {(r["instance"], r["link"], r["claimed_epsilon"]): r["lower_bound"] for r in attacks}
    # 160 entries turn over: 1 is refuted; no more than about log(samples/2) can be shown
    for link in ("logistic", "gaussian"):
        assert found["block", link, 1.0] > 4
        assert found["block", link, 10.0] < np.log(2000)
        assert found["block", link, 0.001] < 0.16

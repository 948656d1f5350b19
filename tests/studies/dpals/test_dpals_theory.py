"""Rates and bounds of theorem 2 and remark 6: against numpy, and the claims on made-up trials."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from planted import ITEMS, USERS, planted_trials

from dpmc.studies.dpals import theory
from dpmc.studies.dpals.claims.judge import judge_dpals, load_dpals_claims
from dpmc.studies.dpals.tables_theory import theory_tables

S, C, I, N = "supported", "contradicted", "inconclusive", "no effect"  # noqa: E741
EPSILONS = (1.0, 2.0, 5.0, 10.0, 20.0)


def falling(ours, theirs=(-0.2, -0.2)):
    """Return log errors that fall with these slopes in log users and in log epsilon."""
    return {
        (size, method, "standard", epsilon): in_users * np.log(users) + in_epsilon * np.log(epsilon)
        for size, users in USERS.items()
        for epsilon in EPSILONS
        for method, (in_users, in_epsilon) in (("dpals", ours), ("dpfw", theirs))
    }


def judge(name, trials):
    some = [claim for claim in load_dpals_claims() if claim["id"] == name]
    return judge_dpals({"trials": trials}, some).iloc[0]


PLANTED = [
    ("D27", S, (-1.0, -1.0), {}),
    ("D27", S, (-0.8, -0.95), {}),  # within .1 of -.84 and -1
    ("D27", C, (-1.0, -0.5), {}),
    ("D27", C, (-0.5, -1.0), {}),
    ("D27", I, (-0.844 + 0.1, -1.0), {"spread": 0.05}),  # at the margin
    ("D27", I, (-1.0, -1.0), {"spread": 2.0}),
    ("D28", S, (-0.9, -0.5), {}),
    ("D28", C, (-0.9, -0.1), {}),  # in epsilon Frank-Wolfe is faster
    ("D28", C, (-0.1, -0.9), {}),
    ("D28", N, (-0.2, -0.2), {}),
    ("D28", I, (-0.9, -0.5), {"spread": 2.0}),
]


@pytest.mark.parametrize(("name", "verdict", "slopes", "options"), PLANTED)
def test_verdict_on_planted_slopes(name, verdict, slopes, options):
    found = judge(name, planted_trials(falling(slopes), **options))
    assert found["verdict"] == verdict, found["reason"]
    assert found["n"] == 6


def test_effects_of_slopes():
    trials = planted_trials(falling((-0.9, -0.6)), spread=1e-6)
    assert judge("D28", trials)["effect"] == pytest.approx((-0.7 * 5 - 0.4 * 4) / 9, abs=1e-4)
    assert judge("D27", trials)["effect"] == pytest.approx(0.4, abs=1e-4)  # furthest off
    assert "users at eps 1 -0.90" in judge("D28", trials)["reason"]


def growing(slope, epsilons=(1.0, 5.0, 20.0), others=1.0):
    """Return log errors that grow with such a slope in log items at some epsilons."""
    return {
        (size, "dpals", "standard", epsilon): (slope if epsilon in epsilons else others)
        * np.log(items / 1000)
        for size, items in {**ITEMS, "synthetic-20k": 1000}.items()
        for epsilon in (1.0, 5.0, 20.0)
    }


@pytest.mark.parametrize(
    ("verdict", "levels", "options"),
    [
        (S, growing(1.0), {}),
        (S, growing(0.2), {}),
        (S, growing(1.05), {}),  # within .1
        (C, growing(1.5), {}),  # as theorem 2's bound does
        (C, growing(1.2, [5.0]), {}),
        (I, growing(1.1), {"spread": 0.05}),  # at the margin
        (I, growing(1.0), {"spread": 2.0}),
    ],
)
def test_verdict_on_planted_growth_with_items(verdict, levels, options):
    found = judge("D33", planted_trials(levels, **options))
    assert found["verdict"] == verdict, found["reason"]
    assert (found["n"], found["margin"]) == (6, 0.1)


def test_growth_with_items_is_held_against_table_one():
    trials = planted_trials(growing(0.7), spread=1e-6)
    found = judge("D33", trials)
    assert found["effect"] == pytest.approx(-0.3, abs=1e-4)
    assert "items at eps 20 +0.70" in found["reason"]
    lost = judge("D33", trials[trials["dataset"] != "items-500"])
    assert lost["verdict"] == I
    assert "data not available" in lost["reason"]


@pytest.mark.parametrize("name", ["D27", "D28"])
def test_a_missing_cell_leaves_no_verdict(name):
    trials = planted_trials(falling((-1.0, -1.0)))
    lost = (trials["dataset"] == "synthetic-10k") & (trials["epsilon"] == 5)
    found = judge(name, trials[~lost])
    assert found["verdict"] == I
    assert "data not available" in found["reason"]


def test_computed_claims(monkeypatch):
    trials = planted_trials(falling((-1.0, -1.0)))
    for name in ("D26", "D29", "D30"):
        found = judge(name, trials)
        assert found["verdict"] == C
        assert judge(name, trials.iloc[:0])["verdict"] == I
    # 15,625 ln^3 n ratings a user, and 20 ln n of them
    assert judge("D26", trials)["effect"] == pytest.approx(20 / 15625 / np.log(50_000) ** 2)
    assert judge("D30", trials)["effect"] == pytest.approx(
        np.log(15625 * np.log(50_000) ** 3 / np.sqrt(1000))
    )
    monkeypatch.setattr(theory, "needed_per_user", lambda users, rank=1: 20 * np.log(users) / 10)
    assert judge("D26", trials)["verdict"] == S
    assert judge("D30", trials)["verdict"] == S
    monkeypatch.setattr(theory, "error_bound", lambda *given: 1e-3)
    assert judge("D29", trials)["verdict"] == S


def test_bounds_by_hand():
    """At n = 20,000, epsilon 2: m = 1000, p = .198, gamma = 25 sqrt(1000) ln^2 n."""
    log = np.log(20_000)
    gamma = 25 * 1000**0.5 * log**2
    right = 1000**0.5 * np.log(1e5) / (2 * 20_000) * gamma / np.sqrt(20 * log / 1000)
    assert theory.error_bound(20_000, 1000, 2.0, 1e-5) == pytest.approx(right)
    assert theory.frank_wolfe_bound(20_000, 1000, 2.0) == pytest.approx((1000**1.25 / 4e4) ** 0.2)
    assert theory.needed_per_user(20_000) == pytest.approx(15625 * log**3)


def test_stated_slopes():
    """ln^1.5(n)/n: -1 + 1.5/ln n at the middle of the sizes, which is near 15,000."""
    found = theory.stated_slope("dpals", theory.IN_USERS, USERS.values())
    assert found == pytest.approx(-1 + 1.5 / np.log(15_000), abs=0.003)
    assert theory.stated_slope("dpals", theory.IN_EPSILON, ()) == -1
    assert {theory.stated_slope("dpfw", along, ()) for along in ("users", "epsilon")} == {-0.2}
    assert theory.stated_slope("dpals", theory.IN_ITEMS, [250, 1000]) == pytest.approx(1.5)
    rates = np.diff(np.log(theory.frank_wolfe_bound(20_000, np.array([250, 1000]), 1.0)))
    right = rates[0] / np.log(4)
    assert theory.stated_slope("dpfw", theory.IN_ITEMS, ()) == pytest.approx(right)


def test_slopes_are_those_of_numpy_over_epsilons_below_the_log():
    rng = np.random.default_rng(0)
    levels = {key: rng.normal() for key in falling((0, 0))}
    found = theory.slopes(planted_trials(levels, spread=0.0, trials=2)).set_index(
        ["method", "along", "at"]
    )["slope"]
    log_users = np.log(list(USERS.values()))
    for method, epsilon in product(("dpals", "dpfw"), EPSILONS):
        own = [levels[size, method, "standard", epsilon] for size in USERS]
        right = np.polyfit(log_users, own, 1)[0]
        assert found[method, "users", epsilon] == pytest.approx(right)
    for method, (size, users) in product(("dpals", "dpfw"), USERS.items()):
        own = [levels[size, method, "standard", epsilon] for epsilon in EPSILONS[:4]]
        right = np.polyfit(np.log(EPSILONS[:4]), own, 1)[0]
        assert found[method, "epsilon", users] == pytest.approx(right)


def test_slopes_in_items_are_those_of_numpy():
    """Matrices with other numbers of users take no part, nor these in slopes in users."""
    rng = np.random.default_rng(0)
    levels = {key: rng.normal() for key in falling((0, 0)) | growing(0)}
    trials = planted_trials(levels, spread=0.0, trials=2)
    found = theory.slopes(trials)
    here = found[found["along"] == "items"].set_index(["method", "at"])
    assert list(here.index) == [("dpals", 1.0), ("dpals", 5.0), ("dpals", 20.0)]
    sizes = {**ITEMS, "synthetic-20k": 1000}
    for epsilon in (1.0, 5.0, 20.0):
        own = [levels[size, "dpals", "standard", epsilon] for size in sizes]
        right = np.polyfit(np.log(list(sizes.values())), own, 1)[0]
        assert here["slope"]["dpals", epsilon] == pytest.approx(right)
    assert here["stated"].tolist() == pytest.approx([1.5] * 3)
    without = theory.slopes(trials[~trials["dataset"].isin(ITEMS)])
    others = found[found["along"] != "items"].reset_index(drop=True)
    pd.testing.assert_frame_equal(others, without)


def test_tables():
    trials = planted_trials(falling((-1.0, -0.5)), trials=3)
    cells, rates = theory_tables(trials)
    assert (cells.id, rates.id) == ("table_dpals_9_bounds", "table_dpals_9_rates")
    assert (len(cells.rows), len(rates.rows)) == (20, 18)
    assert rates.rows[0].labels == ("DPALS", "users", "ε = 1")
    assert rates.rows[0].cells[0].value == pytest.approx(-1, abs=0.01)
    assert [cell.value for cell in rates.rows[-1].cells][-1] == -0.2
    assert theory_tables(None) == []
    one_size = trials[trials["dataset"] == "synthetic-5k"]
    assert [table.id for table in theory_tables(one_size)] == [
        "table_dpals_9_bounds", "table_dpals_9_rates"
    ]  # fmt: skip
    assert theory_tables(pd.DataFrame(columns=trials.columns)) == []

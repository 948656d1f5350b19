"""Paired comparisons: scipy's tests, Holm over the right family, and the best of several."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpmc.errors import InputError
from dpmc_studies.statistics.paired import Pair, compare, leader, less, more, pairs, places

RNG = np.random.default_rng(5)
SHARED = RNG.standard_normal(8)
ERRORS = pd.DataFrame(
    {
        name: level + SHARED + 0.05 * RNG.standard_normal(8)
        for name, level in {"a": 0.0, "b": 0.01, "c": 0.5, "d": 0.06}.items()
    }
)


RUN = pd.DataFrame(
    [
        (data, epsilon, method, noise, trial)
        for data in ("b", "a")
        for epsilon in (5.0, 1.0, None)
        for method, noise in (("z", "two"), ("z", "one"), ("y", "one"), ("none", None))
        for trial in (2, 0, 1)
        if (epsilon is None) == (noise is None) and (data, method, trial) != ("a", "y", 1)
    ],
    columns=["data", "epsilon", "method", "noise", "trial"],
)


@pytest.mark.parametrize("models", ["method", ["method", "noise"]])
def test_places_hold_each_error_by_trial_and_what_was_run(models):
    table = RUN if models != "method" else RUN[RUN["noise"] != "two"]
    errors = RNG.standard_normal(len(table))
    found = places(table, errors, ["data", "epsilon"], models)
    assert [*found] == [("a", 1), ("a", 5), ("b", 1), ("b", 5)]
    for (data, epsilon), here in found.items():
        at_every = table["epsilon"].isna()
        rows = (table["data"] == data) & (at_every | (table["epsilon"] == epsilon))
        wide = table.assign(error=errors)[rows].pivot(index="trial", columns=models, values="error")
        pd.testing.assert_frame_equal(here, wide, check_like=True)
        last = here.columns[-1]  # what stands at every budget
        assert (last if models == "method" else last[0]) == "none"


def test_a_trial_that_stands_there_twice_is_refused():
    table = pd.concat([RUN, RUN.tail(1)])
    with pytest.raises(InputError, match="has trial 1 of data a, method none more than once"):
        places(table, np.zeros(len(table)), ["data", "epsilon"], ["method", "noise"])


def test_leader_is_tied_with_what_paired_tests_cannot_tell_apart():
    # Holm by hand: the smallest p must be below .05 / m, the next below .05 / (m - 1), ...
    found = leader(ERRORS)
    assert found.best == ERRORS.mean().idxmin()
    assert found.error == ERRORS.mean().min()
    others = [name for name in ERRORS if name != found.best]
    p = {name: stats.ttest_rel(ERRORS[name], ERRORS[found.best]).pvalue for name in others}
    tied, rejecting = set(), True
    for rank, name in enumerate(sorted(p, key=p.get)):
        rejecting = rejecting and p[name] * (len(p) - rank) <= 0.05
        tied |= set() if rejecting else {name}
    assert set(found.tied) == tied
    assert 0 < len(tied) < len(others)
    assert found.leaders == (found.best, *found.tied)


def test_what_has_no_trial_takes_no_part():
    assert "a" not in leader(ERRORS.assign(a=np.nan)).leaders
    assert leader(ERRORS[["c"]]).leaders == ("c",)
    assert leader(ERRORS, ["x"]) is None
    assert set(leader(ERRORS.head(1)).leaders) == set(ERRORS)  # one trial ties everything
    assert leader(pd.DataFrame()) is None
    assert leader(ERRORS, ["c", "d"]).best == "d"


def test_the_best_of_some_stands_against_the_best_of_others():
    places = {
        ("here", 1.0): ERRORS,
        ("there", 2.0): ERRORS[["a", "c"]] - 1.0,
        ("no", 3.0): ERRORS[["c"]],
    }
    found = pairs(places, ["c", "d"], ["a", "b"])
    assert list(found) == [("here", 1.0), ("there", 2.0)]
    best = ERRORS[["a", "b"]].mean().idxmin()
    assert [(pair.first, pair.second) for pair in found.values()] == [("d", best), ("c", "a")]
    table = compare(found, ["where", "epsilon"])
    assert table[["where", "epsilon"]].values.tolist() == [["here", 1.0], ["there", 2.0]]
    test = stats.ttest_rel(ERRORS["d"], ERRORS[best])
    assert table["difference"][0] == pytest.approx((ERRORS["d"] - ERRORS[best]).mean())
    assert table["low"][0] == pytest.approx(test.confidence_interval(0.95).low)
    assert table["high"][0] == pytest.approx(test.confidence_interval(0.95).high)
    assert table["p_value"][0] == pytest.approx(test.pvalue)
    smallest = table["p_value"].idxmin()
    assert table["p_adjusted"][smallest] == pytest.approx(2 * table["p_value"][smallest])
    assert table["trials"].tolist() == [8, 8]


def test_a_margin_is_one_of_the_mean_and_chance_is_excluded_beside_it():
    noise = 0.001 * (RNG.standard_normal(8))
    differences = {"far": -0.1, "near": -0.005, "above": 0.02, "even": 0.0}
    found = {
        (name,): Pair("x", "y", mean + noise - noise.mean()) for name, mean in differences.items()
    }
    found[("noisy",)] = Pair("x", "y", np.array([-3.0, 2.9, -3.1, 3.0, -0.5]))
    table = compare(found, ["place"]).set_index("place")
    assert table.index[less(table)].tolist() == ["far", "near"]
    assert table.index[less(table, 0.01)].tolist() == ["far"]
    assert table.index[more(table)].tolist() == ["above"]
    assert not more(table, 0.05).any()

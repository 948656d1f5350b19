"""What chance may be behind a verdict: p-values, many claims at once, and what n could show."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpmc.errors import InputError
from dpmc_studies.frame.judging.chance import (
    detectable,
    p_of_parts,
    p_of_rule,
    standing,
    with_chance,
)
from dpmc_studies.frame.judging.claims import load_claims
from dpmc_studies.frame.judging.finding import (
    ALL,
    CONTRADICTED,
    FACT,
    INCONCLUSIVE,
    MARGIN,
    MOST,
    NO_EFFECT,
    POOLED,
    SUPPORTED,
    WITHIN,
    Finding,
)
from dpmc_studies.frame.judging.rules import (
    Sample,
    all_of,
    judge_all,
    judge_most,
    judge_pooled,
    within,
)
from dpmc_studies.statistics.bootstrap import pooled_interval
from dpmc_studies.statistics.tests import holm, row_tests

RULES = {ALL: judge_all, MOST: judge_most, POOLED: judge_pooled}


def comparisons(mean, spread, rows=6, trials=30, seed=0):
    return mean + spread * np.random.default_rng(seed).standard_normal((rows, trials))


def judged(rule, values):
    return RULES[rule](Sample(values, np.zeros((len(values), 1))))


@pytest.mark.parametrize("trials", [5, 20, 100])
def test_a_detectable_difference_is_seen_in_80_percent_of_repeats(trials):
    draws = np.random.default_rng(trials).standard_normal((40_000, trials))
    draws += detectable(1 / np.sqrt(trials), trials)
    seen = (row_tests(draws).p_value <= 0.05).mean()
    # the t-distribution shifted is not quite the noncentral one: at few trials a little more power
    assert seen == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("mean", "spread", "verdict"),
    [(-0.05, 0.03, SUPPORTED), (0.05, 0.03, CONTRADICTED), (0.0, 0.005, NO_EFFECT)],
)
def test_a_verdict_at_5_percent_has_a_p_value_below(rule, mean, spread, verdict):
    found = judged(rule, comparisons(mean, spread))
    assert found.verdict == verdict
    assert 0 <= found.p_value <= 0.05


@pytest.mark.parametrize("rule", RULES)
def test_more_spread_gives_larger_p_values_and_an_open_claim_none(rule):
    p_values = [judged(rule, comparisons(-0.05, spread)).p_value for spread in (0.04, 0.06)]
    assert p_values[0] < p_values[1]
    assert np.isnan(judged(rule, comparisons(-0.01, 0.2)).p_value)


def test_p_values_are_those_of_the_tests():
    values = comparisons(0.05, 0.06)
    tests = row_tests(values)
    assert judged(ALL, values).p_value == holm(tests.p_value).min()
    one = comparisons(0.004, 0.01, rows=1, trials=400)
    expected = stats.ttest_1samp(one[0], MARGIN[1], alternative="less").pvalue
    assert judged(POOLED, one).p_value == pytest.approx(expected, rel=0.5)
    none = pooled_interval(one)
    assert p_of_rule(POOLED, INCONCLUSIVE, one, none) is np.nan


def test_a_range_is_tested_with_all_its_means():
    rows = {str(place): row for place, row in enumerate(comparisons(0.0, 0.02))}
    inside, wide = within(rows, 0.02), within(rows, 0.04)
    assert wide.p_value < inside.p_value <= 0.05
    (worst,) = [
        max(stats.ttest_1samp(row, side).pvalue for row in rows.values() for side in (-0.02, 0.02))
    ]
    assert inside.p_value == pytest.approx(len(rows) * worst)
    assert within({"far": comparisons(0.1, 0.02)[0]}, 0.02).p_value < 1e-6


def test_of_a_conjunction_the_weakest_part_counts_or_the_strongest_against_it():
    parts = [Finding(SUPPORTED, rule=MOST, interval_low=-1, p_value=p) for p in (0.01, 0.03)]
    assert all_of(parts).p_value == 0.03
    assert all_of([*parts, Finding(SUPPORTED, rule=FACT)]).p_value == 0.03
    against = [Finding(CONTRADICTED, rule=MOST, p_value=0.02), *parts]
    assert all_of(against).p_value == pytest.approx(0.06)  # three parts could have been against it
    against.append(Finding(CONTRADICTED, rule=MOST, p_value=0.001))
    assert all_of(against).p_value == pytest.approx(0.004)
    unknown = [*parts, Finding(SUPPORTED, rule=WITHIN, interval_low=0.0)]
    assert np.isnan(p_of_parts(unknown, SUPPORTED))


def table(**p_values):
    rows = [
        {"id": name, "verdict": SUPPORTED, "p_value": p, "rule": POOLED}
        | {"interval_low": -0.01, "interval_high": 0.01, "n": 100}
        for name, p in p_values.items()
    ]
    rows[-1]["verdict"] = NO_EFFECT
    return pd.DataFrame(rows).astype({"n": "Int64"})


def test_verdicts_fall_to_the_correction_for_many_claims():
    claims = table(A1=0.001, A2=0.03, A3=np.nan, A4=0.04, A5=1e-6)
    found = with_chance(claims, pd.Series(False, index=claims.index))
    np.testing.assert_allclose(found["holm"], holm(claims["p_value"]))
    assert standing(found) == (5, 4, ["A2", "A4"])
    own = pd.Series([False, True, False, True, True])
    apart = with_chance(claims, own)["holm"]
    np.testing.assert_allclose(apart[own], holm(claims["p_value"][own]))
    assert apart[0] == 0.001  # alone among those of the papers


def test_only_where_no_effect_is_found_it_is_said_what_would_have_been():
    claims = table(A1=0.001, A2=0.03)
    found = with_chance(claims, pd.Series(False, index=claims.index))["detectable"]
    assert np.isnan(found[0])
    error = 0.01 / stats.t.ppf(0.975, 99)
    assert found[1] == pytest.approx(error * (stats.t.ppf(0.975, 99) + stats.t.ppf(0.8, 99)))


CLAIM = "- {id: A1, source: b, sentence: c, claim: d, predicate: e}\n"


def loaded(folder, text=None):
    (folder / "claims.yaml").write_text(CLAIM)
    if text is not None:
        (folder / "predicates.yaml").write_text(text)
    return load_claims(folder / "claims.yaml", {"A1": None})[0]["written"]


def test_a_predicate_of_which_nothing_is_known_was_written_after(tmp_path):
    assert loaded(tmp_path) == "after"
    assert loaded(tmp_path, "before: []\n") == "after"
    assert loaded(tmp_path, "prototype: [A1]\n") == "prototype"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("soon: [A1]\n", "'soon' is none of before, prototype, rule, after"),
        ("before: [A2]\n", "A2 is no claim"),
        ("before: [A1]\nafter: [A1]\n", "A1 is no claim of the study, or comes twice"),
    ],
)
def test_a_broken_list_of_predicates_is_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        loaded(tmp_path, text)

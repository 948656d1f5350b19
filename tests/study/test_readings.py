"""Readings of the same results: what each keeps, and when a verdict depends on one."""

import numpy as np
import pandas as pd
import pytest

from dpmc.study.claims import table_of_verdicts
from dpmc.study.readings import depends_on, medians, on_trials
from dpmc.study.rules import CONTRADICTED, INCONCLUSIVE, NO_EFFECT, SUPPORTED, Finding

FIRM = (SUPPORTED, CONTRADICTED, NO_EFFECT)


@pytest.fixture
def trials():
    rng = np.random.default_rng(0)
    rows = [
        {"rank": rank, "variance": variance, "trial": trial, "rmse": rng.random(), "seconds": 1.0}
        for rank, variance in ((5, np.nan), (5, 1.0), (10, 1.0))
        for trial in range(8)
    ]
    return pd.DataFrame(rows)


def test_halves_share_no_trial_and_lose_none(trials):
    other = pd.DataFrame({"size": [1, 2]})
    tables = dict(on_trials({"trials": trials, "other": other}, {"trials": ("rank", "trial")}))
    even, odd = tables["even trials"]["trials"], tables["odd trials"]["trials"]
    assert set(even["trial"]) == {0, 2, 4, 6}
    pd.testing.assert_frame_equal(pd.concat([even, odd]).sort_index(), trials)
    assert all(changed["other"] is other for changed in tables.values())


def test_medians_are_those_of_three_trials_in_order(trials):
    shuffled = trials.sample(frac=1, random_state=1)
    found = medians(shuffled, ("rank", "variance", "trial"))
    assert list(found.columns) == list(trials.columns)
    assert len(found) == 3 * 2  # trials 6 and 7 are left over
    for row in found.to_dict("records"):
        same = trials["variance"].eq(row["variance"]) | (
            trials["variance"].isna() & np.isnan(row["variance"])
        )
        block = trials[
            (trials["rank"] == row["rank"]) & same & (trials["trial"] // 3 == row["trial"])
        ]
        assert row["rmse"] == sorted(block["rmse"])[1]


def test_a_bad_draw_does_not_move_the_medians(trials):
    bad = trials.assign(rmse=trials["rmse"].where(trials["trial"] != 4, 1e9))
    assert medians(bad, ("rank", "variance", "trial"))["rmse"].max() < 1


def test_a_verdict_depends_on_a_reading_that_decides_otherwise():
    others = {"even trials": SUPPORTED, "odd trials": INCONCLUSIVE, "medians of three": NO_EFFECT}
    assert depends_on(SUPPORTED, others, FIRM) == "medians of three: no effect"
    both = "even trials: supported; medians of three: no effect"
    assert depends_on(INCONCLUSIVE, others, FIRM) == both
    assert depends_on(SUPPORTED, {"odd trials": INCONCLUSIVE}, FIRM) == ""


def test_a_table_of_verdicts_names_them():
    claims = [{"id": "A", "source": "", "sentence": "", "claim": "", "predicate": ""}]
    judges = {"A": lambda sign: Finding(SUPPORTED if sign > 0 else CONTRADICTED)}
    assert table_of_verdicts(claims, judges, 1)["depends_on"].tolist() == [""]
    table = table_of_verdicts(claims, judges, 1, {"mirrored": -1, "doubled": 2})
    assert table["verdict"].tolist() == [SUPPORTED]
    assert table["depends_on"].tolist() == ["mirrored: contradicted"]

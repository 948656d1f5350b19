"""Readings of the same results: what each keeps, and when a verdict depends on one."""

import numpy as np
import pandas as pd
import pytest

from dpmc_studies.frame.judging.claims import table_of_verdicts
from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NO_EFFECT,
    SUPPORTED,
    Finding,
)
from dpmc_studies.frame.judging.readings import depends_on, on_trials

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


def test_a_verdict_depends_on_a_reading_that_decides_otherwise():
    others = {"even trials": SUPPORTED, "odd trials": INCONCLUSIVE, "equal weights": NO_EFFECT}
    assert depends_on(SUPPORTED, others, FIRM) == "equal weights: no effect"
    both = "even trials: supported; equal weights: no effect"
    assert depends_on(INCONCLUSIVE, others, FIRM) == both
    assert depends_on(SUPPORTED, {"odd trials": INCONCLUSIVE}, FIRM) == ""


def test_a_table_of_verdicts_names_them():
    claims = [{"id": "A", "source": "", "sentence": "", "claim": "", "predicate": ""}]
    judges = {"A": lambda sign: Finding(SUPPORTED if sign > 0 else CONTRADICTED)}
    assert table_of_verdicts(claims, judges, 1)["depends_on"].tolist() == [""]
    table = table_of_verdicts(claims, judges, 1, {"mirrored": -1, "doubled": 2})
    assert table["verdict"].tolist() == [SUPPORTED]
    assert table["depends_on"].tolist() == ["mirrored: contradicted"]

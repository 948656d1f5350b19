"""Replays compare all that a run asked for."""

import numpy as np
import pytest
from scipy import stats

from dpmc.mechanisms import Gaussian
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation, Replay
from dpmc_studies.studies.audit.traces import OTHERWISE, compare

HERE = [("sums", np.array([1.0, 2.0]), 3.0, 1.0), ("counts", np.array([5.0]), 1.0, 2.0)]
LAW = Gaussian(2.0)


def released(noise, asked):
    ledger = Ledger(noise, 3, keep=True)
    for what, query, sensitivity, weight in asked:
        ledger.release(what, query, sensitivity, weight=weight)
    return ledger


def compared(there):
    run = released(FloatNoise(LAW, np.random.default_rng(0)), HERE)
    replay = released(Replay([each.output for each in run.transcript]), there)
    return run, replay, compare(run, replay, LAW, 2)


def test_runs_that_ask_alike_differ_by_their_queries_alone():
    there = [(what, query + 1, *others) for what, query, *others in HERE]
    *_, trace = compared(there)
    assert trace.changes == pytest.approx({"sums": 2**0.5 / 3, "counts": 1})


@pytest.mark.parametrize(
    ("place", "otherwise"), [(0, "means"), (2, 3 * (1 + 1e-9)), (3, 1.05)], ids=str
)
def test_a_name_sensitivity_or_weight_that_hangs_on_the_data_is_seen(place, otherwise):
    first = [*HERE[0]]
    first[place] = otherwise
    run, replay, trace = compared([first, HERE[1]])
    assert trace.changes[OTHERWISE] == np.inf
    sides = [
        sum(
            stats.norm.logpdf(each.output, other.query, 2 * other.sensitivity * other.weight).sum()
            for each, other in zip(run.transcript, side.transcript, strict=True)
        )
        for side in (run, replay)
    ]
    assert trace.loss == pytest.approx(sides[0] - sides[1], abs=1e-12)  # exact all the same


def test_a_release_more_or_less_is_seen():
    assert compared(HERE[:1])[2].changes[OTHERWISE] == np.inf
    with pytest.raises(PrivacyViolation, match="number of releases depends on the ratings"):
        compared([*HERE, HERE[1]])

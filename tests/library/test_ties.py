"""Ties: predictions equal up to rounding, whatever instructions compute them."""

import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpmc.ties import TOLERANCE, descending, margin, signs

FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)
BLAS_TARGETS = ("Nehalem", "Haswell")  # the oldest has neither AVX nor fused multiply-add


@settings(deadline=None)
@given(arrays(np.float64, (3, 5), elements=FINITE), st.integers(0, 2**32 - 1))
def test_rounding_changes_no_sign(predictions, seed):
    largest = np.abs(predictions).max()
    clear = np.where(np.abs(predictions) < 3 * TOLERANCE * largest, 0.0, predictions)
    rounding = np.random.default_rng(seed).uniform(-1e-12, 1e-12, predictions.shape) * largest
    rounded = clear + rounding
    assert np.array_equal(signs(rounded, margin(rounded)), np.sign(clear))


def test_margins_leave_infinite_predictions_out_and_are_of_a_slice_where_asked():
    scores = np.array([[-np.inf, 2.0, -4.0], [0.0, 0.0, 0.0]])
    assert margin(scores) == 4 * TOLERANCE
    assert margin(scores, axis=1).tolist() == [[4 * TOLERANCE], [0.0]]
    assert margin(np.empty((0, 3))) == 0
    assert signs(np.array([0.0, 1e-300, -1.0]), 0.0).tolist() == [0, 1, -1]


def near_ties(size=200):
    """Scores in steps of .7 of a tie, so that each ties with a neighbour, and some places."""
    rng = np.random.default_rng(3)
    scores = 1 + 0.7 * TOLERANCE * rng.integers(0, 60, size)
    scores[0] = 1 + 60 * TOLERANCE
    return scores, rng.random(size) < 0.3


def test_the_order_of_two_hangs_on_no_third_one():
    scores, _ = near_ties()
    tie = margin(scores)
    every = descending(scores, tie).tolist()
    few = np.sort(np.random.default_rng(4).permutation(scores.size)[:50])
    chosen = set(few.tolist())
    assert few[descending(scores[few], tie)].tolist() == [each for each in every if each in chosen]


@pytest.mark.parametrize("n", [1, 10, 100, 1000])
def test_lists_of_many_users_are_in_the_same_order(n):
    from dpmc.methods.kernels.completion import best

    scores, rated = near_ties()
    every = descending(scores, margin(scores))
    assert best(scores, rated, n).tolist() == every[~rated[every]][:n].tolist()


def test_ties_keep_their_order():
    # 1 and 3 are equal up to rounding, and 0 and 2 exactly
    found = descending(np.array([2.0, 3.0, 2.0, 3.0 + 4e-16, 7.0, -np.inf]), 7e-9)
    assert found.tolist() == [4, 1, 3, 0, 2, 5]
    assert descending(np.array([2.0, 3.0, 2.0, 3.0 + 4e-16]), 0.0).tolist() == [3, 1, 0, 2]
    assert descending(np.array([1.0, 3.0, 2.0]), 3e-9).tolist() == [1, 2, 0]
    assert descending(np.array([]), 0.0).tolist() == []


CELLS = """
import json
import numpy as np
from dpmc_studies.studies.onebit.cells import OneBitCell
from dpmc_studies.studies.onebit.trial import run_clear, run_curve
from dpmc_studies.studies.dpals.recall import recall
from dpmc.ratings import Ratings
from dpmc.methods import method_class

# two groups without common ratings: of the best matrix of rank 1 one of them is 0
rng = np.random.default_rng(4)
together = (rng.random(70) < 0.7)[:, None] == (rng.random(60) < 0.7)
users, items = np.nonzero(together & (rng.random((70, 60)) < 0.2))
order = rng.permutation(users.size)
ratings = Ratings(users[order], items[order], rng.integers(0, 3, order.size).astype(float), 70, 60)

given = {"dataset": "groups", "link": "gaussian", "constraint": "both", "observed_fraction": 0.8}
settings = {"seed": 1, "trials": 3, "rank": 1, "alpha": 1, "threshold": 1, "delta": 1e-5}
settings |= {"baselines": ["majority", "item_bias"]}
clear = OneBitCell(**given, mechanism="clear", epsilon=None)
rows, solutions = run_clear(clear, settings, ratings=ratings)
for mechanism in ("inp", "objp", "grap", "outp"):
    cell = OneBitCell(**given, mechanism=mechanism, epsilon=2.0)
    rows += run_curve([cell], settings, ratings=ratings, clear=solutions)
# kernels that numba compiles: ranks above the number of ratings of a user, hardly a penalty
fitted = []
for method, options in (("als", {}), ("irls", {"loss_parameter": 1.0})):
    model = method_class(method)(rank=10, regularization=0.01, iterations=20, **options)
    model.fit(ratings, rng=np.random.default_rng(1))
    fitted += model.predict(users[:50], items[:50]).tolist()
zeros = 0
for solution in solutions:
    values, vectors = np.linalg.eigh(solution @ solution.T)
    best = np.outer(vectors[:, -1], vectors[:, -1] @ solution)
    zeros += int((np.abs(best) < 1e-12).sum())
found = [row["accuracy_truncated"] for row in rows] + [row["accuracy_raw"] for row in rows]
print(json.dumps({"accuracies": found, "fitted": fitted, "zeros": zeros}))
"""


@pytest.mark.slow  # compiles the kernels again
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names x86-64 targets")
def test_cells_at_risk_have_the_same_accuracy_on_any_processor():
    """The restaurant ratings fall into groups; so do these, in every run without a download."""
    found = []
    for target in BLAS_TARGETS:
        # numba compiles for the oldest processor too, and not from a cache of this one
        environment = {**os.environ, "OPENBLAS_CORETYPE": target, "OPENBLAS_NUM_THREADS": "1"}
        if target == BLAS_TARGETS[0]:
            environment |= {"NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": ""}
        run = subprocess.run(
            [sys.executable, "-c", CELLS], env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        found.append(json.loads(run.stdout))
    assert found[0]["zeros"] > 3000  # of 3 times 4200 entries: the cells are at risk
    assert found[0]["fitted"] == pytest.approx(found[1]["fitted"], rel=1e-6, abs=1e-6)
    assert found[0]["accuracies"] == pytest.approx(found[1]["accuracies"], abs=1e-12)

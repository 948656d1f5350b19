"""The half of the runs that tests an attack has no part in what is learnt, and each run is alone.

Then the bound is right as often as it says, however many features there are to choose from: that is
what :func:`dpmc_studies.statistics.privacy_bounds.threshold_bound` promises of scores.
"""

import numpy as np
import pytest
from scipy import stats

from dpmc_studies.studies.audit import attack
from dpmc_studies.studies.audit.attack import PENALTIES, Reading, _scores, lower_bound

HALF, FEATURES = 20, 60


def readings(seed, runs, shift=0.0):
    """Runs with many numbers, of which some are missing, and many words."""
    rng = np.random.default_rng(seed)
    numbers = rng.standard_normal((runs, FEATURES)) + shift * (np.arange(FEATURES) == 7)
    there = rng.random((runs, FEATURES)) < 0.95
    said = rng.random((runs, 20)) < 0.3
    return [
        Reading(
            {f"number {k}": float(row[k]) for k in np.flatnonzero(known)},
            frozenset(f"word {k}" for k in np.flatnonzero(words)),
        )
        for row, known, words in zip(numbers, there, said, strict=True)
    ]


@pytest.fixture
def scored(monkeypatch):
    """Return what decides: scores of runs of each data set, those that choose and those that test.

    A pair of arrays for each, (2, HALF).
    """
    seen = []

    def noting(first, second, **given):
        seen.append((first, second))
        return plain(first, second, **given)

    plain = attack.threshold_bound
    monkeypatch.setattr(attack, "threshold_bound", noting)

    def scores(learnt, tests):
        first, second = ([*half, *tested] for half, tested in zip(learnt, tests, strict=True))
        bound = lower_bound(first, second, delta=0.0, confidence=0.5)
        last = np.array(seen[-1])
        assert bound == plain(*last, delta=0.0, confidence=0.5)
        return last[:, :HALF], last[:, HALF:]

    return scores


@pytest.mark.parametrize("shift", [0.0, 2.0, 4.0])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_chosen_is_a_matter_of_the_half_that_is_learnt_from(scored, shift, seed):
    learnt = [readings([seed, side], HALF, side * shift) for side in (0, 1)]
    found = []
    for other in range(4):
        shifts = 0, shift if other % 2 else 0  # it may tell something else
        tests = [readings([seed, other, side, 9], HALF, shifts[side]) for side in (0, 1)]
        found.append(scored(learnt, tests))
    for chosen, tested in found[1:]:
        np.testing.assert_array_equal(chosen, found[0][0])
        assert (tested != found[0][1]).mean() > 0.5
    # and another half is learnt from otherwise
    learnt = [readings([seed, side, 8], HALF, side * shift) for side in (0, 1)]
    assert (scored(learnt, tests)[0] != found[0][0]).mean() > 0.5


def test_a_run_that_tests_is_scored_alone(scored):
    learnt, tests = ([readings([half, side], HALF, side) for side in (0, 1)] for half in (0, 1))
    chosen, tested = scored(learnt, tests)
    for side, place in ((0, 0), (0, HALF - 1), (1, 3)):
        others = [list(each) for each in tests]
        others[side][place] = Reading({"number 7": 1e9, "elsewhere": 1.0}, frozenset({"new"}))
        again, scores = scored(learnt, others)
        np.testing.assert_array_equal(again, chosen)
        moved = np.zeros((2, HALF), dtype=bool)
        moved[side, place] = True
        np.testing.assert_array_equal(scores[~moved], tested[~moved])


def test_scores_are_learnt_from_one_half():
    """The feature that tells most there, and ridge regression, of each run by all the others."""
    rng, sides = np.random.default_rng(5), np.repeat([1.0, -1.0], HALF)
    learnt, tests = rng.standard_normal((2, 2 * HALF, 8))
    learnt[:, 3] += 2 * sides
    tests[:, 5] -= 3 * sides
    single, ridge = _scores(learnt, tests, sides)
    np.testing.assert_array_equal(single, [learnt[:, 3], tests[:, 3]])
    found = []
    for penalty in PENALTIES * 2 * HALF / 100:

        def weights(rows, penalty=penalty):
            gram = learnt[rows].T @ learnt[rows] + penalty * np.eye(8)
            return np.linalg.solve(gram, learnt[rows].T @ sides[rows])

        every = np.arange(2 * HALF)
        alone = [learnt[run] @ weights(every != run) for run in every]
        found.append((np.square(sides - alone).sum(), alone, tests @ weights(every)))
    _, alone, others = min(found, key=lambda each: each[0])
    np.testing.assert_allclose(ridge[0], alone, rtol=1e-9)
    np.testing.assert_allclose(ridge[1], others, rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_of_many_features_the_best_shows_no_more_than_there_is(epsilon):
    """At 80 %: of 40 right bounds more than 20 exceed epsilon with a probability below 1e-5.

    A Laplace mechanism is among 60 numbers that tell nothing. Scores that are tested on the runs
    that they are learnt from exceed it in all.
    """
    assert stats.binom.sf(20, 40, 0.2) < 1e-5
    rng, exceeded = np.random.default_rng(1), 0
    for _ in range(40):
        numbers = rng.standard_normal((2, 60, 60))
        if epsilon:
            numbers[..., 0] = rng.laplace(size=(2, 60)) / epsilon + [[0], [1]]
        sides = [[Reading(dict(enumerate(row)), frozenset()) for row in rows] for rows in numbers]
        exceeded += lower_bound(*sides, delta=0.0, confidence=0.8) > epsilon
    assert exceeded <= 20

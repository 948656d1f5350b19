"""The sweep over Huber noise: what it draws, how its outcome is made and shown."""

import forensics
import numpy as np
import pandas as pd
import pytest
from forensics import (
    GAUSSIAN,
    VARIANCES,
    column_trials,
    differences,
    distance,
    fitted_variance,
    noises,
)

from dpmc.mechanisms.huber import Huber
from dpmc_studies.studies.huber import KEPT
from dpmc_studies.studies.huber.cells import AS_PRINTED, RIGHT
from dpmc_studies.studies.huber.reported import load

SMALL = {
    "seed": 3, "trials": 3, "users": 12, "items": 15, "scale": 1.0, "regularization": 0.5,
    "iterations": 2,
}  # fmt: skip
COLUMNS = ["start", "noise", "variance", "rank", "observed_fraction", "trial", "rmse_all"]


def test_noises_are_those_of_their_names():
    draws = {key: noise.rvs(400_000, np.random.default_rng(1)) for key, noise in noises().items()}
    assert set(draws) == {(name, v) for name, levels in VARIANCES.items() for v in levels}
    for (name, variance), values in draws.items():
        if name != AS_PRINTED:
            assert values.mean() == pytest.approx(0, abs=0.01)
            assert values.var() == pytest.approx(variance, rel=0.02)
    wrong = draws[AS_PRINTED, 2.0]
    noise = Huber.from_variance(2.0)
    # every draw beyond a becomes a less that draw
    assert wrong.mean() == pytest.approx(-noise.tail_mass / 2 * (noise.a + 2 / noise.a), abs=0.01)
    assert wrong.max() <= noise.a
    # of the same uniform numbers
    assert np.corrcoef(draws[RIGHT, 2.0], draws[GAUSSIAN, 2.0])[0, 1] > 0.98


def made(variance, spread=0.0, trials=6):
    """Trials whose log RMSE grows with the variance of right noise and reported at one of them."""
    rng = np.random.default_rng(1)
    rows, reported = [], []
    for rank in (5, 10, 20):
        for fraction in (0.05, 0.1, 0.15):
            for name, levels in VARIANCES.items():
                for level in levels:
                    log = 0.1 * (level - 2) + (0.3 if name == AS_PRINTED else 0)
                    rows += [
                        ("normal", name, level, rank, fraction, trial,
                         np.exp(log + spread * rng.standard_normal()))
                        for trial in range(trials)
                    ]  # fmt: skip
            for method in ("als", "irls"):
                for level in (1.0, 2.0):
                    size = 0.1 * ((variance if level == 2 else 1.0) - 2)
                    reported.append((method, "huber", level, rank, fraction, np.exp(size)))
                    reported.append(
                        (method, "gaussian", level, rank, fraction, np.exp(0.1 * (level - 2)))
                    )
    names = ["method", "mechanism", "variance", "rank", "observed_fraction", "published"]
    published = pd.DataFrame(reported, columns=names).assign(metric="rmse_all")
    return pd.DataFrame(rows, columns=COLUMNS), published


@pytest.mark.parametrize("variance", [1.3, 1.9])
def test_the_variance_that_was_printed_is_found(variance):
    columns = differences(*made(variance, spread=0.002))
    for fraction in (0.05, 0.1, 0.15):
        found = fitted_variance(columns, "normal", 2.0, fraction)
        assert found.estimate == pytest.approx(variance, abs=0.03)
        assert found.low <= found.estimate <= found.high


def test_a_reported_difference_has_the_error_of_ten_trials_each():
    # of ours there are four times as many, which says nothing of theirs
    columns = differences(*made(2.0, spread=0.05, trials=40))
    assert columns["sampling_error"].mean() == pytest.approx(0.05 * np.sqrt(2 / 10), rel=0.1)


@pytest.mark.slow
def test_what_is_kept_is_what_the_sweep_makes():
    """Of 18 places one, exactly, and all keys."""
    kept = pd.read_csv(KEPT)
    assert set(kept["start"]) == set(forensics.STARTS)
    assert len(kept) == 2 * 9 * (5 * 2 + 2)
    used = forensics.settings() | {"trials": forensics.COLUMN_TRIALS}
    found = differences(pd.DataFrame(column_trials(["uniform"], [5], [0.15], used)), load())
    place = "start == 'uniform' and rank == 5 and observed_fraction == 0.15"
    expected = kept.query(place).reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-6)


@pytest.mark.slow
def test_the_configured_size_and_scale_are_nearer_than_their_neighbours():
    used = forensics.settings() | {"trials": forensics.SIZE_TRIALS}
    size, scale, start = (used["users"], used["items"]), used["scale"], used["start"]
    assert (size, scale, start) in forensics.choices()
    off = distance(size, scale, start, used)
    for other in (((200, 200), 1.0, "normal"), (size, None, "normal"), (size, 1.0, "uniform")):
        assert off < distance(*other, used)

"""The experiments beside the grid against single fits of the same cells."""

import numpy as np
import pytest

from dpmc_studies.frame.jobs.seeds import NOISE, START, stream
from dpmc_studies.studies.huber.experiments import timing
from dpmc_studies.studies.huber.experiments.common import MECHANISMS, METHODS, synthetic_cell
from dpmc_studies.studies.huber.experiments.convergence import convergence
from dpmc_studies.studies.huber.experiments.starts import starts as many_starts
from dpmc_studies.studies.huber.trial import make_method, synthetic_instance, synthetic_trial

SETTINGS = {
    "seed": 4,
    "trials": 2,
    "count": 3,
    "users": 15,
    "items": 20,
    "scale": 1.0,
    "rank": 2,
    "variance": 2,
    "observed_fraction": 0.4,
    "regularization": 0.5,
    "iterations": 3,
    "start": "normal",
    "loss_parameter": "noise",
    "residual_scale": 1.0,
    "irls_iterations": 2,
}


def select(rows, **wanted):
    return [row for row in rows if wanted.items() <= row.items()]


@pytest.mark.parametrize("target", ["right_hand_side", "iterate"])
def test_the_last_error_is_that_of_the_trial_with_noise_in_its_place(target):
    errors = list(convergence(SETTINGS))
    assert len(errors) == 3 * 2 * 2 * 3
    cell = synthetic_cell(SETTINGS, "als", "laplace")
    used = SETTINGS | {"noise_target": target}
    expected = [synthetic_trial(cell, used, trial)["rmse_all"] for trial in range(2)]
    found = select(errors, noise_target=target, mechanism="laplace", iteration=3)
    assert [row["rmse_all"] for row in found] == pytest.approx(expected, rel=1e-12)
    assert [row["trial"] for row in found] == [0, 1]


@pytest.fixture(scope="module")
def starts():
    cells = [synthetic_cell(SETTINGS, method, noise) for method in METHODS for noise in MECHANISMS]
    return [row for cell in cells for row in many_starts(cell, SETTINGS)]


def test_starts_settle_without_noise(starts):
    """After the noisy iterations as many follow from where they ended, with no noise at all.

    The start does not depend on the mechanism, the noise does.
    """
    cell = synthetic_cell(SETTINGS, "als", "laplace")
    observed = synthetic_instance(cell.coordinates(), SETTINGS, 0).observed
    losses = []
    for row in select(starts, method="als", mechanism="laplace"):
        key = {"experiment": "starts", "start": row["start"]}
        noisy = make_method(cell, SETTINGS).fit(
            observed, rng=stream(4, START, key), noise_rng=cell.stream(4, NOISE, **key)
        )
        going_on = make_method(synthetic_cell(SETTINGS, "als", "none"), SETTINGS)
        going_on._draw_start = lambda rng, there=noisy.item_factors_: there
        going_on.fit(observed, rng=np.random.default_rng(0))
        loss = going_on.training_loss(observed)
        assert row["settled_loss"] == pytest.approx(loss, rel=1e-12)
        assert loss < noisy.training_loss(observed)
        losses.append(loss)
    assert len({*losses}) == 3


def test_timing_has_every_repeat_of_every_k(monkeypatch):
    shape = {"users": 12, "items": 15, "rank": 2, "observed_fraction": 0.5}
    monkeypatch.setattr(timing, "TIMING_SHAPE", shape)
    rows = list(timing.timing(SETTINGS | {"repeats": 2}))
    assert [(row["irls_iterations"], row["repeat"]) for row in rows] == [
        (k, repeat) for k in (1, 20) for repeat in (0, 1)
    ]
    assert all(row["seconds"] > 0 for row in rows)

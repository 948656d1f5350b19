"""The experiments beside the grid against single fits of the same cells."""

import numpy as np
import pytest

from dpmc.datasets.synthetic import generate
from dpmc_studies.frame.jobs.seeds import NOISE, START, stream
from dpmc_studies.studies.huber.experiments import timing
from dpmc_studies.studies.huber.experiments.common import MECHANISMS, METHODS, synthetic_cell
from dpmc_studies.studies.huber.experiments.convergence import CONVERGENCE_COLUMNS, convergence
from dpmc_studies.studies.huber.experiments.starts import STARTS_COLUMNS
from dpmc_studies.studies.huber.experiments.starts import starts as many_starts
from dpmc_studies.studies.huber.trial import (
    make_method,
    run_cell,
    synthetic_instance,
    synthetic_trial,
)

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


@pytest.fixture(scope="module")
def errors():
    return list(convergence(SETTINGS))


@pytest.fixture(scope="module")
def starts():
    cells = [synthetic_cell(SETTINGS, method, noise) for method in METHODS for noise in MECHANISMS]
    return [row for cell in cells for row in many_starts(cell, SETTINGS)]


def test_every_combination_has_an_error_after_each_iteration(errors):
    # two methods, four mechanisms, and ALS with three of them once more on the iterates
    assert len(errors) == (2 * 4 + 3) * 2 * 3
    assert {tuple(row) for row in errors} == {CONVERGENCE_COLUMNS}
    twice = {row["mechanism"] for row in errors if row["noise_target"] == "iterate"}
    assert twice == {"gaussian", "laplace", "huber"}
    assert {row["method"] for row in errors if row["noise_target"] == "iterate"} == {"als"}
    assert {row["variance"] for row in select(errors, mechanism="none")} == {None}


@pytest.mark.parametrize(("method", "mechanism"), [("als", "none"), ("irls", "huber")])
def test_the_last_error_is_that_of_the_trial(errors, method, mechanism):
    cell = synthetic_cell(SETTINGS, method, mechanism)
    wanted = {"method": method, "mechanism": mechanism, "iteration": 3}
    last = select(errors, noise_target="right_hand_side", **wanted)
    expected = [row["rmse_all"] for row in run_cell(cell, SETTINGS)]
    assert [row["rmse_all"] for row in last] == pytest.approx(expected, rel=1e-12)


def test_noise_on_the_iterates_goes_there(errors):
    cell = synthetic_cell(SETTINGS, "als", "laplace")
    on_iterates = SETTINGS | {"noise_target": "iterate"}
    expected = [synthetic_trial(cell, on_iterates, trial)["rmse_all"] for trial in range(2)]
    found = select(errors, noise_target="iterate", mechanism="laplace", iteration=3)
    assert [row["rmse_all"] for row in found] == pytest.approx(expected, rel=1e-12)
    assert [row["trial"] for row in found] == [0, 1]


def test_starts_are_fits_of_one_data_set_from_different_starts(starts):
    assert len(starts) == 2 * 4 * 3
    assert {tuple(row) for row in starts} == {STARTS_COLUMNS}
    for method, mechanism in (("als", "gaussian"), ("irls", "none")):
        cell = synthetic_cell(SETTINGS, method, mechanism)
        instance = synthetic_instance(cell.coordinates(), SETTINGS, 0)
        for row in select(starts, method=method, mechanism=mechanism):
            # the start does not depend on the mechanism, the noise does
            key = {"experiment": "starts", "start": row["start"]}
            model = make_method(cell, SETTINGS).fit(
                instance.observed,
                rng=stream(4, START, key),
                noise_rng=cell.stream(4, NOISE, **key),
            )
            difference = model.predict_matrix() - instance.matrix()
            assert row["rmse_all"] == pytest.approx(np.sqrt((difference**2).mean()), rel=1e-12)
            loss = model.training_loss(instance.observed)
            assert row["training_loss"] == pytest.approx(loss, rel=1e-12)
        losses = {
            row["training_loss"] for row in select(starts, method=method, mechanism=mechanism)
        }
        assert len(losses) == 3


def test_starts_settle_without_noise(starts):
    """After the noisy iterations as many follow from where they ended, with no noise at all."""
    cell = synthetic_cell(SETTINGS, "als", "laplace")
    instance = synthetic_instance(cell.coordinates(), SETTINGS, 0)
    for row in select(starts, method="als", mechanism="laplace"):
        key = {"experiment": "starts", "start": row["start"]}
        noisy = make_method(cell, SETTINGS).fit(
            instance.observed,
            rng=stream(4, START, key),
            noise_rng=cell.stream(4, NOISE, **key),
        )
        going_on = make_method(synthetic_cell(SETTINGS, "als", "none"), SETTINGS)
        going_on._draw_start = lambda rng, there=noisy.item_factors_: there
        going_on.fit(instance.observed, rng=np.random.default_rng(0))
        assert row["settled_loss"] == pytest.approx(
            going_on.training_loss(instance.observed), rel=1e-12
        )
        assert row["settled_loss"] < row["training_loss"]


def test_without_noise_starts_go_on_as_they_were(starts):
    cell = synthetic_cell(SETTINGS, "irls", "none")
    instance = synthetic_instance(cell.coordinates(), SETTINGS, 0)
    for row in select(starts, method="irls", mechanism="none"):
        model = make_method(cell, SETTINGS | {"iterations": 6})
        model.fit(
            instance.observed, rng=stream(4, START, {"experiment": "starts", "start": row["start"]})
        )
        loss = model.training_loss(instance.observed)
        assert row["settled_loss"] == pytest.approx(loss, rel=1e-12)


def test_timing_has_every_repeat_of_every_kernel_and_k(monkeypatch):
    shape = {"users": 12, "items": 15, "rank": 2, "observed_fraction": 0.5}
    monkeypatch.setattr(timing, "TIMING_SHAPE", shape)
    fitted = []

    def remembering(*arguments, **given):
        fitted.append(given)
        return generate(*arguments, **given)

    monkeypatch.setattr(timing, "generate", remembering)
    settings = SETTINGS | {"irls_iterations": [1, 3], "repeats": 2}
    rows = list(timing.timing(settings))
    assert fitted == [shape]  # one data set for all
    assert {tuple(row) for row in rows} == {timing.TIMING_COLUMNS}
    keys = [(row["kernel"], row["irls_iterations"], row["repeat"]) for row in rows]
    assert keys == [(k, n, r) for k in ("direct", "fast") for n in (1, 3) for r in (0, 1)]
    assert all(row["seconds"] > 0 for row in rows)

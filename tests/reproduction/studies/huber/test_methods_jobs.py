"""What the jobs about how the methods behave compute, against single fits."""

import numpy as np
import pytest

from dpmc.ratings import Ratings
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments import heldout, thesis_methods
from dpmc_studies.studies.huber.experiments.weights import weights
from dpmc_studies.studies.huber.trial import fit, run_cell, synthetic_instance

SYNTHETIC = {
    "seed": 4, "trials": 2, "users": 15, "items": 20, "scale": 1.0, "regularization": 0.5,
    "iterations": 4, "start": "normal", "loss_parameter": 0.4, "residual_scale": 1.0,
}  # fmt: skip
REAL = {**SYNTHETIC, "training_share": 0.8, "loss_parameter": 3.0}
HUBER = Cell("synthetic", 2, 2.0, 0.4, "irls", "huber", 3)


@pytest.fixture(scope="module")
def ratings():
    """Half of a 20 x 15 matrix, rated 1 to 5."""
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((20, 15)) < 0.5)
    values = rng.integers(1, 6, users.size)
    return Ratings(users, items, values, 20, 15, name="ml-100k", rating_range=(1.0, 5.0))


def test_weights_are_those_of_the_trials_of_the_cell():
    rows = list(weights(HUBER, SYNTHETIC))
    expected = [row["rmse_all"] for row in run_cell(HUBER, SYNTHETIC)]
    assert [row["rmse_irls"] for row in rows] == expected
    for trial, row in enumerate(rows):
        observed = synthetic_instance(HUBER.coordinates(), SYNTHETIC, trial).observed
        model, _ = fit(HUBER, SYNTHETIC, trial, observed)
        off = np.abs(observed.values - model.predict(observed.users, observed.items))
        assert 0 < row["below_one"] == (off > 0.4).mean() < 1


def test_without_weights_below_one_als_with_the_last_noise_is_the_same_model():
    rows = list(weights(HUBER, SYNTHETIC | {"loss_parameter": 1e9}))
    assert all(row["below_one"] == 0 for row in rows)
    assert [row["rmse_als"] for row in rows] == pytest.approx([row["rmse_irls"] for row in rows])
    assert all(abs(row["rmse_als"] / row["rmse_irls"] - 1) > 1e-3
               for row in weights(HUBER, SYNTHETIC))  # fmt: skip


def test_heldout_errors_begin_as_the_trials_of_the_cell(ratings):
    cell = Cell("ml-100k", 2, 1.0, 0.8, "irls", "huber", 3)
    rows = list(heldout.errors_by_iteration(cell, REAL | {"iterations": 6}, ratings))
    assert [row["iteration"] for row in rows] == [*range(1, 7)] * 2
    fourth = [row["rmse_heldout"] for row in rows if row["iteration"] == 4]
    assert fourth == [row["rmse_heldout"] for row in run_cell(cell, REAL, ratings=ratings)]


def test_every_method_of_the_thesis_has_an_error_after_each_iteration(ratings):
    methods = {
        "svt": {"method": "svt", "settings": {"threshold": 1.0, "step": 1.5, "iterations": 3}},
        "svd": {"method": "svd", "settings": {"rank": 2}},
        "als": {"method": "als", "settings": {"rank": 2, "iterations": 2}},
    }
    settings = {"seed": 3, "trials": 2, "training_share": 0.8, "dataset": "ml-100k",
                "observed_fraction": 0.5, "methods": methods}  # fmt: skip
    rows = list(thesis_methods.thesis_methods(settings, ratings))
    names = [(row["name"], row["trial"], row["iteration"]) for row in rows]
    counts = {"svt": 3, "svd": 1, "als": 2}
    assert names == [(n, t, i + 1) for n, k in counts.items() for t in range(2) for i in range(k)]
    seconds = [row["seconds"] for row in rows if row["name"] == "svt"]
    assert 0 < seconds[0] < seconds[1] < seconds[2]
    ratios = [row["rmse_heldout"] / row["rse_heldout"] for row in rows if row["trial"] == 0]
    assert ratios == pytest.approx([ratios[0]] * len(ratios))  # the norm of one held-out part

"""What the jobs about how the methods behave compute, against single fits."""

import numpy as np
import pytest

from dpmc.ratings import Ratings
from dpmc_studies.configuration import load
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.methods.factorization.irls import IRLS
from dpmc_studies.studies.huber import STUDY
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.counting import CountingIRLS
from dpmc_studies.studies.huber.experiments import TABLES, heldout, thesis_methods
from dpmc_studies.studies.huber.experiments.heldout import HELDOUT_COLUMNS, errors_by_iteration
from dpmc_studies.studies.huber.experiments.weights import WEIGHTS_COLUMNS, weights
from dpmc_studies.studies.huber.trial import run_cell

SYNTHETIC = {
    "seed": 4, "trials": 2, "users": 15, "items": 20, "scale": 1.0, "regularization": 0.5,
    "iterations": 4, "start": "normal", "loss_parameter": 0.4, "residual_scale": 1.0,
}  # fmt: skip
REAL = {**SYNTHETIC, "training_share": 0.8, "loss_parameter": 3.0}


@pytest.fixture(scope="module")
def ratings():
    """Half of a 20 x 15 matrix, rated 1 to 5."""
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((20, 15)) < 0.5)
    values = rng.integers(1, 6, users.size)
    return Ratings(users, items, values, 20, 15, name="ml-100k", rating_range=(1.0, 5.0))


def counted(cell, ratings=None, counted_iterations=2, **changed):
    settings = (SYNTHETIC if ratings is None else REAL) | changed
    return list(weights(cell, settings | {"counted_iterations": counted_iterations}, ratings))


HUBER = Cell("synthetic", 2, 2.0, 0.4, "irls", "huber", 3)


@pytest.mark.parametrize("mechanism", ["none", "laplace", "huber"])
def test_errors_are_those_of_the_trials_of_the_cell(mechanism):
    cell = Cell("synthetic", 2, None if mechanism == "none" else 2.0, 0.4, "irls", mechanism, 3)
    rows = counted(cell)
    assert {tuple(row) for row in rows} == {WEIGHTS_COLUMNS}
    expected = [row["rmse_all"] for row in run_cell(cell, SYNTHETIC)]
    assert [row["rmse_irls"] for row in rows] == expected


def test_real_errors_are_those_of_the_trials_of_the_cell(ratings):
    cell = Cell("ml-100k", 2, 1.0, 0.8, "irls", "huber", 3)
    expected = [row["rmse_heldout"] for row in run_cell(cell, REAL, ratings=ratings)]
    assert [row["rmse_irls"] for row in counted(cell, ratings)] == expected


def test_without_weights_below_one_als_with_the_last_noise_is_the_same_model():
    rows = counted(HUBER, loss_parameter=1e9)
    assert all(row["below_first"] == row["below_later"] == 0 for row in rows)
    assert [row["rmse_als"] for row in rows] == pytest.approx([row["rmse_irls"] for row in rows])
    rows = counted(HUBER)
    assert all(row["below_later"] > 0 for row in rows)
    assert all(abs(row["rmse_als"] / row["rmse_irls"] - 1) > 1e-3 for row in rows)


def test_weights_are_those_of_the_formula(ratings):
    """One outer iteration, with theta of every step from the normal equations."""
    a, noise = 0.7, np.random.default_rng(3).standard_normal((3, 15, 2))

    class Given:
        def rvs(self, size, rng):
            assert size == noise.shape
            return noise

    model = CountingIRLS(
        every=1, rank=2, loss_parameter=a, iterations=1, inner_iterations=3, mechanism=Given()
    )
    model.fit(ratings, rng=np.random.default_rng(5), noise_rng=np.random.default_rng(6))
    rng = np.random.default_rng(5)
    rng.standard_normal((15, 2))  # V_0
    theta, below = rng.standard_normal((15, 2)), []
    for step in range(3):
        few = 0
        for item in range(15):
            seen = ratings.items == item
            factors, values = model.user_factors_[ratings.users[seen]], ratings.values[seen]
            residuals = np.abs(values - factors @ theta[item])
            few += (residuals > a).sum()
            weighted = factors.T * np.minimum(1, a / residuals)
            gram = weighted @ factors + 0.5 * np.eye(2)
            theta[item] = np.linalg.solve(gram, weighted @ values + noise[step, item])
        below.append(few)
    assert model.counts_.weights.tolist() == [len(ratings), 2 * len(ratings)]
    assert model.counts_.below.tolist() == [below[0], below[1] + below[2]]
    assert 0 < below[1] < len(ratings)


def test_weights_are_counted_in_the_last_of_equal_parts():
    often = counted(HUBER, counted_iterations=4)[0]
    once = counted(HUBER, counted_iterations=1)[0]
    assert often["weights_first"] == 4 * once["weights_first"]
    assert once["weights_later"] == 2 * once["weights_first"]
    assert once["rmse_irls"] == often["rmse_irls"]
    assert issubclass(CountingIRLS, IRLS)


def test_heldout_errors_begin_as_the_trials_of_the_cell(ratings):
    cell = Cell("ml-100k", 2, 1.0, 0.8, "irls", "huber", 3)
    rows = list(errors_by_iteration(cell, REAL | {"iterations": 6}, ratings))
    assert {tuple(row) for row in rows} == {HELDOUT_COLUMNS}
    assert [row["iteration"] for row in rows] == [*range(1, 7)] * 2
    fourth = [row["rmse_heldout"] for row in rows if row["iteration"] == 4]
    assert fourth == [row["rmse_heldout"] for row in run_cell(cell, REAL, ratings=ratings)]
    training = [row["rmse_training"] for row in rows if row["trial"] == 0]
    assert training[-1] < training[0]


def test_every_method_of_the_thesis_has_an_error_after_each_iteration(ratings):
    methods = {
        "svt": {"method": "svt", "settings": {"threshold": 1.0, "step": 1.5, "iterations": 3}},
        "svd": {"method": "svd", "settings": {"rank": 2}},
        "als": {"method": "als", "settings": {"rank": 2, "iterations": 2}},
    }
    settings = {"seed": 3, "trials": 2, "training_share": 0.8, "dataset": "ml-100k",
                "observed_fraction": 0.5, "methods": methods}  # fmt: skip
    rows = list(thesis_methods.thesis_methods(settings, ratings))
    assert {tuple(row) for row in rows} == {thesis_methods.THESIS_COLUMNS}
    names = [(row["name"], row["trial"], row["iteration"]) for row in rows]
    counts = {"svt": 3, "svd": 1, "als": 2}
    assert names == [(n, t, i + 1) for n, k in counts.items() for t in range(2) for i in range(k)]
    seconds = [row["seconds"] for row in rows if row["name"] == "svt"]
    assert 0 < seconds[0] < seconds[1] < seconds[2]
    ratios = [row["rmse_heldout"] / row["rse_heldout"] for row in rows if row["trial"] == 0]
    assert ratios == pytest.approx([ratios[0]] * len(ratios))  # the norm of one held-out part


@pytest.fixture(scope="module")
def plan():
    return Plan("results", load("config/config.yaml"), {"huber": STUDY})


def job_of(plan, name, dataset):
    """Return the cells of a job with their settings."""
    return plan.settings(STUDY, STUDY.job(name), (dataset,))


def test_cells_of_the_weights_are_those_of_the_grid_with_the_usual_k(plan):
    assert [*plan.jobs(STUDY, STUDY.job("weights"))] == [("synthetic",), ("ml-100k",), ("sweetrs",)]
    drawn = job_of(plan, "weights", "synthetic")
    assert len(drawn) == 9 * 7
    trials = plan.sections["huber"]["weights"]["trials"]
    assert all(own["trials"] == trials[cell.mechanism] for cell, own in drawn.items())
    real = job_of(plan, "weights", "sweetrs")
    assert len(real) == 3 * 3
    assert {cell.irls_iterations for cell in real} == {20}
    assert {own["trials"] for own in real.values()} == {1}


def test_what_a_configuration_leaves_out_has_no_jobs(plan):
    bare = plan.sections["huber"] | {"real": {}}
    jobs = [job for job in STUDY.jobs if {*job.tables} & {*TABLES}]
    assert {cell.dataset for job in jobs for cell in STUDY.cells(job, bare)} == {"synthetic"}


def test_variances_of_sweetrs_are_run_with_gaussian_noise(plan):
    cells = job_of(plan, "sweetrs_variances", "sweetrs")
    assert [cell.variance for cell in cells] == [None, 0.5, 1.0, 2.0]
    assert {cell.mechanism for cell in [*cells][1:]} == {"gaussian"}
    assert {own["trials"] for own in cells.values()} == {10}


def test_heldout_errors_are_of_more_iterations_than_the_grid_has(plan):
    cells = job_of(plan, "heldout", "ml-100k")
    assert [(cell.method, cell.mechanism) for cell in cells] == [*heldout.MODELS]
    own = plan.sections["huber"]["heldout"]
    assert {each["iterations"] for each in cells.values()} == {own["iterations"]}
    assert {each["trials"] for each in cells.values()} == {own["trials"]}

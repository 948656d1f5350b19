import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from dpmc.datasets.synthetic import load_instances, save_instances
from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.studies.huber import trial as trials
from dpmc_studies.studies.huber.cells import Cell

SETTINGS = {
    "seed": 1,
    "trials": 2,
    "users": 30,
    "items": 40,
    "scale": 1.0,
    "training_share": 0.8,
    "regularization": 0.5,
    "iterations": 5,
    "start": "normal",
    "loss_parameter": "noise",
    "residual_scale": 1.0,
    "shrinkage": 1.0,
}


def cell(method="als", mechanism="huber", variance=2.0, dataset="synthetic", fraction=0.3):
    inner = 3 if method == "irls" else None
    return Cell(
        dataset, 3, None if mechanism == "none" else variance, fraction, method, mechanism, inner
    )


def rows(point, settings=SETTINGS, **options):
    without_clock = []
    for row in trials.run_cell(point, settings, **options):
        assert row.pop("seconds") >= 0
        without_clock.append(row)
    return without_clock


@pytest.fixture
def ratings():
    rng = np.random.default_rng(5)
    users, items = np.nonzero(rng.random((30, 40)) < 0.3)
    values = rng.integers(1, 6, size=users.size)
    return Ratings(users, items, values, 30, 40, "small", (1, 5))


def test_more_trials_leave_the_old_rows_identical():
    assert rows(cell(), SETTINGS | {"trials": 5})[:2] == rows(cell())


def test_stored_instances_give_the_same_numbers(tmp_path):
    shared = {"rank": 3, "observed_fraction": 0.3}
    made = [trials.synthetic_instance(shared, SETTINGS, number) for number in range(2)]
    save_instances(tmp_path / "data.npz", made)
    stored = load_instances(tmp_path / "data.npz")
    assert rows(cell(), instances=stored) == rows(cell())


@pytest.mark.parametrize("mechanism", ["gaussian", "laplace", "huber"])
def test_mechanisms_share_data_and_start_but_not_noise(mechanism, monkeypatch):
    """With the noise scaled away, every mechanism gives the numbers of no noise."""
    quiet = rows(cell(mechanism="none", method="als"))
    silence = type("Silence", (), {"rvs": lambda self, size, rng: np.zeros(size), "a": 3.0})()
    monkeypatch.setattr(trials, "make_mechanism", lambda name, variance: silence)
    silenced = rows(cell(mechanism=mechanism, method="als"))
    for one, other in zip(quiet, silenced, strict=True):
        assert one["rmse_all"] == pytest.approx(other["rmse_all"], rel=1e-12)


def test_mechanisms_have_noise_of_their_own(monkeypatch):
    seen = []

    class Recorder:
        a = 3.0

        def rvs(self, size, rng):
            seen.append(rng.bit_generator.state["state"]["state"])
            return np.zeros(size)

    monkeypatch.setattr(trials, "make_mechanism", lambda name, variance: Recorder())
    for mechanism in ("gaussian", "laplace", "huber"):
        rows(cell(mechanism=mechanism), SETTINGS | {"iterations": 1})
    rows(cell(variance=1.0), SETTINGS | {"iterations": 1})
    # two trials of four cells; the first is fitted twice, because run_cell warms up with it
    assert len(set(seen)) == 8
    assert len(seen) == 12


def test_heldout_error_is_on_unobserved_entries():
    point = cell(method="global_mean", mechanism="none")
    (row, _) = trials.run_cell(point, SETTINGS)
    instance = trials.synthetic_instance(point.coordinates(), SETTINGS, 0)
    hidden = np.ones((30, 40), dtype=bool)
    hidden[instance.observed.users, instance.observed.items] = False
    constant = instance.observed.values.mean()
    expected = np.sqrt(np.mean((instance.matrix()[hidden] - constant) ** 2))
    assert row["rmse_heldout"] == pytest.approx(expected, rel=1e-12)
    expected = np.sqrt(np.mean((instance.matrix() - constant) ** 2))
    assert row["rmse_all"] == pytest.approx(expected, rel=1e-12)


def test_split_is_a_partition_of_the_stated_size(ratings):
    training, heldout = trials.split(ratings, SETTINGS, cell(dataset="small"), 0)
    assert len(training) == round(0.8 * len(ratings))
    pairs = set(zip(training.users, training.items, strict=True))
    rest = set(zip(heldout.users, heldout.items, strict=True))
    assert not pairs & rest
    assert pairs | rest == set(zip(ratings.users, ratings.items, strict=True))


def test_split_depends_on_trial_and_fraction_but_not_on_rank(ratings):
    def users(point, number):
        return trials.split(ratings, SETTINGS, point, number)[0].users.tolist()

    point = cell(dataset="small")
    other_rank = Cell("small", 9, 2.0, 0.3, "als", "huber", None)
    assert users(point, 0) == users(other_rank, 0)
    assert users(point, 0) != users(point, 1)
    assert users(point, 0) != users(cell(dataset="small", fraction=0.4), 0)


def test_real_errors_are_those_of_a_model_that_saw_the_training_part_only(ratings):
    point = cell(dataset="small", method="global_mean", mechanism="none")
    for number, row in enumerate(trials.run_cell(point, SETTINGS, ratings=ratings)):
        training, heldout = trials.split(ratings, SETTINGS, point, number)
        expected = np.sqrt(np.mean((heldout.values - training.values.mean()) ** 2))
        assert row["rmse_heldout"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rating_range", [(0.5, 5.5), None])
def test_clipped_errors_are_those_of_clipped_predictions(ratings, rating_range):
    limited = replace(ratings, rating_range=rating_range)
    point = cell(dataset="small", variance=50.0)
    (row, _) = trials.run_cell(point, SETTINGS, ratings=limited)
    training, heldout = trials.split(limited, SETTINGS, point, 0)
    model, _ = trials.fit(point, SETTINGS, 0, training)
    predicted = model.predict(heldout.users, heldout.items)
    assert predicted.max() > 5.5
    # without a stated range, that of the ratings
    clipped = np.clip(predicted, *(rating_range or (1, 5)))
    expected = np.sqrt(np.mean((clipped - heldout.values) ** 2))
    assert row["rmse_clipped"] == pytest.approx(expected, rel=1e-12)


def test_trials_differ_in_data_and_in_start():
    shared = {"rank": 3, "observed_fraction": 0.3}
    one, other = (trials.synthetic_instance(shared, SETTINGS, number) for number in (0, 1))
    assert (one.matrix() != other.matrix()).any()
    point, short = cell(mechanism="none"), SETTINGS | {"iterations": 1}
    models = [trials.fit(point, short, number, one.observed)[0] for number in (0, 1)]
    assert (models[0].user_factors_ != models[1].user_factors_).any()


@pytest.mark.parametrize("share", [1e-9, 1 - 1e-9])
def test_a_split_with_an_empty_side_is_refused(ratings, share):
    with pytest.raises(InputError, match="leaves no rating"):
        trials.split(ratings, {"seed": 1, "training_share": share}, cell(dataset="small"), 0)


def test_a_method_has_what_the_cell_and_the_settings_say():
    given = SETTINGS | {"regularization": 0.7, "start": "uniform", "residual_scale": 1.3}
    method = trials.make_method(cell(method="irls", mechanism="laplace"), given)
    assert (method.rank, method.inner_iterations, method.iterations) == (3, 3, 5)
    assert (method.regularization, method.start, method.residual_scale) == (0.7, "uniform", 1.3)
    assert method.mechanism.var() == pytest.approx(2.0)
    iterate = trials.make_method(cell(), given | {"noise_target": "iterate"})
    assert iterate.noise_target == "iterate"


def test_noise_for_a_method_without_noise_is_refused():
    with pytest.raises(InputError, match="takes no noise"):
        trials.make_method(cell(method="global_mean"), SETTINGS)


def test_training_does_not_import_what_is_slow():
    program = (
        "import sys, dpmc_studies.studies.huber.experiments.grid;"
        "import dpmc_studies.tables, dpmc_studies.jobs;"
        "from dpmc_studies.studies.huber.trial import make_method, method_class;"
        "from dpmc.mechanisms import make_mechanism;"
        "method_class('irls'); method_class('als'); make_mechanism('huber', 2.0);"
        "print([m for m in ('pandas', 'scipy.stats', 'matplotlib') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr

"""The sweep over Huber noise: what it draws, how its outcome is made and shown."""

import numpy as np
import pandas as pd
import pytest

from dpmc.mechanisms.huber import Huber
from dpmc.studies.huber import KEPT, STUDY
from dpmc.studies.huber.experiments import forensics_huber, forensics_synthetic
from dpmc.studies.huber.experiments.forensics_huber import (
    AS_PRINTED,
    GAUSSIAN,
    HUBER_KEYS,
    RIGHT,
    SWEEP_COLUMNS,
    VARIANCES,
    noises,
    run_start,
)
from dpmc.studies.huber.huber_columns import (
    NOISE,
    differences,
    fits,
    fitted_variance,
    outcome,
    run,
)

SETTINGS = {
    "seed": 3, "trials": 3, "users": 12, "items": 15, "scale": 1.0, "regularization": 0.5,
    "iterations": 2,
}  # fmt: skip


@pytest.fixture
def trials(monkeypatch):
    monkeypatch.setattr(forensics_synthetic, "FRACTIONS", (0.10,))
    monkeypatch.setattr(forensics_synthetic, "RANKS", (5,))
    return pd.DataFrame(
        row for start in ("normal", "uniform") for row in run_start(start, SETTINGS)
    )


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


def test_noises_of_a_trial_share_everything_else(trials):
    assert tuple(trials.columns) == SWEEP_COLUMNS
    assert len(trials) == 2 * 3 * len(noises())
    by_noise = trials.groupby(["noise", "variance"])["rmse_all"].mean()
    assert by_noise[GAUSSIAN, 1.0] < by_noise[GAUSSIAN, 2.0]
    assert by_noise[RIGHT, 1.0] == pytest.approx(by_noise[GAUSSIAN, 1.0], rel=0.02)
    starts = trials.groupby("start")["rmse_all"].mean()
    assert starts["normal"] != starts["uniform"]


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
    return pd.DataFrame(rows, columns=SWEEP_COLUMNS), published


@pytest.mark.parametrize("variance", [1.3, 1.9])
def test_the_variance_that_was_printed_is_found(variance):
    columns = differences(*made(variance, spread=0.002))
    for fraction in (0.05, 0.1, 0.15):
        found = fitted_variance(columns, "normal", 2.0, fraction)
        assert found.estimate == pytest.approx(variance, abs=0.03)
        assert found.low <= found.estimate <= found.high


def test_fits_measure_the_distance_to_the_reported_differences():
    columns = differences(*made(1.2, spread=1e-5))
    assert not columns.duplicated(list(HUBER_KEYS)).any()
    found = fits(columns).set_index(NOISE)
    assert (found["columns"] == 18).all()
    assert found.loc[("normal", RIGHT, 1.2, 2.0), "rms"] == pytest.approx(0, abs=1e-4)
    assert found.loc[("normal", RIGHT, 2.0, 2.0), "rms"] == pytest.approx(0.08, abs=1e-4)
    assert found.loc[("normal", RIGHT, 2.0, 2.0), "beyond"] == 18
    assert found.loc[("normal", AS_PRINTED, 2.0, 2.0), "rms"] == pytest.approx(0.38, abs=1e-4)
    assert ("normal", AS_PRINTED, 1.0, 2.0) not in found.index
    assert GAUSSIAN not in columns["noise"].tolist()


def test_a_reported_difference_has_the_error_of_ten_trials_each():
    # of ours there are four times as many, which says nothing of theirs
    columns = differences(*made(2.0, spread=0.05, trials=40))
    assert columns["sampling_error"].mean() == pytest.approx(0.05 * np.sqrt(2 / 10), rel=0.1)


def test_what_is_kept_is_what_the_sweep_makes(tmp_path):
    kept = pd.read_csv(KEPT)
    table, published = made(2.0)
    assert list(kept.columns) == list(differences(table, published).columns)
    assert set(kept["start"]) == {"normal", "uniform"}
    assert len(kept) == 2 * 9 * (5 * 2 + 2)
    assert STUDY.regression.optional["huber_columns"] == HUBER_KEYS
    table.to_csv(tmp_path / "forensics_huber.csv", index=False)
    (made_again,) = outcome(tmp_path, {}).values()
    # what is reported stands in it as the papers have it
    for method in ("als", "irls"):
        assert kept[f"reported_{method}"].iloc[:108].tolist() == pytest.approx(
            made_again[f"reported_{method}"].tolist()
        )


def test_it_is_shown_from_what_is_kept(tmp_path):
    run(tmp_path, {}, tmp_path / "unstated")
    files = {path.name for path in (tmp_path / "unstated").iterdir()}
    assert {"huber_columns.csv", "huber_columns.png", "table_unstated_huber.md"} <= files
    text = (tmp_path / "unstated" / "table_unstated_huber.md").read_text()
    assert "start U(0,1), 15% observed" in text


def test_the_sweep_takes_its_own_number_of_trials():
    section = {
        "seed": 1, "trials": 100, "regularization": 0.5, "iterations": 50, "irls_iterations": 20,
        "start": "normal", "loss_parameter": "noise", "residual_scale": 1.0,
        "synthetic": {"users": 100, "items": 500, "scale": 1.0},
        "forensics": {"trials": 5, "huber_trials": 20, "loss_parameters": [1]},
    }  # fmt: skip
    found = forensics_huber.settings(section, forensics_huber.Start("uniform"))
    assert found["trials"] == 20

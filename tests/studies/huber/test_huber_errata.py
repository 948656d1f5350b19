"""Each erratum of the Huber study: its number against an independent computation."""

import os
from pathlib import Path

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import integrate, optimize

from dpmc.mechanisms.huber import Huber
from dpmc.report.errata import errata_markdown
from dpmc.studies.huber import errata as errata_of_huber
from dpmc.studies.huber.errata import ENTRIES
from dpmc.studies.huber.errata import listed as all_errata
from dpmc.studies.huber.errata import method as errata_method
from dpmc.studies.huber.errata.noise import _erfinv_series
from dpmc.studies.huber.errata.sources import Sources
from dpmc.studies.huber.published import load
from dpmc.study.erratum import listed

PAPER = Path(errata_of_huber.__file__).resolve().parents[1] / "published"
SWEETRS_ROWS = '"product","user","value"\n"a",1,5\n"a",2,0\n"b",1,2\n"a",1,5\n"b",3,4\n'
MOVIELENS_ROWS = "1\t1\t5\t8\n2\t1\t1\t8\n2\t2\t3\t8\n"
MIRROR = os.environ.get("DPMC_DATA_MIRROR")


@pytest.fixture(scope="module", autouse=True)
def small_runs():
    """Small matrices: the tests ask for signs and sizes, not for precision."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"users": 40, "items": 50, "trials": 2, "iterations": 4}.items():
            patch.setitem(errata_method.SETTINGS, name, value)
        yield


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The published numbers, files of a few rows, and a trial of MovieLens."""
    folder = tmp_path_factory.mktemp("raw")
    files = {"sweetrs": folder / "ratings-final.csv", "ml-100k": folder / "u.data"}
    files["sweetrs"].write_text(SWEETRS_ROWS)
    files["ml-100k"].write_text(MOVIELENS_ROWS)
    row = {"dataset": "ml-100k", "method": "als", "mechanism": "none", "rmse_clipped": 1.25}
    trials = pd.DataFrame([row, row | {"mechanism": "gaussian", "rmse_clipped": 9.0}])
    return Sources(load(PAPER), files, trials)


@pytest.fixture(scope="module")
def entries(sources):
    return {entry.id: entry for entry in all_errata(sources)}


def numbers(entries, name):
    return entries[name].numbers


def test_every_entry_is_whole_and_numbered_in_order(entries):
    assert list(entries) == [f"E{number}" for number in range(1, 17)]
    assert len(ENTRIES) == 16
    for entry in entries.values():
        assert all((entry.title, entry.place, entry.published, entry.correct, entry.evidence))
        assert entry.numbers
        assert all(np.isfinite(list(entry.numbers.values())))


def test_e1_inverse_cdf(entries):
    found = numbers(entries, "E1")
    # the density at a = 1, normalised by quadrature and inverted by root finding
    tail = integrate.quad(lambda x: np.exp(-abs(x) + 0.5), 1, np.inf)[0]
    middle = integrate.quad(lambda x: np.exp(-x * x / 2), -1, 1)[0]
    above = lambda x: np.exp(-(x - 1)) * tail / (middle + 2 * tail) - 0.05  # noqa: E731
    assert found["quantile"] == pytest.approx(optimize.brentq(above, 1, 9), abs=1e-9)
    assert found["published_quantile"] == pytest.approx(1 - found["quantile"])
    a = 5.382 / 5
    moments = [
        integrate.quad(lambda x, k=k: x**k * Huber(a).pdf(x), -np.inf, a)[0]
        + integrate.quad(lambda x, k=k: (a - x) ** k * Huber(a).pdf(x), a, np.inf)[0]
        for k in (1, 2)
    ]
    assert found["reported_mean"] == pytest.approx(moments[0], abs=1e-4)
    assert found["reported_variance"] == pytest.approx(moments[1] - moments[0] ** 2, abs=2e-3)
    assert found["reported_mean"] == pytest.approx(-0.537, abs=0.002)


def test_e2_normaliser_and_series(entries):
    found = numbers(entries, "E2")
    a = 5.382 / 5
    rho = lambda x: x * x / 2 if abs(x) <= a else a * (abs(x) - a / 2)  # noqa: E731
    whole = 2 * integrate.quad(lambda x: np.exp(-rho(x)), 0, 60, points=[a])[0]
    assert found["normaliser"] == pytest.approx(whole)
    coefficients = mpmath.taylor(mpmath.erfinv, 0, 9)
    assert found["erfinv"] == pytest.approx(float(mpmath.erfinv(0.999)))
    assert found["series"] == pytest.approx(2.085, abs=5e-4)
    few = sum(float(c) * 0.3**power for power, c in enumerate(coefficients))
    assert _erfinv_series(0.3, 5) == pytest.approx(few, rel=1e-12)


def test_e3_gaussian_budgets(entries):
    found = numbers(entries, "E3")
    known = {
        "log10": (15.964, 11.288, 9.217, 7.982),
        "ln": (24.224, 17.129, 13.986, 12.112),
        "exact": (33.104, 20.676, 15.867, 13.207),
        "delta": (0.191, 0.049, 0.022, 0.013),
    }
    for form, values in known.items():
        ours = [found[f"{form}_{variance}"] for variance in (1, 2, 3, 4)]
        assert ours == pytest.approx(values, abs=6e-4)


def test_e4_huber_budgets(entries):
    found = numbers(entries, "E4")
    ours = [found[f"epsilon_{variance}"] for variance in (2, 3, 4)]
    assert ours == pytest.approx([5.3799, 4.2163, 3.6012], abs=5e-5)
    assert "1.9988" in entries["E4"].evidence


def test_e5_sensitivity(entries):
    found = numbers(entries, "E5")
    assert found["sweetrs_range"] == 5
    assert found["ml-100k_range"] == 4
    # sums of 20 products of two uniforms: mean 5, standard deviation 1, 2000 of them
    assert 4 < found["synthetic_range"] < 11
    assert found["l1"] > found["l2"] > found["synthetic_range"]


def test_e6_regularization(entries):
    found = numbers(entries, "E6")
    assert found["gradient"] < 1e-12
    rng = np.random.default_rng(1)
    factors, values = rng.standard_normal((40, 5)), 3 * rng.standard_normal(40)

    def objective(theta, weight):
        residuals = np.abs(values - factors @ theta)
        loss = np.where(residuals <= 1, residuals**2 / 2, residuals - 0.5)
        return loss.sum() + weight * theta @ theta

    # the gradient of the published objective at the minimiser of the halved one
    theta = optimize.minimize(objective, np.zeros(5), args=(0.25,), tol=1e-12).x
    step = 1e-6 * np.eye(5)
    slope = [(objective(theta + e, 0.5) - objective(theta - e, 0.5)) / 2e-6 for e in step]
    assert found["published_gradient"] == pytest.approx(np.abs(slope).max(), rel=1e-4)


def test_e7_weights_at_zero(entries):
    assert numbers(entries, "E7") == {"undefined": 1, "at_zero": 1, "largest_difference": 0}


def test_e8_noise_in_the_sum(entries):
    found = numbers(entries, "E8")
    for fraction in (0.05, 0.1, 0.15):
        # 40 users; binomial over 2000 entries: five standard deviations
        spread = 5 * np.sqrt(fraction * (1 - fraction) / 2000) * 40
        assert found[f"factor_{fraction:g}"] == pytest.approx(40 * fraction, abs=spread)
    assert found["factor_ml-100k"] == pytest.approx(0.8 * 3 / 2)


def test_e9_start(entries):
    found = numbers(entries, "E9")
    assert abs(found["start"]) > 1e-3
    assert np.isfinite(found["inner"])


def test_e10_data_sets(entries):
    found = numbers(entries, "E10")
    assert (found["sweetrs_users"], found["sweetrs_items"]) == (3, 2)
    assert (found["sweetrs_rows"], found["sweetrs_ratings"], found["sweetrs_repeats"]) == (5, 4, 1)
    assert found["sweetrs_density"] == pytest.approx(5 / 6)
    assert found["movielens_density"] == pytest.approx(3 / 4)
    assert found["movielens_training"] == pytest.approx(0.6)


def test_e11_labels(entries):
    found = numbers(entries, "E11")
    assert (found["reported"], found["clipped_rmse"]) == (1.2463, 1.25)
    assert "mean square error 1.5625" in entries["E11"].evidence
    assert found["unrated"] == 1


def test_e12_residual_scale(entries):
    assert numbers(entries, "E12")["change"] != 0


def test_e13_less_noise_than_laplace(entries):
    found = numbers(entries, "E13")
    a = 5.382 / 5
    variance = integrate.quad(lambda x: x * x * Huber(a).pdf(x), -np.inf, np.inf)[0]
    # Huber noise of scale 1 has epsilon a D, Laplace noise at that epsilon variance 2/a^2
    assert found["ratio"] == pytest.approx(variance * a * a / 2)
    assert found["smallest_ratio"] > 1
    assert found["gaussian_fall"] == pytest.approx(0.5, abs=1e-4)
    assert found["laplace_fall"] == pytest.approx(0.5, abs=1e-4)


def test_e14_claims_about_own_tables(entries):
    table = pd.read_csv(PAPER / "huber_synthetic.csv")
    gaussian = table[table["mechanism"] == "gaussian"]
    wide = gaussian.pivot(
        index=["rank", "variance", "observed_fraction"], columns="method", values="rmse"
    )
    count = {
        f"gaussian_als_{rank}": int((w.als < w.irls).sum()) for rank, w in wide.groupby("rank")
    }
    assert count == {"gaussian_als_5": 1, "gaussian_als_10": 4, "gaussian_als_20": 3}
    assert numbers(entries, "E14") == count | {"laplace_irls": 8, "laplace_rows": 18}


def test_e15_one_release(entries):
    found = numbers(entries, "E15")
    assert found["laplace_1000"] == pytest.approx(5000)
    assert found["huber_50"] == pytest.approx(50 * 5.3799, abs=0.005)
    # Gaussian differential privacy: n releases at 5 / sigma compose to mu = 5 sqrt(n / 2)
    for count in (50, 1000):
        mu, epsilon = mpmath.mpf(5) * mpmath.sqrt(count / 2), mpmath.mpf(found[f"gaussian_{count}"])
        delta = mpmath.ncdf(mu / 2 - epsilon / mu)
        delta -= mpmath.exp(epsilon + mpmath.log(mpmath.ncdf(-mu / 2 - epsilon / mu)))
        assert float(delta) == pytest.approx(1e-5, rel=1e-6)


def test_e16_users_without_noise(entries):
    found = numbers(entries, "E16")
    assert found["changed"] == 50  # all items of the small matrix
    assert found["largest"] > 1e-3


def test_without_data_the_page_says_so():
    bare = Sources(load(PAPER))
    by_id = {f"E{n}": ENTRIES[n - 1](f"E{n}", bare) for n in (5, 10, 11)}
    assert by_id["E10"].evidence == by_id["E11"].evidence == "Data not available."
    assert "data not available on SweetRS" in by_id["E5"].evidence


@pytest.mark.skipif(not MIRROR, reason="DPMC_DATA_MIRROR does not name the real data files")
def test_the_real_files():
    files = {"sweetrs": "sweetrs/ratings-final.csv", "ml-100k": "ml-100k/u.data"}
    real = Sources(load(PAPER), {name: Path(MIRROR) / path for name, path in files.items()})
    found = dict(ENTRIES[9]("E10", real).numbers)
    assert found.pop("sweetrs_density") == pytest.approx(0.3919, abs=5e-5)
    assert found.pop("movielens_density") == pytest.approx(0.0630, abs=5e-5)
    assert found.pop("movielens_training") == pytest.approx(0.0504, abs=5e-5)
    assert list(found.values()) == [1476, 77, 44_543, 44_493, 50]
    assert ENTRIES[4]("E5", real).numbers["ml-100k_range"] == 4
    assert ENTRIES[7]("E8", real).numbers["factor_ml-100k"] == pytest.approx(80_000 / 1682)
    assert ENTRIES[10]("E11", real).numbers["unrated"] == 943 * 1682 - 100_000


def test_the_page_holds_every_entry(entries):
    page = errata_markdown(entries.values())
    assert page.startswith("# Errata\n")
    for entry in entries.values():
        assert f"## {entry.id}. {entry.title}" in page
        assert f"- **Evidence:** {entry.evidence}" in page


def test_listed():
    assert listed([1.0], 1) == "1.0"
    assert listed([1.0, 2.25, 3.0], 2) == "1.00, 2.25 and 3.00"


def test_the_study_reads_its_own_trials(tmp_path, sources):
    sources.trials.to_csv(tmp_path / "trials.csv", index=False)
    found = errata_of_huber.errata(tmp_path, sources.raw_files)
    assert [entry.id for entry in found] == [f"E{number}" for number in range(1, 17)]
    assert found[10].numbers["clipped_rmse"] == 1.25

"""Each erratum of the Huber study: its number against an independent computation."""

import os
from pathlib import Path

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import integrate, optimize

from dpmc.frame.showing.erratum import CHANGES_CONCLUSION, UNSTATED, filled, listed
from dpmc.mechanisms.huber import Huber
from dpmc.report.errata import GROUPS, errata_markdown
from dpmc.studies.huber import KEPT
from dpmc.studies.huber import errata as errata_of_huber
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.errata import ENTRIES, TEXTS
from dpmc.studies.huber.errata import listed as all_errata
from dpmc.studies.huber.errata import method as errata_method
from dpmc.studies.huber.errata import thesis as errata_thesis
from dpmc.studies.huber.errata.sources import Sources
from dpmc.studies.huber.reported import load
from dpmc.studies.huber.trial import fit, synthetic_instance
from dpmc.yaml_files import read_mapping

PAPER = Path(errata_of_huber.__file__).resolve().parents[1] / "reported"
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
    errors = np.r_[2.7, np.linspace(1.2, 1.24, 3), np.linspace(1.25, 1.27, 3), np.full(13, 1.35)]
    heldout = pd.DataFrame({"iteration": range(1, 21), "rmse_heldout": errors})
    return Sources(load(PAPER), files, trials, heldout.assign(method="als", mechanism="none"))


@pytest.fixture(scope="module")
def entries(sources):
    return {entry.id: entry for entry in all_errata(sources)}


def numbers(entries, name):
    return entries[name].numbers


def test_every_entry_is_whole_and_numbered_in_order(entries):
    found = (*range(1, 7), *range(8, 17), *range(39, 46), *range(60, 67))
    assert list(entries) == [f"E{number}" for number in found]
    for entry in entries.values():
        assert all((entry.title, entry.place, entry.published, entry.correct, entry.evidence))
        assert entry.grade in GROUPS
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


def test_e2_normaliser_and_stray_factor(entries):
    found = numbers(entries, "E2")
    a = 5.382 / 5
    rho = lambda x: x * x / 2 if abs(x) <= a else a * (abs(x) - a / 2)  # noqa: E731
    whole = 2 * integrate.quad(lambda x: np.exp(-rho(x)), 0, 60, points=[a])[0]
    assert found["normaliser"] == pytest.approx(whole)
    assert found["without"] == pytest.approx(found["quantile"])
    # B.15: log(a N y)/a = a (x + a/2)
    assert a * (found["with"] + a / 2) == pytest.approx(np.log(a * whole * 0.05) / a)
    assert abs(found["with"] - found["quantile"]) > 0.1


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
    assert found["stated_density"] == pytest.approx(0.292, abs=5e-4)


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
    # of a whole training with delta: less noise by about a half
    assert 0.4 < found["training_ratio"] < 0.7


def test_e66_falling_budgets(entries):
    found = numbers(entries, "E66")
    assert found["gaussian_fall"] == pytest.approx(0.5, abs=1e-4)
    assert found["laplace_fall"] == pytest.approx(0.5, abs=1e-4)
    assert found["huber_fall"] == pytest.approx(3.602 / 15)


def reported_synthetic():
    return pd.read_csv(PAPER / "huber_synthetic.csv")


def test_e14_claims_about_own_tables(entries):
    found = numbers(entries, "E14")
    for mechanism, better, worse in (("gaussian", "als", "irls"), ("laplace", "irls", "als")):
        table = reported_synthetic().query("mechanism == @mechanism")
        wide = table.pivot(
            index=["rank", "variance", "observed_fraction"], columns="method", values="rmse"
        )
        lower = wide[better] < wide[worse]
        assert found[f"{mechanism}_{better}"] == lower.sum() == 8
        assert found[f"{mechanism}_{better}_table3"] == lower.loc[5].sum()
        assert (found[f"{mechanism}_rows"], found[f"{mechanism}_rows_table3"]) == (18, 6)
    # what the paper says of its table 3 is true for Laplace noise, and false for Gaussian noise
    assert (found["laplace_irls_table3"], found["gaussian_als_table3"]) == (4, 1)


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


def test_e39_thresholding(entries):
    found = numbers(entries, "E39")
    assert found["midpoint"] < 1e-12
    assert found["dual_far"] < -1e6
    # the minimiser of tau |X|_* + |X - Y|^2 is Y with its singular values less tau/2
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((12, 8))
    values = np.linalg.svd(np.where(rng.random((12, 8)) < 0.5, matrix, 0), compute_uv=False)
    for name, cut in (("without_half", 2.0), ("half_threshold", 1.0)):
        kept = np.maximum(values - cut, 0)
        objective = 2 * kept.sum() + np.square(values - kept).sum()
        assert found[name] == pytest.approx(objective)
    assert found["half_threshold"] < found["without_half"]


def test_the_dual_has_a_maximum():
    """The formula of the dual, against the Lagrangian minimised from many sides."""
    found = []
    for factor in (0.0, 0.5, 1.0, 3.0, 100.0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(errata_thesis, "FAR", factor)
            found.append(errata_thesis.thresholding(None).numbers["dual_far"])
    assert found[0] == pytest.approx(0, abs=1e-9)
    assert max(found) > 0
    assert found[-1] < 0


def test_e40_decomposition(entries):
    found = numbers(entries, "E40")
    assert found["eigenvalue"] == pytest.approx(found["largest"] ** 2)
    assert found["root"] < 1e-12
    assert found["column"] < 1e-12


def test_e41_proof_for_numbers(entries):
    found = numbers(entries, "E41")
    assert found["claimed"] == pytest.approx(5.382)
    assert found["l1"] == pytest.approx(5.382)
    # at most sqrt(K) times as much for vectors of the same l2 size
    assert 2 * 5.382 < found["l2"] <= 5.382 * np.sqrt(20)


def test_e42_gradient(entries):
    assert numbers(entries, "E42")["difference"] < 1e-6


def test_e43_identical_noise(entries):
    found = numbers(entries, "E43")
    cell = Cell("synthetic", 5, 2.0, 0.1, "als", "huber", None)
    observed = synthetic_instance(cell.coordinates(), errata_method.SETTINGS, 0).observed
    model, _ = fit(cell, errata_method.SETTINGS, 0, observed)
    most = 0.0
    for user, item in zip(observed.users, observed.items, strict=True):
        row = model.user_factors_[user]
        moved = np.outer(row, row) @ model.item_factors_[item]
        most = max(most, np.abs(moved).sum())
    assert found["gram"] == pytest.approx(most)
    assert found["right_side"] > 5


def test_e44_noiseless_columns(entries):
    found = numbers(entries, "E44")
    table = reported_synthetic().query("mechanism == 'none'")
    one, two = (
        table[table["variance"] == v].set_index(["rank", "observed_fraction", "method"])["rmse"]
        for v in (1, 2)
    )
    ratio = np.exp(np.abs(np.log(one / two))) - 1
    assert found["largest"] == pytest.approx(ratio.max())
    assert found["largest"] == pytest.approx(0.2482 / 0.2039 - 1)
    assert found["median"] == pytest.approx(ratio.median())


def test_e45_small_fractions(entries):
    found = dict(numbers(entries, "E45"))
    noised = reported_synthetic().query("mechanism != 'none'")
    lowest = noised.loc[
        noised.groupby(["rank", "variance", "observed_fraction", "method"])["rmse"].idxmin()
    ]
    for fraction, rows in lowest.groupby("observed_fraction"):
        assert found.pop(f"lowest_{fraction:g}") == (rows["mechanism"] == "gaussian").sum()
    keys = ["observed_fraction", "rank", "variance", "method"]
    wide = noised.pivot(index=keys, columns="mechanism", values="rmse")
    below = wide["gaussian"] < np.sqrt(wide["laplace"] * wide["huber"])
    for fraction, count in below.groupby(level=0).sum().items():
        assert found.pop(f"below_{fraction:g}") == count
    assert found == {"sweetrs_0.05": 0, "sweetrs_0.1": 0, "sweetrs_0.15": 1}


def kept():
    """What is kept of the sweep, as differences of variance 2 by start and noise."""
    table = pd.read_csv(KEPT)
    return table[table["reported_variance"] == 2].set_index(["start", "noise", "variance"])


def test_e1_says_what_the_misprint_does_to_errors(entries):
    found = numbers(entries, "E1")
    for start in ("normal", "uniform"):
        change = np.exp(kept().loc[(start, "huber_as_printed", 2.0), "difference"]) - 1
        assert found[f"{start}_least_2"] == pytest.approx(change.min())
        assert found[f"{start}_most_2"] == pytest.approx(change.max())
        # the misprint is in the tails, which a = 3 hardly has
        assert abs(found[f"{start}_most_1"]) < 0.02 < found[f"{start}_most_2"]
    assert entries["E1"].grade == UNSTATED


def test_e60_printed_huber_columns(entries):
    found = numbers(entries, "E60")
    table = reported_synthetic().query("variance == 2")
    wide = table.pivot(
        index=["method", "rank", "observed_fraction"], columns="mechanism", values="rmse"
    )
    logs = np.log(wide["huber"] / wide["gaussian"])
    assert found["mean"] == pytest.approx(np.exp(logs.mean()) - 1)
    assert found["largest"] == pytest.approx(0.2047 / 0.2194 - 1)
    for start in ("normal", "uniform"):
        # no variance gives both: what fits at 15 % does not at 5 %
        assert found[f"{start}_high_15"] < found[f"{start}_low_5"]
        ours = kept().loc[(start, "huber", 2.0)].set_index(["rank", "observed_fraction"])
        apart = [
            (ours.loc[key[1:], "difference"] - value)
            / np.hypot(*ours.loc[key[1:], ["standard_error", "sampling_error"]])
            for key, value in logs.items()
        ]
        assert found[f"{start}_right"] == pytest.approx(np.sqrt(np.mean(np.square(apart))))


def test_e61_settings(entries, sources):
    found = numbers(entries, "E61")
    assert all(abs(found[name]) > 0.01 for name in ("size", "scale"))
    assert (found["passed_als"], found["passed_irls"], found["after"]) == (5, 8, 1.35)
    assert "from iteration 5 on and the printed 1.2787 (IRLS) from iteration 8 on" in " ".join(
        entries["E61"].evidence.split()
    )


def test_e62_rating_range(entries):
    found = numbers(entries, "E62")
    for rank in (5, 10, 20):
        cell = Cell("synthetic", rank, None, 0.1, "als", "none", None)
        matrix = synthetic_instance(cell.coordinates(), errata_method.SETTINGS, 0).matrix()
        assert found[f"largest_{rank}"] == matrix.max()
        assert found[f"smallest_{rank}"] == matrix.min()
    # a larger matrix has larger errors
    assert (found["stated_5"] > found["unscaled_5"]) == (found["largest_5"] < 5)
    assert found["stated_20"] < found["unscaled_20"]


def test_e63_noise_in_the_ratings(entries):
    found = numbers(entries, "E63")
    # reweighting is worth its while against noise in the ratings alone
    assert found["ratings"] < -0.05
    assert abs(found["sums"]) < 0.01


def test_e64_slips(entries):
    found = numbers(entries, "E64")
    assert (found["laplace"], found["huber"]) == (3, 2.5)
    # the loss of N(0, 2) against N(5, 2) is normal with mean 25/4 and variance 25/2
    tail = mpmath.ncdf(-(found["epsilon"] - 25 / 4) / mpmath.sqrt(12.5))
    assert found["exceeds"] == pytest.approx(float(tail), rel=1e-6)
    assert found["exceeds"] > 1e-5
    assert (found["inside"], found["edge"]) == (1, 3)
    assert (found["printed_inside"], found["printed_edge"]) == (0.5, 1.5)


def test_e65_two_inner_iterations(entries):
    found = numbers(entries, "E65")
    assert found["table5_0.05"] == pytest.approx(2.2137 / 2.2103 - 1)
    assert found["table4_0.051"] == pytest.approx(1.3850 / 1.3883 - 1)
    assert sum(change > 0 for change in found.values()) == 2


def test_without_data_the_page_says_so():
    bare = Sources(load(PAPER))
    texts = read_mapping(TEXTS)
    by_id = {
        name: filled(name, texts[name], ENTRIES[name](bare)) for name in ("E5", "E10", "E11", "E61")
    }
    assert by_id["E10"].evidence.endswith("would be 29.2% of the matrix. Data not available.")
    assert by_id["E11"].evidence == "Data not available."
    assert "MovieLens" not in by_id["E61"].evidence
    assert "data not available on SweetRS" in by_id["E5"].evidence


@pytest.mark.skipif(not MIRROR, reason="DPMC_DATA_MIRROR does not name the real data files")
def test_the_real_files():
    files = {"sweetrs": "sweetrs/ratings-final.csv", "ml-100k": "ml-100k/u.data"}
    real = Sources(load(PAPER), {name: Path(MIRROR) / path for name, path in files.items()})
    found = dict(ENTRIES["E10"](real).numbers)
    assert found.pop("sweetrs_density") == pytest.approx(0.3919, abs=5e-5)
    assert found.pop("movielens_density") == pytest.approx(0.0630, abs=5e-5)
    assert found.pop("movielens_training") == pytest.approx(0.0504, abs=5e-5)
    assert found.pop("stated_density") == pytest.approx(45_000 / 154_000)
    assert list(found.values()) == [1476, 77, 44_543, 44_493, 50]
    assert ENTRIES["E5"](real).numbers["ml-100k_range"] == 4
    assert ENTRIES["E8"](real).numbers["factor_ml-100k"] == pytest.approx(80_000 / 1682)
    assert ENTRIES["E11"](real).numbers["unrated"] == 943 * 1682 - 100_000


def test_the_page_holds_every_entry(entries):
    page = errata_markdown(entries.values())
    assert page.startswith("# Errata\n")
    for entry in entries.values():
        assert f"### {entry.id}. {entry.title}\n\n- **Grade:** {entry.grade}\n" in page
        assert f"- **Evidence:** {entry.evidence}" in page
    # one heading and one sentence for each grade, errors that change a conclusion first
    assert [text for text in page.splitlines() if text.startswith("## ")] == [
        f"## {heading}"
        for grade, (heading, *_) in GROUPS.items()
        if grade in {entry.grade for entry in entries.values()}
    ]
    places = [page.index(f"### {entry.id}. ") for grade in GROUPS for entry in entries.values()
              if entry.grade == grade]  # fmt: skip
    assert places == sorted(places)
    assert next(iter(GROUPS)) == CHANGES_CONCLUSION


def test_listed():
    assert listed([1.0], 1) == "1.0"
    assert listed([1.0, 2.25, 3.0], 2) == "1.00, 2.25 and 3.00"


def test_the_study_reads_its_own_trials(tmp_path, sources):
    for name in ("trials", "heldout"):
        getattr(sources, name).to_csv(tmp_path / f"{name}.csv", index=False)
    found = errata_of_huber.errata(tmp_path, sources.raw_files)
    assert [entry.id for entry in found] == list(ENTRIES)
    assert found[9].numbers["clipped_rmse"] == 1.25

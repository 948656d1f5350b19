"""Each erratum of DPALS that is computed, against an independent computation or the known value."""

import fake_results
import numpy as np
import pytest
from fake_results.dpals import fake_trials
from planted import ITEMS, planted_trials
from scipy import optimize, stats

from dpmc_studies.frame.showing.erratum import filled
from dpmc_studies.report.errata import GROUPS
from dpmc_studies.studies.dpals import errata
from dpmc_studies.studies.dpals.errata.method import altmin_program
from dpmc_studies.yaml_files import read_mapping


@pytest.fixture(scope="module")
def entries():
    found = {entry.id: entry for entry in errata.entries({"trials": fake_trials()})}
    own = (30, 31, 32, *range(34, 39), *range(49, 53), 90, 91, 97, 98, 99)
    assert list(found) == [f"E{number}" for number in own]
    return found


def numbers(entries, name):
    return dict(entries[name].numbers)


def one(name, tables):
    entry = read_mapping(errata.TEXTS)[name]
    return filled(name, entry, errata.ENTRIES[name](tables))


def gaussian_epsilon(mu, delta=1e-5):
    """The epsilon of mu-Gaussian differential privacy (Dong, Roth and Su, 2022)."""

    def excess(epsilon):
        high, low = -epsilon / mu + mu / 2, -epsilon / mu - mu / 2
        return stats.norm.cdf(high) - np.exp(epsilon + stats.norm.logcdf(low)) - delta

    return optimize.brentq(excess, 1e-9, 10 * mu**2 + 100)


def mu_of(epsilon):
    return optimize.brentq(lambda mu: gaussian_epsilon(mu) - epsilon, 0.05, 10)


def test_every_entry_names_its_source(entries):
    for entry in entries.values():
        sources = ("DPALS paper", "DP_Matrix_Completion_Alt_Min", "google-research")
        assert entry.place.startswith(sources)
        assert "nan" not in entry.evidence
        assert entry.grade in GROUPS


@pytest.mark.parametrize(
    ("epsilon", "k", "steps", "true"), [(1, 50, 2, 1.060), (5, 50, 3, 5.575), (20, 100, 4, 20.89)]
)
def test_theorem_one(entries, epsilon, k, steps, true):
    found = numbers(entries, "E30")
    reported = np.sqrt(2 * k * steps * (epsilon + np.log(1e5))) / epsilon
    mu = np.sqrt(2 * k * steps) / reported
    assert found[f"epsilon_{epsilon}"] == pytest.approx(gaussian_epsilon(mu), rel=1e-6)
    assert found[f"epsilon_{epsilon}"] == pytest.approx(true, rel=5e-4)
    sigma = np.sqrt(2 * k * steps) / mu_of(epsilon)
    assert found[f"sigma_{epsilon}"] == pytest.approx(sigma, rel=1e-5)


def test_mean_and_start(entries):
    mu = mu_of(1.0)
    assert numbers(entries, "E31")["epsilon"] == pytest.approx(
        gaussian_epsilon(mu * np.sqrt(50)), rel=1e-4
    )
    found = numbers(entries, "E32")
    assert found["moved"] == 50
    assert found["triangle"] == pytest.approx(np.sqrt(50 * 51 / 2))
    for steps in (2, 3):
        sigma = np.sqrt(2 * 50 * steps * (1 + np.log(1e5)))
        for which in ("moved", "triangle"):
            right = gaussian_epsilon(found[which] / sigma)
            assert found[f"epsilon_{which}_{steps}"] == pytest.approx(right, rel=1e-5)
    assert found["epsilon_moved_2"] == pytest.approx(4.4, abs=0.05)
    assert found["epsilon_moved_3"] == pytest.approx(3.5, abs=0.05)


def test_all_movies(entries):
    found = numbers(entries, "E36")
    trials = fake_trials()
    for name, variant in (("least", "0.05"), ("all", "1")):
        here = trials[(trials["method"] == "als") & trials["variant"].str.endswith(f"_{variant}")]
        assert found[f"ml-10m_{name}"] in set(here["rmse"])
    alone = one("E36", {})
    assert alone.evidence == "Not part of this run."
    assert alone.numbers == {}


def test_the_published_program(entries):
    assert numbers(entries, "E37")["difference"] < 1e-12
    assert 0.5 < numbers(entries, "E38")["angle"] < 45


def test_the_program_of_altmin_forgets_epsilon(entries):
    found = numbers(entries, "E90")
    assert 0.99 < found["lowest"] <= found["highest"] < 1.01
    assert "is 2,500 times that at ε = 5" in entries["E90"].evidence
    # without noise the same program ends elsewhere
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 30))
    ends = [altmin_program(matrix, epsilon, np.random.default_rng(1)) for epsilon in (5.0, 1e12)]
    assert ends[1] < 0.5 * ends[0]


def test_the_program_of_dpals(entries):
    """Ratings of 3 instead of 1 in one of two statistics; and sum and number of 100 ratings with
    noise of deviation 1000 and 100.
    """
    found = numbers(entries, "E91")
    assert found["epsilon"] == pytest.approx(gaussian_epsilon(np.hypot(0.1, 1.0)), rel=1e-5)
    assert found["charged"] == pytest.approx(gaussian_epsilon(np.sqrt(2) / 100), rel=1e-4)
    assert found["items"] == pytest.approx(gaussian_epsilon(mu_of(1.0) * np.sqrt(5)), rel=1e-4)


def test_node_step(entries):
    found = numbers(entries, "E49")
    assert found["rated"] >= 5  # joint least squares is determined
    assert found["jointly"] < 1e-10
    assert found["averaged"] > 0.5
    assert found["averaged_refitted"] > 0.1
    # of one node alone: the fit is exact in its column, whatever U is elsewhere
    rng = np.random.default_rng(3)
    row, value = rng.standard_normal(5), 2.0
    assert row @ (value * row / (row @ row)) == pytest.approx(value)


def test_one_direction(entries):
    """Of one column: a median that is 0, and a matrix of rank one."""
    found = numbers(entries, "E51")
    assert (found["median"], found["directions"]) == (0.0, 1)
    # all lengths 1 and the best common factor: what is left is the spread of the lengths
    rng = np.random.default_rng(1)
    users, items = rng.standard_normal((400, 5)), rng.standard_normal((60, 5))
    lengths = np.linalg.norm(users @ items.T, axis=0)
    right = np.sqrt(1 - lengths.mean() ** 2 / np.mean(lengths**2))
    assert found["unit_length"] == pytest.approx(right)


def test_growth_with_items():
    """Slopes of RMSE beside those that are stated in two ways."""
    sizes = {**ITEMS, "synthetic-20k": 1000}
    levels = {(size, "dpals", "standard", epsilon): slope * np.log(items)
              for size, items in sizes.items()
              for epsilon, slope in ((1.0, 0.6), (5.0, 0.9))}  # fmt: skip
    found = one("E52", {"trials": planted_trials(levels, spread=1e-6)})
    assert dict(found.numbers) == pytest.approx(
        {"theorem": 1.5, "remark": 1.0, "epsilon_1": 0.6, "epsilon_5": 0.9}, abs=1e-4
    )
    assert "0.90 (0.90 to 0.90) at ε = 5" in found.evidence
    alone = one("E52", {})
    assert alone.numbers == pytest.approx({"theorem": 1.5, "remark": 1.0})
    assert alone.evidence == "Not part of this run."


def test_resampling():
    """RMSE of the variant over that of the standard one, on the same data."""
    cells = {("synthetic-5k", "dpals", variant, epsilon): level
             for variant, level in (("standard", 0.0), ("resampled", 0.1))
             for epsilon in (1.0, 5.0)}  # fmt: skip
    trials = planted_trials(cells, spread=1e-6)
    found = one("E50", {"trials": trials})
    assert dict(found.numbers) == pytest.approx(
        {"synthetic-5k_1": np.exp(0.1), "synthetic-5k_5": np.exp(0.1)}, rel=1e-5
    )
    assert "Synthetic, 5,000 users 1.11 at ε = 1, 1.11 at ε = 5" in found.evidence
    for lacking in ({}, {"trials": trials[trials["variant"] == "standard"]}):
        assert one("E50", lacking).evidence == "Not part of this run."


def test_errata_of_a_folder(tmp_path, entries):
    folder = fake_results.write("dpals", tmp_path / "dpals")
    assert errata.errata(folder, {})[0] == entries["E30"]
    absent = {entry.id: entry for entry in errata.errata(tmp_path, {})}
    assert absent["E36"].evidence == "Not part of this run."

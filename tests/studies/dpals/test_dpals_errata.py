"""Each erratum of DPALS, against an independent computation or the known value."""

import numpy as np
import pytest
from invented_dpals import fake_trials
from scipy import optimize, stats

from dpmc.studies.dpals import errata


@pytest.fixture(scope="module")
def entries():
    found = {entry.id: entry for entry in errata.entries({"trials": fake_trials()})}
    assert list(found) == [f"E{number}" for number in range(30, 39)]
    return found


def numbers(entries, name):
    return dict(entries[name].numbers)


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
        assert entry.place.startswith(("DPALS paper", "DP_Matrix_Completion_Alt_Min"))
        assert "nan" not in entry.evidence


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
    assert found["moved"] == pytest.approx(50)
    assert found["epsilon"] == pytest.approx(gaussian_epsilon(mu * 50), rel=1e-4)


def test_replaced_users(entries):
    found = numbers(entries, "E33")
    rng = np.random.default_rng(0)
    most = 0.0
    for _ in range(3000):
        u, w = rng.standard_normal((2, 2))
        u, w = (row / max(np.linalg.norm(row), rng.random()) for row in (u, w))
        u, w = (row / max(np.linalg.norm(row), 1) for row in (u, w))
        x, y = rng.choice([-1, 1], 2)
        moved = np.square(np.outer(u, u) - np.outer(w, w)).sum() + np.square(x * u - y * w).sum()
        most = max(most, moved)
    # one who joins moves both by 1
    assert most / 2 <= found["jointly"] + 1e-9
    assert most / 2 > found["jointly"] - 0.02
    assert found["separately"] == 3
    assert found["epsilon_jointly"] == pytest.approx(gaussian_epsilon(1.5 * mu_of(1.0)), rel=1e-4)
    assert found["epsilon_jointly"] < found["epsilon_separately"]


def test_clipping(entries):
    found = numbers(entries, "E34")
    assert found["above"] == pytest.approx(stats.chi(5).sf(1), abs=0.01)
    assert found["largest"] > 4
    assert found["largest_right"] <= 1 + 1e-9


def test_order_of_the_projection(entries):
    found = numbers(entries, "E35")
    assert found["right"] < 0.7 * found["reported"]
    assert found["median_right"] < found["median_reported"]


def test_all_movies(entries):
    found = numbers(entries, "E36")
    trials = fake_trials()
    for name, variant in (("least", "0.05"), ("all", "1")):
        here = trials[(trials["method"] == "als") & trials["variant"].str.endswith(f"_{variant}")]
        assert found[f"surrogate-10m_{name}"] in set(here["rmse"])
    assert "which is not the paper’s data" in entries["E36"].evidence
    alone = errata.ENTRIES[6]("E36", {})
    assert alone.evidence == "Data not available."
    assert alone.numbers == {}


def test_the_published_program(entries):
    assert numbers(entries, "E37")["difference"] < 1e-12
    assert 0.5 < numbers(entries, "E38")["angle"] < 45


def test_errata_of_a_folder(dpals_outputs, tmp_path, entries):
    assert errata.errata(dpals_outputs, {})[0] == entries["E30"]
    absent = {entry.id: entry for entry in errata.errata(tmp_path, {})}
    assert absent["E36"].evidence == "Data not available."

"""Each erratum of the one-bit paper, against an independent computation or the known value."""

import os
from pathlib import Path

import numpy as np
import pytest
from fake_results.onebit import fake_attack, fake_change
from scipy import stats

from dpmc.methods.onebit.links import link_of
from dpmc.report.errata import GROUPS, errata_markdown
from dpmc.studies.onebit.errata import errata, proofs
from dpmc.studies.onebit.errata import mechanisms as errata_onebit
from dpmc.studies.onebit.errata import text as errata_text
from dpmc.studies.onebit.errata.sources import Sources
from dpmc.studies.onebit.instances import instance

MIRROR = os.environ.get("DPMC_DATA_MIRROR")
RESTAURANT_ROWS = (
    "userID,placeID,rating,food_rating,service_rating\n1,1,2,0,0\n1,2,0,0,0\n2,1,1,1,1"
)


@pytest.fixture(scope="module", autouse=True)
def small_block():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(errata_onebit, "SIDE", 16)
        yield


@pytest.fixture(scope="module")
def entries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("onebit")
    fake_change().to_csv(folder / "outp_change.csv", index=False)
    fake_attack().to_csv(folder / "outp_attack.csv", index=False)
    return {entry.id: entry for entry in errata(folder, {"restaurant": None})}


def numbers(entries, name):
    return dict(entries[name].numbers)


def test_every_erratum_names_the_paper_and_has_its_id(entries):
    assert list(entries) == [
        f"E{number}" for number in (*range(17, 30), 46, 47, 48, *range(80, 84))
    ]
    page = errata_markdown(entries.values())
    for entry in entries.values():
        assert f"{entry.id}. {entry.title}" in page
        assert entry.place.startswith("One-bit paper")
        assert entry.grade in GROUPS
        assert "nan" not in entry.evidence


def test_e17_flip_probabilities(entries):
    found = numbers(entries, "E17")
    # never flip +1, flip -1 half of the time: (1 - 0)/.5, .5/(1 - 0), 0/(1 - .5)
    assert found["largest_of_three"] == 2 < np.e
    assert found["epsilon_nearly"] == pytest.approx(np.log(0.5 / 0.001))


def test_e18_objective_of_flipped_signs(entries):
    found = numbers(entries, "E18")
    x, step = np.linspace(-1, 1, 401), 1e-4
    for name, cdf in (("gaussian", stats.norm.cdf), ("logistic", stats.logistic.cdf)):
        p = 1 / (1 + np.exp(1.0))
        loss = lambda t: -np.log(p + (1 - 2 * p) * cdf(t))  # noqa: E731, B023
        second = (loss(x + step) - 2 * loss(x) + loss(x - step)) / step**2
        assert found[f"{name}_1"] == pytest.approx(second.min(), abs=1e-5)
        assert found[f"{name}_1"] < -0.01
    assert found["logistic_0.5"] < 0


def test_e19_halved_noise(entries):
    found = numbers(entries, "E19")
    assert found["proven"] == pytest.approx(2)
    assert 1 < found["exact"] <= found["proven"]


def test_e20_gaussian_objective(entries):
    found = numbers(entries, "E20")
    density, above, below = stats.norm.pdf(1), stats.norm.cdf(1), stats.norm.cdf(-1)
    assert found["tight"] == pytest.approx(density / (above * below))
    assert found["tight"] == pytest.approx(1.8127, abs=5e-5)
    assert found["reported"] == pytest.approx(5.03, abs=2e-3)
    # psi'' = m (m + x) with m = phi/Phi
    curvature = [m * (m + x) for x, m in ((-1, density / below), (1, density / above))]
    assert found["jacobian"] == pytest.approx(np.log(curvature[0] / curvature[1]))
    for epsilon in (0.25, 1.0):
        proven = found["tight"] * epsilon / found["reported"] + found["jacobian"]
        assert found[f"proven_{epsilon:g}"] == pytest.approx(proven)
        assert found[f"exact_{epsilon:g}"] <= proven
    assert found["exact_0.25"] > 0.25  # the claim is broken, not only unproven
    assert found["tight"] * found["equal"] / found["reported"] + found["jacobian"] == pytest.approx(
        found["equal"]
    )


def test_e21_gradients(entries):
    found = numbers(entries, "E21")
    assert found["proven"] == pytest.approx(2)
    assert 0 < found["searches"] < errata_onebit.SEARCHES
    # the same signs accept the same step: what differs is the flip
    rng = np.random.default_rng(2)
    signs, gradient = np.ones(5), rng.standard_normal(5) - 0.5
    steps = 0.5 ** np.arange(errata_onebit.HALVINGS)
    link = errata_onebit.link_of("logistic")
    place = errata_onebit._accepted(signs, gradient, steps, link)
    start = 5 * np.log(2)
    for step in steps[:place]:
        assert np.logaddexp(0, step * gradient).sum() > start - 1e-4 * step * (gradient**2).sum()
    accepted = np.logaddexp(0, steps[place] * gradient).sum()
    assert accepted <= start - 1e-4 * steps[place] * (gradient**2).sum()


def test_e22_output(entries):
    found = numbers(entries, "E22")
    assert found["block"] == pytest.approx(16 * 16, rel=1e-3)
    assert found["factor"] == pytest.approx(16 * 16 / 2, rel=1e-3)
    change = fake_change()
    typical = change[(change["instance"] == "typical") & (change["link"] == "gaussian")]
    assert found["typical_gaussian"] == typical["l1_change"].median()
    assert found["block_of_the_run"] == 9999
    assert found["proven_over_claimed"] == pytest.approx(0.9 * 9999 / 2)
    bare = errata_onebit.output_noise(Sources())
    assert set(bare.numbers) == {"block", "factor"}
    assert bare.without == {"at_full_size", "typical", "attack"}


def test_e23_largest_entry(entries):
    found = numbers(entries, "E23")
    # 10,000 fair coins: five standard deviations
    assert found["share"] == pytest.approx(0.5, abs=0.025)
    assert 1.01 < found["largest"] < 1.5


def test_e24_to_e27(entries):
    assert numbers(entries, "E24") == {"mechanisms": 4}
    assert numbers(entries, "E25") == pytest.approx(
        {"right": (1 + np.e) ** 2 / np.e, "reported": np.e}
    )
    lost = numbers(entries, "E26")
    for side, count in ((100, 1500), (100, 8000), (400, 24_000)):
        name = f"_{side}_{count}"
        # the size of Laplace noise of scale 1 is exponential with mean and deviation 1
        assert lost["sizes" + name] == pytest.approx(2, abs=10 / np.sqrt(count))
        assert lost["published" + name] == pytest.approx(np.sqrt(2) * count ** (-1 / 3))
        # 2 tau/n times 2 sqrt(2 n/d), and more where the tails of Laplace noise count
        assert lost["duality" + name] > 0.95 * 4 * np.sqrt(2 * side / count)
        assert lost["published" + name] < lost["attained" + name] < lost["duality" + name]
    assert lost["duality_100_8000"] < 0.7
    tails = numbers(entries, "E27")
    assert tails["sum"] == tails["maximum"] == 1
    assert tails["log10_minimum"] == pytest.approx(-13_000 / np.log(10))


def test_e46_flipped_flatness(entries):
    found = numbers(entries, "E46")
    p = 1 / (1 + np.e)
    for name, law in (("logistic", stats.logistic), ("gaussian", stats.norm)):
        for alpha in (1, 3):  # the supremum is at the end
            c = p + (1 - 2 * p) * law.cdf(alpha)
            right = c * (1 - c) / ((1 - 2 * p) * law.pdf(alpha)) ** 2
            assert found[f"{name}_{alpha}"] == pytest.approx(right)
    known = {"logistic_1": 28.9, "gaussian_1": 18.0}
    assert {name: round(found[name], 1) for name in known} == known
    assert found["published_logistic_1"] == pytest.approx(3.70, abs=5e-3)
    assert found["published_gaussian_1"] == pytest.approx(4.93, abs=5e-3)


def test_e47_sampling_constant(entries):
    found = numbers(entries, "E47")
    assert found["theorems_1500"] == pytest.approx((1500 + 1e4 * np.log(200)) ** 0.25 / 1500**0.5)
    assert found["right_1500"] ** 2 == pytest.approx(1 + 200 * np.log(1e4) / 1500)
    for form in ("theorems", "appendix_b", "appendix_d"):
        assert found[f"{form}_1500"] < found["right_1500"]
        # the right factor tends to 1, the published one to 0
        assert found[f"{form}_10000"] < 0.2 < 1 < found["right_10000"]


def test_e48_squared_triangle(entries):
    found = numbers(entries, "E48")
    # the sign of a symmetric product: a fair coin, five standard deviations
    assert found["fails"] == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(200))
    assert found["worst"] == 2


def test_e26_is_attained_by_matrices_of_the_set():
    noise = np.random.default_rng(2).laplace(size=(30, 30))
    matrix = proofs.aligned(noise, 30)
    assert np.linalg.norm(matrix, ord="nuc") <= 30 * (1 + 1e-12)
    assert np.abs(matrix).max() <= 1


def test_e80_the_identity_is_one_of_the_true_matrix(entries):
    found = numbers(entries, "E80")
    # over drawn signs: the mean of log likelihoods of M and of -M, less that of 0
    rng = np.random.default_rng(5)
    matrix, _ = instance(np.random.default_rng(1), 100, 100, 1, 0.15, link_of("logistic"), 1.0)
    signs = np.where(rng.random((200, 100, 100)) < stats.logistic.cdf(matrix), 1, -1)
    zero = np.log(2)
    for name, estimate in (("mean_of_true", matrix), ("mean", -matrix)):
        losses = np.logaddexp(0, -signs * estimate).mean()
        assert found[name] == pytest.approx(zero - losses, abs=1e-3)
    assert found["mean_of_true"] == pytest.approx(found["divergence_of_true"])
    assert found["mean"] < -2 * found["divergence"] < 0


def test_e81_to_e83(entries):
    assert numbers(entries, "E81")["measured"] == pytest.approx(8, rel=0.15)
    # the fourth moment of Laplace noise is 24: the variance has a deviation of sqrt(20/n)
    assert numbers(entries, "E82")["variance"] == pytest.approx(2, abs=5 * np.sqrt(20 / 1e5))
    assert numbers(entries, "E83") == pytest.approx({"total": 137 / 60, "right": 1})


def test_e28_and_e29_without_data(entries):
    assert entries["E28"].evidence == entries["E29"].evidence == "Data not available."
    assert not entries["E28"].numbers


@pytest.mark.skipif(not MIRROR, reason="DPMC_DATA_MIRROR does not name the real data files")
def test_the_real_files():
    files = {"restaurant": "restaurant/rating_final.csv", "ml-100k": "ml-100k/u.data"}
    real = Sources({name: Path(MIRROR) / path for name, path in files.items()})
    density = errata_text.restaurant_density(real).numbers
    assert density == pytest.approx({"density": 0.0647, "training": 0.0518}, abs=5e-5)
    mean = errata_text.threshold(real).numbers
    assert mean["mean"] == pytest.approx(3.53, abs=5e-3)
    assert mean["changed"] == 0
    assert mean["test_share"] == pytest.approx(0.562, abs=5e-4)


def test_a_small_restaurant_file(tmp_path):
    path = tmp_path / "rating_final.csv"
    path.write_text(RESTAURANT_ROWS)
    found = errata_text.restaurant_density(Sources({"restaurant": path})).numbers
    assert found == pytest.approx({"density": 0.75, "training": 0.6})

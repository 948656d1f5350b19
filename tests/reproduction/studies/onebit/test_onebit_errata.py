"""Each erratum of the one-bit paper that is computed, against another way or the known value."""

import numpy as np
import pytest
from fake_results.onebit import fake_attack, fake_change
from scipy import stats

from dpmc_studies.report.errata import GROUPS, errata_markdown
from dpmc_studies.studies.onebit.errata import errata, proofs
from dpmc_studies.studies.onebit.errata import mechanisms as errata_onebit
from dpmc_studies.studies.onebit.errata.sources import Sources


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
    return {entry.id: entry for entry in errata(folder, {})}


def numbers(entries, name):
    return dict(entries[name].numbers)


def test_every_erratum_names_the_paper_and_has_its_id(entries):
    assert list(entries) == [
        f"E{number}" for number in (*range(17, 30), 46, 47, 48, *range(80, 85))
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


def test_e26_absolute_value(entries):
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


def test_e26_is_attained_by_matrices_of_the_set():
    noise = np.random.default_rng(2).laplace(size=(30, 30))
    matrix = proofs.aligned(noise, 30)
    assert np.linalg.norm(matrix, ord="nuc") <= 30 * (1 + 1e-12)
    assert np.abs(matrix).max() <= 1

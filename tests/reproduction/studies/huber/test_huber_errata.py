"""Each erratum of the Huber study that is computed, against an independent computation."""

import os
from pathlib import Path

import mpmath
import numpy as np
import pandas as pd
import pytest

from dpmc_studies.frame.showing.erratum import CHANGES_CONCLUSION, filled, listed
from dpmc_studies.report.errata import GROUPS, errata_markdown
from dpmc_studies.studies.huber import errata as errata_of_huber
from dpmc_studies.studies.huber.errata import ENTRIES, TEXTS
from dpmc_studies.studies.huber.errata import listed as all_errata
from dpmc_studies.studies.huber.errata import method as errata_method
from dpmc_studies.studies.huber.errata.sources import Sources
from dpmc_studies.studies.huber.reported import load
from dpmc_studies.yaml_files import read_mapping

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
    found = (*range(1, 7), *range(8, 17), *range(39, 46), *range(60, 67), 94)
    assert list(entries) == [f"E{number}" for number in found]
    for entry in entries.values():
        assert all((entry.title, entry.place, entry.published, entry.correct, entry.evidence))
        assert entry.grade in GROUPS
        assert bool(entry.numbers) == (entry.id in ENTRIES)
        assert all(np.isfinite(list(entry.numbers.values())))


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


def test_e5_sensitivity(entries):
    found = numbers(entries, "E5")
    assert found["sweetrs_range"] == 5
    assert found["ml-100k_range"] == 4
    # sums of 20 products of two uniforms: mean 5, standard deviation 1, 2000 of them
    assert 4 < found["synthetic_range"] < 11
    assert found["l1"] > found["l2"] > found["synthetic_range"]


def test_e11_labels(entries):
    found = numbers(entries, "E11")
    assert (found["reported"], found["clipped_rmse"]) == (1.2463, 1.25)
    assert "mean square error 1.5625" in entries["E11"].evidence
    assert found["unrated"] == 1


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


def test_e61_settings(entries, sources):
    found = numbers(entries, "E61")
    assert all(abs(found[name]) > 0.01 for name in ("size", "scale"))
    assert (found["passed_als"], found["passed_irls"], found["after"]) == (5, 8, 1.35)
    assert "from iteration 5 on and the printed 1.2787 (IRLS) from iteration 8 on" in " ".join(
        entries["E61"].evidence.split()
    )


def test_e63_noise_in_the_ratings(entries):
    found = numbers(entries, "E63")
    # reweighting is worth its while against noise in the ratings alone
    assert found["ratings"] < -0.05
    assert abs(found["sums"]) < 0.01


def test_without_data_the_page_says_so():
    bare = Sources(load(PAPER))
    texts = read_mapping(TEXTS)
    by_id = {name: filled(name, texts[name], ENTRIES[name](bare)) for name in ("E5", "E11", "E61")}
    assert by_id["E11"].evidence == "Not part of this run."
    assert "MovieLens" not in by_id["E61"].evidence
    assert "not part of this run on SweetRS" in by_id["E5"].evidence


@pytest.mark.skipif(not MIRROR, reason="DPMC_DATA_MIRROR does not name the real data files")
def test_the_real_files():
    files = {"sweetrs": "sweetrs/ratings-final.csv", "ml-100k": "ml-100k/u.data"}
    real = Sources(load(PAPER), {name: Path(MIRROR) / path for name, path in files.items()})
    assert ENTRIES["E5"](real).numbers["ml-100k_range"] == 4
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
    (labels,) = (entry for entry in found if entry.id == "E11")
    assert labels.numbers["clipped_rmse"] == 1.25

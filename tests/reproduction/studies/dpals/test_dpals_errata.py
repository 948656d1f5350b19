"""Each erratum of DPALS whose numbers are a run's; those of the others are in errata_numbers."""

import fake_results
import numpy as np
import pytest
from fake_results.dpals import fake_trials
from planted import ITEMS, planted_trials

from dpmc_studies.frame.showing.erratum import filled
from dpmc_studies.report.errata import GROUPS
from dpmc_studies.studies.dpals import errata
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


def test_every_entry_names_its_source(entries):
    for entry in entries.values():
        sources = ("DPALS paper", "DP_Matrix_Completion_Alt_Min", "google-research")
        assert entry.place.startswith(sources)
        assert "nan" not in entry.evidence
        assert entry.grade in GROUPS


def test_all_movies(entries):
    found = numbers(entries, "E36")
    trials = fake_trials()
    for name, variant in (("least", "0.05"), ("all", "1")):
        here = trials[(trials["method"] == "als") & trials["variant"].str.endswith(f"_{variant}")]
        assert found[f"ml-10m_{name}"] in set(here["rmse"])
    alone = one("E36", {})
    assert alone.evidence == "Not part of this run."
    assert alone.numbers == {}


def test_growth_with_items():
    """Slopes of RMSE beside those that are stated in two ways."""
    sizes = {**ITEMS, "synthetic-20k": 1000}
    levels = {(size, "dpals", "standard", epsilon): slope * np.log(items)
              for size, items in sizes.items()
              for epsilon, slope in ((1.0, 0.6), (5.0, 0.9))}  # fmt: skip
    found = one("E52", {"trials": planted_trials(levels, spread=1e-6)})
    assert dict(found.numbers) == pytest.approx({"epsilon_1": 0.6, "epsilon_5": 0.9}, abs=1e-4)
    assert "0.90 (0.90 to 0.90) at ε = 5" in found.evidence
    alone = one("E52", {})
    assert alone.numbers == {}
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

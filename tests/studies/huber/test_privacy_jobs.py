"""Jobs about the published budgets: which cells they have, and what they use."""

from pathlib import Path

import pytest
from privacy_results import fake_losses, fake_totals

from dpmc.configuration import load
from dpmc.studies.huber.answer import nominal_epsilon
from dpmc.studies.huber.privacy import TOTALS, TRANSCRIPT, noised_cells
from dpmc.studies.huber.settings import cell_settings
from dpmc.study.api import Ratings
from dpmc.study.job import function, run_job
from dpmc.study.runs import read_frame

HOME = Path(__file__).parents[3]
SECTION = load(HOME / "config" / "config.yaml")["huber"]
PARTS = TRANSCRIPT.cells(SECTION)


def test_every_noised_cell_is_in_one_part():
    formatted = [
        each["cell"] for part in PARTS for each in TRANSCRIPT.settings(SECTION, part)["cells"]
    ]
    cells = [cell.formatted() for cell in noised_cells(SECTION)]
    assert sorted(map(str, formatted)) == sorted(map(str, cells))
    assert {cell["mechanism"] for cell in formatted} == {"gaussian", "laplace", "huber"}
    assert len({tuple(part.values()) for part in PARTS}) == len(PARTS)


@pytest.mark.parametrize("part", [PARTS[0], PARTS[-1]])
def test_a_part_has_the_settings_of_its_cells(part):
    settings = TRANSCRIPT.settings(SECTION, part)
    own = [
        cell for cell in noised_cells(SECTION) if cell.formatted() == settings["cells"][0]["cell"]
    ]
    expected = cell_settings(SECTION, own[0]) | {"neighbours": 200, "delta": 1e-5}
    assert settings["cells"][0]["settings"] == expected


def test_real_data_are_an_input():
    assert TRANSCRIPT.inputs(SECTION, PARTS[0]) == {}
    assert TRANSCRIPT.inputs(SECTION, PARTS[-1]) == {"ratings": Ratings(PARTS[-1]["dataset"])}
    assert TRANSCRIPT.modules(SECTION, PARTS[0])[0] == "dpmc.methods.factorization.als"


def test_a_part_writes_two_rows_a_cell(tmp_path):
    (first, *_) = TRANSCRIPT.settings(SECTION, PARTS[0])["cells"]
    first = {**first, "settings": first["settings"] | {"neighbours": 2, "iterations": 2}}
    path = tmp_path / "part.csv"
    run_job(
        function(TRANSCRIPT.run),
        TRANSCRIPT.tables,
        {"transcript_loss": path},
        PARTS[0],
        {"cells": [first]},
        {},
    )
    rows = read_frame(path)
    assert tuple(rows) == TRANSCRIPT.tables["transcript_loss"]
    assert list(rows["neighbour"]) == ["change", "remove_user"]


def test_totals_are_those_of_the_section(tmp_path):
    section = {"totals": SECTION["totals"] | {"variances": [1], "releases": [20]}}
    settings = TOTALS.settings(section, {})
    run_job(
        function(TOTALS.run), TOTALS.tables, {"totals": tmp_path / "totals.csv"}, {}, settings, {}
    )
    rows = read_frame(tmp_path / "totals.csv")
    assert tuple(rows) == TOTALS.tables["totals"]
    assert set(rows["releases"]) == {20}


def test_the_answer_says_what_was_added_up_and_measured():
    losses = fake_losses()
    text = nominal_epsilon(fake_totals(), losses).text
    assert "ε = 418" in text
    assert (
        f"exceeds the reported ε for {100 * losses['share_above_nominal'].mean():.0f} % of" in text
    )
    assert "418" not in nominal_epsilon(None, None).text

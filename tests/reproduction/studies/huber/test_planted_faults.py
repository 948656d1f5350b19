"""Small faults planted into the real code of a cell must not get past the check."""

import math
from dataclasses import replace

import pytest

from dpmc.mechanisms.gaussian import Gaussian
from dpmc.mechanisms.huber import Huber
from dpmc.mechanisms.laplace import Laplace
from dpmc_studies import tables
from dpmc_studies.frame.checking import reference
from dpmc_studies.frame.checking.check import check, read_for_check
from dpmc_studies.frame.jobs.cell_settings import Settings, settings_text
from dpmc_studies.frame.jobs.cells import cell_name
from dpmc_studies.studies.huber import STUDY
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.trial import TRIAL_COLUMNS, accepted_settings, run_cell

pytestmark = pytest.mark.slow

TRIALS_ALONE = replace(STUDY, regression=replace(STUDY.regression, labels={}, numbers={}))
CELLS = [
    Cell("synthetic", 3, variance, 0.2, method, mechanism, 3 if method == "irls" else None)
    for method in ("als", "irls")
    for mechanism, variance in (("none", None), ("gaussian", 2.0), ("laplace", 2.0), ("huber", 2.0))
]
SETTINGS = {
    "seed": 5,
    "trials": 2,
    "users": 20,
    "items": 30,
    "scale": 1.0,
    "regularization": 0.5,
    "iterations": 3,
    "start": "normal",
    "loss_parameter": 1.1,
    "residual_scale": 1.0,
}


def settings_of(cell):
    common = ("seed", "trials", "users", "items", "scale")
    return {name: SETTINGS[name] for name in (*common, *accepted_settings(cell.method))}


def run(folder, used=settings_of):
    """Run every cell with the settings ``used``; write down those that it should have used."""
    rows = [row for cell in CELLS for row in run_cell(cell, used(cell))]
    tables.write(folder / "trials.csv", TRIAL_COLUMNS, rows)
    stated = {cell_name(cell.coordinates()): settings_of(cell) for cell in CELLS}
    (folder / "settings.json").write_text(settings_text(Settings("full", stated)))
    return read_for_check(TRIALS_ALONE, folder)


@pytest.fixture(scope="module")
def reference_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    reference.update(run(folder / "run"), folder)
    return folder


def failing_cells(tmp_path, reference_folder, **options):
    found = check(run(tmp_path, **options), reference_folder)
    assert all(difference.fails for difference in found)
    return [difference.text.split(": ")[0] for difference in found]


def named(**coordinates):
    chosen = [c for c in CELLS if coordinates.items() <= c.coordinates().items()]
    return [cell_name(cell.coordinates()) for cell in chosen]


def test_the_same_code_passes(tmp_path, reference_folder):
    assert failing_cells(tmp_path, reference_folder) == []


RIGHT = Huber.from_variance
FAULTS = {
    "a gaussian variance off by a tenth": (Gaussian, lambda v: Gaussian(math.sqrt(0.9 * v))),
    "a huber variance off by a tenth": (Huber, lambda v: RIGHT(1.1 * v)),
    "a laplace scale without its root of two": (Laplace, lambda v: Laplace(math.sqrt(v))),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_noise_of_another_variance(tmp_path, reference_folder, monkeypatch, fault):
    law, wrong = FAULTS[fault]
    monkeypatch.setattr(law, "from_variance", wrong)
    assert failing_cells(tmp_path, reference_folder) == named(mechanism=law.__name__.lower())


def test_one_regularization_that_nobody_wrote_down(tmp_path, reference_folder):
    touched = CELLS[5]

    def used(cell):
        change = {"regularization": 0.501} if cell == touched else {}
        return settings_of(cell) | change

    failing = failing_cells(tmp_path, reference_folder, used=used)
    assert failing == [cell_name(touched.coordinates())]

"""Fits with the link that the signs were not drawn with."""

from pathlib import Path

import numpy as np
import pytest

from dpmc.errors import InputError
from dpmc_studies import configuration
from dpmc_studies.studies.onebit import STUDY
from dpmc_studies.studies.onebit.experiments.wrong_link import (
    cells,
    settings,
)
from dpmc_studies.studies.onebit.settings import cell_settings
from dpmc_studies.studies.onebit.trial import make_sample

SMALL = {
    "datasets": {"synthetic": {"users": 12, "items": 10}},
    "experiments": {
        "budgets": {"epsilons": [1, 4], "trials": 3, "mechanisms": ["inp", "grap"]},
        "fractions": {"trials": 2}, "large": None, "movielens": None, "movielens_both": None,
        "restaurant": None,
    },
    "wrong_link": {"mechanisms": ["inp"], "epsilons": [1], "trials": 2},
    "gradient_steps": {"datasets": []},
}  # fmt: skip
DEFAULTS = configuration.load(Path(__file__).parents[4] / "config" / "config.yaml")


def section(**changes):
    merged = configuration.merge(DEFAULTS, {"onebit": SMALL})
    return STUDY.section(configuration.merge(merged, {"onebit": changes}))


def test_cells_are_those_of_the_benchmark_with_each_link_of_the_fit():
    found = cells(section())
    assert {(cell.link, cell.mechanism, cell.epsilon) for cell in found} == {
        ("gaussian", "inp", 1.0),
        ("logistic", "inp", 1.0),
    }
    assert {cell.observed_fraction for cell in found} == {0.15}


def test_unknown_mechanisms_are_refused():
    with pytest.raises(InputError, match="inpp"):
        cells(section(wrong_link={"mechanisms": ["inpp"]}))


def test_signs_are_drawn_with_the_other_link_from_the_same_matrix():
    here = section()
    for cell in cells(here):
        right, wrong = cell_settings(here, cell), settings(here, cell)
        assert {"gaussian", "logistic"} == {cell.link, wrong["drawn_link"]}
        samples = [make_sample(cell, each, 0) for each in (right, wrong)]
        np.testing.assert_array_equal(*(sample.matrix for sample in samples))
        other = next(each for each in cells(here) if each.link == wrong["drawn_link"])
        drawn = make_sample(other, cell_settings(here, other), 0).training
        np.testing.assert_array_equal(samples[1].training.values, drawn.values)

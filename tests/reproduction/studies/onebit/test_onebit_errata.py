"""Errata of the one-bit paper: all are on the page, and a proof is against another way."""

import numpy as np
from errata_numbers import onebit

from dpmc_studies import studies
from dpmc_studies.frame.showing.erratum import read_errata
from dpmc_studies.report.errata import GROUPS, errata_markdown


def test_every_erratum_names_the_paper_and_has_its_id():
    entries = read_errata(studies.load()["onebit"].errata)
    numbers = (*range(17, 30), 46, 47, 48, *range(80, 85))
    assert [entry.id for entry in entries] == [f"E{number}" for number in numbers]
    page = errata_markdown(entries)
    for entry in entries:
        assert f"{entry.id}. {entry.title}" in page
        assert entry.place.startswith("One-bit paper")
        assert entry.grade in GROUPS


def test_e26_is_attained_by_matrices_of_the_set():
    noise = np.random.default_rng(2).laplace(size=(30, 30))
    matrix = onebit.aligned(noise, 30)
    assert np.linalg.norm(matrix, ord="nuc") <= 30 * (1 + 1e-12)
    assert np.abs(matrix).max() <= 1
    for found in onebit.absolute_value(None).words["sizes"]:
        assert found["published"] < found["attained"] < found["duality"]

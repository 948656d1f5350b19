"""Errata are read as they stand, and a part that none has is refused."""

import pytest

from dpmc.errors import InputError
from dpmc_studies.frame.showing.erratum import read_errata

ENTRY = "E2: {title: a, grade: b, place: c, published: d, correct: e, evidence: f}"


def test_errata_are_those_of_the_file(tmp_path):
    path = tmp_path / "errata.yaml"
    path.write_text(ENTRY)
    (entry,) = read_errata(path)
    assert (entry.id, entry.title, entry.evidence) == ("E2", "a", "f")
    assert read_errata(None) == []
    for wrong in (ENTRY.replace("title", "titel"), ENTRY.replace(", evidence: f", "")):
        path.write_text(wrong)
        with pytest.raises(InputError, match=r"errata\.yaml: "):
            read_errata(path)

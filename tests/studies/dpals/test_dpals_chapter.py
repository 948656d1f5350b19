"""The chapter of DPALS holds what its results say, and points to what was made."""

import pytest

from dpmc.frame.judging.effects import lines_of
from dpmc.studies.dpals.chapter import ANSWERS, FINDINGS, TEXT, caveats, chapter
from dpmc.studies.dpals.figures import DPALS_FIGURES
from dpmc.studies.dpals.frames import read_dpals

pytestmark = pytest.mark.slow


def test_a_run_is_told(dpals_outputs):
    results, made = read_dpals(dpals_outputs), chapter(dpals_outputs, {})
    assert made.findings == lines_of(results["claims"], FINDINGS)
    judged = set(results["claims"]["id"])
    assert [line.claim for line in made.answers] == [name for name in ANSWERS if name in judged]
    assert made.caveat == caveats(results["trials"])
    assert "ICML 2021" in made.lead
    assert not made.introduction.startswith("<p>")  # the page makes the paragraph
    assert [each.title for each in made.judged] == [
        "Claims of the DPALS paper and of the read-me, judged",
        "The same on generated data: no verdicts",
    ]  # fmt: skip
    for each, name in zip(made.judged, ("claims", "claims_surrogate"), strict=True):
        assert each.claims["id"].tolist() == results[name]["id"].tolist()
        assert not each.reported
    (gallery,) = made.galleries
    assert (gallery.figures, gallery.folder) == (DPALS_FIGURES, dpals_outputs / "figures")
    assert made.tables == [dpals_outputs / "tables"]


def test_every_small_table_can_be_saved(dpals_outputs):
    downloads = dict(chapter(dpals_outputs, {}).downloads)
    names = ("timing", "coverage", "accounting", "claims", "claims_surrogate")
    assert list(downloads) == [f"dpals_{name}.csv" for name in names]
    assert all(path.is_file() for path in downloads.values())


def test_what_was_not_run_is_said(tmp_path):
    assert chapter(tmp_path, {}).caveat == TEXT("not_run")
    assert chapter(tmp_path, {}).lead == ""
    assert chapter(tmp_path, {}).answers == ()

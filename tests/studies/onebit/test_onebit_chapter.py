"""The chapter of the one-bit study holds what its results say, and points to what was made."""

import pytest
from invented_onebit import results, write_onebit

from dpmc.frame.judging.effects import lines_of
from dpmc.studies.onebit.chapter import ANSWERS, FINDINGS, TEXT, caveats, chapter
from dpmc.studies.onebit.figures import ONEBIT_FIGURES


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_onebit(tmp_path_factory.mktemp("results") / "onebit")


def test_a_run_is_told(folder):
    tables, made = results(), chapter(folder, {})
    claims = tables["claims"]
    assert made.findings == lines_of(claims, FINDINGS)
    assert [line.claim for line in made.answers] == [c for c in ANSWERS if c in set(claims["id"])]
    assert made.caveat == caveats(tables["trials"])
    assert "arXiv:2110.00719" in made.lead
    assert not made.introduction.startswith("<p>")  # the page makes the paragraph
    (judged,) = made.judged
    assert judged.claims["id"].tolist() == tables["claims"]["id"].tolist()
    assert not judged.reported
    (gallery,) = made.galleries
    assert (gallery.figures, gallery.folder) == (ONEBIT_FIGURES, folder / "figures")
    assert made.tables == [folder / "tables"]


def test_every_small_table_can_be_saved(folder):
    downloads = dict(chapter(folder, {}).downloads)
    assert set(downloads) == {
        "onebit_outp_change.csv", "onebit_outp_attack.csv", "onebit_bounds.csv",
        "onebit_link_constants.csv", "onebit_claims.csv", "onebit_gradient_steps.csv",
    }  # fmt: skip
    assert all(path.is_file() for path in downloads.values())


def test_what_was_not_run_is_said(tmp_path):
    for name in ("trials", "bounds"):
        results()[name].head(0).to_csv(tmp_path / f"{name}.csv", index=False)
    for made in (chapter(tmp_path, {}), chapter(tmp_path / "nothing", {})):
        assert made.caveat == TEXT("not_run")
        assert made.lead == made.introduction == ""
        assert [*made.answers, *made.findings, *made.judged, *made.tables, *made.galleries] == []


def test_claims_that_were_not_judged_have_no_table(folder, tmp_path):
    (tmp_path / "outp_attack.csv").write_bytes((folder / "outp_attack.csv").read_bytes())
    made = chapter(tmp_path, {})
    assert made.judged == made.findings == []
    assert made.introduction

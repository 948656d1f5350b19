"""The page is whole, self-contained, accessible, and honest about what is missing."""

import base64
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpmc.report
from dpmc.report.markdown import to_html
from dpmc.report.page import coverage, flattened, interval_text, write_page
from dpmc.studies.dpals.figures import DPALS_FIGURES
from dpmc.studies.dpals.findings import NOT_RUN as NO_DPALS
from dpmc.studies.equal_privacy.figures import PRIVACY_FIGURES, folder_of
from dpmc.studies.equal_privacy.findings import NOT_RUN
from dpmc.studies.equal_privacy.frames import NAMES
from dpmc.studies.huber.figures import FIGURES, FORENSICS
from dpmc.studies.huber.published.compare import compare
from dpmc.studies.huber.published.numbers import load
from dpmc.studies.huber.tables_rmse import PROVIDE_DATA
from dpmc.studies.onebit.figures import ONEBIT_FIGURES
from dpmc.studies.onebit.findings import NOT_RUN as NO_ONEBIT
from dpmc.study.heatmap import heatmap
from dpmc.study.style import COLUMN, render

TEMPLATES = Path(dpmc.report.__file__).parent / "templates"
LIMIT = 11_000_000  # bytes
VOID = {"meta", "link", "input", "img", "br"}


class Page(HTMLParser):
    """Collects what the tests ask about; fails if tags do not nest."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.text = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


@pytest.fixture(scope="module")
def page(outputs):
    return Page((outputs / "index.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def bare(tmp_path_factory, trials_without_data, published_folder, budgets, claims):
    """The page of a run without real data, rank 20, figures, tables or second seed."""
    folder = tmp_path_factory.mktemp("bare")
    trials = trials_without_data[trials_without_data["rank"] != 20]
    write_page(
        folder / "index.html",
        trials=trials,
        comparison=compare(trials, load(published_folder), budgets),
        claims=claims,
        stability=None,
        tables_folder=folder / "tables",
        figures_folder=folder / "figures",
        errata="# Errata\n",
        manifest={},
    )
    return Page((folder / "index.html").read_text(encoding="utf-8"))


@pytest.fixture
def written(trials, comparison, claims, tmp_path):
    """A function: write a page of little but what is given, and return it."""

    def write(**given):
        little = {"trials": trials, "comparison": comparison, "claims": claims, "stability": None}
        little |= {"tables_folder": tmp_path, "figures_folder": tmp_path}
        little |= {"errata": "", "manifest": {}}
        write_page(tmp_path / "index.html", **little | given)
        return Page((tmp_path / "index.html").read_text(encoding="utf-8"))

    return write


def test_one_file_of_reasonable_size(outputs):
    assert (outputs / "index.html").stat().st_size < LIMIT


def test_nothing_is_requested_from_anywhere(outputs, page):
    for tag, attributes in page.tags:
        for name in ("src", "srcset", "poster", "data", "action", "background"):
            assert attributes.get(name, "data:").startswith("data:"), tag
        address = attributes.get("href", "#")
        assert address.startswith(("#", "data:")), tag
        assert tag not in {"script", "iframe", "object", "embed"}
    text = (outputs / "index.html").read_text(encoding="utf-8")
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    for image in page.all("img"):
        drawing = base64.b64decode(image["src"].partition(",")[2]).decode()
        assert not re.search(r'(href|src)="(?!#)', drawing)


def test_the_answer_comes_first_then_all_sections(page):
    sections = [attributes["id"] for attributes in page.all("section")]
    names = [
        "answer", "tables", "figures", "privacy", "one-bit", "dpals", "claims", "errata",
        "provenance",
    ]  # fmt: skip
    assert sections == names
    targets = {
        attributes["href"][1:] for attributes in page.all("a") if "download" not in attributes
    }
    assert targets == set(sections)


def test_ids_are_unique_and_links_arrive(page):
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_headings_are_in_order(page):
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_figure_has_an_alternative_text_and_its_numbers(page, outputs):
    images = page.all("img")
    shown = [(entry, outputs / "figures") for entry in FIGURES]
    shown += [(entry, outputs / "privacy" / folder_of(entry.id)) for entry in PRIVACY_FIGURES]
    shown += [(entry, outputs / "onebit" / "figures") for entry in ONEBIT_FIGURES]
    shown += [(entry, outputs / "dpals" / "figures") for entry in DPALS_FIGURES]
    files = {link["download"]: link["href"] for link in page.all("a") if "download" in link}
    assert len(images) == len(shown)
    for (entry, folder), image in zip(shown, images, strict=True):
        assert image["alt"].startswith(entry.alt)
        drawn = base64.b64decode(image["src"].partition(",")[2])
        assert drawn == (folder / f"{entry.id}.svg").read_bytes()
        data = base64.b64decode(files[f"{entry.id}.csv"].partition(",")[2])
        assert data == (folder / f"{entry.id}.csv").read_bytes()
    assert {"claims.csv", "comparison.csv", "table3.csv", "table3.md", "table3.tex"} <= set(files)


def test_tables_are_accessible(page):
    tables = page.all("table")
    # the paper's, claims and provenance, privacy, one-bit and DPALS with their claims
    assert len(tables) == 6 + 2 + 7 + 5 + 10
    assert len(page.all("caption")) == len(tables)
    scopes = {attributes.get("scope") for attributes in page.all("th")}
    assert scopes == {"col", "colgroup", "row", "rowgroup"}
    for box in page.all("div"):
        if box.get("class") == "scroll":
            assert (box["tabindex"], box["role"]) == ("0", "region")
            assert box["aria-label"]


def test_claims_can_be_filtered_without_a_script(page, claims):
    radios = [a["id"] for a in page.all("input")]
    assert radios == ["show-all", "show-supported", "show-contradicted", "show-inconclusive"]
    assert {label["for"] for label in page.all("label")} == set(radios)
    rows = [a["class"] for a in page.all("tr") if a.get("class", "").startswith("is-")]
    # those of the one-bit and the DPALS part, which have no filter, stand before
    assert rows[9:] == [f"is-{verdict}" for verdict in claims["verdict"]]
    css = (TEMPLATES / "page.css").read_text()
    for verdict in ("supported", "contradicted", "inconclusive"):
        assert f"#show-{verdict}:checked ~ .scroll tbody tr:not(.is-{verdict})" in css
        count = int((claims["verdict"] == verdict).sum())
        assert f"{verdict} {count}" in page.words


def test_stability_notes_errata_and_provenance_are_shown(page, replication):
    same = int(replication["stable"].sum())
    assert f"With a second seed {same} of 36 verdicts are the same. Changed: H" in page.words
    assert "A <note> & more" in page.words
    assert "E1. Inverse CDF" in page.words
    assert "git › dirty False" in page.words
    assert "1, 2" in page.words
    assert PROVIDE_DATA not in page.words


def test_a_page_without_data_says_so(bare):
    assert bare.words.count(PROVIDE_DATA) == 1
    assert "MovieLens 100K and SweetRS: 24 published numbers are not compared." in bare.words
    assert "A reduced run: 96 of the 144 published synthetic numbers" in bare.words
    assert "The tables have not been made." in bare.words
    assert bare.words.count("This figure has not been drawn.") == len(FIGURES)
    assert "A second seed has not been run" in bare.words
    assert bare.words.count(NOT_RUN) == 1
    assert bare.words.count(NO_ONEBIT) == 1
    assert bare.words.count(NO_DPALS) == 1
    assert bare.all("img") == []


def test_heat_maps_of_the_forensics_are_shown_if_there(written, outputs, tmp_path):
    frame = pd.DataFrame({"size": ["1 x 2", "3 x 4"], "start": ["a\nb", "a\nb"], "fit": [0.1, 0.2]})
    render(lambda: heatmap(frame, *frame.columns), tmp_path, "heatmap_synthetic", width=COLUMN)
    page = written(figures_folder=outputs / "figures", forensics_folder=tmp_path)
    assert len(page.all("img")) == len(FIGURES) + 1
    assert "What the papers leave open" in page.words
    assert FORENSICS[1].title not in page.words


def test_the_privacy_section_holds_findings_tables_and_results(page, outputs):
    assert NOT_RUN not in page.words
    assert "Hyper-parameters were chosen" in page.words
    assert "A true guarantee costs accuracy" in page.words
    files = {link["download"]: link["href"] for link in page.all("a") if "download" in link}
    for name in NAMES:
        data = base64.b64decode(files[f"{name}.csv"].partition(",")[2])
        assert data == (outputs / "privacy" / f"{name}.csv").read_bytes()
    assert {"table_privacy_1_totals.tex", "table_privacy_2_loss.md"} <= set(files)


def test_a_privacy_part_that_is_half_done_is_shown(written, outputs, tmp_path):
    folder = tmp_path / "privacy"
    folder.mkdir()
    (folder / "totals.csv").write_bytes((outputs / "privacy" / "totals.csv").read_bytes())
    words = written(privacy_folder=folder).words
    assert "No model has been trained at a stated budget." in words
    assert NOT_RUN not in words


def test_the_one_bit_section_holds_findings_claims_tables_and_results(page, outputs):
    assert NO_ONEBIT not in page.words
    assert page.words.count("no published number stands beside ours") == 1
    assert "OutP as published is ε-differentially private" in page.words
    # in the answer and in the section
    assert page.words.count("keep the ε that they claim for one sign") == 2
    assert page.words.count("One-bit completion: ") == 2
    files = {link["download"]: link["href"] for link in page.all("a") if "download" in link}
    for name in ("outp_change", "outp_attack", "bounds", "claims"):
        data = base64.b64decode(files[f"onebit_{name}.csv"].partition(",")[2])
        assert data == (outputs / "onebit" / f"{name}.csv").read_bytes()
    assert {"table_onebit_1_are.tex", "table_onebit_4_guarantees.csv"} <= set(files)
    assert "onebit_trials.csv" not in files
    assert all(f"Claim {place}." in page.words for place in (1, 2, 3))


def test_a_one_bit_part_that_is_half_done_is_shown(written, outputs, tmp_path):
    folder = tmp_path / "onebit"
    folder.mkdir()
    (folder / "outp_attack.csv").write_bytes((outputs / "onebit" / "outp_attack.csv").read_bytes())
    words = written(onebit_folder=folder).words
    assert NO_ONEBIT not in words
    assert "the attack proves more than the claim" in words
    assert "Not run." in words


def test_the_dpals_section_holds_findings_claims_tables_and_results(page, outputs):
    assert NO_DPALS not in page.words
    assert page.words.count("Hyper-parameters were chosen for each data set, method and ε") == 1
    # in the answer and in the section
    assert page.words.count("The noise of theorem 1 gives the ε that it claims") == 2
    assert page.words.count("User-level factorisation: ") == 3
    assert "On the generated data they come out as" in page.words
    files = {link["download"]: link["href"] for link in page.all("a") if "download" in link}
    for name in ("timing", "coverage", "accounting", "claims", "claims_surrogate"):
        data = base64.b64decode(files[f"dpals_{name}.csv"].partition(",")[2])
        assert data == (outputs / "dpals" / f"{name}.csv").read_bytes()
    assert {"table_dpals_1_synthetic.tex", "table_dpals_8_timing.csv"} <= set(files)
    assert not {"dpals_trials.csv", "dpals_iterations.csv"} & set(files)
    assert all(f"{kind} claim {place}." in page.words for kind in "DS" for place in (1, 2, 3))


def test_a_dpals_part_that_is_half_done_is_shown(written, outputs, tmp_path):
    folder = tmp_path / "dpals"
    folder.mkdir()
    (folder / "accounting.csv").write_bytes((outputs / "dpals" / "accounting.csv").read_bytes())
    words = written(dpals_folder=folder).words
    assert NO_DPALS not in words
    assert "By exact accounting it is 1.060 for 1" in words
    assert "Not run." in words
    assert "no verdict on the paper" not in words


def test_full_coverage_needs_no_note(comparison):
    assert coverage(comparison) == []


def luminance(color: str) -> float:
    if len(color) == 4:
        color = "#" + "".join(2 * letter for letter in color[1:])
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_contrast_is_at_least_aa(scheme):
    css = (TEMPLATES / "page.css").read_text()
    block = re.findall(r":root \{([^}]*)\}", css)[scheme]
    colors = dict(re.findall(r"--(\w+): (#[0-9a-f]+)", block))
    assert {"paper", "ink", "note"} <= set(colors)
    for name in ("ink", "quiet", "link", "good", "bad", "unsure"):
        assert contrast(colors[name], colors["paper"]) >= 4.5, name
    assert contrast(colors["ink"], colors["note"]) >= 4.5


MARKDOWN = """# Title

Numbers are
computed.

## E1. Inverse CDF

- **Where:** thesis, `4.4`
- **Published:** x < 1 & y
  goes on

## E2. Sign
"""


def test_markdown():
    html = to_html(MARKDOWN, top=3)
    assert html.splitlines() == [
        "<p>Numbers are computed.</p>",
        "<h3>E1. Inverse CDF</h3>",
        "<ul><li><strong>Where:</strong> thesis, <code>4.4</code></li>"
        "<li><strong>Published:</strong> x &lt; 1 &amp; y goes on</li></ul>",
        "<h3>E2. Sign</h3>",
    ]
    assert to_html("# T\ntext", top=3) == "<p>text</p>"
    assert to_html("## A\n- one\n- two", top=4) == "<h4>A</h4>\n<ul><li>one</li><li>two</li></ul>"


def test_flattened_manifest():
    nested = {"a": {"b": [1, 2], "c": [{"d": None}, {"d": "x"}]}, "e": True}
    assert list(flattened(nested)) == [
        ("a › b", "1, 2"),
        ("a › c 1 › d", "–"),
        ("a › c 2 › d", "x"),
        ("e", "True"),
    ]


def test_intervals_are_spelled():
    assert interval_text(-0.01234, 0.5) == "[−0.01234, 0.5]"
    assert interval_text(np.nan, 1.0) == ""


def test_claims_without_effect_or_count(written, claims):
    hollow = claims.assign(effect=np.nan, interval_low=np.nan, n=pd.NA)
    assert "nan" not in written(claims=hollow).words.split()

"""The report is whole, self-contained, accessible, honest about what is missing."""

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pages import all_pages

import dpmc_studies.report
from dpmc_studies.frame.jobs.job import function
from dpmc_studies.frame.jobs.plan import NUMBERS
from dpmc_studies.frame.judging.claims import is_own
from dpmc_studies.frame.judging.effects import Line
from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    NO_EFFECT,
    NOT_RUN,
    SUPPORTED,
    VERDICTS,
)
from dpmc_studies.frame.showing.chapter import Chapter, Gallery, Judged
from dpmc_studies.frame.showing.erratum import CHANGES_CONCLUSION, WITHOUT_CONSEQUENCE
from dpmc_studies.frame.showing.style import COLUMN, Drawing, FigureText, new_figure, render
from dpmc_studies.report.page import Report, StudyPage, write_site
from dpmc_studies.report.site import committed_verdicts, differs
from dpmc_studies.studies.dpals.chapter import TEXT as DPALS
from dpmc_studies.studies.equal_privacy.chapter import TEXT as EQUAL_PRIVACY
from dpmc_studies.studies.huber.chapter import coverage
from dpmc_studies.studies.huber.figures import FIGURES
from dpmc_studies.studies.huber.reported.compare import compare
from dpmc_studies.studies.huber.reported.numbers import load
from dpmc_studies.studies.onebit.chapter import TEXT as ONEBIT

PROVIDE_DATA = "Data not available: put the data files into a folder"
TEMPLATES = Path(dpmc_studies.report.__file__).parent / "templates"


@pytest.fixture(scope="module")
def page(outputs, chapters):
    return all_pages(outputs / "report", chapters)


def written_site(folder, chapters):
    """Write chapters alone, and return all pages as one."""
    pages = {name: StudyPage(chapter) for name, chapter in chapters.items()}
    write_site(folder, Report("Title", pages, {}))
    return all_pages(folder, chapters)


@pytest.fixture(scope="module")
def bare(tmp_path_factory, planned, trials_without_data, budgets, claims):
    """The report of a run without real data, rank 20, figures or tables."""
    top = tmp_path_factory.mktemp("bare")
    trials = trials_without_data[trials_without_data["rank"] != 20]
    frames = {"trials": trials, "claims": claims}
    frames["comparison"] = compare(trials, load(), budgets)
    for name, study in planned.studies.items():
        (top / name).mkdir()
        empty = {table: columns for job in study.jobs for table, columns in job.tables.items()}
        for table, columns in empty.items():
            if "/" not in table:
                pd.DataFrame(columns=list(columns)).to_csv(top / name / f"{table}.csv", index=False)
    for name, frame in frames.items():
        frame.to_csv(top / "huber" / f"{name}.csv", index=False)
    chapters = {}
    for name, study in planned.studies.items():
        settings = study.chapter_settings(planned.sections[name])
        chapters[name] = function(study.chapter)(top / name, settings)
    return written_site(top / "report", chapters)


@pytest.fixture
def written(tmp_path):
    """A function: write a report of one chapter, and return all pages as one."""

    def write(**given):
        chapter = Chapter(**{"heading": "Mine", "lead": "a", "introduction": "b"} | given)
        return written_site(tmp_path / "report", {"my_study": chapter})

    return write


def downloads(page, folder):
    """Files that the pages offer by name; each name stands for one file."""
    links = [link for link in page.all("a") if "download" in link]
    files = {link["download"]: link["href"] for link in links}
    assert len(files) == len(links)
    return {name: (folder / href).read_bytes() for name, href in files.items()}


def test_nothing_is_requested_from_anywhere(outputs, page):
    for tag, attributes in page.tags:
        for name in ("src", "srcset", "poster", "data", "action", "background"):
            assert attributes.get(name, "files/").startswith("files/"), tag
        assert tag not in {"iframe", "object", "embed"}
    assert page.all("script") == [{}]
    text = (outputs / "report" / NUMBERS).read_text(encoding="utf-8")
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    script = text.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    for policy in (meta["content"] for meta in page.all("meta") if "http-equiv" in meta):
        assert policy.split("; ") == [
            "default-src 'none'", "img-src 'self' file: data:", "style-src 'unsafe-inline'",
            f"script-src 'sha256-{digest}'",
        ]  # fmt: skip
    for image in page.all("img"):
        drawing = (outputs / "report" / image["src"]).read_text(encoding="utf-8")
        assert not re.search(r'(href|src)="(?!#)', drawing)


def test_the_answer_comes_first_then_all_sections(page):
    sections = [attributes["id"] for attributes in page.all("section")]
    names = ["huber", "equal_privacy", "which_model", "audit", "onebit", "dpals"]
    assert sections == ["index", *names, "numbers"]
    folded = [each["id"] for each in page.all("details") if each.get("class") == "fold"]
    assert folded[0] == "provenance"
    assert {f"{name}-provenance" for name in names} < set(folded)


def test_a_run_with_other_settings_shows_the_verdicts_of_the_full_run(tmp_path):
    lines = [Line("H1", SUPPORTED, "It is so", "By 5 %.", "It is so by 5 %."),
             Line("H2", NOT_RUN, "It is more", "Not part of this run.")]  # fmt: skip
    chapter = Chapter("Mine", "", "", headlines=lines, findings=lines)
    alone = {"mine": StudyPage(chapter)}
    for full in ({}, {"H1": CONTRADICTED, "H2": NO_EFFECT}):
        shown = {name: replace(page, full=full) for name, page in alone.items()}
        write_site(tmp_path, Report("Title", shown, {}))
        page = all_pages(tmp_path, alone)
        assert page.words.count("It is so by 5 %.") == 2
        bold = "It is so by 5 %." in " ".join(page.texts_of("strong"))
        assert bold is not bool(full)
        said = (
            "This run has other settings than the full run. The full run’s verdict: contradicted."
        )
        assert page.words.count(said) == 2 * bool(full)
        said = "Not part of this run. The full run’s verdict: no effect."
        assert page.words.count(said) == 2 * bool(full)


def test_only_a_run_with_other_settings_of_a_study_is_told_the_verdicts_of_the_full_run():
    assert differs(["huber.trials", "report.title"], "huber")
    assert not differs(["hubert.trials", "report.title", "onebit.links"], "huber")
    home = Path(__file__).parents[3]
    assert committed_verdicts(home, "huber")["H3"] in VERDICTS
    assert committed_verdicts(home, "a_study_of_theirs") == {}


def test_every_figure_has_an_alternative_text_and_its_numbers(page, chapters, outputs):
    images, files = page.all("img"), downloads(page, outputs / "report")
    galleries = [gallery for chapter in chapters.values() for gallery in chapter.galleries]
    shown = [(entry, gallery.folder) for gallery in galleries for entry in gallery.figures]
    empty = [entry for entry, folder in shown if pd.read_csv(folder / f"{entry.id}.csv").empty]
    assert len(images) == len(shown) - len(empty) + 1 > 25
    for entry in empty:  # named, and no box
        assert page.words.count(entry.title) == 1
    shown = [(entry, folder) for entry, folder in shown if entry not in empty]
    (first,) = (entry for entry, _ in shown if entry.id == "privacy_cost")
    assert images[0]["alt"].startswith(first.alt)
    drawn = {(outputs / "report" / each["src"]).read_bytes(): each["alt"] for each in images}
    for entry, folder in shown:
        assert drawn[(folder / f"{entry.id}.svg").read_bytes()].startswith(entry.alt)
        assert files[f"{entry.id}.csv"] == (folder / f"{entry.id}.csv").read_bytes()
    assert {"claims.csv", "comparison.csv", "table3.csv", "table3.md", "table3.tex"} <= set(files)


def test_claims_can_be_filtered_without_a_script(page, claims):
    chosen = [a for a in page.all("input") if a["type"] == "radio"]
    radios = [a["id"] for a in chosen]
    kinds = ("all", "supported", "contradicted", "no-effect", "inconclusive", "not-run")
    filtered = ("huber", "equal_privacy")
    assert radios == [f"{study}-0-{kind}" for study in filtered for kind in kinds]
    assert {label["for"] for label in page.all("label") if label} == set(radios)
    assert [a["class"] for a in chosen] == [f"show-{kind}" for kind in kinds] * len(filtered)
    rows = [a["class"] for a in page.all("tr") if a.get("class", "").startswith("is-")]
    # those of the other studies stand after
    assert rows[: len(claims)] == [f"is-{each.replace(' ', '-')}" for each in claims["verdict"]]
    css = (TEMPLATES / "page.css").read_text()
    for verdict in VERDICTS:
        name = verdict.replace(" ", "-")
        assert f".show-{name}:checked ~ .scroll tbody tr:not(.is-{name})" in css
        count = int((claims.loc[~is_own(claims), "verdict"] == verdict).sum())
        assert f"{verdict} {count}" in page.words


def test_what_verdicts_depend_on_errata_and_provenance_are_shown(page, claims):
    for dependent in claims["depends_on"].dropna():
        assert dependent in page.words
    # by grade, worst first, whatever the numbers are
    shown = ["Mistakes that change a conclusion", "no longer holds as stated.", "E2. Inverse CDF"]
    shown += [f"Grade: {CHANGES_CONCLUSION}", "Mistakes without consequence", "rests on it."]
    shown += ["E1. Sign", f"Grade: {WITHOUT_CONSEQUENCE}"]
    places = [page.words.index(text) for text in shown]
    assert places == sorted(places)
    assert "Our improvements" not in page.words  # no group without an entry
    assert "Published: x < 1 & y" in page.words
    assert "git › dirty False" in page.words
    assert "1, 2" in page.words
    assert PROVIDE_DATA not in page.words
    assert "Report <1>" in page.words


def test_a_page_without_data_says_so(bare):
    assert bare.words.count(PROVIDE_DATA) == 1
    assert "MovieLens 100K and SweetRS: 24 published numbers are not compared." in bare.words
    assert "This reduced run compares 96 of the 144 published synthetic numbers" in bare.words
    assert "Not drawn, for their results are not there:" in bare.words
    for figure in FIGURES:
        assert figure.title in bare.words
    assert bare.words.count(EQUAL_PRIVACY("not_run")) == 1
    assert bare.words.count(ONEBIT("not_run")) == 1
    assert bare.words.count(DPALS("not_run")) == 1
    assert bare.all("img") == []


def test_a_chapter_shows_what_it_has_and_no_more(written, tmp_path):
    page = written(heading="Mine & yours", introduction="one <i>x</i>")
    sections = ["index", "my_study", "numbers"]
    assert [a["id"] for a in page.all("section")] == sections
    assert "Mine & yours" in page.words
    assert "Tables" not in page.words
    figure = FigureText(id="figure_x", title="X", caption="Of x.", alt="x")
    findings = [Line("H1", SUPPORTED, "It is <so>", "By 5 %.")]
    page = written(
        answers=findings, findings=findings, caveat="Only & first", notes=["A <note> & more"],
        galleries=[Gallery([figure], tmp_path, "Drawn", grid=True)],
        downloads=[("nothing.csv", tmp_path / "nothing.csv")],
    )  # fmt: skip
    assert page.words.count("It is <so>") == 3  # with the headlines, which are answers here
    assert "5\N{NO-BREAK SPACE}%" in "".join(page.text)
    absent = "Not drawn, for their results are not there: X."
    for text in ("Only & first", "A <note> & more", "Drawn", absent):
        assert text in page.words
    assert downloads(page, tmp_path / "report") == {}


def first_section(page):
    """Return what stands below "What we found", and the verdicts that are counted below it."""
    words = page.words.partition("What we found ")[2]
    found, _, rest = words.partition("How each claim came out")
    counts = re.search(r"Mistakes my_study ((?:[–\d]+ ){5})", rest)[1].split()
    return found, dict(zip(VERDICTS, counts, strict=True))


def test_a_study_of_its_own_claims_alone_begins_with_these_and_counts_them(written, claims):
    own = claims.head(3).assign(verdict=["supported", "contradicted", "supported"])
    judged = [Judged("Own", own, own=True)]
    found, counts = first_section(page := written(judged=judged))
    for claim, verdict in own[["claim", "verdict"]].itertuples(index=False):
        assert f"“{claim}”: {verdict}." in found
    assert counts == dict.fromkeys(VERDICTS, "–") | {"supported": "2", "contradicted": "1"}
    assert "my_study : claims of our own. No paper makes them." in page.words
    # what the study declares goes before
    for kind in ("findings", "answers", "headlines"):
        line = Line("X", SUPPORTED, f"Of {kind}", "By 5 %.")
        given = {each: [line] for each in ("findings", "answers", "headlines")[:1]} | {kind: [line]}
        found, _ = first_section(written(judged=judged, **given))
        assert found.startswith(f"“Of {kind}”: supported.")
        assert "X" in found
        assert own["claim"].iloc[0] not in found


def test_claims_of_papers_are_counted_without_own_ones(written, claims):
    own, papers = claims.head(3), claims.tail(2).assign(verdict="supported")
    _, counts = first_section(
        page := written(judged=[Judged("", papers), Judged("", own, own=True)])
    )
    assert counts == dict.fromkeys(VERDICTS, "–") | {"supported": "2"}
    assert "No paper makes them" not in page.words


def test_a_report_without_claims_says_so(written):
    found, counts = first_section(written())
    assert found == "No claim has been judged. "
    assert set(counts.values()) == {"–"}


def test_the_key_figure_stands_at_the_top_of_a_report_of_one_study(written, tmp_path):
    figures = [FigureText(id=f"figure_{x}", title=x, caption=x, alt=f"alt {x}") for x in "ab"]
    frame = pd.DataFrame({"a": [1, 2]})
    for figure in figures:
        render(lambda: Drawing(new_figure(COLUMN, 1), frame), tmp_path, figure.id, width=COLUMN)
    given = {"galleries": [Gallery(figures, tmp_path)], "key_figure": "figure_a"}
    for more, first in (({}, "alt a"), ({"first_figure": "figure_b"}, "alt b")):
        image = written(**given, **more).all("img")[0]
        assert image["alt"].startswith(first)


def test_two_tables_of_claims_are_filtered_each_for_itself(written, claims):
    page = written(judged=[Judged("A", claims, reported=True), Judged("B", claims, reported=True)])
    radios = [a for a in page.all("input") if a["type"] == "radio"]
    assert len({a["id"] for a in radios}) == len(radios) == 2 * (1 + len(VERDICTS))
    assert {a["name"] for a in radios} == {"verdict-my_study-0", "verdict-my_study-1"}


def test_full_coverage_needs_no_note(comparison):
    assert coverage(comparison) == []


def test_a_reduced_run_says_what_is_compared_over_how_many_trials(comparison):
    lost = (comparison["dataset"] == "synthetic") & (comparison["rank"] != 5)
    (note,) = coverage(comparison.assign(mean=comparison["mean"].where(~lost)))
    assert note.startswith("This reduced run compares 48 of the 144 published synthetic numbers")
    assert "by means over 10 trials." in note


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

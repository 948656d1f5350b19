"""A study from outside of the package runs through the unchanged workflow: jobs, page, check."""

import html
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from workspaces import DEFAULTS, HOME, OWN_STUDY, Workspace

from dpmc_studies import studies
from dpmc_studies.configuration import checked, merge
from dpmc_studies.frame.jobs.job import function, run_job
from dpmc_studies.frame.jobs.plan import Plan

pytestmark = pytest.mark.workflow
TRIALS = "results/own_study/trials.csv"


def times_of(space):
    """When each table of a run was written."""
    return {path: path.stat().st_mtime_ns for path in space.folder.glob("results/**/*.csv")}


@pytest.fixture
def edited(own_study, tmp_path):
    return own_study.copied(tmp_path / "copy")


def test_it_has_a_page_of_its_own_and_passes_its_check(own_study):
    report = own_study.folder / "results" / "own_study" / "report"
    title = "How many ratings do noisy factors need?"
    page = (report / "study-own_study.html").read_text()
    for text in (title, 'class="claims"', 'src="files/own_study/own_study.svg"'):
        assert text in page
    assert page.index('id="own_study"') < page.index("<img") < page.index('class="claims"')
    assert (report / "files" / "own_study" / "own_study.svg").is_file()
    first = (report / "index.html").read_text()
    assert f"<h1>{title}</h1>" in first
    assert '<a href="study-own_study.html">own_study</a>' in first
    found = first.partition("What we found")[2].partition("How each claim came out")[0]
    for claim in ("S1", "S2"):
        assert f">claim {claim}</a>" in found
    assert 'src="files/own_study/own_study.svg"' in found
    (counts,) = re.findall(r'study-own_study.html">own_study</a></th>((?:\n<td>.*</td>)+)', first)
    assert sum(map(int, re.findall(r"\d+", counts))) == 2  # both claims, with their verdicts
    check = (own_study.folder / "results/own_study_check.txt").read_text()
    assert check.startswith("dpmc: check passed: own_study\n")
    settings = own_study.overlay["own_study"]
    assert (
        len(own_study.rows(TRIALS)) == 3 * len(settings["observed_fractions"]) * settings["trials"]
    )
    assert not (own_study.folder / "results" / "huber").exists()


def test_its_page_of_numbers_says_how_each_is_computed_again(own_study):
    """The command of a row makes the file of the row and no other, and the same numbers."""
    page = (own_study.folder / "results/own_study/report/numbers.html").read_text()
    settings = own_study.overlay["own_study"]
    cells = 3 * len(settings["observed_fractions"])
    assert page.count("<td>mean of a cell</td>") == cells
    (command,) = {
        line
        for line in re.findall(r"<code>(.*?)</code>", page)
        if "method~noisy_als" in line
    }  # fmt: skip
    start, *options, forced, path = shlex.split(html.unescape(command))
    assert (start, forced) == (".venv/bin/snakemake", "--force")
    assert options == ["--cores", "1", "--configfile", "overlay.yaml"]
    part = own_study.folder / path
    before, times = part.read_text(), times_of(own_study)
    own_study.run(forced, path)
    assert part.read_text() == before
    after = times_of(own_study)
    assert [each for each in after if after[each] != times.get(each)] == [part]


def test_its_report_begins_with_its_figure(own_study):
    report = own_study.folder / "results/own_study/report"
    pages = [(report / name).read_text() for name in ("index.html", "study-own_study.html")]
    assert all("How many ratings do noisy factors need?" in text for text in pages)
    # small and large
    assert [text.count("<img ") for text in pages] == [1, 1]


def test_one_changed_setting_reruns_its_jobs_alone(own_study):
    before = own_study.overlay
    try:
        own_study.write(merge(before, {"own_study": {"variance": 2}}))
        # of three curves one has noise
        assert own_study.planned(TRIALS) == {"own_study_fit": 1, "own_study_join_trials": 1}
    finally:
        own_study.write(before)


def test_ctrl_c_ends_a_run_in_one_sentence_and_the_same_command_goes_on(
    stopped, own_study, tmp_path
):
    _, status, (first, last) = stopped
    assert status == 130
    assert first.startswith("dpmc: 10 jobs to run, about ")
    assert re.fullmatch(
        r"dpmc: stopped after \d+ s with \d of 10 jobs done; the same command goes on from there",
        last,
    )
    # every job has made what it makes by itself
    study = studies.load([OWN_STUDY])["own_study"]
    known, job, part = {"own_study": study}, study.job("fit"), tmp_path / "part.csv"
    run = Plan("results", merge(DEFAULTS, own_study.overlay), known)
    parts = run.parts(study, "trials")
    for path, cells in zip(parts, run.jobs(study, job).values(), strict=True):
        run_job(function(job.run), job.tables, {"trials": part}, cells, {})
        assert (own_study.folder / path).read_text() == part.read_text()
    joined = [row for path in parts for row in own_study.rows(path)]
    assert own_study.rows(TRIALS) == joined


def test_its_reference_is_what_its_run_gives(own_study, tmp_path, monkeypatch):
    """`dpmc reference update` finds the study by the overlay, and writes what is committed."""
    monkeypatch.chdir(own_study.copied(tmp_path / "copy").folder)
    written = Path("examples/own_study/reference")
    shutil.rmtree(written)
    command = [sys.executable, "-m", "dpmc", "reference", "update", "--study", "own_study"]
    subprocess.run([*command, "--config", "overlay.yaml"], check=True, capture_output=True)
    committed = [path for path in (OWN_STUDY / "reference").rglob("*") if path.is_file()]
    assert committed
    for path in committed:
        ours = written / path.relative_to(OWN_STUDY / "reference")
        # another processor may round in the last places, as `check` knows
        assert path.name == "trials.csv" or ours.read_text() == path.read_text()
        assert len(ours.read_text().splitlines()) == len(path.read_text().splitlines())
    result = subprocess.run([*command, "--study", "ownstudy"], capture_output=True, text=True)
    assert result.returncode != 0
    assert "There is no study own" in result.stderr
    assert not Path("results/reference").exists()


@pytest.mark.slow
def test_a_changed_figure_reruns_no_fit(edited):
    assert edited.planned("own_study") == {}
    module = edited.folder / "examples" / "own_study" / "show.py"
    before = module.read_text()
    module.write_text(before.replace('Axis("RMSE", log=True)', 'Axis("RMSE")'))
    assert module.read_text() != before
    planned = edited.planned("own_study")
    assert planned["own_study_figures"] == planned["own_study_page"] == 1
    assert not {"own_study_fit", "own_study_join_trials"} & set(planned)
    module = module.with_name("run.py")
    module.write_text(module.read_text() + "\n# edited\n")
    assert edited.planned("own_study")["own_study_fit"] == 3


@pytest.mark.slow
def test_a_title_of_the_configuration_goes_before_that_of_the_study(edited):
    edited.write(merge(edited.overlay, {"report": {"title": "My own title"}}))
    edited.run("own_study")
    report = edited.folder / "results" / "own_study" / "report"
    assert "<h1>My own title</h1>" in (report / "index.html").read_text()
    assert "need? – My own title</title>" in (report / "study-own_study.html").read_text()


@pytest.mark.slow
def test_its_check_fails_when_a_number_changes(edited):
    edited.write(merge(edited.overlay, {"own_study": {"seed": 2}}))
    edited.run("own_study_check", code=1)
    check = (edited.folder / "results/own_study_check.txt").read_text()
    assert "seed is 2, in the reference 1" in check


@pytest.mark.slow
def test_without_it_in_the_configuration_there_is_no_such_target(tmp_path):
    space = Workspace(tmp_path / "work", {})
    assert "MissingRuleException" in (output := space.run("own_study", code=1))
    assert "own_study" in output


@pytest.mark.slow
def test_what_is_no_study_is_refused(tmp_path):
    space = Workspace(tmp_path / "work", {"studies": ["nowhere"]})
    assert "There is no study in nowhere" in space.refused("quick")


def test_it_is_copied_and_renamed_by_the_steps_of_the_document(tmp_path):
    text = (HOME / "docs" / "extend.md").read_text()
    steps = text.partition("```sh\n")[2].partition("```")[0]
    shutil.copytree(OWN_STUDY, tmp_path / "examples" / "own_study")
    subprocess.run(["sh", "-ec", steps], cwd=tmp_path, check=True)
    copied = tmp_path / "examples" / "my_paper"
    assert not list(copied.rglob("*.old"))
    known = studies.load([copied])
    study = known["my_paper"]
    overlay = yaml.safe_load((copied / "config.yaml").read_text())
    assert overlay["studies"] == ["examples/my_paper"]
    settings = checked(merge(DEFAULTS, overlay), known)
    assert len(Plan("results", settings, {"my_paper": study}).jobs(study, study.job("fit"))) == 3
    for run in (study.chapter, *(step.run for step in study.steps)):
        assert callable(function(run))


def test_the_overlay_is_all_that_it_needs():
    overlay = yaml.safe_load((OWN_STUDY / "config.yaml").read_text())
    assert set(overlay) == {"studies", "own_study"}

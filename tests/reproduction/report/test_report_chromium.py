"""The site in a real browser, headless: nothing sticks out, nothing is fetched, all is found."""

import html
import json
import re
import shutil
import subprocess

import pytest
from browser import FLAGS, needed

from dpmc_studies.frame.jobs.plan import INDEX, NUMBERS, page_file
from dpmc_studies.frame.judging.claims import is_own
from dpmc_studies.report.page import COLUMNS

pytestmark = pytest.mark.slow

LOGGING = [
    "--allow-file-access-from-files",
    "--enable-logging=stderr",
    "--window-size=1400,1000",
]
WIDTHS = (390, 1400)
STUDIES = ("huber", "equal_privacy", "which_model", "audit", "onebit", "dpals")
PAGES = (INDEX, NUMBERS, *map(page_file, STUDIES))
PROBE = """<!doctype html><pre id="out"></pre><script>
const jobs = %s, found = [];
next();
function next() {
  if (found.length === jobs.length) {
    document.getElementById("out").textContent = JSON.stringify(found);
    return;
  }
  const [name, width] = jobs[found.length];
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.style.border = 0; frame.src = name;
  frame.onload = () => {
    const page = frame.contentDocument, root = page.documentElement;
    const outside = [...page.querySelectorAll("body *")].filter(part =>
      !part.parentElement.closest(".scroll, .thumb a") && !part.closest(".skip, .vh") &&
      part.getBoundingClientRect().right > root.clientWidth + 1);
    const size = {
      name, width, visible: root.clientWidth, content: root.scrollWidth,
      outside: outside.map(part => part.outerHTML.slice(0, 80)),
      images: page.images.length,
      drawn: [...page.images].filter(image => image.naturalWidth > 0).length,
      requests: frame.contentWindow.performance.getEntriesByType("resource").map(e => e.name)
        .filter(address => !/^(data|file):/.test(address)),
    };
    found.push({...size, ...(page.getElementById("rows") ? numbers(page) : {}),
                ...(page.getElementById("huber-0-all") ? claims(page) : {})});
    next(); // before the frame goes: else the page counts as loaded, and the browser ends
    frame.remove();
  };
  document.body.append(frame);
}
function visible(page, selector) {
  return [...page.querySelectorAll(selector)].filter(row => row.offsetHeight > 0);
}
function claims(page) {
  const rows = "#huber .filter .claims tbody tr", shown = visible(page, rows).length;
  page.getElementById("huber-0-contradicted").click();
  const filtered = visible(page, rows).length;
  page.getElementById("huber-0-all").click();
  return {shown, filtered};
}
function numbers(page) {
  const rows = () => visible(page, "#rows tbody tr"), form = page.getElementById("finder");
  const status = () => page.getElementById("found").textContent;
  const column = place => rows().map(row => row.cells[place].textContent);
  const event = new Event("input", {bubbles: true});
  const heading = place => page.querySelectorAll("#rows thead th")[place];
  const choose = (place, value) => {
    const select = form.querySelector(`[data-column="${place}"]`);
    select.value = value;
    select.dispatchEvent(event);
    return column(place);
  };
  const first = rows().length, start = status();
  page.getElementById("more").click();
  const more = rows().length;
  const search = page.getElementById("words");
  search.value = "RANK 20 laplace";
  search.dispatchEvent(event);
  const searched = rows().map(row => row.textContent);
  search.value = "";
  const chosen = {study: choose(1, "audit"), verdict: choose(9, "passed")};
  choose(9, "");
  chosen.mixed = [choose(1, "huber"), choose(3, "ml-100k"), choose(4, "laplace")][2];
  choose(3, ""); choose(4, ""); choose(2, "mean of a cell");
  const sorted = {};
  for (const direction of ["ascending", "descending"]) {
    heading(7).querySelector("button").click();
    sorted[direction] = heading(7).getAttribute("aria-sort") === direction ? column(7) : [];
  }
  const link = rows()[0].querySelector("a[href^='#o']");
  link.click();
  const origin = page.querySelector("#rows .origin").textContent;
  const expected = page.querySelector(link.hash).textContent;
  link.click();
  return {first, start, more, searched, chosen, sorted, origin, expected,
          left: page.querySelectorAll("#rows .origin").length,
          focusable: page.querySelectorAll("#rows thead button").length,
          labelled: [...form.elements].filter(each => each.labels && each.labels.length).length};
}
</script>"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory, outputs):
    """Load every page in frames of each width, and say what was measured and logged."""
    program = needed()
    folder = tmp_path_factory.mktemp("browser")
    shutil.copytree(outputs / "report", folder, dirs_exist_ok=True)
    jobs = [(name, width) for name in PAGES for width in WIDTHS]
    (folder / "probe.html").write_text(PROBE % json.dumps(jobs), encoding="utf-8")
    profile = tmp_path_factory.mktemp("profile")
    address = (folder / "probe.html").as_uri()
    command = [program, *FLAGS, *LOGGING, f"--user-data-dir={profile}", "--dump-dom"]
    done = subprocess.run(
        [*command, address], capture_output=True, text=True, timeout=900, check=True
    )
    found = re.search(r'<pre id="out">(.+?)</pre>', done.stdout)
    assert found, done.stderr[-2000:]
    frames = json.loads(html.unescape(found[1]))
    return {(frame["name"], frame["width"]): frame for frame in frames}, done.stderr


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways_or_asks_a_server(opened, name, width):
    frame = opened[0][name, width]
    assert frame["outside"] == []
    assert frame["content"] <= frame["visible"] <= width
    assert frame["drawn"] == frame["images"]
    assert frame["requests"] == []


def test_nothing_is_said_on_the_console(opened):
    assert "CONSOLE" not in opened[1]


def test_claims_are_filtered_by_a_click(opened, claims):
    frame, of_papers = opened[0][page_file("huber"), 1400], claims[~is_own(claims)]
    assert frame["shown"] == len(of_papers)
    assert frame["filtered"] == int((of_papers["verdict"] == "contradicted").sum())


def values(texts):
    return [float(text.split()[0].replace("−", "-")) for text in texts]


@pytest.mark.parametrize("width", WIDTHS)
def test_numbers_are_searched_filtered_and_sorted(opened, rows, width):
    frame, every = opened[0][NUMBERS, width], [row for study in STUDIES for row in rows[study]]
    assert frame["start"] == f"{len(every)} of {len(every)} rows, the first 200 shown"
    assert (frame["first"], frame["more"]) == (200, 400)
    assert frame["searched"]
    for text in frame["searched"]:
        assert all(word in text.lower() for word in ("rank", "20", "laplace"))
    audit = rows["audit"]
    assert frame["chosen"]["study"] == ["audit"] * min(len(audit), 200)
    passed = sum(row.verdict == "passed" for row in audit)
    assert len(frame["chosen"]["verdict"]) == min(passed, 200)
    mixed = [row for row in rows["huber"] if (row.data, row.mechanism) == ("ml-100k", "laplace")]
    assert frame["chosen"]["mixed"] == ["laplace"] * len(mixed)
    assert mixed
    up, down = (values(frame["sorted"][way]) for way in ("ascending", "descending"))
    assert up == sorted(up)
    assert down == sorted(down, reverse=True)
    assert min(down) >= min(up) > 0
    assert len(up) > 100


def test_a_row_opens_its_settings_and_command(opened):
    for width in WIDTHS:
        frame = opened[0][NUMBERS, width]
        assert frame["origin"] == frame["expected"]
        assert "snakemake --force" in frame["origin"]
        assert frame["left"] == 0
        assert frame["focusable"] == len(COLUMNS) - 1
        assert frame["labelled"] == 1 + sum(COLUMNS.values())

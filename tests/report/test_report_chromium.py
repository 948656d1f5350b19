"""The page in a real browser, headless: nothing sticks out, nothing is fetched, figures appear."""

import html
import json
import re
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.slow

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
    "--window-size=1400,1000",
]
WIDTHS = (390, 1280)
PROBE = """<!doctype html><pre id="out"></pre><script>
const widths = %s, found = [];
for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.style.border = 0; frame.src = "index.html";
  frame.onload = () => {
    const page = frame.contentDocument, root = page.documentElement;
    const outside = [...page.querySelectorAll("body *")].filter(part =>
      !part.parentElement.closest(".scroll") && !part.closest(".skip, .vh") &&
      part.getBoundingClientRect().right > root.clientWidth + 1);
    found.push({
      width, visible: root.clientWidth, content: root.scrollWidth,
      outside: outside.map(part => part.outerHTML.slice(0, 80)),
      drawn: [...page.images].filter(image => image.naturalWidth > 0).length,
      requests: frame.contentWindow.performance.getEntriesByType("resource").map(e => e.name)
        .filter(name => !name.startsWith("data:")),
      filtered: filtered(page), shown: shown(page),
    });
    if (found.length < widths.length) return;
    document.getElementById("out").textContent = JSON.stringify(found);
  };
  document.body.append(frame);
}
function shown(page) {
  const rows = [...page.querySelectorAll("#huber .filter .claims tbody tr")];
  return rows.filter(row => row.offsetHeight > 0).length;
}
function filtered(page) {
  page.getElementById("huber-0-contradicted").click();
  const count = shown(page);
  page.getElementById("huber-0-all").click();
  return count;
}
</script>"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory, outputs) -> dict[int, dict]:
    """Load the page in frames of each width and measure it there."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    folder = tmp_path_factory.mktemp("browser")
    shutil.copy(outputs / "index.html", folder)
    (folder / "probe.html").write_text(PROBE % list(WIDTHS), encoding="utf-8")
    profile = tmp_path_factory.mktemp("profile")
    address = (folder / "probe.html").as_uri()
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r'<pre id="out">(.+?)</pre>', done.stdout)
    assert found, done.stderr[-2000:]
    return {frame["width"]: frame for frame in json.loads(html.unescape(found[1]))}


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_does_not_scroll_sideways(measured, width):
    frame = measured[width]
    assert frame["outside"] == []
    assert frame["content"] <= frame["visible"] <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_all_figures_appear_and_nothing_is_fetched(measured, chapters, width):
    galleries = [gallery for chapter in chapters.values() for gallery in chapter.galleries]
    assert measured[width]["drawn"] == sum(len(gallery.figures) for gallery in galleries)
    assert measured[width]["requests"] == []


def test_claims_are_filtered_by_a_click(measured, claims):
    assert measured[1280]["shown"] == len(claims)
    assert measured[1280]["filtered"] == int((claims["verdict"] == "contradicted").sum())

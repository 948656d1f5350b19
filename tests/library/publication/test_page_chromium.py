"""The page in a real browser: the numbers of `dpmc complete`, and a keyboard is enough."""

import numpy as np
import pytest
from browser import Browser, needed
from publication.drawn_pages import (
    N_ITEMS,
    TITLES,
    draw,
)

from dpmc.released import load

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    needed()
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    draw(folder)
    return folder


def opened(browser, folder, name, **options):
    browser.open((folder / f"{name}.html").as_uri(), **options)
    browser.wait("'ready' in document.body.dataset")


def focused(browser):
    return browser.evaluate(
        "(document.activeElement.labels?.[0] ?? document.activeElement).textContent"
    )


def best_shown(browser):
    return browser.evaluate(
        "[...document.querySelectorAll('#best li')].map(row => [row.querySelector('.title')"
        ".textContent, Number(row.querySelector('data').value)])"
    )


def test_a_keyboard_is_enough(browser, folder):
    """Search, rate, correct, remove; what is on the page is then what dpmc.released says."""
    opened(browser, folder, "bayes")
    items = load(folder / "bayes")
    browser.press("Tab")
    assert focused(browser) == f"Search {N_ITEMS} titles"
    browser.press(*"cafe bar")
    assert browser.evaluate("at('search').getAttribute('aria-expanded')") == "true"
    browser.press("ArrowDown")
    chosen = "document.getElementById(at('search').getAttribute('aria-activedescendant'))"
    assert browser.evaluate(f"{chosen}.textContent") == TITLES[7]
    browser.press("Enter")
    assert focused(browser) == "1 of 5"
    assert browser.evaluate("document.activeElement.checked") is False  # no rating yet
    assert "You have rated nothing yet." in browser.evaluate("at('basis').textContent")
    browser.press("ArrowRight", "ArrowRight", "ArrowRight")
    assert browser.evaluate("[...rated()]") == [[7, 4]]
    legend = "document.activeElement.closest('fieldset').querySelector('legend').textContent"
    assert browser.evaluate(legend) == TITLES[7]
    found = best_shown(browser)
    expected = items.best({"i7": 4.0}, 10)
    assert [title for title, _ in found] == [TITLES[int(item[1:])] for item in expected]
    np.testing.assert_allclose([value for _, value in found], [*expected.values()], atol=1e-6)
    browser.wait(
        f"at('said').textContent.startsWith('1 rating of yours. First for you: {found[0][0]}')"
    )
    # a second one, which goes again
    browser.evaluate("at('search').focus()")
    browser.press(*"nachtz", "Enter", " ")
    assert browser.evaluate("[...rated()]") == [[7, 4], [8, 1]]
    browser.press("Tab")
    assert (
        browser.evaluate("document.activeElement.getAttribute('aria-label')") == "Remove Nachtzug"
    )
    browser.press("Enter")
    assert browser.evaluate("[...rated()]") == [[7, 4]]
    assert browser.evaluate("document.activeElement.className") == "remove"
    assert best_shown(browser) == found
    # more of them; and what is recommended can be rated
    browser.evaluate("at('more').focus()")
    browser.press("Enter")
    assert len(best_shown(browser)) == 20
    assert browser.evaluate("document.activeElement.closest('li') === at('best').children[10]")
    browser.press("Enter")
    assert browser.evaluate(legend) == best_shown(browser)[10][0]
    assert browser.requests() == []
    assert browser.complaints() == []


def test_the_browser_lets_the_page_connect_to_nothing(browser, folder):
    opened(browser, folder, "bayes")
    refused = browser.evaluate(
        "new Promise(done => { const seen = [];"
        "document.addEventListener('securitypolicyviolation', event => {"
        "  seen.push(event.effectiveDirective); if (seen.length === 3) done(seen.sort()); });"
        "fetch('http://127.0.0.1:9/').catch(() => 0);"
        "new Image().src = 'http://127.0.0.1:9/x.png';"
        "const script = document.createElement('script');"
        "script.src = 'http://127.0.0.1:9/x.js'; document.body.append(script); })"
    )
    assert refused == ["connect-src", "img-src", "script-src-elem"]

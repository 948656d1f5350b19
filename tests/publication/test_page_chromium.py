"""The page in a real browser: the numbers of `dpmc complete`, and a keyboard is enough."""

import csv
import io
import json

import numpy as np
import pytest
from browser import Browser, needed
from publication.small_tables import run, write_table
from test_ties import near_ties

from dpmc.publication.page import page
from dpmc.released import ITEM_FACTORS, item_columns, load
from dpmc.ties import descending, margin

pytestmark = pytest.mark.slow

N_ITEMS, USERS = 300, 12
TITLES = [f"Film {place} of the night" for place in range(N_ITEMS)]
TITLES[7] = "<img src=x onerror=\"alert('no')\"></script><b>Café & Bar"
TITLES[8] = "Nachtzug"
MODELS = {
    "bayes": ("local_bayes", {"rating_range": [1, 5]}),
    "als": ("private_als", {"rating_range": [0.5, 5], "user_regularization": 0.7}),
    "a wide range": ("private_als", {"rating_range": [-10, 10], "user_regularization": 1e-3}),
    "biases": ("private_user_item_bias", {"rating_range": [1, 5], "shrinkage": 2.0}),
    "ranking": ("local_ease", {"rating_range": [0, 1], "likes_from": None}),
    "ranking of ratings": ("local_ease", {"rating_range": [0, 1], "likes_from": 3}),
}  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    needed()
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Models with drawn numbers, their pages, and ratings of some users."""
    folder = tmp_path_factory.mktemp("pages")
    for name, (method, constants) in MODELS.items():
        model, rng = folder / name, np.random.default_rng(len(name))
        model.mkdir()
        (model / "guarantee.json").write_text(
            json.dumps({"method": method, "constants": constants})
        )
        rank = 1 if "shrinkage" in constants else 7
        columns, low, high = item_columns(method), *constants["rating_range"]
        table = np.column_stack([
            rng.normal((low + high) / 2, (high - low) / 8, N_ITEMS),
            *([rng.uniform(0.3, 3, N_ITEMS)] if len(columns) > 2 else []),
            np.ones(N_ITEMS) if rank == 1 else rng.normal(0, (high - low) / 8, (N_ITEMS, rank)),
        ])  # fmt: skip
        table[20], table[11, 0] = table[11], table[:, 0].max() + (high - low) / 8
        table[20, 0] = table[11, 0] * (1 + 1e-14)  # a tie at the top, but for rounding
        header = [*columns, *(f"factor_{k + 1}" for k in range(rank))]
        rows = [[f"i{place}", *row] for place, row in enumerate(table.tolist())]
        write_table(model / ITEM_FACTORS, rows, header)
        text = page(load(model), TITLES, "It holds.")
        (folder / f"{name}.html").write_text(text, "utf-8")
        step = 1 if low == int(low) else 0.5
        own = [
            (f"u{user}", f"i{item}", low + step * rng.integers(0, (high - low) / step + 1))
            for user in range(USERS)
            for item in rng.choice(N_ITEMS, 1 + 3 * user, replace=False).tolist()
        ]
        if name == "ranking of ratings":
            own = [(user, item, 5 if place % 3 else 1) for place, (user, item, _) in enumerate(own)]
        header = ("user", "item", "rating")
        if name == "ranking":
            own, header = [each[:2] for each in own], header[:2]
        write_table(folder / f"{name}.csv", own, header)
    return folder


def opened(browser, folder, name, **options):
    browser.open((folder / f"{name}.html").as_uri(), **options)
    browser.wait("'ready' in document.body.dataset")


def completed(folder, name, *options):
    """User -> item -> value that `dpmc complete` tells, in its order."""
    told = run(
        "complete", "--model", folder / name, "--ratings", folder / f"{name}.csv", *options
    ).stdout
    found: dict = {}
    for user, item, value in [*csv.reader(io.StringIO(told))][1:]:
        found.setdefault(user, {})[int(item[1:])] = float(value)
    return found


def rated(folder, name):
    with open(folder / f"{name}.csv", newline="") as stream:
        rows = [*csv.reader(stream)][1:]
    found: dict = {}
    for user, item, *value in rows:
        found.setdefault(user, {})[item] = float(*value) if value else 1.0
    return found


@pytest.mark.parametrize("name", MODELS)
def test_numbers_and_order_are_those_of_complete(browser, folder, name):
    opened(browser, folder, name)
    everything, best = completed(folder, name), completed(folder, name, "--top", 25)
    items = load(folder / name)
    for user, mine in rated(folder, name).items():
        # on the page of a ranking a person names likes alone
        likes = {i: v for i, v in mine.items() if not items.likes_from or v >= items.likes_from} \
            if name.startswith("ranking") else mine  # fmt: skip
        ratings = json.dumps([(int(item[1:]), value) for item, value in likes.items()])
        values, places, spread = browser.evaluate(
            f"(() => {{ const own = new Map({ratings}), all = complete(own);"
            "return [[...all].map(clip), best(all, 25 + own.size, own),"
            "deviations(own, [0, 5, 9])]; })()"
        )
        np.testing.assert_allclose(values, [*everything[user].values()], rtol=0, atol=1e-6)
        assert [each for each in places if f"i{each}" not in mine][:25] == [*best[user]]
        known = items.deviations(mine)
        if known is None:
            assert spread == [None] * 3
        else:
            np.testing.assert_allclose(spread, known[[0, 5, 9]], rtol=0, atol=1e-6)
    assert browser.complaints() == []


def focused(browser):
    return browser.evaluate(
        "(document.activeElement.labels?.[0] ?? document.activeElement).textContent"
    )


@pytest.mark.parametrize("n", [1, 10, 100, 1000])
def test_ties_are_in_the_order_of_other_lists(browser, folder, n):
    opened(browser, folder, "bayes")
    scores, rated = near_ties()
    every = descending(scores, margin(scores))
    own = json.dumps([(place, 3) for place in np.flatnonzero(rated).tolist()])
    given = f"new Float64Array({scores.tolist()}), {n}, new Map({own})"
    assert browser.evaluate(f"best({given})") == every[~rated[every]][:n].tolist()


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


def test_escape_and_what_is_not_there(browser, folder):
    opened(browser, folder, "bayes")
    browser.press("Tab", *"night")
    assert browser.evaluate("at('found').textContent") == "298 matches, the first 8 shown"
    browser.press("Escape")
    assert browser.evaluate("at('search').value + at('matches').hidden") == "true"
    browser.press(*"zzz", "Enter", "ArrowDown")
    assert browser.evaluate("at('found').textContent + mine.size") == "0 matches0"


def test_likes_are_named_and_forgotten(browser, folder):
    opened(browser, folder, "ranking")
    browser.press("Tab", *"film 3 of", "Enter", *"film 12 of", "Enter")
    assert [*browser.evaluate("[...mine.keys()]")] == [3, 12]
    items = load(folder / "ranking")
    expected = items.best({"i3": 1.0, "i12": 1.0}, 10)
    assert [title for title, _ in best_shown(browser)] == [
        TITLES[int(each[1:])] for each in expected
    ]
    browser.evaluate("at('forget').focus()")
    browser.press("Enter")
    assert browser.evaluate("mine.size") == 0
    assert focused(browser) == f"Search {N_ITEMS} titles"


def test_a_range_without_choices_has_a_slider(browser, folder):
    opened(browser, folder, "a wide range")
    browser.press("Tab", *"nachtz", "Enter")
    assert browser.evaluate("document.activeElement.ariaValueText") == "not rated yet"
    browser.press("ArrowRight", "ArrowRight")
    assert browser.evaluate("[...rated()]") == [[8, 2]]
    assert browser.evaluate("document.activeElement.ariaValueText") == "2"


def test_half_stars(browser, folder):
    opened(browser, folder, "als")
    browser.press("Tab", *"nachtz", "Enter", *["ArrowRight"] * 6)
    assert browser.evaluate("[...rated()]") == [[8, 3.5]]
    assert focused(browser) == "3.5 of 5"


@pytest.mark.parametrize("name", ["bayes", "als", "a wide range", "ranking"])
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_sticks_out_and_all_is_named(browser, folder, name, width):
    opened(browser, folder, name, width=width, height=640)
    browser.press("Tab", *"cafe", "Enter")
    if name != "ranking":
        browser.press("ArrowRight")
    outside = browser.evaluate(
        "[...document.querySelectorAll('body *')].filter(part => !part.closest('.vh')"
        " && part.getBoundingClientRect().right > document.documentElement.clientWidth + 1)"
        ".map(part => part.outerHTML.slice(0, 90))"
    )
    assert outside == []
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    nameless = browser.evaluate(
        "[...document.querySelectorAll('input, button')].filter(part =>"
        " !(part.ariaLabel || part.labels?.[0]?.textContent.trim() || part.textContent.trim()))"
        ".map(part => part.outerHTML)"
    )
    assert nameless == []
    assert browser.evaluate("document.querySelectorAll('img, b img').length") == 0


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

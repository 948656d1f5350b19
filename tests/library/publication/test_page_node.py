"""The script of the page without a browser, in the everyday tests; skipped without Node.js."""

import json

import numpy as np
import pytest
from node import evaluated, needed
from publication.drawn_pages import (
    MODELS,
    N_ITEMS,
    TITLES,
    check_numbers_and_order,
    check_ties,
    draw,
)

from dpmc.publication.page import EIGHT_OF_TEN
from dpmc.released import load


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    needed()
    folder = tmp_path_factory.mktemp("pages")
    draw(folder)
    return folder


def text_of(folder, name):
    return (folder / f"{name}.html").read_text("utf-8")


@pytest.mark.parametrize("name", MODELS)
def test_numbers_and_order_are_those_of_complete(folder, name):
    check_numbers_and_order(folder, name, lambda *asked: evaluated(text_of(folder, name), *asked))


@pytest.mark.parametrize("n", [1, 10, 100, 1000])
def test_ties_are_in_the_order_of_other_lists(folder, n):
    check_ties(n, lambda *asked: evaluated(text_of(folder, "bayes"), *asked))


@pytest.mark.parametrize("name", MODELS)
def test_ten_are_listed_and_ten_more_and_none_that_is_rated(folder, name):
    """However many the person rated, and whether these are the best or the worst items."""
    items = load(folder / name)
    top = [*items.best({}, N_ITEMS)]
    rated = [[], top[:1], top[:12], top[-12:], top[5:150:3], top[: N_ITEMS - 4]]
    listed = "at('best').children.map(row => row.children[0].textContent)"
    asked = [
        f"mine.clear(), shown = TEN, {json.dumps([int(each[1:]) for each in mine])}.map("
        f"place => mine.set(place, 4)), update(), [{listed}, at('more').hidden,"
        f" at('more').onclick(), {listed}]"
        for mine in rated
    ]
    for mine, found in zip(rated, evaluated(text_of(folder, name), *asked), strict=True):
        ten, last, _, twenty = found
        best = items.best(dict.fromkeys(mine, 4.0), 20)
        expected = [TITLES[int(each[1:])] for each in best]
        assert ten == expected[:10]
        assert twenty == expected
        assert last is (len(mine) > N_ITEMS - 10)


def test_what_is_told_of_an_item_is_its_prediction_and_its_bar(folder):
    items, ratings = load(folder / "bayes"), {"i7": 5.0, "i30": 1.0}
    before, *_, told = evaluated(
        text_of(folder, "bayes"),
        "at('basis').textContent",
        "mine.set(7, 5), mine.set(30, 1), update()",
        "at('best').children.map(row => row.children[1].textContent)",
    )
    assert before.startswith("You have rated nothing yet. ")
    values, spread = items.complete(ratings), EIGHT_OF_TEN * items.deviations(ratings)
    for item, words in zip(items.best(ratings, 10), told, strict=True):
        place = int(item[1:])
        ends = np.clip([values[place] - spread[place], values[place] + spread[place]], 1, 5)
        told = f"predicted {values[place]:.1f} of 5eight of ten {ends[0]:.1f} to {ends[1]:.1f}"
        assert words == told


def test_titles_are_found_by_their_words(folder):
    cafe, night, film, inside, nothing, told = evaluated(
        text_of(folder, "bayes"),
        "found('  cafe BAR ')",
        "found('night')",
        "found('film 29')",
        "found('ilm 299')",
        "found(' ')",
        "at('search').value = 'night', search(),"
        " [at('matches').children.length, at('found').textContent]",
    )
    assert cafe == [7]
    assert len(night) == N_ITEMS - 2
    assert film == [29, *range(290, 300), *range(129, 300, 100)]  # those that begin so come first
    assert inside == [299]
    assert nothing == []
    assert told == [8, "298 matches, the first 8 shown"]

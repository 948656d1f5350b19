"""`dpmc page`: one file, nothing of which can send anything or break out of its text."""

import base64
import gzip
import hashlib
import html
import json
import re

import numpy as np
import pyarrow as pa
import pytest
from publication.small_tables import (
    ITEMS,
    falling_back,
    listed,
    publish,
    refused,
    rows_of,
    run,
    write_table,
)  # fmt: skip
from pyarrow import parquet

from dpmc.publication.page import INSTEAD, SIMULATED, page
from dpmc.publication.titles import read_titles
from dpmc.released import PublishedItems, load

EVIL = '</script><script>alert(1)</script><img src=x onerror=alert(2)> & "x" \u2028 <!--'
ONE = PublishedItems(["a"], np.zeros(1), np.zeros((1, 1)), (1.0, 5.0), 1.0)
WHOLE = {"method": "bayes", "ratings-per-user": None, "items-are-public": True}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    publish("fit", write_table(folder / "all.csv", rows_of()), folder / "model", **WHOLE)
    titles = {"a": EVIL, "b": "Æon Flux", "c": "3 Idiots", "e": "'"}
    write_table(folder / "titles.csv", titles.items(), ("movieId", "title"))
    return folder


def made(folder, tmp_path, *options, model="model"):
    output = tmp_path / "page.html"
    arguments = "page", folder / model, "--output", output, *options
    return output, run(*arguments)


def model_in(text):
    (found,) = re.findall(r'<script type="application/json" id="model">(.*?)</script>', text, re.S)
    return json.loads(found)


def test_the_page_holds_titles_in_the_order_of_the_model(folder, tmp_path):
    output, told = made(folder, tmp_path, "--catalogue", folder / "titles.csv")
    text = output.read_text("utf-8")
    assert model_in(text)["titles"] == [EVIL, "Æon Flux", "3 Idiots", "d", "'", "f"]
    assert "2 of 6 items have no title in" in told.stderr
    assert f"{output}: 6 items, 0.0" in told.stdout
    stated = json.loads((folder / "model" / "guarantee.json").read_text("utf-8"))
    assert html.escape(stated["sentence"]) in text
    assert SIMULATED not in text
    output, told = made(folder, tmp_path, "--force")
    assert model_in(output.read_text("utf-8"))["titles"] == ITEMS
    assert told.stderr == ""


def test_no_title_can_be_more_than_text(folder, tmp_path):
    output, _ = made(folder, tmp_path, "--catalogue", folder / "titles.csv")
    text = output.read_text("utf-8")
    assert text.count("<script") == text.count("</script") == 3
    assert "<img" not in text
    assert "<!--" not in text


def test_the_policy_allows_the_two_texts_that_are_there_and_nothing_else(folder, tmp_path):
    text = made(folder, tmp_path)[0].read_text("utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', text)
    parts = dict(each.strip().split(" ", 1) for each in policy.split(";"))
    assert parts.pop("default-src") == parts.pop("base-uri") == parts.pop("form-action") == "'none'"
    assert parts.pop("img-src") == "data:"  # the empty icon
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert parts.pop(name) == f"'sha256-{digest}'"
    assert parts == {}
    assert re.findall(r'(?:href|src)="(.*?)"', text) == ["data:,", "#best-heading"]
    assert not re.search(r"localStorage|sessionStorage|indexedDB|cookie|fetch\(|XMLHttp", text)


def test_titles_of_films_are_read_as_movielens_writes_them(folder, tmp_path):
    films = tmp_path / "u.item"
    films.write_bytes("a|Léon (1994)|01-Jan-1994||x|0\nb|Se7en|||y|1\n".encode("latin-1"))
    assert read_titles(films) == {"a": "Léon (1994)", "b": "Se7en"}
    films.write_bytes("a|Léon (1994)|\n".encode())
    assert read_titles(films) == {"a": "Léon (1994)"}
    output, _ = made(folder, tmp_path, "--catalogue", films)
    assert model_in(output.read_text("utf-8"))["titles"][0] == "Léon (1994)"


def test_titles_are_text_whatever_they_look_like(tmp_path):
    table = write_table(tmp_path / "a.csv", [("01", "1984"), ("1", "")], ("item", "Title"))
    assert read_titles(table) == {"01": "1984", "1": ""}
    parquet.write_table(pa.table({"film": [1, 2], "name": ["x", None]}), tmp_path / "a.parquet")
    assert read_titles(tmp_path / "a.parquet") == {"1": "x", "2": ""}
    named = write_table(tmp_path / "b.csv", [("1", "x", "y")], ("item", "title", "name"))
    assert read_titles(named, title="name") == {"1": "y"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--catalogue", "missing.csv"], "missing.csv cannot be read: No such file or directory."),
        (["--catalogue", "u.item"], "u.item is not in the form of u.item of MovieLens 100K."),
        (["--catalogue", "twice.csv"], "the item 'a' is on row 1 already; list it once."),
        (["--catalogue", "bare.csv"], "name one with --title"),
        (["--catalogue", "a.txt"], "what is known of items is read from .csv, .tsv, .parquet."),
        (["--output", "page.txt"], "--output must name a file that ends in .html, got page.txt."),
        (["--output", "there.html"], "there.html exists; name another --output, or give --force"),
    ],
)
def test_refusals(folder, tmp_path, monkeypatch, options, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "u.item").write_text("no bars\n")
    (tmp_path / "there.html").write_text("mine")
    write_table(tmp_path / "twice.csv", [("a", "x"), ("a", "y")], ("item", "title"))
    write_table(tmp_path / "bare.csv", [("a", "x")], ("item", "words"))
    output = [] if "--output" in options else ["--output", "page.html"]
    assert sentence in refused("page", folder / "model", *output, *options)
    assert not (tmp_path / "page.html").exists()
    assert (tmp_path / "there.html").read_text() == "mine"


def test_a_folder_that_is_not_right_makes_no_page(folder, tmp_path):
    (tmp_path / "model").mkdir()
    for each in (folder / "model").iterdir():
        (tmp_path / "model" / each.name).write_text(each.read_text().replace("b,", "bb,"))
    assert refused("page", tmp_path / "model", "--output", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_the_page_says_what_its_model_is(folder, tmp_path):
    with falling_back("biases"):
        publish("fit", folder / "all.csv", tmp_path / "biases", **WHOLE)
    assert INSTEAD["biases"] in made(tmp_path, tmp_path, model="biases")[0].read_text("utf-8")
    run(*listed("fit", folder / "all.csv", tmp_path / "drawn", **WHOLE, simulate=1))
    path, result = made(tmp_path, tmp_path, "--force", model="drawn")
    assert SIMULATED in path.read_text("utf-8")
    assert "dpmc: the page must not be published: the noise was simulated" in result.stderr


@pytest.mark.parametrize(
    ("limits", "n", "step"),
    [((1, 5), 5, None), ((0.5, 5), 10, None), ((0, 1), 2, None), ((0, 10), 11, None),
     ((-10, 10), None, 1), ((0, 100), None, 1), ((0, 0.3), None, 0.01), ((0.2, 5.2), None, 0.1)],
)  # fmt: skip
def test_how_a_rating_is_given_follows_from_the_range(limits, n, step):
    items = PublishedItems(["a"], np.zeros(1), np.zeros((1, 1)), tuple(map(float, limits)), 1.0)
    found = model_in(page(items, ["a"], "It holds."))
    assert found["range"] == list(limits)
    assert (found["choices"] and len(found["choices"])) == n
    if n:
        assert (found["choices"][0], found["choices"][-1]) == limits
    else:
        assert found["step"] == pytest.approx(step)


def test_numbers_are_those_of_the_folder(folder, tmp_path):
    text = made(folder, tmp_path)[0].read_text("utf-8")
    (packed,) = re.findall(r'id="numbers">(.*?)</script>', text)
    found = np.frombuffer(gzip.decompress(base64.b64decode(packed)), "<f8")
    items = load(folder / "model")
    parts = items.offsets, items.precisions, items.factors.ravel()
    np.testing.assert_array_equal(found, np.concatenate(parts))

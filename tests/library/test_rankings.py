"""`dpmc fit --for ranking` and its class: likes by a threshold or without ratings, and refusals."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from publication.small_tables import ITEMS, USERS, refused, rows_of, run, write_table
from pyarrow import parquet

from dpmc import PrivateFactorization
from dpmc.cli.evaluate_summary import HINT
from dpmc.errors import InputError
from dpmc.methods.released.verify import verify

FIT = ["--items-are-public", "--relation", "user", "--for", "ranking", "--delta", 1e-9]
STARS = [row for place, row in enumerate(rows_of()) if (place + place // 6) % 2]
LIKING = {row[0] for row in STARS if row[2] >= 4}
STARS = [row for row in STARS if row[0] in LIKING]
CLICKS = [row[:2] for row in STARS if row[2] >= 4]
NAMES = ["user", "item", "rating"]


@pytest.fixture
def tables(tmp_path):
    """The same likes, as stars and as clicks."""
    write_table(tmp_path / "stars.csv", STARS)
    write_table(tmp_path / "clicks.csv", CLICKS, NAMES[:2])
    write_table(tmp_path / "overall.csv", STARS, (*NAMES[:2], "overall"))
    write_table(tmp_path / "odd.csv", [(*row, "x") for row in STARS], (*NAMES[:2], "mood", "note"))
    return tmp_path


def fit(folder, table, *options, epsilon=1000):
    output = folder / "model"
    arguments = ["--ratings", folder / table, "--epsilon", epsilon, "--output", output, *options]
    found = run("fit", *arguments, *FIT, "--force")
    stated = json.loads(next(output.glob("*guarantee.json")).read_text())
    return found, stated, next(output.glob("*item_factors.csv")).read_bytes()


def test_stars_from_a_threshold_on_and_clicks_are_the_same_likes(tables):
    _, by_stars, first = fit(tables, "stars.csv", "--likes-from", 4, "--simulate", 3)
    listed = tables / "items.txt"
    listed.write_text("\n".join(ITEMS))
    _, by_clicks, second = fit(tables, "clicks.csv", "--simulate", 3)
    assert first == second
    assert [each["constants"]["likes_from"] for each in (by_stars, by_clicks)] == [4.0, None]
    assert by_stars["method"] == "local_ease"
    assert "4 or more" in by_stars["assumed_public"]["rating_range"]
    assert "each row is a like" in by_clicks["assumed_public"]["rating_range"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_without_ratings_keeps_its_times_and_names_its_bad_rows(tables, suffix):
    frame = pd.DataFrame(CLICKS, columns=NAMES[:2]).assign(when="2020-01-01")
    path = tables / f"timed{suffix}"
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path, index=False)
    fit(tables, path.name, "--timestamp", "when")
    if suffix == ".csv":
        bad = write_table(tables / "bad.csv", [("a", "b", "soon")], (*NAMES[:2], "when"))
        arguments = ["--ratings", bad, "--output", tables / "out", "--epsilon", 1, *FIT]
        said = refused("fit", *arguments, "--timestamp", "when")
        assert "line 2: " in said
        assert "in the column 'when'" in said


def test_a_published_ranking_is_verified_and_ranks_for_users(tables):
    found, stated, _ = fit(tables, "stars.csv", "--likes-from", 4)
    assert stated["simulated"] is False
    assert verify(tables / "model").sentence in found.stdout.replace("\n", " ")
    assert set(stated["outcome"]) == {"fell_back_to"}
    options = ["--model", tables / "model", "--ratings", tables / "stars.csv"]
    printed = run("complete", *options, "--top", 2)
    assert printed.stderr == "dpmc: ranked by scores made of the user's likes.\n"
    header, *rows = csv.reader(printed.stdout.splitlines())
    assert header == ["user", "item", "score"]
    rated = {row[:2] for row in STARS}
    assert len(rows) == 2 * len(LIKING)
    assert not rated & {(user, item) for user, item, _ in rows}
    run("complete", *options, "--output", tables / "all.parquet")
    assert parquet.read_table(tables / "all.parquet").column_names == header
    loaded = PrivateFactorization.load(tables / "model")
    own = {item: value for user, item, value in STARS if user == USERS[0]}
    best = loaded.recommend(own, n=2)
    assert [(USERS[0], item) for item in best] == [tuple(row[:2]) for row in rows[:2]]
    liked = {item: value for item, value in own.items() if value >= 4}
    assert loaded.recommend(dict.fromkeys(liked, 9.0), n=6).items() >= best.items()


def test_popularity_ranks_alike_for_all_and_is_announced(tables):
    frame = pd.DataFrame(CLICKS, columns=NAMES[:2])
    given = {"epsilon": 0.1, "purpose": "ranking", "items": ITEMS, "simulate": 1}
    with pytest.warns(
        UserWarning, match=r"Fell back to popularity: .* If noise is the reason, a larger epsilon"
    ):
        model = PrivateFactorization(**given).fit(frame)
    assert model.fell_back_to_ == "popularity"
    assert not hasattr(model, "steps_taken_back_")
    orders = [[*model.recommend(likes, n=6)] for likes in ([], ["a"], {"a": 1, "b": 1})]
    assert orders[1] == [item for item in orders[0] if item != "a"]
    assert orders[2] == [item for item in orders[1] if item != "b"]
    pairs = pd.DataFrame({"user": ["u00", "new"], "item": ["a", "no such"]})
    assert np.isfinite(model.predict(pairs)).all()
    *scores, elsewhere = model.predict(pd.DataFrame({"user": "new", "item": [*ITEMS, "no such"]}))
    assert elsewhere == pytest.approx(np.mean(scores))


REFUSED = {
    "stars without a threshold": ((), "stars.csv", "has further columns ('rating')"),
    "a threshold without stars": (("--likes-from", 4), "clicks.csv", "looks like the rating"),
    "stars of no name that is known": ((), "odd.csv", "has further columns ('mood', 'note')"),
    "one of two named": (("--not-ratings", "note"), "odd.csv", "has further columns ('mood'), and"),
    "another method": (("--method", "bayes"), "stars.csv", "leave out one of --method and --for"),
    "out of range": (
        ("--likes-from", 9, "--rating-range", 1, 5), "stars.csv", "must lie within --rating-range",
    ),
    "no number": (("--likes-from", "nan"), "stars.csv", "must be a finite number"),
}  # fmt: skip


@pytest.mark.parametrize(("options", "table", "said"), REFUSED.values(), ids=REFUSED)
def test_bad_input_is_one_sentence(tables, options, table, said):
    arguments = ["--ratings", tables / table, "--output", tables / "out", "--epsilon", 1]
    fit = FIT[:1] + FIT[3:] if "--relation" in options else FIT  # an option is given once
    assert said in refused("fit", *arguments, *fit, *options)
    assert not (tables / "out").exists()


def test_a_program_is_told_the_same():
    stars = pd.DataFrame(STARS, columns=NAMES)
    for table, y in ((stars, None), (stars[NAMES[:2]].to_numpy(), stars["rating"])):
        with pytest.raises(InputError, match="each row would be a like, the worst rating too"):
            PrivateFactorization(epsilon=1, purpose="ranking", items=ITEMS).fit(table, y)
    clicks = pd.DataFrame(CLICKS, columns=NAMES[:2])
    given = {"epsilon": 1e3, "items": ITEMS, "method": "ease", "simulate": 1}
    model = PrivateFactorization(**given).fit(clicks)
    for what in ("a", 7):
        with pytest.raises(InputError, match="likes may be a list of items, too"):
            model.recommend(what)


def test_evaluate_ranks_beside_the_error(tables):
    arguments = ["--rating-range", 1, 5, "--relation", "user", "--epsilon", 1000, "--splits", 2]
    options = ["--for", "ranking", "--likes-from", 3, "--json"]
    found = json.loads(run("evaluate", tables / "stars.csv", *arguments, *options).stdout)
    alone = json.loads(run("evaluate", tables / "stars.csv", *arguments, "--json").stdout)
    errors = {each["method"]: each for each in found["errors"]}
    limits = ["EASE without privacy", "popularity without privacy"]
    assert [*errors] == ["ease", "private popularity", *limits]
    assert errors["ease"]["rmse"] is None
    for each in errors.values():
        assert 0 <= each["ndcg"]["ndcg"] <= 1
        assert each["recall"]["recall"] == 1  # of 6 items all are on a list
    assert alone["errors"][0]["method"] == "bayes"
    assert (found["likes_from"], alone["likes_from"]) == (3, 4)


def test_evaluate_asks_a_ranking_for_no_range(tables):
    arguments = ["--relation", "user", "--for", "ranking", "--epsilon", 1000, "--splits", 1]
    said = run("evaluate", tables / "clicks.csv", *arguments).stdout
    assert "RMSE" not in said
    assert HINT not in said
    assert "\nEach row is a like; recall" in said
    stars = tables / "stars.csv"
    assert "or more are likes" in run("evaluate", stars, *arguments, "--likes-from", 3).stdout
    assert "each row would be a like" in refused("evaluate", stars, *arguments)

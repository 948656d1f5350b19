"""`dpmc card`: what it says is what the folder states, and `dpmc verify` makes it again."""

import pytest
import yaml
from small_tables import (
    ENOUGH,
    PUBLIC,
    USERS,
    falling_back,
    guarantee_of,
    publish,
    refused,
    rows_of,
    run,
    write_table,
)

from dpmc.methods.released.card import _yaml
from dpmc.methods.released.verify import verify

SAID = (
    *("--name", 'Films: "1 > 2" é', "--maker", "Film club: Wien", "--date", "2026-01-31"),
    *("--use", "Recommending films"),
)
FITS = {
    "users": PUBLIC["user"] | {"epsilon": 3},
    "no error": PUBLIC["user"] | {"method": "bayes", "report-error": 0.3},
    "error": PUBLIC["user"] | {"method": "bayes", "report-error": 0.3},
    "privately": {"items-privately": 0.4, "ratings-per-user": 6},
    "pure": PUBLIC["entry"] | {"relation": "entry", "mechanism": "laplace", "delta": 0},
    "entries": PUBLIC["entry"] | {"relation": "entry_change", "epsilon": 2, "delta": 1e-5},
    "replaced": PUBLIC["user"] | {"relation": "user_replace", "method": "bias"},
}


@pytest.fixture(scope="module", params=FITS)
def model(request, tmp_path_factory):
    made = tmp_path_factory.mktemp(request.param)
    table = write_table(made / "mine.csv", rows_of(ENOUGH if request.param == "error" else USERS))
    with falling_back(None):
        publish("fit", table, made / "model", **FITS[request.param])
    return made / "model"


def front_matter(text):
    _, front, body = text.split("---\n", 2)
    return yaml.safe_load(front), body


def test_front_matter_is_yaml():
    front = {"name": "- a: 'long' name, " * 20, "list": [{"value": 1e-06, "of": {"n": 3}}, "x"]}
    assert yaml.safe_load("\n".join(_yaml(front))) == front


def test_a_card_says_what_the_folder_states(model):
    text = run("card", model, *SAID, "--licence", "CC-BY-4.0").stdout
    front, body = front_matter(text)
    stated = guarantee_of(model)
    assert front["license"] == "cc-by-4.0"
    assert front["library_name"] == "dpmc"
    assert "differential-privacy" in front["tags"]
    assert stated["sentence"] in body
    assert f"{stated['mechanism']} noise under" in body
    assert all(f"- {each}" in body for each in verify(model).explanation())
    assert all(f"- {each}" in body for each in stated["assumed_public"].values())
    assert "Film club: Wien" in body
    worth = stated.get("worth")
    told = worth is not None and worth["told"]
    assert ("model-index" in front) == (told == "about")
    assert ("RMSE cannot be told" in body) == (told == "nothing")
    if told == "about":
        (result,) = front["model-index"][0]["results"]
        assert [each["value"] for each in result["metrics"]] == [worth["rmse"]]
        assert "## How good it is" in body


def test_a_card_in_the_folder_is_made_anew_by_verify(model):
    before = verify(model)
    card = model / "README.md"
    run("card", model, *SAID, "--users-about", 5000, "--output", card)
    assert "exists" in refused("card", model, "--output", card)
    try:
        verdict = verify(model)
        assert verdict.facts.maker == "Film club: Wien"
        public = guarantee_of(model)["lists"]["users"] is not None
        assert verdict.users == (24 if public else 5000)
        explained = run("verify", model, "--explain").stdout
        assert "(So its maker says.)" in explained
        assert all(f"- {each}" in explained for each in verdict.explanation())
        again = run("card", model, *SAID, "--users-about", 5000).stdout
        assert again == card.read_text("utf-8")

        foreign = "README.md is not the card that dpmc writes of this model"
        for strange in (
            again.replace("What is guaranteed", "What is not guaranteed"),
            again + "\n",
            again.replace("\n", "\r\n"),
            again.replace("Film club", "Another club", 1),
            again.replace('"users_about": 5000', '"users_about": "many"'),
            again.replace('"max_delta": null', '"max_delta": 1'),
            "",
            "of mine\n",
            '<!-- dpmc card {"name": 3} -->',
            "<!-- dpmc card [] -->",
        ):
            card.write_bytes(strange.encode())
            assert foreign in refused("verify", model)
        # which is no reason not to write it again
        assert run("card", model, *SAID, "--users-about", 5000).stdout == again
        card.write_bytes(b"\xff")
        assert "cannot be read as text" in refused("verify", model)
    finally:
        card.unlink()
    assert verify(model) == before


def test_what_is_refused(model, tmp_path):
    assert "--date must be a day" in refused("card", model, "--date", "31.1.2026")
    for text in ("two\nlines", "", "x" * 301, "\u2028"):
        assert "--maker must be one line" in refused("card", model, "--maker", text)
    assert "holds no guarantee.json" in refused("card", tmp_path)
    (tmp_path / "file").write_text("in the way")
    place = tmp_path / "file" / "card.md"
    sentence = refused("card", model, "--output", place)
    assert f"{place} cannot be written (Not a directory)" in sentence


def test_what_must_not_be_published_has_no_card(tmp_path):
    table = write_table(tmp_path / "mine.csv", rows_of())
    publish("fit", table, tmp_path / "model", simulate=1, **PUBLIC["user"])
    assert "There is no card of this model" in refused("card", tmp_path / "model")
    run("verify", tmp_path / "model", "--explain", status=3)
    (tmp_path / "model" / "README.md").write_text("mine")
    assert "README.md is not the card" in refused("verify", tmp_path / "model")


def test_limits_of_the_maker_are_in_the_card_and_not_those_of_who_verifies(tmp_path):
    table, model = write_table(tmp_path / "mine.csv", rows_of()), tmp_path / "model"
    publish("fit", table, model, epsilon=25, delta=0.02, **PUBLIC["user"])
    assert "There is no card of this model. It must not be published: epsilon 25 is above" in (
        refused("card", model)
    )
    limits = ("--max-epsilon", 25, "--max-delta", 0.02)
    assert "and not for 6" in refused("card", model, *limits, "--users-about", 6)
    run("card", model, *limits, "--output", model / "README.md")
    text = (model / "README.md").read_text("utf-8")
    assert "again, with --max-epsilon 25 --max-delta 0.02. It may be published, if" in text
    assert "with limits of its own: epsilon up to 25 and delta up to 0.02" in text
    assert "so the guarantee is called weak" in text
    last = run("verify", model, status=3).stdout.splitlines()[-1]
    assert "epsilon 25 is above the limit of 20; delta 0.02 is not below the limit" in last
    run("verify", model, *limits)


def test_nothing_is_written_beside_the_files_of_a_model(tmp_path):
    table = write_table(tmp_path / "mine.csv", rows_of())
    model = tmp_path / "model"
    publish("fit", table, model, **PUBLIC["user"])
    before = sorted(model.iterdir())
    for arguments in (
        ("complete", "--model", model, "--ratings", table, "--output", model / "best.csv"),
        ("page", model, "--output", model / "page.html"),
        ("card", model, "--output", model / "sub" / "card.md"),
    ):
        assert "may be published with its own files only" in refused(*arguments)
    assert sorted(model.iterdir()) == before

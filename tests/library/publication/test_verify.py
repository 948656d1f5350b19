"""`dpmc verify`: what fit writes passes, and nothing that was changed afterwards does."""

import csv
import io
import json
import math
import re
import warnings

import numpy as np
import pytest
from forging import both, put, rewrite, smuggled, times
from jsonschema import Draft202012Validator
from small_tables import (
    ITEMS,
    PUBLIC,
    SIMULATED,
    USERS,
    guarantee_of,
    publish,
    refused,
    rows_of,
    run,
    write_list,
    write_table,
)

from dpmc import PrivateFactorization
from dpmc.methods.released.verify import SCHEMA
from dpmc.methods.user_level.local_bayes.method import FALLBACKS
from dpmc.publication import folder as folder_module
from dpmc.publication.folder import describe_list

USER, ENTRY = PUBLIC["user"], PUBLIC["entry"]
PRIVATELY = {"items-privately": 0.4, "ratings-per-user": 6}
LOW = {"epsilon": 1, "delta": 4e-3}  # of which 24 users are few enough
ALL_PARTS = {"write": "user-factors"}
FITS = {
    f"{relation} {mechanism} {method}": {
        "relation": relation, "mechanism": mechanism, "method": method
    }
    | (USER if relation.startswith("user") else ENTRY | ALL_PARTS)
    for relation in ("user", "user_replace", "entry", "entry_change")
    for mechanism in ("gaussian", "laplace")
    for method in ("bayes", "als", "bias")
    if (mechanism == "gaussian" if relation.startswith("user") else method != "bayes")
} | {
    "a little epsilon": USER | LOW,
    "pure": ENTRY | {"delta": 0, "mechanism": "laplace", "relation": "entry"},
    "privately bayes": PRIVATELY | {"method": "bayes"},
    "bayes and its error": USER | {"method": "bayes", "report-error": 0.3},
    "privately bias": PRIVATELY | {"method": "bias", "relation": "user_replace"},
    "simulated": USER | {"simulate": 1},
    "simulated, privately": PRIVATELY | {"simulate": 1},
}  # fmt: skip
SIMULATED_SO = "the noise was simulated, and can be undone"
READ_OFF = "everybody knows the list of {}, which was read off the ratings themselves"


def may(stated):
    """The last line of a folder whose lists are read off the ratings, or chosen privately."""
    found = ["it is as its maker wrote it", "the noise was drawn as stated"]
    found.append("all that assumed_public names was public")
    if stated["listed"] is None:
        found.append(READ_OFF.format("items"))
    if stated["lists"]["users"] is not None:
        found.append(READ_OFF.format("users"))
    if stated["delta"]:
        most = round(0.1 / stated["delta"])
        found.append(f"there are at most {most} users (0.1 / delta)")
    last = "nothing else was published of these people, unless one ledger counts it all"
    return f"It may be published, {', '.join(f'if {each}' for each in found)}, and if {last}."


def must_not(*reasons):
    return f"It must not be published: {'; '.join(reasons)}."


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_table(tmp_path_factory.mktemp("tables") / "mine.csv", rows_of())


@pytest.mark.parametrize("name", FITS)
def test_what_is_written_passes(name, table, tmp_path):
    changes = FITS[name]
    publish("fit", table, tmp_path / "out", **changes)
    stated = guarantee_of(tmp_path / "out")
    Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(stated)
    assert stated["simulated"] == ("simulate" in changes)
    result = run("verify", tmp_path / "out", status=3 if stated["simulated"] else 0)
    sentence, *remarks, last = result.stdout.splitlines()
    assert sentence == stated["sentence"]
    assert result.stderr == ""
    assert [each.startswith("Remark: epsilon 20 is above 10") for each in remarks] == [True] * (
        stated["epsilon"] == 20
    )
    assert last == (must_not(SIMULATED_SO) if stated["simulated"] else may(stated))


# -- may it be published? -------------------------------------------------------------------------


def verdict_of(folder, *options, status):
    """Return the remarks and the last line, with this exit status."""
    _, *remarks, last = run("verify", folder, *options, status=status).stdout.splitlines()
    assert last.startswith("It may" if status == 0 else "It must not")
    return remarks, last


EPSILON, DELTA = "epsilon {} is above the limit of {}", "delta {} is not below the limit of {}"
VERDICTS = [  # a budget, options of verify, and why it must not be published
    ((20, 1e-9), (), ()),
    ((20, 1e-9), ("--max-epsilon", 19.9), (EPSILON.format(20, 19.9),)),
    ((20.5, 1e-9), (), (EPSILON.format(20.5, 20),)),
    ((20.5, 1e-9), ("--max-epsilon", 20.5), ()),
    ((5, 0.01), (), (DELTA.format(0.01, 0.01),)),
    ((5, 0.01), ("--max-delta", 0.01), ()),
    ((5, 0.01), ("--max-delta", 0.01, "--users-about", 10), ()),
    (
        (5, 0.01), ("--max-epsilon", 4, "--users-about", 11),
        (
            EPSILON.format(5, 4), DELTA.format(0.01, 0.01),
            "delta 0.01 is small enough for at most 10 users (0.1 / delta), and not for 11",
        ),
    ),
    ((5, 0.0099), (), ()),
    ((5, 0.0099), ("--max-delta", 0.005), ("delta 0.0099 is above the limit of 0.005",)),
    ((5, 0.5), (), (DELTA.format(0.5, 0.01),)),
    (
        (5, 0.5), ("--max-delta", 0.5, "--users-about", 1),
        ("delta 0.5 is too large for any number of users, and not for 1",),
    ),
    ((5, 1e-6), ("--users-about", 100_000), ()),
    (
        (5, 1e-6), ("--users-about", 100_001),
        ("delta 1e-06 is small enough for at most 100000 users (0.1 / delta), and not for 100001",),
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def of_budgets(table, tmp_path_factory):
    made = tmp_path_factory.mktemp("budgets")
    for epsilon, delta in dict.fromkeys(budget for budget, *_ in VERDICTS):
        publish("fit", table, made / f"{epsilon} {delta}", **USER, epsilon=epsilon, delta=delta)
    return made


@pytest.mark.parametrize(("budget", "options", "reasons"), VERDICTS)
def test_what_must_not_be_published_unless_a_limit_says_so(budget, options, reasons, of_budgets):
    folder = of_budgets / "{} {}".format(*budget)
    remarks, last = verdict_of(folder, *options, status=3 if reasons else 0)
    assert last == (must_not(*reasons) if reasons else may(guarantee_of(folder)))
    assert len(remarks) == (budget[0] > 10) + (budget[1] == 0.5)


def test_a_delta_is_explained_for_the_number_of_users(of_budgets):
    last = verdict_of(of_budgets / "5 0.5", "--max-delta", 0.5, status=0)[1]
    assert "if delta 0.5 is meant, which is too large for any number of users, and" in last
    said = run("verify", of_budgets / "5 0.5", "--explain", status=3).stdout
    assert "At worst: there is no limit" in said
    assert "reasonable for" not in said
    assert "sure of it afterwards" not in said.replace("sure whoever gave", "")
    for users, words, status in ((100_000, "fits", 0), (200_000, "is too large for", 3)):
        options = ("--explain", "--users-about", users)
        explained = run("verify", of_budgets / "5 1e-06", *options, status=status).stdout
        assert f"Delta 1e-06 {words} about {users} users" in explained


def test_a_public_list_of_users_counts_whatever_is_said(table, tmp_path):
    """There are 24, and 0.1 / 24 is 0.00417."""
    for delta, status in ((0.0041, 0), (0.0042, 3)):
        options = ENTRY | {"relation": "entry", "epsilon": 10, "delta": delta, "force": True}
        publish("fit", table, tmp_path / "entry", **options)
        for given in ([], ["--users-about", 1], ["--users-about", 10**9]):
            verdict_of(tmp_path / "entry", *given, status=status)


def test_limits_that_are_none_are_refused(table, tmp_path):
    """Not a number would allow everything, as nothing is above it."""
    publish("fit", table, tmp_path / "out", **USER)
    for command in ("verify", "card"):
        for option in ("--max-epsilon", "--max-delta"):
            for value in ("0", "-1", "nan", "inf"):
                sentence = refused(command, tmp_path / "out", option, value)
                assert f"{option} must be a number above 0, got {float(value)!r}" in sentence


def test_what_fits_that_fell_back_publish_passes(copy):
    for to in FALLBACKS:
        folder = copy(to)
        stated = guarantee_of(folder)
        assert stated["outcome"]["fell_back_to"] == to
        assert run("verify", folder).stdout.startswith(stated["sentence"])


# -- where are the lists from? --------------------------------------------------------------------

ORIGINS = {
    "a file": "which came from a file",
    "a program": "which was given by the program that fitted",
    "the ratings": "which was read off the ratings themselves",
}
SAYS_SO = "; its maker says that everybody knows it"


@pytest.fixture(scope="module")
def of_origins(table, tmp_path_factory):
    """Folders whose lists are from everywhere: of items and of users."""
    made = tmp_path_factory.mktemp("origins")
    items, users = write_list(made / "items.txt", ITEMS), write_list(made / "users.txt", USERS)
    more = {"relation": "entry", "epsilon": 10}
    publish("fit", table, made / "a file", items=items, users=users, **more)
    publish("fit", table, made / "the ratings", **ENTRY, **more)
    model = PrivateFactorization(
        **more, delta=1e-9, items=ITEMS, users=USERS, rating_range=(1, 5), method="als", rank=2
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(str(table)).save(made / "a program")
    assert ORIGINS["a program"] in model.guarantee_.sentence()
    return made


def texts_of(folder):
    """All that is said of a folder, by place."""
    stated = guarantee_of(folder)
    explained = run("verify", folder, "--explain").stdout.splitlines()
    front, _, rest = run("card", folder, "--name", "x").stdout.partition("\n## What is taken to be")
    return {
        "sentence": stated["sentence"],
        "assumed_public": " ".join(stated["assumed_public"].values()),
        "verify": explained[0],
        "explain": " ".join(each for each in explained if "Taken to be public" in each),
        "last line": explained[-1],
        "sentence of the card": front,
        "list of the card": rest.partition("\n## ")[0],
        "last line of the card": rest.partition("\n## Before you rely on it")[2],
    }


def test_where_a_list_is_from_is_said_in_words_in_every_place(of_origins):
    found = {origin: texts_of(of_origins / origin) for origin in ORIGINS}
    for origin, texts in found.items():
        assert guarantee_of(of_origins / origin)["lists"]["items"]["origin"] == origin
        for place, text in texts.items():
            for what in ("items", "users"):
                assert f"the list of {what}, {ORIGINS[origin]}" in text, place
            assert not any(words in text for each, words in ORIGINS.items() if each != origin)
            assumed = place in ("assumed_public", "explain", "list of the card")
            assert (SAYS_SO in text) == (assumed and origin == "the ratings"), place


# -- tampering ------------------------------------------------------------------------------------


def weaker(stated):
    """Half of the noise, in all places that say how much it is."""
    both(put(times(0.5), "noise", "scale"), put(times(0.5), "noise_multiplier"))(stated)


HOLDS_NOT = "the guarantee does not hold"
ANOTHER_FORMAT = "is not in the format dpmc-fit-2, the one that this version of dpmc knows: check"
NOT_THE_LIST = "with factors are not the list that is stated"
OTHER_DIGEST = "0" * 64
STATED = "{} is stated as ".format
FELL_BACK = "the item factors are not those of a fit that fell back to {}.".format
NO_SUMS = "the stated errors are not what any noised sums tell"
SEVERAL = "an outcome is stated if and only if the method has several"
FELL_BACK_TO = ("outcome", "fell_back_to")
FORGED = {
    "epsilon": ("user", put(29.9, "epsilon"), STATED("noise_multiplier")),
    "noise": ("user", weaker, STATED("noise_multiplier")),
    "noise_multiplier": ("user", put(times(1.01), "noise_multiplier"), STATED("noise_multiplier")),
    "more releases": ("user", put(7, "releases"), STATED("releases")),
    "accountant": ("laplace", put("exact", "accountant"), STATED("accountant")),
    "mechanism": ("user", put("laplace", "mechanism"), "no fit that protects users has the stated"),
    "a method that was removed": ("user", put("dpals", "method"), "has the stated settings: "),
    "relation": ("user", put("entry_change", "relation"), "no method has the stated settings"),
    "publishable": (
        "user", put(["item_factors", "user_factors"], "publishable"),
        STATED("publishable"),
    ),
    "items' digest": ("user", put(OTHER_DIGEST, "lists", "items", "sha256"), NOT_THE_LIST),
    "no users": ("entry", put(None, "lists", "users"), "a list of users is stated if and only"),
    "origin": ("user", put("chosen privately", "lists", "items", "origin"), "privately and not"),
    "no choice": ("privately", put(None, "listed"), "privately and not"),
    "threshold": ("privately", put(times(0.99), "listed", "threshold"), "threshold of the private"),
    "more share": ("privately", put(0.5, "listed", "share"), "delta of the private choice"),
    "share and delta": (
        "privately", both(put(0.3, "listed", "share"), put(3e-10, "listed", "delta")),
        "the noise of the private choice of items",
    ),
    "share for the fit": (
        "privately", both(put(0.41, "listed", "share"), put(4.1e-10, "listed", "delta")),
        HOLDS_NOT,
    ),
    "listed delta": ("privately", put(times(0.5), "listed", "delta"), "delta of the private"),
    "not simulated": ("simulated", put(False, "simulated"), "differ on whether it simulates"),
    "no version": ("user", lambda stated: stated["versions"].pop("scipy"), "'scipy' is a required"),
    "no noise in an error": (
        "bayes", put(0, "worth", "rmse_deviation"), "worth.rmse_deviation: 0 is less than or equal"
    ),
    "an error out of range": ("bayes", put(8.1, "worth", "rmse"), NO_SUMS),
    "huge": ("bayes", put(1e300, "worth", "bias_rmse"), "a number is too large to be true"),
    "biases": ("learnt", put("biases", *FELL_BACK_TO), FELL_BACK("biases")),
    "no fall-back": ("own means", put(None, *FELL_BACK_TO), FELL_BACK("nothing")),
    "another fall-back": ("biases", put("victim", *FELL_BACK_TO), "never falls back to 'victim'"),
    "more steps than there are": (
        "learnt", put(12, "outcome", "steps_taken_back"), "more steps are stated to be taken back"
    ),
    "no outcome": ("biases", lambda stated: stated.pop("outcome"), SEVERAL),
    "spent": ("user", put("once, by 300 users", "spent"), STATED("spent")),
    "unknown key": ("user", put("of victim", "ratings"), "Additional properties are not allowed"),
    "unknown format": ("user", put("dpmc-fit-3", "format"), ANOTHER_FORMAT),
    "nan": ("user", put(math.nan, "epsilon"), "NaN is no number"),
    "text": ("user", put("1", "epsilon"), "epsilon: '1' is not of type 'number'"),
    "a digest": ("user", put(OTHER_DIGEST, "files", "item_factors.csv"), "is not the file that"),
}  # fmt: skip


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_guarantee_is_refused_whatever_it_says(case, copy):
    name, change, sentence = FORGED[case]
    for resaid in (False, True):
        if resaid and case in ("nan", "infinite", "text"):  # there is nothing to say
            continue
        folder = copy(name)
        assert sentence in refused("verify", rewrite(folder, change, resaid))


@pytest.mark.parametrize("name", ["user", "entry", "privately", "simulated", "laplace", "bayes"])
def test_a_sentence_of_its_own_is_refused(name, copy):
    folder = rewrite(copy(name), put(lambda text: text + " Trust us.", "sentence"), resaid=False)
    assert "the sentence is not what the numbers say, which is: If " in refused("verify", folder)


def test_a_larger_epsilon_than_needed_is_not_what_was_fitted(copy):
    folder = rewrite(copy("user"), put(21.0, "epsilon"))
    assert STATED("noise_multiplier") in refused("verify", folder)


# -- files ----------------------------------------------------------------------------------------


def test_files_are_those_that_the_guarantee_was_written_for(copy, tmp_path):
    for name in ("user", "entry"):
        folder = copy(name)
        for path in [each for each in folder.iterdir() if each.name != "guarantee.json"]:
            content = path.read_bytes()
            path.write_bytes(content[:-2] + bytes([content[-2] ^ 1]) + content[-1:])
            assert f"{path.name} is not the file that" in refused("verify", folder)
            path.unlink()
            assert f"{path.name} is missing" in refused("verify", folder)
            path.write_bytes(content)
        run("verify", folder)
        (folder / "notes.txt").write_text("of the ratings")
        said = refused("verify", folder)
        assert "notes.txt is not covered: guarantee.json does not name it. Take it out" in said
        (folder / "notes.txt").unlink()
        (folder / "sub").mkdir()
        assert "sub cannot be read: Is a directory" in refused("verify", folder)


def test_what_is_not_covered_is_refused_with_its_digest_too(copy):
    folder = smuggled(copy("user"), "user_factors.csv", "user,factor_1\nu00,1.5\n")
    assert "user_factors.csv is not covered by the guarantee" in refused("verify", folder)
    for name in ("ratings.csv", "simulated_user_factors.csv", ".hidden"):
        folder = smuggled(copy("user"), name, "u00,a,5\n")
        assert f"{name} is not covered: it is no file of dpmc-fit-2" in refused("verify", folder)


@pytest.mark.parametrize(
    ("name", "file", "content", "sentence"),
    [
        ("user", "item_factors.csv", "item\n", "item_factors.csv holds no factors"),
        ("user", "item_factors.csv", "item,offset,f\na,1,x\n", "item_factors.csv holds no"),
        ("entry", "user_factors.csv", "user\n\n", "user_factors.csv holds no factors"),
    ],
)
def test_files_with_right_digests_and_nothing_in_them(copy, name, file, content, sentence):
    assert sentence in refused("verify", smuggled(copy(name), file, content))


def first(pattern, new):
    """In the first row of items, or in the whole file."""
    return lambda text: re.sub(pattern, new, text, count=1, flags=re.MULTILINE)


def wider(text):
    """One more factor."""
    header, *rows = text.splitlines()
    return "\n".join([f"{header},factor_2", *(f"{row},0.25" for row in rows), ""])


NUMBERS = r"^a,([^,]*),([^,]*)"
WRITTEN = {
    "blanks": ("user", first(NUMBERS, r"a, \1,\2"), "is not written as dpmc fit writes"),
    "quotes": ("user", first("^a,", '"a",'), "is not written as dpmc fit writes labels and nu"),
    "users' digits": ("entry", first(r"^(u00,[^,]*)", r"\g<1>0"), "is not written as dpmc fit"),
    "a large offset": ("user", first(NUMBERS, r"a,1e+300,\2"), "or far too large"),
    "no precision": ("bayes", first(NUMBERS, r"a,\1,0.0"), "holds a precision that is not above 0"),
    "biases with a taste": ("biases", first("^(a,.*,).*", r"\g<1>0.25"), FELL_BACK("biases")),
    "with a precision": ("own means", first(NUMBERS, r"a,\1,0.125"), FELL_BACK("own means")),
    "drawn less": (
        "own means",
        lambda text: re.sub(r"(?m)^(\w,[^,]*),[^,]*", r"\1,9.5", text),
        FELL_BACK("own means"),
    ),
    "an item twice": ("user", first("^b,", "a,"), "the list of items names one of them twice"),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_files_hold_what_fit_would_write_and_complete_would_read(copy, case):
    """With right digests of the file and of the list."""
    name, change, sentence = WRITTEN[case]
    folder, users = copy(name), "user" in case
    path = folder / ("user_factors.csv" if users else "item_factors.csv")
    text = change(path.read_bytes().decode())
    assert text != path.read_bytes().decode()
    labels = [row[0] for row in csv.reader(io.StringIO(text, newline=""))][1:]
    stated = guarantee_of(folder)["lists"]["users" if users else "items"]
    entry = stated | describe_list(np.array(labels, dtype=object), stated["origin"])
    rewrite(folder, put(entry, "lists", "users" if users else "items"), resaid=False)
    assert sentence in refused("verify", smuggled(folder, path.name, text))


def test_versions_hold_no_words(monkeypatch):
    """What a distribution adds to the number of a version could be anything."""
    monkeypatch.setattr(folder_module, "version", lambda name: "2.4.1+built.for.300.users")
    found = folder_module.versions_here.__wrapped__()
    assert {found[name] for name in ("numpy", "scipy", "dp-accounting")} == {"2.4.1"}


def test_what_is_no_folder_of_ours(copy, tmp_path):
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "nowhere"):
        assert "holds no guarantee.json: name a folder that" in refused("verify", folder)
    folder = copy("user")
    (folder / f"{SIMULATED}guarantee.json").write_text("{}")
    assert "holds two guarantees, of different fits" in refused("verify", folder)
    (folder / f"{SIMULATED}guarantee.json").unlink()
    for content in (b"", b"{", b"\xff", b"[" * 100_000):
        (folder / "guarantee.json").write_bytes(content)
        assert "guarantee.json is not JSON" in refused("verify", folder)
    for content in (b"1", b"null", b"[]", b"{}", b'{"format": ["dpmc-fit-1"]}'):
        (folder / "guarantee.json").write_bytes(content)
        assert ANOTHER_FORMAT in refused("verify", folder)


def test_links_second_keys_and_more_columns_are_refused(copy, tmp_path):
    folder = copy("user")
    (folder / "item_factors.csv").rename(tmp_path / "elsewhere.csv")
    (folder / "item_factors.csv").symlink_to(tmp_path / "elsewhere.csv")
    assert "is a link" in refused("verify", folder)
    folder = copy("user")
    path = folder / "guarantee.json"
    path.write_text(path.read_text().replace("{", '{"epsilon": 0.1,', 1))
    assert "a key occurs twice" in refused("verify", folder)
    folder = copy("user")
    header, *rows = (folder / "item_factors.csv").read_text().splitlines()
    count = header.count("factor_")
    text = "\n".join([f"{header},factor_{count + 1}", *(f"{row},3.5" for row in rows)]) + "\n"
    assert f"something else than {count} factors" in refused(
        "verify", smuggled(folder, "item_factors.csv", text)
    )

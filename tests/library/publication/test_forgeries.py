"""Folders that were forged with care: digests mended, numbers that nobody misses.

`dpmc verify` accepts what `dpmc fit` can write, and nothing else. What it cannot tell is at the
end, each with the reason.
"""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from forging import both, mended, put, rewrite
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import (
    PUBLIC,
    guarantee_of,
    publish,
    refused,
    rows_of,
    run,
    write_list,
    write_table,
)

from dpmc.fitting.fit import prepare
from dpmc.fitting.parameters import METHODS as OFFERED
from dpmc.fitting.parameters import PARAMETERS
from dpmc.methods import METHODS, method_class, parameters_of
from dpmc.methods.released.fit_folder import BUDGET, FROM_MECHANISM
from dpmc.methods.user_level.local_bayes import worth
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.privacy import calibration
from dpmc.privacy.calibration import calibrate
from dpmc.released import load

FACTORS, USER_FACTORS = "item_factors.csv", "user_factors.csv"
FOLDERS = ("public", "rank 2", "entry bias", "bayes", "ease")


# -- guarantee.json -------------------------------------------------------------------------------


def reordered(text):
    stated = json.loads(text)
    return json.dumps(dict(sorted(stated.items())), indent=2) + "\n"


WRITTEN = {
    "no line end": lambda text: text.rstrip("\n"),
    "another order of keys": reordered,
    "escapes": lambda text: text.replace('"epsilon"', '"\\u0065psilon"', 1),
    "a whole epsilon": lambda text: text.replace('"epsilon": 20.0', '"epsilon": 20'),
    "one digit more": lambda text: text.replace('"epsilon": 20.0', '"epsilon": 20.00'),
    "a count that is no whole number": lambda text: text.replace('"count": 6', '"count": 6.0'),
    "a mark of the order of bytes": lambda text: "\ufeff" + text,
}


@pytest.mark.parametrize("case", WRITTEN)
def test_a_guarantee_is_written_in_one_way(case, copy):
    path = copy("public") / "guarantee.json"
    text = WRITTEN[case](path.read_text("utf-8"))
    assert text != path.read_text("utf-8")
    path.write_bytes(text.encode())
    refused("verify", path.parent)


@pytest.mark.parametrize("name", FOLDERS)
def test_digits_of_a_number_say_nothing(name, copy):
    """Epsilon may be any number, but its noise follows from it; to as many digits as they are."""
    folder = rewrite(copy(name), put(20.0000000004936, "epsilon"))
    assert "noise_multiplier is stated as " in refused("verify", folder)
    for place in (("attacker", "success"), ("attacker", "true_positives", 2), ("noise", "scale")):
        folder = rewrite(copy(name), put(lambda number: number * (1 - 2.5e-11), *place))
        assert f"{place[0]}.{place[1]} is stated as " in refused("verify", folder)


# -- numbers that no fit writes -------------------------------------------------------------------


def table_of(path):
    return [*csv.reader(io.StringIO(path.read_text("utf-8"), newline=""))]


def with_numbers(folder, name, change):
    """Change the rows of a file of factors, in place, and mend its digest."""
    header, *rows = table_of(folder / name)
    change(header, rows)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    (folder / name).write_text(text.getvalue(), "utf-8")
    return mended(folder)


def cell(column, value, row=0):
    def change(header, rows):
        rows[row][column] = repr(value)

    return change


def columns(*more):
    """Further columns of factors, with the same number in all rows."""

    def change(header, rows):
        for number in more:
            header.append(f"factor_{sum(name.startswith('factor_') for name in header) + 1}")
            for row in rows:
                row.append(repr(number))

    return change


def every(column, value):
    def change(header, rows):
        for row in rows:
            row[column] = repr(value)

    return change


OUTSIDE = "an item's offset is outside of the rating range"
NOTHING = "a column of factors is 0 for all items"
IMPOSSIBLE = {
    "offset 1e9": ("bayes", FACTORS, cell(1, 1e9), OUTSIDE),
    "an extra column of zeros": ("bayes", FACTORS, columns(0.0), NOTHING),
    "zeros of popularity": ("ease", FACTORS, columns(0.0), "not those of a fit that fell back to"),
    "zeros of als": ("public", FACTORS, columns(0.0), "something else than 3 factors"),
    "another constant": ("public", FACTORS, every(2, 0.25), "the first factor of an item is not "),
    "another slope": ("entry bias", FACTORS, cell(2, 1.5), "the factor of an item is not 1"),
    "longer columns": ("public", FACTORS, cell(3, 50.0), "longer than balanced ones"),
    "user factors beyond their bound": (
        "rank 2", USER_FACTORS, cell(2, 5.0), "a user's factors are longer than factor_bound"
    ),
    "a user's offset": (
        "rank 2", USER_FACTORS, cell(1, -2.1), "a user's offset is above half the rating range"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_numbers_that_no_fit_writes_are_refused(case, copy):
    name, file, change, sentence = IMPOSSIBLE[case]
    folder = with_numbers(copy(name), file, change)
    assert sentence in refused("verify", folder)


def test_a_ranking_that_was_learnt_has_no_column_of_zeros(published):
    stated = guarantee_of(published("ease"))
    model = method_class("local_ease")(**{name: stated[name] for name in BUDGET})
    learnt = load(published("ease"))
    for factors, found in (([[1.0, 0.0]], NOTHING), ([[1.0, 0.5]], None), ([[0.0]], None)):
        items = replace(learnt, factors=np.repeat(factors, 6, axis=0))
        assert model.impossible_items(items) == found


STATED = {
    "rmse of 0.01": ("bayes", put(0.01, "worth", "rmse"), "not what any noised sums tell"),
    "most_factors": (
        "bayes", put(7, "constants", "most_factors"),
        "constants.most_factors is stated as 7, and dpmc fit has 12",
    ),
    "checked": (
        "ease", put(0.1, "constants", "checked"),
        "constants.checked is stated as 0.1, and dpmc fit has 0.05",
    ),
    "tiny settings": ("public", put(1e-300, "constants", "factor_bound"), "must lie between 1e-30"),
    "a method of a study": ("public", put("dpfw", "method"), "no method has the stated settings: "),
    "the next version": (
        "public", put("0.2.1", "versions", "dpmc"), "is said to be of dpmc 0.2.1, and this is "
    ),
    "a line break after a version": (
        "public", put(lambda version: f"{version}\n", "versions", "numpy"), "does not match"
    ),
    "origin alone": (
        "public", put("a file", "lists", "items", "origin"), "assumed_public.items is stated as "
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", STATED)
def test_statements_that_no_fit_makes_are_refused(case, copy):
    name, change, sentence = STATED[case]
    assert sentence in refused("verify", rewrite(copy(name), change))


def test_a_readme_that_is_not_the_card_is_refused(copy, tmp_path):
    """Whatever it holds: the ratings themselves, or nothing."""
    folder = copy("public")
    for content in (write_table(tmp_path / "mine.csv", rows_of()).read_bytes(), b"", b"# Mine\n"):
        (folder / "README.md").write_bytes(content)
        assert "README.md is not the card that dpmc writes of this model" in refused(
            "verify", folder
        )
    run("card", folder, "--output", folder / "README.md", "--force")
    run("verify", folder)


# -- the lists behind these checks ----------------------------------------------------------------


def test_a_fit_can_choose_every_setting_but_the_fixed_ones():
    """What is neither an option of `dpmc fit` nor fixed could be stated as anything."""
    own = {name for name in METHODS if vars(method_class(name)).get("fixed") is not None}
    assert own == {*OFFERED.values()}
    renamed = {"held_out": "report_error", "value_bound": "residual_bound"}
    renamed["item_regularization"] = "regularization"
    for short, name in OFFERED.items():
        options = {"epsilon": 5, "rating_range": (1, 5), "relation": "user", "method": short}
        model = prepare(options).model
        for setting, parameter in parameters_of(type(model)).items():
            option = PARAMETERS.get(renamed.get(setting, setting))
            chosen = option is not None and (not option.methods or short in option.methods)
            chosen = chosen and not (short == "ease" and setting == "rating_range")
            fixed = setting in model.fixed
            stated = setting not in (*BUDGET, *FROM_MECHANISM)
            assert chosen != fixed or not stated, (name, setting)
            assert not fixed or getattr(model, setting) == parameter.default


@settings(deadline=None, max_examples=300)
@given(
    share=st.floats(-0.5, 1.5), gained=st.floats(-1, 1), users=st.floats(-10, 1e6),
    noise=st.floats(1e-3, 1e3), typical=st.floats(0.05, 2), change=st.floats(1.1, 3),
    which=st.sampled_from(worth.Worth._fields[1:]), beyond=st.floats(-1, 1),
    held_out=st.floats(0.01, 0.99), ratings=st.floats(1, 200),
)  # fmt: skip
def test_errors_that_can_be_read_are_not_refused_and_others_are(
    share, gained, users, noise, typical, change, which, beyond, held_out, ratings
):
    whole = Scale(typical, 0.0, 1.0, max(users, 1.0), ratings * max(users, 1.0))
    terms = worth.largest(noise, whole), worth.full_weight(noise, whole, held_out)
    sums = np.array([share, gained, 1, beyond]) * max(users, 1) * [1, 1, np.sign(users), 1]
    stated = worth.read(sums, noise, *terms)
    assert worth.could_be(stated, noise, 2.0, held_out)
    if stated.told == worth.NOTHING:
        other = stated._replace(**{which: 1.5 if stated.rmse_deviation != 1.5 else 1.6})
        assert not worth.could_be(other, noise, 2.0, held_out)
        return
    for told, rmse in ((worth.NOTHING, stated.rmse), (stated.told, None), (worth.NOTHING, None)):
        other = stated._replace(told=told, rmse=rmse)
        assert not worth.could_be(other, noise, 2.0, held_out)
    other = stated._replace(**{which: getattr(stated, which) * change})
    # where an error is not above its noise, the latter says nothing of it
    told = stated.rmse_deviation < 0.6 * stated.rmse
    told = told and stated.bias_rmse_deviation < 0.6 * stated.bias_rmse
    if told and stated.difference_deviation > 0.01 * stated.bias_rmse_deviation:
        assert not worth.could_be(other, noise, 2.0, held_out)
    # a deviation of what is gained that no number of users gives, and that of biases with it
    of_gain = 1e9 * worth._of_square(stated.difference_deviation, stated.bias_rmse)
    of_theirs = np.hypot(worth._of_square(stated.rmse_deviation, stated.rmse), of_gain)
    other = stated._replace(
        difference_deviation=of_gain**0.5, bias_rmse_deviation=float(of_theirs**0.5)
    )
    if stated.bias_rmse and of_gain > 1e3 * stated.bias_rmse**2:
        assert not worth.could_be(other, noise, 2.0, held_out)


@pytest.mark.parametrize("mechanism", ["gaussian", "laplace"])
def test_the_second_opinion_says_no_to_a_wrong_calibration(mechanism, tmp_path, monkeypatch):
    """With it the noise is what the settings give, and only the repeated accounting disagrees."""
    table = write_table(tmp_path / "mine.csv", rows_of())

    def wrong(mechanism, *, epsilon, **given):
        return calibrate(mechanism, epsilon=1.001 * epsilon, **given)

    monkeypatch.setattr(calibration, "calibrate", wrong)
    publish(
        "fit", table, tmp_path / "out", **PUBLIC["entry"], relation="entry", mechanism=mechanism
    )
    sentence = refused("verify", tmp_path / "out")
    assert (
        "the stated noise gives epsilon 20.02 at delta 1e-09, not 20: the guarantee does not"
        in (sentence)
    )


# -- what cannot be told --------------------------------------------------------------------------

UNSEEN = {
    "steps taken back": ("bayes", put(1, "outcome", "steps_taken_back")),
    "held_out": ("bayes", put(0.31, "constants", "held_out")),
    "a version of NumPy": ("public", put("99.9", "versions", "numpy")),
}


@pytest.mark.parametrize("case", UNSEEN)
def test_what_another_fit_could_have_written_passes(case, copy):
    """No folder can show it, and no guarantee rests on it (docs/threats.md says so).

    Steps that were taken back, up to as many as there can be, leave no trace in what is published:
    the model that was kept is one like others. Nor does the share that was held out: it moves no
    bound, and errors have the same noise. Which versions of other libraries there are is not known.
    """
    name, change = UNSEEN[case]
    run("verify", rewrite(copy(name), change))


def test_another_origin_of_a_list_passes_if_all_words_say_so(copy, tmp_path):
    """A folder cannot show where a list is from. So whoever reads it is told, in every place."""
    table = write_table(tmp_path / "mine.csv", rows_of())
    items = write_list(tmp_path / "items.txt", "abcdef")
    publish("fit", table, tmp_path / "file", items=items)
    stated = guarantee_of(tmp_path / "file")
    named = stated["assumed_public"]["items"]
    folder = rewrite(
        copy("public"),
        both(put("a file", "lists", "items", "origin"), put(named, "assumed_public", "items")),
    )
    assert run("verify", folder).stdout == run("verify", tmp_path / "file").stdout

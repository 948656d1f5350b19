"""`dpmc.PrivateFactorization`: the numbers and folders of `dpmc fit`, by scikit-learn's manners."""

import csv
import doctest
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from publication.small_tables import (
    ITEMS,
    USERS,
    falling_back,
    listed,
    rows_of,
    run,
    write_list,
    write_table,
)
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, csr_matrix

import dpmc
from dpmc import PrivateFactorization, estimator
from dpmc.cli.fit import fit
from dpmc.errors import InputError
from dpmc.fitting.parameters import METHODS
from dpmc.methods.released.verify import verify
from dpmc.released import load

NAMES = ["user", "item", "rating"]
COMMON = {"epsilon": 20, "delta": 1e-9, "rating_range": (1, 5), "items": ITEMS}
COMMANDS_OWN = {
    *("path", "user", "item", "rating", "timestamp"),  # a frame, and columns
    *("output", "extras", "force"),  # save
    "dask",  # a client
    *("quiet", "as_json", "items_are_public", "users_are_public"),  # a program gives its own
}
USER = COMMON | {"ratings_per_user": 3, "method": "als"}


@pytest.fixture(scope="module")
def frame():
    """Half of the ratings of each user, and more: one of what is not listed, one item rated twice,
    one rating out of the range."""
    rows = [row for place, row in enumerate(rows_of()) if (place + place // 6) % 2]
    more = [("u00", "unlisted", 3.0), (*rows[0][:2], 1.0), ("u23", rows_of()[-1][1], 9.0)]
    return pd.DataFrame(rows[:-1] + more, columns=NAMES)


@pytest.fixture(scope="module")
def model(frame):
    return fitted(frame, simulate=1)


def fitted(frame, y=None, **changes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PrivateFactorization(**USER | changes).fit(frame, y)


def every_pair():
    return pd.DataFrame([(u, i) for u in USERS for i in ITEMS], columns=NAMES[:2])


def files_of(folder):
    return {each.name: each.read_bytes() for each in folder.iterdir()}


# -- it is dpmc fit --------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", ["user", "user_replace", "entry", "entry_change"])
def test_what_is_saved_is_what_the_command_writes_to_the_byte(frame, tmp_path, relation):
    table = write_table(tmp_path / "mine.csv", frame.itertuples(index=False))
    lists = {"items": write_list(tmp_path / "items.txt", ITEMS)}
    settings = {"ratings-per-user": 3}
    if relation.startswith("entry"):
        lists["users"] = write_list(tmp_path / "users.txt", USERS)
        settings = {}
    settings |= {"method": "als", "rank": 2, "regularization": 3.5}
    settings |= {"relation": relation, "simulate": 7}
    run(*listed("fit", table, tmp_path / "command", **settings, **lists))
    given = {name.replace("-", "_"): value for name, value in settings.items()}
    with pytest.warns(UserWarning, match="for your eyes only"):
        model = PrivateFactorization(**COMMON | given | lists).fit(frame)
    model.save(tmp_path / "saved")
    assert files_of(tmp_path / "saved") == files_of(tmp_path / "command")
    assert model.guarantee_.sentence() == verify(tmp_path / "saved").sentence


def likes(method):
    """What a ranking needs to know of a table with ratings."""
    return {"likes-from": 3} if method == "ease" else {}


def in_python(options):
    return {name.replace("-", "_"): value for name, value in options.items()}


@pytest.mark.parametrize("method", [None, *METHODS])
def test_defaults_are_those_of_the_command(frame, tmp_path, method):
    table = write_table(tmp_path / "mine.csv", frame.itertuples(index=False))
    options = {"method": method, "simulate": 2} | likes(method)
    lists = {"items": write_list(tmp_path / "items.txt", ITEMS)}
    unset = {"ratings-per-user": None, "rank": None}
    run(*listed("fit", table, tmp_path / "command", **options, **lists, **unset))
    fitted(frame, ratings_per_user=None, **in_python(options), **lists).save(tmp_path / "saved")
    assert files_of(tmp_path / "saved") == files_of(tmp_path / "command")


@pytest.mark.parametrize("method", METHODS)
def test_items_can_be_chosen_privately(frame, tmp_path, method):
    rare = pd.DataFrame([("u00", "rare", 5.0)], columns=NAMES)
    frame = pd.concat([frame[frame["item"].isin(ITEMS)], rare])
    table = write_table(tmp_path / "mine.csv", frame.itertuples(index=False))
    options = {"method": method, "simulate": 4, "items-privately": 0.4, "ratings-per-user": 4}
    options |= likes(method)
    run(*listed("fit", table, tmp_path / "command", **options, delta=1e-5, rank=None))
    model = fitted(frame, **in_python(options), delta=1e-5, items=None)
    model.save(tmp_path / "saved")
    assert files_of(tmp_path / "saved") == files_of(tmp_path / "command")
    assert model.guarantee_.listed.share == 0.4
    assert "rare" not in model.published_.labels
    # to the model, ratings of what is not listed are none
    known = frame[frame["item"].isin(model.published_.labels)]
    loaded = PrivateFactorization.load(tmp_path / "saved")
    pairs = pd.concat([every_pair(), rare[NAMES[:2]]])
    np.testing.assert_array_equal(model.predict(pairs), loaded.predict(pairs, known))
    assert (loaded.items, loaded.items_privately) == (None, 0.4)
    assert fitted(frame, **loaded.get_params()).guarantee_.listed.share == 0.4


@pytest.mark.parametrize("method", METHODS)
def test_complete_load_and_predict_agree(frame, tmp_path, method):
    model = fitted(frame, method=method, **in_python(likes(method)))
    model.save(tmp_path / "model")
    assert verify(tmp_path / "model").sentence == model.guarantee_.sentence()
    assert not model.guarantee_.simulated
    table = write_table(tmp_path / "mine.csv", frame.itertuples(index=False))
    printed = run("complete", "--model", tmp_path / "model", "--ratings", table).stdout
    rows = list(csv.DictReader(printed.splitlines()))
    assert len(rows) == len(USERS) * len(ITEMS)
    pairs = pd.DataFrame(rows)
    wanted = pairs["score" if method == "ease" else "prediction"].astype(float)
    np.testing.assert_allclose(model.predict(pairs), wanted, rtol=1e-12)
    loaded = PrivateFactorization.load(tmp_path / "model")
    assert loaded.guarantee_ == model.guarantee_
    np.testing.assert_array_equal(loaded.predict(pairs, frame), model.predict(pairs))
    mine = frame[frame["user"] == "u05"]
    assert loaded.recommend(mine, n=3) == model.recommend(mine, n=3)


def test_remarks_are_warnings_of_the_caller(frame):
    with pytest.warns(UserWarning, match="for your eyes only; save writes none of it") as caught:
        PrivateFactorization(**USER, simulate=1).fit(frame)
    said = " ".join(str(each.message) for each in caught)
    for remark in (
        "1 line rates an item again",
        "1 of 73 ratings (1.4 %) is of items that are not in the list, and do not count",
        "1 of 74 ratings (1.4 %) is outside of the range 1 to 5, and clipped to it",
    ):
        assert remark in said
    assert {each.filename for each in caught} == {__file__}


def test_a_fit_that_falls_back_warns_and_says_to_what(frame, tmp_path):
    options = COMMON | {"method": "bayes", "simulate": 1}
    with warnings.catch_warnings(record=True) as caught, falling_back("own means"):
        warnings.simplefilter("always")
        model = PrivateFactorization(**options).fit(frame)
    (said,) = [each for each in caught if "Fell back to own means" in str(each.message)]
    assert "for your eyes only" not in str(said.message)
    assert said.filename == __file__
    model.save(tmp_path / "model")
    loaded = PrivateFactorization.load(tmp_path / "model")
    assert (model.fell_back_to_, loaded.fell_back_to_) == ("own means", "own means")
    assert loaded.steps_taken_back_ == model.steps_taken_back_
    # the mean of all counts as two ratings
    (mean,) = set(model.predict([("nobody", item) for item in ITEMS]))
    given = [("me", "a", 5.0), ("me", "b", 4.0), ("me", "c", 1.0)]
    found = loaded.predict([("me", "a"), ("me", "f")], given)
    np.testing.assert_allclose(found, (10 + 2 * mean) / 5, rtol=1e-12)
    with warnings.catch_warnings(record=True) as others:
        warnings.simplefilter("always")
        with falling_back(None):
            model.fit(frame)
        assert model.fell_back_to_ is None
        model.set_params(method="als", ratings_per_user=3).fit(frame)
    assert not any("Fell back" in str(each.message) for each in others)
    assert not hasattr(model, "fell_back_to_")
    assert not hasattr(model, "steps_taken_back_")


# -- tables ----------------------------------------------------------------------------------------


def same_tables(frame):
    values = frame["rating"].to_numpy()
    yield "arrow", pa.table({name: list(frame[name]) for name in NAMES}), None
    yield "objects", frame.astype(object), None
    yield "categories", frame.astype({"user": "category", "item": "category"}), None
    yield "array of three columns", frame.to_numpy(dtype=object), None
    yield "X and y", frame[NAMES[:2]].to_numpy(dtype=object), values
    yield "rows and y", frame[NAMES[:2]].to_numpy(dtype=object).tolist(), list(values)
    yield "rows", frame.to_numpy(dtype=object).tolist(), None
    yield "frame and y", frame[NAMES[:2]], frame["rating"]
    yield "other order", frame.iloc[::-1][["rating", "user", "item"]], None


def test_the_same_ratings_in_any_form(frame, model):
    wanted = model.predict(every_pair())
    for name, X, y in same_tables(frame):
        found = fitted(X, y, simulate=1)
        np.testing.assert_array_equal(found.predict(every_pair()), wanted, err_msg=name)
    pairs = [every_pair().to_numpy(), pa.table(dict(every_pair())), every_pair().astype(object)]
    for X in pairs:
        np.testing.assert_array_equal(model.predict(X), wanted)
    renamed = frame.set_axis(["who", "film", "stars"], axis=1)
    found = fitted(renamed, simulate=1, columns=("who", "film", "stars"))
    renamed = every_pair().set_axis(["who", "film"], axis=1)
    np.testing.assert_array_equal(found.predict(renamed), wanted)


def test_frames_that_are_lazy(frame, model, tmp_path):
    polars, duckdb = (pytest.importorskip(name) for name in ("polars", "duckdb"))
    table = write_table(tmp_path / "mine.csv", frame.itertuples(index=False))
    pairs, mine = every_pair(), frame[frame["user"] == "u05"]
    for read in (polars.scan_csv, duckdb.read_csv):
        found = fitted(read(str(table)), simulate=1)
        np.testing.assert_array_equal(found.predict(pairs), model.predict(pairs))
        np.testing.assert_array_equal(found.predict(read(str(table))), model.predict(frame))
    chosen = f"""select rating as "my ""rating\""", item from '{table}' where "user" = 'u05'"""
    one = duckdb.sql(chosen)
    model = PrivateFactorization(**USER, columns=("user", "item", 'my "rating"'))
    model.published_ = found.published_
    assert model.recommend(one) == found.recommend(mine)


def test_a_file_is_read_as_the_command_reads_it(frame, tmp_path):
    names = ("who", "what", "how")
    table = write_table(tmp_path / "mine.csv", frame.itertuples(index=False), names)
    with pytest.raises(InputError, match=r"no column looks like the user; .* one with columns"):
        fitted(table)
    with pytest.raises(InputError, match=r"no column 'whom' .columns. .did you mean 'who'"):
        fitted(table, columns=("whom", "what", "how"))
    with pytest.raises(InputError, match="A file or a store holds its ratings: give none"):
        fitted(table, frame["rating"])
    with pytest.raises(InputError, match=r"items names the table of ratings: .* without them\.$"):
        fitted(table, items=str(table), columns=names)
    found = fitted(table, columns=names, simulate=1).predict(every_pair().to_numpy())
    np.testing.assert_array_equal(found, fitted(frame, simulate=1).predict(every_pair()))


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array, csr_matrix])
def test_sparse_matrices(form):
    """Rows are users, columns items; a stored zero is a rating, and what is twice is added up."""
    users, items = np.divmod(np.arange(60), 6)
    kept = (users + items) % 3 > 0
    users, items = users[kept], items[kept]
    ratings = np.arange(users.size) % 6.0
    table = pd.DataFrame({"user": users, "item": items, "rating": ratings})
    model = fitted(table, items=range(6), rating_range=(0, 5), simulate=1)
    parts = [np.concatenate([each, each[-1:]]) for each in (users, items, ratings)]
    parts[2][-2:] /= 2
    matrix = form(coo_array((parts[2], tuple(parts[:2])), shape=(12, 8)))
    found = fitted(matrix, items=range(6), rating_range=(0, 5), simulate=1)
    np.testing.assert_array_equal(found.predict(table), model.predict(table))
    predicted = found.predict(matrix)
    assert isinstance(predicted, csr_array)
    assert predicted.shape == matrix.shape
    np.testing.assert_array_equal(predicted.data, model.predict(table))
    np.testing.assert_array_equal(predicted.tocoo().row, users)
    own = dict(zip(items[users == 2].tolist(), ratings[users == 2].tolist(), strict=True))
    assert found.recommend(csr_array(matrix)[[2]]) == model.recommend(own)
    assert found.recommend(coo_array((list(own.values()), ([*own],)))) == model.recommend(own)
    with pytest.raises(InputError, match="A sparse matrix holds its ratings: give none beside it"):
        fitted(matrix, ratings, items=range(6))


def test_a_sparse_matrix_of_likes():
    rng = np.random.default_rng(5)
    liked = csr_array(rng.random((40, 6)) < 0.4)
    given = {"method": None, "purpose": "ranking", "rating_range": None, "items": range(6)}
    given |= {"ratings_per_user": None, "simulate": 1}
    with pytest.raises(InputError, match=r"at the fit with likes_from .*or give a matrix of truth"):
        fitted(liked.astype(float), **given)
    model, rated = fitted(liked, **given), fitted(liked.astype(int), **given, likes_from=1)
    assert model.recommend(liked[[0]]) == model.recommend([str(i) for i in liked[[0]].indices])
    stored = coo_array(np.ones((40, 6)) > 0)
    stored.data = liked.toarray()[stored.coords]
    found = fitted(stored, **given)
    np.testing.assert_array_equal(found.predict(liked).data, model.predict(liked).data)
    np.testing.assert_array_equal(model.predict(liked).data, rated.predict(liked).data)


# -- predictions -----------------------------------------------------------------------------------


def test_users_and_items_that_are_new(frame, model):
    published = model.published_
    mine = frame[(frame["user"] == "u05") & frame["item"].isin(ITEMS)]
    pairs = [("u05", "a"), ("u05", "tea"), ("nobody", "a"), ("nobody", "tea"), ("u05", "f")]
    found = model.predict(pairs)
    own = published.complete(dict(zip(mine["item"], mine["rating"], strict=True)))
    nothing = published.complete({})
    wanted = [own[0], mine["rating"].mean(), nothing[0], nothing.mean(), own[5]]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    # ratings given in place of those of the fit
    given = [("nobody", "a", 5), ("nobody", "b", 4), ("nobody", "tea", 1)]
    found = model.predict(pairs, np.array(given, dtype=object))
    other = published.complete({"a": 5.0, "b": 4.0})
    np.testing.assert_allclose(found[2:4], [other[0], 4.5], rtol=1e-12)
    np.testing.assert_allclose(found[0], nothing[0], rtol=1e-12)


def test_items_that_are_unknown_are_remarked_on(frame, model):
    def said(use, *given):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            use(*given)
        assert {each.filename for each in caught} <= {__file__}
        return [str(each.message) for each in caught]

    left_out = "1 item has no factors; ratings of such were left out"
    pairs = [("u05", "a"), ("u05", "tea"), ("u06", "tea"), ("u06", "milk")]
    assert said(model.predict, pairs) == ["2 items have no factors; a mean is predicted for such"]
    assert said(model.predict, pairs[:1]) == []
    assert said(model.predict, pairs[:1], [("u05", "tea", 3)]) == [left_out]
    assert said(model.recommend, {"tea": 3, "a": 3}) == [left_out]
    assert said(model.recommend, {"a": 3}) == []


def test_recommendations(model):
    published = model.published_
    mine = {"a": 5.0, "c": 1.0, "tea": 3.0, "d": 99.0}
    found = model.recommend(mine, n=2)
    values = dict(zip(ITEMS, published.complete({"a": 5.0, "c": 1.0, "d": 5.0}), strict=True))
    score = published.complete({"a": 5.0, "c": 1.0, "d": 5.0}, clipped=False)
    score = dict(zip(ITEMS, score, strict=True))
    best = sorted("bef", key=lambda item: -score[item])
    assert list(found) == best[:2]
    assert found == {item: values[item] for item in best[:2]}
    assert list(model.recommend(mine, n=99)) == best
    table = pd.DataFrame({"item": list(mine), "rating": list(mine.values())})
    assert model.recommend(table, n=2) == found
    twice = pd.concat([table.assign(rating=table["rating"] - 1), table.assign(rating=99)])
    clipped = {"a": 4.5, "c": 3.0, "d": 5.0}
    assert model.recommend(twice) == model.recommend(clipped)
    assert set(model.recommend({})) == set(ITEMS)


# -- scikit-learn's manners ------------------------------------------------------------------------


def test_parameters_are_stored_as_given_and_can_be_cloned(frame):
    base = pytest.importorskip("sklearn.base")
    given = USER | {"items": np.array(ITEMS), "rating_range": [1, 5], "simulate": 1}
    model = PrivateFactorization(**given)
    for name, value in given.items():
        assert getattr(model, name) is value
        assert model.get_params()[name] is value
    fit_first = fitted(frame, **given)
    for name, value in given.items():
        assert getattr(fit_first, name) is value
    copy = base.clone(fit_first)
    assert not hasattr(copy, "guarantee_")
    assert repr(copy) == repr(model)
    pairs = every_pair()
    np.testing.assert_array_equal(
        fitted(frame, **copy.get_params()).predict(pairs), fit_first.predict(pairs)
    )
    assert copy.set_params(epsilon=1, rank=3) is copy
    assert (copy.epsilon, copy.rank) == (1, 3)
    with pytest.raises(InputError, match=r"no parameter 'epsilom' .did you mean 'epsilon'"):
        copy.set_params(rank=9, epsilom=2)
    assert copy.rank == 3


def test_every_option_of_the_command_is_a_parameter():
    options = {option.name for option in fit.params} - COMMANDS_OWN
    of_files = {"format", "separator", "encoding", "columns"}
    assert of_files <= options
    parameters = PrivateFactorization(epsilon=1).get_params().keys()
    assert options - of_files == parameters - {"columns", "file_options"}


def test_a_model_as_text():
    assert repr(PrivateFactorization(epsilon=2)) == "PrivateFactorization(epsilon=2)"
    text = repr(PrivateFactorization(epsilon=2, items=range(10**6), rank=None, rating_range=(1, 5)))
    assert text == ("PrivateFactorization(epsilon=2, rating_range=(1, 5), items=range(0, 1000000))")
    assert len(repr(PrivateFactorization(epsilon=2, items=list(map(str, range(1000)))))) < 100


def test_its_example_runs():
    assert doctest.testmod(estimator).attempted >= 5
    assert doctest.testmod(estimator).failed == 0


def test_importing_dpmc_imports_nothing_heavy():
    code = "import dpmc, sys; print({'numpy', 'pandas', 'numba', 'click'} & set(sys.modules))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert printed.stdout == "set()\n", printed.stderr
    assert "PrivateFactorization" in dpmc.__all__
    with pytest.raises(AttributeError, match="no attribute 'PrivateFactorisation'"):
        dpmc.PrivateFactorisation  # noqa: B018


# -- what is refused -------------------------------------------------------------------------------

REFUSALS = {
    "no items": (
        {"items": None},
        "^Say where the list of items is from, .*, or items_privately SH",
    ),
    "two ways to items": ({"items_privately": 0.3}, "Give one of items and items_privately alone"),
    "an item as text and as a number": ({"items": ["1", 1]}, "row 2: the item '1' is on row 1 al"),
    "frame of items": ({"items": pd.DataFrame({"item": ["a"]})}, "items must be a list of labels"),
    "number of items": ({"items": 6}, "items must be a list of labels"),
    "features without items": (
        {"method": "bayes", "item_features": pd.DataFrame({"year2": [1995]})},
        "^The features of items: no column looks like the item; the columns are year2",
    ),
    "a column twice": ({"columns": ("u", "u", "r")}, "columns must be three names"),
}


@pytest.mark.filterwarnings("ignore:.*for your eyes only")
@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_are_one_sentence_and_leave_nothing(frame, case):
    changes, sentence = REFUSALS[case]
    model = PrivateFactorization(**USER, simulate=1)
    model.set_params(**changes)
    with pytest.raises(InputError, match=sentence) as caught:
        model.fit(frame)
    assert "--" not in str(caught.value)
    assert not hasattr(model, "guarantee_")


def beyond(matrix):
    matrix.indices = matrix.indices + 9
    return matrix


TABLES = {
    "lacks a column": (
        lambda f: f.drop(columns="item"),
        "The frame: no column looks like the item; the columns are user, rating; name one with",
    ),
    "missing rating": (
        lambda f: f.assign(rating=[None, *f["rating"][1:]]),
        "Row 1: a finite number",
    ),
    "two columns": (lambda f: f[NAMES[:2]].to_numpy(), r"got an array of shape \(\d+, 2\)"),
    "text": (
        lambda f: f.to_numpy().astype(str),
        "The table is a NumPy array of text",
    ),
    "floats beyond": (
        lambda f: f.assign(user=2.0**53),
        "'user' holds labels as floating",
    ),
    "number": (
        lambda f: 5,
        "must be a data frame, rows .* a sparse matrix, got int",
    ),
    "rows that are dicts": (
        lambda f: f.to_dict("records"),
        "Row 1: 3 fields are expected, in a list or a tuple",
    ),
    "rows that are sets": (
        lambda f: [frozenset(row) for row in f.to_numpy().tolist()],
        "Row 1: 3 fields are expected, in a list or a tuple",
    ),
    "dates as ratings": (
        lambda f: f.assign(rating=pd.to_datetime(f["rating"], unit="us")),
        "Row 1: a finite number is expected",
    ),
    "a matrix in blocks": (
        lambda f: bsr_array(np.eye(4), blocksize=(2, 2)),
        "the format bsr cannot tell a rating of 0 from what is not rated: convert it with tocsr",
    ),
    "a matrix of three dimensions": (
        lambda f: coo_array(np.ones((2, 2, 2))),
        "must have two dimensions, and its entries must lie within them",
    ),
    "a matrix with entries beyond it": (
        lambda f: beyond(csr_array(np.eye(4))),
        "must have two dimensions, and its entries must lie within them",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_that_are_refused(frame, model, case):
    change, sentence = TABLES[case]
    with pytest.raises(InputError, match=sentence):
        fitted(change(frame), simulate=1)


@pytest.mark.parametrize("items", [b"abc", {"a", "b"}, frozenset("ab")])
def test_a_list_of_items_has_an_order(frame, items):
    with pytest.raises(InputError, match="items must be a list of labels, one column of a frame"):
        fitted(frame, items=items, simulate=1)


def test_a_refused_fit_leaves_none_of_an_earlier_one(frame):
    model = fitted(frame, simulate=1)
    with pytest.raises(InputError, match="no column looks like the item"):
        model.fit(frame.drop(columns="item"))
    assert not hasattr(model, "guarantee_")
    with pytest.raises(InputError, match="has nothing to tell before fit"):
        model.predict(frame)


def test_what_else_is_refused(frame, model, tmp_path):
    with pytest.raises(InputError, match="There are 3 items and 2 ratings"):
        fitted([("u", "a"), ("v", "b"), ("w", "c")], [1, 2])
    for use in ("predict", "recommend", "save"):
        with pytest.raises(InputError, match="has nothing to tell before fit"):
            getattr(PrivateFactorization(**USER), use)(frame)
    for given, sentence in (
        (frame, "These are ratings of several users"),
        (["a", "b"], "must be a mapping from items to ratings, a series, a frame, or a row of"),
        (csr_array(np.ones((2, 6))), "must be one row of a matrix"),
        ({"a": "good"}, "Row 1: a finite number"),
    ):
        with pytest.raises(InputError, match=sentence):
            model.recommend(given)
    with pytest.raises(InputError, match="n must be a whole number of at least 1, got 0"):
        model.recommend({}, n=0)
    model.save(tmp_path / "model")
    before = files_of(tmp_path / "model")
    with pytest.raises(InputError, match="exists; name another output, or give force"):
        model.save(tmp_path / "model")
    loaded = PrivateFactorization.load(tmp_path / "model")
    with pytest.raises(InputError, match="A loaded model holds nobody's ratings"):
        loaded.predict(every_pair())
    with pytest.raises(InputError, match="This model was loaded: copy the folder"):
        loaded.save(tmp_path / "copy")
    assert files_of(tmp_path / "model") == before
    with pytest.raises(InputError, match=r"holds no guarantee\.json"):
        PrivateFactorization.load(tmp_path)


def test_a_loaded_model_can_be_fitted_again(frame, model, tmp_path):
    model.save(tmp_path / "model")
    loaded = PrivateFactorization.load(tmp_path / "model")
    assert load(tmp_path / "model").labels == loaded.items
    given = loaded.get_params()
    assert (given["epsilon"], given["delta"], given["rating_range"]) == (20, 1e-9, (1, 5))
    assert (given["ratings_per_user"], given["relation"]) == (3, "user_add_remove")
    again = fitted(frame, **given)
    assert (again.guarantee_.epsilon, again.guarantee_.simulated) == (20, False)

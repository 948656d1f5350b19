"""scikit-learn's own checks of an estimator, as far as they apply, and its search of parameters.

Its checks give matrices of features. Two columns of these are taken for labels of users and items,
so that what is about parameters, attributes, copies and the shape of results is checked.
"""

import warnings

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")

from scipy.sparse import issparse
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import check_estimator

from dpmc import PrivateFactorization
from dpmc.fitting.book import read

ERROR = "neg_root_mean_squared_error"
FEATURES = "X has users and items, and no features to count or to name"
WORDS = "refused, in other words than scikit-learn's check_array has"
INAPPLICABLE = {
    "check_n_features_in": FEATURES,
    "check_n_features_in_after_fitting": FEATURES,
    "check_fit2d_1feature": WORDS,
    "check_fit2d_predict1d": WORDS,
    "check_complex_data": WORDS,
    "check_estimators_nan_inf": WORDS,
    "check_estimators_empty_data_messages": WORDS,
    "check_dtype_object": "ten columns are refused; test_estimator.py has tables of objects",
    "check_estimators_unfitted": "refused, but NotFittedError is scikit-learn's, and dpmc can do "
    "without scikit-learn",
}


class OfNumbers(PrivateFactorization):
    """Takes two columns of a matrix of real numbers, rounded down, for labels; else as it is."""

    def fit(self, X, y=None):
        if not _has_numbers(X):
            return super().fit(X, y)
        return super().fit(_labels(X), np.ones(len(X)) if y is None else y)

    def predict(self, X):
        return super().predict(_labels(X) if _has_numbers(X) else X)


def _has_numbers(X):
    if issparse(X):
        return False
    X = np.asarray(X)
    real = X.ndim == 2 and X.shape[1] > 1 and X.dtype.kind in "fiu"
    return real and len(X) > 0 and np.isfinite(X).all()


def _labels(X):
    return np.floor(4 * np.asarray(X)[:, [0, -1]]).astype(int)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_checks_that_apply():
    model = OfNumbers(
        epsilon=5, rating_range=(0, 1), items=range(-200, 1200), method="bias", simulate=1
    )
    found = check_estimator(model, on_fail=None, on_skip=None)
    names = {"passed": set(), "failed": set(), "skipped": set()}
    for each in found:
        names[each["status"]].add(each["check_name"])
    assert names["failed"] == set(INAPPLICABLE)
    assert names["skipped"] == {"check_array_api_input"}
    assert len(names["passed"]) > 20


@pytest.fixture
def table():
    users, items = np.divmod(np.arange(300), 10)
    return pd.DataFrame({"user": users, "item": items}), 1.0 + (users + items) % 5


@pytest.mark.filterwarnings("ignore:.*for your eyes only")
def test_cross_validation_and_search_of_simulated_fits(table):
    model = PrivateFactorization(
        epsilon=50, rating_range=(1, 5), items=range(10), method="als", rank=1, simulate=1
    )
    folds = KFold(3, shuffle=True, random_state=0)
    found = cross_val_score(model, *table, scoring=ERROR, cv=folds)
    assert found.shape == (3,)
    assert (found < 0).all()
    search = GridSearchCV(model, {"epsilon": [0.01, 50]}, scoring=ERROR, cv=folds).fit(*table)
    assert search.best_params_ == {"epsilon": 50}


def spending(ledger, **changes):
    given = {"epsilon": 50, "rating_range": (1, 5), "items": range(10), "method": "bias"}
    return PrivateFactorization(**given | {"ledger": ledger, "budget": (1000, 1e-3)} | changes)


SEARCHES = {
    "cross_val_score": lambda model, table: cross_val_score(model, *table, scoring=ERROR, cv=3),
    "in two processes": lambda model, table: cross_val_score(
        model, *table, scoring=ERROR, cv=3, n_jobs=2
    ),
    "GridSearchCV": lambda model, table: GridSearchCV(
        model, {"shrinkage": [1, 2]}, scoring=ERROR, cv=2
    ).fit(*table),
    "in a search": lambda model, table: cross_val_score(
        GridSearchCV(model, {"shrinkage": [1]}, scoring=ERROR, cv=2), *table, scoring=ERROR, cv=2
    ),
    "in a pipeline": lambda model, table: cross_val_score(
        Pipeline([("model", model)]), *table, scoring=ERROR, cv=3
    ),
}  # with the number of entries


@pytest.mark.parametrize(("search", "fits"), [*zip(SEARCHES, [3, 3, 5, 6, 3], strict=True)])
def test_a_search_with_a_ledger_warns_once_before_it_spends(search, fits, table, tmp_path):
    path, entries = tmp_path / "mine.ledger", []
    with warnings.catch_warnings():
        warnings.simplefilter("always")

        def show(message, *_):
            if "a copy spends the budget of" in str(message):
                entries.append(len(read(path).entries) if path.exists() else 0)

        warnings.showwarning = show
        SEARCHES[search](spending(path), table)
    assert entries == [0]
    assert len(read(path).entries) == fits


def test_no_search_of_simulated_fits_warns_of_a_ledger(table, tmp_path):
    model = spending(tmp_path / "mine.ledger", simulate=1)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*copy spends the budget")
        warnings.filterwarnings("ignore", ".*not private")
        cross_val_score(model, *table, scoring=ERROR, cv=2)
        cross_val_score(spending(None, budget=None), *table, scoring=ERROR, cv=2)
    assert not (tmp_path / "mine.ledger").exists()

"""Matrix completion within a privacy budget in a few lines of Python, like ``dpmc fit``."""

import inspect
import reprlib
import warnings
from collections.abc import Iterable, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import csr_array

from dpmc.errors import InputError, did_you_mean, refuse_unknown
from dpmc.fitting.compiling import noticed
from dpmc.fitting.fit import Fit, prepare
from dpmc.fitting.lists import Lists, lists_of
from dpmc.fitting.looks import Look
from dpmc.fitting.parameters import METHODS, described
from dpmc.fitting.ratings import (
    PreparedRatings,
    check_no_cluster,
    prepare_ratings,
    prepare_store,
)
from dpmc.methods.private import EVERY_RATING
from dpmc.methods.released import fit_folder
from dpmc.methods.released.verify import read_guarantee
from dpmc.methods.released.verify_fit import guarantee_in
from dpmc.privacy.guarantee import Guarantee
from dpmc.privacy.ledger import Ledger
from dpmc.publication.columns import matrix_of
from dpmc.publication.features import Features, features_of
from dpmc.publication.folder import check_output
from dpmc.publication.frames import lines_in, lines_of_one, pairs_in
from dpmc.publication.lists import places_in, restrict
from dpmc.publication.numbering import Labelled
from dpmc.publication.reading import OF_FILES, ROLES, USUAL, Reading, reading_of
from dpmc.publication.store import Store, is_store, opened
from dpmc.publication.table import Lines, resolve
from dpmc.ratings import Ratings
from dpmc.released import GUARANTEE, PublishedItems, load

if TYPE_CHECKING:
    from dpmc.methods.user_level.local_bayes.worth import Worth

Labels = str | PathLike[str] | Iterable[object]
"""A list of items or users, or the file that it is in."""

_OF_A_FIT = (
    "guarantee_", "published_", "worth_", "fell_back_to_", "steps_taken_back_", "spent_",
)  # fmt: skip


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateFactorization:
    """Learn items within a privacy budget; users predict for themselves.

    The guarantee covers what :meth:`save` writes, which is learnt of the items alone.
    :meth:`predict` and :meth:`recommend` combine it with one user's own ratings, without any noise.
    Show their results to that user and to nobody else. A fitted model contains the ratings, so pass
    it on with :meth:`save`, never with pickle.

    The noise is exact and comes from the operating system's random bits. A fit can therefore not be
    repeated; each one spends its budget again. No parameter may be taken from the ratings.

    Parameters are stored as given and checked by :meth:`fit`, as in scikit-learn. In defaults, B is
    half the rating range and S the standard deviation of the noise on a Gram matrix.

    Parameters
    ----------
    {parameters}
    columns : (str, str, str), optional
        Names of the columns of users, items and ratings in a frame or a file, where they are not
        found by usual ones such as userId, movieId and stars.
    missing : number, None, text, or list of these, optional
        Ratings that mean that an item was not rated, such as 0 or None.
    not_ratings : list of str, optional
        Columns that hold no ratings, in a table of which each row is a like.
    file_options : dict, optional
        How a file of ratings is read: "format", "separator", "encoding" and "columns", as the
        options of ``dpmc fit``.

    Attributes
    ----------
    guarantee_ : dpmc.privacy.guarantee.Guarantee
    worth_ : dpmc.methods.user_level.local_bayes.worth.Worth
        With ``report_error``: errors of the model and of biases, with noise, or None where noise
        hides them.
    fell_back_to_ : {None, "biases", "own means", "popularity"}
        With the methods ``bayes`` and ``ease``: what is published in place of the model that was
        learnt, because a noised comparison says that it is better. :meth:`fit` warns where there is
        one.
    steps_taken_back_ : int
        With the method ``bayes``: those that made the model worse, by noised numbers.
    spent_ : str
        With a ``ledger``: what its fits have spent together, in words.
    published_ : dpmc.released.PublishedItems
        All that predictions are made of besides a user's own ratings.

    Examples
    --------
    >>> import pandas as pd
    >>> from dpmc import PrivateFactorization
    >>> frame = pd.DataFrame(
    ...     {"user": [1, 1, 2, 2, 3, 3], "item": list("abbcac"), "rating": [5, 4, 4, 2, 5, 1]}
    ... )
    >>> model = PrivateFactorization(
    ...     epsilon=2, delta=1e-6, rating_range=(1, 5), items=["a", "b", "c"], simulate=0
    ... ).fit(frame)
    >>> model.guarantee_.epsilon, model.guarantee_.delta
    (2.0, 1e-06)
    >>> model.predict(frame).shape
    (6,)
    >>> list(model.recommend({"a": 5, "b": 4}, n=1))
    ['c']
    """

    epsilon: float
    delta: float = 1e-6
    rating_range: tuple[float, float] | None = None
    purpose: str | None = None
    likes_from: float | None = None
    items: Labels | None = None
    items_privately: float | None = None
    users: Labels | None = None
    relation: str = "user"
    ratings_per_user: int | None = None
    mechanism: str | None = None
    method: str | None = None
    rank: int | None = None
    iterations: int | None = None
    factor_bound: float | None = None
    residual_bound: float | None = None
    regularization: float | None = None
    user_regularization: float | None = None
    shrinkage: float | None = None
    item_features: object = None
    report_error: float | None = None
    simulate: int | None = None
    ledger: object = None
    budget: tuple[float, float] | None = None
    stop_if_remarks: bool = False
    columns: tuple[str, str, str] | None = None
    missing: object = None
    not_ratings: Iterable[str] = ()
    file_options: Mapping[str, object] | None = None

    guarantee_: Guarantee = field(init=False)
    worth_: "Worth" = field(init=False)
    fell_back_to_: str | None = field(init=False)
    steps_taken_back_: int = field(init=False)
    published_: PublishedItems = field(init=False)
    spent_: str = field(init=False)
    _warned = False

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters by name; ``deep`` makes no difference, as none has its own."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: object) -> Self:
        """Set parameters by name and return the model.

        Raises
        ------
        InputError
            An unknown name; nothing is set then.
        """
        known = self.get_params()
        for name in params:
            if name not in known:
                raise InputError(
                    f"{type(self).__name__} has no parameter '{name}'{did_you_mean(name, known)}."
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted copy for scikit-learn, whose searches fit one after the other.

        The first copy of a model, or of its copies, warns that each fit spends the ledger's budget.
        """
        if self.ledger is not None and self.simulate is None and not self._warned:
            self._warned = True
            warnings.warn(
                "scikit-learn copies this model, as for a search or a cross-validation: each fit "
                f"of a copy spends the budget of {self.ledger}. To compare settings, use public "
                "ratings with simulate and without ledger.",
                stacklevel=2,
            )
        given: dict[str, Any] = deepcopy(self.get_params())
        unfitted = type(self)(**given)
        unfitted._warned = self._warned
        return unfitted

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn, which asks before it splits tables or searches parameters."""
        from sklearn.utils import InputTags, Tags, TargetTags

        target, takes = TargetTags(required=False), InputTags(string=True)
        return Tags(None, target, input_tags=takes, non_deterministic=self.simulate is None)

    def __repr__(self) -> str:
        """Return the call that makes such an object, without defaults and long values cut short."""
        shown = []
        for name, parameter in inspect.signature(type(self)).parameters.items():
            text = " ".join(reprlib.repr(getattr(self, name)).split())
            if text != reprlib.repr(parameter.default):
                shown.append(f"{name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"

    # -- fit ----------------------------------------------------------------------------------

    def fit(self, X: object, y: object = None, *, client: Any = None) -> Self:
        """Learn the items and return the model.

        If a user rates an item more than once, the mean of these ratings counts. Warnings report
        remarks about the ratings, such as how many are of items that are not in the list; they are
        for the owner of the ratings only. A line on standard error announces compilation.

        Parameters
        ----------
        X : path, frame, sparse matrix, or array of shape (n, 3)
            What ``dpmc fit --ratings`` takes; a frame of pandas, polars (lazy or not), DuckDB or
            Arrow with columns of users, items and ratings, see ``columns``; a matrix of SciPy whose
            rows are users and whose columns are items, by number, and whose entries are ratings; or
            a :class:`dpmc.publication.store.Store`. Or, with ``y``, a frame of users and items, or
            an array of shape (n, 2).
        y : array of shape (n,), optional
            The ratings.
        client : distributed.Client, optional
            With a store: of a cluster of Dask, whose workers read it (docs/scale.md).

        Raises
        ------
        InputError
            A parameter out of its range or without the list that the guarantee rests on, a column
            that is missing, a row with a label or rating that is missing or none, a budget that
            cannot be met, or a ledger that has not enough left.
        """
        for name in (*_OF_A_FIT, "_fitted", "_own"):
            self.__dict__.pop(name, None)  # a fit that fails has none
        with noticed():
            ready, lists, ledger, features, prepared = self._prepared(X, y, client)
            look, model = ready.look(prepared, features), ready.model
            for each in look.remarks:
                warnings.warn(f"{each} (for your eyes only; save writes none of it)", stacklevel=2)
            ready.stop_if_asked(look)
            with ready.noting():
                ready.run(prepared.ratings, ledger, features)
        whence: dict[str, Any] = {"origins": lists.origins, "integers": lists.integers}
        self._fitted = model, whence
        # predictions see what is published, and that alone
        with ready.noting(), TemporaryDirectory() as place:
            self._write(Path(place) / "model")
            self.published_ = load(Path(place) / "model")
            if ready.book is not None:
                if ready.seed is None:
                    ready.book.name(Path(place) / "model" / GUARANTEE)
                self.spent_ = ready.book.sentence()
        ratings = prepared.ratings
        if not isinstance(ratings, Ratings):
            self._own: Any = ratings.source  # the store
        else:  # in which a private choice of items leaves others'
            self._own = ratings if ready.selection is None else self._listed(ratings)
        self.guarantee_ = fit_folder.with_origins(model.guarantee_, lists.origins)
        if model.tells_error:
            self.worth_ = model.worth_
        outcome = model.outcome()
        self._end(outcome)
        if outcome is not None and outcome["fell_back_to"] is not None:
            warnings.warn(str(model.outcome_in_words(**outcome)), stacklevel=2)
        return self

    def _end(self, outcome: dict | None) -> None:
        """Set how a fit ended, if its method can end in several ways."""
        if outcome is not None:
            for name, value in outcome.items():
                setattr(self, f"{name}_", value)

    def check(self, X: object, y: object = None, *, client: Any = None) -> Look:
        """Return facts and remarks about ratings before a fit; spend nothing and write nothing.

        Parameters and errors are as for :meth:`fit`. The result contains facts about people's
        ratings, so it is for the owner of the ratings only. Choose settings by the documentation of
        the data, not by this result.

        Returns
        -------
        dpmc.fitting.looks.Look
            With ``facts``, such as how many ratings are outside of the range, and ``remarks`` on
            what needs a look.
        """
        ready, _, _, features, prepared = self._prepared(X, y, client)
        return ready.look(prepared, features)

    def _prepared(
        self, X: object, y: object, client: Any
    ) -> tuple[Fit, Lists, Ledger, Features | None, PreparedRatings]:
        """Return a fit that would be made, and its ratings, read and looked at."""
        ready = prepare(self.get_params())
        lists = lists_of(X, self.get_params(), names_users=ready.names_users)
        features = features_of(self.item_features, self._reading().item)
        ledger, span = ready.ledger(), ready.rating_range
        store = self._store(X) if y is None else None
        if store is not None:
            blocks = ready.model.by_blocks
            prepared = prepare_store(store, span, lists, ready.rated, blocks, client)
        else:
            check_no_cluster(client)
            prepared = prepare_ratings(lines_in(X, y, self._reading(ready.rated)), span, lists)
        return ready, lists, ledger, features, prepared

    def _reading(self, rated: bool = True) -> Reading:
        """Return how tables are read."""
        names, files = self.columns, self.file_options
        if names is not None and (
            not isinstance(names, tuple | list) or not len(names) == len(set(names)) == 3
        ):
            raise InputError(
                "columns must be three names, of the columns of users, items and ratings, got "
                f"{names!r}."
            )
        if files is not None and not isinstance(files, Mapping):
            raise InputError(
                f"file_options must be a mapping such as {{'separator': ';'}}, got {files!r}."
            )
        refuse_unknown("option of files", files or (), OF_FILES)
        roles = dict(zip(ROLES, names or (), strict=False))
        return reading_of(
            missing=() if self.missing is None else self.missing,
            not_ratings=self.not_ratings,
            rated=rated,
            **roles,
            **(files or {}),
        )

    def _store(self, table: object) -> Store | None:
        """Return the store that is given or named; None if it is a table."""
        if isinstance(table, str | PathLike) and is_store(table):
            return opened(table, USUAL)
        return table if isinstance(table, Store) else None

    # -- what it is for -----------------------------------------------------------------------

    def predict(self, X: object, ratings: object = None) -> np.ndarray:
        """Return the predicted rating of each row, made of that user's own ratings.

        A user without ratings gets the items' offsets. An item that is not in the list gets the
        mean of the user's ratings, or without ratings the mean of the user's predictions. A warning
        gives the number of such items.

        Parameters
        ----------
        X : frame, sparse matrix, or array of shape (n, 2)
            With columns of users and items; others are not looked at.
        ratings : path, frame, sparse matrix, or array of shape (m, 3), optional
            The users' own ratings, in place of those of the fit, as for :meth:`fit`.

        Returns
        -------
        float64 array, shape (n,)
            Of a sparse matrix a csr_array of its shape, with predictions for its entries.

        Raises
        ------
        InputError
            There was no fit, a loaded model gets no ratings, or a table is not as it must be.
        """
        published, matrix = self._published(), matrix_of(X)
        reading = self._reading(published.rated)
        users, items = pairs_in(X if matrix is None else matrix, reading)
        for each in published.unknown(items.labels.tolist(), "a mean is predicted for such"):
            warnings.warn(each, stacklevel=2)
        own: Any = getattr(self, "_own", None) if ratings is None else ratings
        if own is None:
            raise InputError(
                "A loaded model holds nobody's ratings: give the users' own, predict(X, ratings)."
            )
        store = self._store(own)
        if store is not None:
            store.check_rated(published.rated)
            own = self._listed(store.ratings_of(users.labels.tolist(), published.clipped_to))
        elif ratings is not None:
            own = self._resolved(lines_in(ratings, None, reading))
        predicted = _predictions(published, own, users, items)
        if matrix is None:
            return predicted
        return csr_array((predicted, matrix.indices, matrix.indptr), matrix.shape)

    def recommend(self, user_ratings: object, n: int = 10) -> dict[str, float]:
        """Return the best items for one user, who need not have been in the fit.

        Parameters
        ----------
        user_ratings : mapping from items to ratings, frame, or row of a sparse matrix
            The user's own ratings; may be empty. Those of items that are not in the list are left
            out, and a warning says how many. For a ranking that was learnt from likes without
            ratings, a list of items will do.

        Returns
        -------
        dict
            Item -> predicted rating, or score of a ranking: the n best that the user did not rate,
            the best one first. They are ranked before predictions are clipped to the range of the
            ratings, so those that are told the highest rating are in order, too.

        Raises
        ------
        InputError
            There was no fit, ``n`` is no number, or the ratings are not as they must be.
        """
        published = self._published()
        own = lines_of_one(user_ratings, self._reading(published.rated))
        labels = own.items.labels[own.items.codes].tolist()
        return published.best_of(labels, own.values, n)

    def with_items(self, item_features: object) -> Self:
        """Return this model with new items, of which only features are known.

        Predictions for new items are learnt from the published factors and the features of the
        model's own items, at no cost of privacy (:mod:`dpmc.new_items`). The model need not have
        been fitted with features.

        Parameters
        ----------
        item_features : path or frame
            Like ``item_features`` of the class, with rows of the model's items and of new ones.

        Raises
        ------
        InputError
            There was no fit, what cannot be read, or features of fewer than two of the model's
            items.
        """
        published = self._published()
        features = features_of(item_features, self._reading().item)
        if features is None:
            raise InputError("with_items() needs features of items: a path, or a frame.")
        model = copy(self)
        model.published_ = published.with_items(features.labels, features.table)
        return model

    def _published(self) -> PublishedItems:
        if "published_" not in vars(self):
            raise InputError("PrivateFactorization has nothing to tell before fit().")
        return self.published_

    def _resolved(self, lines: Lines) -> Ratings:
        """Return one rating of each listed item, as :meth:`fit` does; warn of others."""
        published = self._published()
        unknown = published.unknown(lines.items.labels.tolist())
        for each in (*unknown, *published.outside(lines.values)):
            warnings.warn(each, stacklevel=3)
        return self._listed(resolve(lines, published.clipped_to))

    def _listed(self, ratings: Ratings) -> Ratings:
        """Return the ratings of the model's items, in its order."""
        return restrict(ratings, self.published_.labels, None)

    # -- folders ------------------------------------------------------------------------------

    def save(self, folder: str | PathLike[str], *, force: bool = False) -> None:
        """Write the folder for publication, the same as ``dpmc fit`` writes.

        ``dpmc complete`` and :meth:`load` read it, and ``dpmc verify`` checks it. With simulated
        noise the names of the files say so.

        Parameters
        ----------
        force : bool
            Replace an earlier one.

        Raises
        ------
        InputError
            There was no fit, or the folder exists, or cannot be written.
        """
        self._published()
        if "_fitted" not in vars(self):
            raise InputError("This model was loaded: copy the folder that it is from.")
        check_output(Path(folder), force, fit_folder.FILES.values(), "fit")
        self._write(Path(folder))

    def _write(self, folder: Path) -> None:
        model, whence = self._fitted
        fit_folder.write(folder, model, ("item_factors",), {}, **whence)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Self:
        """Return a model from a folder that :meth:`save` or ``dpmc fit`` wrote.

        The model contains no users: give their ratings to :meth:`predict` and :meth:`recommend`. It
        has the budget, the method and the parameters that all methods share; the others are in
        ``guarantee.json``. ``dpmc verify`` checks whether the folder is true.

        Raises
        ------
        InputError
            There is no such folder, or something else is in it.
        """
        folder = Path(folder)
        _, stated = read_guarantee(folder)
        published, constants = load(folder), stated["constants"]
        names = {target: name for name, target in METHODS.items()}
        per_user = constants.get("ratings_per_user")
        guarantee = guarantee_in(stated)
        chosen = guarantee.listed
        model = cls(
            **{name: stated[name] for name in fit_folder.BUDGET},
            rating_range=published.clipped_to,
            likes_from=constants.get("likes_from"),
            ratings_per_user=None if per_user == EVERY_RATING else per_user,
            method=names.get(stated["method"]),
            items=None if chosen else published.labels,
            items_privately=chosen.share if chosen else None,
        )
        model.published_, model.guarantee_ = published, guarantee
        model._end(stated.get("outcome"))
        return model


# said once, where the options of the command line are made of them, too
PrivateFactorization.__doc__ = str(PrivateFactorization.__doc__).replace(
    "{parameters}", indent(described(), "    ").lstrip()
)


def _predictions(
    published: PublishedItems, own: Ratings, users: Labelled, items: Labelled
) -> np.ndarray:
    """Return the predicted rating of each pair, shape (n_pairs,), of that user's own ratings.

    The own ratings are of items that are published. A user without any is predicted what the items
    are like; of an item that is not there see :meth:`PublishedItems.elsewhere`.
    """
    known = {label: index for index, label in enumerate(np.asarray(own.user_labels).tolist())}
    place, theirs = places_in(published.labels, items.labels), own.by_user
    unknown, predicted = published.complete({}), np.empty(users.codes.size)
    order = np.argsort(users.codes, kind="stable")
    ends = np.cumsum(np.bincount(users.codes, minlength=users.labels.size))
    for label, rows in zip(users.labels.tolist(), np.split(order, ends[:-1]), strict=False):
        mine, values = np.empty(0), unknown
        if label in known:
            some = theirs.some(known[label], known[label] + 1)
            mine = some.values
            values = published.complete_rows(some.indptr, some.indices, mine)[0]
        at = place[items.codes[rows]]
        predicted[rows] = np.where(at >= 0, values[at], published.elsewhere(mine, values))
    return predicted

"""Predictions for one person from a released model and that person's ratings; needs only NumPy.

With a guarantee at user level, only the item factors may be published. Each user then solves one
small ridge regression with them (the billboard lemma: Hsu et al. 2014, see
:mod:`dpmc.privacy.relations`). The result depends on the user's own ratings and on public data, and
is for that user alone. ``dpmc complete`` uses this module; the script of a page
(:mod:`dpmc.publication.page`) does the same in a browser.

A server that shows recommendations needs this module and NumPy (docs/python.md explains how):

>>> model = dpmc.released.load("model")
>>> model.best({"film 3": 5, "film 7": 2}, 10)
"""

import csv
import json
import math
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, pairwise
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import numpy as np

from dpmc import ties
from dpmc.errors import InputError
from dpmc.files import file_digest
from dpmc.labels import label
from dpmc.new_items import Expected, expected
from dpmc.numerals import to_number

GUARANTEE, ITEM_FACTORS = "guarantee.json", "item_factors.csv"
SIMULATED = "simulated_"
"""Prefix of files whose noise was simulated, so that nobody publishes them by mistake."""
LARGEST_FACTOR = 1e100
"""Beyond any that a fit can publish: sums of squares of such are still numbers."""
TEXT, INTEGERS = "text", "integers"
"""What the public list of items held, and what recommendations name them by."""
_INTEGER = re.compile("0|-?[1-9][0-9]*")


@dataclass(frozen=True)
class Way:
    """A way to predict from a published model; each method has one, and its folder states it.

    Attributes
    ----------
    sentence : str
        In ``guarantee.json``, by which :func:`load` knows what to do.
    columns : tuple of str
        Columns of the file of item factors, before the factors.
    regularization : str, optional
        The setting of the method that is lambda of a user's regression; 1 if not given.
    """

    sentence: str
    columns: tuple[str, ...]
    regularization: str | None = None


RIDGE = Way(
    "item offset + user factors . item factors, clipped to the rating range; a user's factors "
    "are (V^T V + user_regularization I)^-1 V^T y, V the factors of the items that the user "
    "rated and y the ratings less the items' offsets, clipped to half the range",
    ("item", "offset"),
    "user_regularization",
)
OFFSETS = Way(  # RIDGE where V is a column of ones
    "item offset + user offset, clipped to the rating range; a user's offset, the only factor, is "
    "the sum of the ratings less the items' offsets, each clipped to half the range, divided by "
    "their number plus shrinkage",
    ("item", "offset"),
    "shrinkage",
)
WEIGHTED = Way(
    "item offset + user factors . item factors, clipped to the rating range; a user's factors are "
    "(V^T P V + I)^-1 V^T P y, V the factors and P the diagonal of the precisions of the items "
    "that the user rated and y the ratings less their offsets",
    ("item", "offset", "precision"),
)
SCORES = Way(
    "a score, by which items are ranked: item offset + item scale x item factors . user factors; "
    "a user's factors are the sum of the factors of the items that the user likes",
    ("item", "offset", "scale"),
)
WAYS = {way.sentence: way for way in (RIDGE, OFFSETS, WEIGHTED, SCORES)}


@dataclass(frozen=True, eq=False, repr=False)
class PublishedItems:
    """Item factors with the public constants that it takes to use them.

    Attributes
    ----------
    labels : list of str
        Labels of the items, see :mod:`dpmc.labels`.
    offsets : float64 array, shape (n_items,)
        Predicted ratings of a user whose factors are zero.
    factors : float64 array, shape (n_items, rank)
    rating_range : (float, float)
        Predictions are clipped to it, after items were ranked by them.
    regularization : float
        lambda > 0 of a user's regression.
    precisions : float64 array, shape (n_items,), optional
        Weights of ratings in a user's regression, on what the items' offsets leave of them,
        unclipped; 1 if not given.
    integers : bool
        Whether the public list of items had integers: then :meth:`best` returns integers.
    by_features : float64 array, shape (n_items, 1 + rank), optional
        The offset and the factors that features make expected of each item, see
        :meth:`with_items`.
    n_new : int
        Number of new items at the end, of which only features are known.
    """

    labels: list[str]
    offsets: np.ndarray
    factors: np.ndarray
    rating_range: tuple[float, float]
    regularization: float
    precisions: np.ndarray | None = None
    integers: bool = field(default=False, kw_only=True)
    by_features: np.ndarray | None = field(default=None, kw_only=True)
    n_new: int = field(default=0, kw_only=True)

    value = "prediction"
    """What :meth:`complete` tells of an item, in a word."""

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}: {len(self.labels):,} items, {self.factors.shape[1]} factors>"
        )

    @property
    def rated(self) -> bool:
        """Whether it needs users' ratings, and not only their likes."""
        return True

    @property
    def clipped_to(self) -> tuple[float, float] | None:
        """The range that ratings and predictions are clipped to; None where neither is."""
        return self.rating_range

    def shown(self, values: np.ndarray) -> np.ndarray:
        """Return the values to show for items that are ranked by these values."""
        return np.clip(values, *self.rating_range)

    def unknown(self, labels: Iterable[str], then: str = "ratings of such were left out") -> list:
        """Return a remark on how many of these items are not here, if there are any."""
        count = sum(each not in self._places for each in labels)
        have = "item has" if count == 1 else "items have"
        return [f"{count} {have} no factors; {then}"] if count else []

    def outside(self, values: np.ndarray) -> list[str]:
        """Return a remark on how many ratings are outside of the range, if there are any."""
        if self.clipped_to is None:
            return []
        low, high = self.clipped_to
        return self.clipped(int(np.count_nonzero((values < low) | (values > high))))

    def clipped(self, count: int) -> list[str]:
        """Return a remark on so many ratings outside of the range, if there are any."""
        if not count or self.clipped_to is None:
            return []
        were = "rating was" if count == 1 else "ratings were"
        low, high = self.clipped_to
        return [f"{count} {were} clipped to the range {low:g} to {high:g}"]

    def with_items(self, labels: Sequence[object], features: Any) -> Self:
        """Return the model with further items, of which only features are known.

        Expected parameters are learnt from the model's items that have features here, see
        :mod:`dpmc.new_items`. This costs no privacy, as long as no feature depends on a rating. The
        prediction of a new item is the expected one plus the amount by which the user rated other
        items higher than expected.

        Parameters
        ----------
        labels : sequence
            Items, those of the model and new ones, each once.
        features : array, shape (n_labels, n_features)
            Numbers that are publicly known of them, such as a year and 0 or 1 for each genre; NaN
            for what is not known.

        Raises
        ------
        InputError
            Shapes that do not agree, an infinite number, an item twice, a label that is no integer
            where those of the model are, features of fewer than two items of the model, or new
            items were added before.
        """
        names = [label(each) for each in labels]
        try:
            table = np.array(features, dtype=float)
        except (TypeError, ValueError):
            raise InputError("Features of items must be a table of numbers.") from None
        if table.ndim != 2 or len(table) != len(names) or np.isinf(table).any():
            raise InputError(
                f"Features of {len(names)} items must be a table of {len(names)} rows of finite "
                "numbers, NaN for what is not known."
            )
        row_of = {name: row for row, name in enumerate(names)}
        if len(row_of) < len(names):
            raise InputError("An item has two rows of features: give it one.")
        if self.n_new:
            raise InputError("This model has new items already: add all to the model at once.")
        added = [name for name in names if name not in self._places]
        if self.integers and not all(map(_INTEGER.fullmatch, added)):
            raise InputError("The items of the model are integers, and a new one is not.")
        known = [place for place, name in enumerate(self.labels) if name in row_of]
        if len(known) < 2:
            raise InputError(
                f"{len(known)} of the model's items have features here: without these of at least "
                "two, nothing can be learnt for new ones."
            )
        everything = [*self.labels, *added]
        none = np.full(table.shape[1], np.nan)
        rows = np.array([table[row_of[name]] if name in row_of else none for name in everything])
        found = expected(rows[known], self._numbers()[known], rows)
        return replace(self, labels=everything, n_new=len(added), **self._extended(found))

    def _numbers(self) -> np.ndarray:
        """Return what is learnt of new items, an item by row: the offset, and the factors."""
        return np.column_stack([self.offsets, self.factors])

    def _extended(self, found: Expected) -> dict[str, Any]:
        """Return the arrays of a model with new items, of what is expected of all items."""
        by_features = found.values[:, : 1 + self.factors.shape[1]]
        new = by_features[len(self.labels) :]
        precisions = self.precisions
        if precisions is not None:
            # users' factors have variance 1
            of_one = np.mean(1 / precisions) + found.variances.sum()
            precisions = np.append(precisions, np.full(len(new), 1 / of_one))
        return {
            "offsets": np.append(self.offsets, new[:, 0]),
            "factors": np.vstack([self.factors, new[:, 1:]]),
            "precisions": precisions,
            "by_features": by_features,
        }

    def higher(
        self, indptr: np.ndarray, items: np.ndarray, values: np.ndarray, users: np.ndarray
    ) -> np.ndarray:
        """Return by how much users rate items above what features predict, shape (n_users,).

        The mean of a user with n ratings is multiplied by n/(n + 1).

        Parameters
        ----------
        indptr, items, values
            See :meth:`complete_rows`.
        users : float64 array, shape (n_users, rank)
            Results of :meth:`solve`.
        """
        if self.by_features is None:
            return np.zeros(len(users))
        numbers = np.diff(indptr)
        told = self.by_features[items]
        left = values - told[:, 0] - (told[:, 1:] * np.repeat(users, numbers, axis=0)).sum(axis=1)
        sums = [math.fsum(left[begin:end]) for begin, end in pairwise(indptr.tolist())]
        return np.array(sums) / (numbers + 1)

    def told(self, labels: Iterable[str]) -> list:
        """Return labels of items in the type that the public list had."""
        return [int(each) if self.integers else each for each in labels]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.labels)}

    @cached_property
    def _columns(self) -> np.ndarray:
        """The factors, one by one: products with a vector take half the time."""
        return np.ascontiguousarray(self.factors.T)

    def solve(self, items: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return one user's factors (V^T P V + lambda I)^-1 V^T P (x - offset).

        Parameters
        ----------
        items : integer array, shape (n,)
            Positions of the rated items.
        values : array, shape (n,)
            Ratings; clipped to the range, and less the items' offsets to half its length either
            way.

        Returns
        -------
        float64 array, shape (rank,)
        """
        rows, weighted = self._weighted(items)
        low, high = self.rating_range
        values = np.clip(values, low, high)
        left = values - self.offsets[items]
        if self.precisions is None:
            left = np.clip(left, (low - high) / 2, (high - low) / 2)
        return np.linalg.solve(self._system(rows, weighted), weighted.T @ left)

    def complete(self, ratings: dict[str, float], *, clipped: bool = True) -> np.ndarray:
        """Return predictions of all items for one user.

        Parameters
        ----------
        ratings : dict
            The user's own ratings by item; may be empty. Those of items that are not in the model
            are left out, and those outside of the range are clipped; a warning says how many. If
            two keys are the same item, as 1 and "1" are, their mean counts. Of likes without
            ratings a list of items will do.
        clipped : bool
            See :meth:`complete_rows`.

        Returns
        -------
        float64 array, shape (n_items,)

        Raises
        ------
        InputError
            Ratings that are no mapping, or one that is no finite number.
        """
        items, values = self._known(*self._pairs(ratings))
        return self.complete_rows(np.array([0, items.size]), items, values, clipped=clipped)[0]

    def complete_rows(
        self, indptr: np.ndarray, items: np.ndarray, values: np.ndarray, *, clipped: bool = True
    ) -> np.ndarray:
        """Return predictions of all items for many users, each from that user's ratings alone.

        Users are computed one by one. One product of matrices for all would save one second of five
        for 70,000 users and 10,000 items, but the last digits of a user's predictions would depend
        on the other users.

        Parameters
        ----------
        indptr : integer array, shape (n_users + 1,)
            User u has the ratings ``indptr[u]`` up to ``indptr[u + 1]``.
        items, values : arrays, shape (n_ratings,)
            Positions of the rated items, and the ratings.
        clipped : bool
            Whether to clip to the range. Ranking does not clip: all beyond an end would tie.

        Returns
        -------
        float64 array, shape (n_users, n_items)
        """
        matrix = np.empty((indptr.size - 1, len(self.labels)))
        for row, (begin, end) in zip(matrix, pairwise(indptr.tolist()), strict=True):
            own = items[begin:end], values[begin:end]
            user = self.solve(*own)
            np.matmul(user, self._columns, out=row)
            row += self.offsets
            if self.n_new:
                row[-self.n_new :] += self.higher(np.array([0, end - begin]), *own, user[None])
        return self.shown(matrix) if clipped else matrix

    def deviations(self, ratings: dict[str, float]) -> np.ndarray | None:
        """Return standard deviations of one user's ratings of all items around their predictions.

        Given a user's ratings, the factors are normal around the result of :meth:`solve`, with
        covariance C = (V^T P V + lambda I)^-1, where P has the precisions p. A rating of item j has
        the variance 1/p_j around its mean given the factors; this includes the item's uncertainty
        due to the noise of privacy. Without clipping, the deviation is sqrt(v_j^T C v_j + 1/p_j).

        Parameters
        ----------
        ratings : dict
            See :meth:`complete`.

        Returns
        -------
        float64 array, shape (n_items,), or None
            Standard deviations; None of a model that says nothing of them.
        """
        if self.precisions is None:
            return None
        rows, weighted = self._weighted(self._known(*self._pairs(ratings))[0])
        spread = np.linalg.solve(self._system(rows, weighted), self._columns)
        return np.sqrt((self._columns * spread).sum(axis=0) + 1 / self.precisions)

    def _pairs(self, ratings: Any) -> tuple[list[str], np.ndarray]:
        """Return the labels of what a user rated, and the ratings, or refuse them."""
        if not self.rated and isinstance(ratings, list | tuple | set):
            ratings = dict.fromkeys(ratings, 1.0)
        if not isinstance(ratings, Mapping):
            raise InputError(
                "One user's ratings must be a mapping from items to ratings; of a pandas Series s, "
                "give s.to_dict()."
            )
        values = np.array([to_number(each) for each in ratings.values()], dtype=float)
        if not np.isfinite(values).all():
            raise InputError("A user's ratings must be finite numbers.")
        return [label(each) for each in ratings], values

    def _known(self, labels: Sequence[str], values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and ratings of the items that are here, one for each; warn of others."""
        for remark in (*self.unknown(set(labels)), *self.outside(values)):
            warnings.warn(remark, stacklevel=4)
        if self.clipped_to is not None:
            values = np.clip(values, *self.clipped_to)
        said: dict[int, list[float]] = {}
        for each, value in zip(labels, values.tolist(), strict=True):
            if each in self._places:
                said.setdefault(self._places[each], []).append(value)
        means = [math.fsum(each) / len(each) for each in said.values()]
        return np.array([*said], dtype=int), np.array(means, dtype=float)

    def _weighted(self, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = self.factors[items]
        return rows, rows if self.precisions is None else rows * self.precisions[items, None]

    def _system(self, rows: np.ndarray, weighted: np.ndarray) -> np.ndarray:
        return weighted.T @ rows + self.regularization * np.eye(rows.shape[1])

    def elsewhere(self, ratings: np.ndarray, values: np.ndarray) -> float:
        """Return the prediction for an item outside the model.

        It is the mean of the user's ratings, or without ratings the mean of the user's predictions.
        """
        return float(np.mean(ratings if ratings.size else values))

    def best(self, ratings: Any, n: int) -> dict[Any, float]:
        """Return item -> prediction of the n best that a user did not rate, the best one first.

        Ranked by the prediction before it is clipped, ties in the order of the items.

        Parameters
        ----------
        ratings : dict
            See :meth:`complete`.

        Raises
        ------
        InputError
            ``n`` is no whole number of at least 1, or see :meth:`complete`.
        """
        return self.best_of(*self._pairs(ratings), n)

    def best_of(self, labels: Sequence[str], ratings: np.ndarray, n: int) -> dict[Any, float]:
        """Return the result of :meth:`best`, for labels and as many ratings."""
        if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
            raise InputError(f"n must be a whole number of at least 1, got {n!r}.")
        items, own = self._known(labels, ratings)
        rows = np.array([0, items.size])
        values = self.complete_rows(rows, items, own, clipped=False)[0]
        order = ties.descending(values, float(ties.margin(values))).tolist()
        rated = set(items.tolist())
        chosen = [*islice((each for each in order if each not in rated), min(int(n), len(order)))]
        shown = self.shown(values)[chosen].tolist()
        return dict(zip(self.told(self.labels[each] for each in chosen), shown, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class PublishedRanking(PublishedItems):
    """Published data to rank items by a user's own likes.

    A user's score of item j is offset_j + scale_j factors_j . sum of the factors of the user's
    likes. It has no unit and is not clipped.

    Attributes
    ----------
    scales : float64 array, shape (n_items,)
    likes_from : float or None
        Smallest rating that is a like; None: every item that a user names is one.
    """

    scales: np.ndarray = field(kw_only=True)
    likes_from: float | None = None

    value = "score"

    @property
    def clipped_to(self) -> None:
        return None

    @property
    def rated(self) -> bool:
        return self.likes_from is not None

    def shown(self, values: np.ndarray) -> np.ndarray:
        return values

    def _numbers(self) -> np.ndarray:
        return np.column_stack([super()._numbers(), np.log(self.scales)])

    def _extended(self, found: Expected) -> dict[str, Any]:
        new = found.values[len(self.labels) :]
        scales = np.append(self.scales, np.exp(new[:, -1]))
        # scores have no unit in which a user could be higher than others
        return super()._extended(found) | {"scales": scales, "by_features": None}

    def elsewhere(self, ratings: np.ndarray, values: np.ndarray) -> float:
        """Return the mean score of the items that are here."""
        return float(np.mean(values))

    @cached_property
    def _columns(self) -> np.ndarray:
        return np.ascontiguousarray((self.scales[:, None] * self.factors).T)

    def solve(self, items: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the sum of the factors of one user's likes."""
        if self.likes_from is not None:
            items = items[values >= self.likes_from]
        return self.factors[items].sum(axis=0)


def load(folder: str | Path) -> PublishedItems:
    """Return the published items of a folder that ``dpmc fit`` wrote.

    Raises
    ------
    InputError
        There is no such folder, or something else is in it, such as a part of a file that was
        copied. Whether it keeps what it states, ``dpmc verify`` says.
    """
    path = Path(folder)
    prefix = SIMULATED if (path / (SIMULATED + GUARANTEE)).exists() else ""
    try:
        stated = json.loads((path / (prefix + GUARANTEE)).read_text("utf-8"))
        file, digest = path / (prefix + ITEM_FACTORS), stated["files"][prefix + ITEM_FACTORS]
        constants, way = stated["constants"], WAYS.get(stated["prediction"])
        if way is None:
            raise ValueError("it predicts in a way that this version of dpmc does not know")
        columns = way.columns
        low, high = (float(end) for end in constants["rating_range"])
        regularization = 1.0
        if way.regularization is not None:
            regularization = float(constants[way.regularization])
        if not (math.isfinite(high - low) and low < high and 0 < regularization < math.inf):
            raise ValueError("rating_range or user_regularization is none")
        likes_from = constants.get("likes_from")
        integers = stated["lists"]["items"]["labels"] == INTEGERS
        if not (likes_from is None or math.isfinite(likes_from)):
            raise ValueError("likes_from is none")
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from None
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        what = f"{GUARANTEE} has no {error}" if isinstance(error, KeyError) else error
        raise InputError(
            f"{path} holds no output of dpmc fit ({what}): name a folder that dpmc fit wrote."
        ) from None
    labels, table = read_factors(file, columns)
    if len(set(labels)) < len(labels):
        raise InputError(f"{file} names an item twice.")
    if integers and not all(map(_INTEGER.fullmatch, labels)):
        raise InputError(f"{file} holds labels that are no integers, as guarantee.json says.")
    if not (np.abs(table) < LARGEST_FACTOR).all():
        raise InputError(f"{file} holds a number that is not finite, or far too large.")
    third: Any = None
    if len(columns) == 3:
        third = table[:, 1]
        if not (third > 0).all():
            raise InputError(f"{file} holds a {columns[2]} that is not above 0.")
    if file_digest(file) != digest:
        raise InputError(
            f"{file} is not the file that {GUARANTEE} was written for: copy the whole folder again."
        )
    items = labels, table[:, 0], table[:, len(columns) - 1 :], (low, high), regularization
    if way is SCORES:
        return PublishedRanking(*items, scales=third, likes_from=likes_from, integers=integers)
    return PublishedItems(*items, third, integers=integers)


def read_factors(path: Path, names: tuple[str, ...]) -> tuple[list[str], np.ndarray]:
    """Return the labels and the numbers, shape (n_labels, columns - 1), of a file of factors.

    ``names`` are the columns before the factors: the label and, for items, the offset.
    """
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            header, *rows = csv.reader(stream)
        columns = [*names, *(f"factor_{k + 1}" for k in range(len(header) - len(names)))]
        if header != columns or {len(row) for row in rows} - {len(header)}:
            raise ValueError("its columns are others")
        table = np.array([[float(x) for x in row[1:]] for row in rows])
        return [row[0] for row in rows], table.reshape(len(rows), len(header) - 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, IndexError, csv.Error) as error:
        raise InputError(f"{path} holds no factors ({error}).") from None

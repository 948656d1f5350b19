"""The base of all methods: parameters and their checks, fits, predictions from factors."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from functools import partial
from numbers import Integral, Real

import numpy as np

from dpmc.errors import InputError, did_you_mean
from dpmc.ratings import Ratings

STARTS = ("normal", "uniform")
"""Laws of the entries of random starting factors: N(0, 1) and U(0, 1)."""

PAIRS_AT_A_TIME = 1 << 17
"""In pieces, as each pair takes 2 rank numbers of memory."""


class Method(ABC):
    """A model of a rating matrix.

    The constructor takes hyper-parameters by keyword and raises InputError for those out of range.
    ``fit`` stores its results in attributes that end in an underscore. A class declares its own
    parameters as fields, made by :func:`count` and similar functions; :func:`with_parameters` makes
    the constructor from these and the inherited ones.
    """

    takes_features = False
    """Whether :meth:`fit` takes ``item_features``, what is publicly known of the items."""

    ranks = False
    """Whether predictions are scores, of no unit, by which items are ranked."""

    def __post_init__(self) -> None:
        """Check what the constructor was given; None stays where it is the default."""
        for each in fields(self):
            value = getattr(self, each.name)
            if "check" in each.metadata and not (value is None and each.default is None):
                setattr(self, each.name, each.metadata["check"](each.name, value))

    @abstractmethod
    def fit(
        self,
        ratings: Ratings,
        *,
        rng: np.random.Generator,
        noise_rng: np.random.Generator | None = None,
        callback: Callable[[int, "Method"], None] | None = None,
    ) -> "Method":
        """Fit the model and return it.

        Parameters
        ----------
        ratings : Ratings
            Not modified. Their order does not matter.
        rng : numpy.random.Generator
            Draws the starting values and nothing else. An integer seed will do.
        noise_rng : numpy.random.Generator
            Draws the noise of the mechanism; needed only if there is one.
        callback : callable, optional
            Called as ``callback(iteration, model)`` after each outer iteration, counted from 1.

        Raises
        ------
        InputError
            No ratings, a missing generator, or factors that overflowed.
        """

    @abstractmethod
    def predict_matrix(self) -> np.ndarray:
        """Return all predicted ratings, shape (n_users, n_items)."""

    @abstractmethod
    def _predict_pairs(self, users: np.ndarray, items: np.ndarray) -> np.ndarray:
        """Return predictions for checked indices."""

    def predict(self, users: np.ndarray, items: np.ndarray) -> np.ndarray:
        """Return predicted ratings for pairs.

        Parameters
        ----------
        users, items : integer arrays of one shape
            Indices of the matrix that the model was fitted to.

        Raises
        ------
        InputError
            The model was not fitted, or an index is no integer or out of range.
        """
        if not hasattr(self, "shape_"):
            raise InputError(f"{type(self).__name__} has no predictions before fit().")
        users, items = np.asarray(users), np.asarray(items)
        if users.shape != items.shape:
            raise InputError(
                f"users and items must have one shape, got {users.shape} and {items.shape}."
            )
        for name, index, size in zip(("users", "items"), (users, items), self.shape_, strict=True):
            if index.size and index.dtype.kind not in "iu":
                raise InputError(f"{name} must be integers, got {index.dtype}.")
            if index.size and (index.min() < 0 or index.max() >= size):
                raise InputError(
                    f"{name} must lie in 0..{size - 1}, got {index.min()}..{index.max()}."
                )
        return self._predict_pairs(users.astype(np.intp), items.astype(np.intp))


class FactorModel(Method):
    """A model whose predictions are inner products of ``user_factors_`` and ``item_factors_``."""

    user_factors_: np.ndarray
    item_factors_: np.ndarray

    def predict_matrix(self) -> np.ndarray:
        """Return all predicted ratings, shape (n_users, n_items)."""
        return self.user_factors_ @ self.item_factors_.T

    def _predict_pairs(self, users, items):
        users, items, shape = users.ravel(), items.ravel(), users.shape
        products = np.empty(users.size, np.result_type(self.user_factors_, self.item_factors_))
        for first in range(0, users.size, PAIRS_AT_A_TIME):
            some = slice(first, first + PAIRS_AT_A_TIME)
            left, right = self.user_factors_[users[some]], self.item_factors_[items[some]]
            products[some] = np.einsum("pr,pr->p", left, right)
        return products.reshape(shape)


def check_ratings(ratings: Ratings) -> None:
    """Raise InputError unless there is at least one rating."""
    if not isinstance(ratings, Ratings):
        raise InputError(f"ratings must be dpmc.ratings.Ratings, got {type(ratings).__name__}.")
    if len(ratings) == 0:
        raise InputError(f"{ratings.name}: there are no ratings to learn from.")


def check_positive(name: str, value: float, *, zero: bool = False, infinite: bool = False) -> float:
    """Return a positive number as float, or raise InputError; optionally allow 0 or infinity."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    above = real and (value > 0 or (zero and value == 0))
    if not above or (np.isinf(value) and not infinite):
        allowed = "at least 0" if zero else "a number above 0"
        raise InputError(f"{name} must be {allowed}, got {value!r}.")
    return float(value)


def check_number(name: str, value: float) -> float:
    """Return a finite number as float, or raise InputError."""
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(value):
        raise InputError(f"{name} must be a finite number, got {value!r}.")
    return float(value)


def check_count(name: str, value: int) -> int:
    """Return an integer of at least 1, or raise InputError."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise InputError(f"{name} must be an integer of at least 1, got {value!r}.")
    return int(value)


def check_choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return a value that is one of those allowed, or raise InputError."""
    if value not in allowed:
        known = " or ".join(f"'{choice}'" for choice in allowed)
        raise InputError(f"{name} must be {known}, got {value!r}{did_you_mean(value, allowed)}.")
    return value


def check_flag(name: str, value: bool) -> bool:
    """Return True or False, or raise InputError."""
    return bool(check_choice(name, value, (True, False)))


def check_share(name: str, value: float, *, zero: bool = True) -> float:
    """Return a number from 0 to 1, or raise InputError; 0 itself only if ``zero``."""
    value = check_positive(name, value, zero=zero)
    if value > 1:
        raise InputError(f"{name} must be a share, at most 1, got {value!r}.")
    return value


def check_generator(name: str, rng: np.random.Generator | int | None) -> np.random.Generator:
    """Return a generator, made from a seed if need be; None would not be repeatable."""
    if rng is None:
        raise InputError(f"{name} is needed: a numpy.random.Generator or a seed.")
    return np.random.default_rng(rng)


def with_parameters(cls: type) -> type:
    """Give a method's class a constructor of the parameters that it declares and inherits.

    Every annotated name of the class is one: leave other attributes without an annotation.
    """
    return dataclass(cls, kw_only=True, eq=False, repr=False)


def parameter(check: Callable[[str, object], object], default: object = MISSING):
    """Declare a parameter that ``check(name, value)`` checks and converts."""
    return field(default=default, metadata={"check": check})


def count(default: object = MISSING):
    """Declare an integer of at least 1."""
    return parameter(check_count, default)


def number(default: object = MISSING):
    """Declare a finite number."""
    return parameter(check_number, default)


def positive(default: object = MISSING, **allowed: bool):
    """Declare a positive number; ``allowed`` are ``zero`` and ``infinite``."""
    return parameter(partial(check_positive, **allowed), default)


def share(default: object = MISSING, **allowed: bool):
    """Declare a number from 0 to 1; ``zero=False`` leaves 0 out."""
    return parameter(partial(check_share, **allowed), default)


def choice(allowed: tuple[str, ...], default: object = MISSING):
    """Declare one of some words."""
    return parameter(partial(check_choice, allowed=allowed), default)


def flag(default: object = MISSING):
    """Declare a truth value."""
    return parameter(check_flag, default)

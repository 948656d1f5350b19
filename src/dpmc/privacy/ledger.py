"""The ledger: every calibrated method sees the ratings only through it.

A run of n releases, each with noise scaled to its own sensitivity, is the n-fold adaptive
composition of one mechanism at sensitivity 1. The ledger checks that a method makes the n releases
for which the noise was calibrated. Audits use the same ledger with :class:`Replay` as noise.

Gaussian noise allows unequal shares: a release with noise scaled to w times its sensitivity counts
as w^-2 of a release, because Gaussian mechanisms with mu_1, mu_2, ... compose to one with mu^2 =
mu_1^2 + mu_2^2 + ... (Dong, Roth and Su, "Gaussian differential privacy", JRSS B 2022, corollary
3.3). The ledger adds up these parts.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.privacy.release import LEAST_SHARE

_ROUNDING = 1e-9
"""Relative, in sums of shares."""

_ANY = Gaussian()
"""What noise that names no mechanism is taken for: it only replays, or is none, in audits."""


class PrivacyViolation(RuntimeError):
    """A method violated its guarantee: a fault of the program, not of its input."""


class Noise(Protocol):
    """The interface of noise, which turns a query into an output.

    Noise for :meth:`Ledger.select` has two extensions: ``add`` takes ``changed``, the most
    coordinates in which neighbours differ (by default all), and ``upper(probability, sensitivity,
    changed)`` returns a number that such noise exceeds with at most this probability.
    """

    simulated: bool

    def add(self, query: np.ndarray, sensitivity: float) -> np.ndarray:
        """Return ``query`` with noise scaled to ``sensitivity``, of the same shape."""


class FloatNoise:
    """Noise from a seeded generator, for simulation only.

    Parameters
    ----------
    mechanism : object with ``rvs(size, rng)``
        The noise at sensitivity 1.
    """

    simulated = True

    def __init__(self, mechanism: Any, rng: np.random.Generator):
        self.mechanism = mechanism
        self.rng = rng

    def add(self, query: np.ndarray, sensitivity: float, changed: int | None = None) -> np.ndarray:
        return query + sensitivity * self.mechanism.rvs(size=query.shape, rng=self.rng)

    def upper(self, probability: float, sensitivity: float, changed: int) -> float:
        return sensitivity * float(self.mechanism.isf(probability))


class Replay:
    """The outputs of an earlier run instead of noise: which queries would that run have made?

    Parameters
    ----------
    outputs : iterable of arrays
        In the order in which they were released.
    """

    simulated = True

    def __init__(self, outputs: Iterable[np.ndarray]):
        self._outputs = iter(outputs)

    def add(self, query: np.ndarray, sensitivity: float) -> np.ndarray:
        output = next(self._outputs, None)
        if output is None:
            raise PrivacyViolation("the number of releases depends on the ratings")
        if output.shape != query.shape:
            raise PrivacyViolation(
                f"the shape of a release depends on the ratings: {query.shape}, {output.shape}"
            )
        return output


@dataclass(frozen=True)
class Release:
    """One release: its name, l1 or l2 sensitivity, exact value, noised value, weight of the noise.

    The noise is that at sensitivity 1 times ``scale``.
    """

    what: str
    sensitivity: float
    query: np.ndarray
    output: np.ndarray
    weight: float = 1.0

    @property
    def scale(self) -> float:
        """Sensitivity x weight."""
        return self.sensitivity * self.weight


class Ledger:
    """Noise every statistic of the ratings and count the releases.

    Parameters
    ----------
    releases : float
        Number of releases of weight 1 for which the noise was calibrated; not whole if a share of
        the budget was used elsewhere.
    keep : bool
        Keep every query and output in ``transcript``: for audits, as queries are not private.

    Attributes
    ----------
    count : int
        Releases so far, of whatever weight.
    spent : float
        Sum of weight^-2 over them: what they amount to in releases of weight 1.
    transcript : list of Release
    begin : callable
        Called without arguments before the first noise is drawn, unless that release is refused.
    report : callable
        Called without arguments after each release.
    """

    def __init__(self, noise: Noise, releases: float, *, keep: bool = False):
        self.noise = noise
        self.releases = releases
        self.count = 0
        self.spent = 0.0
        self._keep = keep
        self.transcript: list[Release] = []
        self.begin: Callable[[], object] = lambda: None
        self.report: Callable[[], object] = lambda: None

    def release(
        self, what: str, query: np.ndarray, sensitivity: float, *, weight: float = 1.0
    ) -> np.ndarray:
        """Return a statistic of the ratings with noise.

        Parameters
        ----------
        what : str
            Its name, such as "gram" or "right_hand_side".
        query : array
            The exact statistic: all numbers that one release covers.
        sensitivity : float
            Largest distance between two queries on neighbouring data, in the norm of the noise.
        weight : float
            The noise is scaled to ``sensitivity * weight``; for a share s of a release,
            s^(-1/2). Only Gaussian noise can have another than 1.

        Raises
        ------
        PrivacyViolation
            More releases than planned, a sensitivity or a weight that is not a positive number, a
            weight that the noise cannot have.
        InputError
            With noise for publication, a share below :data:`dpmc.privacy.release.LEAST_SHARE`.
        """
        self._spend(what, sensitivity, weight)
        output = self.noise.add(query, sensitivity * weight)
        if self._keep:
            self.transcript.append(Release(what, sensitivity, query, output, weight))
        self.report()
        return output

    def select(
        self,
        what: str,
        counts: np.ndarray,
        sensitivity: float,
        *,
        probability: float,
        changed: int,
        weight: float,
    ) -> tuple[np.ndarray, float]:
        """Return which counts exceed a threshold with noise, and the threshold.

        Unlike :meth:`release`, this allows counts whose very number is private, if a count of 1,
        which only one person has, is selected with a small enough probability. The derivation is in
        :mod:`dpmc.privacy.selection`. The noised counts stay here.

        Parameters
        ----------
        counts : float64 array, shape (n,)
            Counts, each at least 1.
        sensitivity : float
            Sensitivity of the counts that both of two neighbours have, in the l2 norm.
        probability : float
            Largest probability with which a count of 1 is selected.
        changed : int
            The most counts in which neighbours differ.
        weight : float
            As for :meth:`release`.

        Returns
        -------
        bool array, shape (n,)
        float

        Raises
        ------
        PrivacyViolation, InputError
            As :meth:`release`.
        """
        self._spend(what, sensitivity, weight)
        scale = sensitivity * weight
        noise: Any = self.noise  # with what selecting takes, see Noise
        threshold = 1 + noise.upper(probability, scale, changed)
        noised = noise.add(counts, scale, changed)
        if self._keep:
            self.transcript.append(Release(what, sensitivity, counts, noised, weight))
        self.report()
        return noised > threshold, threshold

    def _spend(self, what: str, sensitivity: float, weight: float) -> None:
        """Check a release, and count it before it is made."""
        if not 0 < sensitivity < np.inf:
            raise PrivacyViolation(f"{what}: the sensitivity {sensitivity} bounds nothing")
        if not 0 < weight < np.inf:
            raise PrivacyViolation(f"{what}: noise cannot have the weight {weight}")
        if weight != 1 and not isinstance(getattr(self.noise, "mechanism", _ANY), Gaussian):
            raise PrivacyViolation(f"{what}: only Gaussian noise can have the weight {weight:g}")
        if weight > LEAST_SHARE**-0.5 and not self.noise.simulated:
            raise InputError(
                f"Every release for publication needs at least the share {LEAST_SHARE:g} of a "
                f"budget, or rounding errors void the guarantee; {what} has {weight**-2:.2g}."
            )
        if not self.spent + weight**-2 <= self.releases * (1 + _ROUNDING):
            raise PrivacyViolation(f"{what}: only {self.releases:.9g} releases were accounted for")
        # a fit is entered in its book here: after all that can be refused, before the first noise
        if self.count == 0:
            self.begin()
        self.count += 1
        self.spent += weight**-2

    def close(self) -> None:
        """Check that the run made all planned releases, or raise PrivacyViolation."""
        if not self.spent >= self.releases * (1 - _ROUNDING):
            raise PrivacyViolation(
                f"{self.releases:.9g} releases were accounted for, {self.spent:.9g} were made"
            )

"""What a fit for publication takes besides a method: a ledger, generators, and remarks."""

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.private import PrivateMethod
from dpmc.privacy.guarantee import delta_remarks
from dpmc.privacy.ledger import FloatNoise, Ledger
from dpmc.privacy.release import SAMPLERS, GridNoise
from dpmc.privacy.selection import Selection
from dpmc.ratings import Ratings


def ledger_of(
    model: PrivateMethod, selection: Selection | None, sampler: str, seed: int | None
) -> Ledger:
    """Return the ledger; a sampler that cannot do it fails here, before the ratings are read.

    Parameters
    ----------
    model : PrivateMethod
    selection : Selection or None
        A private choice of items.
    sampler : str
        A key of :data:`dpmc.privacy.release.SAMPLERS`.
    seed : int or None
        Of simulated noise; None: exact noise for publication.

    Raises
    ------
    InputError
        A sampler beside a seed, or one that is not there or lacks the noise.
    """
    noise, releases = model.calibration.noise, model.releases_with(selection)
    if seed is not None:
        if sampler != "dpmc":
            raise InputError("--simulate draws repeatable noise, so --sampler has no use with it.")
        return Ledger(FloatNoise(noise, np.random.default_rng([seed, 1])), releases)
    exact = GridNoise(noise, SAMPLERS[sampler])
    exact.add(np.zeros(1), 1.0)
    return Ledger(exact, releases)


def run(
    model: PrivateMethod,
    ratings: Ratings,
    ledger: Ledger,
    selection: Selection | None,
    seed: int | None,
    callback=None,
) -> None:
    """Fit; a seed draws the start and the choice of ratings, too. See :func:`ledger_of`."""
    rng = None if seed is None else np.random.default_rng([seed, 0])
    model.fit(ratings, rng=rng, ledger=ledger, selection=selection, callback=callback)


def remarks_on(ratings: Ratings, model: PrivateMethod) -> list[str]:
    """Return what is noticed about the ratings: not private."""
    remarks = []
    if not len(ratings):
        remarks.append("there are no ratings to learn from")
    if model.ratings_per_user is not None:
        counts = np.bincount(ratings.users, minlength=ratings.n_users)
        unused = np.maximum(counts - model.ratings_per_user, 0).sum()
        if unused:
            remarks.append(
                f"{unused} ratings beyond {model.ratings_per_user} a user have no part in the item "
                "factors"
            )
    if model.bounds.user_level and model.bounds.norm == 1:
        remarks.append(
            f"{model.mechanism} noise grows with the ratings of a user, gaussian noise with their "
            "square root"
        )
    return remarks + delta_remarks(model.delta, ratings.n_users)

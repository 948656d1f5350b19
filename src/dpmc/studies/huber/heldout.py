"""Held-out error by iteration on real data: is the papers' T = 20 where overfitting begins?"""

from collections.abc import Iterator, Mapping

from dpmc.ratings import Ratings
from dpmc.statistics.errors import rmse
from dpmc.studies.huber.cells import COORDINATES, Cell
from dpmc.studies.huber.trial import fit, split

HELDOUT_COLUMNS = (*COORDINATES, "trial", "iteration", "rmse_training", "rmse_heldout")


def errors_by_iteration(settings: Mapping, ratings: Ratings) -> Iterator[dict[str, object]]:
    """Yield RMSE on held-out and on training ratings after each outer iteration.

    Streams are those of the cell's trials, so that the first iterations are theirs.

    Parameters
    ----------
    settings : mapping
        ``cells``, each its coordinates with ``settings`` beside them, and ``trials``.
    ratings : Ratings
        The whole data set.

    Yields
    ------
    dict
        Keys :data:`HELDOUT_COLUMNS`, errors in rating units.
    """
    for entry in settings["cells"]:
        coordinates = dict(entry)
        own = coordinates.pop("settings")
        cell = Cell(**coordinates)
        for trial in range(settings["trials"]):
            for iteration, errors in enumerate(_errors(cell, own, trial, ratings), start=1):
                yield coordinates | {"trial": trial, "iteration": iteration} | errors


def _errors(cell: Cell, settings: Mapping, trial: int, ratings: Ratings) -> list[dict[str, float]]:
    names = ("rmse_training", "rmse_heldout")
    parts = dict(zip(names, split(ratings, settings, cell, trial), strict=True))
    errors = []

    def record(_iteration, model):
        errors.append(
            {
                name: rmse(model.predict(part.users, part.items), part.values)
                for name, part in parts.items()
            }
        )

    fit(cell, settings, trial, parts["rmse_training"], record)
    return errors

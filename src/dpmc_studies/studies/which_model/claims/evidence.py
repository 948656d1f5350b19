"""What the claims are judged on, and the registry of what judges them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from dpmc_studies.frame.judging.claims import registering
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import Rows
from dpmc_studies.frame.showing.frames import in_list
from dpmc_studies.statistics.paired import Pair
from dpmc_studies.studies.which_model.frames import dataset_label


@dataclass(frozen=True)
class Evidence:
    """The tables that the predicates judge, None where they have not been made.

    ``trials`` are those on development data, ``new`` those on new data.
    """

    trials: pd.DataFrame | None = None
    new: pd.DataFrame | None = None
    popularity: pd.DataFrame | None = None
    ranking: pd.DataFrame | None = None


PREDICATES: dict[str, Callable[[Evidence], Finding]] = {}
claim = registering(PREDICATES)


def place_named(dataset: str, epsilon: float) -> str:
    """Name a place as the page does."""
    return f"{in_list(dataset_label(dataset))}, ε = {epsilon:g}"


def rows_of(found: Mapping[tuple, Pair]) -> Rows:
    """Return the differences by the name of their place."""
    return {place_named(*place): pair.differences for place, pair in found.items()}

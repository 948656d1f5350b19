"""What the claims at equal privacy are judged on, and the registry of what judges them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from dpmc_studies.frame.judging.choices import USUAL, Choices
from dpmc_studies.frame.judging.claims import registering
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.studies.equal_privacy import comparisons


@dataclass(frozen=True)
class Evidence:
    """The tables that the predicates judge, None where they have not been made."""

    calibrated: pd.DataFrame | None = None
    frontier: pd.DataFrame | None = None
    choices: Choices = USUAL

    @cached_property
    def places(self) -> dict[tuple, pd.DataFrame]:
        """Log RMSE of all models by (data set, relation, epsilon)."""
        return comparisons.places_and_references(self.calibrated)


PREDICATES: dict[str, Callable[[Evidence], Finding]] = {}
claim = registering(PREDICATES)

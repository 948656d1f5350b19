"""What the claims at equal privacy are judged on, and the registry of what judges them."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from dpmc.frame.judging.claims import registering
from dpmc.frame.judging.finding import Finding


@dataclass(frozen=True)
class Evidence:
    """The tables that the predicates judge, None where they have not been made."""

    calibrated: pd.DataFrame | None = None
    frontier: pd.DataFrame | None = None


PREDICATES: dict[str, Callable[[Evidence], Finding]] = {}
claim = registering(PREDICATES)

"""What the cost of jobs that have no settings of their own grows with."""

import math
from collections.abc import Callable
from functools import reduce

from dpmc.study.api import Effort, Section
from dpmc.study.text_cells import Coordinates


def in_proportion_to(*keys: str) -> Callable[[Section, Coordinates], Effort]:
    """Return an effort that grows with settings of the section, such as ``"starts.count"``."""

    def effort(section: Section, coordinates: Coordinates) -> Effort:
        values = (reduce(lambda part, name: part[name], key.split("."), section) for key in keys)
        return Effort(" ".join(coordinates.values()), math.prod(values))

    return effort

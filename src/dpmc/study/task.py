"""What a job is given."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dpmc.ratings import Ratings


@dataclass(frozen=True)
class Task:
    """The coordinates, settings and inputs of a job.

    Attributes
    ----------
    coordinates : mapping of str to str
    settings : mapping
    inputs : mapping of str to str
        Paths by name.
    ratings : Ratings or None
        Those of the input called "ratings", None where there is none.
    file : path or None
        Where the other file is to be written.
    """

    coordinates: Mapping[str, str]
    settings: Mapping[str, object]
    inputs: Mapping[str, str]
    ratings: Ratings | None = None
    file: Path | None = None

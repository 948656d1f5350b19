"""Shapes and files of the data sets that generated ratings stand in for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """Shape and file of a data set.

    ``member`` is the name of the file inside the archive, ``header`` its first line, or nothing,
    ``stars`` the format of a rating.
    """

    users: int
    items: int
    ratings: int
    member: str
    separator: str
    header: str
    stars: str

    def ratings_at(self, scale: float) -> float:
        """Return about how many ratings a share of its users and items has."""
        return self.ratings * scale**1.5


FORMS = {
    "ml-10m": Form(69_878, 10_677, 10_000_054, "ml-10M100K/ratings.dat", "::", "", "g"),
    "ml-20m": Form(
        138_493,
        26_744,
        20_000_263,
        "ml-20m/ratings.csv",
        ",",
        "userId,movieId,rating,timestamp\n",
        ".1f",
    ),
}

"""Rejection of ranks that are too large for the matrix."""

from collections.abc import Iterator, Mapping

from dpmc.errors import InputError

SHAPES = {
    "ml-100k": (943, 1682),
    "sweetrs": (1476, 77),
    "restaurant": (138, 130),
    "jester": (5000, 100),
}
"""Users and items of the data sets whose files are checked against a checksum and were counted."""


def check_ranks(configuration: Mapping) -> None:
    """Refuse a rank beyond the number of users or items, if the configuration states them.

    The configuration states them if users and items are next to the rank, or if the key is a data
    set of :data:`SHAPES`. The size of other data is unknown before they are read.
    """
    for place, entry in _mappings("", configuration):
        shape = _shape(place, entry)
        for name in ("rank", "ranks"):
            if shape is None or name not in entry:
                continue
            ranks = entry[name] if isinstance(entry[name], list) else [entry[name]]
            if max(ranks) > min(shape):
                raise InputError(
                    f"Configuration key {place}.{name} must be at most {min(shape)} for {shape[0]} "
                    f"users and {shape[1]} items, got {max(ranks)}."
                )


def _mappings(place: str, value: Mapping) -> Iterator[tuple[str, Mapping]]:
    """Yield every mapping with its place, as "section.key"."""
    yield place, value
    for name, each in value.items():
        if isinstance(each, Mapping):
            yield from _mappings(f"{place}.{name}".lstrip("."), each)


def _shape(place: str, entry: Mapping) -> tuple[int, int] | None:
    if "users" in entry and "items" in entry:
        users = entry["users"]  # several of an experiment that varies them
        return min(users) if isinstance(users, list) else users, entry["items"]
    return SHAPES.get(place.rpartition(".")[2])

"""What the check compares of the DPALS part, see :mod:`dpmc.study.check_parts`.

Sums over ratings are added in another order on other CPUs, in single precision for large data sets:
these have a tolerance of their own in the reference.
"""

from collections.abc import Collection, Iterator, Mapping

from dpmc.errors import InputError
from dpmc.studies.dpals.cells import DPALS_COLUMNS, DPALS_COORDINATES
from dpmc.study.check_parts import Part
from dpmc.study.runs import Settings

DPALS_METRICS = tuple(
    name for name in DPALS_COLUMNS if name not in (*DPALS_COORDINATES, "trial", "seconds")
)
SOURCE = "data.of"  # the setting that names the data set which another is made of


def by_setting(settings: Settings) -> Settings:
    """Return the settings of each cell, one value a name: ``data.users``, ``model.rank``.

    Raises
    ------
    InputError
        They are not the settings of DPALS cells.
    """
    cells = {}
    for name, values in settings.cells.items():
        if not isinstance(values, dict) or not {"trials", "data", "model"} <= values.keys():
            raise InputError(f"The settings of the cell {name} are not of a DPALS cell.")
        cells[name] = dict(_flat(values))
    return Settings(settings.reference, cells)


def _flat(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield names and values of what can be a key, of mappings inside of mappings."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, tuple(value) if isinstance(value, list) else value


def _made_of(settings: Settings, unavailable: Collection[str]) -> list[str]:
    """Return the data sets that could not be had, and those that are made of them."""
    sources = {
        name.split(", ")[0].removeprefix("dataset="): own.get(SOURCE)
        for name, own in settings.cells.items()
    }
    made = [name for name, source in sources.items() if source in unavailable]
    return list(dict.fromkeys([*unavailable, *made]))


DPALS = Part(
    "dpals", "DPALS", DPALS_COORDINATES, DPALS_METRICS, by_setting, _made_of, by_clock=("D21",)
)

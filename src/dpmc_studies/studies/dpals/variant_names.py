"""What names of variants state: "adaptive_0.2", "none_3". The tables have no settings.

A variant whose settings contradict its name is refused before anything runs.
"""

import re
from collections.abc import Iterable

from dpmc_studies.studies.dpals.cells import STANDARD


def named_settings(name: str) -> dict[str, object]:
    """Return the settings that the name of a variant states, by the names of the settings.

    Names such as "adaptive_0.2" and "uniform_0.2_no_projection" state how ratings are sampled, and
    which share of the items, the most rated ones, is fitted. "projected_3" and "none_3" state a
    regularization of the items in units of the noise, with and without the projection. Any other
    name states nothing.
    """
    items = re.fullmatch(r"(uniform|adaptive)_([\d.]+)(_no_projection)?", name)
    if items:
        said = {"item_share": float(items[2]), "sampling": items[1]}
        return said | {"projection": items[3] is None}
    strength = re.fullmatch(r"(projected|none)_([\d.]+)", name)
    if strength:
        projected = strength[1] == "projected"
        return {"item_regularization": float(strength[2]), "projection": projected}
    return {}


def variant_label(name: str) -> str:
    """Format a variant: "adaptive, 20 % of the items", "λ = 3, not projected"."""
    said = named_settings(name)
    if not said:
        return name.replace("_", " ")
    if "item_share" in said:
        text = f"{said['sampling']}, {100 * said['item_share']:g} % of the items"
    else:
        text = f"λ = {said['item_regularization']:g}"
    return text if said["projection"] else f"{text}, not projected"


def in_variant_order(names: Iterable[str]) -> list[str]:
    """Return the different variants by what they say, the standard one first."""

    def place(name: str) -> tuple:
        said = named_settings(name)
        numbers = (said.get(each, 0) for each in ("item_regularization", "item_share"))
        unprojected = not said.get("projection", True)
        return (name != STANDARD, unprojected, said.get("sampling", ""), *numbers, name)

    return sorted(set(names), key=place)

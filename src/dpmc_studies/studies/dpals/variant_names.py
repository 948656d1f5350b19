"""What the names of variants say: "adaptive_0.2", "none_3"; the tables carry no settings.

A variant whose settings are not what its name says is refused before anything runs.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dpmc_studies.studies.dpals.cells import STANDARD


@dataclass(frozen=True)
class Variant:
    """What the name of a variant says.

    Only ``item_share`` of the items, the most rated ones, have factors. ``sampling`` is "uniform"
    or "adaptive"; ``regularization`` is of the items, in units of the noise.
    """

    item_share: float | None = None
    sampling: str | None = None
    regularization: float | None = None
    projection: bool = True


def variant_of(name: str) -> Variant:
    """Read the name of a variant: "adaptive_0.2", "adaptive_0.2_no_projection", "none_3".

    "projected_3" and "none_3" are a regularization of 3 with and without the projection. Any other
    name says nothing.
    """
    items = re.fullmatch(r"(uniform|adaptive)_([\d.]+)(_no_projection)?", name)
    if items:
        return Variant(float(items[2]), items[1], projection=items[3] is None)
    strength = re.fullmatch(r"(projected|none)_([\d.]+)", name)
    if strength:
        return Variant(regularization=float(strength[2]), projection=strength[1] == "projected")
    return Variant()


def named_settings(name: str) -> dict[str, object]:
    """Return the settings that the name of a variant states, by the names of the settings.

    :func:`dpmc_studies.studies.dpals.check.check_dpals` refuses a variant with other ones.
    """
    said = variant_of(name)
    stated = {
        "item_share": said.item_share,
        "sampling": said.sampling,
        "item_regularization": said.regularization,
    }
    settings: dict[str, object] = {key: value for key, value in stated.items() if value is not None}
    return settings | {"projection": said.projection} if settings else {}


def variant_label(name: str) -> str:
    """Format a variant: "adaptive, 20 % of the items", "λ = 3, not projected"."""
    said = variant_of(name)
    if said.regularization is not None:
        return f"λ = {said.regularization:g}{'' if said.projection else ', not projected'}"
    if said.item_share is not None:
        end = "" if said.projection else ", not projected"
        return f"{said.sampling}, {100 * said.item_share:g} % of the items{end}"
    return name.replace("_", " ")


def in_variant_order(names: Iterable[str]) -> list[str]:
    """Return the different variants by what they say, the standard one first."""

    def place(name: str) -> tuple:
        said = variant_of(name)
        numbers = (said.regularization or 0, said.sampling or "", said.item_share or 0)
        return (name != STANDARD, not said.projection, *numbers, name)

    return sorted(set(names), key=place)

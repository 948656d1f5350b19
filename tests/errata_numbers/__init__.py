"""What shows the errata on which no conclusion rests, by study, and the order of it in their texts.

``ENTRIES[id](sources)`` of a module returns the evidence. The texts of ``errata.yaml`` say it with
the digits of ``numbers.yaml``.
"""


def below(bound: float, value: float) -> str:
    """Return the bound of what is rounding alone, or the value if it is not below it."""
    return f"{bound:g}" if value < bound else f"{value:g}"

"""What shows the errata on which no conclusion rests, by study, and the order of it in their texts.

``ENTRIES[id](sources)`` of a module returns the evidence. The texts of ``errata.yaml`` say it with
the digits of ``numbers.yaml``.
"""

from collections.abc import Mapping


class Evidence:
    """The numbers and words of an erratum; a list of mappings is several of one text."""

    def __init__(self, numbers: Mapping[str, float], **words: object) -> None:
        self.numbers, self.words = numbers, words


def listed(values, digits: int) -> str:
    """Format numbers as "1.23, 4.56 and 7.89"."""
    texts = [f"{value:.{digits}f}" for value in values]
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]


def below(bound: float, value: float) -> str:
    """Return the bound of what is rounding alone, or the value if it is not below it."""
    return f"{bound:g}" if value < bound else f"{value:g}"

"""The facts about a method for writing, checking and describing a published folder."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from dpmc.released import RIDGE, PublishedItems, Way

ROUNDING = 1e-12
"""Relative, of numbers that are within a bound but for rounding."""

ALIKE = 1e-9
"""Relative, of numbers in files of factors that are the same but for rounding."""


class Publishable:
    """Sentences about a method of ``dpmc fit``, and conditions on its files.

    The class of a method answers the questions of code that writes, checks and describes its
    folder. A new method needs no change elsewhere if it predicts in one of the ways of
    :mod:`dpmc.released`.
    """

    fixed: ClassVar[tuple[str, ...] | None] = None
    """Names of the settings that ``dpmc fit`` leaves at their defaults; it offers the methods whose
    class says so itself."""

    way: ClassVar[Way] = RIDGE
    """How predictions are made of what is published."""

    instead: ClassVar[Mapping[str, str]] = {}
    """Simpler models that are published where noised numbers say so -> what these are, in words."""

    why_instead: ClassVar[str] = ""
    """Why one of them is published, in a sentence."""

    outcome_counts: ClassVar[tuple[str, ...]] = ()
    """What an outcome counts, such as "steps_taken_back", besides ``fell_back_to``."""

    finds_rank = False
    """Whether the number of factors is told by what is released, up to ``n_factors``."""

    def ratings_in_words(self) -> str:
        """Return in words what is public about the values of ratings."""
        low, high = self.rating_range
        return f"ratings lie in {low:g} to {high:g}, to which others are clipped"

    @property
    def share_apart(self) -> float:
        """Share of each user's ratings that a part of the method does not see."""
        return 0.0

    @property
    def tells_error(self) -> bool:
        """Whether a fit leaves ``worth_``, the noised error on ratings held out."""
        return False

    def could_state(self, worth: Mapping[str, Any]) -> bool:
        """Return whether a fit with these settings can have released such errors."""
        return False

    def outcome(self) -> dict[str, Any] | None:
        """Return the outcome of a fit, from its releases; None if only one is possible."""
        if not self.instead:
            return None
        counts = {name: getattr(self, f"{name}_") for name in self.outcome_counts}
        return {"fell_back_to": self.fell_back_to_} | counts

    @classmethod
    def outcome_in_words(cls, fell_back_to: str | None) -> str | None:
        """Return an outcome in words; None if all went as planned."""
        if fell_back_to is None:
            return None
        return (
            f"Fell back to {fell_back_to}: {cls.instead[fell_back_to]}. {cls.why_instead} If noise "
            "is the reason, a larger epsilon or more users change that; if items have little in "
            "common, or a few users' ratings outweigh all others, they do not."
        )

    def impossible_outcome(self, outcome: Mapping[str, Any]) -> str | None:
        """Return why no fit with these settings ends so; None if one can."""
        return None

    def published_as(self, items: PublishedItems) -> set[str | None]:
        """Return the values of ``fell_back_to`` with which such items can be published."""
        return {None}

    def impossible_items(self, items: PublishedItems) -> str | None:
        """Return why no fit with these settings publishes such items; None if one can."""
        low, high = self.rating_range
        slack = ROUNDING * max(high - low, abs(low), abs(high))
        if not ((low - slack <= items.offsets) & (items.offsets <= high + slack)).all():
            return "an item's offset is outside of the rating range"
        return None

    def impossible_users(self, factors: np.ndarray) -> str | None:
        """Return the same of rows of user factors, where these are published."""
        return None

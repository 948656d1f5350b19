"""Claims of the form "A against B", declared in a study's ``claims.yaml``, and their rules.

An entry with a key ``compare`` needs no predicate in Python::

    compare:
      first: {method: irls}
      second: {best: {method: [als, svd]}}
      where: {mechanism: gaussian, epsilon: [1, 2]}
      rule: all
      threshold: 0.01

The study provides one function that turns the sides into the comparisons that a rule judges. A list
of values means each of them in turn. ``best`` is the value with the least error. ``parts`` is a
list of named comparisons that must all hold. ``wording.py`` writes how the claim is judged from the
entry, and adds the entry's ``predicate``, if any.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpmc.errors import InputError, did_you_mean
from dpmc_studies.frame.judging import rules
from dpmc_studies.frame.judging.choices import USUAL, Choices
from dpmc_studies.frame.judging.claims import COMPARE
from dpmc_studies.frame.judging.finding import OURS, PAPERS, Finding
from dpmc_studies.frame.judging.rules import Rows, Sample
from dpmc_studies.frame.judging.wording import MEASURES, told
from dpmc_studies.statistics.paired import Pair, pairs
from dpmc_studies.yaml_files import read_plain


class Rule(NamedTuple):
    """A rule that judges comparisons, and the bounds that it takes."""

    of_sample: Callable[..., Finding] | None  # with numbers that a paper reports beside ours
    of_rows: Callable[..., Finding] | None
    bounds: tuple[str, ...] = ()


RULES = {
    "all": Rule(rules.judge_all, rules.always_below, ("threshold",)),
    "most": Rule(rules.judge_most, rules.mostly_below, ("below",)),
    "some": Rule(None, rules.some_below),
    "pooled": Rule(rules.judge_pooled, None),
    "within": Rule(None, rules.inside, ("low", "high")),
}
UNITS = {
    "share": (np.log1p, rules.percent),  # 0.01: one per cent more error
    "times": (np.log, rules.times),
    "points": (float, rules.points),  # for differences of shares
    "plain": (float, rules.plain),
}
"""Unit of a rule's bounds -> conversion of a bound, and format of effects."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison: names of coordinates -> values.

    ``best``: the combination with the least error represents them all.
    """

    values: Mapping[str, tuple]
    best: bool = False

    def has(self, **coordinates: object) -> bool:
        """Return whether the side includes these coordinates; it names only those that matter."""
        return all(coordinates[name] in values for name, values in self.values.items())

    def each(self) -> Iterator[dict[str, object]]:
        """Yield the combinations of its values."""
        for values in product(*self.values.values()):
            yield dict(zip(self.values, values, strict=True))


@dataclass(frozen=True)
class Comparison:
    """A claim of the form "A against B", as declared in ``claims.yaml``."""

    first: Side
    second: Side
    where: Side  # the coordinates at which they are compared; everywhere without them
    rule: str  # one of `RULES`
    bounds: Mapping[str, float]  # those of the rule, in `unit`, one of `UNITS`
    unit: str = "share"
    margin_of: str = OURS  # whose bounds they are; only our own are wider in another reading
    # what has to be there, for the reason of a claim without comparisons
    missing: str = "what is compared"
    name: str = ""  # of a part of a claim
    # coordinates of what both sides are divided by before they are compared, in studies that offer
    # it
    over: Side = Side({})

    def judge(self, compared: Sample | Rows, choices: Choices = USUAL) -> Finding:
        """Judge comparisons by the rule; a sample brings its own choices."""
        sample = isinstance(compared, Sample)
        if not len(compared.ours if sample else compared):
            return rules.not_available(self.missing)
        choices = compared.choices if sample else choices
        rule, (scale, formatter) = RULES[self.rule], UNITS[self.unit]
        ours = self.margin_of == OURS
        options = {
            name: scale(choices.widened(bound) if ours else bound)
            for name, bound in self.bounds.items()
        }
        if sample:
            return rule.of_sample(compared, **options)
        options |= {"margin_of": self.margin_of} if self.rule == "within" else {"choices": choices}
        return rule.of_rows(compared, formatter=formatter, **options)


@dataclass(frozen=True)
class Compared:
    """The predicate of an entry: it judges evidence, and ``says`` explains how."""

    judge: Callable[[object, Comparison], Finding]
    parts: tuple[Comparison, ...]
    says: str

    def __call__(self, evidence: object) -> Finding:
        """Judge all parts of the entry."""
        found = [self.judge(evidence, each) for each in self.parts]
        if len(found) == 1:
            return found[0]
        named = zip(self.parts, found, strict=True)
        return rules.all_of([rules.named(part.name, each) for part, each in named])


def at_places(
    comparison: Comparison,
    places: Mapping[tuple, pd.DataFrame],
    names: Sequence[str],
    models: Sequence[str],
) -> dict[tuple, Pair]:
    """Compare the best of the first side with the best of the second at each place with both.

    ``places`` come from :func:`dpmc_studies.statistics.paired.places`. ``names`` are the
    coordinates of a place, and ``models`` the coordinates of its columns.
    """
    here = {
        place: errors
        for place, errors in places.items()
        if comparison.where.has(**dict(zip(names, place, strict=True)))
    }
    run = dict.fromkeys(model for errors in here.values() for model in errors.columns)

    def of(side: Side) -> list:
        parts = {model: model if len(models) > 1 else (model,) for model in run}
        return [
            model
            for model, part in parts.items()
            if side.has(**dict(zip(models, part, strict=True)))
        ]

    return pairs(here, of(comparison.first), of(comparison.second))


def compared_claims(
    path: Path,
    judge: Callable[[object, Comparison], Finding],
    coordinates: Mapping[str, Collection],
    groups: Mapping[str, Collection] | None = None,
    models: Collection[str] = (),
    needed: Collection[str] = (),
    best: Collection[str] = ("first", "second"),
    optional: Collection[str] = (),
) -> dict[str, Compared]:
    """Return id -> predicate for the claims of a file that have a key ``compare``.

    ``judge`` turns the evidence and a comparison into a finding, with :meth:`Comparison.judge`.
    ``coordinates`` are the names that sides and ``where`` may use, with their values (empty for a
    number); ``groups`` are short names for several values.

    Only sides may name ``models``, and only ``where`` the other coordinates; without ``models``
    both may name all. A side or ``where`` must name each of ``needed``, unless the second side is a
    best. ``best`` lists the sides that may be a best. ``optional`` has "over" if ``judge`` can
    divide both sides by a third side. Unknown names raise InputError.
    """
    places = [name for name in coordinates if name not in models] if models else coordinates
    names = models or coordinates, places
    reading = partial(_Reading, coordinates, groups or {}, *names, needed, best, optional)
    return {
        entry["id"]: reading(f"{path}: the claim {entry['id']}").predicate(judge, entry[COMPARE])
        for entry in read_plain(path)
        if isinstance(entry, dict) and COMPARE in entry
    }


class _Reading(NamedTuple):
    """Reads one entry, and rejects unknown names."""

    coordinates: Mapping[str, Collection]
    groups: Mapping[str, Collection]
    models: Collection[str]
    places: Collection[str]
    needed: Collection[str]
    best: Collection[str]
    optional: Collection[str]
    where: str

    def predicate(self, judge: Callable, entry: object) -> Compared:
        several = isinstance(entry, dict) and set(entry) == {"parts"}
        parts = tuple(self.of(part) for part in (entry["parts"] if several else [entry]))
        return Compared(judge, parts, told(entry, self.coordinates))

    def of(self, entry: object) -> Comparison:
        if not isinstance(entry, dict) or not {"first", "second", "rule"} <= set(entry):
            raise InputError(f"{self.where} must compare first with second by a rule.")
        rule = self.known("rule", entry["rule"], RULES)
        unit = self.known("unit", entry.get("unit", "share"), UNITS)
        self.known("measure", entry.get("measure", MEASURES[0]), MEASURES)
        bounds = RULES[rule].bounds
        optional = ("where", "unit", "measure", "margin_of", "missing", "name", *self.optional)
        for name in entry:
            self.known("key", name, ("first", "second", "rule", *bounds, *optional))
        given = {name: entry[name] for name in ("margin_of", "missing", "name") if name in entry}
        self.known("margin_of", given.get("margin_of", OURS), (OURS, PAPERS))
        first, second = (self.side(entry[name], self.models) for name in ("first", "second"))
        where = self.side(entry.get("where", {}), self.places)
        if both := where.values.keys() & (first.values.keys() | second.values.keys()):
            raise InputError(f"{self.where} names {min(both)} in a side and in where; keep one.")
        for name, side in (("first", first), ("second", second)):
            if side.best and name not in self.best:
                raise InputError(f"{self.where}: this study has no best for {name}; list values.")
        for name in () if second.best else self.needed:
            if not all(name in side.values or name in where.values for side in (first, second)):
                raise InputError(f"{self.where} must name its {name} in both sides or in where.")
        return Comparison(
            first,
            second,
            where,
            rule,
            {name: entry[name] for name in bounds if name in entry},
            unit,
            over=self.side(entry.get("over", {}), self.coordinates),
            **given,
        )

    def side(self, entry: object, names: Collection[str]) -> Side:
        best = isinstance(entry, dict) and set(entry) == {"best"}
        values = entry["best"] if best else entry
        if not isinstance(values, dict):
            raise InputError(f"{self.where} must name coordinates and their values, not {entry}.")
        return Side({self.known("coordinate here", n, names): self.values(n, v)
                     for n, v in values.items()}, best)  # fmt: skip

    def values(self, name: str, given: object) -> tuple:
        found: list[object] = []
        for value in given if isinstance(given, list) else [given]:
            found += self.groups.get(value, [value])
        known = self.coordinates[name]
        for value in found:
            if known:
                self.known(name, value, known)
            elif not isinstance(value, int | float):
                raise InputError(f"{self.where}: {name} must be a number, not {value!r}.")
        return tuple(found)

    def known(self, what: str, value: object, known: Collection) -> object:
        if value not in known:
            near = did_you_mean(str(value), list(map(str, known)))
            raise InputError(
                f"{self.where}: {value!r} is no {what} ({', '.join(map(str, known))}){near}."
            )
        return value

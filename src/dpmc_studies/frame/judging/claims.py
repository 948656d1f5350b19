"""Claims: read from a study's file, judged by its predicates."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import yaml

from dpmc.errors import InputError, did_you_mean
from dpmc_studies.frame.judging.chance import with_chance
from dpmc_studies.frame.judging.finding import INCONCLUSIVE, NOT_RUN, VERDICTS
from dpmc_studies.frame.judging.readings import depends_on, formatted
from dpmc_studies.yaml_files import beside, read_mapping, read_plain

STATEMENT = ("id", "source", "sentence", "claim", "predicate")
COMPARE = "compare"
"""The key of an entry that is judged without Python, see ``frame/judging/comparing.py``."""
OWN = "own"
"""The source of a claim of our own, which has ``own: true`` in the file."""
WRITTEN = {
    "before": "written before any trial that is judged was run",
    "prototype": "written before these trials, but with results of a prototype known",
    "rule": "written before these trials, but decided by a rule that was added later",
    "after": "written or changed with results known",
}
"""When a predicate was written, as stated in ``predicates.yaml``."""
AFTER = "after"
FIRM = tuple(verdict for verdict in VERDICTS if verdict not in (INCONCLUSIVE, NOT_RUN))
CLAIM_COLUMNS = (
    *STATEMENT,
    "written",
    "verdict",
    "reported_verdict",
    "effect",
    "interval_low",
    "interval_high",
    "n",
    "rule",
    "margin",
    "margin_of",
    "needed",
    "p_value",
    "holm",
    "detectable",
    "depends_on",
    "readings",
    "reason",
)


def load_claims(path: str | Path, predicates: Mapping[str, Callable]) -> list[dict[str, str]]:
    """Load the claims: the id, source, sentence, claim in our words, and predicate of each.

    The sentence quotes a few words of the source. A claim of our own, which no paper makes, has
    ``own: true`` instead of both; its source is :data:`OWN` and its sentence empty.
    ``predicates.yaml`` in the same folder lists claims by when their predicate was written
    (:data:`WRITTEN`). A claim that is not listed counts as written after the results.

    ``predicates`` maps the id of a claim to the function that judges it. A missing or malformed
    file, an entry without a key, an id without a predicate and an id twice raise InputError.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: the file with the claims is missing")
    try:
        entries = read_plain(path)
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" at line {where.line + 1}" if where else ""
        raise InputError(f"{path}: not valid YAML{line}") from None
    if not isinstance(entries, list):
        raise InputError(f"{path}: must be a list of claims")
    compared = [each.get("id") for each in entries if isinstance(each, dict) and COMPARE in each]
    entries = [_stated(entry) for entry in entries]
    seen = set()
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or set(entry) != set(STATEMENT):
            raise InputError(f"{path}: entry {number} must have the keys {', '.join(STATEMENT)}")
        identifier = entry["id"]
        if identifier not in predicates:
            if identifier in compared:
                raise InputError(
                    f"{path}: this study has no claims with compare; judge {identifier} in Python"
                )
            near = did_you_mean(identifier, predicates)
            raise InputError(f"{path}: no predicate is known for the claim {identifier!r}{near}")
        if identifier in seen:
            raise InputError(f"{path}: the claim {identifier!r} comes twice")
        seen.add(identifier)
    written = _when_written(path.with_name("predicates.yaml"), seen)
    for entry in entries:
        says = getattr(predicates[entry["id"]], "says", "")
        entry["predicate"] = f"{says} {entry['predicate']}".strip()
    return [entry | {"written": written.get(entry["id"], AFTER)} for entry in entries]


def _when_written(path: Path, known: Collection[str]) -> dict[str, str]:
    """Return when predicates were written, by the id of their claim."""
    if not path.is_file():
        return {}
    entries = read_mapping(path)
    if unknown := set(entries) - set(WRITTEN):
        raise InputError(f"{path}: {min(unknown)!r} is none of {', '.join(WRITTEN)}")
    listed = [(name, when) for when, names in entries.items() for name in names]
    names = [name for name, _ in listed]
    for name in names:
        if name not in known or names.count(name) > 1:
            raise InputError(f"{path}: {name} is no claim of the study, or comes twice")
    return dict(listed)


def _stated(entry: object) -> object:
    """Return what an entry states: with its source, without how it is judged."""
    if not isinstance(entry, dict):
        return entry
    if COMPARE in entry:
        entry = {"predicate": ""} | {n: value for n, value in entry.items() if n != COMPARE}
    if entry.get("own") is not True:
        return entry
    stated = {"source": OWN, "sentence": ""}
    if stated.keys() & entry.keys():
        return entry  # one that is not ours either, and is refused
    return {name: value for name, value in entry.items() if name != "own"} | stated


def is_own(claims: pd.DataFrame) -> pd.Series:
    """Return for each claim in a table whether it is one of our own."""
    if "source" not in claims:
        return pd.Series(False, index=claims.index)
    return claims["source"] == OWN


def table_of_verdicts(
    claims: list[dict[str, str]],
    predicates: Mapping[str, Callable],
    evidence: object,
    readings: Mapping[str, object] | None = None,
) -> pd.DataFrame:
    """Judge claims by their predicates; return columns :data:`CLAIM_COLUMNS`, in the order given.

    ``claims`` come from :func:`load_claims`. ``readings`` maps names to the evidence under another
    reading of the results. The column ``readings`` has the verdict under each, and ``depends_on``
    the names of those with another decision.
    """
    rows = []
    for claim in claims:
        judge = predicates[claim["id"]]
        finding = judge(evidence)
        others = {name: judge(changed).verdict for name, changed in (readings or {}).items()}
        dependent = depends_on(finding.verdict, others, FIRM)
        found = asdict(finding) | {"verdict": finding.status}
        rows.append(claim | found | {"depends_on": dependent, "readings": formatted(others)})
    table = pd.DataFrame(rows, columns=list(CLAIM_COLUMNS)).astype({"n": "Int64"})
    return with_chance(table, is_own(table))


def judge_all(
    module: str | Path, predicates: Mapping[str, Callable], evidence: object, *others: Mapping
) -> pd.DataFrame:
    """Judge the claims in the folder of a module (its ``__file__``), or above it.

    See :func:`load_claims` and :func:`table_of_verdicts`.
    """
    claims = load_claims(beside(module, "claims.yaml"), predicates)
    return table_of_verdicts(claims, predicates, evidence, *others)


def registering(predicates: dict[str, Callable]) -> Callable[[str], Callable]:
    """Return a decorator that registers a predicate under the id of its claim.

    The ids are those of the claims in the study's ``claims.yaml``.
    """

    def claim(identifier: str) -> Callable[[Callable], Callable]:
        def register(predicate: Callable) -> Callable:
            predicates[identifier] = predicate
            return predicate

        return register

    return claim

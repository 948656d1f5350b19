"""Reading and checking the configuration.

The workflow passes the merged configuration; ``dpmc`` commands read ``config/config.yaml``
themselves. In both cases :func:`checked` rejects keys and values that no schema allows, in one
sentence. Each study interprets its own section.
"""

import copy
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from dpmc.errors import InputError, did_you_mean
from dpmc_studies.frame.api import Study
from dpmc_studies.frame.jobs.ranks import check_ranks
from dpmc_studies.yaml_files import read_mapping, read_plain

if TYPE_CHECKING:
    import jsonschema

SHARED_SCHEMA = Path(__file__).parent / "frame" / "schema.yaml"


def load(path: str | Path, overlays: Iterable[str | Path] = ()) -> dict:
    """Read a configuration and lay overlays over it, later ones last."""
    configuration = read_mapping(path)
    for overlay in map(read_mapping, overlays):
        refuse_unknown_nulls(configuration, overlay)
        configuration = merge(configuration, overlay)
    return configuration


def overlaid(overlays: Iterable[str | Path]) -> dict:
    """Read several overlays as one, later ones last."""
    return reduce(merge, map(read_mapping, overlays), {})


def merge(base: Mapping, overlay: Mapping) -> dict:
    """Return ``base`` with the keys of ``overlay`` laid over it, mapping by mapping."""
    merged = dict(copy.deepcopy(base))
    for key, value in overlay.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both else copy.deepcopy(value)
    return merged


def changes(base: Mapping, other: Mapping, place: str = "") -> dict[str, object]:
    """Return the differences from ``base``: dotted key -> value in ``other``, or None."""
    found = {}
    for key in dict.fromkeys([*base, *other]):
        before, after = base.get(key), other.get(key)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            found |= changes(before, after, f"{place}{key}.")
        elif before != after:
            found[f"{place}{key}"] = after
    return found


def refuse_unknown_nulls(base: Mapping, overlay: Mapping, place: str = "") -> None:
    """Refuse an overlay with null for a key that ``base`` does not have.

    ``place`` is the dotted key of both in the configuration.
    """
    for key, value in overlay.items():
        if value is None and key not in base:
            raise InputError(
                f"Configuration key {place}{key} is null, which leaves out what has that name, but "
                f"there is none{did_you_mean(key, base)}; correct or remove the line."
            )
        if isinstance(value, Mapping) and isinstance(base.get(key), Mapping):
            refuse_unknown_nulls(base[key], value, f"{place}{key}.")


def difference(base: Mapping, other: Mapping) -> dict:
    """Return the overlay that turns ``base`` into ``other``, which has all keys of ``base``."""
    found = {}
    for key, value in other.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), Mapping):
            if inner := difference(base[key], value):
                found[key] = inner
        elif key not in base or base[key] != value:
            found[key] = value
    return found


def without(overlay: Mapping, other: Mapping) -> dict:
    """Return an overlay without the keys that another one sets, mapping by mapping.

    If one overlay has a mapping and the other null for a key, ``other`` wins.
    """
    kept = {}
    for key, value in overlay.items():
        if key not in other:
            kept[key] = value
        elif isinstance(value, Mapping) and isinstance(other[key], Mapping):
            kept[key] = without(value, other[key])
    return kept


def checked(configuration: Mapping, studies: Mapping[str, Study]) -> dict:
    """Return a checked copy of a configuration, with a section for every study."""
    import jsonschema  # 0.1 s, in each job: it imports this module and checks nothing

    result = copy.deepcopy(dict(configuration))
    errors = list(jsonschema.Draft202012Validator(schema_of(studies)).iter_errors(result))
    if errors:
        errors = sorted(map(_deepest, errors), key=lambda e: list(map(str, e.absolute_path)))
        raise InputError(" ".join(dict.fromkeys(map(_sentence, errors))))
    check_ranks(result)
    return result


def schema_of(studies: Mapping[str, Study]) -> dict:
    """Return the schema of a configuration: the shared part, and a section for each study."""
    schema = read_plain(SHARED_SCHEMA)
    for name, study in studies.items():
        section = {} if study.schema is None else read_plain(study.schema)
        schema["$defs"] |= section.pop("$defs", {})
        schema["properties"][name] = section
        schema["required"].append(name)
    return schema


def _deepest(error: "jsonschema.ValidationError") -> "jsonschema.ValidationError":
    """Follow anyOf into the branch that says most; no further where it is the value's kind."""
    while error.context:
        fitting = _branches_of_its_kind(error)
        if not fitting:
            return error
        # what was meant is the branch that finds least fault
        faults = Counter(branch.schema_path[0] for branch in fitting)
        nearest = [e for e in fitting if faults[e.schema_path[0]] == min(faults.values())]
        error = max(nearest, key=lambda e: (len(e.absolute_path), e.validator != "type"))
    return error


def _branches_of_its_kind(
    error: "jsonschema.ValidationError",
) -> list["jsonschema.ValidationError"]:
    """Of a mapping or list, return the errors of the branches of anyOf that are for such."""
    if not isinstance(error.instance, Mapping | list):
        return []
    other_kind = {
        branch.schema_path[0]
        for branch in error.context
        if not branch.path and branch.validator in ("type", "const", "enum")
    }
    return [branch for branch in error.context if branch.schema_path[0] not in other_kind]


def _allowed(schema: Mapping, value: object = None) -> str:
    """Say what a part of the schema allows that refused a value."""
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    kinds = {
        "integer": "a whole number",
        "number": "a number",
        "string": "text",
        "boolean": "true or false",
        "array": "a list" + f", such as [{value!r}]" * isinstance(value, str | float | int),
        "object": "a mapping of keys to values",
    }
    limits = {
        "minimum": " of at least {}",
        "exclusiveMinimum": " above {}",
        "maximum": " of at most {}",
        "exclusiveMaximum": " below {}",
    }
    found = [text.format(schema[name]) for name, text in limits.items() if name in schema]
    named = schema.get("type")
    named = named if isinstance(named, list) else [str(named)]
    return " or ".join(kinds.get(kind, kind) for kind in named) + " and".join(found)


def _sentence(error: "jsonschema.ValidationError") -> str:
    key = ".".join(str(part) for part in error.absolute_path) or "configuration"
    value, wanted = error.instance, error.validator_value
    if error.context or error.validator == "type":
        branches = [branch.schema for branch in error.context] or [error.schema]
        allowed = " or ".join(dict.fromkeys(_allowed(branch, value) for branch in branches))
        if value is None:
            return f"Configuration key {key} is empty; it must be {allowed}."
        words = [str(branch["const"]) for branch in branches if "const" in branch]
        meant = did_you_mean(value, words)
        return f"Configuration key {key} must be {allowed}, got {value!r}{meant}."
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        above = f"{key}." if error.absolute_path else ""
        unknown = [name for name in value if name not in allowed]
        names = [f"{above}{name}{_meant(name, allowed, above)}" for name in unknown]
        return (
            f"Unknown configuration key{'s' * (len(names) > 1)} {', '.join(names)}; "
            f"allowed here: {', '.join(sorted(allowed))}."
        )
    if error.validator == "required":
        missing = error.message.split("'")[1]
        return f"Configuration key {key}.{missing} is missing; config/README.md says what it means."
    hint = did_you_mean(value, wanted) if error.validator == "enum" else ""
    return f"Configuration key {key}: {error.message}{hint}."


def _meant(unknown: str, allowed: Mapping, above: str) -> str:
    """Return which of the allowed keys is meant, or which key of the same name below them."""
    below = [name for name in allowed if unknown in allowed[name].get("properties", {})]
    deeper = " or ".join(f"'{above}{name}.{unknown}'" for name in below)
    return did_you_mean(unknown, allowed) or (deeper and f" (did you mean {deeper}?)")

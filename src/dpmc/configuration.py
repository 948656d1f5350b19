"""Reading and checking the configuration.

The workflow hands over the merged configuration; ``dpmc`` commands read ``config/config.yaml``
themselves. Either way :func:`checked` refuses what no schema knows, in one sentence. What a section
means is the business of its study.
"""

import copy
from collections.abc import Iterable, Mapping
from pathlib import Path

import jsonschema
import yaml

from dpmc.errors import InputError, did_you_mean
from dpmc.study.api import Study

SHARED_SCHEMA = Path(__file__).parent / "study" / "schema.yaml"



def load(path: str | Path, overlays: Iterable[str | Path] = ()) -> dict:
    """Read a configuration and lay overlays over it, later ones last.

    Raises
    ------
    InputError
        A file is missing or is not a YAML mapping.
    """
    configuration: dict = {}
    for each in [path, *overlays]:
        try:
            layer = yaml.safe_load(Path(each).read_text(encoding="utf-8")) or {}
        except FileNotFoundError:
            raise InputError(f"There is no configuration file {each}.") from None
        except yaml.YAMLError as error:
            line = getattr(error, "problem_mark", None)
            where = f", line {line.line + 1}" if line else ""
            raise InputError(
                f"{each}{where} is not valid YAML; correct it and run again."
            ) from None
        if not isinstance(layer, dict):
            raise InputError(
                f"{each} must hold sections (data, report, one for each study), not a list or text."
            )
        configuration = merge(configuration, layer)
    return configuration


def merge(base: Mapping, overlay: Mapping) -> dict:
    """Return ``base`` with the keys of ``overlay`` laid over it, mapping by mapping."""
    merged = dict(copy.deepcopy(base))
    for key, value in overlay.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both else copy.deepcopy(value)
    return merged


def left_out_stays_out(base: Mapping, overlay: Mapping) -> dict:
    """Return the overlay without the mappings that would bring back what ``base`` sets to null."""
    return {
        key: left_out_stays_out(base.get(key, {}), value) if isinstance(value, Mapping) else value
        for key, value in overlay.items()
        if not (isinstance(value, Mapping) and base.get(key, {}) is None)
    }


def checked(configuration: Mapping, studies: Mapping[str, Study]) -> dict:
    """Return a checked copy of a configuration, with a section for every study.

    Raises
    ------
    InputError
        One sentence that names the key, the value and what is allowed.
    """
    result = copy.deepcopy(dict(configuration))
    for name, study in studies.items():
        if study.defaults:
            result[name] = merge(study.defaults, result.get(name) or {})
    errors = list(jsonschema.Draft202012Validator(schema_of(studies)).iter_errors(result))
    if errors:
        raise InputError(
            _sentence(min(map(_deepest, errors), key=lambda e: list(map(str, e.path))))
        )
    return result


def schema_of(studies: Mapping[str, Study]) -> dict:
    """Return the schema of a configuration: what is shared, and a section for each study."""
    schema = yaml.safe_load(SHARED_SCHEMA.read_text(encoding="utf-8"))
    for name, study in studies.items():
        section = {} if study.schema is None else yaml.safe_load(study.schema.read_text("utf-8"))
        schema["$defs"] |= section.pop("$defs", {})
        schema["properties"][name] = section
        schema["required"].append(name)
    return schema


def _deepest(error: jsonschema.ValidationError) -> jsonschema.ValidationError:
    """Follow anyOf into the branch that says most."""
    while error.context:
        error = max(error.context, key=lambda e: (len(e.absolute_path), e.validator != "type"))
    return error


def _sentence(error: jsonschema.ValidationError) -> str:
    key = ".".join(str(part) for part in error.absolute_path) or "configuration"
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        unknown = next(name for name in error.instance if name not in allowed)
        place = f"{key}.{unknown}" if error.absolute_path else str(unknown)
        return (
            f"Unknown configuration key {place}{did_you_mean(unknown, allowed)}; "
            f"allowed here: {', '.join(sorted(allowed))}."
        )
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        return f"Configuration key {key}.{missing} is missing; config/README.md says what it means."
    limits = {
        "type": "must be of type {}",
        "minimum": "must be at least {}",
        "exclusiveMinimum": "must be above {}",
        "exclusiveMaximum": "must be below {}",
        "enum": "must be one of {}",
        "const": "must be {}",
        "minItems": "must have at least {} entries",
        "minProperties": "must have at least {} entries",
        "minLength": "must have at least {} characters",
        "pattern": "must match {}",
    }
    if error.validator == "uniqueItems":
        return f"Configuration key {key} names something twice: {error.instance!r}."
    template = limits.get(error.validator, "is not allowed: {}")
    wanted = error.validator_value
    wanted = ", ".join(map(str, wanted)) if isinstance(wanted, list) else wanted
    hint = did_you_mean(error.instance, error.validator_value) if error.validator == "enum" else ""
    return f"Configuration key {key} {template.format(wanted)}, got {error.instance!r}{hint}."

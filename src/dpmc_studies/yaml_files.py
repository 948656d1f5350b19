"""Read YAML files of settings; a duplicate key in a mapping is an error."""

import shlex
from collections.abc import Hashable
from pathlib import Path

import yaml

from dpmc.errors import InputError, did_you_mean

MERGE_TAG = "tag:yaml.org,2002:merge"
QUICK = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""PyYAML's safe reader, in C if available: ten times as fast, with other error messages."""


class _Strict(QUICK):
    """YAML's own readers take the last of two equal keys without a word."""

    def construct_mapping(self, node, deep=False):
        seen = {}
        # before the keys that `<<` brings are mixed in: those may be given again
        for key_node, _ in node.value:
            if key_node.tag == MERGE_TAG:
                continue
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                continue
            if key in seen:
                raise _Twice(key, key_node.start_mark.line + 1, seen[key])
            seen[key] = key_node.start_mark.line + 1
        return super().construct_mapping(node, deep)


class _Twice(Exception):
    """A key occurs twice in one mapping."""


def beside(module: str | Path, name: str) -> Path:
    """Return the file ``name`` from the folder of a study's module or the nearest folder above.

    ``module`` is the module's ``__file__``. A file that does not exist raises InputError.
    """
    for folder in Path(module).resolve().parents:
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"There is no {name} beside {module}, nor above it; write one.")


def read_plain(path: str | Path) -> object:
    """Read a YAML file without checks: dpmc's own, or one whose errors the caller reports."""
    return yaml.load(Path(path).read_text(encoding="utf-8"), Loader=QUICK)


def read_mapping(path: str | Path) -> dict:
    """Read a YAML file that holds a mapping; an empty file is an empty mapping."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        content = yaml.load(text, Loader=_Strict)
    except FileNotFoundError:
        beside = sorted(map(str, Path(path).parent.glob("*.yaml")))
        raise InputError(
            f"There is no configuration file {path}{did_you_mean(path, beside)}; correct the path, "
            "or write the file."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; name a YAML file.") from None
    except _Twice as error:
        key, line, first = error.args
        raise InputError(
            f"{path}, line {line}: the key {key!r} stands there twice (first in line {first}); "
            "take one of them out."
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as such and run again.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(
            f"{path}{_place(error)} is not valid YAML{_problem(error)}; correct it and run again."
        ) from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise InputError(
            f"{path} must hold sections (data, report, one for each study), not a list or text."
        )
    return content


def named_files(text: str) -> list[str]:
    """Split a list of files as in CONFIG and --config; names may be quoted as in a shell."""
    if not text.strip() or Path(text).is_file():
        return [text] if text.strip() else []
    try:
        return shlex.split(text)
    except ValueError:
        raise InputError(f"{text} has a quotation mark without its pair; take it out.") from None


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f", line {mark.line + 1}" if mark else ""


def _problem(error: Exception) -> str:
    problem = getattr(error, "problem", None)
    return f" ({problem})" if problem else ""

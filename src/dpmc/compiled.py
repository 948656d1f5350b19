"""Compiled code that is never older than its source.

numba caches compiled code next to the source and compiles a function again only if the function's
own file has changed. The cached code includes functions of other files that it calls and constants
of other modules, so after an update it could be out of date. This module therefore clears the cache
of the package as soon as any of its files has changed. It covers caches within the package, where
numba writes them if it can. A package whose compiled functions call these functions does the same
with the files of both packages.
"""

import contextlib
import json
import os
import re
import sys
from pathlib import Path

# numba imports coverage.py where it is installed, as beside the tests: a sixth of the time that
# importing numba takes. A module that is None cannot be imported, so numba takes it for not
# installed; where coverage itself runs, it is there and stays.
hidden = sys.modules.setdefault("coverage", None) is None
from numba import njit  # noqa: E402

if hidden:
    del sys.modules["coverage"]

from dpmc.files import content_digest, write_text  # noqa: E402

__all__ = ["njit"]

PACKAGE = Path(__file__).parent
STAMP = Path("__pycache__", "compiled.json")
IMPORTED = re.compile(r"^from ([\w.]+) import", re.MULTILINE)


def forget_what_is_older(package: Path, *others: Path) -> None:
    """Remove cached code of a package that was compiled from other sources than the present ones.

    ``others`` are the packages that it imports from.
    """
    with contextlib.suppress(OSError):
        kept = _kept(package / STAMP)
        names = kept.get("names", [])
        if names and _dates(package, names) == kept["dates"]:
            return
    with contextlib.suppress(OSError):
        sources = _sources(package, *others)
        dates, digest = _dates(package, sources), content_digest(sources)
        if kept.get("digest") != digest:
            for path in package.rglob("__pycache__/*.nbi"):
                path.unlink(missing_ok=True)
        (package / STAMP).parent.mkdir(exist_ok=True)
        stamp = {"names": list(sources), "dates": dates, "digest": digest}
        write_text(package / STAMP, json.dumps(stamp))


def _kept(path: Path) -> dict:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}


def _dates(package: Path, names) -> list[list[int]]:
    stats = [os.stat(package / name) for name in names]
    return [[each.st_mtime_ns, each.st_size] for each in stats]


def _sources(*packages: Path) -> dict[str, str]:
    """Return the text of each file that has compiled functions, or that such a file imports.

    Names are relative to the first package.
    """
    homes = {each.name: each.parent for each in packages}
    texts = {path: path.read_text("utf-8") for each in packages for path in each.rglob("*.py")}
    found = {path for path, text in texts.items() if "njit" in text or "@intrinsic" in text}
    for path in list(found):
        for name in IMPORTED.findall(texts[path]):
            package, *rest = name.split(".")
            if package in homes:
                module = homes[package].joinpath(package, *rest)
                found |= {module.with_suffix(".py"), module / "__init__.py"} & texts.keys()
    return {os.path.relpath(path, packages[0]): texts[path] for path in sorted(found)}


forget_what_is_older(PACKAGE)

"""A digest of the library code that a job depends on.

Snakemake does not see imported modules. So each job carries, as one of its params, a digest of
the modules that it uses: a change of the solver retrains, a change of a plot does not.
"""

import ast
import hashlib
import importlib.util
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PACKAGE = "dpmc"


def code_digest(modules: Iterable[str], files: Iterable[str | Path] = ()) -> str:
    """Return a short digest of modules of this package, all that they import of it, and files.

    Parameters
    ----------
    modules : iterable of str
        Dotted names; modules outside of this package count by ``files`` only.
    files : iterable of path
        Plug-in files.
    """
    closure: set[str] = set()
    waiting = [name for name in modules if name.split(".")[0] == PACKAGE]
    while waiting:
        name = waiting.pop()
        if name not in closure:
            closure.add(name)
            waiting.extend(imports_of(name))
    digest = hashlib.sha256()
    for path in [*(source_file(name) for name in sorted(closure)), *map(Path, files)]:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


@cache
def imports_of(module: str) -> tuple[str, ...]:
    """Return the modules of this package that a module imports, anywhere in its text."""
    found = set()
    for node in ast.walk(ast.parse(source_file(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
            # "from dpmc.methods import kernels" names a module
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(name for name in sorted(found) if source_file(name) is not None)


@cache
def source_file(module: str) -> Path | None:
    """Return the source file of a module of this package, None if there is no such module.

    Modules are looked up as files, because importing them would cost what they import.
    """
    package, *rest = module.split(".")
    if package != PACKAGE:
        return None
    place = Path(importlib.util.find_spec(PACKAGE).origin).parent.joinpath(*rest)
    candidates = (place / "__init__.py", place.with_suffix(".py"))
    return next((path for path in candidates if path.is_file()), None)

"""Digests of the code, library and reproduction, that a job depends on.

Snakemake does not see imported modules. Each job therefore has a digest of the modules that it uses
among its params: a change of a method retrains, and a change of a plot does not. Modules of a study
outside of these packages are followed, too.
"""

import ast
import hashlib
import importlib.util
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGES = ("dpmc", "dpmc_studies")
DECLARES = "dpmc_studies.frame.api"
"""The module with which experiments declare jobs; no number depends on it."""
STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
"""Nodes that can contain an import; expressions, most of a module, are skipped."""


def code_digest(
    modules: Iterable[str], files: Iterable[str | Path] = (), outside: Path | None = None
) -> str:
    """Return a short digest of modules, their imports except :data:`DECLARES`, and files.

    Only modules in :data:`PACKAGES` or in the folder ``outside`` count. The files are plug-ins.
    """
    digest = hashlib.sha256()
    sources = (source_file(name, outside) for name in sorted(closure_of(modules, outside)))
    for content in [*map(source_digest, sources), *map(file_digest, map(Path, files))]:
        digest.update(content)
    return digest.hexdigest()[:16]


def file_digest(path: Path) -> bytes:
    """Return the digest of a file."""
    return hashlib.sha256(path.read_bytes()).digest()


@cache
def source_digest(path: Path) -> bytes:
    """Return the digest of a module's file, cached because hundreds of jobs share modules."""
    return file_digest(path)


def closure_of(modules: Iterable[str], outside: Path | None = None) -> set[str]:
    """Return modules and everything that they import, directly or not, as far as it counts."""
    closure: set[str] = set()
    packages = (*PACKAGES, outside and outside.name)
    waiting = [name for name in modules if name.split(".")[0] in packages]
    while waiting:
        name = waiting.pop()
        if name not in closure and name != DECLARES:
            closure.add(name)
            waiting.extend(imports_of(name, outside))
    return closure


@cache
def imports_of(module: str, outside: Path | None = None) -> tuple[str, ...]:
    """Return the modules of the same packages that a module imports anywhere in its text.

    Imports for type checking alone are left out, because they never run.
    """
    found = set()
    path = source_file(module, outside)
    for node in _running(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = _absolute(node, module, path)
            found.add(origin)
            # "from dpmc.methods import kernels" names a module
            found.update(f"{origin}.{alias.name}" for alias in node.names)
    return tuple(name for name in sorted(found) if source_file(name, outside) is not None)


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement and those in it, without what stands below ``if TYPE_CHECKING:``."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, STATEMENTS):
            types = isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING"
            for each in child.orelse if types else [child]:
                yield from _running(each)


def _absolute(node: ast.ImportFrom, module: str, path: Path) -> str:
    """Return the module that "from x import y", or "from .x import y", names."""
    if not node.level:
        return node.module
    up = node.level - (path.name == "__init__.py")
    return ".".join([*module.split(".")[: -up or None], *filter(None, [node.module])])


@cache
def source_file(module: str, outside: Path | None = None) -> Path | None:
    """Return the source file of a module, None if it is of no package that counts.

    Modules are looked up as files, because importing one would also import its imports.
    """
    package, *rest = module.split(".")
    if package in PACKAGES:
        home = Path(importlib.util.find_spec(package).origin).parent
    elif outside is not None and package == outside.name:
        home = outside
    else:
        return None
    place = home.joinpath(*rest)
    candidates = (place / "__init__.py", place.with_suffix(".py"))
    return next((path for path in candidates if path.is_file()), None)

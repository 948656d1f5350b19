"""The library knows nothing of the reproduction; in both, imports go down only; studies do not know
each other, and the frame knows none of them.
"""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest
from every_study import HOME, LIBRARY, SOURCE

from dpmc_studies.studies import BUILT_IN

LAYERS = {
    LIBRARY.name: (
        {"ground"},
        {"mechanisms"},
        {"privacy", "publication"},
        {"datasets", "methods"},
        {"fitting"},
        {"cli"},
    ),
    SOURCE.name: (
        {"ground"},
        {"datasets", "methods", "statistics"},
        {"frame"},
        {"studies"},
        {"report"},
        {"running"},
        {"cli"},
    ),
}
RANK = {
    (package, part): place
    for package, layers in LAYERS.items()
    for place, layer in enumerate(layers)
    for part in layer
}
FRAME = ("statistics", "frame", "report")
# modules of the top folders that are not ground: the configuration is composed of the studies'
TOP = {"configuration": "frame", "__main__": "cli", "estimator": "fitting"}


def name_of(path):
    parts = path.relative_to(HOME / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PACKAGES = (LIBRARY, SOURCE)
MODULES = {name_of(path): path for each in PACKAGES for path in sorted(each.rglob("*.py"))}


def imports(path):
    """Modules of the packages that a file imports anywhere, also inside of functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.split(".")[0] in LAYERS)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            if node.module and node.module.split(".")[0] in LAYERS:
                for each in node.names:
                    full = f"{node.module}.{each.name}"
                    yield full if full in MODULES else node.module


def part_of(module):
    """The package and the room of it that a module belongs to."""
    package, *parts = module.split(".")
    part = parts[0] if parts else "ground"
    return package, part if (package, part) in RANK else TOP.get(part, "ground")


def study_of(module):
    """The study that a module belongs to; None for the list of studies and for all else."""
    parts = module.split(".")
    return parts[2] if len(parts) > 2 and parts[1] == "studies" else None


@cache
def edges():
    """Return who imports whom: read once, and not while tests are collected."""
    return [(module, other) for module, path in MODULES.items() for other in imports(path)]


def test_there_is_something_to_look_at():
    assert len(edges()) > 500
    assert {part_of(module) for module in MODULES} == set(RANK)
    assert {study_of(module) for module in MODULES} - {None} == set(BUILT_IN)


def test_imports_go_down_only():
    """The library is below all of the reproduction."""
    order = {LIBRARY.name: 0, SOURCE.name: 1}
    upwards = []
    for module, other in edges():
        own, its = part_of(module), part_of(other)
        if own != its and (order[its[0]], RANK[its]) >= (order[own[0]], RANK[own]):
            upwards.append(f"{module} imports {other}")
    assert upwards == []


def test_the_library_does_not_name_the_reproduction():
    """Nor as text, by which modules are imported too: it finds commands by their entry points."""
    files = [path for path in sorted(LIBRARY.rglob("*")) if path.suffix in (".py", ".pyi", ".json")]
    assert len(files) > 100
    assert [path for path in files if SOURCE.name in path.read_text(encoding="utf-8")] == []


def test_no_module_imports_itself_by_way_of_others():
    """Imports inside of functions count: they hide a circle and do not cure it."""
    graph = {module: {other for first, other in edges() if first == module} for module in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_nothing_is_patched_in_production():
    """Planted faults are subclasses and noises of their own (dpmc_studies.studies.audit.faults)."""
    patching = re.compile(r"unittest|\.__class__\s*=[^=]")
    found = [name for name, path in MODULES.items() if patching.search(path.read_text("utf-8"))]
    assert found == []


def test_no_study_imports_another():
    assert [
        f"{module} imports {other}"
        for module, other in edges()
        if study_of(module) and study_of(other) and study_of(module) != study_of(other)
    ] == []


def test_the_frame_imports_no_study():
    assert [
        f"{module} imports {other}"
        for module, other in edges()
        if part_of(module)[1] in FRAME and study_of(other)
    ] == []


# huber and audit also name a mechanism and an activity: there they are told by where they stand
EVERY = "|".join(BUILT_IN)
OWN = "|".join(name for name in BUILT_IN if name not in ("huber", "audit"))
NAMED = re.compile(
    rf"studies[./](?:{EVERY})\b|results/(?:quick/)?(?:{EVERY})\b|(?<!methods\.)\b(?:{OWN})(?:_|\b)"
)
# and in the frame by what is next to them: a list of mechanisms, or noise
NAMED_IN_FRAME = re.compile(
    rf"{NAMED.pattern}|\baudit(?:_|\b)"
    r"|(?<!laplace, )(?<!\")\bhuber(?:_|\b)|(?<!\")\bHuber\b(?! noise)"
)
PROFILES = HOME / "workflow" / "profiles"
FRAME_PLACES = (*(SOURCE / part for part in FRAME), HOME / "workflow", HOME / "Snakefile")
NAMELESS = (
    *FRAME_PLACES,
    *(LIBRARY / part for part in ("publication", "privacy", "mechanisms")),
    *(path for each in PACKAGES for path in each.glob("*.py")),
)


@pytest.mark.parametrize("place", NAMELESS, ids=lambda path: path.relative_to(HOME).as_posix())
def test_what_serves_all_studies_names_none(place):
    named = NAMED_IN_FRAME if place in FRAME_PLACES else NAMED
    files = sorted(place.rglob("*")) if place.is_dir() else [place]
    found = [
        f"{path.relative_to(HOME)}, line {number}: {line.strip()}"
        for path in files
        if path.suffix in (".py", ".smk", ".yaml", ".css", ".jinja", "")
        if path.is_file() and PROFILES not in path.parents  # they say what kinds of jobs ask for
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if named.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_study_names_no_module_of_another(name):
    others = "|".join(other for other in BUILT_IN if other != name)
    text = re.compile(rf"dpmc_studies[./]studies[./](?:{others})\b")
    for path in (SOURCE / "studies" / name).rglob("*.py"):
        assert not text.search(path.read_text(encoding="utf-8")), path


def test_modules_named_as_text_are_reached_downwards_too():
    """A job's function may be named as text: then it is one of the same study."""
    text = re.compile(r"\"(dpmc(?:_studies)?(?:\.\w+)+):\w+\"")
    for module, path in MODULES.items():
        for other in text.findall(path.read_text(encoding="utf-8")):
            assert other in MODULES
            assert study_of(other) in (None, study_of(module)), f"{module}: {other}"

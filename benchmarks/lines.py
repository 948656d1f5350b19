"""How long the code is, so that growth is seen when it happens: `make lint` prints it, and fails
where a package or the tests are longer than benchmarks/ceilings.yaml allows.

Lines are those of `wc -l`: of the rooms of both packages, of each study, of its plumbing, for each
claim (its predicates) and each figure, and of the tests, those marked slow apart. Plumbing has two
numbers: what declares a study, and the same with what its parts share, such as frames, labels and
checks of its section.
"""

import ast
import sys
from pathlib import Path

import yaml

HOME = Path(__file__).resolve().parents[1]
CEILINGS = Path(__file__).with_name("ceilings.yaml")
PACKAGES = (HOME / "src" / "dpmc", HOME / "src" / "dpmc_studies")
STUDIES = PACKAGES[1] / "studies"
PLUMBING = ("__init__.py", "cells.py", "settings.py", "jobs.py", "steps.py", "parts.py")
OF_EXPERIMENTS = ("experiments/__init__.py", "experiments/common.py")
SHARED = (
    "chapter.py", "check.py", "comparisons.py", "counting.py", "data.py", "differences.py",
    "frames.py", "hyperparameters.py", "methods.py", "rows.py",
    "streams.py", "variant_names.py", "variants.py",
)  # fmt: skip


def python(*places: Path) -> int:
    """Return the lines of Python files and of those below folders."""
    files = [each for place in places for each in (place, *place.rglob("*.py"))]
    return sum(len(each.read_text("utf-8").splitlines()) for each in files if each.is_file())


def named(study: Path, what: str) -> tuple[Path, ...]:
    """Return the modules and the folder of a study that are named after a thing."""
    return (*study.glob(f"{what}*.py"), study / what)


def claims(study: Path) -> int:
    """Return how many claims a study judges."""
    path = study / "claims.yaml"
    return len(yaml.safe_load(path.read_text("utf-8"))) if path.exists() else 0


def figures(study: Path) -> int:
    """Return how many figures a study declares, by their texts."""
    path = study / "figures.yaml"
    return len(yaml.safe_load(path.read_text("utf-8"))["figures"]) if path.exists() else 0


def is_slow(node: ast.AST) -> bool:
    """Whether a test, or a module by its ``pytestmark``, is marked slow."""
    return any(isinstance(each, ast.Attribute) and each.attr == "slow" for each in ast.walk(node))


def slow_lines(path: Path) -> int:
    """Return the lines of a module's tests that are marked slow."""
    text = path.read_text("utf-8")
    body = ast.parse(text).body
    marks = [
        each for each in body if isinstance(each, ast.Assign) and "pytestmark" in ast.dump(each)
    ]
    if any(map(is_slow, marks)):
        return len(text.splitlines())
    tests = [each for each in body if isinstance(each, ast.FunctionDef)]
    return sum(
        each.end_lineno - each.decorator_list[0].lineno + 1
        for each in tests
        if any(map(is_slow, each.decorator_list))
    )


def each(lines: int, count: int) -> str:
    """Return lines for each of some things."""
    return f"{lines:,} for {count}" + (f", {lines / count:.0f} each" if count else "")


def too_long(lines: dict[str, int], ceilings: dict[str, int]) -> str:
    """Return in words which places have more lines than their ceiling; empty if none has."""
    return "\n".join(
        f"{place} has {lines[place]:,} lines, and its ceiling is {ceiling:,}: take something out, "
        f"or raise it in benchmarks/{CEILINGS.name} and give the reason in the commit message."
        for place, ceiling in ceilings.items()
        if lines[place] > ceiling
    )


def main() -> str:
    """Print the lines, and return what is too long."""
    for package in PACKAGES:
        whole = python(package)
        found = {path.name: python(path) for path in sorted(package.iterdir()) if path.is_dir()}
        rooms = {name: lines for name, lines in found.items() if lines}
        rooms["what lies beside them"] = whole - sum(rooms.values())
        listed = ", ".join(f"{name} {lines:,}" for name, lines in rooms.items())
        print(f"src/{package.name} {whole:,} lines: {listed}")
    lines = drawn = 0
    for study in sorted(STUDIES.iterdir()):
        if (study / "__init__.py").exists():
            of_claims, of_figures = (named(study, what) for what in ("claims", "figures"))
            lines, drawn = lines + python(*of_figures), drawn + figures(study)
            declares, shared = (
                python(*(study / name for name in names))
                for names in ((*PLUMBING, *OF_EXPERIMENTS), SHARED)
            )
            print(
                f"  {study.name} {python(study):,}: "
                f"plumbing {declares:,}, with what its parts share {declares + shared:,}; "
                f"claims {each(python(*of_claims), claims(study))}; "
                f"figures {each(python(*of_figures), figures(study))}"
            )
    print(f"  figures of all studies {each(lines, drawn)}")
    print(f"  examples/own_study {python(HOME / 'examples' / 'own_study'):,}, whole")
    tests = HOME / "tests"
    slow = sum(map(slow_lines, tests.rglob("test_*.py")))
    print(f"tests {python(tests):,} lines: everyday {python(tests) - slow:,}, slow {slow:,}")

    places = {f"src/{package.name}": python(package) for package in PACKAGES}
    ceilings = yaml.safe_load(CEILINGS.read_text("utf-8"))
    return too_long({**places, "tests": python(tests)}, ceilings)


if __name__ == "__main__":
    sys.exit(main() or 0)

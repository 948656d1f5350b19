"""The index of theorems names what exists, and every module that proves something is in it."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import dpmc
import dpmc_studies

HOME = Path(__file__).parents[2]
INDEX = HOME / "docs" / "theorems.md"
THREATS = HOME / "docs" / "threats.md"
ROWS = [
    [cell.strip() for cell in line.strip("| ").split(" | ")]
    for line in INDEX.read_text(encoding="utf-8").splitlines()
    if re.match(r"\| \d+ \|", line)
]
PROVES = re.compile(r"\*\*(?:Theorem|Guarantee|Sensitivity)\b|\bQED\b|∎")
PLACES = (
    *((dpmc, name) for name in ("mechanisms", "privacy", "methods", "fitting")),
    (dpmc_studies, "methods"),
)


def code_in(text):
    return re.findall(r"`((?:dpmc(?:_studies)?\.|tests/)[^`\s]+)`", text)


def found(name):
    """Return what a dotted name stands for, or raise."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        place, _, attribute = name.rpartition(".")
        return getattr(found(place), attribute)


@pytest.mark.parametrize("page", [INDEX, THREATS], ids=lambda page: page.name)
def test_all_that_is_named_exists(page):
    names = code_in(page.read_text(encoding="utf-8"))
    assert len(names) > 10
    for name in names:
        if name.startswith(("dpmc.", "dpmc_studies.")):
            found(name)
            continue
        file, _, function = name.partition("::")
        assert (HOME / file).is_file(), name
        assert not function or f"def {function}(" in (HOME / file).read_text("utf-8"), name


def test_each_theorem_has_a_proof_code_tests_and_a_reader():
    assert [int(row[0]) for row in ROWS] == list(range(1, len(ROWS) + 1))
    for number, _, proof, code, tests, reader in ROWS:
        assert proof, number
        assert code, number
        assert all(name.startswith("tests/") for name in code_in(tests)), number
        assert code_in(tests), number
        assert re.search(r"^(yes|in part|not yet)\b", reader), number


def test_every_module_that_proves_something_is_in_the_index():
    named = "\n".join(proof + code for _, _, proof, code, *_ in ROWS)
    proving = [
        module.name
        for package, place in PLACES
        for module in pkgutil.walk_packages(
            [str(Path(package.__file__).parent / place)], f"{package.__name__}.{place}."
        )
        if PROVES.search(
            Path(importlib.util.find_spec(module.name).origin).read_text(encoding="utf-8")
        )
    ]
    assert len(proving) > 8
    assert [name for name in proving if f"`{name}" not in named] == []


def test_the_threats_tell_of_stores_and_clusters():
    text = THREATS.read_text(encoding="utf-8")
    assert "(scale.md#privacy)" in text
    assert "`dpmc.methods.cluster.total`" in text
    (sums,) = [" ".join(row) for row in ROWS if "`dpmc.privacy.sums.Sums`" in row[3]]
    for name in ("cluster.total", "Store.check_block", "test_dask.py"):
        assert name in sums

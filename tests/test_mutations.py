"""The list of planted faults stays true to the code, and the script that tries them is honest."""

from dataclasses import replace

import pytest
from mutate import HOME, KEPT, Mutation, load, outcome, problems, run_tests

MUTATIONS = load()


def test_there_are_enough_and_each_is_another():
    assert len({(m.file, m.original, m.mutated) for m in MUTATIONS}) == len(MUTATIONS) >= 25


def test_every_entry_fits_the_code():
    found = {f"{each.number}, {each.file}": problems(each) for each in MUTATIONS}
    assert {entry: texts for entry, texts in found.items() if texts} == {}
    for each in MUTATIONS:
        assert each.why, each.number
        assert all(name.startswith("tests/") for name in each.tests), each.number


def test_bad_entries_are_named():
    good = MUTATIONS[0]
    assert problems(replace(good, mutated=good.original)) == [
        "the mutated text is the original one"
    ]
    assert "not Python" in problems(replace(good, mutated="("))[0]
    assert "occurs 0 times" in problems(replace(good, original="no such text"))[0]
    assert problems(replace(good, tests=("tests/none.py",))) == ["there is no tests/none.py"]
    assert problems(replace(good, tests=())) == ["no test is named"]
    assert (HOME / good.file).is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mutated", "killed", "text"),
    [
        ("2 - x", True, "test_toy.py::test_double"),
        ("x + x", False, "survived"),
        ("nothing + x", True, "test_toy.py::test_double"),
        ("x)", False, "pytest ended with status 2"),
    ],
)
def test_outcomes(tmp_path, mutated, killed, text):
    source = tmp_path / "src" / "toy.py"
    source.parent.mkdir()
    source.write_text("def double(x):\n    return 2 * x\n")
    test = "from toy import double\n\n\ndef test_double():\n    assert double(3) == 6\n"
    (tmp_path / "test_toy.py").write_text(test)
    before = source.read_text(), source.stat().st_mtime_ns
    mutation = Mutation(1, "src/toy.py", "2 * x", mutated, "a toy", ("test_toy.py",))
    found = outcome(tmp_path, mutation)
    assert found[0] is killed
    assert text in found[1]
    assert (source.read_text(), source.stat().st_mtime_ns) == before


@pytest.mark.slow
def test_what_was_compiled_of_the_unchanged_code_hides_no_fault(tmp_path):
    """A constant is part of what is compiled of another file; what depends on nothing is kept."""
    package, test = tmp_path / "src" / "dpmc", tmp_path / "test_toy.py"
    package.mkdir(parents=True)
    compiled = "from numba import njit\n{}\n@njit(cache=True)\ndef {}(x):\n    return {}\n"
    for name, text in {
        "__init__": "",
        "numbers": "TWO = 2\n",
        "between": "from dpmc.numbers import TWO\n",
        "kernel": compiled.format("from dpmc.between import TWO\n", "double", "TWO * x"),
        "other": compiled.format("", "triple", "3 * x"),
    }.items():
        (package / f"{name}.py").write_text(text)
    test.write_text(
        "from dpmc.kernel import double\nfrom dpmc.other import triple\n\n\n"
        "def test_both():\n    assert (double(3), triple(3)) == (6, 9)\n"
    )
    assert run_tests(tmp_path, tmp_path / KEPT, ["test_toy.py"]).returncode == 0
    kept = {path: path.read_bytes() for path in (tmp_path / KEPT).rglob("*.nb?")}
    mutation = Mutation(1, "src/dpmc/numbers.py", "TWO = 2", "TWO = 5", "a toy", ("test_toy.py",))
    assert outcome(tmp_path, mutation) == (True, "test_toy.py::test_both")
    assert kept == {path: path.read_bytes() for path in (tmp_path / KEPT).rglob("*.nb?")}
    assert [path.name for path in tmp_path.glob("compiled*")] == [KEPT]

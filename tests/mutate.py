"""Plant the faults of mutations.yaml into a copy of the code, one at a time: a test must fail.

make mutations, or: python tests/mutate.py [--only NUMBER ...] [--jobs N]

A fault counts as found ("killed") only if the tests named with it run and one of them fails; a
module that cannot be imported or a run that does not end shows nothing. Nothing is written to
the repository.

Compiled functions of the unchanged code are kept. numba compiles one again where its own file has
changed; those of other files that import the changed one are removed for its run.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

from dpmc.compiled import IMPORTED
from dpmc_studies.yaml_files import read_plain

HOME = Path(__file__).parents[1]
LIST = Path(__file__).with_name("mutations.yaml")
REFERENCE = "results/reference"
NOT_COPIED = ("data", "results")  # of what is not hidden; the reference is
KEPT = "compiled"  # functions of the unchanged code
LONGEST = 600  # seconds for the tests of one mutation
GREEN, RED = 0, 1  # exit statuses of pytest; any other is no answer


@dataclass(frozen=True)
class Mutation:
    """One planted fault.

    Attributes
    ----------
    number : int
        Place in the list, from 1.
    file : str
        The source file, relative to the repository.
    original, mutated : str
        The text to replace, which occurs exactly once, and what stands there instead.
    why : str
        What the fault amounts to.
    tests : tuple of str
        The test files of which one must fail.
    """

    number: int
    file: str
    original: str
    mutated: str
    why: str
    tests: tuple[str, ...]

    def apply(self, source: str) -> str:
        """Return the mutated source."""
        return source.replace(self.original, self.mutated)


def load(path: Path = LIST) -> list[Mutation]:
    """Read the list."""
    entries = read_plain(path)
    return [
        Mutation(number, **entry | {"tests": tuple(entry["tests"])})
        for number, entry in enumerate(entries, start=1)
    ]


def problems(mutation: Mutation, home: Path = HOME) -> list[str]:
    """Return what is wrong with an entry of the list, in sentences."""
    found = []
    source = (home / mutation.file).read_text(encoding="utf-8")
    occurrences = source.count(mutation.original)
    if occurrences != 1:
        found.append(f"the original text occurs {occurrences} times in {mutation.file}, not once")
    if mutation.original == mutation.mutated:
        found.append("the mutated text is the original one")
    try:
        if mutation.file.endswith(".py"):
            ast.parse(mutation.apply(source))
    except SyntaxError:
        found.append("the mutated file is not Python")
    found += [f"there is no {name}" for name in mutation.tests if not (home / name).is_file()]
    if not mutation.tests:
        found.append("no test is named")
    return found


def copy_code(folder: Path) -> Path:
    """Copy what the tests need to a new folder and return it."""
    visible = (each for each in HOME.iterdir() if not each.name.startswith("."))
    for source in (*(each for each in visible if each.name not in NOT_COPIED), HOME / REFERENCE):
        target = folder / source.relative_to(HOME)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-*"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    return folder


def run_python(
    folder: Path, cache: Path, *arguments: str, longest: int | None = LONGEST
) -> subprocess.CompletedProcess:
    """Run Python on the code in a folder, with a folder of its own for compiled functions."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "COVERAGE_"))}
    environment["PYTHONPATH"] = str(folder / "src")  # comes before an editable installation
    environment["OPENBLAS_NUM_THREADS"] = "1"  # copies are what runs side by side
    environment["NUMBA_CACHE_DIR"] = str(cache)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=longest,
    )  # fmt: skip


def run_tests(
    folder: Path, cache: Path, tests: Sequence[str], longest: int | None = LONGEST
) -> subprocess.CompletedProcess:
    """Run test files until one fails; property tests always try the same examples."""
    options = ("-x", "-q", "-rf", "--tb=line", "-p", "no:cacheprovider", "--hypothesis-seed=0")
    return run_python(folder, cache, "-m", "pytest", *options, *tests, longest=longest)


def with_importers(changed: Path, source: Path) -> set[Path]:
    """Return a file, and those of a folder that import it, or from it, by some way."""
    imported = {}
    for path in source.glob("dpmc*/**/*.py"):
        modules = [
            source.joinpath(*name.split(".")) for name in IMPORTED.findall(path.read_text("utf-8"))
        ]
        imported[path] = {each.with_suffix(".py") for each in modules}
        imported[path] |= {each / "__init__.py" for each in modules}
    found, new = set(), {changed}
    while new:
        found |= new
        new = {path for path, modules in imported.items() if modules & new} - found
    return found


def compiled_for(folder: Path, mutation: Mutation) -> tuple[Path, bool]:
    """Return the folder of compiled functions for a mutation, and whether it is for that alone.

    That of the unchanged code, unless some of it depends on the file.
    """
    kept, path = folder / KEPT, folder / mutation.file
    users = with_importers(path, folder / "src")
    users = {each for each in users if "njit" in each.read_text("utf-8")}
    if not users:
        return kept, False
    own = folder / f"compiled-{mutation.number}"
    kept.mkdir(exist_ok=True)
    shutil.copytree(kept, own, copy_function=os.link)  # numba replaces files and changes none
    for each in users:
        # numba's name of a folder is that of the file's folder and a digest
        for index in own.glob(f"{each.parent.name}_*/{each.stem}.*.nbi"):
            index.unlink()
    return own, True


def outcome(folder: Path, mutation: Mutation) -> tuple[bool, str]:
    """Plant one fault into the code in a folder, run its tests, and take it out again.

    Returns
    -------
    killed : bool
    text : str
        The test that failed, or what happened instead.
    """
    path = folder / mutation.file
    source, times = path.read_text(encoding="utf-8"), path.stat()
    compiled, alone = compiled_for(folder, mutation)
    path.write_text(mutation.apply(source), encoding="utf-8")
    # a second of its own, by which Python knows its bytecode
    os.utime(path, (times.st_atime, int(times.st_mtime) + mutation.number))
    try:
        result = run_tests(folder, compiled, mutation.tests)
    except subprocess.TimeoutExpired:
        return False, "no answer in time"
    finally:
        path.write_text(source, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        if alone:
            shutil.rmtree(compiled)
    if result.returncode == GREEN:
        return False, "survived"
    if result.returncode != RED:
        return False, f"pytest ended with status {result.returncode}:\n{result.stdout}"
    failed = [line for line in result.stdout.splitlines() if line.startswith("FAILED ")]
    return True, failed[0].removeprefix("FAILED ").split(" - ")[0] if failed else "killed"


def refuse_other_code(folder: Path) -> None:
    """End unless Python in this folder imports the copy, not the installed package."""
    program = "import dpmc, dpmc_studies as s; print(dpmc.__file__, s.__file__)"
    result = run_python(folder, folder / KEPT, "-c", program)
    if result.stdout.count(str(folder / "src")) != 2:
        raise SystemExit(f"mutate: the copy is not what is imported: {result.stdout}")


def outcomes(
    mutations: Sequence[Mutation], jobs: int, place: Path
) -> Iterator[tuple[Mutation, bool, str]]:
    """Yield the outcome of each mutation, in order, from ``jobs`` copies of the code."""
    folders: Queue[Path] = Queue()
    for job in range(jobs):
        folders.put(copy_code(place / f"copy-{job}"))
    refuse_other_code(folders.queue[0])
    tests = sorted({name for mutation in mutations for name in mutation.tests})

    def untouched(job: int) -> subprocess.CompletedProcess:
        folder = place / f"copy-{job}"
        return run_tests(folder, folder / KEPT, tests[job::jobs], longest=None)

    with ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(untouched, range(min(jobs, len(tests)))):
            if result.returncode != GREEN:
                raise SystemExit(f"mutate: the tests fail without any mutation:\n{result.stdout}")

    def one(mutation: Mutation) -> tuple[Mutation, bool, str]:
        folder = folders.get()
        try:
            return mutation, *outcome(folder, mutation)
        finally:
            folders.put(folder)

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(one, mutations)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutations; return 0 if all are killed, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", type=int, nargs="+", metavar="NUMBER", help="places in the list")
    parser.add_argument("--jobs", type=int, default=1, help="mutations tried at a time")
    options = parser.parse_args(arguments)
    mutations = load()
    if options.only:
        mutations = [mutation for mutation in mutations if mutation.number in options.only]
    wrong = [f"{m.number}: {text}" for m in mutations for text in problems(m)]
    if wrong or not mutations:
        print("\n".join(wrong) or "mutate: the list has no such number", file=sys.stderr)
        return 1
    alive = []
    with tempfile.TemporaryDirectory(prefix="dpmc-mutations-") as place:
        for mutation, killed, text in outcomes(mutations, options.jobs, Path(place)):
            mark = "killed  " if killed else "SURVIVED"
            print(f"{mark} {mutation.number:2} {mutation.file}: {mutation.why} ({text})")
            sys.stdout.flush()
            alive += [] if killed else [mutation.number]
    print(f"{len(mutations) - len(alive)} of {len(mutations)} mutations killed")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())

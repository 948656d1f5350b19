"""The commands of README.md for one's own ratings run as they stand, and print what it says."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dpmc import cli
from dpmc.methods.published.verify import verify

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PROGRAM = "$ .venv/bin/dpmc "
OWN = ("recommend", "fit", "verify", "complete", "evaluate", "onebit")


def examples():
    """Yield (command line, the output that stands below it) of the blocks about own ratings."""
    for block in re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL):
        for piece in ("\n" + block.replace("\\\n", " ")).split("\n" + PROGRAM)[1:]:
            line, _, reported = piece.partition("\n")
            if line.split()[0] in OWN:
                yield line.partition("#")[0], reported.split("\n$ ")[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readme")
    rng = np.random.default_rng(0)
    rows = [
        f"u{user},film {item},{rng.integers(1, 6)}"
        for user in range(60)
        for item in np.flatnonzero(rng.random(20) < 0.5)
    ]
    for name in ("mine.csv", "public.csv"):
        (folder / name).write_text("user,item,rating\n" + "\n".join(rows) + "\n")
    (folder / "catalogue.txt").write_text("".join(f"film {item}\n" for item in range(20)))
    return folder


def test_own_ratings_from_fit_to_everybodys_own_predictions(folder, monkeypatch):
    monkeypatch.chdir(folder)
    seen = []
    for line, reported in examples():
        words = shlex.split(line) + ["--force"] * (line.split()[0] in ("fit", "onebit"))
        result = CliRunner().invoke(cli.cli, words, catch_exceptions=False)
        assert result.exit_code == 0, (line, result.output)
        assert " ".join(reported.split()) in " ".join(result.output.split()), line
        seen.append(words[0])
    assert set(seen) == set(OWN)
    assert "provided that the list of items was known" in README


def test_own_ratings_in_python(folder, tmp_path, monkeypatch):
    (example,) = re.findall(r"```python\n(import pandas.*?)```", README, flags=re.DOTALL)
    for name in ("mine.csv", "catalogue.txt"):
        (tmp_path / name).write_text((folder / name).read_text())
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(example, found)
    assert len(found["predicted"]) == len(found["frame"])
    assert len(found["best"]) == 10
    assert verify(tmp_path / "model") == found["model"].guarantee_.sentence()

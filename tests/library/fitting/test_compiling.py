"""What is first to compile on a machine says so; what is later, or quiet, says nothing."""

import os
import subprocess
import sys

import pytest
from numba import njit

from dpmc.cli.options import progress
from dpmc.fitting.compiling import NOTICE, Notice


@pytest.fixture(autouse=True)
def nothing_was_said(monkeypatch):
    monkeypatch.setattr(Notice, "said", False)


def compile_two():
    """Compile two functions, which no cache has."""
    assert njit(lambda x: x + 1)(1) == 2
    assert njit(lambda x: x + 2)(1) == 3


@pytest.mark.parametrize(("hidden", "said"), [(False, f"{NOTICE}\n"), (True, "")])
def test_it_is_said_once_while_something_is_compiled(capsys, hidden, said):
    for _ in range(2):  # a command has several bars
        with progress(1, "iterations", hidden=hidden):
            compile_two()
    assert capsys.readouterr().err == said
    compile_two()
    assert capsys.readouterr().err == "", "it goes on listening"


def test_a_bar_makes_room_for_it(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress(1, "iterations") as step:
        compile_two()
        step()
    assert f"\r{NOTICE}\n\riterations: 100%" in capsys.readouterr().err


def test_a_bar_goes_on_beyond_what_was_planned(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress(2, "statistics") as step:
        for _ in range(3):
            step()
    lines = capsys.readouterr().err.split("\r")
    assert lines[3].startswith("statistics: 100%, 2/2 done, 0 s left")
    assert lines[4].strip() == "statistics: 3 done"


@pytest.mark.slow
def test_fit_and_complete_say_it_with_an_empty_cache_only(tmp_path):
    table = tmp_path / "mine.csv"
    rows = [f"u{user},i{item},{1 + (user + item) % 5}" for user in range(40) for item in range(8)]
    table.write_text("\n".join(["user,item,rating", *rows]))
    options = {
        "ratings": table,
        "output": tmp_path / "model",
        "relation": "user",
        "epsilon": 5,
        "delta": 1e-6,
        "method": "bias",
    }
    command = [sys.executable, "-m", "dpmc", "fit", "--items-are-public", "--force"]
    command += [f"--{name}={value}" for name, value in options.items()]
    command += ["--rating-range", "1", "5"]
    written = []
    complete = [sys.executable, "-m", "dpmc", "complete", f"--model={tmp_path / 'model'}"]
    complete += [f"--ratings={table}", "--top=2"]
    for words in (command, command, complete, complete):
        run = subprocess.run(
            words,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stderr
        written.append(run.stderr.count(NOTICE))
    assert written == [1, 0, 1, 0]

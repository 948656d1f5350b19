"""What is first to compile on a machine says so; what is later, or quiet, says nothing."""

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

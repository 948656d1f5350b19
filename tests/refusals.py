"""The program run as the shell does, where it refuses to run."""

import sys

import pytest

from dpmc import cli


def refusal(capsys, monkeypatch, command, listed):
    """Return the one sentence of exit status 2."""
    monkeypatch.setattr(sys, "argv", ["dpmc", command, *map(str, listed)])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("dpmc: ")
    return printed.err

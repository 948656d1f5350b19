"""Small tables through `dpmc fit`: what tests of published folders share."""

import csv
import io
import json
import sys
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from unittest import mock

import numpy as np
import pytest
from click.testing import CliRunner

from dpmc import cli
from dpmc.methods.user_level.local_bayes import check
from dpmc.methods.user_level.local_bayes.method import FALLBACKS

USERS = [f"u{number:02}" for number in range(24)]
ITEMS = list("abcdef")
ENOUGH = [f"u{number:03}" for number in range(400)]
"""Users whose error is above the noise of the default budget, where it is reported."""
SIMULATED = "simulated_"
DEFAULTS = {"fit": {"epsilon": 20, "delta": 1e-9, "relation": "user", "rating-range": (1, 5)}}
PUBLIC = {
    "user": {"items-are-public": True},
    "entry": {"items-are-public": True, "users-are-public": True},
}


def rows_of(users=USERS, items=ITEMS, seed=0):
    """Every user rates every item."""
    rng = np.random.default_rng(seed)
    return [(user, item, float(rng.integers(1, 6))) for user in users for item in items]


def write_table(path, rows, header=("user", "item", "rating")):
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([header, *rows])
    return path


def write_list(path, labels):
    path.write_text("".join(f"{label}\n" for label in labels), encoding="utf-8")
    return path


def listed(command, table, output, **changes):
    """Return the arguments; True is a flag, None leaves a default out."""
    options = {"ratings": table, "output": output, **DEFAULTS[command], **changes}
    if options["relation"].startswith("user"):
        options = {"ratings-per-user": 3, "method": "als"} | options
        if options["method"] not in ("bayes", "bias"):
            options = {"rank": 2} | options
    arguments = [command]
    for name, value in options.items():
        if value is True:
            arguments.append(f"--{name}")
        elif value is not None:
            values = value if isinstance(value, tuple) else (value,)
            arguments += [f"--{name}", *map(str, values)]
    return arguments


def run(*arguments, status=0):
    # what is said depends on the command, and not on what has to be compiled first
    with mock.patch("dpmc.fitting.compiling.noticed", return_value=nullcontext()):
        result = CliRunner().invoke(cli.cli, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == status, result.output
    return result


def publish(command, table, output, **changes):
    return run(*listed(command, table, output, **changes))


@contextmanager
def falling_back(to):
    """Let fits with the default method fall back to this, or not, whatever their releases say."""
    place = None if to is None else FALLBACKS.index(to)
    with mock.patch.object(check, "better", return_value=place):
        yield


def refused(*arguments, remarks=0, status=2):
    """Return the one sentence of an exit status, which so many remarks stand before."""
    return refusal_of(*arguments, remarks=remarks, status=status)[-1]


def refusal_of(*arguments, remarks=0, status=2):
    """Return the remarks, if their number is as given (None: any), and the sentence."""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["dpmc", *map(str, arguments)]),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as caught,
    ):
        cli.main()
    assert caught.value.code == status
    assert out.getvalue() == ""
    *before, sentence = err.getvalue().splitlines(keepends=True)
    assert remarks is None or len(before) == remarks, err.getvalue()
    assert all(each.endswith(" (for your eyes only; it is in no file).\n") for each in before)
    assert sentence.startswith("dpmc: ")
    return *before, sentence


def guarantee_of(folder):
    (path,) = folder.glob("*guarantee.json")
    return json.loads(path.read_text(encoding="utf-8"))


def labels_in(path):
    """Return the first column of a file of factors."""
    with open(path, newline="", encoding="utf-8") as stream:
        return [row[0] for row in csv.reader(stream)][1:]

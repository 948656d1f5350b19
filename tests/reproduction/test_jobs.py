"""What a workflow script leaves in its log."""

import errno
import os
import re
import sys

import pytest

from dpmc.errors import InputError
from dpmc_studies.jobs import logged, timed


def test_prints_go_to_the_log_and_nowhere_else(tmp_path, capsys):
    with logged(tmp_path / "job.log"):
        print("a line")
        print("a warning", file=sys.stderr)
    print("after")
    assert (tmp_path / "job.log").read_text() == "a line\na warning\n"
    assert capsys.readouterr() == ("after\n", "")


@pytest.mark.parametrize(
    ("error", "first", "lines"),
    [
        (InputError("The file is wrong."), "dpmc: The file is wrong.", 1),
        (
            OSError(errno.ENOSPC, "No space left on device", "x.csv"),
            "dpmc: x.csv cannot be written: the disk is full; make room there, then run this "
            "again.",
            1,
        ),
        (OSError(errno.EACCES, "Permission denied", "x.csv"), "dpmc: x.csv: Permission denied.", 1),
        (KeyError("rank"), "Traceback (most recent call last):", None),
    ],
)
def test_an_error_ends_the_job_and_stands_in_the_log(tmp_path, error, first, lines):
    with pytest.raises(SystemExit) as caught, logged(tmp_path / "job.log"):
        raise error
    assert caught.value.code == 1
    text = (tmp_path / "job.log").read_text().splitlines()
    assert text[0] == first
    assert lines is None or len(text) == lines
    assert sys.stdout is not None


def test_the_log_says_what_starting_and_running_took(tmp_path):
    with logged(tmp_path / "job.log"), timed():
        print("a line")
    first, second = (tmp_path / "job.log").read_text().splitlines()
    assert first == "a line"
    assert re.fullmatch(r"CPU seconds: \d+\.\d\d to start, \d+\.\d\d to run", second)


def test_a_rule_may_have_no_log(capsys):
    with logged(None):
        print("nowhere")
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a disk that is full")
@pytest.mark.parametrize("error", [None, InputError("The file is wrong.")])
def test_what_a_full_log_cannot_take_goes_to_standard_error(capsys, error):
    def job():
        with logged("/dev/full"):
            print("a line")
            if error is not None:
                raise error

    with pytest.raises(SystemExit) as caught:
        job()
    assert caught.value.code == 1
    words = "the disk is full" if error is None else "The file is wrong."
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert words in captured.err

"""Bad input and bad luck through the whole program: one sentence, never a traceback."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from publication.small_tables import listed, refused, rows_of, run, write_list, write_table

from dpmc.fitting.compiling import NOTICE

FIT = {"items-are-public": True}


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "mine.csv", rows_of())


@pytest.fixture
def model(tmp_path, table):
    run(*listed("fit", table, tmp_path / "model", **FIT))
    return tmp_path / "model"


def process(*arguments, **options):
    command = [sys.executable, "-m", "dpmc", *map(str, arguments)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=120, **options)


# -- outputs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["file/out", "file/deeper/out", "x" * 250, "link/out"])
def test_an_output_that_cannot_be_is_refused_before_the_ratings_are_read(tmp_path, place):
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    before = sorted(tmp_path.iterdir())
    # there are no ratings, so a refusal that comes late would be about them
    arguments = listed("fit", tmp_path / "none.csv", tmp_path / place, **FIT)
    assert f"{tmp_path / place} cannot be written (" in refused(*arguments)
    assert sorted(tmp_path.iterdir()) == before


def test_complete_refuses_its_output_before_anything_is_read(tmp_path):
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "mine.csv").write_text("mine")
    arguments = ["complete", "--model", "none", "--ratings", "none.csv", "--output"]
    for name, words in {
        "file/out.csv": "out.csv cannot be written (Not a directory); name another --output.",
        "x" * 250 + ".csv": "cannot be written (File name too long)",
        "out.txt": "--output must name a file that ends in .csv, .parquet, .jsonl, got ",
        "folder.csv": "folder.csv is a folder; name a file for --output.",
        "mine.csv": "mine.csv exists; name another --output, or give --force to replace it.",
    }.items():
        assert words in refused(*arguments, tmp_path / name)
    assert "folder.csv is a folder" in refused(*arguments, tmp_path / "folder.csv", "--force")
    assert (tmp_path / "mine.csv").read_text() == "mine"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a disk that is full")
def test_a_full_disk_is_one_sentence():
    with open("/dev/full", "w") as full:
        run = process("budget", stdout=full)
    sentence = "A file cannot be written: the disk is full; make room there, then run this again."
    assert (run.returncode, run.stderr) == (2, f"dpmc: {sentence}\n")


# -- pipes and Ctrl-C ---------------------------------------------------------------------------


def test_a_reader_that_stops_reading_is_no_fault(model, table):
    arguments = ["complete", "--model", model, "--ratings", table]
    read, write = os.pipe()
    os.close(read)  # whoever writes now gets EPIPE
    try:
        broken = process(*arguments, stdout=write)
    finally:
        os.close(write)
    assert (broken.returncode, broken.stderr.replace(f"{NOTICE}\n", "")) == (1, "")


def test_a_closed_standard_output_is_said(model, table):
    arguments = f"-m dpmc complete --model '{model}' --ratings '{table}' >&-"
    command = ["sh", "-c", f"'{sys.executable}' {arguments}"]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert (run.returncode, run.stderr) == (
        2,
        "dpmc: The standard output is closed: give --output FILE.\n",
    )


def test_interrupted_it_leaves_nothing(tmp_path, table):
    def command(folder, iterations):
        options = {"iterations": iterations, "rank": None, "epsilon": 10}
        arguments = listed("fit", table, folder, **options, **FIT)
        return [sys.executable, "-m", "dpmc", *map(str, arguments)]

    # what it compiles is there afterwards: it may not hear the signal while it compiles
    before = tmp_path / "before"
    subprocess.run(command(before, 1), check=True, capture_output=True)
    shutil.rmtree(before)
    # a test run in the background has its children ignore the signal: undo that
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    pipes = {"stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command(tmp_path / "out", 10**8), **pipes, **heard) as child:
        try:
            # the last thing that is said before the fit
            assert "ratings beyond 3 a user" in child.stderr.readline()
            time.sleep(1)
            child.send_signal(signal.SIGINT)
            _, error = child.communicate(timeout=60)
        finally:
            child.kill()
    assert child.returncode == 2
    assert error.strip() == "dpmc: Stopped."
    assert sorted(tmp_path.iterdir()) == [table]


# -- numbers that are far too large or small ----------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--epsilon", "1e-300", "--releases", 3], "--epsilon must lie between 1e-09 and 1e+09"),
        (["--epsilon", 5, "--releases", 10**17], "--releases must lie between 1 and 10000"),
        (["--epsilon", 5, "--relation", "user", "--iterations", 10**13], "--iterations must lie"),
        (["--epsilon", 5, "--relation", "user", "--factor-bound", 1e-300], "--factor-bound must"),
        (
            ["--epsilon", 5, "--relation", "user", "--rating-range", -1e200, 1e200],
            "--rating-range must lie",
        ),
    ],
)
def test_noise_refuses_them_too(options, words):
    assert words in refused("noise", *options)


# -- the rank -----------------------------------------------------------------------------------


def test_a_rank_beyond_what_is_public_is_refused(tmp_path, table):
    out = tmp_path / "out"
    assert "--rank must be at most 6 for 6 items, got 7" in refused(
        *listed("fit", table, out, rank=7, **FIT)
    )
    few = write_list(tmp_path / "few.txt", ["u01", "u02"])
    entry = {"relation": "entry", "items-are-public": True, "users": few, "rank": 3}
    assert "--rank must be at most 2 for 2 users, got 3" in refused(
        *listed("fit", table, out, **entry), remarks=0
    )
    assert not out.exists()


def test_a_rank_beyond_what_is_private_is_remarked_on(tmp_path, table):
    """How many users there are, and which items, is nobody's to learn from a refusal."""
    options = {"items-privately": 0.3, "rank": 25}
    result = run(*listed("fit", table, tmp_path / "out", **options))
    for remark in (
        "the rank 25 is beyond the number of users, 24 (for your eyes only; it is in no file)",
        "the rank 25 is beyond the number of items, 6 (for your eyes only; it is in no file)",
    ):
        assert remark in result.stderr
    assert "beyond the number" not in result.stdout


# -- lists ---------------------------------------------------------------------------------------


def test_runs_that_are_no_text(tmp_path):
    (tmp_path / "trials.csv").write_bytes(b"\xff\xfe\x00")
    assert f"{tmp_path / 'trials.csv'} is no CSV table" in refused("diff", tmp_path, tmp_path)
    listed = refused("reference", "update", "--results", tmp_path)
    assert f"{tmp_path} holds the results of no study" in listed

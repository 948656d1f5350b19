"""What a run survives: each fault ends in one sentence or the run goes on, and nothing is lost.

docs/faults.md says what was seen.
"""

import contextlib
import functools
import hashlib
import http.server
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from publication.small_tables import listed, rows_of, write_table
from workflow.workspaces import HOME, SMALL, TABLES, Launched, until

from dpmc.datasets import Dataset
from dpmc.errors import InputError
from dpmc.files import refusal
from dpmc.fitting.book import read
from dpmc_studies.configuration import merge
from dpmc_studies.datasets.download import obtain
from dpmc_studies.report.crate import copy_code
from dpmc_studies.report.page_parts import copied_to

TRIALS = TABLES["huber"]
# two cells and the data that they share
GRID = merge(SMALL, {"huber": {"mechanisms": ["none"], "baselines": ["item_bias"]}})
EDITED = merge(GRID, {"huber": {"iterations": 3}})
DATA = "results/huber/synthetic/rank~3/observed_fraction~0.2.npz"
HOURS = 2 * 3600
FULL = "the disk is full; make room there, then run this again."


def made(folder, overlay=GRID):
    space = Launched(folder, overlay)
    space.run(TRIALS)
    return space


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return made(tmp_path_factory.mktemp("undisturbed") / "work")


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    return made(tmp_path_factory.mktemp("edited") / "work", EDITED)


@pytest.fixture
def copy(undisturbed, tmp_path):
    return Launched(undisturbed.copied(tmp_path / "copy").folder, GRID)


def sentences(output):
    """Return what is said beside progress, after checking that no traceback is."""
    assert "Traceback" not in output
    lines = [line.removeprefix("dpmc: ") for line in output.splitlines() if "dpmc: " in line]
    return [line for line in lines if line.endswith(".")]


def fill(place):
    """Fill a disk to the last byte; return the file to remove."""
    ballast = place / "ballast"
    with open(ballast, "wb", buffering=0) as stream, contextlib.suppress(OSError):
        while True:
            stream.write(bytes(512))
    return ballast


def whole(space):
    """Check that nothing is half-written."""
    assert space.strays() == []
    for rows in space.every_table().values():
        assert rows[1:]
        assert {len(row) for row in rows} == {len(rows[0])}


def check_goes_on(space, expected, *targets):
    space.run(*targets or [TRIALS])
    assert space.rows() == expected.rows()
    whole(space)
    assert "nothing to do; what was asked for" in space.run(TRIALS)


# the disk


@pytest.mark.parametrize("part", ["results", ".snakemake", "."])
def test_the_disk_fills_up_in_the_middle(part, tmp_path, small_disk, undisturbed, seen):
    folder = tmp_path / "work"
    place = small_disk(folder / part, "3M")
    space = Launched(folder, GRID)
    process = subprocess.Popen(
        [str(each) for each in space.command(TRIALS, cores=1)],
        cwd=folder,
        env=space.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    until(lambda: space.cells())
    ballast = fill(place)
    output = process.communicate()[0]
    assert process.returncode == 1, output
    said = sentences(output)
    assert said
    assert all(FULL in sentence for sentence in said)
    whole(space)
    kept = {path: path.stat().st_mtime_ns for path in space.cells()}
    # nothing is started on a full disk
    (sentence,) = sentences(space.run(TRIALS, code=2))
    assert sentence == f"{'results' if part != '.snakemake' else part} cannot be written: {FULL}"
    assert {path: path.stat().st_mtime_ns for path in space.cells()} == kept
    ballast.unlink()
    check_goes_on(space, undisturbed)
    seen(f"disk full in the middle ({part} on it)", said[-1])


@pytest.mark.parametrize("source", ["table", "store"])
@pytest.mark.parametrize("command", ["fit", "complete"])
def test_the_disk_fills_up_under_a_command(command, source, tmp_path, small_disk, seen):
    disk = small_disk(tmp_path / "disk", "256k")
    users, items = ([f"{kind}{i}" for i in range(120)] for kind in "ui")
    ratings = write_table(tmp_path / "mine.csv", rows_of(users, items))
    public = {"items-are-public": True}
    assert dpmc(*listed("fit", ratings, tmp_path / "model", **public)) == (0, "")
    more = {"rank": 100}
    if source == "store":
        assert dpmc("store", "build", ratings, "--output", tmp_path / "store") == (0, "")
        ratings, more = tmp_path / "store", {"method": "bayes", "rank": None}
    # 120 rows of factors, 120 x 120 predictions or their best 100 each: more than the disk holds
    if command == "fit":
        arguments = listed("fit", ratings, disk / "out", **public, **more)
    else:
        arguments = ["complete", "--model", tmp_path / "model", "--ratings", ratings, "--output"]
        best = [disk / "out.parquet", "--top", 100, "--include-rated"]
        arguments += best if source == "store" else [disk / "out.csv"]
    if [command, source] != ["complete", "table"]:
        fill_up_to(disk, 4096)
    before = sorted(disk.iterdir())
    status, text = dpmc(*arguments)
    assert status == 2, text
    sentence = sentences(text)[-1]
    assert sentence.endswith(FULL)
    assert str(disk / "out") in sentence
    assert sorted(disk.iterdir()) == before
    subprocess.run(["mount", "-o", "remount,size=8M", disk], check=True)
    assert dpmc(*arguments)[0] == 0
    seen(f"disk full under dpmc {command} of a {source}", sentence)


@pytest.mark.parametrize("state", ["full", "read-only"])
def test_a_ledger_on_a_disk_that_takes_nothing(state, tmp_path, small_disk, seen):
    """Neither a new ledger nor an entry: the fit is refused before any noise is drawn."""
    disk = small_disk(tmp_path / "disk", "256k")
    ratings = write_table(tmp_path / "mine.csv", rows_of())
    ledger, model = disk / "mine.ledger", tmp_path / "model"
    asked = listed("fit", ratings, model, ledger=ledger, method="bias", epsilon=3)
    asked += ["--items-are-public", "--budget", "9,1e-8", "--quiet", "--force"]
    remedies = {
        "full": lambda: (disk / "ballast").unlink(),
        "read-only": lambda: remount(disk, "rw"),
    }
    for entries in (0, 1):
        fill(disk) if state == "full" else remount(disk, "ro")
        before = {path: path.read_bytes() for path in disk.iterdir()}
        written = model.exists()
        status, text = dpmc(*asked)
        (sentence,) = text.splitlines()
        assert status == 2
        assert sentence.startswith(f"dpmc: {ledger} cannot be written")
        assert state in sentence.replace("readonly", "read-only")
        assert {path: path.read_bytes() for path in disk.iterdir()} == before
        assert model.exists() == written
        remedies[state]()
        assert dpmc(*asked)[0] == 0
        assert len(read(ledger).entries) == entries + 1
        seen(f"ledger on a {state} disk", sentence)


def remount(disk, how):
    subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True)


@pytest.mark.parametrize("room", [100_000, 1_000_000])  # in the first pass, in the second
def test_the_disk_fills_up_under_a_store(room, tmp_path, small_disk, seen):
    disk = small_disk(tmp_path / "disk", "8M")
    users, items = ([f"{kind}{i}" for i in range(200)] for kind in "ui")
    table = write_table(tmp_path / "mine.csv", rows_of(users, items))  # rows of 640 kB
    whole, output = tmp_path / "whole", disk / "store"
    assert dpmc("store", "build", table, "--output", whole) == (0, "")
    fill_up_to(disk, room)
    status, text = dpmc("store", "build", table, "--output", output)
    assert status == 2, text
    sentence = text.splitlines()[-1]
    assert sentence == f"dpmc: {output} cannot be written: {FULL}"
    assert not output.exists()
    assert (disk / ".store.building" / "read.json").exists() == (room > 640_000)
    (disk / "ballast").unlink()
    assert dpmc("store", "build", table, "--output", output) == (0, "")
    assert sorted(os.listdir(disk)) == ["store"]
    for path in whole.rglob("*.*"):
        assert (output / path.relative_to(whole)).read_bytes() == path.read_bytes()
    seen("disk full under dpmc store build", sentence)


@pytest.mark.parametrize("made", ["code", "report"])
def test_the_disk_fills_up_under_a_copy(made, tmp_path, small_disk, seen):
    """The operating system names the file that is copied, not the one that is written."""
    disk, large = small_disk(tmp_path / "disk", "256k"), tmp_path / "large.csv"
    large.write_bytes(bytes(10**6))
    fill_up_to(disk, 8192)
    with pytest.raises(OSError, match="No space left") as caught:
        copy_code(HOME, disk) if made == "code" else copied_to(disk, "files")(large, "large.csv")
    sentence = refusal(caught.value)
    assert sentence.startswith(f"{disk}/{'code/' if made == 'code' else 'files/large.csv'}")
    assert sentence.endswith(f" cannot be written: {FULL}")
    seen(f"disk full under a copy ({made})", sentence)


def fill_up_to(place, room):
    """Fill a disk and leave some room."""
    fill(place)
    os.truncate(place / "ballast", (place / "ballast").stat().st_size - room)


def dpmc(*arguments):
    """Return the exit status of a command and what it said of errors."""
    command = [sys.executable, "-m", "dpmc", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode, result.stderr if result.returncode else ""


def test_a_read_only_results_folder(copy, request, seen):
    copy.write(EDITED)
    results = copy.folder / "results"
    before = copy.every_table()
    if os.geteuid() == 0:
        small_disk = request.getfixturevalue("small_disk")
        held = shutil.move(results, copy.folder / "held")
        shutil.copytree(held, small_disk(results, "8M"), dirs_exist_ok=True)
        subprocess.run(["mount", "-o", "remount,ro", results], check=True)
        restore = functools.partial(
            subprocess.run, ["mount", "-o", "remount,rw", results], check=True
        )
        why = "the file system is read-only"
    else:
        results.chmod(0o555)
        restore = functools.partial(results.chmod, 0o755)
        why = "Permission denied"
    try:
        (sentence,) = sentences(copy.run(TRIALS, code=2))
        assert sentence.startswith("results")
        assert why in sentence
        assert copy.every_table() == before
    finally:
        restore()
    copy.run(TRIALS)
    whole(copy)
    assert "nothing to do; what was asked for" in copy.run(TRIALS)
    seen("read-only results folder", sentence)


# what is broken


def test_a_corrupted_download(tmp_path, seen):
    served = tmp_path / "served"
    served.mkdir()
    right = bytes(range(256)) * 100
    (served / "u.data").write_bytes(right[:-1] + b"?")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=served)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    dataset = Dataset(
        name="toy",
        title="Toy",
        file="toy/u.data",
        reader="movielens-tab",
        url=f"http://127.0.0.1:{server.server_address[1]}/u.data",
        size=len(right),
        sha256=hashlib.sha256(right).hexdigest(),
    )
    try:
        with pytest.raises(InputError, match="delivered a file that has SHA-256") as caught:
            obtain(dataset, tmp_path / "data", progress=False)
        assert [path for path in (tmp_path / "data").rglob("*") if path.is_file()] == []
        (served / "u.data").write_bytes(right)
        assert obtain(dataset, tmp_path / "data", progress=False).read_bytes() == right
    finally:
        server.shutdown()
        server.server_close()
    seen("corrupted download", str(caught.value))


def test_a_corrupted_copy_in_the_mirror(tmp_path, seen):
    mirror = tmp_path / "mirror" / "ml-100k"
    mirror.mkdir(parents=True)
    (mirror / "u.data").write_text("1\t1\t5\t0\n")
    space = Launched(tmp_path / "work", GRID)
    target = "results/data/ml-100k.npz"
    (sentence,) = sentences(space.run(target, code=1, DPMC_DATA_MIRROR=str(mirror.parent)))
    assert "u.data in the mirror has SHA-256" in sentence
    assert not list(space.folder.glob("data/**/u.data"))
    assert not (space.folder / target).exists()
    seen("corrupted file in the mirror", sentence)


@pytest.mark.parametrize("kind", ["truncated", "a wrong byte"])
def test_a_broken_archive_is_refused(kind, copy, edited, seen):
    path = copy.folder / DATA
    content = bytearray(path.read_bytes())
    if kind == "truncated":
        del content[len(content) // 2 :]
    else:
        content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    copy.write(EDITED)
    said = sentences(copy.run(TRIALS, code=1))
    assert all(f"{DATA} is broken" in sentence for sentence in said)
    path.unlink()
    check_goes_on(copy, edited)
    seen(f"{kind} in an .npz", said[0])


# two runs, and time


def test_two_runs_in_one_folder(tmp_path, undisturbed, seen):
    space = Launched(tmp_path / "work", GRID)
    process = space.started(TRIALS)
    until(lambda: space.cells())
    process.send_signal(signal.SIGSTOP)  # on a busy machine it could end before the other begins
    try:
        (sentence,) = sentences(space.run(TRIALS, code=2))
    finally:
        process.send_signal(signal.SIGCONT)
    assert f"Another run holds this folder: process {process.pid}" in sentence
    assert process.wait() == 0
    check_goes_on(space, undisturbed)
    seen("two runs in one folder", sentence)


def test_the_clock_is_set_back(tmp_path, undisturbed, seen):
    space = Launched(tmp_path / "work", GRID)
    space.run(DATA)
    data = space.folder / DATA
    process = subprocess.Popen(
        [str(each) for each in space.command(TRIALS, cores=1)],
        cwd=space.folder,
        env=space.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: space.cells())
    os.utime(data, (time.time() + HOURS,) * 2)
    output = process.communicate()[1]
    assert process.returncode == 1, output
    (sentence,) = sentences(output)
    command = sentence.partition("`")[2].partition("`")[0]
    subprocess.run(command, shell=True, cwd=space.folder, check=True)
    assert not data.exists()
    check_goes_on(space, undisturbed)
    seen("clock set back", sentence)

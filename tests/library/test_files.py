"""Files are whole or not there, on the disk, for whom they are meant, and blamed by name."""

import errno
import os
import stat
from pathlib import Path

import numpy as np
import pytest

from dpmc.errors import InputError
from dpmc.files import (
    ADVICE,
    atomic_path,
    check_outside,
    content_digest,
    naming,
    probe,
    reading_npz,
    refusal,
    refusal_in,
    write_text,
)


def full(*args, **kwargs):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def names(folder):
    return sorted(each.name for each in folder.iterdir())


@pytest.fixture
def events(monkeypatch):
    """Note what is put on the disk, with its content, and what is renamed, in this order."""
    seen, fsync, replace = [], os.fsync, os.replace

    def flushing(descriptor):
        size = os.fstat(descriptor).st_size
        seen.append(("flushed", os.fstat(descriptor).st_ino, os.pread(descriptor, size, 0)))
        fsync(descriptor)

    def renaming(source, target):
        seen.append(("renamed", os.stat(source).st_ino, Path(source).read_bytes()))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", flushing)
    monkeypatch.setattr(os, "replace", renaming)
    return seen


def test_a_file_is_on_the_disk_before_it_gets_its_name(tmp_path, events):
    write_text(tmp_path / "deep" / "a.txt", "whole")
    (flushed, *one), (renamed, *other) = events
    assert (flushed, renamed) == ("flushed", "renamed")
    assert one == other == [(tmp_path / "deep" / "a.txt").stat().st_ino, b"whole"]
    assert names(tmp_path / "deep") == ["a.txt"]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0, 0o666)])
def test_who_may_read_a_file_is_a_matter_of_the_umask_or_of_its_owner(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        for private, expected in ((False, mode), (True, 0o600)):
            for name in ("new", "old"):
                if name == "old":
                    (tmp_path / name).write_text("old")
                    (tmp_path / name).chmod(0o644)
                with atomic_path(tmp_path / name, private=private) as temporary:
                    assert stat.S_IMODE(temporary.stat().st_mode) == 0o600  # while it is written
                    temporary.write_text("new")
                assert stat.S_IMODE((tmp_path / name).stat().st_mode) == expected
        assert os.umask(umask) == umask
    finally:
        os.umask(before)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_cannot_be_finished_leaves_what_was_there_and_is_blamed_on_it(
    tmp_path, monkeypatch, step
):
    path = tmp_path / "a.csv"
    write_text(path, "old")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space") as caught:
        write_text(path, "new")
    monkeypatch.undo()
    assert caught.value.filename == str(path)
    assert refusal(caught.value) == f"{path} cannot be written: {ADVICE[errno.ENOSPC]}."
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.csv"]


def test_errors_of_reading_keep_their_names(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, naming(tmp_path / "output"):
        (tmp_path / "input").read_bytes()
    assert refusal(caught.value) == f"{tmp_path / 'input'}: No such file or directory."
    assert refusal(OSError("odd")) == "odd."
    for number in ADVICE:
        said = refusal_in(f"another program: [Errno {number}] {os.strerror(number)}: 'x'")
        assert said == f"A file cannot be written: {ADVICE[number]}."
    assert refusal_in(os.strerror(errno.ENOENT)) is None


@pytest.mark.parametrize("room", [0, 1000])
def test_a_probe_fills_the_room_that_it_asks_for_and_leaves_nothing(tmp_path, events, room):
    probe(tmp_path / "not" / "yet" / "out.csv", room)
    assert [(what, content) for what, _, content in events] == [("flushed", bytes(room))]
    assert names(tmp_path) == []


def test_outside_of_a_folder_is_outside_whatever_it_is_called(tmp_path, monkeypatch):
    folder = tmp_path / "model"
    (folder / "deep").mkdir(parents=True)
    (tmp_path / "alias").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    for inside in ("model/a.csv", "model/deep/a.csv", "alias/a.csv", "x/../model/a.csv"):
        for named in (folder, Path("model"), Path("alias"), Path("model/../model")):
            with pytest.raises(InputError, match="which may be published with its own files only"):
                check_outside(Path(inside), named)
    for outside in ("a.csv", "model.csv", "models/a.csv", "model/../a.csv"):
        check_outside(Path(outside), folder)


def test_digests_of_content_hold_for_any_order_of_keys():
    one, other = {"a": 1, "b": {"c": [1, 2], "d": None}}, {"b": {"d": None, "c": [1, 2]}, "a": 1}
    assert content_digest(one) == content_digest(other)
    assert content_digest(one) != content_digest({"a": 1, "b": {"c": [2, 1], "d": None}})


@pytest.mark.parametrize("kept", [0, 10, 200, -1])
def test_a_file_of_arrays_that_is_cut_off_is_refused(tmp_path, kept):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, x=np.arange(1000))
    path.write_bytes(path.read_bytes()[:kept])
    with (
        pytest.raises(InputError, match=r"a\.npz is broken \(.*\); delete it"),
        reading_npz(path),
        np.load(path) as arrays,
    ):
        arrays["x"]

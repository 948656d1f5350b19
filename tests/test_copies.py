"""What the file system refuses is said of the file that was to be written."""

import errno
import shutil
import subprocess
import sys

import pytest

from dpmc import files
from dpmc.datasets import Dataset
from dpmc.errors import InputError
from dpmc_studies.datasets.download import obtain
from dpmc_studies.report.crate import copy_code
from dpmc_studies.report.page_parts import copied_to

FULL = "the disk is full; make room there, then run this again."
# a limit of the size of files is a full disk that nobody has to mount
LIMITED = """
import resource, sys
from dpmc.files import copy, refusal
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    copy(*sys.argv[1:])
except OSError as error:
    print(refusal(error))
"""


def test_of_a_copy_that_fails_the_target_is_named(tmp_path):
    source, target = tmp_path / "source", tmp_path / "below" / "target"
    source.write_bytes(bytes(5000))
    command = [sys.executable, "-c", LIMITED, str(source), str(target)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"{target} cannot be written: it is larger than a file may be;")
    assert list(target.parent.iterdir()) == []


@pytest.mark.parametrize("names", [("from", None, "to"), ("to", None, None), ("to",)])
def test_the_file_that_is_written_is_the_second_of_two(names):
    error = OSError(errno.ENOSPC, "No space left on device", *names)
    assert files.refusal(error) == f"to cannot be written: {FULL}"


def fails_like_a_full_disk(source, target, **_):
    raise OSError(errno.ENOSPC, "No space left on device", str(source), None, str(target))


def fails_without_names(source, target, **_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("fails", [fails_like_a_full_disk, fails_without_names])
def test_every_copy_names_its_target(fails, tmp_path, monkeypatch, request):
    monkeypatch.setattr(shutil, "copyfile", fails)
    source = tmp_path / "mirror" / "toy" / "ratings.csv"
    source.parent.mkdir(parents=True)
    source.write_text("a\tx\t1\n")
    toy = Dataset("toy", "Toy", "toy/ratings.csv", "movielens-tab", url="http://127.0.0.1:9/")
    site, results, data = (tmp_path / name for name in ("site", "results", "data"))
    copies = {
        site / "files/a.csv": lambda: copied_to(site, "files")(source, "a.csv"),
        results / "code/Snakefile": lambda: copy_code(request.config.rootpath, results),
        data / "toy/ratings.csv": lambda: obtain(toy, data, mirror=tmp_path / "mirror"),
    }
    for target, copied in copies.items():
        with pytest.raises((OSError, InputError)) as caught:
            copied()
        error = caught.value
        said = files.refusal(error) if isinstance(error, OSError) else str(error)
        assert said == f"{target} cannot be written: {FULL}"
        assert list(target.parent.iterdir()) == []

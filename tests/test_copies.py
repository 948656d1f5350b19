"""What the file system refuses is said of the file that was to be written."""

import errno
import subprocess
import sys

import pytest

from dpmc import files

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

"""Logging and error handling around the work of every workflow script."""

import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpmc.errors import InputError
from dpmc.files import refusal


@contextmanager
def logged(log: str | Path | None) -> Iterator[None]:
    """Send everything printed to the log file; end on an error with exit status 1.

    For an :class:`InputError`, or a file that cannot be written, the log gets the sentence alone;
    for other errors the traceback. If the disk is full, the log's output goes to standard error.
    """
    stdout, stderr = sys.stdout, sys.stderr
    failure = None
    try:
        with open(log or os.devnull, "w", encoding="utf-8") as stream:
            sys.stdout = sys.stderr = stream
            try:
                yield
            except Exception as error:
                failure = _reported(error)
                print(failure)
    except OSError as error:
        print(failure or _reported(error), file=stderr, flush=True)
        raise SystemExit(1) from None
    finally:
        sys.stdout, sys.stderr = stdout, stderr
    if failure is not None:
        raise SystemExit(1)


def _reported(error: Exception) -> str:
    if isinstance(error, InputError):
        return f"dpmc: {error}"
    if isinstance(error, OSError):
        return f"dpmc: {refusal(error)}"
    return "".join(traceback.format_exception(error)).rstrip()


@contextmanager
def timed() -> Iterator[None]:
    """Print the CPU seconds that the process took to start, and those of the work."""
    started = time.process_time()
    yield
    print(f"CPU seconds: {started:.2f} to start, {time.process_time() - started:.2f} to run")

"""What every workflow script does around its work: a log, and one sentence on bad input."""

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpmc.errors import InputError


@contextmanager
def logged(log: str | Path | None) -> Iterator[None]:
    """Send everything printed to the log file; end on an error with exit status 1.

    An :class:`InputError` leaves its sentence alone in the log, any other error its traceback.
    """
    stdout, stderr = sys.stdout, sys.stderr
    with open(log or "/dev/null", "w", encoding="utf-8") as stream:
        sys.stdout = sys.stderr = stream
        try:
            yield
        except InputError as error:
            print(f"dpmc: {error}")
            raise SystemExit(1) from None
        except Exception:
            traceback.print_exc()
            raise SystemExit(1) from None
        finally:
            sys.stdout, sys.stderr = stdout, stderr


@contextmanager
def timed() -> Iterator[None]:
    """Print the CPU seconds of the process before, and those within: starting, and the work."""
    started = time.process_time()
    yield
    print(f"CPU seconds: {started:.2f} to start, {time.process_time() - started:.2f} to run")

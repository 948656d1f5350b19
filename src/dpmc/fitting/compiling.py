"""What is said while numba compiles what a fit or a command is the first to need."""

import sys
from contextlib import AbstractContextManager

from numba.core.event import Listener, install_listener

NOTICE = "dpmc: compiling for this machine, up to half a minute; later runs find what is compiled."


class _Notice(Listener):
    """Says :data:`NOTICE` when a function is compiled, the first time; none is where it was kept.

    ``before`` is written before it.
    """

    def __init__(self, before: str) -> None:
        self._before, self._said = before, sys.stderr is None

    def on_start(self, event: object) -> None:
        """Say it, if it has not been said."""
        if not self._said:
            self._said = True
            print(self._before + NOTICE, file=sys.stderr, flush=True)

    def on_end(self, event: object) -> None:
        """Say nothing of the end."""


def noticed(before: str = "") -> AbstractContextManager:
    """Say on standard error, once within a ``with`` block, that something is being compiled."""
    return install_listener("numba:compile", _Notice(before))

"""The notice that numba compiles a function which a fit or a command needs first."""

import sys
from contextlib import AbstractContextManager

from numba.core.event import Listener, install_listener

NOTICE = "dpmc: compiling for this machine, up to half a minute; later runs find what is compiled."


class Notice(Listener):
    """Says :data:`NOTICE` when a function is compiled, the first time in a process.

    None is compiled where it was kept. ``before`` is written before it.
    """

    said = False

    def __init__(self, before: str) -> None:
        self._before = before

    def on_start(self, event: object) -> None:
        """Say it, if it has not been said."""
        if not Notice.said and sys.stderr is not None:
            Notice.said = True
            print(self._before + NOTICE, file=sys.stderr, flush=True)

    def on_end(self, event: object) -> None:
        """Say nothing of the end."""


def noticed(before: str = "") -> AbstractContextManager:
    """Say on standard error, once in a process, that something is being compiled."""
    return install_listener("numba:compile", Notice(before))

"""Compiled code of the reproduction, rebuilt when its source or the library's changes."""

from pathlib import Path

from dpmc import compiled
from dpmc.compiled import njit

__all__ = ["njit"]

PACKAGE = Path(__file__).parent

compiled.forget_what_is_older(PACKAGE, compiled.PACKAGE)

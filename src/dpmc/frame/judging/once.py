"""Verdicts of runs with other settings that were made once: readings that not every run has.

An overlay of ``config/once`` costs minutes and is off by default. It names itself as its
``reference``, so that ``dpmc reference update --profile`` keeps what became of the claims beside
what is expected of the full run, which reads it from there.
"""

import csv
from pathlib import Path

from dpmc.frame.jobs.cell_settings import SETTINGS, read_settings
from dpmc.frame.judging.finding import NOT_RUN

FULL = "full"
REDUCED = ("ci", "quick")
"""Profiles of a few trials, whose verdicts nobody reads."""


def kept_files(reference: Path) -> tuple[Path, ...]:
    """Return the verdicts of such runs; ``reference`` is the folder of a study's reference."""
    found = sorted(reference.glob("expected/*/claims.csv"))
    return tuple(path for path in found if path.parent.name not in (FULL, *REDUCED))


def kept_readings(results: Path, reference: Path) -> dict[str, dict[str, str]]:
    """Return these verdicts: name of the reading to verdict by claim.

    They are readings of the full run alone. Of any other, whose settings are not those that an
    overlay was laid over, there are none. ``results`` are those of the study.
    """
    settings = results / SETTINGS
    if not settings.is_file() or read_settings(settings).reference != FULL:
        return {}
    found = {}
    for path in kept_files(reference):
        with path.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["verdict"] != NOT_RUN]
        name = f"{path.parent.name.replace('-', ' ')}, run once"
        found[name] = {row["id"]: row["verdict"] for row in rows}
    return found

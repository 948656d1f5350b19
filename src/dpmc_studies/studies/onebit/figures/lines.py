"""What the one-bit figures share: curves of raw and truncated outputs, lines without noise."""

import pandas as pd

from dpmc_studies.frame.showing.frames import number, split
from dpmc_studies.frame.showing.panels import Axis, Curve, Level, curves, handle, hollow, levels
from dpmc_studies.frame.showing.style import BLACK, Look
from dpmc_studies.methods.onebit.labels import mechanism_label
from dpmc_studies.studies.onebit.frames import FREE, LOOKS, summary

STAGES = {"truncated": "truncated to rank r", "raw": "raw"}
EPSILON = Axis("Claimed ε (of the value of one sign)", margin=0.45, whole=True)
DODGE = 0.08  # of epsilon, between two curves
DOT = Look(BLACK, "o")
STAGE_HANDLES = [handle(STAGES["truncated"], DOT), handle(STAGES["raw"], hollow(DOT))]


def label(name: str, link: str | None = None) -> str:
    """Return the name of a mechanism in a legend."""
    return mechanism_label(name, link) + (", no noise" if name in FREE and name != "zero" else "")


ORDER = [label(name) for name in LOOKS]


def staged(look: Look, stage: str) -> Look:
    """Return the look of truncated outputs (solid and filled) or of raw ones (dashed, hollow)."""
    return hollow(look) if stage == "raw" else look


def by_stage(trials: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the summary of truncated outputs and of raw ones, by ``stage``."""
    tables = [summary(trials, f"{metric}_{stage}").assign(stage=stage) for stage in STAGES]
    return pd.concat(tables, ignore_index=True)


def over_epsilon(part: pd.DataFrame, stage: str, link: str | None = None) -> list[Curve]:
    """Return the curves of mechanisms against epsilon, one for each in the order of looks."""
    private = part[part["epsilon"].notna()]
    looks = {name: staged(look, stage) for name, look in LOOKS.items()}
    return curves(private, "mechanism", "epsilon", looks, lambda name: label(name, link))


def without_noise(part: pd.DataFrame, link: str | None = None) -> list[Level]:
    """Return the lines of what has no noise."""
    free = part[part["mechanism"].isin(FREE)]
    return levels(free, "mechanism", LOOKS, lambda name: label(name, link))


def named_above(part: pd.DataFrame) -> list[str]:
    """Return notes on the mechanisms that lie above a panel, with their means."""
    found = []
    for name, here in split(part, mechanism=LOOKS):
        ends = dict.fromkeys(number(end, 2) for end in (here["mean"].max(), here["mean"].min()))
        found.append(f"{mechanism_label(name)}: {' to '.join(ends)} (above)")
    return found

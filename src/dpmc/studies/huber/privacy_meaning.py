"""What the printed budgets mean: totals over a training, and the losses that were measured."""

import numpy as np
import pandas as pd

from dpmc.report.effects import FAILS, OPEN, Finding
from dpmc.report.frames import MECHANISM_LABELS, select
from dpmc.studies.equal_privacy.frames import EVERY, percent
from dpmc.studies.huber.figures.privacy_totals import TIGHTEST

EXAMPLE = {"variance": 2.0, "releases": 50}  # ALS on synthetic data


def published_meaning(totals: pd.DataFrame | None, losses: pd.DataFrame | None) -> Finding:
    """Judge whether the printed budgets bound what a training reveals."""
    title = "The published ε bounds what a training reveals"
    parts = [text for text in (totals_text(totals), losses_text(losses)) if text]
    if not parts:
        return Finding(OPEN, title, "Not run.")
    parts.append(
        "As written the algorithms have no finite guarantee: nothing bounds the users' factors, "
        "and their Gram matrices have no noise."
    )
    exceeded = True if losses is None else bool((losses["share_above_nominal"] > 0).any())
    return Finding(FAILS if exceeded else OPEN, title, " ".join(parts))


def totals_text(totals: pd.DataFrame | None) -> str:
    """Say what the budgets of one release become over a training of ALS; empty if not computed."""
    if totals is None:
        return ""
    tight = select(totals, **EXAMPLE)
    tight = tight[tight["accountant"].isin(TIGHTEST)].groupby("mechanism")["epsilon"].min()
    parts = [
        f"{tight[name]:,.0f} with {MECHANISM_LABELS[name]} noise" for name in EVERY if name in tight
    ]
    if not parts:
        return ""
    return (
        f"A training of ALS has {EXAMPLE['releases']} releases for every item, and even if each "
        f"changed by at most 5 they would add up to ε = {', '.join(parts)} (variance "
        f"{EXAMPLE['variance']:g})."
    )


def losses_in_short(losses: pd.DataFrame | None) -> str:
    """Say how many of the measured losses exceed the printed budgets; empty if not measured."""
    if losses is None:
        return ""
    share = percent(np.average(losses["share_above_nominal"], weights=losses["neighbours"]))
    return (
        f"Measured, the privacy loss exceeds the printed ε for {share} of changed ratings and "
        "removed users."
    )


def losses_text(losses: pd.DataFrame | None) -> str:
    """Say how often the measured losses exceed the printed budgets; empty if not measured."""
    if losses is None:
        return ""
    parts = []
    for neighbour, event in (("change", "changing one rating"), ("remove_user", "removing a user")):
        part = losses[losses["neighbour"] == neighbour]
        if len(part):
            weights = part["neighbours"]
            above, total = (
                percent(np.average(part[name], weights=weights))
                for name in ("share_above_nominal", "share_above_total")
            )
            factor = (part["median"] / part["nominal_epsilon"]).median()
            parts.append(
                f"{event} the measured loss exceeds the printed ε for {above} of "
                f"{weights.sum():,} neighbours, even its total over the training for {total} "
                f"(typically {factor:.0f} times the printed ε)"
            )
    return f"On {'; on '.join(parts)}." if parts else ""

"""Figure of OutP as published: the claimed epsilon against the real one."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from dpmc.frame.showing.frames import number, present, trials_text
from dpmc.frame.showing.panels import Axis, Curve, Level, Panel, draw_panels
from dpmc.frame.showing.style import BLACK, GREY, Drawing, Look, NothingToDraw
from dpmc.statistics.privacy_bounds import threshold_bound
from dpmc.studies.onebit.experiments.outp import BLOCK
from dpmc.studies.onebit.frames import LINK_LOOKS, LINKS, link_label

MOST = "most that can be proven"
COLUMNS = ["kind", "instance", "link", "claimed_epsilon", "low", "epsilon", "high", "samples"]
BESIDE = 0.08  # of log10, between the two links
SPREAD = Patch(color=GREY, alpha=0.3, label="smallest to largest\nover trials")
MEDIAN_LINES = {"gaussian": (0, (5, 1.5)), "logistic": (0, (1.5, 1))}


def claimed_and_real(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw the guaranteed and the true epsilon, and what an attack proves, against the claim."""
    change, attack = inputs.get("outp_change"), inputs.get("outp_attack")
    if attack is None:
        raise NothingToDraw("The privacy of OutP has not been measured")
    data = real_epsilons(change, attack)
    claims = np.sort(data["claimed_epsilon"].dropna().unique())
    claimed = pd.DataFrame({"x": claims, "mean": claims})
    most = data[data["kind"] == MOST]
    panel = Panel(
        "",
        x=Axis("Claimed ε", log=True),
        y=Axis("Real ε for one sign", log=True),
        curves=[Curve(claimed, Look(BLACK, ""), "claimed"), *_lines(data), *_attacks(data)],
        levels=[
            Level(
                row.epsilon,
                Look(BLACK, "", (0, (1, 1.2))),
                f"most that {row.samples:,.0f} samples\ncan prove: {row.epsilon:.1f}",
            )
            for row in most.itertuples()
        ],
        dodge=BESIDE,
    )
    legend = {"loc": "outside right center", "ncols": 1, "labelspacing": 0.7}
    drawn = data.loc[data["kind"] == "true", "instance"]
    spread = [SPREAD] if (drawn != BLOCK).any() else []
    return draw_panels([panel], data, height=3.1, legend=legend, handles=spread)


def real_epsilons(change: pd.DataFrame | None, attack: pd.DataFrame) -> pd.DataFrame:
    """Return what is drawn: one row a curve and claimed epsilon.

    ``kind`` is "guaranteed" (upper bound), "true" (of one pair of neighbouring data sets, or the
    median over typical draws with the smallest and largest), "proven" (lower bound of the attack)
    and :data:`MOST` (by so many samples at that confidence).
    """
    claims = sorted(attack["claimed_epsilon"].unique())
    rows = []
    for claim, part in attack.groupby("claimed_epsilon"):
        guaranteed = part["guaranteed_epsilon"].max()
        rows.append(("guaranteed", "any", "any", claim, np.nan, guaranteed, np.nan, np.nan))
    block = attack[attack["instance"] == BLOCK]
    for (link, claim), part in block.groupby(["link", "claimed_epsilon"]):
        true = part["true_epsilon"].max()
        rows.append(("true", BLOCK, link, claim, np.nan, true, np.nan, np.nan))
    if change is not None:
        typical = change[change["instance"] != BLOCK]
        for (name, link), part in typical.groupby(["instance", "link"]):
            moved = part["l1_change"] / part["per_entry_sensitivity"]
            for claim in claims:
                ends = (claim * moved).quantile([0, 0.5, 1]).tolist()
                rows.append(("true", name, link, claim, *ends, len(part)))
    for row in attack.itertuples():
        named = (row.instance, row.link, row.claimed_epsilon, np.nan)
        rows.append(("proven", *named, row.lower_bound, np.nan, row.samples))
    for (samples, confidence), _ in attack.groupby(["samples", "confidence"]):
        most = most_provable(int(samples), confidence)
        rows.append((MOST, "any", "any", np.nan, np.nan, most, np.nan, samples))
    return pd.DataFrame(rows, columns=COLUMNS)


def most_provable(samples: int, confidence: float) -> float:
    """Return the largest lower bound that so many samples can give: two laws that never overlap."""
    apart = np.ones(samples)
    return threshold_bound(apart, -apart, delta=0.0, confidence=confidence)


def _rows(part: pd.DataFrame) -> pd.DataFrame:
    return part.rename(columns={"claimed_epsilon": "x", "epsilon": "mean"})


def _lines(data: pd.DataFrame) -> list[Curve]:
    """Return what is guaranteed, and what is true of the block instance and of typical draws."""
    guaranteed = _rows(data[data["kind"] == "guaranteed"])
    found = [Curve(guaranteed, Look(GREY, "", "--"), "guaranteed: ε d₁d₂\n(upper bound)")]
    true = data[data["kind"] == "true"]
    for link in present(true["link"], LINKS):
        look = replace(LINK_LOOKS[link], marker="")
        for name, part in true[true["link"] == link].groupby("instance"):
            if name == BLOCK:
                label = f"true, block instance,\n{link_label(link)}"
                found.append(Curve(_rows(part), look, label))
            else:
                label = f"true, {name}, {link_label(link)}\n(median)"
                found.append(Curve(_rows(part), replace(look, line=MEDIAN_LINES[link]), label))
    return found


def _attacks(data: pd.DataFrame) -> list[Curve]:
    """Return what the attack proves: filled on the block instance, hollow on typical draws."""
    found = []
    proven = data[(data["kind"] == "proven") & (data["epsilon"] > 0)].drop(columns=["low", "high"])
    for link in present(proven["link"], LINKS):
        for face, size, name in ((None, 3.5, "block instance"), ("none", 6, "typical draw")):
            block = proven["instance"] == BLOCK
            part = proven[(proven["link"] == link) & (block if face is None else ~block)]
            if len(part):
                look = replace(LINK_LOOKS[link], face=face)
                label = f"proven, {name},\n{link_label(link)}"
                found.append(Curve(_rows(part), look, label, place=link, joined=False, size=size))
    return found


def describe_outp(data: pd.DataFrame) -> str:
    """Say what a claim of the smallest epsilon that was tried really is."""
    parts = []
    claim = data["claimed_epsilon"].min()
    here = data[data["claimed_epsilon"] == claim]
    true = here[here["kind"] == "true"]
    block = true.loc[true["instance"] == BLOCK, "epsilon"]
    if len(block):
        parts.append(f"it is {number(block.max())} on the block instance")
    for row in true[true["instance"] != BLOCK].itertuples():
        parts.append(
            f"{number(row.epsilon)} on the {row.instance} draws with the {link_label(row.link)} "
            f"(median of {trials_text([row.samples])})"
        )
    proven = data.loc[data["kind"] == "proven"]
    above = int((proven["epsilon"] > proven["claimed_epsilon"]).sum())
    return (
        f"For a claimed ε = {claim:g} {', '.join(parts)}; the attack proves more than the claim in "
        f"{above} of {len(proven)} cases."
    )

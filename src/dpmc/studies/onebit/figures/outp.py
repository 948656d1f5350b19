"""Figure of OutP as published: the claimed epsilon against the real one."""

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from dpmc.frame.showing.frames import number, present, trials_text
from dpmc.frame.showing.panels import Axis, Curve, Level, Panel, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import BLACK, GREY, Drawing, Look, needed
from dpmc.studies.onebit.experiments.outp import BLOCK
from dpmc.studies.onebit.frames import LINK_LOOKS, LINKS, link_label
from dpmc.studies.onebit.real_epsilons import MOST, real_epsilons

BESIDE = 0.08  # of log10, between the two links
SPREAD = Patch(color=GREY, alpha=0.3, label="smallest to largest\nover trials")
MEDIAN_LINES = {"gaussian": (0, (5, 1.5)), "logistic": (0, (1.5, 1))}


def claimed_and_real(inputs: Results) -> Drawing:
    """Draw the guaranteed and the true epsilon, and what an attack proves, against the claim."""
    attack = needed(inputs, "outp_attack", "The privacy of OutP has not been measured")
    data = real_epsilons(inputs.get("outp_change"), attack)
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

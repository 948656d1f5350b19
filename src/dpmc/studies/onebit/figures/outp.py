"""Figure of OutP as published: the claimed epsilon against the real one."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dpmc.statistics.privacy_bounds import threshold_bound
from dpmc.studies.onebit.frames import LINK_LOOKS, LINKS, link_label, trials_text
from dpmc.studies.onebit.outp import BLOCK
from dpmc.study.frames import number, present
from dpmc.study.style import BLACK, GREY, PAGE, Drawing, NothingToDraw, new_figure, value_axis

MOST = "most that can be proven"
COLUMNS = ["kind", "instance", "link", "claimed_epsilon", "low", "epsilon", "high", "samples"]
MEDIAN_LINES = {"gaussian": (0, (5, 1.5)), "logistic": (0, (1.5, 1))}


def claimed_and_real(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw the guaranteed and the true epsilon, and what an attack proves, against the claim."""
    change, attack = inputs.get("outp_change"), inputs.get("outp_attack")
    if attack is None:
        raise NothingToDraw("The privacy of OutP has not been measured")
    data = real_epsilons(change, attack)
    figure = new_figure(PAGE, 4.2)
    axes = figure.subplots()
    claims = np.array(sorted(data["claimed_epsilon"].dropna().unique()))
    axes.plot(claims, claims, color=BLACK, lw=1.3, zorder=2)
    handles = [Line2D([], [], color=BLACK, lw=1.3, label="claimed")]
    handles += _lines(axes, data) + _attacks(axes, data)
    axes.set_xscale("log")
    axes.set_yscale("log")
    values = data["epsilon"][data["epsilon"] > 0]
    low, high = min(claims.min(), values.min()), values.max()
    axes.set_ylim(low / 2, high * 2)
    value_axis(axes.yaxis, np.log10(high / low))
    value_axis(axes.xaxis, np.log10(claims[-1] / claims[0]))
    axes.set_xlabel("Claimed ε")
    axes.set_ylabel("Real ε for one sign")
    figure.legend(handles=handles, loc="outside right center", labelspacing=0.7)
    return Drawing(figure, data)


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


def _lines(axes, data: pd.DataFrame) -> list:
    handles = []
    guaranteed = data[data["kind"] == "guaranteed"]
    axes.plot(guaranteed["claimed_epsilon"], guaranteed["epsilon"], color=GREY, lw=1.3, ls="--")
    label = "guaranteed: ε d₁d₂\n(upper bound)"
    handles.append(Line2D([], [], color=GREY, lw=1.3, ls="--", label=label))
    true = data[data["kind"] == "true"]
    for link in present(true["link"], LINKS):
        look, one = LINK_LOOKS[link], true[true["link"] == link]
        block, typical = one[one["instance"] == BLOCK], one[one["instance"] != BLOCK]
        if len(block):
            axes.plot(block["claimed_epsilon"], block["epsilon"], color=look.color, ls=look.line)
            name = f"true, block instance,\n{link_label(link)}"
            handles.append(Line2D([], [], color=look.color, ls=look.line, label=name))
        for name, part in typical.groupby("instance"):
            where, dash = part["claimed_epsilon"], MEDIAN_LINES[link]
            axes.fill_between(where, part["low"], part["high"], color=look.color, alpha=0.18, lw=0)
            axes.plot(where, part["epsilon"], color=look.color, lw=0.9, ls=dash)
            text = f"true, {name}, {link_label(link)}\n(median)"
            handles.append(Line2D([], [], color=look.color, lw=0.9, ls=dash, label=text))
    if (true["instance"] != BLOCK).any():
        handles.append(Patch(color=GREY, alpha=0.3, label="smallest to largest\nover trials"))
    return handles


def _attacks(axes, data: pd.DataFrame) -> list:
    handles = []
    proven = data[(data["kind"] == "proven") & (data["epsilon"] > 0)]
    for link in present(proven["link"], LINKS):
        look = LINK_LOOKS[link]
        for block in (True, False):
            part = proven[(proven["link"] == link) & ((proven["instance"] == BLOCK) == block)]
            face, size = (look.color, 3.5) if block else ("none", 6)
            style = {"color": look.color, "marker": look.marker, "markerfacecolor": face}
            style["markersize"] = size
            shift = 1.1 if link == "logistic" else 0.9
            axes.plot(
                shift * part["claimed_epsilon"], part["epsilon"], ls="none", zorder=5, **style
            )
            if len(part):
                name = "block instance" if block else "typical draw"
                label = f"proven, {name},\n{link_label(link)}"
                handles.append(Line2D([], [], ls="none", label=label, **style))
    for row in data[data["kind"] == MOST].itertuples():
        style = {"color": BLACK, "lw": 0.8, "ls": (0, (1, 1.2))}
        axes.axhline(row.epsilon, zorder=1, **style)
        label = f"most that {row.samples:,.0f} samples\ncan prove: {row.epsilon:.1f}"
        handles.append(Line2D([], [], label=label, **style))
    return handles


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

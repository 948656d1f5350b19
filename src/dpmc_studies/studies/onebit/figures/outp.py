"""Figure of OutP as published: the claimed epsilon against the real one."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.frames import split
from dpmc_studies.frame.showing.panels import Axis, Curve, Level, Panel, curves, draw_panels
from dpmc_studies.frame.showing.style import BLACK, BLUE, GREY, VERMILLION, Drawing, Look
from dpmc_studies.statistics.privacy_bounds import threshold_bound
from dpmc_studies.studies.onebit.experiments.outp import BLOCK
from dpmc_studies.studies.onebit.frames import LINKS, link_label

BESIDE = 0.12  # of log10, between two markers
KINDS = {  # by kind, and whether it is of the block instance
    ("guaranteed", False): ("guaranteed: ε d₁d₂ (upper bound)", Look(GREY, "", "--")),
    ("true", True): ("true, block instance", Look(VERMILLION, "")),
    ("true", False): ("true, typical draws (median and range)", Look(BLUE, "", (0, (5, 1.5)))),
    ("proven", True): ("proven, block instance", Look(VERMILLION, "s", "none")),
    ("proven", False): ("proven, typical draw", Look(BLUE, "o", "none", "white")),
}
LOOKS = dict(KINDS.values())
MOST = "most that can be proven"
COLUMNS = ["kind", "instance", "link", "claimed_epsilon", "low", "epsilon", "high", "samples"]


def claimed_and_real(outp_attack: pd.DataFrame, outp_change: pd.DataFrame | None = None) -> Drawing:
    """Draw what is guaranteed, true and proven against the claim, a panel for each link."""
    data = real_epsilons(outp_change, outp_attack)
    shown = data[(data["kind"] != MOST) & (data["epsilon"] > 0)]
    kinds = zip(shown["kind"], shown["instance"] == BLOCK, strict=True)
    shown = shown.assign(label=[KINDS[each][0] for each in kinds], mean=shown["epsilon"])
    guaranteed = shown[shown["kind"] == "guaranteed"]
    claims = np.sort(data["claimed_epsilon"].dropna().unique())
    claimed = Curve(pd.DataFrame({"x": claims, "mean": claims}), Look(BLACK, ""), "claimed")
    levels = [
        Level(
            row.epsilon,
            Look(BLACK, "", (0, (1, 1.2))),
            f"most that {row.samples:,.0f} samples can prove: {row.epsilon:.1f}",
        )
        for row in data[data["kind"] == MOST].itertuples()
    ]
    panels = [
        Panel(
            link_label(link).capitalize(),
            x=Axis("Claimed ε", log=True),
            y=Axis("Real ε for one sign", log=True),
            curves=[
                claimed,
                *curves(pd.concat([guaranteed, part]), "label", "claimed_epsilon", LOOKS),
            ],
            levels=levels,
            dodge=BESIDE,
        )
        for link, part in split(shown[shown["link"].isin(LINKS)], link=LINKS)
    ]
    style = {"columns": 2, "height": 2.7, "sharey": True, "legend": {"ncols": 2}}
    return draw_panels(panels, data, **style)


def real_epsilons(change: pd.DataFrame | None, attack: pd.DataFrame) -> pd.DataFrame:
    """Return the points of the figure: one row for each curve and claimed epsilon.

    ``kind`` is "guaranteed" (an upper bound), "true" (for one pair of neighbouring data sets, or
    the median, smallest and largest over typical random instances), "proven" (the lower bound from
    the attack) or :data:`MOST` (the most that this number of samples can prove at that confidence).
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

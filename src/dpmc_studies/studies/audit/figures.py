"""Figure of the audit: the result of each kind of test, and the planted faults that it caught."""

from dataclasses import replace

import pandas as pd

from dpmc_studies.frame.showing import style
from dpmc_studies.frame.showing.forest import Forest, Notes, Points, draw_forest
from dpmc_studies.frame.showing.panels import Axis, handle
from dpmc_studies.studies.audit import claims

P_VALUES = ("kolmogorov_smirnov", "independence")  # tests that measure one
TESTS = {"kolmogorov_smirnov": "Kolmogorov–Smirnov"}
REACH = 1.6  # of the axis, in shares of the claim; what is beyond is drawn at the end
SHARE = Axis(
    "Found / claimed (lower bound of ε, or change of a release)",
    ticks=[0, 0.25, 0.5, 0.75, 1, 1.25, 1.5],
    limits=(-0.03, REACH * 1.35),
)
SIDES = [  # planted, below the row's middle, look, label, heading of the counts, where these end
    (False, -0.14, style.SERIES[0], "as it is", "passed", 0.87),
    (True, 0.14, style.SERIES[1], "a planted fault", "caught", 1.0),
]


def with_share(audit: pd.DataFrame) -> pd.DataFrame:
    """Return the audit with ``share``, the measured fraction of what is claimed.

    It is the lower bound over the claimed epsilon, or the change of a release over its stated
    sensitivity, and NaN for tests that give a p-value.
    """
    share = audit["lower_bound"].astype(float) / audit["claimed_epsilon"].astype(float)
    other = audit["measured"].astype(float).where(~audit["test"].isin(P_VALUES))
    return audit.assign(share=share.where(share.notna(), other))


def audit_tests(audit: pd.DataFrame) -> style.Drawing:
    """Draw a line for each kind of test: its results for honest code and for planted faults."""
    data = with_share(audit)
    kinds = list(dict.fromkeys(data["test"]))
    drawn = data.assign(row=data["test"].map(kinds.index), x=data["share"].clip(upper=REACH))
    points, notes = [], []
    for side, below, look, label, head, at in SIDES:
        part = drawn[drawn["planted_fault"].notna() == side]
        light = replace(look, color=f"{look.color}99")  # points lie on each other
        points.append(Points(part.assign(below=below), light, label, size=4))
        passed = [part.loc[part["test"] == kind, "passed"] for kind in kinds]
        texts = [f"{int(each.sum())} of {len(each)}" if len(each) else "–" for each in passed]
        notes.append(Notes(texts, head, look.color, at=at))
    labels = [TESTS.get(kind, kind.replace("_", " ").capitalize()) for kind in kinds]
    panel = Forest("", labels, points, notes=notes, reference=1)
    claim = handle("claim", style.Look(style.BLACK, ""))
    return draw_forest([panel], data, SHARE, row=0.3, handles=[claim])


FIGURES = style.read_figures(__name__, claims, reach=REACH)
run = style.drawing_step(FIGURES)

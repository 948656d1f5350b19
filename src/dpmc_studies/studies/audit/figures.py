"""Figure of the audit: what was found of what is claimed, and which planted faults were caught."""

from dataclasses import replace

import pandas as pd

from dpmc_studies.frame.showing import style
from dpmc_studies.frame.showing.forest import Forest, Notes, Points, draw_forest
from dpmc_studies.frame.showing.panels import Axis, handle
from dpmc_studies.studies.audit import frames
from dpmc_studies.studies.audit.frames import SIGNIFICANCE, audited_lines, with_share

TESTS = {"kolmogorov_smirnov": "Kolmogorov–Smirnov"}
REACH = 1.6  # of the axis, in shares of the claim; what is beyond is drawn at the end
SHARE = Axis(
    "Found / claimed (lower bound of ε, or change of a release)",
    ticks=[0, 0.25, 0.5, 0.75, 1, 1.25, 1.5],
    limits=(-0.03, REACH * 1.35),
)
CLAIM = handle("claim", style.Look(style.BLACK, ""))
BEYOND = handle("beyond the axis", style.Look(style.GREY, ">", "none"))
SIDES = [  # planted, below the row's middle, look, label, heading of the counts, where these end
    (False, -0.14, style.SERIES[0], "as it is", "passed", 0.87),
    (True, 0.14, style.SERIES[1], "a planted fault", "caught", 1.0),
]
LOOKS = {
    "likelihood_ratio": style.SERIES[0],
    "histogram": style.SERIES[1],
    "privacy_loss": style.SERIES[2],
    "sensitivity": style.SERIES[4],
    "black_box": style.Look(style.GREY, "X", ""),
}


def audit_rows(audit: pd.DataFrame) -> style.Drawing:
    """Draw a line for each thing that was audited, honest ones first, then planted faults.

    A line says the p-value nearest to the wrong verdict: the smallest of an honest one, the largest
    of a planted fault.
    """
    drawn = with_share(audit)
    planted = drawn["planted_fault"].notna()
    panels = [
        _panel("As it is: nothing may exceed the claim", drawn[~planted], ("passed", "exceeded")),
        _panel("Planted faults: a test must catch each", drawn[planted], ("caught", "missed")),
    ]
    axis = replace(SHARE, label=SHARE.label.replace(" (", "\n("))
    layout = {"row": 0.165, "head": 1.5, "stacked": True, "handles": [BEYOND, CLAIM]}
    return draw_forest(panels, drawn, axis, **layout)


def _panel(title: str, rows: pd.DataFrame, words: tuple[str, str]) -> Forest:
    lines = audited_lines(rows)
    numbered = [part.assign(row=row) for row, (_, part) in enumerate(lines)]
    drawn = pd.concat([rows.assign(row=0).head(0), *numbered])
    drawn = drawn[drawn["share"].notna()].assign(x=drawn["share"].clip(upper=REACH))
    points = []
    for test, part in drawn.groupby("test", sort=False):
        look, inside = LOOKS.get(test, style.SERIES[3]), part["share"] <= REACH
        points.append(Points(part[inside], look, test.replace("_", " "), size=4))
        points.append(Points(part[~inside], replace(look, marker=">"), size=4))
    points = [each for each in points if len(each.rows)]
    texts = [_verdict(part, words) for _, part in lines]
    notes = Notes(texts, alarming=[not part["passed"].all() for _, part in lines])
    return Forest(title, [label for label, _ in lines], points, notes=[notes], reference=1)


def _verdict(part: pd.DataFrame, words: tuple[str, str]) -> str:
    """Say whether the tests of a line were passed, and the p-value nearest to the wrong verdict."""
    text = words[0] if part["passed"].all() else words[1]
    tested = part[part["test"].isin(SIGNIFICANCE)]
    if tested.empty or "measured" not in part:
        return text
    planted = part["planted_fault"].notna().any()
    value = float(tested["measured"].max() if planted else tested["measured"].min())
    return f"{text}, p {'< 0.001' if value < 0.001 else f'= {value:.2g}'}"


def audit_tests(audit: pd.DataFrame) -> style.Drawing:
    """Draw a line for each kind of test: what it found of honest code, and of planted faults."""
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
    return draw_forest([panel], data, SHARE, row=0.3, handles=[CLAIM])


FIGURES = style.read_figures(__name__, frames, reach=REACH)
run = style.drawing_step(FIGURES)

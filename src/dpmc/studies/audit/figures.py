"""Figure of the audit: what was found of what is claimed, and which planted faults were caught."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.frame.showing.forest import Forest, Notes, Points, draw_forest
from dpmc.frame.showing.frames import FACTOR_MODELS, MECHANISM_LABELS, PRIVATE_BASELINES
from dpmc.frame.showing.panels import Axis, handle
from dpmc.frame.showing.results import read_results
from dpmc.frame.showing.style import (
    BLACK,
    GREY,
    SERIES,
    Drawing,
    Look,
    draw_all,
    needed,
    read_figures,
)

WHAT = ["target", "method", "relation", "mechanism", "claimed_epsilon", "delta", "planted_fault"]
TARGETS = {"mechanism": "One release", "composition": "Several releases"}
RELATIONS = {
    "entry_change": "rating changes",
    "entry_add_remove": "rating added or removed",
    "user_add_remove": "user joins or leaves",
    "user_replace": "user replaced",
}
TESTS = {"kolmogorov_smirnov": "Kolmogorov–Smirnov"}
SIGNIFICANCE = ("kolmogorov_smirnov", "independence")  # they measure a p-value
PUBLISHED = "published"  # the target of the audit of files
CHOICE = {"private_choice_of_items": "private choice of items"}
ABSENT = "The audit has not been run"
REACH = 1.6  # of the axis, in shares of the claim; what is beyond is drawn at the end
SHARE = Axis(
    "Found / claimed (lower bound of ε, or change of a release)",
    ticks=[0, 0.25, 0.5, 0.75, 1, 1.25, 1.5],
    limits=(-0.03, REACH * 1.35),
)
CLAIM = handle("claim", Look(BLACK, ""))
SIDES = [  # planted, below the middle of the row, look, labels, where the counts end
    (False, -0.14, SERIES[0], "as it is", "passed", 0.87),
    (True, 0.14, SERIES[1], "a planted fault", "caught", 1.0),
]
LOOKS = {
    "likelihood_ratio": SERIES[0],
    "histogram": SERIES[1],
    "privacy_loss": SERIES[2],
    "sensitivity": SERIES[4],
    "black_box": Look(GREY, "X", ""),
}


def audit_rows(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw a line for each thing that was audited, honest ones first, then planted faults.

    A line says the p-value nearest to the wrong verdict: the smallest of an honest one, the largest
    of a planted fault.
    """
    drawn = with_share(needed(inputs, "audit", ABSENT))
    planted = drawn["planted_fault"].notna()
    panels = [
        _panel("As it is: nothing may exceed the claim", drawn[~planted], ("passed", "exceeded")),
        _panel("Planted faults: a test must catch each", drawn[planted], ("caught", "missed")),
    ]
    axis = replace(SHARE, label=SHARE.label.replace(" (", "\n("))
    beyond = handle("beyond the axis", Look(GREY, ">", "none"))
    data = drawn.reset_index(drop=True)
    return draw_forest(
        panels, data, axis, row=0.165, head=1.5, stacked=True, handles=[beyond, CLAIM]
    )


def _panel(title: str, rows: pd.DataFrame, words: tuple[str, str]) -> Forest:
    lines = _lines(rows)
    numbered = [part.assign(row=row) for row, (_, part) in enumerate(lines)]
    drawn = pd.concat([rows.assign(row=0).head(0), *numbered])
    points = [
        Points(part.assign(x=part["share"].clip(upper=REACH)), shown, name, size=4)
        for test in dict.fromkeys(drawn["test"])
        for part in [drawn[(drawn["test"] == test) & drawn["share"].notna()]]
        for look, name in [(LOOKS.get(test, SERIES[3]), test.replace("_", " "))]
        for shown, name, part in [
            (look, name, part[part["share"] <= REACH]),
            (replace(look, marker=">"), "", part[part["share"] > REACH]),
        ]
        if len(part)
    ]
    texts = [_verdict(part, words) for _, part in lines]
    failed = [not part["passed"].all() for _, part in lines]
    notes = [Notes(texts, alarming=failed)]
    return Forest(title, [label for label, _ in lines], points, notes=notes, reference=1)


def _verdict(part: pd.DataFrame, words: tuple[str, str]) -> str:
    """Say whether the tests of a line were passed, and the p-value nearest to the wrong verdict."""
    text = words[0] if part["passed"].all() else words[1]
    tested = part[part["test"].isin(SIGNIFICANCE)]
    if tested.empty or "measured" not in part:
        return text
    planted = part["planted_fault"].notna().any()
    value = float(tested["measured"].max() if planted else tested["measured"].min())
    return f"{text}, p {'< 0.001' if value < 0.001 else f'= {value:.2g}'}"


def audit_tests(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw a line for each kind of test: what it found of honest code, and of planted faults."""
    drawn = with_share(needed(inputs, "audit", ABSENT))
    kinds = list(dict.fromkeys(drawn["test"]))
    drawn = drawn.assign(row=drawn["test"].map(kinds.index), x=drawn["share"].clip(upper=REACH))
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
    data = drawn.drop(columns=["row", "x"]).reset_index(drop=True)
    return draw_forest([panel], data, SHARE, row=0.3, handles=[CLAIM])


def with_share(audit: pd.DataFrame) -> pd.DataFrame:
    """Add ``share``: the lower bound over the claimed epsilon, or the change of a release over its
    stated sensitivity; NaN for tests that give a p-value."""
    measured = audit["measured"] if "measured" in audit else pd.Series(np.nan, audit.index)
    share = audit["lower_bound"].astype(float) / audit["claimed_epsilon"].astype(float)
    other = measured.astype(float).where(~audit["test"].isin(SIGNIFICANCE))
    return audit.assign(share=share.where(share.notna(), other))


def _lines(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    if rows.empty:
        return []
    # the mechanisms of a model share a line, or there would be too many; of files, all of a model
    files = rows["target"] == PUBLISHED
    shared = rows.assign(
        mechanism=rows["mechanism"].where(rows["method"].isna(), ""),
        relation=rows["relation"].where(~files, ""),
        delta=rows["delta"].where(~files, np.nan),
        claimed_epsilon=rows["claimed_epsilon"].where(~files, np.nan),
    )
    groups = shared.groupby(WHAT, dropna=False, sort=False)
    return [(row_label(part.iloc[0]), part) for _, part in groups]


def row_label(row: pd.Series) -> str:
    """Name what was audited: a planted fault by its name and, but in files, its place."""
    name = str(row["mechanism"]) if pd.notna(row["mechanism"]) else ""
    plain = name.removeprefix("discrete_")
    mechanism = MECHANISM_LABELS.get(plain, plain) + (" on a grid" if plain != name else "")
    if pd.notna(row["method"]):
        labels = {**FACTOR_MODELS, **PRIVATE_BASELINES, **CHOICE}
        method = labels.get(row["method"], row["method"])
        relation = RELATIONS.get(row["relation"], "")
        place = ", ".join(filter(None, (method, mechanism, relation)))
    else:
        target = TARGETS.get(row["target"], str(row["target"]).capitalize())
        place = f"{target}, {mechanism}, δ = {row['delta']:.2g}"
    if row["target"] == PUBLISHED:
        place = f"Files: {method if pd.notna(row['method']) else f'one-bit, {mechanism}'}"
    if pd.isna(row["planted_fault"]):
        return place
    fault = str(row["planted_fault"]).replace("_", " ")
    fault = f"{fault[0].upper()}{fault[1:]}"
    # of files, faults are long and say themselves where they are
    return fault if row["target"] == PUBLISHED else f"{fault}: {place}"


def describe_audit(data: pd.DataFrame) -> str:
    """Count the tests that were passed and the planted faults that were caught."""
    passed = data["passed"].astype(bool)
    honest = data["planted_fault"].isna()
    confidence = data["confidence"].dropna()
    sure = f" at {100 * confidence.min():g} % confidence a test" if len(confidence) else ""
    highest = data.loc[honest & data["lower_bound"].notna(), "share"].max()
    text = f"{int(passed[honest].sum())} of {int(honest.sum())} tests are passed{sure}"
    if np.isfinite(highest):
        text += f", with lower bounds of up to {100 * highest:.1f} % of the claimed ε"
    return (
        f"{text}; {int(passed[~honest].sum())} of {int((~honest).sum())} planted faults are caught."
    )


FIGURES = read_figures(
    Path(__file__).with_name("figures.yaml"),
    {
        "privacy_audit_tests": (audit_tests, describe_audit),
        "privacy_audit": (audit_rows, describe_audit),
    },
    reach=REACH,
)


def run(results_folder: str | Path, settings: object, folder: str | Path) -> None:
    """Draw the figure of ``audit.csv``; without rows of the audit it becomes a box that says so."""
    draw_all(FIGURES, read_results(results_folder, ("audit",)), folder)

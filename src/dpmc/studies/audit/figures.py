"""Figure of the audit: what was found of what is claimed, and which planted faults were caught."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from dpmc.frame.showing.frames import FACTOR_MODELS, MECHANISM_LABELS, PRIVATE_BASELINES
from dpmc.frame.showing.results import read_results
from dpmc.frame.showing.style import (
    BLACK,
    GREY,
    PAGE,
    SERIES,
    VERMILLION,
    Drawing,
    Look,
    NothingToDraw,
    draw_all,
    new_figure,
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
REACH = 1.6  # of the axis, in shares of the claim; what is beyond is drawn at the end
ROW = 0.165  # inches
HONEST, PLANTED = SERIES[0], SERIES[1]
COUNTS = (1.95, 2.3)  # where the counts of tests passed and of faults caught end, as shares


def audit_rows(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw a line for each thing that was audited, honest ones first, then planted faults.

    A line says the p-value nearest to the wrong verdict: the smallest of an honest one, the largest
    of a planted fault.
    """
    audit = inputs.get("audit")
    if audit is None:
        raise NothingToDraw("The audit has not been run")
    drawn = with_share(audit)
    parts = [drawn[drawn["planted_fault"].isna()], drawn[drawn["planted_fault"].notna()]]
    lines = [_lines(part) for part in parts]
    counts = [max(len(line), 1) for line in lines]
    figure = new_figure(PAGE, 1.5 + ROW * sum(counts))
    panels = figure.subplots(2, 1, sharex=True, height_ratios=counts)
    titles = ("As it is: nothing may exceed the claim", "Planted faults: a test must catch each")
    for axes, rows, title, planted in zip(panels, lines, titles, (False, True), strict=True):
        _panel(axes, rows, planted)
        axes.set_title(title, loc="left")
    panels[1].set_xlabel("Found / claimed\n(lower bound of ε, or change of a release)")
    tests = [test for test in dict.fromkeys(audit["test"]) if test not in SIGNIFICANCE]
    figure.legend(handles=_handles(tests), loc="outside upper center", ncols=4)
    return Drawing(figure, drawn.reset_index(drop=True))


def audit_tests(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw a line for each kind of test: what it found of honest code, and of planted faults."""
    audit = inputs.get("audit")
    if audit is None:
        raise NothingToDraw("The audit has not been run")
    drawn = with_share(audit)
    kinds = dict.fromkeys(drawn["test"])
    figure = new_figure(PAGE, 0.9 + 0.3 * len(kinds))
    axes = figure.subplots()
    honest = drawn["planted_fault"].isna()
    sides = [(honest, -0.14, HONEST), (~honest, 0.14, PLANTED)]
    for place, kind in enumerate(kinds):
        here = drawn["test"] == kind
        texts = []
        for side, shift, look in sides:
            part = drawn[here & side]
            share = part["share"].clip(upper=REACH)
            axes.plot(share, np.full(len(part), place + shift), look.marker, color=look.color,
                      markersize=4, alpha=0.6)  # fmt: skip
            texts.append(f"{int(part['passed'].sum())} of {len(part)}" if len(part) else "–")
        for reach, text, (_, _, look) in zip(COUNTS, texts, sides, strict=True):
            axes.text(reach, place, text, ha="right", va="center", color=look.color)
    for reach, text, (_, _, look) in zip(COUNTS, ("passed", "caught"), sides, strict=True):
        axes.text(reach, -0.9, text, ha="right", va="center", color=look.color, weight="bold")
    axes.axvline(1, color=BLACK, linewidth=1)
    axes.set_yticks(
        range(len(kinds)), [TESTS.get(kind, kind.replace("_", " ").capitalize()) for kind in kinds]
    )
    axes.set(ylim=(len(kinds) - 0.4, -1.3), xlim=(-0.03, COUNTS[-1]))
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1, 1.25, 1.5])
    axes.set_xlabel("Found / claimed (lower bound of ε, or change of a release)", loc="left")
    axes.set_ylabel("Test")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    handles = [
        Line2D([], [], color=look.color, marker=look.marker, ls="none", label=label)
        for label, look in (("as it is", HONEST), ("a planted fault", PLANTED))
    ]
    handles.append(Line2D([], [], color=BLACK, lw=1, label="claim"))
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return Drawing(figure, drawn.reset_index(drop=True))


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


def _panel(axes, lines, planted: bool) -> None:
    looks = {}
    for height, (_, part) in enumerate(lines):
        for row in part.itertuples():
            if np.isfinite(row.share) or row.share == np.inf:
                look = looks.setdefault(row.test, _look(row.test))
                marker = ">" if row.share > REACH else look.marker
                place = min(row.share, REACH)
                axes.plot(place, height, marker, color=look.color, markersize=4, zorder=3)
        _verdict(axes, height, part, planted)
    axes.axvline(1, color=BLACK, linewidth=1, zorder=2)
    axes.set_yticks(range(len(lines)), [label for label, _ in lines])
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_xlim(-0.03, REACH * 1.35)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1, 1.25, 1.5])
    axes.tick_params(axis="y", length=0)


def _verdict(axes, height: int, part: pd.DataFrame, planted: bool) -> None:
    good = bool(part["passed"].astype(bool).all())
    words = ("caught", "missed") if planted else ("passed", "exceeded")
    tested = part[part["test"].isin(SIGNIFICANCE)]
    text = words[0] if good else words[1]
    if len(tested) and "measured" in part:
        value = float(tested["measured"].max() if planted else tested["measured"].min())
        text = f"{text}, p {'< 0.001' if value < 0.001 else f'= {value:.2g}'}"
    axes.text(
        REACH * 1.35,
        height,
        text,
        ha="right",
        va="center",
        color=BLACK if good else VERMILLION,
        fontweight="normal" if good else "bold",
    )


LOOKS = {
    "likelihood_ratio": SERIES[0],
    "histogram": SERIES[1],
    "privacy_loss": SERIES[2],
    "sensitivity": SERIES[4],
    "black_box": Look(GREY, "X", ""),
}


def _look(test: str):
    return LOOKS.get(test, SERIES[3])


def _handles(tests: list[str]) -> list[Line2D]:
    handles = [
        Line2D(
            [],
            [],
            color=_look(test).color,
            marker=_look(test).marker,
            ls="none",
            label=test.replace("_", " "),
        )
        for test in tests
    ]
    beyond = Line2D([], [], color=GREY, marker=">", ls="none", label="beyond the axis")
    claim = Line2D([], [], color=BLACK, lw=1, label="claim")
    return [*handles, beyond, claim]


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

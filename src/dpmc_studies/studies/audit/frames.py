"""What the figures and the claim of the audit share: shares of what was claimed, and names."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.frames import FACTOR_MODELS, MECHANISM_LABELS, PRIVATE_BASELINES

WHAT = ["target", "method", "relation", "mechanism", "claimed_epsilon", "delta", "planted_fault"]
TARGETS = {"mechanism": "One release", "composition": "Several releases"}
RELATIONS = {
    "entry_change": "rating changes",
    "entry_add_remove": "rating added or removed",
    "user_add_remove": "user joins or leaves",
    "user_replace": "user replaced",
}
SIGNIFICANCE = ("kolmogorov_smirnov", "independence")  # they measure a p-value
PUBLISHED = "published"  # the target of the audit of files
CHOICE = {"private_choice_of_items": "private choice of items"}


def with_share(audit: pd.DataFrame) -> pd.DataFrame:
    """Add ``share``: the lower bound over the claimed epsilon, or the change of a release over its
    stated sensitivity; NaN for tests that give a p-value."""
    measured = audit["measured"] if "measured" in audit else pd.Series(np.nan, audit.index)
    share = audit["lower_bound"].astype(float) / audit["claimed_epsilon"].astype(float)
    other = measured.astype(float).where(~audit["test"].isin(SIGNIFICANCE))
    return audit.assign(share=share.where(share.notna(), other))


def audited_lines(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return what was audited, a line each: its name and its rows."""
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
    mechanism = MECHANISM_LABELS.get(plain, plain.replace("_", " ")) + (
        " on a grid" if plain != name else ""
    )
    if pd.notna(row["method"]):
        labels = {**FACTOR_MODELS, **PRIVATE_BASELINES, **CHOICE}
        method = labels.get(row["method"], str(row["method"]).replace("_", " "))
        relation = RELATIONS.get(row["relation"], "")
        place = ", ".join(filter(None, (method, mechanism, relation)))
    else:
        target = TARGETS.get(row["target"], str(row["target"]).capitalize())
        place = f"{target}, {mechanism}, δ = {row['delta']:.2g}"
    if row["target"] == PUBLISHED:
        place = f"Files: {method}"
    if pd.isna(row["planted_fault"]):
        return place
    fault = str(row["planted_fault"]).replace("_", " ")
    fault = f"{fault[0].upper()}{fault[1:]}"
    # of files, faults are long and say themselves where they are
    return fault if row["target"] == PUBLISHED else f"{fault}: {place}"


def describe_tests(data: pd.DataFrame) -> str:
    """Count in a few words the tests that were passed and the planted faults that were caught."""
    passed, honest = data["passed"].astype(bool), data["planted_fault"].isna()
    return (
        f"{int(passed[honest].sum())} of {int(honest.sum())} tests passed, "
        f"{int(passed[~honest].sum())} of {int((~honest).sum())} faults caught"
    )


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

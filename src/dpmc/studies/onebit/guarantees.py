"""What the one-bit mechanisms really guarantee, and whether their solves converged."""

from collections.abc import Iterable, Mapping

import pandas as pd

from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.figures.outp import describe_outp, real_epsilons
from dpmc.studies.onebit.frames import (
    DATASETS,
    LINKS,
    LOOKS,
    PUBLISHED,
    at_smallest_share,
    dataset_label,
    link_label,
)
from dpmc.study.effects import Answer
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc.study.frames import NOT_RUN, keeps_claim, number, present, private_rows

EXAMPLE = 1.0  # the claimed epsilon that is spelled out, if it was run


def example(rows: pd.DataFrame) -> float:
    """Return the claimed epsilon that is spelled out."""
    values = rows["epsilon"].unique()
    return EXAMPLE if EXAMPLE in values else float(min(values))


def claims_kept(trials: pd.DataFrame | None) -> Answer:
    """Judge whether every mechanism of the paper keeps the epsilon that it claims."""
    title = "The paper’s four mechanisms keep the ε that they claim for one sign"
    rows = private_rows(trials)
    four = None if rows is None else rows[rows["mechanism"].isin(PUBLISHED)]
    if four is None or four.empty:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    kept = keeps_claim(four)
    epsilon = example(four)
    parts = []
    broken = four[~kept & (four["epsilon"] == epsilon)]
    for mechanism in present(broken["mechanism"], PUBLISHED):
        here = broken[broken["mechanism"] == mechanism]
        texts = {link: _at_places(here[here["link"] == link]) for link in here["link"].unique()}
        for text, links in _grouped(texts, LINKS).items():
            only = f" with the {link_label(links[0])}" if len(links) == 1 else ""
            parts.append(f"{mechanism_label(mechanism)}{only}: {text}")
    good = [name for name in present(four["mechanism"], PUBLISHED) if _all_kept(four, kept, name)]
    named = [mechanism_label(name) for name in good]
    listed = f" Kept: {', '.join(named)} (GraP with scale 2CK/ε and fixed steps)." if good else ""
    text = f"At a claimed ε = {epsilon:g} the proven one is: {'; '.join(parts)}." if parts else ""
    return Answer(SUPPORTED if kept.all() else CONTRADICTED, title, f"{text}{listed}".strip())


def _all_kept(four: pd.DataFrame, kept: pd.Series, mechanism: str) -> bool:
    return bool(kept[four["mechanism"] == mechanism].all())


def _at_places(rows: pd.DataFrame) -> str:
    parts = []
    for dataset in present(rows["dataset"], DATASETS):
        value = rows.loc[rows["dataset"] == dataset, "actual_epsilon"]
        ends = dict.fromkeys((number(value.min()), number(value.max())))
        parts.append(f"{' to '.join(ends)} ({dataset_label(dataset)})")
    return ", ".join(parts)


def _grouped(texts: Mapping[str, str], known: Iterable[str]) -> dict[str, list[str]]:
    """Return the names that share a text, by text, both in the order of ``known``."""
    groups: dict[str, list[str]] = {}
    for name in present(texts, known):
        groups.setdefault(texts[name], []).append(name)
    return groups


def users(trials: pd.DataFrame | None) -> Answer:
    """Judge whether the claimed epsilon also protects all signs of a user."""
    title = "The claimed ε also protects all signs of a user"
    rows = private_rows(trials)
    if rows is None:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    epsilon = example(rows)
    parts = []
    here = at_smallest_share(rows[(rows["epsilon"] == epsilon) & keeps_claim(rows)])
    for dataset in present(here["dataset"], DATASETS):
        one = here[here["dataset"] == dataset].groupby("mechanism")["user_epsilon"].max()
        groups = _grouped(one.map(number).to_dict(), LOOKS)
        texts = [
            f"{text} ({', '.join(mechanism_label(name) for name in names)})"
            for text, names in groups.items()
        ]
        parts.append(f"{dataset_label(dataset)}: {', '.join(texts)}")
    protects = (rows["user_epsilon"] <= rows["claimed_epsilon"]).groupby(rows["mechanism"]).all()
    text = (
        f"What a claimed ε = {epsilon:g} is if all signs of the user with most ratings flip, for "
        f"mechanisms that keep it for one sign, at the smallest observed fraction: "
        f"{'; '.join(parts)}."
    )
    return Answer(SUPPORTED if protects.all() else CONTRADICTED, title, text)


def attacked(change: pd.DataFrame | None, attack: pd.DataFrame | None) -> Answer:
    """Judge whether the published OutP survives a likelihood-ratio attack."""
    title = "OutP as published is ε-differentially private"
    if attack is None:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    broken = (attack["lower_bound"] > attack["claimed_epsilon"]).any()
    text = describe_outp(real_epsilons(change, attack))
    confidence = 100 * attack["confidence"].min()
    counts = dict.fromkeys(f"{count:,}" for count in sorted(attack["samples"].unique()))
    text += f" {' to '.join(counts)} samples a case, {confidence:g} % confidence each."
    return Answer(CONTRADICTED if broken else INCONCLUSIVE, title, text)


def converged(trials: pd.DataFrame | None) -> Answer:
    """Count the solves that stopped before their tolerance."""
    title = "Every solve converged"
    flags = None if trials is None else trials["converged"].map(_FLAGS).dropna().astype(bool)
    if flags is None or flags.empty:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    failed = trials.loc[flags.index[~flags]]
    text = f"{int(flags.sum()):,} of {len(flags):,} did."
    parts = [
        f"{mechanism_label(mechanism)} {len(part)} ({', '.join(_places(part))})"
        for mechanism, part in failed.groupby("mechanism")
    ]
    if parts:
        text += f" Stopped before: {'; '.join(parts)}. Their rows are in the means all the same."
    return Answer(SUPPORTED if flags.all() else CONTRADICTED, title, text)


_FLAGS = {True: True, False: False, "True": True, "False": False}


def _places(rows: pd.DataFrame) -> list[str]:
    return [dataset_label(name) for name in present(rows["dataset"], DATASETS)]

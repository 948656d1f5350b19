"""What DPALS and its baselines show about errors, each line computed from its tables.

"The paper" is Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating least
squares" (ICML 2021).
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpmc.studies.dpals.comparisons import best_of, less, more, ratios
from dpmc.studies.dpals.frames import (
    BIAS,
    BY_ITEMS,
    DPALS,
    OWN_MEAN,
    PRIVATE,
    RANK_ONE,
    SYNTHETIC,
    dataset_label,
    datasets_of,
    ends,
    is_surrogate,
    method_label,
    number,
    standard,
    summary,
    synthetic_sizes,
)
from dpmc.study.effects import Answer, by_count
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc.study.frames import NOT_RUN as NONE
from dpmc.study.frames import trials_text

ALTERNATING = ("dp_altmin", "dp_saltls")
SMALL_LOSS, LARGE_BUDGET = 1.1, 10.0  # against ALS, from that epsilon on


def places(trials: pd.DataFrame | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the data sets with several methods, but for generated ones: rows of the standard."""
    for name in datasets_of(trials):
        here = standard(trials, name)
        if len(here) and not is_surrogate(name) and not name.startswith(BY_ITEMS):
            yield name, here


def beats_frank_wolfe(trials: pd.DataFrame | None) -> Answer:
    """Judge whether DPALS has less error than private Frank-Wolfe on the synthetic data."""
    title = "DPALS has less error than private Frank-Wolfe on the synthetic data"
    parts, total = [], np.zeros(3, dtype=int)
    for name in synthetic_sizes(trials):
        here = standard(trials, name)
        table = ratios(here, "dpfw", DPALS) if len(here) else pd.DataFrame()
        if table.empty:
            continue
        total += tally(table)
        parts.append(f"{ends(table['ratio'])} times at {dataset_label(name)}")
    if not parts:
        return Answer(INCONCLUSIVE, title, NONE)
    losses, wins, count = total  # of DPALS
    text = (
        f"DPFW (exact noise) has the error of DPALS {_lower('; '.join(parts))}, over the ε that "
        f"were run. DPALS is significantly better at {wins} of {count} and worse at {losses} "
        "(paired t-tests, Holm)."
    )
    return Answer(_judged(total[[1, 0, 2]]), title, f"{text}{_trivial(trials)}")


def _trivial(trials: pd.DataFrame) -> str:
    """Say how many times private Frank-Wolfe is no better than the global mean at least budget."""
    found, count, smallest = 0, 0, np.inf
    for name in synthetic_sizes(trials):
        here = standard(trials, name)
        table = ratios(here, "dpfw", "trivial") if len(here) else pd.DataFrame()
        if len(table):
            smallest = table["epsilon"].min()
            row = table.iloc[table["epsilon"].argmin()]
            count += 1
            found += not row["high"] < 1
    if not count:
        return ""
    return (
        f" At ε = {smallest:g} DPFW is not better than the global mean at {found} of {count} "
        "numbers of users."
    )


def _lower(text: str) -> str:
    return text.replace("Synthetic, ", "")


def tally(table: pd.DataFrame) -> np.ndarray:
    """Count where the first method of :func:`ratios` has less and more error.

    Returns significantly less, significantly more, and all.
    """
    return np.array([less(table).sum(), more(table).sum(), len(table)])


def _judged(total: np.ndarray) -> str:
    less_error, more_error, count = total
    return SUPPORTED if less_error == count else CONTRADICTED if more_error else INCONCLUSIVE


def best_private(trials: pd.DataFrame | None) -> Answer:
    """Judge whether the paper's method is the best private one, and name the one that is."""
    title = "The paper’s DPALS is the best private method"
    where: dict[str, list[str]] = {}
    alone, beaten, count = 0, 0, 0
    for name, here in places(trials):
        if not (here["method"] == DPALS).any() or here["rmse"].isna().all():
            continue
        table = best_of(here, PRIVATE)
        best = table["best"] == DPALS
        others = table[~best]
        for row in others.itertuples():
            against = ratios(here[_at(here, row.epsilon)], DPALS, row.best)
            beaten += int(more(against).any())
        alone, count = alone + int((best & table["alone"]).sum()), count + len(table)
        counts = table["best"].value_counts()
        texts = [f"{method_label(each)} at {counts[each]}" for each in counts.index]
        where.setdefault(f"{', '.join(texts)} of {len(table)}", []).append(dataset_label(name))
    if not count:
        return Answer(INCONCLUSIVE, title, NONE)
    parts = [f"{text} ({', '.join(names)})" for text, names in where.items()]
    verdict = SUPPORTED if alone == count else CONTRADICTED if beaten else INCONCLUSIVE
    text = (
        f"Least error, by ε: {'; '.join(parts)}. Where another has less, it is significant at "
        f"{beaten} of {count} (paired t-tests).{_gain(trials)}"
    )
    return Answer(verdict, title, text)


def _at(here: pd.DataFrame, epsilon: float) -> pd.Series:
    return here["epsilon"].isna() | (here["epsilon"] == epsilon)


def _gain(trials: pd.DataFrame) -> str:
    """Say how far the best method is below DPALS with most synthetic users."""
    sizes = synthetic_sizes(trials)
    here = standard(trials, list(sizes)[-1]) if sizes else pd.DataFrame()
    if here.empty or not (here["method"] == DPALS).any():
        return ""
    table = best_of(here, PRIVATE).set_index("epsilon")
    mine = best_of(here, [DPALS]).set_index("epsilon")["error"]
    shown = [
        f"{number(table.loc[epsilon, 'error'])} against {number(mine[epsilon])} at ε = {epsilon:g}"
        for epsilon in dict.fromkeys((mine.index.min(), mine.index.max()))
    ]
    name = dataset_label(list(sizes)[-1])
    return f" {name}, best against DPALS: {', '.join(shown)}."


def more_users(trials: pd.DataFrame | None) -> Answer:
    """Judge whether DPALS and private Frank-Wolfe improve with every step in users."""
    title = "DPALS and private Frank-Wolfe improve with more users"
    sizes = synthetic_sizes(trials)
    here = standard(trials)
    if len(here):
        here = here[here["dataset"].isin(sizes) & here["method"].isin([DPALS, "dpfw"])]
    if here.empty or len(sizes) < 2:
        return Answer(INCONCLUSIVE, title, NONE)
    table = summary(here, "rmse", ("method", "epsilon", "users"))
    parts, falls, steps = [], 0, 0
    for method in (DPALS, "dpfw"):
        wide = table[table["method"] == method].pivot(
            index="epsilon", columns="users", values="mean"
        )
        if wide.empty:
            continue
        change = wide.pct_change(axis="columns", fill_method=None).iloc[:, 1:]
        falls, steps = falls + int((change < 0).sum().sum()), steps + int(change.count().sum())
        ratio = (wide.iloc[:, -1] / wide.iloc[:, 0]).dropna()
        if len(ratio):
            parts.append(f"{method_label(method)} {ends(ratio)}")
    if not steps:
        return Answer(INCONCLUSIVE, title, NONE)
    few, many = min(sizes.values()), max(sizes.values())
    text = (
        f"Mean RMSE falls in {falls} of {steps} steps to more users. From {few:,} to {many:,} it "
        f"is multiplied by: {'; '.join(parts)}, over ε ({trials_text(table['trials'])})."
    )
    return Answer(by_count(falls, steps), title, text)


def near_als(trials: pd.DataFrame | None) -> Answer:
    """Judge whether DPALS comes near ALS without privacy on real ratings at a large budget."""
    title = f"On real ratings DPALS loses at most 10 % against ALS from ε = {LARGE_BUDGET:g} on"
    parts, held, missed, count = [], 0, 0, 0
    for name, here in places(trials):
        if name.startswith((SYNTHETIC, RANK_ONE)):
            continue
        table = ratios(here, DPALS, "als")
        table = table[table["epsilon"] >= LARGE_BUDGET]
        if table.empty:
            continue
        held += int((table["high"] <= SMALL_LOSS).sum())
        missed += int((table["low"] > SMALL_LOSS).sum())
        count += len(table)
        parts.append(f"{dataset_label(name)} {ends(table['ratio'])}")
    if not count:
        return Answer(INCONCLUSIVE, title, NONE)
    text = (
        f"Error of DPALS over that of ALS without privacy: {'; '.join(parts)}. (Synthetic matrices "
        "have no noise of their own, so ALS nearly recovers them.)"
    )
    verdict = SUPPORTED if held == count else CONTRADICTED if missed else INCONCLUSIVE
    return Answer(verdict, title, text)


def beats_biases(trials: pd.DataFrame | None) -> Answer:
    """Judge whether DPALS beats biases on real data with few users."""
    title = "On MovieLens 100K and Jester DPALS beats a private user and item bias"
    parts, total = [], np.zeros(3, dtype=int)
    for name, here in places(trials):
        table = ratios(here, DPALS, BIAS)
        if table.empty:
            continue
        own = ratios(here, DPALS, OWN_MEAN)
        total += tally(table)
        text = f"{dataset_label(name)} {ends(table['ratio'])}"
        if len(own):
            text += f" (against the user’s own mean, which is free: {ends(own['ratio'])})"
        parts.append(text)
    if not parts:
        return Answer(INCONCLUSIVE, title, NONE)
    wins, losses, count = total
    text = (
        f"Error of DPALS over that of the private biases at the same ε: {'; '.join(parts)}. Better "
        f"at {wins} and worse at {losses} of {count} (paired t-tests, Holm)."
    )
    return Answer(_judged(total), title, text)


def alternating(trials: pd.DataFrame | None) -> Answer:
    """Judge whether DP-AltMin and DP-SAltLS have less error than DPALS."""
    title = "DP-AltMin and DP-SAltLS have less error than DPALS"
    parts, total = [], np.zeros(3, dtype=int)
    for method in ALTERNATING:
        found = [ratios(here, method, DPALS) for _, here in places(trials)]
        found = [table for table in found if len(table)]
        if not found:
            continue
        table = pd.concat(found, ignore_index=True)
        wins, losses, count = tally(table)
        total += (wins, losses, count)
        parts.append(
            f"{method_label(method)} {ends(table['ratio'])}, less at {wins} and more at {losses} "
            f"of {count}"
        )
    if not parts:
        return Answer(INCONCLUSIVE, title, NONE)
    text = (
        f"Error over that of DPALS, all data and ε: {'; '.join(parts)} (paired t-tests, Holm). "
        "Both are done so that they are private, which the published code is not."
    )
    return Answer(_judged(total), title, text)

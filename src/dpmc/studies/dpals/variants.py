"""What the variants of DPALS show: projection, sampling, share of the items; generated data."""

import pandas as pd

from dpmc.studies.dpals.comparisons import less, more, ratios
from dpmc.studies.dpals.figures.items import LAMBDA_KEYS, item_rows, lambda_rows
from dpmc.studies.dpals.frames import (
    DPALS,
    dataset_label,
    datasets_of,
    ends,
    is_surrogate,
    number,
    summary,
)
from dpmc.study.effects import Answer, by_count
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED, VERDICTS
from dpmc.study.frames import NOT_RUN

TERRIBLE = 1.25  # times the error: what counts as terrible
LOCAL = "On generated data only, so no verdict on the paper."


def projected(trials: pd.DataFrame | None) -> Answer:
    """Judge whether leaving the projection out is terrible at the best lambda."""
    title = "Without the projection to positive semidefinite matrices the error is terrible"
    here = lambda_rows(trials)
    if here.empty:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    table = summary(here, "rmse", LAMBDA_KEYS)
    parts, terrible, count = [], 0, 0
    for (name, epsilon), part in table.groupby(["dataset", "epsilon"]):
        wide = part.pivot(index="regularization", columns="projection", values="mean").dropna()
        if wide.empty or wide.shape[1] < 2:
            continue
        ratio = wide[False] / wide[True]
        best = wide[False].min() / wide[True].min()
        terrible, count = terrible + int(best > TERRIBLE), count + 1
        parts.append(
            f"{dataset_label(name)}, ε = {epsilon:g}: {number(ratio.iloc[0])} times at "
            f"λ = {wide.index[0]:g}, {number(ratio.iloc[-1])} at {wide.index[-1]:g}, and "
            f"{number(best)} each at its best λ"
        )
    if not count:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    text = (
        f"RMSE without over RMSE with it: {'; '.join(parts)} (λ in standard deviations of the "
        "noise on H)."
    )
    return Answer(by_count(terrible, count), title, text)


def better_sampling(trials: pd.DataFrame | None) -> Answer:
    """Judge whether adaptive sampling has less error than uniform sampling."""
    title = "Sampling the ratings of rare items beats uniform sampling under privacy"
    here = item_rows(trials)
    mine = here[here["method"] == DPALS] if len(here) else here
    if mine.empty:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    parts, wins, losses, count = [], 0, 0, 0
    for name in datasets_of(mine):
        tables = []
        for _, part in mine[mine["dataset"] == name].groupby("item_share"):
            tables.append(ratios(part.assign(method=part["sampling"]), "adaptive", "uniform"))
        table = pd.concat(tables, ignore_index=True)
        if table.empty:
            continue
        parts.append(f"{dataset_label(name)} {ends(table['ratio'])}")
        if not is_surrogate(name):
            wins, losses = wins + int(less(table).sum()), losses + int(more(table).sum())
            count += len(table)
    if not parts:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    text = f"RMSE, adaptive over uniform, all ε and shares of items: {'; '.join(parts)}."
    return _judged(title, text, wins, losses, count)


def better_items(trials: pd.DataFrame | None) -> Answer:
    """Judge whether private models gain from factors for the most rated items alone."""
    title = "Private models gain from factors for the most rated items alone"
    here = item_rows(trials)
    mine = here[here["method"] == DPALS] if len(here) else here
    if mine.empty:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    table = summary(mine, "rmse", ("dataset", "epsilon", "sampling", "item_share"))
    parts, wins, losses, count = [], 0, 0, 0
    for name in datasets_of(table):
        texts = []
        for (epsilon, sampling), part in table[table["dataset"] == name].groupby(
            ["epsilon", "sampling"]
        ):
            best = part.loc[part["mean"].idxmin()]
            whole = part.loc[part["item_share"].idxmax()]
            ratio = best["mean"] / whole["mean"]
            texts.append(
                f"{100 * best['item_share']:g} % at ε = {epsilon:g}, {sampling} ({number(ratio)})"
            )
            if not is_surrogate(name):
                count += 1
                wins += int(best["high"] < whole["low"])
                losses += int(best["item_share"] == whole["item_share"])
        parts.append(f"{dataset_label(name)}: {', '.join(texts)}")
    text = f"Best share of the items, with its RMSE over that of all items: {'; '.join(parts)}."
    return _judged(title, text, wins, losses, count)


def _judged(title: str, text: str, wins: int, losses: int, count: int) -> Answer:
    """Judge by counts on real data; open, and said so, where only generated ones were run."""
    if not count:
        return Answer(INCONCLUSIVE, title, f"{text} {LOCAL}")
    verdict = SUPPORTED if wins == count else CONTRADICTED if losses else INCONCLUSIVE
    return Answer(verdict, title, text)


def surrogates(claims: pd.DataFrame) -> Answer:
    """Say what the claims about MovieLens 10M and 20M give on generated data; no verdict."""
    title = "The claims about MovieLens 10M and 20M"
    counts = claims["verdict"].value_counts()
    texts = [
        f"{counts[verdict]} {verdict} ({', '.join(claims.loc[claims['verdict'] == verdict, 'id'])})"
        for verdict in VERDICTS
        if verdict in counts
    ]
    text = f"On the generated data they come out as {'; '.join(texts)}. None of that is a verdict."
    return Answer(INCONCLUSIVE, title, text)

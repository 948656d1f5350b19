"""What the one-bit study found, each line computed from its tables.

"The paper" is Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential privacy"
(arXiv:2110.00719).
"""

from dataclasses import replace

import pandas as pd

from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.comparisons import against, better, comparisons, worse
from dpmc.studies.onebit.frames import (
    BENCHMARK,
    DATASETS,
    ITEM_BIAS,
    LARGE,
    LINKS,
    PUBLISHED,
    dataset_label,
    is_real,
    link_label,
    main_constraint,
    main_rows,
    summary,
)
from dpmc.studies.onebit.guarantees import attacked, claims_kept, converged, users
from dpmc.study.effects import Answer, by_count
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc.study.frames import NOT_RUN as NONE
from dpmc.study.frames import keeps_claim, present, trials_text
from dpmc.study.results import Results, has_results

NOT_RUN = "The one-bit part has not been run."
NO_VALUES = (
    "The values of the paper’s figures are not available, so no published number stands beside "
    "ours: its claims in words are judged instead."
)
FIXED_SPLIT = (
    "MovieLens 100K has one fixed split, as in the paper: its intervals hold the randomness of the "
    "mechanisms alone and leave out that of the split."
)


def onebit_findings(results: Results) -> list[Answer]:
    """Return the lines of the chapter; none if nothing of it has been run."""
    if not has_results(results):
        return []
    trials = results["trials"]
    return [
        signal(trials),
        winner(trials),
        beats_zero(trials),
        beats_item_bias(trials),
        real_signal(trials),
        claims_kept(trials),
        users(trials),
        attacked(results["outp_change"], results["outp_attack"]),
        converged(trials),
    ]


def onebit_answer(results: Results) -> list[Answer]:
    """Return the lines for the answer of the page; none if nothing has been run."""
    if not has_results(results):
        return []
    lines = [signal(results["trials"]), claims_kept(results["trials"])]
    return [replace(line, title=f"One-bit completion: {_lower(line.title)}") for line in lines]


def _lower(title: str) -> str:
    return title[0].lower() + title[1:]


def caveats(trials: pd.DataFrame | None) -> str:
    """Return what the reader must know before the numbers."""
    fixed = trials is not None and (trials["dataset"] == "ml-100k").any()
    return f"{NO_VALUES} {FIXED_SPLIT}" if fixed else NO_VALUES


def signal(trials: pd.DataFrame | None) -> Answer:
    """Judge whether the method without privacy beats predicting zero on the benchmark."""
    title = "The benchmark has a signal: without privacy the method beats predicting zero"
    here = _clear(trials, BENCHMARK)
    if here.empty:
        return Answer(INCONCLUSIVE, title, NONE)
    lowest = here["observed_fraction"].min()
    raw, truncated = (
        summary(here[here["observed_fraction"] == lowest], f"are_{stage}").set_index("link")
        for stage in ("raw", "truncated")
    )
    parts = [
        f"{raw['mean'][link]:.2f}{_interval(raw.loc[link])} raw and "
        f"{truncated['mean'][link]:.2f}{_interval(truncated.loc[link])} truncated with the "
        f"{link_label(link)}"
        for link in present(raw.index, LINKS)
    ]
    above = (raw["low"] > 1).any()
    verdict = CONTRADICTED if above else SUPPORTED if (raw["high"] < 1).all() else INCONCLUSIVE
    text = (
        f"Predicting zero has ARE 1; Clear, which has no noise, has {'; '.join(parts)} (95 % "
        f"intervals) at {100 * lowest:g} % observed, over {trials_text(raw['trials'])}."
    )
    return Answer(verdict, title, f"{text}{_from_which_share(here)}{_larger(trials)}")


def _clear(trials: pd.DataFrame | None, dataset: str) -> pd.DataFrame:
    if trials is None or not (trials["dataset"] == dataset).any():
        return pd.DataFrame()
    here = trials[(trials["dataset"] == dataset) & (trials["mechanism"] == "clear")]
    return here[here["constraint"] == main_constraint(trials, dataset)]


def _interval(row: pd.Series) -> str:
    return f" [{row['low']:.2f}, {row['high']:.2f}]" if pd.notna(row["low"]) else ""


def _from_which_share(here: pd.DataFrame) -> str:
    """Say from which fraction on Clear's raw interval lies below 1."""
    if here["observed_fraction"].nunique() < 2:
        return ""
    table = summary(here, "are_raw")
    parts = []
    for link in present(table["link"], LINKS):
        one = table[table["link"] == link]
        bad = one.loc[~(one["high"] < 1), "observed_fraction"].max()
        good = one["observed_fraction"][~(one["observed_fraction"] <= bad)]
        text = f"from {100 * good.min():g} % on" if len(good) else "at no fraction that was run"
        parts.append(f"{text} with the {link_label(link)}")
    return f" Raw it is below 1 {', '.join(parts)}."


def _larger(trials: pd.DataFrame) -> str:
    here = _clear(trials, LARGE)
    if here.empty:
        return ""
    table = summary(here, "are_raw").set_index("link")
    links = present(table.index, LINKS)
    means = [f"{table['mean'][link]:.2f} ({link_label(link)})" for link in links]
    size = dataset_label(LARGE).removeprefix("Synthetic ")
    return f" On the {size} instance it has {', '.join(means)} raw."


def winner(trials: pd.DataFrame | None) -> Answer:
    """Say which of the paper's four is best where."""
    title = "One of the paper’s four mechanisms is best everywhere"
    parts, every = [], []
    for dataset, here in _places(trials):
        found = list(comparisons(here, PUBLISHED, "truncated"))
        if not found:
            continue
        alone = pd.Series([each.best for each in found if not each.tied], dtype=str)
        counts = alone.value_counts()
        texts = [f"{mechanism_label(name)} at {counts[name]}" for name in counts.index]
        tied = len(found) - len(alone)
        texts += [f"no single one at {tied}"] if tied else []
        parts.append(f"{dataset_label(dataset)}: {', '.join(texts)} of {len(found)}")
        every += [None if each.tied else each.best for each in found]
    if not every:
        return Answer(INCONCLUSIVE, title, NONE)
    same = len(set(every)) == 1 and every[0] is not None
    text = (
        f"{'; '.join(parts)} (link and ε; truncated outputs, significant against each other one by "
        "paired t-tests, Holm)."
    )
    return Answer(SUPPORTED if same else CONTRADICTED, title, text)


def _places(trials: pd.DataFrame | None):
    names = [] if trials is None else present(trials["dataset"], DATASETS)
    return [(name, main_rows(trials, name)) for name in names]


def beats_zero(trials: pd.DataFrame | None) -> Answer:
    """Judge whether the best of the four beats predicting zero, on the synthetic benchmark."""
    title = "On the benchmark the best of the four has less error than predicting zero"
    here = pd.DataFrame() if trials is None else main_rows(trials, BENCHMARK)
    tables = (
        {}
        if here.empty
        else {stage: against(here, PUBLISHED, "zero", stage) for stage in ("raw", "truncated")}
    )
    if not tables or tables["raw"].empty:
        return Answer(INCONCLUSIVE, title, NONE)
    texts = [
        f"{stage} at {better(table)} of {len(table)}, and worse at {worse(table)}"
        for stage, table in tables.items()
    ]
    wins = better(tables["truncated"])
    verdict = by_count(wins, len(tables["truncated"]))
    fraction = 100 * here["observed_fraction"].iloc[0]
    text = f"{fraction:g} % observed, link and ε: {'; '.join(texts)} (paired t-tests, Holm)."
    return Answer(verdict, title, text)


def beats_item_bias(trials: pd.DataFrame | None) -> Answer:
    """Judge whether the four beat a private item-bias model at the same claimed epsilon."""
    title = "The paper’s mechanisms beat a private item-bias model at the same ε"
    parts, wins, losses, count = [], 0, 0, 0
    for dataset, here in _places(trials):
        table = against(here, PUBLISHED, ITEM_BIAS, "truncated")
        if table.empty:
            continue
        honest = here[keeps_claim(here) | ~here["mechanism"].isin(PUBLISHED)]
        kept = against(honest, PUBLISHED, ITEM_BIAS, "truncated")
        raw = against(honest, PUBLISHED, ITEM_BIAS, "raw")
        parts.append(
            f"{dataset_label(dataset)}: the best of the four is better at {better(table)} and "
            f"worse at {worse(table)} of {len(table)}; the best of those that keep their claim is "
            f"better at {better(kept)} and worse at {worse(kept)} (raw: {better(raw)} and "
            f"{worse(raw)})"
        )
        wins, losses, count = wins + better(kept), losses + worse(kept), count + len(kept)
    if not count:
        return Answer(INCONCLUSIVE, title, NONE)
    verdict = SUPPORTED if wins == count else CONTRADICTED if losses > wins else INCONCLUSIVE
    text = (
        f"{'. '.join(parts)} (link and ε; truncated outputs but where raw is said, paired t-tests, "
        "Holm)."
    )
    return Answer(verdict, title, text)


def real_signal(trials: pd.DataFrame | None) -> Answer:
    """Judge whether the method without privacy beats an item bias without privacy on real data."""
    title = "On real data the method without privacy beats an item bias without privacy"
    parts, differences = [], []
    for dataset, here in _places(trials):
        if not is_real(dataset):
            continue
        table = summary(here[here["epsilon"].isna()], "accuracy_raw")
        for link in present(table["link"], LINKS):
            one = table[table["link"] == link].set_index("mechanism")["mean"]
            if {"clear", "item_bias"} <= set(one.index):
                texts = [f"{100 * one['clear']:.1f} % against {100 * one['item_bias']:.1f} %"]
                texts += (
                    [f"majority sign {100 * one['majority']:.1f} %"] if "majority" in one else []
                )
                where = f"{dataset_label(dataset)}, {link_label(link)}"
                parts.append(f"{where}: {', '.join(texts)}")
                differences.append(one["clear"] - one["item_bias"])
    if not parts:
        return Answer(INCONCLUSIVE, title, NONE)
    ahead = sum(difference > 0 for difference in differences)
    verdict = by_count(ahead, len(differences))
    return Answer(verdict, title, f"{'; '.join(parts)}.")

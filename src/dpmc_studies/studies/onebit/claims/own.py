"""What we claim ourselves of one-bit completion: B1 to B8.

A place is a (data set, link, epsilon) under the data set's main constraint, at its smallest
observed fraction. Compared are log ARE on synthetic data and minus the share of right signs on real
data, so that less is better; where both are among the rows, there is no effect to state.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    always_below,
    as_matrix,
    explained,
    fact,
    inside,
    not_available,
    points,
)
from dpmc_studies.frame.judging.verdicts import tally
from dpmc_studies.frame.showing.frames import (
    in_list,
    keeps_claim,
    number,
    present,
    private_rows,
    trials_text,
)
from dpmc_studies.methods.onebit.labels import mechanism_label
from dpmc_studies.statistics import paired
from dpmc_studies.statistics.paired import Pair, compare, leader, less, more, pairs
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.onebit.claims.evidence import OneBitEvidence, claim
from dpmc_studies.studies.onebit.frames import (
    BENCHMARK,
    DATASETS,
    FREE,
    ITEM_BIAS,
    LARGE,
    LINKS,
    LOOKS,
    PUBLISHED,
    at_smallest_share,
    dataset_label,
    is_real,
    link_label,
    main_constraint,
    main_rows,
    metric_of,
    summary,
)

PLACE = ("dataset", "link", "epsilon")
EXAMPLE = 1.0  # the claimed epsilon that is spelled out, if it was run
ZERO_ARE = 1.0  # that of predicting zero


def mechanism_named(name: str) -> str:
    """Return what reasons call a mechanism."""
    return in_list(mechanism_label(name))


def places(trials: pd.DataFrame, stage: str) -> dict[tuple, pd.DataFrame]:
    """Return what is compared, by place; ``stage`` is "raw" or "truncated"."""
    found = {}
    for dataset in present(trials["dataset"], DATASETS):
        here, metric = main_rows(trials, dataset), metric_of(dataset, stage)
        values = here[metric].astype(float)
        errors = log_positive(values) if metric.startswith("are") else -values
        found |= paired.places(here, errors, PLACE, "mechanism")
    return found


def _honest(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the trials without those of the four that do not keep their claim."""
    return trials[keeps_claim(trials) | ~trials["mechanism"].isin(PUBLISHED)]


def _benchmark(trials: pd.DataFrame) -> pd.DataFrame:
    return trials[trials["dataset"] == BENCHMARK]


def _places(
    evidence: OneBitEvidence, kind: str, part: Callable[[pd.DataFrame], pd.DataFrame] | None = None
) -> dict[tuple, pd.DataFrame]:
    """Return :func:`places` of the trials, or of a part, made once for readings that share them."""
    if (part, kind) not in evidence.made:
        trials = evidence.trials if part is None else part(evidence.trials)
        evidence.made[part, kind] = places(trials, kind)
    return evidence.made[part, kind]


def rows_of(found: Mapping[tuple, Pair]) -> Rows:
    """Return the differences by the name of their place."""
    return {
        f"{dataset_label(dataset)}, {link_label(link)}, ε = {epsilon:g}": pair.differences
        for (dataset, link, epsilon), pair in found.items()
    }


def always_better(found: Mapping[tuple, Pair]) -> Finding:
    """Apply ALL to the differences of places, with an effect where all have one unit."""
    rows = rows_of(found)
    finding = always_below(rows)
    if len({is_real(dataset) for dataset, *_ in found}) == 1:
        return finding
    reason = tally(as_matrix(rows)).formatted()
    nothing = dict.fromkeys(("effect", "interval_low", "interval_high"), np.nan)
    return replace(finding, reason=f"{reason}; n = {finding.n}", **nothing)


def counted(found: Mapping[tuple, Pair]) -> str:
    """Say at how many places the first is better and worse."""
    table = compare(found, PLACE)
    return f"better at {less(table).sum()} and worse at {more(table).sum()} of {len(table)}"


@claim("B1")
def the_benchmark_has_a_signal(evidence: OneBitEvidence) -> Finding:
    """WITHIN: the raw ARE of Clear is below 1, that of predicting zero."""
    here = _clear(evidence.trials, BENCHMARK)
    if here.empty:
        return not_available("the benchmark without privacy")
    lowest = at_smallest_share(here)
    share = lowest["observed_fraction"].iloc[0]
    links = present(lowest["link"], LINKS)
    rows = {
        link_label(link): lowest.loc[lowest["link"] == link, "are_raw"].to_numpy(float)
        for link in links
    }
    truncated = lowest.groupby("link")["are_truncated"].mean()
    cut = ", ".join(f"{truncated[link]:.2f} with the {link_label(link)}" for link in links)
    text = (
        f"Clear, which has no noise, at {100 * share:g} % observed, over "
        f"{trials_text(map(len, rows.values()))}; truncated {cut}."
    )
    found = inside(rows, high=ZERO_ARE, formatter=lambda value: f"{value:.2f}")
    return explained(found, f"{text}{_from_which_share(here)}{_larger(evidence.trials)}")


def _clear(trials: pd.DataFrame, dataset: str) -> pd.DataFrame:
    here = trials[trials["dataset"] == dataset]
    if here.empty:
        return here
    constraint = main_constraint(trials, dataset)
    return here[(here["mechanism"] == "clear") & (here["constraint"] == constraint)]


def _from_which_share(here: pd.DataFrame) -> str:
    """Say from which fraction on Clear's raw interval lies below 1."""
    if here["observed_fraction"].nunique() < 2:
        return ""
    table = summary(here, "are_raw")
    parts = []
    for link in present(table["link"], LINKS):
        one = table[table["link"] == link]
        bad = one.loc[~(one["high"] < ZERO_ARE), "observed_fraction"].max()
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


@claim("B2")
def one_mechanism_is_best_everywhere(evidence: OneBitEvidence) -> Finding:
    """ALL places: the mechanism that leads at most of them against the best of the others."""
    everywhere = _places(evidence, evidence.judged.kind)
    leaders = {place: leader(errors, PUBLISHED) for place, errors in everywhere.items()}
    leaders = {place: ahead for place, ahead in leaders.items() if ahead is not None}
    if not leaders:
        return not_available("the paper's four mechanisms")
    first = pd.Series([ahead.best for ahead in leaders.values()]).mode()[0]
    found = pairs(everywhere, [first], [name for name in PUBLISHED if name != first])
    if not found:
        return not_available("several of the paper's four mechanisms")
    parts = []
    for dataset in dict.fromkeys(dataset for dataset, *_ in leaders):
        here = [ahead for place, ahead in leaders.items() if place[0] == dataset]
        alone = pd.Series([ahead.best for ahead in here if not ahead.tied], dtype=str)
        texts = [f"{mechanism_named(name)} at {n}" for name, n in alone.value_counts().items()]
        tied = len(here) - len(alone)
        texts += [f"no single one at {tied}"] if tied else []
        parts.append(f"{dataset_label(dataset)}: {', '.join(texts)} of {len(here)}")
    text = f"{mechanism_named(first)} leads most often. Best alone, {'; '.join(parts)}."
    return explained(always_better(found), text)


@claim("B3")
def the_four_beat_predicting_zero(evidence: OneBitEvidence) -> Finding:
    """ALL places of the benchmark: the best of the four against predicting zero."""
    here = _benchmark(evidence.trials)
    found = {
        outputs.kind: pairs(_places(evidence, outputs.kind, _benchmark), PUBLISHED, ["zero"])
        for outputs in (evidence.judged, evidence.beside)
    }
    judged, beside = found.values()
    if not judged:
        return not_available("the paper's four mechanisms on the benchmark")
    fraction = 100 * main_rows(here, BENCHMARK)["observed_fraction"].iloc[0]
    kind = evidence.beside.kind
    text = f"{fraction:g} % observed, {evidence.judged.kind} outputs; {kind} {counted(beside)}."
    return explained(always_better(judged), text)


@claim("B4")
def the_four_beat_an_item_bias(evidence: OneBitEvidence) -> Finding:
    """ALL places: the best of the four that keep their claim against a private item bias."""
    found = pairs(_places(evidence, evidence.judged.kind, _honest), PUBLISHED, [ITEM_BIAS])
    if not found:
        return not_available("a private item bias")
    every = pairs(_places(evidence, evidence.judged.kind), PUBLISHED, [ITEM_BIAS])
    parts = []
    for dataset in dict.fromkeys(dataset for dataset, *_ in every):
        kept, whole = (
            counted({place: pair for place, pair in side.items() if place[0] == dataset})
            for side in (found, every)
        )
        parts.append(f"{dataset_label(dataset)} {kept} (the best of all four {whole})")
    return explained(always_better(found), f"{'; '.join(parts)}.")


@claim("B5")
def the_method_beats_an_item_bias_on_real_data(evidence: OneBitEvidence) -> Finding:
    """ALL links and real data: right signs, without privacy, of an item bias minus of Clear."""
    trials = evidence.trials
    rows, parts = {}, []
    for dataset in filter(is_real, present(trials["dataset"], DATASETS)):
        here = main_rows(trials, dataset)
        here = here[here["mechanism"].isin(FREE)]
        for link in present(here["link"], LINKS):
            one = here[here["link"] == link]
            wide = one.pivot(index="trial", columns="mechanism", values="accuracy_raw").astype(
                float
            )
            if {"clear", "item_bias"} <= set(wide.columns):
                name = f"{dataset_label(dataset)}, {link_label(link)}"
                rows[name] = (wide["item_bias"] - wide["clear"]).to_numpy()
                means = 100 * wide.mean()
                text = f"{name}: {means['clear']:.1f} % against {means['item_bias']:.1f} %"
                if "majority" in means:
                    text += f", majority sign {means['majority']:.1f} %"
                parts.append(text)
    if not rows:
        return not_available("real data without privacy")
    return explained(always_below(rows, formatter=points), f"{'; '.join(parts)}.")


def example(rows: pd.DataFrame) -> float:
    """Return the claimed epsilon that is spelled out."""
    values = rows["epsilon"].unique()
    return EXAMPLE if EXAMPLE in values else float(min(values))


@claim("B6")
def the_four_keep_their_claim(evidence: OneBitEvidence) -> Finding:
    """FACT: what is proven of every mechanism of the paper is what it claims."""
    rows = private_rows(evidence.trials)
    four = None if rows is None else rows[rows["mechanism"].isin(PUBLISHED)]
    if four is None or four.empty:
        return not_available("the paper's four mechanisms")
    kept = keeps_claim(four)
    epsilon = example(four)
    parts = []
    broken = four[~kept & (four["epsilon"] == epsilon)]
    for mechanism in present(broken["mechanism"], PUBLISHED):
        here = broken[broken["mechanism"] == mechanism]
        texts = {link: _at_places(here[here["link"] == link]) for link in here["link"].unique()}
        for text, links in _grouped(texts, LINKS).items():
            only = f" with the {link_label(links[0])}" if len(links) == 1 else ""
            parts.append(f"{mechanism_named(mechanism)}{only}: {text}")
    whole = kept.groupby(four["mechanism"]).all()
    good = [mechanism_named(name) for name in present(whole.index[whole], PUBLISHED)]
    text = f"At a claimed ε = {epsilon:g} the proven one is: {'; '.join(parts)}. " if parts else ""
    text += f"Kept: {', '.join(good)} (GraP with scale 2CK/ε and fixed steps)." if good else ""
    return fact(kept.all(), text.strip())


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


@claim("B7")
def the_claim_protects_users(evidence: OneBitEvidence) -> Finding:
    """FACT: the claimed epsilon also holds if all signs of a user change."""
    rows = private_rows(evidence.trials)
    if rows is None:
        return not_available("private mechanisms")
    epsilon = example(rows)
    parts = []
    here = at_smallest_share(rows[(rows["epsilon"] == epsilon) & keeps_claim(rows)])
    for dataset in present(here["dataset"], DATASETS):
        one = here[here["dataset"] == dataset].groupby("mechanism")["user_epsilon"].max()
        groups = _grouped(one.map(number).to_dict(), LOOKS)
        texts = [
            f"{text} for {', '.join(mechanism_named(name) for name in names)}"
            for text, names in groups.items()
        ]
        parts.append(f"{dataset_label(dataset)}: {' and '.join(texts)}")
    text = (
        f"What a claimed ε = {epsilon:g} is if all signs of the user with most ratings flip, for "
        f"mechanisms that keep it for one sign, at the smallest observed fraction: "
        f"{'; '.join(parts)}."
    )
    return fact((rows["user_epsilon"] <= rows["claimed_epsilon"]).all(), text)


@claim("B8")
def every_solve_converged(evidence: OneBitEvidence) -> Finding:
    """FACT: no solve stopped before its tolerance."""
    flags = evidence.trials["converged"].map(_FLAGS).dropna().astype(bool)
    if flags.empty:
        return not_available("solves with a tolerance")
    failed = evidence.trials.loc[flags.index[~flags]]
    text = f"{flags.sum():,} of {len(flags):,} did."
    parts = [
        f"{mechanism_named(mechanism)} {len(part)} ({', '.join(_datasets(part))})"
        for mechanism, part in failed.groupby("mechanism")
    ]
    if parts:
        text += f" Stopped before: {'; '.join(parts)}. Their rows are in the means all the same."
    return fact(flags.all(), text)


_FLAGS = {True: True, False: False, "True": True, "False": False}


def _datasets(rows: pd.DataFrame) -> Iterator[str]:
    return map(dataset_label, present(rows["dataset"], DATASETS))

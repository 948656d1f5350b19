"""Our own claims about one-bit completion: B1 to B8.

A place is a (data set, link, epsilon) under the main constraint of the data set, at its smallest
observed fraction. The claims compare log ARE on synthetic data, and minus the share of right signs
on real data, so that lower is better. If rows of both kinds are compared, no effect is stated.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import (
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
    select,
    trials_text,
)
from dpmc_studies.statistics import paired
from dpmc_studies.statistics.paired import Pair, compare, leader, less, more, pairs
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.onebit.claims.evidence import (
    MOVIELENS,
    RAW,
    RESTAURANT,
    OneBitEvidence,
    claim,
)
from dpmc_studies.studies.onebit.frames import (
    BENCHMARK,
    CLEAR,
    DATASETS,
    ITEM_BIAS,
    LINKS,
    PUBLISHED,
    at_smallest_share,
    dataset_label,
    is_real,
    link_label,
    main_rows,
    mechanism_label,
    metric_of,
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


def always_better(found: Mapping[tuple, Pair]) -> Finding:
    """Apply ALL to the differences of places, with an effect where all have one unit."""
    rows = {
        f"{dataset_label(dataset)}, {link_label(link)}, ε = {epsilon:g}": pair.differences
        for (dataset, link, epsilon), pair in found.items()
    }
    finding = always_below(rows)
    if len({is_real(dataset) for dataset, *_ in found}) == 1:
        return finding
    reason = tally(as_matrix(rows)).formatted()
    nothing = dict.fromkeys(("effect", "interval_low", "interval_high"), np.nan)
    return replace(finding, reason=f"{reason}; n = {finding.n}", **nothing)


@claim("B1")
def the_benchmark_has_a_signal(evidence: OneBitEvidence) -> Finding:
    """WITHIN: the raw ARE of Clear is below 1, that of predicting zero."""
    clear = select(main_rows(evidence.trials, BENCHMARK), mechanism=CLEAR)
    if clear.empty:
        return not_available("the benchmark without privacy")
    rows = {
        link_label(link): select(clear, link=link)["are_raw"].to_numpy(float)
        for link in present(clear["link"], LINKS)
    }
    text = (
        f"Clear, which has no noise, at {100 * clear['observed_fraction'].iloc[0]:g} % observed, "
        f"over {trials_text(map(len, rows.values()))}."
    )
    return explained(inside(rows, high=ZERO_ARE, formatter="{:.2f}".format), text)


@claim("B2")
def one_mechanism_is_best_everywhere(evidence: OneBitEvidence) -> Finding:
    """ALL places: the mechanism that leads most often against the best of the others."""
    everywhere = evidence.made(places)
    ahead = [leader(errors, PUBLISHED) for errors in everywhere.values()]
    ahead = [each for each in ahead if each is not None]
    if not ahead:
        return not_available("the paper's four mechanisms")
    first = pd.Series([each.best for each in ahead]).mode()[0]
    found = pairs(everywhere, [first], [name for name in PUBLISHED if name != first])
    if not found:
        return not_available("several of the paper's four mechanisms")
    alone = pd.Series([each.best for each in ahead if not each.tied], dtype=str)
    texts = [f"{mechanism_named(name)} at {n}" for name, n in alone.value_counts().items()]
    return explained(
        always_better(found),
        f"{mechanism_named(first)} leads most often. Best alone: {', '.join(texts) or 'none'}, "
        f"of {len(ahead)} places.",
    )


@claim("B3")
def the_four_beat_predicting_zero(evidence: OneBitEvidence) -> Finding:
    """ALL places of the benchmark: the best of the four against predicting zero."""
    everywhere = evidence.made(places)
    here = {place: everywhere[place] for place in everywhere if place[0] == BENCHMARK}
    found = pairs(here, PUBLISHED, ["zero"])
    if not found:
        return not_available("the paper's four mechanisms on the benchmark")
    return explained(always_better(found), f"{evidence.kind} outputs.".capitalize())


@claim("B4")
def the_four_beat_an_item_bias(evidence: OneBitEvidence) -> Finding:
    """ALL places: the best of the four that keep their claim against a private item bias."""
    found = pairs(evidence.made(honest_places), PUBLISHED, [ITEM_BIAS])
    if not found:
        return not_available("a private item bias")
    table = compare(found, PLACE).assign(better=less, worse=more)
    parts = [
        f"{dataset_label(dataset)} better at {part['better'].sum()} and worse at "
        f"{part['worse'].sum()} of {len(part)}"
        for dataset, part in table.groupby("dataset", sort=False)
    ]
    return explained(always_better(found), f"{'; '.join(parts)}.")


def honest_places(trials: pd.DataFrame, stage: str) -> dict[tuple, pd.DataFrame]:
    """Return :func:`places` without those of the four that do not keep their claim."""
    return places(trials[keeps_claim(trials) | ~trials["mechanism"].isin(PUBLISHED)], stage)


@claim("B5")
def the_method_beats_an_item_bias_on_real_data(evidence: OneBitEvidence) -> Finding:
    """ALL links and real data: right signs, without privacy, of an item bias minus of Clear."""
    rows, parts, raw = {}, [], replace(evidence, kind=RAW, rank=None)
    for dataset, link in product((MOVIELENS, RESTAURANT), LINKS):
        clear, bias = (-raw.error(dataset, name, link) for name in (CLEAR, "item_bias"))
        if np.isfinite(bias - clear).any():
            name = f"{dataset_label(dataset)}, {link_label(link)}"
            rows[name] = bias - clear
            means = 100 * np.nanmean(clear), 100 * np.nanmean(bias)
            parts.append(f"{name}: {means[0]:.1f} % against {means[1]:.1f} %")
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
    for name in present(broken["mechanism"], PUBLISHED):
        here = broken.loc[broken["mechanism"] == name, "actual_epsilon"]
        ends = dict.fromkeys((number(here.min()), number(here.max())))
        parts.append(f"{' to '.join(ends)} ({mechanism_named(name)})")
    whole = kept.groupby(four["mechanism"]).all()
    good = [mechanism_named(name) for name in present(whole.index[whole], PUBLISHED)]
    text = f"At a claimed ε = {epsilon:g} the proven one is {', '.join(parts)}. " if parts else ""
    text += f"Kept: {', '.join(good)} (GraP with scale 2CK/ε and fixed steps)." if good else ""
    return fact(kept.all(), text.strip())


@claim("B7")
def the_claim_protects_users(evidence: OneBitEvidence) -> Finding:
    """FACT: the claimed epsilon also holds if all signs of a user change."""
    rows = private_rows(evidence.trials)
    if rows is None:
        return not_available("private mechanisms")
    epsilon = example(rows)
    here = at_smallest_share(rows[(rows["epsilon"] == epsilon) & keeps_claim(rows)])
    largest = here.groupby("dataset")["user_epsilon"].max()
    parts = [f"{number(largest[x])} ({dataset_label(x)})" for x in present(largest.index, DATASETS)]
    text = (
        f"If all signs of the user with most ratings flip, a claimed ε = {epsilon:g} is up to "
        f"{', '.join(parts)}, for mechanisms that keep it for one sign."
    )
    return fact((rows["user_epsilon"] <= rows["claimed_epsilon"]).all(), text)


@claim("B8")
def every_solve_converged(evidence: OneBitEvidence) -> Finding:
    """FACT: no solve stopped before its tolerance."""
    flags = evidence.trials["converged"].map(_FLAGS).dropna().astype(bool)
    if flags.empty:
        return not_available("solves with a tolerance")
    failed = evidence.trials.loc[flags.index[~flags], "mechanism"].value_counts(sort=False)
    parts = [f"{mechanism_named(name)} {count}" for name, count in failed.items()]
    stopped = f" Stopped before: {'; '.join(parts)}. Their rows are in the means all the same."
    return fact(flags.all(), f"{flags.sum():,} of {len(flags):,} did.{stopped if parts else ''}")


_FLAGS = {True: True, False: False, "True": True, "False": False}

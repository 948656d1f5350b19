"""The lines of the DPALS section, in the order of the page."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc.studies.dpals.cells import DPALS_COORDINATES
from dpmc.studies.dpals.default_method import never_worse
from dpmc.studies.dpals.errors import (
    alternating,
    beats_biases,
    beats_frank_wolfe,
    best_private,
    more_users,
    near_als,
)
from dpmc.studies.dpals.frames import Results, datasets_of, ends, has_dpals, is_surrogate, summary
from dpmc.studies.dpals.guarantees import claims_kept, few_iterations, linear_time, published_noise
from dpmc.studies.dpals.starts import random_starts
from dpmc.studies.dpals.variants import better_items, better_sampling, projected, surrogates
from dpmc.study.chapter import PUBLISHED_COLUMNS
from dpmc.study.effects import Answer
from dpmc.study.finding import AGREES, CONTRADICTED, DEVIATES, INCONCLUSIVE, NOT_COMPARED, SUPPORTED

NOT_RUN = "The DPALS part has not been run."
TUNED = (
    "Hyper-parameters were chosen for each data set, method and ε on validation data of other "
    "random seeds, and that choice has no noise: whoever tunes on the data to be protected has to "
    "pay for it from the budget. On real ratings other seeds split the same ratings anew, so that "
    "most test ratings were among those that the choice has seen."
)
GENERATED = (
    "Data called “generated” have the format, the size and the popularity of MovieLens 10M or 20M "
    "and stand in where those files are not available; what they give is no verdict on the paper."
)
PROTOTYPE = "prototype"  # a source that is not published
CLOSE, SHARE = 0.15, 0.85  # when numbers from elsewhere count as met


def dpals_findings(results: Results) -> list[Answer]:
    """Return the lines of the DPALS section; none if nothing of it has been run."""
    if not has_dpals(results):
        return []
    trials = results["trials"]
    lines = [
        beats_frank_wolfe(trials),
        best_private(trials),
        published_noise(results["accounting"]),
        claims_kept(trials),
        more_users(trials),
        random_starts(trials),
        near_als(trials),
        beats_biases(trials),
        alternating(trials),
        never_worse(trials),
        projected(trials),
        better_sampling(trials),
        better_items(trials),
        few_iterations(results["iterations"]),
        linear_time(results["timing"]),
    ]
    published = results.get("published")
    if published is not None:
        lines.append(numbers_met(trials, published))
    if results["claims_surrogate"] is not None:
        lines.append(surrogates(results["claims_surrogate"]))
    return lines


def dpals_answer(results: Results) -> list[Answer]:
    """Return the lines for the answer of the page; none if nothing of the part has been run."""
    if not has_dpals(results):
        return []
    trials = results["trials"]
    lines = [
        beats_frank_wolfe(trials),
        best_private(trials),
        published_noise(results["accounting"]),
    ]
    return [replace(line, title=f"User-level factorisation: {line.title}") for line in lines]


def caveats(trials: pd.DataFrame | None) -> str:
    """Return what the reader must know before the numbers."""
    generated = any(is_surrogate(name) for name in datasets_of(trials))
    return f"{TUNED} {GENERATED}" if generated else TUNED


def numbers_met(trials: pd.DataFrame | None, published: pd.DataFrame) -> Answer:
    """Judge by how many numbers from elsewhere we come near."""
    title = "Numbers that were reported or measured elsewhere are met"
    keys = ["dataset", "method", "variant", "epsilon"]
    parts, close, count = [], 0, 0
    for metric in published["metric"].unique():
        if trials is None or metric not in trials or trials[metric].isna().all():
            continue
        mine = summary(trials, metric)
        both = published[published["metric"] == metric].merge(mine, on=keys)
        ratio = both["mean"] / both["value"]
        close += int((ratio.sub(1).abs() <= CLOSE).sum())
        count += len(both)
        if len(both):
            parts.append(f"{metric.upper()} {ends(ratio)}")
    missing = len(published) - count
    if not count:
        return Answer(INCONCLUSIVE, title, f"None of {len(published)} has been run.")
    text = (
        f"{close} of {count} within {100 * CLOSE:g} %; ours over theirs: {'; '.join(parts)}. "
        f"{missing} of {len(published)} have not been run."
    )
    return Answer(SUPPORTED if close >= SHARE * count else CONTRADICTED, title, text)


def beside_ours(trials: pd.DataFrame | None, published: pd.DataFrame) -> pd.DataFrame:
    """Return the published numbers beside our means, see :attr:`dpmc.study.chapter.Chapter`.

    They agree if ours is as close as for :func:`numbers_met`.
    """
    keys, rows = list(DPALS_COORDINATES), published[published["source"] != PROTOTYPE]
    rows = rows.rename(columns={"value": "published", "note": "place"})
    if trials is not None:
        metrics = [name for name in rows["metric"].unique() if name in trials]
        ours = [summary(trials, name).assign(metric=name) for name in metrics]
        rows = rows.merge(pd.concat(ours), on=[*keys, "metric"], how="left") if ours else rows
    rows = rows.reindex(columns=[*keys, *PUBLISHED_COLUMNS])
    away = (rows["mean"] / rows["published"] - 1).abs()
    judged = np.where(away <= CLOSE, AGREES, DEVIATES)
    return rows.assign(status=np.where(away.notna(), judged, NOT_COMPARED))

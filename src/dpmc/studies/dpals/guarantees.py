"""What the methods of DPALS really guarantee, and what they cost in time."""

import numpy as np
import pandas as pd

from dpmc.studies.dpals.frames import DPALS, PRIVATE, ends, method_label, number
from dpmc.studies.dpals.speed import growth, slopes
from dpmc.study.effects import Answer, by_count
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc.study.frames import NOT_RUN, keeps_claim, present, private_rows

FRANK_WOLFE = ("frank_wolfe", "dpfw")
FEWER = 3  # a third of the iterations counts as far fewer
LINEAR = (0.9, 1.1)  # slopes that count as proportional to the ratings


def published_noise(accounting: pd.DataFrame | None) -> Answer:
    """Judge whether the noise of theorem 1 gives the epsilon that it claims."""
    title = "The noise of theorem 1 gives the ε that it claims"
    if accounting is None:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    real, claimed = accounting["epsilon_at_published"], accounting["epsilon"]
    parts = [
        f"{number(row.epsilon_at_published, 4)} for {row.epsilon:g} (k = {row.ratings_per_user}, "
        f"T = {row.iterations})"
        for row in accounting.itertuples()
    ]
    short = accounting["exact_sigma"] / accounting["published_sigma"]
    text = (
        f"By exact accounting it is {', '.join(parts)}, at δ = {accounting['delta'].iloc[0]:g}. "
        f"Noise larger by a factor {ends(short, 4)} gives what is claimed."
    )
    verdict = CONTRADICTED if (real > claimed).any() else SUPPORTED
    return Answer(verdict, title, text.replace("e-0", "e-"))


def claims_kept(trials: pd.DataFrame | None) -> Answer:
    """Judge whether every private method keeps the epsilon that its rows claim."""
    title = "Every private method keeps the ε that it claims for a user"
    rows = private_rows(trials)
    if rows is None:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    kept = keeps_claim(rows)
    broken = rows[~kept]
    parts = []
    for method in present(broken["method"], PRIVATE):
        here = broken[broken["method"] == method]
        excess = here["actual_epsilon"] / here["claimed_epsilon"]
        parts.append(f"{method_label(method)} {ends(excess, 4)} times")
    good = present(rows["method"], PRIVATE)
    good = [name for name in good if not (broken["method"] == name).any()]
    text = f"{len(good)} methods keep it, as all that looks at ratings is counted"
    text += f"; the real ε over the claimed one is: {'; '.join(parts)}." if parts else "."
    return Answer(SUPPORTED if kept.all() else CONTRADICTED, title, text)


def few_iterations(iterations: pd.DataFrame | None) -> Answer:
    """Judge whether alternating least squares needs far fewer iterations than Frank-Wolfe."""
    title = "DPALS needs far fewer iterations than private Frank-Wolfe"
    fits = None if iterations is None else slopes(iterations)
    if fits is None or fits.empty:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    found = fits.assign(epsilon=fits["epsilon"].fillna(np.inf))
    parts, fewer, count = [], 0, 0
    for (_, epsilon), here in found.groupby(["dataset", "epsilon"]):
        best = here.set_index("method")["best"]
        mine = best.get("als" if np.isinf(epsilon) else DPALS)
        theirs = next((best[name] for name in FRANK_WOLFE if name in best), None)
        if mine is None or theirs is None:
            continue
        fewer, count = fewer + int(FEWER * mine < theirs), count + 1
        where = "without privacy" if np.isinf(epsilon) else f"at ε = {epsilon:g}"
        parts.append(f"{mine} against {theirs} {where}")
    if not count:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    text = f"Iterations until the mean RSE is within 5 % of its best: {', '.join(parts)}."
    return Answer(by_count(fewer, count), title, text)


def linear_time(timing: pd.DataFrame | None) -> Answer:
    """Judge whether the time of an iteration grows in proportion to the ratings."""
    title = "The time of an iteration of DPALS grows in proportion to the ratings"
    if timing is None or not (timing["method"] == DPALS).any():
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    fits = growth(timing).set_index("method")
    slope = fits.loc[DPALS]
    if np.isnan(slope["slope"]):
        return Answer(INCONCLUSIVE, title, "A single size has been timed.")
    low, high = LINEAR
    medians = timing.groupby(["method", "ratings"])["seconds"].median()
    text = f"Slope of log CPU seconds against log ratings {slope['slope']:.2f}"
    if pd.notna(slope["low"]):
        text += f" [{slope['low']:.2f}, {slope['high']:.2f}]"
    if "als" in fits.index:
        cost = (medians[DPALS] / medians["als"]).dropna()
        text += f"; CPU time over that of ALS without privacy: {ends(cost)}"
    within = low <= slope["slope"] <= high
    apart = slope["high"] < low or slope["low"] > high
    verdict = SUPPORTED if within else CONTRADICTED if apart else INCONCLUSIVE
    return Answer(verdict, title, f"{text}.")

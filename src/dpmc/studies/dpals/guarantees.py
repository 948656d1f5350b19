"""What the methods of DPALS really guarantee, and what they cost in time."""

import numpy as np
import pandas as pd

from dpmc.studies.dpals.frames import DPALS, PRIVATE, ends, method_label, number
from dpmc.studies.dpals.speed import growth, slopes
from dpmc.study.effects import FAILS, HOLDS, OPEN, Finding
from dpmc.study.frames import NOT_RUN, keeps_claim, present, private_rows

FRANK_WOLFE = ("frank_wolfe", "dpfw")
FEWER = 3  # a third of the iterations counts as far fewer
LINEAR = (0.9, 1.1)  # slopes that count as proportional to the ratings


def published_noise(accounting: pd.DataFrame | None) -> Finding:
    """Judge whether the noise of theorem 1 gives the epsilon that it claims."""
    title = "The noise of theorem 1 gives the ε that it claims"
    if accounting is None:
        return Finding(OPEN, title, NOT_RUN)
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
    return Finding(FAILS if (real > claimed).any() else HOLDS, title, text.replace("e-0", "e-"))


def claims_kept(trials: pd.DataFrame | None) -> Finding:
    """Judge whether every private method keeps the epsilon that its rows claim."""
    title = "Every private method keeps the ε that it claims for a user"
    rows = private_rows(trials)
    if rows is None:
        return Finding(OPEN, title, NOT_RUN)
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
    return Finding(HOLDS if kept.all() else FAILS, title, text)


def few_iterations(iterations: pd.DataFrame | None) -> Finding:
    """Judge whether alternating least squares needs far fewer iterations than Frank-Wolfe."""
    title = "DPALS needs far fewer iterations than private Frank-Wolfe"
    fits = None if iterations is None else slopes(iterations)
    if fits is None or fits.empty:
        return Finding(OPEN, title, NOT_RUN)
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
        return Finding(OPEN, title, NOT_RUN)
    text = f"Iterations until the mean RSE is within 5 % of its best: {', '.join(parts)}."
    return Finding(HOLDS if fewer == count else FAILS if not fewer else OPEN, title, text)


def linear_time(timing: pd.DataFrame | None) -> Finding:
    """Judge whether the time of an iteration grows in proportion to the ratings."""
    title = "The time of an iteration of DPALS grows in proportion to the ratings"
    if timing is None or not (timing["method"] == DPALS).any():
        return Finding(OPEN, title, NOT_RUN)
    fits = growth(timing).set_index("method")
    slope = fits.loc[DPALS]
    if np.isnan(slope["slope"]):
        return Finding(OPEN, title, "A single size has been timed.")
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
    return Finding(HOLDS if within else FAILS if apart else OPEN, title, f"{text}.")

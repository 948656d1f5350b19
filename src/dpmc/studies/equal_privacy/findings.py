"""What was found at equal privacy, each line computed from its tables.

"The papers" are "Introducing the Huber mechanism for differentially private low-rank matrix
completion" (arXiv:2206.07910) and the thesis behind it.
"""

import numpy as np
import pandas as pd

from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    USER_ADD_REMOVE,
    USER_REPLACE,
)
from dpmc.studies.equal_privacy.comparisons import (
    advantage,
    baseline_models,
    better,
    factor_models,
    models_of,
    one_mechanism_per_baseline,
    summary,
    winners,
    worse,
)
from dpmc.studies.equal_privacy.figures.maps import HUBER, describe_frontier
from dpmc.studies.equal_privacy.frames import (
    CELL,
    DATASETS,
    TRIVIAL,
    UNTUNED,
    dataset_label,
    model_label,
)
from dpmc.study.effects import Answer, signed
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc.study.frames import FACTOR_MODELS, PRIVATE_BASELINES, in_order, number, select
from dpmc.study.results import Results, has_results

NOT_RUN = "The privacy part has not been run."
NO_FITS = "No model has been trained at a stated budget."
LEVELS = {ENTRY_CHANGE: "one rating", USER_ADD_REMOVE: "one user"}
EVENTS = {
    ENTRY_CHANGE: "if one rating changes",
    USER_ADD_REMOVE: "if one user joins or leaves",
    ENTRY_ADD_REMOVE: "if one rating is added or removed",
    USER_REPLACE: "if one user is replaced",
}
SHOWN_BUDGETS = (1.0, 10.0)
MOST = 0.9  # share of budgets from which a line of the answer holds


def findings(results: Results) -> list[Answer]:
    """Return the lines of the chapter; one that says so if nothing has been run."""
    if not has_results(results):
        return [Answer(INCONCLUSIVE, "Private models at an equal total budget", NOT_RUN)]
    calibrated = results["calibrated"]
    return [
        cost(calibrated),
        *(against_baselines(calibrated, relation) for relation in LEVELS),
        nothing_to_choose(calibrated),
        against_constant(calibrated),
        huber_at_equal_privacy(calibrated),
        least_noise(results["frontier"]),
    ]


def cost(calibrated: pd.DataFrame | None) -> Answer:
    """Say how much the error of the best private model is above that without noise."""
    title = "A true guarantee costs accuracy"
    if calibrated is None:
        return Answer(INCONCLUSIVE, title, NO_FITS)
    table = summary(calibrated)
    free = table[table["relation"].isna()].groupby("dataset")["mean"].min()
    best = table[table["relation"].notna()].groupby(CELL, as_index=False)["mean"].min()
    best["log_ratio"] = np.log(best["mean"] / best["dataset"].map(free))
    best = best.dropna(subset="log_ratio")
    if best.empty:
        return Answer(INCONCLUSIVE, title, "No reference without noise has been run.")
    parts = []
    for relation, level in LEVELS.items():
        for epsilon in SHOWN_BUDGETS:
            part = select(best, relation=relation, epsilon=epsilon).sort_values("log_ratio")
            if len(part):
                ends = [_at(row) for row in (part.iloc[0], part.iloc[-1])]
                formatted = " to ".join(dict.fromkeys(ends))
                parts.append(f"{level} protected at ε = {epsilon:g}: {formatted}")
    verdict = SUPPORTED if (best["log_ratio"] > 0).all() else CONTRADICTED
    listed = "; ".join(parts)
    text = f"Error of the best private model over that of the best without noise, with {listed}."
    return Answer(verdict, title, text)


def _at(row: pd.Series) -> str:
    ratio = np.exp(row["log_ratio"])
    more = (
        f"{number(ratio)} times" if ratio > 2 else signed(row["log_ratio"], 1 if ratio < 1.1 else 0)
    )
    return f"{more} ({dataset_label(row['dataset'])})"


def against_baselines(calibrated: pd.DataFrame | None, relation: str) -> Answer:
    """Judge whether the best private factorisation beats every private baseline (one relation)."""
    title = (
        f"With {LEVELS[relation]} protected, ALS or A-IRLS beats private baselines at every budget "
        "of these data"
    )
    found = _factors_over(calibrated, relation, baseline_models)
    if found is None or found.empty:
        return Answer(INCONCLUSIVE, title, NO_FITS)
    wins = found.assign(wins=better(found))
    text = f"It does at {int(wins['wins'].sum())} of {len(wins)} budgets: {_where(wins)}."
    return Answer(SUPPORTED if wins["wins"].all() else CONTRADICTED, title, text)


def _factors_over(calibrated, relation, others) -> pd.DataFrame | None:
    if calibrated is None:
        return None
    here = calibrated[calibrated["relation"] == relation]
    return advantage(here, factor_models(here), others(here))


def _where(wins: pd.DataFrame) -> str:
    """Format at which budgets of every data set something is so."""
    parts = []
    for dataset in in_order(wins["dataset"], DATASETS):
        part = wins[wins["dataset"] == dataset]
        yes = sorted(part.loc[part["wins"], "epsilon"])
        where = (
            "nowhere"
            if not yes
            else "everywhere"
            if len(yes) == len(part)
            else "at " + _budgets(yes)
        )
        parts.append(f"{dataset_label(dataset)} {where}")
    return "; ".join(parts)


def _budgets(epsilons) -> str:
    formatted = [f"{epsilon:g}" for epsilon in epsilons]
    return "ε = " + " and ".join(filter(None, (", ".join(formatted[:-1]), formatted[-1])))


def nothing_to_choose(calibrated: pd.DataFrame | None) -> Answer:
    """Judge whether the model without settings is as good as the best of the others."""
    title = (
        "With one user protected, Local Bayes is at no budget of these data over 1 % worse than "
        "the best of ALS, A-IRLS and private baselines"
    )
    tuned = [*FACTOR_MODELS, *PRIVATE_BASELINES]
    if calibrated is None:
        return Answer(INCONCLUSIVE, title, NO_FITS)
    here = calibrated[calibrated["relation"] == USER_ADD_REMOVE]
    found = advantage(here, models_of(here, UNTUNED), models_of(here, tuned))
    if found.empty:
        return Answer(INCONCLUSIVE, title, NO_FITS)
    wins, losses = better(found), worse(found)
    sorted_rows = found.sort_values("difference")
    best, worst = sorted_rows.iloc[0], sorted_rows.iloc[-1]
    text = (
        f"Its RMSE is lower by over 1 % at {int(wins.sum())} of {len(found)} budgets, higher at "
        f"{int(losses.sum())} (paired t-tests, Holm); from {signed(best['difference'], 1)} "
        f"({_place(best)}) to {signed(worst['difference'], 1)} ({_place(worst)}). It takes no "
        "settings, and was developed with these data in sight; the others have settings that we "
        "searched."
    )
    return Answer(CONTRADICTED if losses.any() else SUPPORTED, title, text)


def _place(row: pd.Series) -> str:
    return f"{dataset_label(row['dataset'])} at ε = {row['epsilon']:g}"


def against_constant(calibrated: pd.DataFrame | None) -> Answer:
    """Judge whether anything private beats the private global mean, everywhere."""
    title = "At every budget some private model beats a constant, the private global mean"
    if calibrated is None:
        return Answer(INCONCLUSIVE, title, NO_FITS)
    informed = models_of(
        calibrated, [*FACTOR_MODELS, *(name for name in PRIVATE_BASELINES if name != TRIVIAL)]
    )
    found = advantage(calibrated, informed, models_of(calibrated, [TRIVIAL]))
    if found.empty:
        return Answer(INCONCLUSIVE, title, NO_FITS)
    beaten = better(found)
    lost = found[~beaten]
    text = f"One does at {int(beaten.sum())} of {len(found)} budgets."
    if len(lost):
        text += f" None does, {_lost(lost)}."
    return Answer(SUPPORTED if beaten.all() else CONTRADICTED, title, text)


def _lost(lost: pd.DataFrame) -> str:
    parts = []
    for relation in in_order(lost["relation"], EVENTS):
        here = lost[lost["relation"] == relation]
        places = []
        for dataset in in_order(here["dataset"], DATASETS):
            epsilons = sorted(here.loc[here["dataset"] == dataset, "epsilon"])
            places.append(f"{dataset_label(dataset)} at {_budgets(epsilons)}")
        parts.append(f"{EVENTS.get(relation, relation)}: {', '.join(places)}")
    return "; ".join(parts)


def huber_at_equal_privacy(calibrated: pd.DataFrame | None) -> Answer:
    """Judge whether Huber noise has less error than both others at most budgets."""
    title = "At equal privacy Huber noise has less error than Gaussian and Laplace noise"
    if calibrated is None:
        return Answer(INCONCLUSIVE, title, NO_FITS)
    ours, others = (
        factor_models(calibrated, names) for names in (["huber"], ["gaussian", "laplace"])
    )
    found = advantage(calibrated, ours, others)
    if found.empty:
        return Answer(INCONCLUSIVE, title, "Huber noise has not been run at a stated budget.")
    wins, losses = int(better(found).sum()), int(worse(found).sum())
    text = (
        f"Its best factorisation beats the best with another noise at {wins} of {len(found)} "
        f"budgets by over 1 %, loses at {losses} and is within 1 % or chance at the rest (median "
        f"difference {signed(found['difference'].median())}; paired t-tests, Holm). "
        f"{_leaders_text(calibrated)}"
    )
    return Answer(SUPPORTED if 2 * wins > len(found) else CONTRADICTED, title, text)


def _leaders_text(calibrated: pd.DataFrame) -> str:
    places = winners(one_mechanism_per_baseline(calibrated))
    alone = pd.Series([model_label(*place.best) for place in places if not place.tied], dtype=str)
    counts = alone.value_counts(sort=True)
    tied = len(places) - len(alone)
    parts = [f"{name} {count}" for name, count in counts.items()]
    listed = f": {', '.join(parts)}" if parts else ""
    return (
        f"Of all {len(places)} budgets {len(alone)} have one significantly lowest private model"
        f"{listed}; at {tied} several are tied."
    )


def least_noise(frontier: pd.DataFrame | None) -> Answer:
    """Judge whether there are budgets at which Huber noise needs the least variance."""
    title = "There are budgets at which Huber noise needs the least variance"
    if frontier is None:
        return Answer(INCONCLUSIVE, title, "Not run.")
    verdict = SUPPORTED if (frontier["best"] == HUBER).any() else CONTRADICTED
    text = (
        f"{describe_frontier(frontier)} It needs its scale chosen for the budget; the papers fix "
        "it at 1."
    )
    return Answer(verdict, title, text)


def usable(calibrated: pd.DataFrame | None) -> Answer:
    """Return the line for the answer: is there a useful model with a true guarantee?"""
    title = "With a true guarantee ALS or A-IRLS still beats private baselines on these data"
    parts, wins, count = [], 0, 0
    for relation, level in LEVELS.items():
        found = _factors_over(calibrated, relation, baseline_models)
        if found is not None and len(found):
            here = int(better(found).sum())
            parts.append(f"with {level} protected at {here} of {len(found)} budgets")
            wins, count = wins + here, count + len(found)
    if not count:
        return Answer(INCONCLUSIVE, title, NO_FITS)
    share = wins / count
    verdict = SUPPORTED if share > MOST else CONTRADICTED if share < 0.5 else INCONCLUSIVE
    return Answer(
        verdict,
        title,
        f"It does {' and '.join(parts)} (data set and total ε), by more than 1 % and more than "
        "chance (paired t-tests, Holm). Neighbours, guarantee and numbers: section Privacy.",
    )

"""Numbers in the documents are those of the committed results.

:data:`SENTENCES` holds a phrase of a document with a name in braces for each number, and the
function that says what these numbers are; :data:`TABLES` the same for tables. A number is rounded
to its last digit. If a test fails, a document is behind the reference or was worded anew: correct
whichever is wrong.
"""

import io
import lzma
import re
from functools import cache

import forensics
import numpy as np
import pandas as pd
import pytest
from document_texts import HOME, README, name_of, text_of, words_of
from every_study import plan_of
from forensics import fitted_variance

from dpmc.privacy.nominal import table_one
from dpmc.privacy.relations import USER_ADD_REMOVE, USER_LEVEL
from dpmc_studies.frame.costs import Costs, planned, total, totals
from dpmc_studies.frame.judging.chance import standing
from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NO_EFFECT,
    NOT_AVAILABLE,
    NOT_RUN,
    SUPPORTED,
)
from dpmc_studies.statistics.bootstrap import pooled_interval
from dpmc_studies.studies.audit.attack import most_shown
from dpmc_studies.studies.audit.method_runs import DELTA, EPSILON
from dpmc_studies.studies.audit.rows import CONFIDENCE
from dpmc_studies.studies.huber.claims.contrasts import synthetic_grid
from dpmc_studies.studies.huber.claims.judge import evidence_of
from dpmc_studies.studies.huber.reported import compare, load
from dpmc_studies.studies.which_model.frames import NEW_DATA
from dpmc_studies.studies.which_model.variants import FORMS

REFERENCE = HOME / "results" / "reference"
STUDIES = HOME / "docs" / "studies"
DPALS, EQUAL, HUBER_PAGE, ONEBIT, MODELS = (
    STUDIES / f"{name}.md" for name in ("dpals", "equal_privacy", "huber", "onebit", "which_model")
)
NUMBER = r"[+−-]?(?:\d[\d,]*)?\.?\d+"
OF_PAPERS = ("huber", "equal_privacy", "onebit", "dpals", "which_model")
FACTORS = ["private_als", "private_irls"]
LIMITATIONS, FIELD, OWN_RATINGS, RANKING = (
    HOME / "docs" / f"{name}.md" for name in ("limitations", "field", "own-ratings", "ranking")
)
BIAS = "private_user_item_bias"
# overlays of config/once
MORE, NOISIER, UNIFORM = "160-trials", "variance-2-on-real-data", "uniform-start"
DRAWN = "drawn-matrices"
MIDDLE_GROUND = r"Huber: .*?pooled -(?P<one>\S+) %.*?Laplace: .*?pooled -(?P<two>\S+) %"


# -- the committed results ------------------------------------------------------------------------


@cache
def means(study):
    """The mean of every metric of every cell over all trials of the full run."""
    return pd.read_csv(REFERENCE / study / "means.csv")


@cache
def claims(study, profile="full"):
    """The verdicts of the full run, or of one with an overlay, with their effects and reasons."""
    return pd.read_csv(REFERENCE / study / "expected" / profile / "claims.csv").set_index("id")


def in_reason(study, claim, pattern, profile="full"):
    """Return a function that takes numbers by name from the reason of a claim."""

    def numbers():
        reason = claims(study, profile).loc[claim, "reason"]
        found = re.search(pattern, reason)
        assert found, f"{claim} does not say so: {reason}"
        return {name: parsed(text) for name, text in found.groupdict().items()}

    return numbers


@cache
def comparison():
    """Our means of the trials that stand beside the Huber papers' numbers: all are committed."""
    trials = pd.read_csv(REFERENCE / "huber" / "trials.csv")
    real = {name: each["variance"] for name, each in section("huber")["real"].items()}
    return compare(trials, load(real_variances=real), pd.DataFrame(table_one()))


def section(study):
    return plan_of("full").sections[study]


# -- what the documents say -----------------------------------------------------------------------


def closeness():
    synthetic = comparison().query("dataset == 'synthetic' and metric != 'epsilon'")
    ratios = synthetic["log_ratio"]
    near = (np.expm1(-ratios).abs() <= 0.15).sum()  # of our means
    return {"near": near, "all": len(ratios), "median": ratios.abs().median()}


def deviations():
    rmse = comparison().query("metric != 'epsilon'")
    deviates, real = rmse["status"] == "deviates", rmse["dataset"] != "synthetic"
    return {
        "rmse": len(rmse),
        "deviate": deviates.sum(),
        "synthetic": (deviates & ~real).sum(),
        "noiseless": (deviates & ~real & (rmse["mechanism"] == "none")).sum(),
        "real": real.sum(),
        "real_agree": (real & ~deviates).sum(),
        "real_deviate": (real & deviates).sum(),
    }


def printed_numbers():
    rmse = comparison().query("metric != 'epsilon'")
    real = (rmse["dataset"] != "synthetic").sum()
    budgets = len(comparison()) - len(rmse)
    return {
        "synthetic": len(rmse) - real,
        "real": real,
        "budgets": budgets,
        "all": len(comparison()),
    }


def trials_of_the_papers():
    given = section("huber")
    real = {each["trials"] for each in given["real"].values()}
    assert len(real) == 1
    rank_10, rank_20, *noiseless = (each["trials"] for each in given["fewer_trials"])
    assert len(set(noiseless)) == 1
    fewer = {"rank_10": rank_10, "rank_20": rank_20, "noiseless": noiseless[0]}
    return fewer | {
        "trials": given["trials"], "real": real.pop(), "reported": given["reported_trials"],
    }  # fmt: skip


def in_per_cent(study, claim, profile="full"):
    """Return a function that takes the effect of a claim, a log ratio, with its interval."""

    def numbers():
        ends = {"effect": "effect", "low": "interval_low", "high": "interval_high"}
        row = claims(study, profile).loc[claim]
        return {name: 100 * np.expm1(float(row[end])) for name, end in ends.items()}

    return numbers


def needed(study, claim, profile="full"):
    """Return a function that takes how many trials would decide a claim."""
    return lambda: {"needed": claims(study, profile).loc[claim, "needed"]}


def standing_claims():
    """What :func:`standing` says of the papers' claims, by study."""
    tables = (claims(study).query("source != 'own'").reset_index() for study in OF_PAPERS)
    return [*zip(*map(standing, tables), strict=True)]


def standing_verdicts():
    decided, tested, fallen = standing_claims()
    return {"decided": sum(decided), "tested": sum(tested),
            "stand": sum(tested) - sum(map(len, fallen))}  # fmt: skip


def test_claims_that_fall_to_the_correction_are_named():
    said = re.search(
        r"five are claims on DPALS \(([^)]*)\), with a corrected p-value of (0?\.\d+) each",
        words_of(LIMITATIONS),
    )
    named = re.findall(r"[A-Z]\d+", said[1])
    assert named == [each for fallen in standing_claims()[2] for each in fallen]
    assert all(agree(said[2], value) for value in claims("dpals").loc[named, "holm"])


def total_of_a_training():
    totals = pd.read_csv(REFERENCE / "huber" / "totals.csv")
    rows = totals.query("mechanism == 'huber' and variance == 2 and releases == 50")
    basic = rows.loc[rows["accountant"] == "basic", "epsilon"].item()
    return {"total": round(rows["epsilon"].min()), "releases": 50, "basic": basic}


def released_losses():
    """Shares of changed ratings whose loss exceeds the total of a training, from R6."""
    pattern = r"total in (?P<synthetic>\d+) % of .*? on Syn\w+, (?P<movielens>\d+) % of .*? on Mov"
    return in_reason("huber", "R6", pattern)()


def fitted_to():
    """Choices that were tried on synthetic data, and the printed numbers that they were held to."""
    rows = comparison().query("dataset == 'synthetic' and metric != 'epsilon'")
    fitted = rows.query("method == 'als' and mechanism in ('none', 'gaussian')")
    cells = len(forensics.RANKS) * len(forensics.FRACTIONS) * len(forensics.NOISES)
    return {
        "choices": len(forensics.choices()),
        "cells": cells,
        "numbers": len(fitted),
        "all": len(rows),
    }


def detectable_differences():
    """The median of log ratios that would have been seen, by share observed (synthetic data)."""
    table = pd.read_csv(REFERENCE / "huber" / "expected" / "full" / "comparison.csv")
    table = table.query("dataset == 'synthetic' and metric != 'epsilon'")
    found = table.groupby("observed_fraction")["detectable"].median()
    return {"low": found[0.05], "middle": found[0.1], "high": found[0.15]}


@cache
def fitted_variances():
    """The variance that fits best with its interval, for both starts, by share observed."""
    table = pd.read_csv(REFERENCE / "huber" / "huber_columns.csv")
    found = {
        f"{share:.0%}".replace("%", " %"): [
            fitted_variance(table, start, 2.0, share) for start in ("normal", "uniform")
        ]
        for share in (0.05, 0.1, 0.15)
    }
    return {
        share: [end for fit in fits for end in (fit.estimate, fit.low, fit.high)]
        for share, fits in found.items()
    }


def printed_huber_columns():
    """Variances that fit the printed columns, and the effect of a wrong sign in per cent."""
    table = pd.read_csv(REFERENCE / "huber" / "huber_columns.csv").query("reported_variance == 2")
    at_5, *others = (ends[::3] for ends in fitted_variances().values())
    wrong = table[table["noise"] == "huber_as_printed"]
    wrong = wrong.set_index(["start", "rank", "observed_fraction"])["difference"]
    return {
        "normal_5": at_5[0], "uniform_5": at_5[1],
        "least_fit": np.min(others), "most_fit": np.max(others),
        "missed": -100 * np.expm1(wrong["normal", 20, 0.05]),
    }  # fmt: skip


def budgets_won_by_huber_noise():
    pattern = r"^(?P<wins>\d+) wins, (?P<losses>\d+) losses, \d+ undecided of (?P<all>\d+);"
    found = in_reason("equal_privacy", "P6", pattern)()
    assert found.pop("losses") == 0  # "at none"
    return found


def against_gaussian_noise():
    pattern = (
        r"Huber noise beats Gaussian noise at (?P<wins>\d+) of (?P<all>\d+) budgets .*? "
        r"loses to it at (?P<losses>\d+) "
    )
    found = in_reason("equal_privacy", "H34", pattern)()
    assert found.pop("losses") == 0  # "at none"
    return found


def less_than_laplace_noise():
    """In per cent, where users are protected."""
    pattern = r"against Laplace noise .*?pooled -(?P<less>[\d.]+) %"
    return in_reason("equal_privacy", "P9", pattern)()


def default_at_its_worst():
    table = by_model(USER_LEVEL).dropna(subset="local_bayes")
    over = table["local_bayes"] / table.drop(columns="local_bayes").min(axis=1)
    return {"worst": 100 * (over.max() - 1)}


def by_model(relations):
    """Mean held-out RMSE at an equal budget, by method: of several mechanisms the best."""
    table = means("equal_privacy").query("metric == 'rmse_heldout'")
    table = table[table["relation"].isin(relations)]
    return table.groupby(["dataset", "relation", "epsilon", "method"])["mean"].min().unstack()


def budgets_won_by_the_default():
    table = by_model(USER_LEVEL).dropna(how="all").dropna(subset="local_bayes")
    over = table["local_bayes"] / table.drop(columns="local_bayes").min(axis=1)
    return {"below": (over < 1).sum(), "all": len(over)}


def claims_without_data():
    papers = claims("dpals").query("source != 'own'")
    open_ones = papers[~papers["verdict"].isin([SUPPORTED, CONTRADICTED, NO_EFFECT])]
    lacking = open_ones["reason"].str.contains(NOT_AVAILABLE, case=False)
    return {"count": lacking.sum()}


def decided_claims():
    """Of the papers' claims that were run, how many have a verdict, and which have none."""
    run = {
        study: claims(study).query(f"source != 'own' and verdict != '{NOT_RUN}'")["verdict"]
        for study in OF_PAPERS
    }
    verdicts = pd.concat(run.values())
    left = (verdicts == INCONCLUSIVE).sum()
    return {"decided": len(verdicts) - left, "all": len(verdicts), "open": left}


@cache
def over_the_best_of_five():
    """RMSE of Local Bayes over the least of the tuned others, of real and of drawn data."""
    drawn = pd.read_csv(REFERENCE / "which_model" / "expected" / DRAWN / "means.csv")
    table = pd.concat([means("which_model"), drawn])
    table = table.query("metric == 'rmse' and variant == 'tuned'")
    table = table.pivot(index=["dataset", "epsilon"], columns="method", values="mean").sort_index()
    assert table.notna().all(axis=None)
    return table["local_bayes"] / table.drop(columns="local_bayes").min(axis=1)


def by_ratings_per_user():
    """RMSE of DPALS by k, of the overlay that varies it."""
    table = pd.read_csv(REFERENCE / "dpals" / "expected" / "ratings-per-user" / "means.csv")
    table = table[(table["metric"] == "rmse") & table["variant"].str.startswith("k_")]
    names = {"synthetic-20k": "random, 20,000 users", "ml-100k": "MovieLens 100K"}
    table = table.assign(k=table["variant"].str.removeprefix("k_").astype(int))
    table = table.pivot(index=["dataset", "epsilon"], columns="k", values="mean")
    return {
        f"{names[dataset]}, ε {epsilon:g}": row
        for (dataset, epsilon), row in zip(table.index, table.to_numpy(), strict=True)
    }


def at_how_many_points():
    ratios = over_the_best_of_five()
    return {"near": (ratios <= 1.01).sum(), "all": len(ratios)}


def errors_of(*cells):
    """Mean RMSE of cells of the DPALS study, by name: (name, data set, method, epsilon)."""

    def numbers():
        table = means("dpals").query("metric == 'rmse' and variant == 'standard'")
        table = table.set_index(["dataset", "method", "epsilon"])["mean"]
        return {name: table[dataset][method][epsilon] for name, dataset, method, epsilon in cells}

    return numbers


def test_which_methods_beat_private_biases_on_movielens():
    """What the page of DPALS says of each epsilon holds in the committed means."""
    table = means("which_model").query("metric == 'rmse' and dataset == 'ml-100k'")

    def lower(variant):
        """At which budgets a method has less error than the biases, where there is one."""
        here = table[table["variant"] == variant]
        here = here.pivot(index="epsilon", columns="method", values="mean")
        here = here.drop(columns="local_bayes", errors="ignore").lt(here[BIAS], axis=0)
        found = {method: list(here.index[here[method]]) for method in here}
        return {method: budgets for method, budgets in found.items() if budgets}

    assert lower("tuned") == {
        "dp_altmin": [0.5, 2, 5, 10, 20], "dp_svd": [0.5], "dpals_h_free_clipped": [2],
    }  # fmt: skip
    assert lower("searched") == {
        "dp_altmin": [1, 5, 20], "dp_effects": [1, 5, 20], "dpam": [5, 20],
        "dp_gradient_spectral": [1],
    }  # fmt: skip


def test_open_claims_are_listed():
    left = set()
    for study in OF_PAPERS:
        table = claims(study).query(f"source != 'own' and verdict == '{INCONCLUSIVE}'")
        left |= set(table.index)
    listed = re.findall(r"^\| \[?([A-Z]\d+)\b", LIMITATIONS.read_text(encoding="utf-8"), re.M)
    assert set(listed) == left


def outp_over_the_others():
    """Truncated error of OutP over the mean of the other three, in per cent, at epsilon 4."""
    cells = "dataset == 'synthetic' and observed_fraction == .15 and epsilon == 4"
    table = means("onebit").query(f"{cells} and metric == 'are_truncated'")
    table = table.set_index(["link", "mechanism"])["mean"]
    others = ["inp", "objp_paper", "grap"]
    return {
        link: 100 * (table[link]["outp_paper"] / table[link][others].mean() - 1)
        for link in ("gaussian", "logistic")
    }


def losses_of_accuracy():
    """Per cent of right signs on MovieLens 100K, and points that InP loses at epsilon 1."""
    table = onebit_accuracy()
    clear, clear_cut = table["InP"][8:]
    inp, outp = table["InP"][0], table["OutP as published, not private"][0]
    return {"clear": clear, "clear_cut": clear_cut, "inp": inp, "inp_1": clear - inp, "outp": outp}


def entries_bounded(constraint="both"):
    """Shares of right signs on MovieLens 100K by mechanism, link, epsilon and metric."""
    table = means("onebit").query(f"dataset == 'ml-100k' and constraint == '{constraint}'")
    return table.set_index(["mechanism", "link", "epsilon", "metric"])["mean"]


def cost_of_the_wrong_link():
    """Per cent by which the wrong link changes the truncated error of InP at epsilon 1, at most."""
    wrong = pd.read_csv(REFERENCE / "onebit" / "wrong_link_means.csv")
    cells = "mechanism == 'inp' and epsilon == 1 and metric == 'are_truncated'"
    wrong = wrong.query(cells).set_index("drawn_link")["mean"]
    grid = means("onebit").query(f"{cells} and dataset == 'synthetic' and observed_fraction == .15")
    ratios = wrong / grid.set_index("link")["mean"]
    return {"factor": 100 * (ratios - 1).abs().max()}


@cache
def accuracy_by_steps():
    """Per cent of right signs of GraP with more than one K, with its standard error."""
    table = pd.read_csv(REFERENCE / "onebit" / "gradient_steps_means.csv")
    table = table[table["metric"].str.startswith("accuracy")].set_index(
        ["link", "metric", "rank", "steps", "epsilon"]
    )
    return 100 * table[["mean", "standard_error"]].sort_index()


def steps_of_grap():
    shown = accuracy_by_steps().loc["logistic", "accuracy_raw", 1]
    return {f"K = {steps}": part.to_numpy().ravel() for steps, part in shown.groupby(level=0)}


def accuracy_at_ranks():
    """Per cent of right signs on MovieLens 100K at epsilon 4, at the best rank."""
    ranks = pd.read_csv(REFERENCE / "onebit" / "ranks_means.csv")
    cells = "link == 'gaussian' and constraint == 'nuclear' and epsilon == 4"
    objp = ranks.query(f"{cells} and mechanism == 'objp_paper'")["mean"]
    two_steps = accuracy_by_steps()["mean"].xs((2, 4), level=("steps", "epsilon"))
    return {"objp": 100 * objp.max(), "two_steps": two_steps.max()}


def errors_without_noise():
    """Relative errors of one-bit completion on drawn matrices, 15 % observed."""
    table = means("onebit").query("observed_fraction == .15").set_index(
        ["dataset", "mechanism", "epsilon", "link", "metric"]
    )["mean"]  # fmt: skip
    clear = {link: table["synthetic", "clear", np.nan, link, "are_raw"].item()
             for link in ("gaussian", "logistic")}  # fmt: skip
    large = "gaussian", "are_truncated"
    return clear | {
        "inp": table["synthetic_large", "inp", 4, *large].item(),
        "clear": table["synthetic_large", "clear", np.nan, *large].item(),
    }


def guarantee_of_a_user():
    """What a claimed epsilon of 1 is for a user of MovieLens 100K."""
    trials = pd.read_csv(REFERENCE / "onebit" / "trials.csv")
    trials = trials.query("dataset == 'ml-100k' and epsilon == 1 and trial == 0")
    found = trials.groupby("mechanism")["user_epsilon"].max()
    return {"user": found["inp"], "entries": found["outp_paper"]}


def recalls():
    """Recall of our lists over that of private popularity, on MovieLens 100K."""
    table = lists_of_likes()
    ours, popular = (
        table[f"MovieLens 100K: {label}"][::2] for label in ("local EASE", "private popularity")
    )
    return dict(zip(("one", "five", "twenty"), ours / popular, strict=True))


def of_profile(profile):
    return pd.read_csv(REFERENCE / "huber" / "expected" / profile / "comparison.csv")


def deviations_on_real_data():
    found = {}
    for name, profile in (("one", "full"), ("noisier", NOISIER)):
        table = of_profile(profile).query("metric != 'epsilon' and dataset != 'synthetic'")
        found |= {name: (table["status"] == "deviates").sum(), "real": len(table)}
    return found


def gains_by_popularity():
    """By how many per cent at most features lower the error of the fifth of films most rated."""
    table = pd.read_csv(REFERENCE / "which_model" / "popularity.csv").query("fifth == 5")
    cells = table.groupby(["variant", "epsilon"])["rmse"].mean()
    return {"most_high": 100 * (1 - cells["features"] / cells["no_features"]).max()}


def most_that_runs_show():
    """The largest epsilon that the audit can show of a method, by its runs."""
    sure = {"delta": DELTA, "confidence": CONFIDENCE}
    runs = plan_of("full").sections["audit"]["runs"]
    return {
        "runs": runs, "epsilon": EPSILON,
        "fewer": most_shown(800, **sure), "shown": most_shown(runs, **sure),
    }  # fmt: skip


SENTENCES = [
    (HUBER_PAGE, "{near} of the {all} printed RMSEs are within", closeness),
    (HUBER_PAGE, "Its RMSE is {effect} % higher than that of Gaussian", in_per_cent("huber", "H3")),
    (HUBER_PAGE, "The 95 % interval is {low} to {high} %.", in_per_cent("huber", "H3")),
    (HUBER_PAGE, "is {one} % below that with Huber noise, which is {two} % below Laplace",
     in_reason("huber", "H46", MIDDLE_GROUND)),
    (HUBER_PAGE, "{real_agree} of the {real} RMSEs agree", deviations),
    (HUBER_PAGE, "others are up to {most} % above the printed ones",
     in_reason("huber", "R2", r"SweetRS \+(?P<most>[\d.]+)")),
    (HUBER_PAGE, "for {synthetic} % of changed ratings on synthetic data and {movielens} % on",
     released_losses),
    (HUBER_PAGE, "spends ε = {total} over its {releases} releases", total_of_a_training),
    (HUBER_PAGE, "{synthetic} + {real} RMSEs and {budgets} budgets", printed_numbers),
    (HUBER_PAGE, "has all {all} published numbers next to ours", printed_numbers),
    (HUBER_PAGE, "nearest of {choices} choices to {cells} cells ({numbers} of the {all} numbers)",
     fitted_to),
    (HUBER_PAGE, "Of all {rmse} RMSEs, {deviate} differ from ours by more than sampling error. "
     "{synthetic} of them are on synthetic data ({noiseless} without noise)", deviations),
    (HUBER_PAGE, "would have detected in 80 % of repeats is {low}. At 15 % it is {high}.",
     detectable_differences),
    (HUBER_PAGE, "noise of a variance of {least_fit} to {most_fit} fits", printed_huber_columns),
    (HUBER_PAGE, "lowers the RMSE by {missed} %", printed_huber_columns),
    (HUBER_PAGE, "| {trials} on synthetic data ({rank_10} at rank 10, {rank_20} at rank 20, "
     "{noiseless} without noise), {real} on real data | to decide claims; the first {reported} are",
     trials_of_the_papers),
    (HUBER_PAGE, "Of the {real} printed numbers, {noisier} differ significantly from ours at "
     "variance 2, and {one} at", deviations_on_real_data),
    (LIMITATIONS, "The {runs} replayed transcripts of a method can show an epsilon of at most "
     "{shown}, where {epsilon} is claimed", most_that_runs_show),
    (LIMITATIONS, "With 800 the most would be {fewer}.", most_that_runs_show),
    (LIMITATIONS, "about {needed} trials of its 24 cells", needed("huber", "H8", MORE)),
    (LIMITATIONS, "about {needed} trials of all 108 cells", needed("huber", "H32", MORE)),
    (LIMITATIONS, "about {needed} trials, an hour of CPU time", needed("dpals", "A3")),
    (LIMITATIONS, "about {needed} draws, or", needed("onebit", "O3")),
    (README, "{near} of its {all} RMSEs are within", closeness),
    (LIMITATIONS, "noise of variance {least_fit} to {most_fit} at 10 and 15 % observed, and of "
     "about the stated variance, 2, at 5 % ({normal_5} and {uniform_5}, by", printed_huber_columns),
    (LIMITATIONS, "Of the {decided} verdicts {tested} rest on tests of trials. After Holm's "
     "correction over all claims of a study, {stand} of these are significant", standing_verdicts),
    (README, "RMSE is {effect} % higher", in_per_cent("huber", "H3")),
    (LIMITATIONS, "Of the {all} claims of the papers that the data at hand can decide, {decided} "
     "are", decided_claims),
    (README, "The {count} claims that were not run need MovieLens 10M or 20M", claims_without_data),
    (README, "Of the other {all} claims, {decided} are decided", decided_claims),
    (README, "its RMSE at ε = 1 is {fold} times lower, not {least} times",
     in_reason("dpals", "D4", r"at least (?P<least>\d+)-fold.*?ε = 1: (?P<fold>[\d.]+)-fold")),
    (FIELD, "(claim C1: supported), by {gain} % on the whole",
     in_reason("which_model", "C1", r"mean -(?P<gain>[\d.]+) %")),
    (FIELD, "That of the encoder is {gain} % lower",
     in_reason("which_model", "E1", r"mean -(?P<gain>[\d.]+) %")),
    (FIELD, "of Local Bayes is {gain} % lower than that of the best of the four",
     in_reason("which_model", "L16", r"mean -(?P<gain>[\d.]+) %")),
    (OWN_RATINGS, "years and genres lower the RMSE by {gain} %",
     in_reason("which_model", "L2", r"mean -(?P<gain>[\d.]+) %")),
    (DPALS, "at ε 5 its RMSE is {ours} where DPALS has {theirs}.",
     errors_of(("ours", "ml-100k", "dp_altmin", 5), ("theirs", "ml-100k", "dpals", 5))),
    (DPALS, "{far} of {all} fits are above 1.5 times",
     in_reason("dpals", "F3", r"(?P<far>\d+) of (?P<all>\d+) fits from a random start")),
    (DPALS, "it gives {one}, and {five} for 5.",
     in_reason("dpals", "D22", r"(?P<one>[\d.]+) for 1 .*?(?P<five>[\d.]+) for 5 ")),
    (MODELS, "They lower the RMSE by {gain} % on the whole (claim L2",
     in_reason("which_model", "L2", r"mean -(?P<gain>[\d.]+) %")),
    (MODELS, "{left} % is left of a mean lead of {lead} %",
     in_reason("which_model", "L13", r"are, (?P<lead>[\d.]+) % on .*? (?P<left>[\d.]+) % is left")),
    (MODELS, "at most 1 % above the best at {near} of {all} points", at_how_many_points),
    (MODELS, "of Local Bayes is {gain} % lower than that of the best of the",
     in_reason("which_model", "L16", r"mean -(?P<gain>[\d.]+) %")),
    (MODELS, "Shuffled features cost {cost} %",
     in_reason("which_model", "L3", r"mean \+(?P<cost>[\d.]+) %")),
    (MODELS, "The most rated fifth gains at most {most_high} %", gains_by_popularity),
    (MODELS, "has {one} times the recall of private popularity at ε 1, and {twenty} times at 20",
     recalls),
    (MODELS, "predicted ratings at each of {all} points (claim L15",
     in_reason("which_model", "L15", r"(?P<all>\d+) wins, 0 losses, 0 undecided")),
    (ONEBIT, "ε | ε | {user} |", guarantee_of_a_user),
    (ONEBIT, "measured | {entries} |", guarantee_of_a_user),
    (ONEBIT, "InP loses {inp_1} points of {clear}.", losses_of_accuracy),
    (ONEBIT, "at rank 1 even Clear, without noise, has {clear_cut} %", losses_of_accuracy),
    (ONEBIT, "at epsilon 1 InP has {inp} % and OutP {outp} %", losses_of_accuracy),
    (ONEBIT, "ObjP has {objp} % at most; with K = 2 GraP has {two_steps} % at most",
     accuracy_at_ranks),
    (ONEBIT, "inconclusive: {logistic} % above the others", outp_over_the_others),
    (ONEBIT, "the wrong link changes the error of InP by {factor} %", cost_of_the_wrong_link),
    (ONEBIT, "in {wins} of {all} comparisons",
     in_reason("onebit", "O8", r"truncated outputs: (?P<wins>\d+) wins.*? of (?P<all>\d+);")),
    (ONEBIT, "the error is {gaussian} times that of predicting zero", errors_without_noise),
    (ONEBIT, "InP reaches {inp} at epsilon 4, and {clear} without noise", errors_without_noise),
    (EQUAL, "below that of both others at {wins} of {all} budgets", budgets_won_by_huber_noise),
    (EQUAL, "by over 1 % at {wins} of {all} budgets", against_gaussian_noise),
    (EQUAL, "Its RMSE is {less} % lower than with Laplace", less_than_laplace_noise),
    (EQUAL, "20,000 × 500 (+{worst} %)", default_at_its_worst),
    (EQUAL, "at {below} of {all} user-level budgets", budgets_won_by_the_default),
]  # fmt: skip


def parsed(text):
    return float(text.replace(",", "").replace("−", "-"))


def agree(shown, value):
    """Say whether a number as it is shown is a value, rounded; ties either way."""
    digits = len(shown.partition(".")[2])
    return abs(parsed(shown) - value) <= (0.5 + 1e-6) * 10.0**-digits


def said(phrase, text):
    """Return the numbers of a phrase by name, as they stand in a text; None if it is not there."""
    parts = re.split(r"\{(\w+)\}", phrase)
    pattern = "".join(
        f"(?P<{part}>{NUMBER})" if place % 2 else re.escape(part).replace("'", "['’]")
        for place, part in enumerate(parts)
    )
    found = re.search(pattern, text)
    return found and found.groupdict()


@pytest.mark.parametrize(
    ("document", "phrase", "numbers"),
    SENTENCES,
    ids=[f"{each[0].stem}: {each[1]}" for each in SENTENCES],
)
def test_sentences_say_the_numbers_of_the_reference(document, phrase, numbers):
    shown = said(phrase, words_of(document))
    assert shown, f"{name_of(document)} does not say so any more: correct the list of sentences"
    expected = numbers()
    behind = {name: (text, expected[name]) for name, text in shown.items()
              if not agree(text, expected[name])}  # fmt: skip
    assert not behind, f"{name_of(document)}: as it stands there, and as it is: {behind}"


# -- tables ---------------------------------------------------------------------------------------


def onebit_accuracy():
    """Shares of right signs of MovieLens 100K, raw and cut to rank 1."""
    cells = "dataset == 'ml-100k' and link == 'logistic' and constraint == 'nuclear'"
    table = means("onebit").query(cells)
    table = table[table["metric"].isin(["accuracy_raw", "accuracy_truncated"])]
    table = table.set_index(["mechanism", "epsilon", "metric"])["mean"].mul(100).sort_index()
    rows = {}
    for name in ("inp", "objp_paper", "grap", "outp_paper"):
        pairs = [table[name, epsilon] for epsilon in (1, 2, 4, 10)]
        rows[name] = [value for pair in pairs for value in pair.sort_index()]
    trials = pd.read_csv(REFERENCE / "onebit" / "trials.csv").query(cells)
    clear = trials[trials["mechanism"] == "clear"]  # on a fixed split: the same in all trials
    clear = 100 * clear[["accuracy_raw", "accuracy_truncated"]].iloc[0]
    return {
        "InP": [*rows["inp"], *clear],
        "ObjP": rows["objp_paper"],
        "ObjP, entries bounded too": [
            100 * entries_bounded()["objp_paper", "logistic", epsilon, f"accuracy_{kind}"]
            for epsilon in (1, 4, 10)
            for kind in ("raw", "truncated")
        ],
        "GraP": rows["grap"],
        "OutP as published, not private": rows["outp_paper"],
    }


def equal_privacy_at_user_level():
    errors = by_model([USER_ADD_REMOVE])
    rows = {}
    for label, data in (
        ("synthetic 20,000 x 500", "synthetic_large"),
        ("Jester 5k", "jester"),
        ("MovieLens 100K", "ml-100k"),
    ):
        here = errors.loc[data].droplevel("relation").loc[[1, 5, 20]]
        rows[f"{label}: Local Bayes, no settings"] = here["local_bayes"]
        rows["best of ALS and A-IRLS, tuned", label] = here[FACTORS].min(axis=1)
        rows["item + user bias, tuned", label] = here["private_user_item_bias"]
    return rows


def on_other_splits():
    """Mean differences in per cent by label of the page, on the study's splits and on others."""
    once = pd.read_csv(REFERENCE / "which_model" / "expected" / "fresh-splits" / "claims.csv")
    effects = [table["effect"] for table in (claims("which_model"), once.set_index("id"))]
    same = claims("which_model")["verdict"] == once.set_index("id")["verdict"]
    assert list(same.index[~same]) == ["E1"]
    labels = [label for label, _ in rows_of(MODELS, OTHER_SPLITS)]
    return {
        label: [100 * np.expm1(each[label.partition(",")[0]]) for each in effects]
        for label in labels
    }


def printed_advantage():
    """RMSE with Huber noise over the better other by print, and ours, in per cent."""
    trials = pd.read_csv(
        io.BytesIO(lzma.decompress((REFERENCE / "huber/tables/trials.csv.xz").read_bytes()))
    )
    evidence, _ = evidence_of({"trials": trials}, load(), pd.DataFrame(table_one()))
    rows = {}
    for fraction in (0.05, 0.1, 0.15):
        part = {"variances": [2.0], "fractions": [fraction]}
        cells = (synthetic_grid(noise, **part) for noise in ("huber", "gaussian", "laplace"))
        sample = evidence.sample_against_best(*cells)
        ours = pooled_interval(sample.ours)
        logs = [sample.reported.mean(), ours.estimate, ours.low, ours.high]
        rows[f"2, {100 * fraction:g} %"] = 100 * np.expm1(logs)
    return rows


def verdicts_of_the_papers():
    rows = {}
    for label, study in (
        ("Huber mechanism, paper and thesis", "huber"),
        ("the same at equal total privacy", "equal_privacy"),
        ("one-bit matrix completion", "onebit"),
        ("DPALS, and DP-AltMin's read-me", "dpals"),
        ("[other papers](docs/field.md) on private factorization", "which_model"),
    ):
        verdicts = claims(study).query("source != 'own'")["verdict"]
        of_each = (SUPPORTED, CONTRADICTED, NO_EFFECT, INCONCLUSIVE, NOT_RUN)
        assert verdicts.isin(of_each).all()
        rows[f"{label} ([`{study}`](docs/studies/{study}.md))"] = [
            len(verdicts),
            *(sum(verdicts == one) for one in of_each),
        ]
    return rows


def drawn_matrices():
    table = means("dpals").query(
        "dataset == 'synthetic-50k' and metric == 'rmse' and variant == 'standard'"
    )
    table = table.set_index(["method", "epsilon"])
    rows, shown = {}, (1, 2, 5, 20)
    for label, method in (
        ("private Frank-Wolfe, exact noise", "dpfw"),
        ("private Frank-Wolfe, published noise", "dpfw_jain"),
        ("DPALS without Gram matrices, rows clipped", "dpals_h_free_clipped"),
        ("one step from a private spectral start (remark 2)", "dpals_analyze_gauss"),
        ("DP-AltMin with clipped residuals", "dp_altmin"),
    ):
        ran = [epsilon for epsilon in shown if (method, epsilon) in table.index]
        rows[label] = [table.loc[(method, epsilon), "mean"] for epsilon in ran]
    pairs = [table.loc[("dpals", epsilon), ["mean", "median"]] for epsilon in shown]
    starts = table.loc["dpals", "trials"].loc[[*shown]].unique()
    label = f"DPALS, mean (median) of {starts.item():g} starts"
    rows[label] = [value for pair in pairs for value in pair]
    return rows


def user_level_of_dpals():
    table = means("dpals").query("metric == 'rmse' and variant == 'standard'")
    table = table.set_index(["dataset", "method", "epsilon"])["mean"]
    data = {"MovieLens 100K: ": "ml-100k", "Jester: ": "jester"}
    rows = {}
    for (label, method), dataset in {
        ("MovieLens 100K: DPALS", "dpals"): "ml-100k",
        ("DPALS without Gram matrices, rows clipped", "dpals_h_free_clipped"): "ml-100k",
        ("item + user bias", "private_user_item_bias"): "ml-100k",
        ("the user's own mean", "user_mean"): "ml-100k",
        ("Jester: DPALS", "dpals"): "jester",
        ("DP-AltMin", "dp_altmin"): "jester",
    }.items():
        assert dataset in data.values()
        here = table[dataset][method]
        own = here.index.isna().all()  # without noise it is the same at every epsilon
        rows[label] = [here.iloc[0] if own else here[epsilon] for epsilon in (1, 5, 20)]
    return rows


def local_bayes_over_the_best_other():
    ratios = over_the_best_of_five().unstack()
    assert list(ratios) == [0.5, 1, 2, 5, 10, 20]
    named = {"MovieLens 100K": "ml-100k", "Jester": "jester", "SweetRS": "sweetrs"}
    return {label: ratios.loc[dataset] for label, dataset in named.items()}


def after_a_fair_search():
    table = means("which_model").query("metric == 'rmse' and variant in ('tuned', 'searched')")
    ours = table["method"] == "local_bayes"
    least = [
        rows.groupby(["dataset", "epsilon"])["mean"].min() for rows in (table[ours], table[~ours])
    ]
    ratios = (least[0] / least[1]).unstack()[[1, 5, 20]]
    named = (("MovieLens 100K", "ml-100k"), ("Jester", "jester"), ("SweetRS", "sweetrs"))
    return {label: ratios.loc[dataset] for label, dataset in named}


def on_new_data():
    """RMSE of Local Bayes over the least of the others, on data that it was not developed with."""
    table = new_data().query("variant == 'searched'")
    ours = table["method"] == "local_bayes"
    first, second = (
        rows.groupby(["dataset", "epsilon"])["mean"].min() for rows in (table[ours], table[~ours])
    )
    ratios, rows = (first / second).unstack(), {}
    for dataset, label in NEW_DATA.items():
        entry = section("which_model")["datasets"][dataset]
        shape = {"inst-eval": (2972, 1128), "bfi": (2800, 25), "filmtrust": (1508, 2071)}
        size = shape.get(dataset) or ({"filmtrust": 1508, "lastfm": 1892}[entry["of"]], 800)
        rows[label.removeprefix("New: ")] = [*size, *ratios.loc[dataset]]
    return rows


def new_data():
    path = REFERENCE / "which_model" / "expected" / "new-data" / "means.csv"
    return pd.read_csv(path).query("metric == 'rmse'")


def methods_of_later_papers():
    """RMSE at epsilon 1, 5 and 20 on three data sets, by label of the page."""
    table = means("which_model").query("metric == 'rmse' and variant in ('tuned', 'searched')")
    rows = {}
    for label, method in (
        ("private biases", BIAS), ("DPALS", "dpals"), ("DPALS, adaptive weights", "dpals_weights"),
        ("DPALS without Gram matrices", "dpals_h_free_clipped"),
        ("the same, adaptive weights", "dpals_weights_h_free"), ("DP-AltMin", "dp_altmin"),
        ("DPAM", "dpam"), ("noisy gradients from a private start", "dp_gradient_spectral"),
        ("effects and covariance", "dp_effects"), ("Local Bayes", "local_bayes"),
    ):  # fmt: skip
        variant = "tuned" if method == "local_bayes" else "searched"
        own = table[(table["method"] == method) & (table["variant"] == variant)]
        own = own.set_index(["dataset", "epsilon"])["mean"]
        sets = ("ml-100k", "jester", "sweetrs")
        rows[label] = [own[dataset, epsilon] for dataset in sets for epsilon in (1, 5, 20)]
    return rows


@cache
def forms_of_local_bayes():
    """RMSE of each form by data set and epsilon."""
    table = means("which_model").query("metric == 'rmse' and method == 'local_bayes'")
    return table.set_index(["variant", "dataset", "epsilon"])["mean"].sort_index()


def errors_with_features():
    table = forms_of_local_bayes()
    named = {"without features": "no_features", "with features": "features",
             "shuffled features": "shuffled_features"}  # fmt: skip
    rows = {label: table[name]["ml-100k"] for label, name in named.items()}
    others = means("which_model").query("metric == 'rmse' and variant == 'features'")
    for label, method in (
        ("DP-CMF", "dp_cmf"), ("DP-CMF without Gram matrices", "dp_cmf_h_free"),
        ("item encoder", "dp_encoder"), ("item encoder without Gram matrices", "dp_encoder_h_free"),
    ):  # fmt: skip
        own = others[others["method"] == method].set_index("epsilon")["mean"]
        rows[f"{label}, with features"] = own.sort_index()
    return rows


def errors_without_a_part():
    table, sets = forms_of_local_bayes(), section("which_model")["ablations"]["datasets"]
    whole = np.concatenate([table["whole"][dataset] for dataset in sets])
    return {
        label: np.concatenate([table[form][dataset] for dataset in sets]) / whole
        for form, label in FORMS.items()
        if form != "whole"
    }


def lists_of_likes():
    table = pd.read_csv(REFERENCE / "which_model" / "ranking.csv")
    means = table.groupby(["dataset", "method", "epsilon"], dropna=False)[["recall", "ndcg"]].mean()
    named = {
        "local EASE": "local_ease", "private popularity": "private_popularity",
        "Local Bayes and log share": "local_bayes_share",
        "Local Bayes, predicted ratings": "local_bayes",
        "popularity without privacy": "popularity", "EASE without privacy": "ease",
    }  # fmt: skip
    data = {"MovieLens 100K": "ml-100k", "Jester": "jester", "SweetRS": "sweetrs"}
    return {
        f"{place}: {label}": means.loc[dataset, method].to_numpy().ravel()
        for place, dataset in data.items()
        for label, method in named.items()
    }


def costs_of_runs():
    """Jobs and CPU minutes as `dpmc plan` states them; of the quick run its jobs."""
    full = planned(plan_of("full"))
    costs = Costs(plan_of("full").studies.values())
    found = {f"`{study}`": each for study, each in totals(full, costs).items()}
    found["`make reproduce`"] = total(full, costs)
    rows = {label: [each.jobs, each.seconds / 60] for label, each in found.items()}
    rows.pop("`data and report`")
    return rows | {"`TARGET=quick`": [total(planned(plan_of("quick")), costs).jobs]}


OTHER_SPLITS = "| per cent, mean over places |"
TABLES = [
    (HUBER_PAGE, "| variance, observed | printed (%) |", printed_advantage),
    (README, "| claims of | judged |", verdicts_of_the_papers),
    (HOME / "docs" / "run.md", "| what | jobs | CPU minutes |", costs_of_runs),
    (ONEBIT, "| claimed epsilon | 1 | 2 |", onebit_accuracy),
    (ONEBIT, "| claimed epsilon | 1 | 4 | 10 |", steps_of_grap),
    (EQUAL, "| user level, RMSE at total epsilon |", equal_privacy_at_user_level),
    (DPALS, "| random matrix | ε 1 |", drawn_matrices),
    (DPALS, "| real data | ε 1 |", user_level_of_dpals),
    (DPALS, "| RMSE of DPALS | k = 20 |", by_ratings_per_user),
    (MODELS, "| | ε 0.5 | 1 | 2 | 5 |", local_bayes_over_the_best_other),
    (MODELS, "| after a fair search |", after_a_fair_search),
    (MODELS, OTHER_SPLITS, on_other_splits),
    (MODELS, "| new data |", on_new_data),
    (FIELD, "| RMSE at ε 1, 5, 20 |", methods_of_later_papers),
    (MODELS, "| MovieLens 100K, 20 splits |", errors_with_features),
    (MODELS, "| without a part |", errors_without_a_part),
    (RANKING, "| recall@20 / NDCG@20 |", lists_of_likes),
]


def rows_of(document, head):
    """Return the rows of a table of a document as label and numbers, in their order."""
    text = text_of(document)
    assert text.count(head) == 1, f"{name_of(document)} has no such table"
    lines = text.split(head)[1].split("\n\n")[0].splitlines()[2:]
    cells = [line.replace("**", "").strip("| ").split("|") for line in lines]
    return [(label.strip(), re.findall(NUMBER, "|".join(rest))) for label, *rest in cells]


@pytest.mark.parametrize(
    ("document", "head", "numbers"),
    TABLES,
    ids=[f"{each[0].stem}: {each[1]}" for each in TABLES],
)
def test_tables_show_the_numbers_of_the_reference(document, head, numbers):
    shown, behind, looked = rows_of(document, head), [], 0
    around = ""
    expected = numbers()
    for label, row in shown:
        around = label.partition(":")[0] if ":" in label else around
        values = expected.get(label.replace("’", "'"), expected.get((label, around)))
        for text, value in zip(row, [] if values is None else list(values), strict=False):
            looked += 1
            if not agree(text, value):
                behind.append((label, text, value))
    assert looked >= len(expected), "rows of the table were named anew: correct the list of tables"
    assert behind == [], f"{name_of(document)}: as it stands there, and as it is"


# -- that the tests can fail ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "value", "same"),
    [
        ("139", 139, True),
        ("139", 138, False),
        ("24,800", 24800, True),
        ("+.27", 0.2749, True),
        ("−.03", -0.0345, True),
        ("−.03", 0.03, False),
        (".034", 0.0361, False),
        ("93", 92.8, True),
    ],
)
def test_numbers_are_compared_as_they_are_shown(shown, value, same):
    assert agree(shown, value) == same


def test_a_phrase_is_found_with_its_numbers():
    text = "so 139 of 144 are; +.27 % (−.03 to 1,200.5) the papers’ own"
    assert said("{a} of {b} are", text) == {"a": "139", "b": "144"}
    assert said("{x} % ({low} to {high}) the papers' own", text)["high"] == "1,200.5"
    assert said("{a} of {b} were", text) is None

"""Numbers in the documents are those of the committed results.

:data:`SENTENCES` holds a phrase of a document with a name in braces for each number, and where
these numbers are: those of one claim, means of cells, or a function; :data:`TABLES` the same for
tables. A number is rounded to its last digit. If a test fails, a document is behind the reference
or was reworded: correct whichever is wrong.
"""

import re
from functools import cache

import committed
import forensics
import numpy as np
import pandas as pd
import pytest
from document_texts import HOME, README, name_of, text_of, words_of
from every_study import plan_of
from forensics import fitted_variance

from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.costs import Costs, planned, total, totals
from dpmc_studies.frame.judging.chance import standing
from dpmc_studies.frame.judging.finding import INCONCLUSIVE, NOT_RUN
from dpmc_studies.statistics.bootstrap import pooled_interval
from dpmc_studies.studies.audit.attack import most_shown
from dpmc_studies.studies.audit.method_runs import DELTA, EPSILON
from dpmc_studies.studies.audit.rows import CONFIDENCE
from dpmc_studies.studies.huber.claims.contrasts import synthetic_grid
from dpmc_studies.studies.huber.claims.judge import evidence_of
from dpmc_studies.studies.huber.reported import compare, load
from dpmc_studies.studies.which_model.frames import NEW_DATA
from dpmc_studies.studies.which_model.variants import FORMS

DOCS = HOME / "docs"
DPALS, EQUAL, HUBER, ONEBIT, MODELS = (
    DOCS / "studies" / f"{name}.md"
    for name in ("dpals", "equal_privacy", "huber", "onebit", "which_model")
)
LIMITATIONS, FIELD, OWN_RATINGS, RANKING = (
    DOCS / f"{name}.md" for name in ("limitations", "field", "own-ratings", "ranking")
)
METRICS = ("are_", "accuracy", "actual_")
NUMBER = r"[+−-]?(?:\d[\d,]*)?\.?\d+"
OF_PAPERS = ("huber", "equal_privacy", "onebit", "dpals", "which_model")
FULL, MORE = "full", "160-trials"


# -- the committed results ------------------------------------------------------------------------


@cache
def table(study, file="means.csv"):
    return pd.read_csv(HOME / "results" / "reference" / study / file)


def means_of(name):
    """Mean and standard error over the trials of a side experiment of 1-bit, by metric."""
    rows = committed.table("onebit", name)
    metrics = [name for name in rows if name.startswith(("are_", "accuracy"))]
    keys = [name for name in rows if name not in {"trial", "actual_epsilon", *metrics}]
    rows = rows.melt(keys, metrics, "metric").dropna(subset="value")
    found = rows.groupby([*keys, "metric"], dropna=False)["value"].agg(["mean", "sem"])
    return found.reset_index().rename(columns={"sem": "standard_error"})


def claims(study, profile=FULL):
    """The verdicts of the full run, or of one with an overlay, with their effects and reasons."""
    return table(study, f"expected/{profile}/claims.csv").set_index("id")


def section(study):
    return plan_of("full").sections[study]


def reason(study, claim, pattern):
    """Numbers by name in the reason of a claim."""

    def numbers():
        text = claims(study).loc[claim, "reason"]
        found = re.search(pattern, text)
        assert found, f"{claim} does not say so: {text}"
        return {name: parsed(number) for name, number in found.groupdict().items()}

    return numbers


def effect(study, claim, profile=FULL):
    """The effect of a claim, a log ratio, with its interval, in per cent; what it needs."""

    def numbers():
        row = claims(study, profile).loc[claim]
        ends = {"effect": "effect", "low": "interval_low", "high": "interval_high"}
        found = {name: 100 * np.expm1(float(row[end])) for name, end in ends.items()}
        return found | {"needed": row["needed"]}

    return numbers


def mean(study, query, file="means.csv", column="mean"):
    """The least value of some rows: of one that is meant, or of the best of several."""
    rows = table(study, file).query(query)
    assert len(rows), query
    return rows[column].min()


def cells(study, where="metric == 'rmse'", scale=1, **named):
    """Means of the cells that queries name."""
    return lambda: {
        name: scale * mean(study, f"{where} and {query}") for name, query in named.items()
    }


def grid(study, where, rows, columns, scale=1, file="means.csv"):
    """Means of the cells of a table, its rows and columns named by queries; some may lack."""

    def numbers():
        here = table(study, file).query(where)
        found = {}
        for label, query in rows.items():
            each = [here.query(f"({query}) and ({column})")["mean"] for column in columns]
            found[label] = [scale * values.min() for values in each if len(values)]
        return found

    return numbers


def at(*epsilons, what="epsilon == {:g}"):
    return [what.format(epsilon) for epsilon in epsilons]


# -- what the documents say -----------------------------------------------------------------------


@cache
def comparison(profile=None):
    """Our means beside the Huber papers' numbers, by default of the committed trials."""
    if profile:
        return table("huber", f"expected/{profile}/comparison.csv")
    real = {name: each["variance"] for name, each in section("huber")["real"].items()}
    trials = table("huber", "trials.csv")
    return compare(trials, load(real_variances=real), pd.DataFrame(table_one()))


def printed():
    """How many numbers are printed, and how many of them agree with ours."""
    rmse = comparison().query("metric != 'epsilon'")
    deviates, real = rmse["status"] == "deviates", rmse["dataset"] != "synthetic"
    near = np.expm1(-rmse["log_ratio"][~real]).abs() <= 0.15  # of our means
    noisier = comparison("variance-2-on-real-data").query("dataset != 'synthetic'")
    return {
        "all": len(comparison()), "rmse": len(rmse), "budgets": len(comparison()) - len(rmse),
        "of_synthetic": (~real).sum(), "of_real": real.sum(), "near": near.sum(),
        "deviate": deviates.sum(), "synthetic": (deviates & ~real).sum(),
        "noiseless": (deviates & ~real & (rmse["mechanism"] == "none")).sum(),
        "real_agree": (real & ~deviates).sum(), "real": (deviates & real).sum(),
        "noisier": noisier.query("metric != 'epsilon' and status == 'deviates'").shape[0],
    }  # fmt: skip


def trials_of_the_papers():
    given = section("huber")
    rank_10, rank_20, noiseless, *_ = (each["trials"] for each in given["fewer_trials"])
    (real,) = {each["trials"] for each in given["real"].values()}
    fewer = {"rank_10": rank_10, "rank_20": rank_20, "noiseless": noiseless, "real": real}
    return fewer | {"trials": given["trials"], "reported": given["reported_trials"]}


def total_of_a_training():
    rows = table("huber", "totals.csv").query("mechanism == 'huber' and variance == 2")
    return {"total": round(rows.query("releases == 50")["epsilon"].min()), "releases": 50}


def fitted_to():
    """Choices that were tried on synthetic data, and the printed numbers that they were held to."""
    rows = comparison().query("dataset == 'synthetic' and metric != 'epsilon'")
    fitted = rows.query("method == 'als' and mechanism in ('none', 'gaussian')")
    held = len(forensics.RANKS) * len(forensics.FRACTIONS) * len(forensics.NOISES)
    found = {"choices": len(forensics.choices()), "cells": held}
    return found | {"numbers": len(fitted), "all": len(rows)}


def detectable_differences():
    """The median of log ratios that would have been seen, by share observed (synthetic data)."""
    rows = comparison(FULL).query("dataset == 'synthetic' and metric != 'epsilon'")
    found = rows.groupby("observed_fraction")["detectable"].median()
    return {"low": found[0.05], "high": found[0.15]}


@cache
def printed_huber_columns():
    """Variances that fit the printed columns, and the effect of a wrong sign in per cent."""
    columns = table("huber", "huber_columns.csv")
    at_5, *others = (
        [fitted_variance(columns, start, 2.0, share).estimate for start in ("normal", "uniform")]
        for share in (0.05, 0.1, 0.15)
    )
    wrong = columns.query(
        "reported_variance == 2 and noise == 'huber_as_printed' and start == 'normal'"
        " and rank == 20 and observed_fraction == 0.05"
    )
    return {
        "normal_5": at_5[0], "uniform_5": at_5[1],
        "least_fit": np.min(others), "most_fit": np.max(others),
        "missed": -100 * np.expm1(wrong["difference"].item()),
    }  # fmt: skip


def papers(study):
    return claims(study).query("source != 'own'")


def verdicts_of_papers():
    """How many claims of the papers are decided, tested, and stand after Holm's correction."""
    decided, tested, fallen = zip(
        *(standing(papers(study).reset_index()) for study in OF_PAPERS), strict=True
    )
    verdicts = pd.concat([papers(study)["verdict"] for study in OF_PAPERS])
    ran = verdicts[verdicts != NOT_RUN]
    return {
        "decided": sum(decided), "tested": sum(tested),
        "stand": sum(tested) - sum(map(len, fallen)), "ran": len(ran),
        "left": (papers("dpals")["verdict"] == NOT_RUN).sum(),
    }  # fmt: skip


def test_claims_that_fall_to_the_correction_are_named():
    said = re.search(
        r"five are claims on DPALS \(([^)]*)\), with a corrected p-value of (0?\.\d+) each",
        words_of(LIMITATIONS),
    )
    named = re.findall(r"[A-Z]\d+", said[1])
    fallen = [standing(papers(study).reset_index())[2] for study in OF_PAPERS]
    assert named == [each for of_study in fallen for each in of_study]
    assert all(agree(said[2], value) for value in claims("dpals").loc[named, "holm"])


def test_open_claims_are_listed():
    left = [papers(study).query(f"verdict == '{INCONCLUSIVE}'").index for study in OF_PAPERS]
    listed = re.findall(r"^\| \[?([A-Z]\d+)\b", LIMITATIONS.read_text(encoding="utf-8"), re.M)
    assert set(listed) == {each for names in left for each in names}


def default_at_equal_privacy():
    """Local Bayes over the best other where users are protected: at its worst, and how often."""
    rows = table("equal_privacy").query("metric == 'rmse_heldout'")
    rows = rows[rows["relation"].str.startswith("user", na=False)]
    ours = rows["method"] == "local_bayes"
    places = ["dataset", "relation", "epsilon"]
    least = [each.groupby(places)["mean"].min() for each in (rows[ours], rows[~ours])]
    over = (least[0] / least[1]).dropna()
    return {"worst": 100 * (over.max() - 1), "below": (over < 1).sum(), "all": len(over)}


def over_the_best(*variants, files=("means.csv",)):
    """RMSE of Local Bayes over the least of the others at these settings, by data and budget."""
    rows = pd.concat([table("which_model", file) for file in files])
    rows = rows[(rows["metric"] == "rmse") & rows["variant"].isin(variants)]
    ours = rows["method"] == "local_bayes"
    first, second = (
        each.groupby(["dataset", "epsilon"])["mean"].min() for each in (rows[ours], rows[~ours])
    )
    return (first / second).dropna()


def near_the_best():
    """At how many points of real data and random matrices; of the five that were tuned."""
    ratios = over_the_best("tuned", files=("means.csv", "expected/drawn-matrices/means.csv"))
    return {"near": (ratios <= 1.01).sum(), "all": len(ratios)}


def outp_over_the_others():
    """Truncated error of OutP over the mean of the other three, in per cent, at epsilon 4."""
    where = (
        "dataset == 'synthetic' and observed_fraction == .15 and epsilon == 4"
        " and metric == 'are_truncated' and link == 'logistic'"
    )
    errors = table("onebit").query(where).set_index("mechanism")["mean"]
    others = errors[["inp", "objp_paper", "grap"]].mean()
    return {"logistic": 100 * (errors["outp_paper"] / others - 1)}


def losses_of_accuracy():
    """Per cent of right signs on MovieLens 100K, and points that InP loses at epsilon 1."""
    rows = onebit_accuracy()
    clear, clear_cut = rows["InP"][8:]
    inp, outp = rows["InP"][0], rows["OutP as published, not private"][0]
    return {"clear": clear, "clear_cut": clear_cut, "inp": inp, "inp_1": clear - inp, "outp": outp}


def cost_of_the_wrong_link():
    """Per cent by which the wrong link changes the truncated error of InP at epsilon 1, at most."""
    where = "mechanism == 'inp' and epsilon == 1 and metric == 'are_truncated'"
    wrong = means_of("wrong_link").query(where).set_index("drawn_link")["mean"]
    where += " and dataset == 'synthetic' and observed_fraction == .15"
    ratios = wrong / table("onebit").query(where).set_index("link")["mean"]
    return {"factor": 100 * (ratios - 1).abs().max()}


def accuracy_at_ranks():
    """Per cent of right signs on MovieLens 100K at epsilon 4, at the best rank."""
    where = "link == 'gaussian' and constraint == 'nuclear' and epsilon == 4"
    ranks = means_of("ranks").query(f"{where} and mechanism == 'objp_paper'")
    steps = means_of("gradient_steps").query("steps == 2 and epsilon == 4")
    steps = steps[steps["metric"].str.startswith("accuracy")]
    return {"objp": 100 * ranks["mean"].max(), "two_steps": 100 * steps["mean"].max()}


def guarantee_of_a_user():
    """What a claimed epsilon of 1 is for a user of MovieLens 100K."""
    trials = table("onebit", "trials.csv")
    trials = trials.query("dataset == 'ml-100k' and epsilon == 1 and trial == 0")
    found = trials.groupby("mechanism")["user_epsilon"].max()
    return {"user": found["inp"], "entries": found["outp_paper"]}


def recalls():
    """Recall of our lists over that of private popularity, on MovieLens 100K."""
    rows = lists_of_likes()
    ours, popular = (
        rows[f"MovieLens 100K: {label}"][::2] for label in ("local EASE", "private popularity")
    )
    return dict(zip(("one", "five", "twenty"), ours / popular, strict=True))


def most_that_runs_show():
    """The largest epsilon that the audit can show of a method, by its runs."""
    sure, runs = {"delta": DELTA, "confidence": CONFIDENCE}, section("audit")["runs"]
    found = {"runs": runs, "epsilon": EPSILON}
    return found | {"fewer": most_shown(800, **sure), "shown": most_shown(runs, **sure)}


GAIN = r"mean -(?P<gain>[\d.]+) %"
CLEAR = "observed_fraction == .15 and mechanism == 'clear' and metric == 'are_raw'"
LARGE = (
    "observed_fraction == .15 and dataset == 'synthetic_large' and link == 'gaussian'"
    " and metric == 'are_truncated'"
)
STANDARD = "metric == 'rmse' and variant == 'standard'"
SENTENCES = [
    (HUBER, "{near} of the {of_synthetic} printed RMSEs are within", printed),
    (HUBER, "Its RMSE is {effect} % higher than that of Gaussian", effect("huber", "H3")),
    (HUBER, "The 95 % interval is {low} to {high} %.", effect("huber", "H3")),
    (HUBER, "is {one} % below that with Huber noise, which is {two} % below Laplace",
     reason("huber", "H46",
            r"Huber: .*?pooled -(?P<one>\S+) %.*?Laplace: .*?pooled -(?P<two>\S+) %")),
    (HUBER, "{real_agree} of the {of_real} RMSEs agree", printed),
    (HUBER, "others are up to {most} % above the printed ones",
     reason("huber", "R2", r"SweetRS \+(?P<most>[\d.]+)")),
    (HUBER, "for {synthetic} % of changed ratings on synthetic data and {movielens} % on",
     reason("huber", "R6", r"total in (?P<synthetic>\d+) % of .*? on Syn\w+, "
            r"(?P<movielens>\d+) % of .*? on Mov")),
    (HUBER, "spends ε = {total} over its {releases} releases", total_of_a_training),
    (HUBER, "{of_synthetic} + {of_real} RMSEs and {budgets} budgets", printed),
    (HUBER, "has all {all} published numbers next to ours", printed),
    (HUBER, "nearest of {choices} choices to {cells} cells ({numbers} of the {all} numbers)",
     fitted_to),
    (HUBER, "Of all {rmse} RMSEs, {deviate} differ from ours by more than sampling error. "
     "{synthetic} of them are on synthetic data ({noiseless} without noise)", printed),
    (HUBER, "would have detected in 80 % of repeats is {low}. At 15 % it is {high}.",
     detectable_differences),
    (HUBER, "noise of a variance of {least_fit} to {most_fit} fits", printed_huber_columns),
    (HUBER, "lowers the RMSE by {missed} %", printed_huber_columns),
    (HUBER, "| {trials} on synthetic data ({rank_10} at rank 10, {rank_20} at rank 20, "
     "{noiseless} without noise), {real} on real data | to decide claims; the first {reported} are",
     trials_of_the_papers),
    (HUBER, "Of the {of_real} printed numbers, {noisier} differ significantly from ours at "
     "variance 2, and {real} at", printed),
    (LIMITATIONS, "The {runs} replayed transcripts of a method can show an epsilon of at most "
     "{shown}, where {epsilon} is claimed", most_that_runs_show),
    (LIMITATIONS, "With 800 the most would be {fewer}.", most_that_runs_show),
    (LIMITATIONS, "about {needed} trials of its 24 cells", effect("huber", "H8", MORE)),
    (LIMITATIONS, "about {needed} trials of all 108 cells", effect("huber", "H32", MORE)),
    (LIMITATIONS, "about {needed} trials, an hour of CPU time", effect("dpals", "A3")),
    (LIMITATIONS, "about {needed} draws, or", effect("onebit", "O3")),
    (README, "{near} of its {of_synthetic} RMSEs are within", printed),
    (LIMITATIONS, "noise of variance {least_fit} to {most_fit} at 10 and 15 % observed, and of "
     "about the stated variance, 2, at 5 % ({normal_5} and {uniform_5}, by", printed_huber_columns),
    (LIMITATIONS, "Of the {decided} verdicts {tested} rest on tests of trials. After Holm's "
     "correction over all claims of a study, {stand} of these are significant", verdicts_of_papers),
    (README, "RMSE is {effect} % higher", effect("huber", "H3")),
    (LIMITATIONS, "Of the {ran} claims of the papers that the data at hand can decide, {decided} "
     "are", verdicts_of_papers),
    (README, "The {left} claims that were not run need MovieLens 10M or 20M", verdicts_of_papers),
    (README, "Of the other {ran} claims, {decided} are decided", verdicts_of_papers),
    (README, "its RMSE at ε = 1 is {fold} times lower, not {least} times",
     reason("dpals", "D4", r"at least (?P<least>\d+)-fold.*?ε = 1: (?P<fold>[\d.]+)-fold")),
    (FIELD, "(claim C1: supported), by {gain} % on the whole", reason("which_model", "C1", GAIN)),
    (FIELD, "That of the encoder is {gain} % lower", reason("which_model", "E1", GAIN)),
    (FIELD, "of Local Bayes is {gain} % lower than that of the best of the four",
     reason("which_model", "L16", GAIN)),
    (OWN_RATINGS, "years and genres lower the RMSE by {gain} %", reason("which_model", "L2", GAIN)),
    (DPALS, "at ε 5 its RMSE is {ours} where DPALS has {theirs}.",
     cells("dpals", f"{STANDARD} and dataset == 'ml-100k' and epsilon == 5",
           ours="method == 'dp_altmin'", theirs="method == 'dpals'")),
    (DPALS, "{far} of {all} fits are above 1.5 times",
     reason("dpals", "F3", r"(?P<far>\d+) of (?P<all>\d+) fits from a random start")),
    (DPALS, "it gives {one}, and {five} for 5.",
     reason("dpals", "D22", r"(?P<one>[\d.]+) for 1 .*?(?P<five>[\d.]+) for 5 ")),
    (MODELS, "They lower the RMSE by {gain} % on the whole (claim L2",
     reason("which_model", "L2", GAIN)),
    (MODELS, "{left} % is left of a mean lead of {lead} %",
     reason("which_model", "L13", r"are, (?P<lead>[\d.]+) % on .*? (?P<left>[\d.]+) % is left")),
    (MODELS, "at most 1 % above the best at {near} of {all} points", near_the_best),
    (MODELS, "of Local Bayes is {gain} % lower than that of the best of the",
     reason("which_model", "L16", GAIN)),
    (MODELS, "Shuffled features cost {cost} %",
     reason("which_model", "L3", r"mean \+(?P<cost>[\d.]+) %")),
    (MODELS, "has {one} times the recall of private popularity at ε 1, and {twenty} times at 20",
     recalls),
    (MODELS, "predicted ratings at each of {all} points (claim L15",
     reason("which_model", "L15", r"(?P<all>\d+) wins, 0 losses, 0 undecided")),
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
     reason("onebit", "O8", r"truncated outputs: (?P<wins>\d+) wins.*? of (?P<all>\d+);")),
    (ONEBIT, "the error is {gaussian} times that of predicting zero",
     cells("onebit", CLEAR, gaussian="dataset == 'synthetic' and link == 'gaussian'")),
    (ONEBIT, "InP reaches {inp} at epsilon 4, and {clear} without noise",
     cells("onebit", LARGE, inp="mechanism == 'inp' and epsilon == 4",
           clear="mechanism == 'clear'")),
    (EQUAL, "below that of both others at {wins} of {all} budgets",
     reason("equal_privacy", "P6", r"^(?P<wins>\d+) wins, 0 losses, .*? of (?P<all>\d+)")),
    (EQUAL, "significantly in {wins} of {all} comparisons",
     reason("equal_privacy", "H34", r"(?P<wins>\d+) wins, 0 losses, .*? of (?P<all>\d+);")),
    (EQUAL, "Its RMSE is {less} % lower than with Laplace",
     reason("equal_privacy", "P9", r"against Laplace noise .*?pooled -(?P<less>[\d.]+) %")),
    (EQUAL, "20,000 × 500 (+{worst} %)", default_at_equal_privacy),
    (EQUAL, "at {below} of {all} user-level budgets", default_at_equal_privacy),
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
    where = "dataset == 'ml-100k' and link == 'logistic'"
    kinds = [f"epsilon == {{}} and metric == 'accuracy_{kind}'" for kind in ("raw", "truncated")]
    mechanisms = {
        "InP": "inp", "ObjP": "objp_paper", "GraP": "grap",
        "OutP as published, not private": "outp_paper",
    }  # fmt: skip
    rows = {label: f"mechanism == '{name}'" for label, name in mechanisms.items()}
    columns = [kind.format(epsilon) for epsilon in (1, 2, 4, 10) for kind in kinds]
    found = grid("onebit", f"{where} and constraint == 'nuclear'", rows, columns, 100)()
    both = {"ObjP, entries bounded too": rows["ObjP"]}
    columns = [kind.format(epsilon) for epsilon in (1, 4, 10) for kind in kinds]
    found |= grid("onebit", f"{where} and constraint == 'both'", both, columns, 100)()
    clear = table("onebit", "trials.csv").query(f"{where} and constraint == 'nuclear'")
    clear = clear[clear["mechanism"] == "clear"]  # on a fixed split: the same in all trials
    found["InP"] += [100 * clear[f"accuracy_{kind}"].iloc[0] for kind in ("raw", "truncated")]
    return found


def steps_of_grap():
    rows = means_of("gradient_steps")
    rows = rows.query("link == 'logistic' and metric == 'accuracy_raw' and rank == 1")
    rows = rows.sort_values("epsilon")
    return {
        f"K = {steps}": 100 * part[["mean", "standard_error"]].to_numpy().ravel()
        for steps, part in rows.groupby("steps")
    }


def other_splits():
    """Mean differences in per cent by label of the page, on the study's splits and on others."""
    both = [claims("which_model", profile) for profile in (FULL, "fresh-splits")]
    same = both[0]["verdict"] == both[1]["verdict"]
    assert list(same.index[~same]) == ["E1"]
    labels = [label for label, _ in rows_of(MODELS, OTHER_SPLITS)]
    return {
        label: [100 * np.expm1(each["effect"][label.partition(",")[0]]) for each in both]
        for label in labels
    }


def printed_advantage():
    """RMSE with Huber noise over the better other by print, and ours, in per cent."""
    trials = {"trials": table("huber", "tables/trials.csv.xz")}
    evidence, _ = evidence_of(trials, load(), pd.DataFrame(table_one()))
    rows = {}
    for fraction in (0.05, 0.1, 0.15):
        part = {"variances": [2.0], "fractions": [fraction]}
        noises = (synthetic_grid(noise, **part) for noise in ("huber", "gaussian", "laplace"))
        sample = evidence.sample_against_best(*noises)
        ours = pooled_interval(sample.ours)
        logs = [sample.reported.mean(), ours.estimate, ours.low, ours.high]
        rows[f"2, {100 * fraction:g} %"] = 100 * np.expm1(logs)
    return rows


def drawn_matrices():
    where = f"{STANDARD} and dataset == 'synthetic-50k'"
    methods = {
        "private Frank-Wolfe, exact noise": "dpfw",
        "private Frank-Wolfe, published noise": "dpfw_jain",
        "DPALS without Gram matrices, rows clipped": "dpals_h_free_clipped",
        "one step from a private spectral start (remark 2)": "dpals_analyze_gauss",
        "DP-AltMin with clipped residuals": "dp_altmin",
    }
    rows = {label: f"method == '{name}'" for label, name in methods.items()}
    found = grid("dpals", where, rows, at(1, 2, 5, 20))()
    own = table("dpals").query(f"{where} and method == 'dpals' and epsilon in (1, 2, 5, 20)")
    (starts,) = own["trials"].unique()
    pairs = own.sort_values("epsilon")[["mean", "median"]].to_numpy()
    return found | {f"DPALS, mean (median) of {starts:g} starts": pairs.ravel()}


def ratios_of_local_bayes(*variants):
    sets = {"MovieLens 100K": "ml-100k", "Jester": "jester", "SweetRS": "sweetrs"}
    return lambda: {label: over_the_best(*variants)[name] for label, name in sets.items()}


def fair_search():
    return {
        label: ratios.loc[[1, 5, 20]]
        for label, ratios in ratios_of_local_bayes("tuned", "searched")().items()
    }


def new_data():
    """Sizes of the data, and RMSE of Local Bayes over the least of the others."""
    sizes = {
        "inst-eval": (2972, 1128), "bfi": (2800, 25), "filmtrust": (1508, 2071),
        "filmtrust-800": (1508, 800), "lastfm-800": (1892, 800),
    }  # fmt: skip
    ratios = over_the_best("searched", files=["expected/new-data/means.csv"])
    return {
        label.removeprefix("New: "): [*sizes[dataset], *ratios[dataset]]
        for dataset, label in NEW_DATA.items()
    }


def parts_of_local_bayes():
    """RMSE of each form over that of the whole method."""
    sets = section("which_model")["ablations"]["datasets"]
    rows = {label: f"variant == '{form}'" for form, label in FORMS.items()}
    columns = [f"dataset == '{dataset}' and {each}" for dataset in sets for each in at(1, 5, 20)]
    found = grid("which_model", "metric == 'rmse' and method == 'local_bayes'", rows, columns)()
    whole = np.array(found.pop(FORMS["whole"]))
    return {label: np.array(values) / whole for label, values in found.items()}


def lists_of_likes():
    rows = table("which_model", "ranking.csv")
    means = rows.groupby(["dataset", "method", "epsilon"], dropna=False)[["recall", "ndcg"]].mean()
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


EQUAL_ROWS = {
    key: f"dataset == '{dataset}' and method in {methods}"
    for label, dataset in (
        ("synthetic 20,000 x 500", "synthetic_large"), ("Jester 5k", "jester"),
        ("MovieLens 100K", "ml-100k"),
    )
    for key, methods in (
        (f"{label}: Local Bayes, no settings", ["local_bayes"]),
        (("best of ALS and A-IRLS, tuned", label), ["private_als", "private_irls"]),
        (("item + user bias, tuned", label), ["private_user_item_bias"]),
    )
}  # fmt: skip
DPALS_ROWS = {
    "MovieLens 100K: DPALS": "dataset == 'ml-100k' and method == 'dpals'",
    "DPALS without Gram matrices, rows clipped":
        "dataset == 'ml-100k' and method == 'dpals_h_free_clipped'",
    "item + user bias": "dataset == 'ml-100k' and method == 'private_user_item_bias'",
    "the user's own mean": "dataset == 'ml-100k' and method == 'user_mean'",
    "Jester: DPALS": "dataset == 'jester' and method == 'dpals'",
    "DP-AltMin": "dataset == 'jester' and method == 'dp_altmin'",
}  # fmt: skip
FIELD_ROWS = {
    label: f"method == '{method}'"
    for label, method in (
        ("private biases", "private_user_item_bias"), ("DPALS", "dpals"),
        ("DPALS, adaptive weights", "dpals_weights"),
        ("DPALS without Gram matrices", "dpals_h_free_clipped"),
        ("the same, adaptive weights", "dpals_weights_h_free"), ("DP-AltMin", "dp_altmin"),
        ("DPAM", "dpam"), ("noisy gradients from a private start", "dp_gradient_spectral"),
        ("effects and covariance", "dp_effects"),
    )
} | {"Local Bayes": "method == 'local_bayes'"}  # fmt: skip
FEATURE_ROWS = {
    "without features": "variant == 'no_features'",
    "with features": "variant == 'features' and method == 'local_bayes'",
    "shuffled features": "variant == 'shuffled_features'",
    "DP-CMF, with features": "variant == 'features' and method == 'dp_cmf'",
    "item encoder, with features": "variant == 'features' and method == 'dp_encoder'",
}
K_ROWS = {
    f"{label}, ε {epsilon}": f"dataset == '{dataset}' and epsilon == {epsilon}"
    for dataset, label in (("synthetic-20k", "random, 20,000 users"), ("ml-100k", "MovieLens 100K"))
    for epsilon in (1, 5, 20)
}
OR_NONE = "epsilon == {:g} or epsilon != epsilon"  # as what has no noise
OTHER_SPLITS = "| per cent, mean over places |"
TABLES = [
    (HUBER, "| variance, observed | printed (%) |", printed_advantage),
    (DOCS / "run.md", "| what | jobs | CPU minutes |", costs_of_runs),
    (ONEBIT, "| claimed epsilon | 1 | 2 |", onebit_accuracy),
    (ONEBIT, "| claimed epsilon | 1 | 4 | 10 |", steps_of_grap),
    (EQUAL, "RMSE at total epsilon | 1 | 5 | 20 |",
     grid("equal_privacy", "metric == 'rmse_heldout' and relation == 'user_add_remove'",
          EQUAL_ROWS, at(1, 5, 20))),
    (DPALS, "| random matrix | ε 1 |", drawn_matrices),
    (DPALS, "| real data | ε 1 |",
     grid("dpals", STANDARD, DPALS_ROWS, at(1, 5, 20, what=OR_NONE))),
    (DPALS, "| RMSE of DPALS | k = 20 |",
     grid("dpals", "metric == 'rmse'", K_ROWS,
          [f"variant == 'k_{k}'" for k in (20, 50, 100, 150, 250)],
          file="expected/ratings-per-user/means.csv")),
    (MODELS, "| | ε 0.5 | 1 | 2 | 5 |", ratios_of_local_bayes("tuned")),
    (MODELS, "| after a fair search |", fair_search),
    (MODELS, OTHER_SPLITS, other_splits),
    (MODELS, "| new data |", new_data),
    (FIELD, "| RMSE at ε 1, 5, 20 |",
     grid("which_model", "metric == 'rmse' and variant == 'searched'"
          " or metric == 'rmse' and variant == 'tuned' and method == 'local_bayes'", FIELD_ROWS,
          [f"dataset == '{name}' and {each}" for name in ("ml-100k", "jester", "sweetrs")
           for each in at(1, 5, 20)])),
    (MODELS, "| MovieLens 100K, 20 splits |",
     grid("which_model", "metric == 'rmse' and dataset == 'ml-100k'", FEATURE_ROWS,
          at(0.5, 1, 5, 20))),
    (MODELS, "| without a part |", parts_of_local_bayes),
    (RANKING, "| recall@20 / NDCG@20 |", lists_of_likes),
]  # fmt: skip


def rows_of(document, head):
    """Return the rows of a table of a document as label and numbers, in their order."""
    text = text_of(document)
    assert text.count(head) == 1, f"{name_of(document)} has no such table"
    lines = text.split(head)[1].split("\n\n")[0].splitlines()[2:]
    rows = [line.replace("**", "").strip("| ").split("|") for line in lines]
    return [(label.strip(), re.findall(NUMBER, "|".join(rest))) for label, *rest in rows]


@pytest.mark.parametrize(
    ("document", "head", "numbers"),
    TABLES,
    ids=[f"{each[0].stem}: {each[1]}" for each in TABLES],
)
def test_tables_show_the_numbers_of_the_reference(document, head, numbers):
    shown, behind, looked = rows_of(document, head), [], 0
    around, expected = "", numbers()
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

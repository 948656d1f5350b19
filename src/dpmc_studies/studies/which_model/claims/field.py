"""Methods of other papers, at settings of one search: beside earlier ones, and with features.

Rows are places (data set, epsilon), each a difference of log RMSE, paired by trial.
"""

from collections.abc import Collection

import pandas as pd

from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import mostly_below, not_available
from dpmc_studies.statistics.paired import pairs
from dpmc_studies.studies.which_model.cells import LOCAL_BAYES
from dpmc_studies.studies.which_model.claims.evidence import Evidence, claim, rows_of
from dpmc_studies.studies.which_model.frames import LATER, of_variants, places
from dpmc_studies.studies.which_model.variants import SEARCHED

LONG_TAIL = ("ml-100k",)  # data in which few items have most ratings
COLLECTIVE, ENCODED = ("dp_cmf", "dp_cmf_h_free"), ("dp_encoder", "dp_encoder_h_free")


def compared(
    trials: pd.DataFrame | None,
    first: Collection[str],
    second: Collection[str],
    datasets: Collection[str] = (),
) -> Finding:
    """MOST places: the best of the first methods has less error than that of the second."""
    rows = of_variants(trials, (SEARCHED,))
    if len(rows) and datasets:
        rows = rows[rows["dataset"].isin(datasets)]
    found = pairs(places(rows), first, second)
    if not found:
        return not_available("both methods at settings of one search")
    return mostly_below(rows_of(found))


@claim("K1")
def adaptive_weights_help(evidence: Evidence) -> Finding:
    """MOST budgets: the error of DPALS is less with adaptive weights, where items have a tail."""
    return compared(evidence.trials, ["dpals_weights"], ["dpals"], LONG_TAIL)


@claim("K2")
def adaptive_weights_help_without_gram_matrices(evidence: Evidence) -> Finding:
    """MOST budgets: the same without Gram matrices, with a bound of users' rows in both."""
    methods = ["dpals_weights_h_free"], ["dpals_h_free_clipped"]
    return compared(evidence.trials, *methods, LONG_TAIL)


@claim("W1")
def noisy_gradients_are_better_than_least_squares(evidence: Evidence) -> Finding:
    """MOST places: noisy gradients from a private spectral start have less error than DPALS."""
    return compared(evidence.trials, ["dp_gradient_spectral"], ["dpals"])


@claim("M1")
def the_covariance_helps(evidence: Evidence) -> Finding:
    """MOST places: effects with the covariance have less error than private biases."""
    return compared(evidence.trials, ["dp_effects"], ["private_user_item_bias"])


@claim("N1")
def later_methods_are_no_stronger_opponents(evidence: Evidence) -> Finding:
    """MOST places: the best of the others has less error than the best of these five."""
    trials = evidence.trials
    others = set() if trials is None else set(trials["method"]) - LATER
    return compared(trials, others, LATER)


def beside_dpals(trials: pd.DataFrame | None, methods: Collection[str]) -> Finding:
    """MOST budgets: the best of the methods with features has less error than the best DPALS."""
    with_features, without = of_variants(trials, ("features",)), of_variants(trials, (SEARCHED,))
    if with_features.empty or without.empty:
        return not_available("features of items")
    with_features = with_features[with_features["method"].isin(methods)]
    without = without[without["method"].str.startswith("dpals")]
    rows = pd.concat([with_features, without])
    found = pairs(places(rows), methods, set(without["method"]))
    return mostly_below(rows_of(found)) if found else not_available("features of items")


@claim("C1")
def collective_factorisation_helps(evidence: Evidence) -> Finding:
    """MOST budgets: features that are factored beside the ratings lower the error of DPALS."""
    return beside_dpals(evidence.trials, COLLECTIVE)


@claim("E1")
def an_encoder_of_features_helps(evidence: Evidence) -> Finding:
    """MOST budgets: an encoder of features lowers the error of DPALS."""
    return beside_dpals(evidence.trials, ENCODED)


@claim("L16")
def local_bayes_makes_more_of_features(evidence: Evidence) -> Finding:
    """MOST budgets: with features, Local Bayes has less error than the best of the others."""
    rows = of_variants(evidence.trials, ("features",))
    found = pairs(places(rows), [LOCAL_BAYES], (*COLLECTIVE, *ENCODED))
    return mostly_below(rows_of(found)) if found else not_available("other methods with features")

"""Claims of the form "A against B", as data: features, parts of Local Bayes, lists, other papers.

Rows are places (data set, epsilon), each a difference of log RMSE, paired by trial; with the
variant "recall" of log recall@20. Of several models, each a method at a variant of settings, the
one of least mean counts.
"""

from dpmc_studies.frame.judging.comparing import Comparison, at_places, compared_claims
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.studies.which_model.cells import LOCAL_BAYES
from dpmc_studies.studies.which_model.claims.evidence import PREDICATES, Evidence, rows_of
from dpmc_studies.studies.which_model.frames import (
    DATASETS,
    LATER,
    METHODS,
    NEW_DATA,
    PLACE,
    RANKED,
    models,
)
from dpmc_studies.studies.which_model.variants import FEATURES, FORMS, SEARCHED
from dpmc_studies.yaml_files import beside

RECALL = "recall"
COLLECTIVE, ENCODED = ("dp_cmf", "dp_cmf_h_free"), ("dp_encoder", "dp_encoder_h_free")
GROUPS = {
    "new data": NEW_DATA,
    "the later methods and effects": LATER,
    "the other methods up to 2021 and ours": [
        name for name in METHODS if name not in (*LATER, LOCAL_BAYES)
    ],
    "all forms of DPALS": [name for name in METHODS if name.startswith("dpals")],
    "both forms of DP-CMF": COLLECTIVE,
    "both forms of DPALS with an encoder": ENCODED,
    "DP-CMF and DPALS with an encoder": (*COLLECTIVE, *ENCODED),
}
"""What ``claims.yaml`` calls several values."""
MODEL = ("method", "variant")
COORDINATES = {"dataset": DATASETS, "epsilon": (), "method": {**RANKED, **METHODS}}
COORDINATES |= {"variant": {SEARCHED: "", RECALL: "", **FEATURES, **FORMS}}


def judged(evidence: Evidence, comparison: Comparison) -> Finding:
    """Judge a comparison at all its places: of new data if it names them, of lists if recalls."""
    is_new = set(comparison.where.values.get("dataset", ())) == set(NEW_DATA)
    table = evidence.new if is_new else evidence.trials
    if comparison.first.values.get("variant") == (RECALL,):
        lists = evidence.ranking
        table = None if lists is None else lists.assign(variant=RECALL, rmse=lists["recall"])
    return comparison.judge(rows_of(at_places(comparison, models(table), PLACE, MODEL)))


PREDICATES.update(
    compared_claims(beside(__file__, "claims.yaml"), judged, COORDINATES, GROUPS, MODEL)
)

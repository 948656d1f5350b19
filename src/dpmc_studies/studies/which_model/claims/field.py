"""Claims of the form "A against B", as data: features of items, and methods of other papers.

Rows are places (data set, epsilon), each a difference of log RMSE, paired by trial. Of several
models, each a method at a variant of settings, the one of least mean counts.
"""

from dpmc_studies.frame.judging.comparing import Comparison, at_places, compared_claims
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.studies.which_model.cells import LOCAL_BAYES
from dpmc_studies.studies.which_model.claims.evidence import PREDICATES, Evidence, rows_of
from dpmc_studies.studies.which_model.frames import (
    DATASETS,
    FEATURES,
    LATER,
    METHODS,
    PLACE,
    models,
)
from dpmc_studies.studies.which_model.variants import SEARCHED
from dpmc_studies.yaml_files import beside

COLLECTIVE, ENCODED = ("dp_cmf", "dp_cmf_h_free"), ("dp_encoder", "dp_encoder_h_free")
GROUPS = {
    "later": LATER,
    "earlier": [name for name in METHODS if name not in (*LATER, LOCAL_BAYES)],
    "forms of dpals": [name for name in METHODS if name.startswith("dpals")],
    "collective": COLLECTIVE,
    "with an encoder": ENCODED,
    "others with features": (*COLLECTIVE, *ENCODED),
}
"""What ``claims.yaml`` calls several methods."""
MODEL = ("method", "variant")
COORDINATES = {"dataset": DATASETS, "epsilon": (), "method": METHODS}
COORDINATES |= {"variant": (SEARCHED, *FEATURES)}


def judged(evidence: Evidence, comparison: Comparison) -> Finding:
    """Judge a comparison at all its places."""
    found = at_places(comparison, models(evidence.trials), PLACE, MODEL)
    return comparison.judge(rows_of(found))


PREDICATES.update(
    compared_claims(beside(__file__, "claims.yaml"), judged, COORDINATES, GROUPS, MODEL)
)

"""Local Bayes on real data that it was not developed with, L17 and L18, and its parts, L19 to L21.

Rows are places (data set, epsilon), each a difference of log RMSE, paired by trial.
"""

from dataclasses import replace

from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import explained, mostly_below, not_available
from dpmc_studies.studies.which_model.claims.evidence import Evidence, claim, rows_of
from dpmc_studies.studies.which_model.claims.opponents import named, near_the_best
from dpmc_studies.studies.which_model.claims.parts import part_matters
from dpmc_studies.studies.which_model.frames import of_opponents

FORMS = {"L19": "no_prior", "L20": "no_covariance", "L21": "plain_residuals"}


@claim("L17")
def local_bayes_is_near_the_best_on_new_data(evidence: Evidence) -> Finding:
    """ALL places: its error is less than 1 % above that of the best other."""
    return near_the_best(of_opponents(evidence.new), "methods on new data")


@claim("L18")
def local_bayes_leads_on_new_data(evidence: Evidence) -> Finding:
    """MOST places: its error is below that of the best other."""
    found = of_opponents(evidence.new)
    if not found:
        return not_available("methods on new data")
    return explained(mostly_below(rows_of(found)), f"{named(found)}.")


def part_matters_on_new_data(name: str):
    """Return the predicate of a form, as on development data."""
    judged = part_matters(name)
    return lambda evidence: judged(replace(evidence, trials=evidence.new))


for _name, _form in FORMS.items():
    claim(_name)(part_matters_on_new_data(_form))

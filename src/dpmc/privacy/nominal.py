"""Nominal privacy budgets: Table 1 of the Huber mechanism paper, and the correct values.

"Nominal" means the epsilon of one release of one coordinate, at an assumed sensitivity. Training
releases many coordinates in every iteration, and nothing bounds the sensitivity of the noised
numbers. None of these numbers is therefore a guarantee of a run.
"""

from collections.abc import Iterable

from dpmc.errors import InputError
from dpmc.mechanisms import make_mechanism
from dpmc.mechanisms.base import positive_finite, probability

NOT_A_GUARANTEE = (
    "Nominal: per release, one coordinate, at the sensitivity given; not a guarantee of a run."
)

PARAMETER = {"gaussian": "sigma", "laplace": "b", "huber": "a"}
"""Symbol of the parameter that ``table_one`` lists for each mechanism."""


def table_one(
    variances: Iterable[float] = (1.0, 2.0, 3.0, 4.0),
    sensitivity: float = 5.0,
    delta: float = 1e-5,
) -> list[dict[str, object]]:
    """Return the nominal budgets of the three mechanisms, per release and coordinate.

    Rows are in the order of the paper's table, by mechanism. Each has the epsilon by the paper's
    formula (for Gaussian noise with log10 instead of ln), by the corrected formula (with ln, proven
    below 1 only), and the exact epsilon (analytic Gaussian, Balle and Wang 2018; the other two
    formulas are exact). ``delta`` applies to Gaussian noise only, and :data:`PARAMETER` names the
    parameter. The paper takes the sensitivity 5 and calls it the range of the ratings. Huber noise
    of scale 1 has a variance above 1. At variance 1 the papers take a = 3 (variance 1.003610);
    below 1 its parameter and epsilons are None.

    [Gowtham 2022], Table 1, prints 5.382, 4.235 and 3.602 for Huber noise of variance 2, 3 and 4.
    The formula a D is right, but the a were not solved to the reported precision; the correct
    numbers are 5.3799, 4.2163 and 3.6012.
    """
    variances = [positive_finite("variance", variance) for variance in variances]
    sensitivity = positive_finite("sensitivity", sensitivity)
    if probability("delta", delta) == 0:
        raise InputError("delta must be above 0, because Gaussian noise has no pure epsilon.")
    return [
        _row(mechanism, variance, sensitivity, float(delta))
        for mechanism in PARAMETER
        for variance in variances
    ]


def _row(mechanism: str, variance: float, sensitivity: float, delta: float) -> dict[str, object]:
    if mechanism == "huber" and variance < 1:
        parameter = published = corrected = exact = None
    else:
        noise = make_mechanism(mechanism, variance)
        if mechanism == "gaussian":
            published, corrected, exact = (
                noise.epsilon(sensitivity, delta, formula=formula)
                for formula in ("published", "classical", "exact")
            )
        else:
            published = corrected = exact = noise.epsilon(sensitivity)
        parameter = noise.a if mechanism == "huber" else noise.scale
    return {
        "mechanism": mechanism,
        "variance": variance,
        "parameter": parameter,
        "epsilon_published_form": published,
        "epsilon_corrected": corrected,
        "epsilon_exact": exact,
        "delta": delta if mechanism == "gaussian" else 0.0,
    }

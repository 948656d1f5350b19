"""Which mechanism needs the least noise for a budget: a map over releases and epsilon."""

from collections.abc import Iterable

from dpmc.privacy.calibration import CALIBRATED, Calibration, calibrate

COLUMNS = (
    "releases", "epsilon", "delta", "laplace", "gaussian", "huber", "huber_a", "huber_scale",
    "ratio", "best",
)  # fmt: skip

WORTHWHILE = 1e-3
"""Share of the variance that Huber noise has to save to count as best: it is never worse than the
other two, which are its limits."""


def frontier_table(
    releases: Iterable[int], epsilons: Iterable[float], delta: float = 1e-5
) -> list[dict[str, object]]:
    """Return the smallest variances at sensitivity 1 for each number of releases and budget.

    Parameters
    ----------
    releases : iterable of int
    epsilons : iterable of float
        Of all releases together.
    delta : float

    Returns
    -------
    list of dict
        With the keys COLUMNS: the variances of the three mechanisms (Huber noise optimised over
        both its parameters), those parameters, Huber's variance over the smaller of the other two,
        and the name of the best.
    """
    epsilons = list(epsilons)
    return [_row(count, epsilon, delta) for count in releases for epsilon in epsilons]


def smallest_variances(releases: int, epsilon: float, delta: float) -> dict[str, Calibration]:
    """Return the calibrated noise of each mechanism that the budget allows."""
    return {
        mechanism: calibrate(mechanism, releases=releases, epsilon=epsilon, delta=delta)
        for mechanism in CALIBRATED
        if delta > 0 or mechanism != "gaussian"
    }


def best_of(costs: dict[str, float]) -> str:
    """Return the mechanism of the lowest cost, Huber only if it saves enough."""
    others = {name: cost for name, cost in costs.items() if name != "huber"}
    best = min(others, key=others.__getitem__)
    return "huber" if costs["huber"] < others[best] * (1 - WORTHWHILE) else best


def _row(count: int, epsilon: float, delta: float) -> dict[str, object]:
    found = smallest_variances(count, epsilon, delta)
    variances = {mechanism: one.noise.var() for mechanism, one in found.items()}
    huber = found["huber"].noise
    return {
        "releases": count,
        "epsilon": float(epsilon),
        "delta": delta,
        **variances,
        "huber_a": huber.a,
        "huber_scale": huber.scale,
        "ratio": variances["huber"] / min(variances["gaussian"], variances["laplace"]),
        "best": best_of(variances),
    }

"""The noise of DPALS as theorem 1 of the paper has it, and as its budget asks for.

sigma is the standard deviation of the noise at Gamma_u = Gamma_M = 1; add/remove user.

Each of T iterations releases two statistics of sensitivity sqrt(k), so the fit is Gaussian DP with
mu^2 = 2 k T / sigma^2, exactly (:mod:`dpmc_studies.methods.user_level.plan`), and (alpha, alpha k T
/ sigma^2)-RDP. Theorem 1 counts one of the two: its sigma is a factor sqrt(2) short of the one that
its rho^2 needs. That its conversion is loose makes up for most of it, not for all.

Source: [Chien 2021], theorem 1.
"""

import math
from collections.abc import Iterable, Iterator, Mapping

from dpmc.mechanisms import Gaussian
from dpmc.privacy.calibration import calibrate
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods.user_level.plan import published_sigma

ACCOUNTING_COLUMNS = (
    "epsilon", "delta", "ratings_per_user", "iterations", "published_sigma", "epsilon_at_published",
    "exact_sigma", "mu",
)  # fmt: skip


def run(task: Task) -> Iterator[dict[str, float]]:
    """Return the rows of the table ``accounting``."""
    return accounting_rows(**task.settings)


def exact_sigma(epsilon: float, delta: float, ratings_per_user: int, iterations: int) -> float:
    """Return the smallest sigma that keeps to (epsilon, delta)."""
    noise = calibrate("gaussian", releases=1, epsilon=epsilon, delta=delta).noise
    return noise.scale * math.sqrt(2 * ratings_per_user * iterations)


def epsilon_at(sigma: float, delta: float, ratings_per_user: int, iterations: int) -> float:
    """Return the epsilon that T iterations with noise ``sigma`` have at delta, exactly."""
    return Gaussian(sigma).epsilon(math.sqrt(2 * ratings_per_user * iterations), delta)


def accounting_rows(
    points: Iterable[tuple[float, int, int]], delta: float
) -> Iterator[dict[str, float]]:
    """Yield the rows of accounting.csv, with the keys :data:`ACCOUNTING_COLUMNS`."""
    for epsilon, k, iterations in points:
        reported = published_sigma(epsilon, delta, k, iterations)
        exact = exact_sigma(epsilon, delta, k, iterations)
        yield {
            "epsilon": epsilon,
            "delta": delta,
            "ratings_per_user": k,
            "iterations": iterations,
            "published_sigma": reported,
            "epsilon_at_published": epsilon_at(reported, delta, k, iterations),
            "exact_sigma": exact,
            "mu": math.sqrt(2 * k * iterations) / exact,
        }


def settings(section: Mapping, cell: object) -> Mapping:
    """Return what the job uses."""
    return {"delta": section["delta"], **section["accounting"]}


TABLES = {"accounting": ACCOUNTING_COLUMNS}

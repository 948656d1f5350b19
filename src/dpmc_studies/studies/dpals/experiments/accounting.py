"""The noise of DPALS by theorem 1 of the paper, compared with the noise that its budget needs.

sigma is the standard deviation of the noise at Gamma_u = Gamma_M = 1. Neighbours differ by one
user.

Each of T iterations releases two statistics of sensitivity sqrt(k), so the fit is Gaussian DP with
mu^2 = 2 k T / sigma^2, exactly (:mod:`dpmc_studies.methods.user_level.plan`), and (alpha, alpha k T
/ sigma^2)-RDP. Theorem 1 counts one of the two statistics, so its sigma is sqrt(2) times smaller
than its rho^2 needs. The theorem's loose conversion makes up for most of this factor, not all.

Source: [Chien 2021], theorem 1.
"""

import math
from collections.abc import Iterator, Mapping

from dpmc.mechanisms import Gaussian
from dpmc.privacy.calibration import calibrate
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods.user_level.plan import published_sigma

ACCOUNTING_COLUMNS = (
    "epsilon", "delta", "ratings_per_user", "iterations", "published_sigma", "epsilon_at_published",
    "exact_sigma", "mu",
)  # fmt: skip


def run(task: Task) -> Iterator[dict[str, float]]:
    """Yield the rows of the table ``accounting``: a row for each epsilon, k and T."""
    delta = task.settings["delta"]
    for epsilon, k, iterations in task.settings["points"]:
        reported, change = published_sigma(epsilon, delta, k, iterations), 2 * k * iterations
        noise = calibrate("gaussian", releases=1, epsilon=epsilon, delta=delta).noise
        exact = noise.scale * math.sqrt(change)
        yield {
            "epsilon": epsilon,
            "delta": delta,
            "ratings_per_user": k,
            "iterations": iterations,
            "published_sigma": reported,
            "epsilon_at_published": Gaussian(reported).epsilon(math.sqrt(change), delta),
            "exact_sigma": exact,
            "mu": math.sqrt(change) / exact,
        }


def settings(section: Mapping, cell: object) -> Mapping:
    """Return what the job uses."""
    return {"delta": section["delta"], **section["accounting"]}


TABLES = {"accounting": ACCOUNTING_COLUMNS}

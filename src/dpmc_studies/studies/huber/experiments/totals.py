"""The total privacy budget of a training, from the budget that the papers publish for one release.

The totals assume, like the papers, that every release changes by at most the sensitivity: in l1 for
Laplace and Huber noise, in l2 for Gaussian noise. The published algorithms do not ensure this: they
do not clip the factors, they use the Gram matrices without noise, and the completed matrix contains
user factors computed from ratings without noise. Therefore the totals are not guarantees either.
"""

from collections.abc import Iterable, Mapping
from itertools import product

from dpmc.mechanisms import make_mechanism
from dpmc.privacy.accounting import Releases, epsilon
from dpmc.privacy.nominal import PARAMETER
from dpmc.privacy.relations import ENTRY_CHANGE

TOTAL_COLUMNS = (
    "mechanism", "variance", "releases", "sensitivity", "delta", "accountant", "epsilon",
    "epsilon_lower", "epsilon_upper",
)  # fmt: skip
EPSILONS = tuple(name for name in TOTAL_COLUMNS if name.startswith("epsilon"))
TOTAL_KEYS = tuple(name for name in TOTAL_COLUMNS if name not in EPSILONS)
"""What names a row of the totals; all other columns are numbers that ``check`` compares."""


def run(task) -> dict[str, list[dict[str, object]]]:
    """Compute the totals; the settings are the arguments of :func:`totals_table`."""
    return {"totals": totals_table(**task.settings)}


def totals_table(
    variances: Iterable[float] = (1.0, 2.0, 3.0, 4.0),
    releases: Iterable[int] = (20, 50, 100, 200, 400, 1000, 2000),
    sensitivity: float = 5.0,
    delta: float = 1e-5,
) -> list[dict[str, object]]:
    """Return the totals of each mechanism by each accountant that it has.

    The variances of the noise are 1 or more. Huber noise has scale 1; at variance 1 its shape is
    set to a = 3. ``delta`` belongs to the total, except for basic composition of Laplace and Huber
    noise, which is pure (delta 0). Rows have the keys :data:`TOTAL_COLUMNS`. ``epsilon_lower`` and
    ``epsilon_upper`` bound the smallest epsilon; "basic" and "rdp" have no lower bound (None).
    """
    rows = []
    for mechanism, variance, count in product(PARAMETER, map(float, variances), releases):
        released = Releases(make_mechanism(mechanism, variance), float(sensitivity), count)
        gaussian = mechanism == "gaussian"
        for name in ["basic", "rdp", "pld"] + ["exact"] * gaussian:
            # the papers call the sensitivity the range of the ratings: one of them changes
            answer = epsilon(released, float(delta), relation=ENTRY_CHANGE, accountant=name)
            rows.append(
                {
                    "mechanism": mechanism,
                    "variance": variance,
                    "releases": count,
                    "sensitivity": sensitivity,
                    "delta": answer.delta if gaussian or name != "basic" else 0.0,
                    "accountant": name,
                    "epsilon": answer.epsilon,
                    "epsilon_lower": answer.lower or None,
                    "epsilon_upper": answer.upper,
                }
            )
    return rows


def settings(section: Mapping, cell: object) -> Mapping:
    """Return what the job uses."""
    return dict(section["totals"])


TABLES = {"totals": TOTAL_COLUMNS}

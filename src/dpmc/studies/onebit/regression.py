"""What the check compares of the one-bit part, see :mod:`dpmc.study.check_parts`.

The solvers use BLAS, whose kernels differ between CPUs. Measured with those of three kinds of CPU,
100 x 100 completions differ by at most a relative 1e-7. Large ones, which are in single precision
and may stop an iteration earlier, have a tolerance of their own in the reference.
"""

from dpmc.errors import InputError
from dpmc.studies.onebit.cells import CLEAR, ONEBIT_COLUMNS, ONEBIT_COORDINATES
from dpmc.study.check_parts import Part
from dpmc.study.runs import Settings

_NOT_COMPARED = ("iterations", "converged", "seconds")  # how it was computed
ONEBIT_METRICS = tuple(
    name for name in ONEBIT_COLUMNS if name not in (*ONEBIT_COORDINATES, "trial", *_NOT_COMPARED)
)


def by_mechanism(settings: Settings) -> Settings:
    """Return the settings of each row of a job: of "clear", and of each of its baselines.

    Raises
    ------
    InputError
        They are not the settings of one-bit cells.
    """
    cells = {}
    for name, values in settings.cells.items():
        try:
            own = {key: value for key, value in values.items() if key != "baselines"}
            own["trials"] = own.pop("draws")
            for mechanism in (CLEAR, *values.get("baselines", ())):
                cells[name.replace(f"mechanism={CLEAR}", f"mechanism={mechanism}")] = own
        except (AttributeError, KeyError, TypeError):
            raise InputError(
                f"The settings of the cell {name} are not of a one-bit cell."
            ) from None
    return Settings(settings.reference, cells)


ONEBIT = Part("onebit", "one-bit", ONEBIT_COORDINATES, ONEBIT_METRICS, by_mechanism)

"""What the evidence of the errata is computed from."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Sources:
    """What one flip does to the solution, and the attack on output perturbation.

    None where they have not been run.
    """

    change: pd.DataFrame | None = None
    attack: pd.DataFrame | None = None

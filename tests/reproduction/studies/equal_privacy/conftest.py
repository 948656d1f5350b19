"""What tests of the study share."""

import pytest
from fake_results import equal_privacy


@pytest.fixture(scope="session")
def calibrated():
    """The committed fits."""
    return equal_privacy.tables()["calibrated"]


@pytest.fixture(scope="session")
def scaled(calibrated):
    """A function that returns a copy with the errors of some models multiplied."""

    def planted(factor, table=calibrated, **where):
        table = table.copy()
        chosen = {name: [values] if isinstance(values, str | float) else list(values)
                  for name, values in where.items()}  # fmt: skip
        here = table[list(chosen)].isin(chosen).all(axis=1)
        table.loc[here, ["rmse_all", "rmse_heldout", "rmse_clipped"]] *= factor
        return table

    return planted

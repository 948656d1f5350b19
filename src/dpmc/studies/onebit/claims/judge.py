"""Judging every claim of ``claims.yaml``."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc.studies.onebit.claims import (  # noqa: F401  (importing them registers their predicates)
    link_facts,
    privacy_facts,
    real_data,
    synthetic,
)
from dpmc.studies.onebit.claims.evidence import PREDICATES, OneBitEvidence, Outputs
from dpmc.study.claims import load_claims, table_of_verdicts
from dpmc.study.runs import read_frame

FILE = Path(__file__).parents[1] / "claims.yaml"


def run(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Run the step: the verdicts on the results in ``folder``."""
    names = ("trials", "outp_change", "outp_attack")
    tables = [read_frame(Path(folder) / f"{name}.csv") for name in names]
    return {"claims": judge_onebit(*tables, load_onebit_claims())}


def load_onebit_claims(path: str | Path = FILE) -> list[dict[str, str]]:
    """Load the claims of the one-bit paper, see :func:`dpmc.study.claims.load_claims`.

    Raises
    ------
    InputError
        As there.
    """
    return load_claims(path, PREDICATES)


def judge_onebit(
    trials: pd.DataFrame,
    outp_change: pd.DataFrame | None,
    outp_attack: pd.DataFrame | None,
    claims: list[dict[str, str]],
) -> pd.DataFrame:
    """Judge the claims of the one-bit paper.

    Parameters
    ----------
    trials : DataFrame
        Columns :data:`dpmc.studies.onebit.cells.ONEBIT_COLUMNS`, any order of rows.
    outp_change, outp_attack : DataFrame or None
        As :mod:`dpmc.studies.onebit.outp` makes them, None where they have not been run.
    claims : list of dict
        As :func:`load_onebit_claims` returns it.

    Returns
    -------
    DataFrame
        Columns :data:`dpmc.study.claims.CLAIM_COLUMNS`, one row per claim in the
        order given. Effects are natural logarithms of ARE ratios, or differences of shares of right
        signs, unless the predicate says otherwise; NaN where there is none. Reported verdicts are
        inconclusive: the figures' values are not available.

    Raises
    ------
    InputError
        A cell has two rows for one trial.
    """
    outputs = (Outputs(trials, kind) for kind in ("truncated", "raw"))
    return table_of_verdicts(claims, PREDICATES, OneBitEvidence(*outputs, outp_change, outp_attack))

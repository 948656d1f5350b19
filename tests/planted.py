"""Effects that are planted into made-up trials, and made-up tables of DPALS that hold some."""

from functools import cache

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.claims import table_of_verdicts
from dpmc_studies.studies.dpals.cells import DPALS_COLUMNS, DPALS_COORDINATES, ITERATION_COLUMNS
from dpmc_studies.studies.dpals.claims.evidence import PREDICATES, evidence_of
from dpmc_studies.studies.dpals.claims.judge import load_dpals_claims

USERS = {"synthetic-5k": 5000, "synthetic-10k": 10_000, "synthetic-20k": 20_000,
         "synthetic-50k": 50_000}  # fmt: skip
ITEMS = {"items-250": 250, "items-500": 500, "items-2000": 2000}


def when(amount, **where):
    """Return the effect ``amount`` in the cells with these coordinates (a value or several)."""

    def effect(cell):
        for name, allowed in where.items():
            values = allowed if isinstance(allowed, list) else [allowed]
            if getattr(cell, name) not in values:
                return 0.0
        return amount

    return effect


def plus(*effects):
    return lambda cell: sum(effect(cell) for effect in effects)


@cache
def dpals_claim(name):
    return next(claim for claim in load_dpals_claims() if claim["id"] == name)


def judged(name, tables):
    """Return the row of a claim of DPALS on tables by name, or trials, as they are alone."""
    frames = tables if isinstance(tables, dict) else {"trials": tables}
    return table_of_verdicts([dpals_claim(name)], PREDICATES, evidence_of(frames)).iloc[0]


def planted_trials(levels, *, spread=0.001, trials=6, seed=0):
    """Return trials from {(dataset, method, variant, epsilon): log RMSE}, NaN for no epsilon."""
    rng = np.random.default_rng(seed)
    rows = [
        dict(zip(DPALS_COORDINATES, cell, strict=True))
        | {"trial": trial, "users": USERS.get(cell[0], 20_000 if cell[0] in ITEMS else 1000)}
        | {"rmse": np.exp(level + spread * rng.standard_normal())}
        | {"items": ITEMS.get(cell[0], 1000)}
        | {
            "ratings": round(20 * np.log(USERS[cell[0]]) * USERS[cell[0]])
            if cell[0] in USERS
            else np.nan
        }
        for cell, level in levels.items()
        for trial in range(trials)
    ]
    table = pd.DataFrame(rows).reindex(columns=list(DPALS_COLUMNS))
    return table.assign(rse=table["rmse"])


def planted_iterations(slopes, *, spread=0.001, trials=6, steps=8, seed=0):
    """Return errors by iteration from {(method, epsilon): slope of log RSE}."""
    rng = np.random.default_rng(seed)
    rows = [
        {"dataset": "synthetic-20k", "method": method, "variant": "long", "epsilon": epsilon}
        | {"trial": trial, "iteration": step, "rse": np.exp(own * step)}
        for (method, epsilon), slope in slopes.items()
        for trial in range(trials)
        for own in [slope + spread * rng.standard_normal()]
        for step in range(1, steps + 1)
    ]
    table = pd.DataFrame(rows).reindex(columns=list(ITERATION_COLUMNS))
    return table.assign(rmse=table["rse"])

"""Models at an equal total budget: their errors, which one wins, and which are tied with it.

RMSE is on all entries of synthetic data and on held-out ratings of real data. Models of one
(data set, relation, epsilon) share the data, split and start of a trial, so that differences are
paired by trial, on the logarithmic scale.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpmc.statistics.tests import holm, log_positive, row_tests, trial_matrix
from dpmc.studies.equal_privacy.frames import CELL, MODEL
from dpmc.study.frames import FACTOR_MODELS, PRIVATE_BASELINES

LEVEL = 0.05
WORTH_NAMING = 0.01  # a difference within one per cent is none, as for the claims


@dataclass(frozen=True)
class Place:
    """Who has the lowest error at one (data set, relation, epsilon).

    Attributes
    ----------
    cell : tuple
        Data set, relation, epsilon.
    best : tuple of str
        Method and mechanism of the lowest mean log RMSE.
    tied : tuple of (str, str)
        Those whose paired difference to it is not significant after Holm's correction.
    """

    cell: tuple
    best: tuple[str, str]
    tied: tuple[tuple[str, str], ...]

    @property
    def leaders(self) -> tuple[tuple[str, str], ...]:
        """The best and those tied with it."""
        return (self.best, *self.tied)


def error(calibrated: pd.DataFrame) -> pd.Series:
    """Return the RMSE of each row: on all entries where they are known, else on held-out ones."""
    whole = calibrated["rmse_all"].astype(float)
    return whole.where(whole.notna(), calibrated["rmse_heldout"].astype(float))


def private(calibrated: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of models with a guarantee."""
    return calibrated[calibrated["relation"].notna()]


def references(calibrated: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of models without noise, which guarantee nothing."""
    return calibrated[calibrated["relation"].isna()]


def summary(calibrated: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard error, 95 % t interval and trials of the RMSE of every model.

    Columns: those of ``CELL`` and ``MODEL``, then ``mean``, ``standard_error``, ``low``, ``high``,
    ``trials``. A reference has neither relation nor epsilon.
    """
    cells, matrix = trial_matrix(calibrated, error(calibrated), [*CELL, *MODEL])
    tests = row_tests(matrix)
    fields = ("mean", "standard_error", "low", "high", "trials")
    return cells.assign(**{field: getattr(tests, field) for field in fields})


def one_mechanism_per_baseline(calibrated: pd.DataFrame) -> pd.DataFrame:
    """Keep of every private baseline, at every budget, the mechanism of the lowest mean log RMSE.

    That choice is made on the errors themselves, so it favours the baselines.
    """
    is_baseline = calibrated["method"].isin(PRIVATE_BASELINES) & calibrated["relation"].notna()
    baselines = calibrated[is_baseline]
    logs = baselines.assign(log_rmse=log_positive(error(baselines)))
    means = logs.groupby([*CELL, *MODEL], as_index=False)["log_rmse"].mean().dropna()
    best = means.loc[means.groupby([*CELL, "method"])["log_rmse"].idxmin(), [*CELL, *MODEL]]
    kept = baselines.merge(best, on=[*CELL, *MODEL])
    return pd.concat([calibrated[~is_baseline], kept], ignore_index=True)


def logs_by_trial(cell: pd.DataFrame) -> pd.DataFrame:
    """Return log RMSE of one (data set, relation, epsilon): a row a trial, a column a model."""
    values = cell.assign(log_rmse=log_positive(error(cell)))
    table = values.pivot(index="trial", columns=MODEL, values="log_rmse")
    return table.dropna(axis=1, how="all")


def winners(calibrated: pd.DataFrame) -> list[Place]:
    """Return the winner of every (data set, relation, epsilon) among the private models."""
    return [
        _winner(cell, logs_by_trial(part))
        for cell, part in private(calibrated).groupby(CELL, sort=True)
    ]


def _winner(cell: tuple, logs: pd.DataFrame) -> Place:
    best = logs.mean().idxmin()
    others = logs.drop(columns=[best])
    tests = row_tests(others.sub(logs[best], axis=0).to_numpy().T)
    above = holm(tests.p_value) <= LEVEL  # one trial has no p-value: tied with everything
    return Place(cell, best, tuple(others.columns[~above]))


def advantage(calibrated: pd.DataFrame, first: list, second: list) -> pd.DataFrame:
    """Set the best of some models against the best of others at every budget.

    Parameters
    ----------
    calibrated : DataFrame
    first, second : list of (method, mechanism)
        The best of each is that of the lowest mean log RMSE there.

    Returns
    -------
    DataFrame
        A row for every (data set, relation, epsilon) that has both: ``first``, ``second`` (which
        models), ``difference``, ``low``, ``high`` of log RMSE and ``p_adjusted`` (Holm over all
        rows).
    """
    rows = []
    for cell, part in private(calibrated).groupby(CELL, sort=True):
        logs = logs_by_trial(part)
        sides = [[name for name in names if name in logs.columns] for names in (first, second)]
        if not all(sides):
            continue
        one, other = (logs[names].mean().idxmin() for names in sides)
        tests = row_tests((logs[one] - logs[other]).to_numpy()[None, :])
        rows.append(
            {
                **dict(zip(CELL, cell, strict=True)),
                "first": one,
                "second": other,
                "difference": tests.mean[0],
                "low": tests.low[0],
                "high": tests.high[0],
                "p_value": tests.p_value[0],
            }
        )
    columns = [*CELL, "first", "second", "difference", "low", "high", "p_value"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(p_adjusted=holm(frame.pop("p_value")))


def better(frame: pd.DataFrame) -> np.ndarray:
    """Say for each row of :func:`advantage` whether the first is better, beyond chance."""
    return ((frame["p_adjusted"] <= LEVEL) & (frame["difference"] < -WORTH_NAMING)).to_numpy()


def worse(frame: pd.DataFrame) -> np.ndarray:
    """Say for each row of :func:`advantage` whether the first is worse, beyond chance."""
    return ((frame["p_adjusted"] <= LEVEL) & (frame["difference"] > WORTH_NAMING)).to_numpy()


def models_of(calibrated: pd.DataFrame, methods, mechanisms=None) -> list[tuple[str, str]]:
    """Return the (method, mechanism) pairs of a table with one of these methods and mechanisms."""
    rows = private(calibrated)
    rows = rows[rows["method"].isin(list(methods))]
    if mechanisms is not None:
        rows = rows[rows["mechanism"].isin(list(mechanisms))]
    return list(rows[MODEL].drop_duplicates().itertuples(index=False, name=None))


def factor_models(calibrated: pd.DataFrame, mechanisms=None) -> list[tuple[str, str]]:
    """Return the matrix factorisations of a table."""
    return models_of(calibrated, FACTOR_MODELS, mechanisms)


def baseline_models(calibrated: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the private baselines of a table."""
    return models_of(calibrated, PRIVATE_BASELINES)

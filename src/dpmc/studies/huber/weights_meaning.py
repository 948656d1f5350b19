"""Why A-IRLS and ALS hardly differ, in a few lines with the numbers behind them."""

import pandas as pd

from dpmc.statistics.bootstrap import pooled_interval
from dpmc.studies.huber.statistics import against_same_noise, share_below_one
from dpmc.study.cells import SYNTHETIC
from dpmc.study.effects import Answer, effect_text
from dpmc.study.frames import MECHANISM_LABELS, select, trials_text


def weights_meaning(weights: pd.DataFrame | None, claims: pd.DataFrame) -> list[Answer]:
    """Return the line on the weights of A-IRLS, the ground of claims H7, H8 and H12 to H15.

    Parameters
    ----------
    weights : DataFrame or None
        The table of :mod:`dpmc.studies.huber.weights`; no line without synthetic rows with Huber
        noise.
    claims : DataFrame
        The verdict is that of claim H38.
    """
    table = pd.DataFrame() if weights is None else select(weights, dataset=SYNTHETIC)
    if table.empty or not (table["mechanism"] == "huber").any():
        return []
    huber = table[table["mechanism"] == "huber"]
    cells, matrix = against_same_noise(huber)
    interval = pooled_interval(matrix)
    noisy = table[table["mechanism"] != "none"]
    shares = [
        f"{', '.join(_share(part, name) for name, part in rows.groupby('mechanism'))} at variance "
        f"{variance:g}"
        for variance, rows in noisy.groupby("variance")
    ]
    text = (
        "Noise enters the right-hand side after the weighting and never the residuals, so the "
        "weights do not see it; where they are 1, A-IRLS is ALS with the noise of its last inner "
        f"step. Share of weights below 1 after the first inner step: {'; '.join(shares)}. RMSE of "
        f"A-IRLS with Huber noise against ALS with the same noise: {effect_text(interval)} over "
        f"{len(cells)} cells ({trials_text([interval.trials])}). Claims H7, H8 and H12 to H15 and "
        "H37 compare the two with different noise."
    )
    verdict = claims.set_index("id").loc["H38", "verdict"]
    return [Answer(verdict, "The weights of A-IRLS handle the noise (H38)", text)]


def _share(rows: pd.DataFrame, mechanism: str) -> str:
    return f"{100 * share_below_one(rows):.2g} % ({MECHANISM_LABELS[mechanism]})"

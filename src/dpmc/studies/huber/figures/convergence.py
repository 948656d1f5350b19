"""Figure: RMSE after each outer iteration, by mechanism, method and place of the noise."""

import pandas as pd

from dpmc.frame.showing.frames import (
    MECHANISM_LABELS,
    METHOD_LABELS,
    cell_means,
    select,
    trials_text,
)
from dpmc.frame.showing.panels import Axis, Curve, Panel, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import MECHANISMS, Drawing, needed

TARGET_LABELS = {
    "right_hand_side": "noise on the right-hand side",
    "iterate": "noise on the iterates",
}
KEYS = ["dataset", "rank", "variance", "observed_fraction", "method", "mechanism", "noise_target"]
SETTING = ["rank", "variance", "observed_fraction"]


def convergence_by_iteration(inputs: Results) -> Drawing:
    """Draw the mean RMSE on all entries by iteration with its 95 % t interval.

    A row of panels per setting, a column per method and place of the noise; the run without
    noise is repeated in every panel of its method.
    """
    frame = needed(inputs, "convergence", "The convergence experiment has not been run")
    data = cell_means(frame, "rmse_all", [*KEYS, "iteration"])
    noisy = data[data["mechanism"] != "none"]
    settings = list(noisy[SETTING].drop_duplicates().itertuples(index=False))
    present = set(zip(noisy["noise_target"], noisy["method"], strict=True))
    columns = [(t, s) for t in TARGET_LABELS for s in METHOD_LABELS if (t, s) in present]
    panels = [
        _panel(data, setting, method, target, first=setting == settings[0])
        for setting in settings
        for target, method in columns
    ]
    style = {"columns": len(columns), "height": 2.3, "head": 0.7, "legend": {"ncols": 4}}
    order = list(MECHANISM_LABELS.values())
    return draw_panels(panels, data, order=order, sharex=True, sharey=True, **style)


def _panel(data: pd.DataFrame, setting, method: str, target: str, *, first: bool) -> Panel:
    place = {"rank": setting.rank, "observed_fraction": setting.observed_fraction}
    part = select(data, **place, method=method)
    drawn = []
    for offset, (name, look) in enumerate(MECHANISMS.items()):
        if name == "none":
            line = part[part["mechanism"] == "none"].drop_duplicates("iteration")
        else:
            variance = float(setting.variance)
            line = select(part, mechanism=name, variance=variance, noise_target=target)
        rows = line.sort_values("iteration").rename(columns={"iteration": "x"})
        every = max(1, len(rows) // 6)
        if len(rows):
            where = (offset * every // 4, every)
            drawn.append(Curve(rows, look, MECHANISM_LABELS[name], every=where))
    share = f"{100 * setting.observed_fraction:g} %"
    of = f"Rank {setting.rank:g}, variance {setting.variance:g}, {share}"
    return Panel(
        f"{METHOD_LABELS[method]}\n{TARGET_LABELS[target]}" if first else "",
        x=Axis("Outer iteration"),
        y=Axis(f"{of}\nRMSE (rating units)", log=True),
        curves=drawn,
    )


def describe_convergence(data: pd.DataFrame) -> str:
    """Give the RMSE after the last iteration, noise on the iterates against the published place."""
    last = data[(data["iteration"] == data["iteration"].max()) & (data["mechanism"] != "none")]
    means = last.groupby("noise_target")["mean"].mean()
    parts = [
        f"{TARGET_LABELS[target]} {value:.3f}"
        for target, value in means.sort_index(ascending=False).items()
    ]
    return (
        f"Means over {trials_text(data['trials'])} with 95 % t intervals; after iteration "
        f"{int(data['iteration'].max())} the private models have on average RMSE: "
        + ", ".join(parts)
        + "."
    )

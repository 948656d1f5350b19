"""Every figure of the report with its title, caption and alternative text, and how to draw it."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc.errors import InputError, did_you_mean
from dpmc.studies.huber.figures import mechanisms as noise
from dpmc.studies.huber.figures import results
from dpmc.studies.huber.figures.convergence import convergence_by_iteration, describe_convergence
from dpmc.studies.huber.figures.differences import describe_differences, paired_differences
from dpmc.study.style import FigureEntry, FigureText, draw_all

NEW_FIGURES = [
    FigureEntry(
        id="published_reproduced",
        title="Published against reproduced",
        caption="Every RMSE that the paper prints (144 on synthetic data, 6 on MovieLens 100K, 18 "
        "on SweetRS) against ours, left, and the ratio of the two, right. The grey band is "
        "±15 %. The paper gives no uncertainty, so only ours is drawn.",
        alt="Two scatter plots. Left: reproduced RMSE against published RMSE on logarithmic axes "
        "with the line of equality and a band of 15 per cent around it. Right: their ratio "
        "against the published RMSE.",
        function=results.published_reproduced,
        inputs=("comparison",),
        describe=results.describe_reproduction,
    ),
    FigureEntry(
        id="rmse_by_fraction",
        title="RMSE by observed fraction",
        caption="Mean RMSE on all entries of the synthetic matrices for every rank, variance and "
        "method, with 95 % t intervals. The lines without markers are the baselines that the "
        "papers leave out; they have no noise and do not depend on variance or method. Points of "
        "one fraction are set side by side.",
        alt="Grid of line charts, a row per rank and a column per variance and method: RMSE on a "
        "logarithmic axis falls as more entries are observed. The three noise mechanisms lie on "
        "top of one another, well above the model without noise. Horizontal lines show the "
        "baselines.",
        function=results.rmse_by_fraction,
        inputs=("trials",),
        describe=results.describe_fractions,
    ),
    FigureEntry(
        id="paired_differences",
        title="Huber noise against Gaussian and Laplace noise, cell by cell",
        caption="Difference of RMSE in per cent, paired by trial (same data, mask and start) on "
        "the logarithmic scale, with 95 % t intervals of single cells; the axis is linear within "
        "±2 % and logarithmic beyond. Filled: significant after Holm's correction over all cells. "
        "Crosses: the difference between the reported numbers. The papers ran Gaussian noise with "
        "ALS only on real data, so there IRLS with Huber noise is set against it.",
        alt="Two forest plots with a line per setting: the difference in RMSE of Huber minus "
        "Gaussian noise, left, and Huber minus Laplace noise, right, with intervals around the "
        "zero line and crosses for the reported differences.",
        function=paired_differences,
        inputs=("trials", "comparison"),
        describe=describe_differences,
    ),
    FigureEntry(
        id="convergence",
        title="Convergence by iteration",
        caption="RMSE on all entries after each outer iteration, with the noise where the papers "
        "put it (right-hand side of the item update) and, for comparison, on the iterates of ALS; "
        "mean and 95 % t interval over trials. The line without noise is repeated.",
        alt="Line charts of RMSE against outer iteration on a logarithmic axis, a panel per "
        "method and place of the noise, a line per mechanism.",
        function=convergence_by_iteration,
        inputs=("convergence",),
        describe=describe_convergence,
    ),
]
THESIS_FIGURES = [
    FigureEntry(
        id="figure_2_5",
        title="Thesis figure 2.5: Laplace densities",
        caption="Laplace densities for four scales; the scales are ours, as the thesis lists none.",
        alt="Four symmetric, pointed density curves centred at 0; the larger the scale, the lower "
        "and wider the curve.",
        function=noise.laplace_densities,
        wide=False,
    ),
    FigureEntry(
        id="figure_2_6",
        title="Thesis figure 2.6: normal densities",
        caption="Normal densities for four standard deviations; the values are ours.",
        alt="Four bell-shaped density curves centred at 0; the larger the standard deviation, the "
        "lower and wider the curve.",
        function=noise.normal_densities,
        wide=False,
    ),
    FigureEntry(
        id="figure_4_1",
        title="Thesis figure 4.1: three densities at variance 2",
        caption="Gaussian, Laplace and Huber (a = 1.076) densities, each with variance 2.",
        alt="Three density curves with the same variance: Laplace has the sharpest peak, Gaussian "
        "the broadest top, Huber lies between them.",
        function=noise.densities_at_variance_two,
        wide=False,
    ),
    FigureEntry(
        id="figure_4_2",
        title="Thesis figure 4.2: the Huber density as a changes",
        caption="Huber densities with scale 1 for five values of a; the values are ours. A small a "
        "comes near Laplace noise, a large a near the standard normal.",
        alt="Five density curves centred at 0: the smaller the parameter a, the lower and wider "
        "the curve and the heavier its tails.",
        function=noise.huber_densities,
        wide=False,
    ),
    FigureEntry(
        id="figure_4_3",
        title="Thesis figure 4.3: samples by the inverse distribution function",
        caption="Histogram of 1,000,000 samples with a = 1 drawn with the corrected inverse, and "
        "the density. As published, the third branch lacks a minus sign (see the errata).",
        alt="A histogram of one million samples follows the Huber density curve with a equal to 1.",
        function=noise.inverse_cdf_histogram,
        describe=noise.describe_histogram,
        wide=False,
    ),
    FigureEntry(
        id="figure_4_4",
        title="Thesis figure 4.4: variance against a",
        caption="Variance of Huber noise with scale 1 against a, with its limit 1. Diamonds: the "
        'values of a that the papers use for variances 4, 3, 2 and "1" (a = 3, where the '
        "variance is 1.0036).",
        alt="A falling curve: the variance of Huber noise drops steeply from about 22 at a equal "
        "to 0.3 and approaches its limit 1 from above, which it nearly reaches at a equal to 3.",
        function=noise.variance_curve,
        wide=False,
    ),
]
FIGURES = NEW_FIGURES + THESIS_FIGURES
FORENSICS = [
    FigureText(
        id="heatmap_synthetic",
        title="Size, scale and start of the synthetic data",
        caption="What the papers leave open on synthetic data: root mean square log-ratio of our "
        "RMSE to the reported one over 27 cells (no noise, Gaussian noise of variance 1 and 2), "
        "for every size, scale and law of the starting values. The best is framed.",
        alt="Heat map with a row per number of users and items and a column per scale and start: "
        "the smaller the number, the nearer our RMSE comes to the reported one.",
    ),
    FigureText(
        id="heatmap_real",
        title="Split, start, noise, inner iterations and clipping on real data",
        caption="What the papers leave open on real data: root mean square log-ratio of our RMSE "
        "to the reported one. The best is framed.",
        alt="Heat map with a row per data set, split and start and a column per noise variance or "
        "number of inner iterations, for raw and for clipped predictions.",
    ),
]


def figure(figure_id: str) -> FigureEntry:
    """Return the entry of a figure.

    Raises
    ------
    InputError
        There is no figure of this name.
    """
    entries = {entry.id: entry for entry in FIGURES}
    if figure_id not in entries:
        raise InputError(f"there is no figure '{figure_id}'{did_you_mean(figure_id, entries)}.")
    return entries[figure_id]


def draw(figure_id: str, inputs: Mapping[str, pd.DataFrame | None], folder: str | Path) -> None:
    """Draw the figure of :data:`FIGURES` with that id, see :func:`dpmc.study.style.draw_all`."""
    draw_all([figure(figure_id)], inputs, folder)


def write_figures(
    trials: pd.DataFrame,
    comparison: pd.DataFrame,
    convergence: pd.DataFrame | None,
    folder: str | Path,
) -> None:
    """Draw every figure of :data:`FIGURES` into ``folder``."""
    inputs = {"trials": trials, "comparison": comparison, "convergence": convergence}
    draw_all(FIGURES, inputs, folder)

"""Every figure of DPALS with its title, caption and alternative text."""

from collections.abc import Mapping
from pathlib import Path

from dpmc.studies.dpals.figures import budgets, rates, speed
from dpmc.studies.dpals.figures import coverage as popularity
from dpmc.studies.dpals.figures import items as variants
from dpmc.studies.dpals.figures import users as sizes
from dpmc.studies.dpals.frames import read_dpals
from dpmc.study.style import FigureEntry, draw_all

INTERVALS = "means with 95 % t intervals over trials, on fresh entries or test ratings"
LINES = "horizontal lines have no noise, hollow markers were reported or measured elsewhere"
DPALS_FIGURES = [
    FigureEntry(
        id="dpals_1_coverage",
        title="DPALS figure 1: few items hold most ratings (figure 2 of the paper)",
        caption="Share of the ratings that the most rated items hold: of all ratings, and of k "
        "ratings a user sampled uniformly or by the lowest counts (adaptive), and uniformly after "
        "all ratings changed their items at random, which leaves no skew of the sample. Grey: all "
        "items alike. Data called “generated” stand in for files that are not available.",
        alt="Curves from no items to all, a panel for each data set: all ratings, uniform samples "
        "and adaptive samples, with a diagonal.",
        function=popularity.coverage,
        inputs=("coverage",),
        describe=popularity.describe_coverage,
    ),
    FigureEntry(
        id="dpals_2_large",
        title="DPALS figure 2: error against ε on MovieLens 10M and 20M (figure 3 of the paper)",
        caption=f"RMSE or Recall@20, {INTERVALS}; {LINES}. Panels called “generated” are of a file "
        "of the same shape and popularity that dpmc makes: they show that everything runs, and no "
        "verdict rests on them. Top 400: the items with most ratings, by counts without noise, as "
        "in the paper.",
        alt="Line charts against epsilon on a logarithmic axis, a panel for each data set, with "
        "horizontal lines for what has no noise.",
        function=budgets.large_data,
        inputs=("trials", "published"),
        describe=budgets.describe_budgets,
    ),
    FigureEntry(
        id="dpals_3_users",
        title="DPALS figure 3: error against the number of users (figure 4 of the paper)",
        caption=f"RMSE on synthetic matrices of rank 5 with 1,000 items and entries of deviation "
        f"1, {INTERVALS}. What lies far off is named at the bottom.",
        alt="Line charts of RMSE on logarithmic axes against the number of users, a panel for each "
        "epsilon, with a curve for each method.",
        function=sizes.users,
        inputs=("trials", "published"),
        describe=sizes.describe_users,
    ),
    FigureEntry(
        id="dpals_4_synthetic",
        title="DPALS figure 4: all methods on the synthetic data, beyond the paper",
        caption="The same data against ε, with methods that the paper does not have: H-free "
        f"spends nothing on the Gram matrices, with rows clipped it bounds each user’s whole "
        f"vector of ratings, the Analyze-Gauss start pays for a better start; {INTERVALS}; "
        f"{LINES}.",
        alt="Line charts of RMSE on logarithmic axes against epsilon, a panel for each number of "
        "users, with all private methods.",
        function=budgets.extensions,
        inputs=("trials", "published"),
        describe=budgets.describe_budgets,
    ),
    FigureEntry(
        id="dpals_5_items",
        title="DPALS figure 5: share of the items, and sampling (figure 5 of the paper)",
        caption="RMSE on all items; those without factors are predicted by the user’s mean. Solid "
        "and filled: the k ratings of a user are those of the rarest items; dashed and hollow: "
        "uniform. Means with 95 % t intervals where there is more than one trial.",
        alt="Line charts of RMSE against the share of items on a logarithmic axis, a panel for "
        "each data set and a line for each epsilon and sampling.",
        function=variants.items,
        inputs=("trials",),
        describe=variants.describe_items,
    ),
    FigureEntry(
        id="dpals_6_projection",
        title="DPALS figure 6: error against λ, with and without the projection",
        caption="RMSE against the regularization of the items, with the noisy Gram matrices "
        "projected to positive semidefinite ones before λ is added, and without; means with 95 % "
        "t intervals over trials.",
        alt="Two lines of RMSE on logarithmic axes against lambda, with and without projection.",
        function=variants.projection,
        inputs=("trials",),
        describe=variants.describe_projection,
    ),
    FigureEntry(
        id="dpals_7_iterations",
        title="DPALS figure 7: error by iteration",
        caption="RSE after each iteration of one run, with the noise of that run’s length; pale: "
        "line fitted to its logarithm until it is within 5 % of its lowest. Means with 95 % t "
        "intervals over trials. With noise, all iterations share one budget.",
        alt="Line charts of RSE on a logarithmic axis against the iteration, a panel for each "
        "epsilon and one without noise, with fitted lines.",
        function=speed.by_iteration,
        inputs=("iterations",),
        describe=speed.describe_iterations,
    ),
    FigureEntry(
        id="dpals_8_ratings",
        title="DPALS figure 8: MovieLens 100K and Jester, what privacy costs with few users",
        caption=f"RMSE on test ratings, {INTERVALS}; {LINES}. A user’s own mean needs no noise: "
        "under joint differential privacy a user may use all of their own ratings.",
        alt="Line charts of RMSE against epsilon on a logarithmic axis, a panel for each data "
        "set, with horizontal lines for what has no noise.",
        function=budgets.small_data,
        inputs=("trials", "published"),
        describe=budgets.describe_budgets,
    ),
    FigureEntry(
        id="dpals_9_side_by_side",
        title="DPALS figure 9: DP-AltMin and DP-SAltLS beside DPALS and private Frank-Wolfe",
        caption=f"RSE and RMSE against ε, {INTERVALS}; {LINES}. DP-AltMin and DP-SAltLS are done "
        "so that they are private, which their published code is not (see the errata); “AltMin, as "
        "published” and “SAltLS, as published” have the parts and the averages of the read-me, no "
        "noise and no privacy.",
        alt="Line charts on logarithmic axes against epsilon, a column for each data set, RSE "
        "above and RMSE below.",
        function=budgets.side_by_side,
        inputs=("trials",),
        describe=budgets.describe_budgets,
    ),
    FigureEntry(
        id="dpals_10_timing",
        title="DPALS figure 10: CPU time by the size of the matrix",
        caption="Median CPU seconds of one iteration on one thread, with the range over repeats; "
        "both axes are logarithmic, so that a slope of 1 is growth in proportion to the ratings.",
        alt="Lines on logarithmic axes of CPU seconds against the number of ratings, one for each "
        "method.",
        function=speed.timing,
        inputs=("timing",),
        describe=speed.describe_timing,
    ),
    FigureEntry(
        id="dpals_11_rates",
        title="DPALS figure 11: how fast errors fall, and the bounds of theorem 2 and remark 6",
        caption="Slopes of log RMSE on drawn matrices against the logarithm of users, for each ε, "
        "of ε below ln(1/δ), for each number of users, and of items, for each ε; fitted by trial, "
        "means with 95 % t intervals. Dotted: the slope of the bound of the same colour. Points "
        "above it: errors that fall more slowly than the bound, or with items grow faster; its "
        "premises hold in none of these cells.",
        alt="Points with error bars of slopes, against epsilon, against the number of users and "
        "again against epsilon, with a dotted horizontal line for each bound.",
        function=rates.rates,
        inputs=("trials",),
        describe=rates.describe_rates,
    ),
    FigureEntry(
        id="dpals_12_default",
        title="DPALS figure 12: the default of dpmc fit, beyond the papers",
        caption="RMSE on test ratings (of drawn data on fresh entries without noise) of Local "
        "Bayes, which takes no settings and was developed with these data in sight, and of "
        f"private methods whose settings we searched for each data set and ε; {INTERVALS}.",
        alt="Line charts of RMSE against epsilon on a logarithmic axis, a panel for each data set, "
        "with a curve for each method.",
        function=budgets.default_method,
        inputs=("trials",),
        describe=budgets.describe_budgets,
    ),
]


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Draw all figures into ``folder``, see :func:`dpmc.study.style.draw_all`.

    Parameters
    ----------
    results_folder : path
        With the tables that :func:`~dpmc.studies.dpals.frames.read_dpals` reads. A figure whose
        table is missing becomes a box that says so.
    settings : mapping
        None are used.
    folder : path
    """
    draw_all(DPALS_FIGURES, read_dpals(results_folder), folder)

"""Every figure at equal privacy with its title, caption and alternative text."""

from pathlib import Path

from dpmc.studies.equal_privacy.figures import equal, maps
from dpmc.studies.equal_privacy.frames import NAMES
from dpmc.study.results import read_results
from dpmc.study.style import FigureEntry, draw_all

EQUAL_CAPTION = (
    "Lines with markers: matrix factorisations (filled: ALS, open: A-IRLS), with 95 % t intervals "
    "and set side by side. Lines without markers: private baselines at the same "
    "budget, each with its best mechanism. Black: the lowest error without noise and without a "
    "guarantee, or its number where it lies far below. Both axes are logarithmic; what is worse "
    "than twice the constant is not shown."
)
EQUAL_ALT = (
    "Line charts of RMSE against the total epsilon, both logarithmic: a line for each method and "
    "mechanism, lines for three private baselines, and a horizontal line without noise."
)
FIGURES = [
    FigureEntry(
        id="privacy_equal_entry",
        title="Error at equal privacy: the value of one rating",
        caption=f"RMSE against the total ε, entry level. {EQUAL_CAPTION}",
        alt=EQUAL_ALT,
        function=equal.equal_entry_change,
        inputs=("calibrated",),
        describe=equal.describe_equal,
    ),
    FigureEntry(
        id="privacy_equal_user",
        title="Error at equal privacy: a user with all ratings",
        caption=f"RMSE against the total ε, user level (joint differential privacy: only item "
        f"factors are published). {EQUAL_CAPTION}",
        alt=EQUAL_ALT,
        function=equal.equal_user_add_remove,
        inputs=("calibrated",),
        describe=equal.describe_equal,
    ),
    FigureEntry(
        id="privacy_equal_other",
        title="Error at equal privacy: the other relations",
        caption=f"The same on synthetic data of the papers' size. {EQUAL_CAPTION}",
        alt=EQUAL_ALT,
        function=equal.equal_other_relations,
        inputs=("calibrated",),
        describe=equal.describe_equal,
    ),
    FigureEntry(
        id="privacy_frontier",
        title="Which mechanism needs least noise",
        caption="Smallest variance for a total budget over a number of releases of sensitivity 1, "
        "Huber noise with its best shape and scale. Left: over the better one of Laplace and "
        "Gaussian noise. Right: the mechanism of the smallest variance. Outlined: Huber noise wins "
        "by over 0.1 % of the variance.",
        alt="Two heat maps over the total epsilon and the number of releases: Laplace noise is "
        "best for few releases and large epsilon, Gaussian noise for many releases and small "
        "epsilon; Huber noise is best in a band between them.",
        function=maps.frontier_map,
        inputs=("frontier",),
        describe=maps.describe_frontier,
    ),
]


def run(results_folder: str | Path, settings: object, folder: str | Path) -> None:
    """Draw every figure; one whose table is missing becomes a box that says so.

    Parameters
    ----------
    results_folder : path
        Where ``calibrated.csv`` and ``frontier.csv`` lie.
    settings : object
        Not used.
    folder : path
        Where to draw.
    """
    draw_all(FIGURES, read_results(results_folder, NAMES), folder)

"""Every figure of the privacy part with its title, caption and alternative text."""

from pathlib import Path

from dpmc.studies.audit import figures as audit
from dpmc.studies.equal_privacy.figures import equal, maps
from dpmc.studies.equal_privacy.frames import read_results
from dpmc.studies.huber.figures import privacy_totals as totals
from dpmc.study.style import FigureEntry, draw_all

AUDIT = "privacy_audit"
EQUAL_CAPTION = (
    "Lines with markers: matrix factorisations (filled: ALS, open: A-IRLS), with 95 % t intervals "
    "and set side by side to be told apart. Lines without markers: private baselines at the same "
    "budget, each with its best mechanism. Black: the lowest error without noise and without a "
    "guarantee, or its number where it lies far below. Both axes are logarithmic; what is worse "
    "than twice the constant is not shown."
)
EQUAL_ALT = (
    "Line charts of RMSE against the total epsilon, both logarithmic: a line for each solver and "
    "mechanism, lines for three private baselines, and a horizontal line without noise."
)
PRIVACY_FIGURES = [
    FigureEntry(
        id="privacy_totals",
        title="What the printed budgets add up to",
        caption="Total ε over a training under the papers' own assumption (a change of at most 5 "
        "in every release) against the number of releases. Crosses: the printed ε, of one "
        "release. Right: by how much totals by basic composition and by RDP exceed the tightest.",
        alt="Line charts on logarithmic axes: the total epsilon of each mechanism rises from the "
        "printed value at one release by two to three orders of magnitude.",
        function=totals.totals_by_releases,
        inputs=("totals",),
        describe=totals.describe_totals,
    ),
    FigureEntry(
        id="privacy_losses",
        title="Claimed and measured privacy loss of the published algorithms",
        caption="Exact log-likelihood ratio of all released item vectors between the data of a "
        "training and neighbouring data; a small line for each rank and, within it, observed "
        "fraction, ascending. Lines are named by data, solver, noise and its variance. At the "
        "right the share of neighbours whose loss exceeds the claimed ε. The axis is linear "
        "between −1 and 1.",
        alt="Forest plot with a line for each published training and a panel for each kind of "
        "neighbour: medians, quartiles and largest losses beside the claimed epsilon of a release "
        "and its total.",
        function=totals.losses_by_cell,
        inputs=("transcript_loss",),
        describe=totals.describe_losses,
    ),
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
    FigureEntry(
        id=AUDIT,
        title="Audit of mechanisms and models",
        caption="Attempts to catch them at breaking their promise: lower bounds on ε by events "
        "chosen on one half of the samples and counted on the other, and by the privacy loss of "
        "all releases of a model; the largest change of a release on adversarial neighbours over "
        "its stated sensitivity; tests of the law and independence of the noise (p, of several the "
        "one nearest to the wrong verdict). Below: the same tests on faults that were planted for "
        "them to find.",
        alt="Forest plot with a line for everything that was audited: what was found lies below "
        "what is claimed, but for the planted faults, which lie above or are caught by another "
        "test.",
        function=audit.audit_rows,
        inputs=("audit",),
        describe=audit.describe_audit,
    ),
]


def folder_of(figure: str) -> str:
    """Return the folder, below that of the tables, in which a figure lies, given its id.

    The audit's has one of its own, because the audit can be run without the rest.
    """
    return "audit_figure" if figure == AUDIT else "figures"


def write_privacy_figures(results_folder: str | Path, folder: str | Path) -> None:
    """Draw what belongs into ``folder``, see :func:`folder_of`, from tables of ``results_folder``.

    A figure whose table is missing becomes a box that says so.
    """
    belonging = [entry for entry in PRIVACY_FIGURES if folder_of(entry.id) == Path(folder).name]
    draw_all(belonging, read_results(results_folder), folder)

"""Every figure of the one-bit study with its title, caption and alternative text."""

from collections.abc import Collection, Mapping
from pathlib import Path

from dpmc.studies.onebit.figures import accuracy as real
from dpmc.studies.onebit.figures import bounds, budgets, fractions, outp, ranks
from dpmc.studies.onebit.frames import read_onebit
from dpmc.study.style import FigureEntry, draw_all

STAGES = (
    "Solid and filled: truncated to rank r after the noise, without which the paper’s claims "
    "cannot be seen; dashed and hollow: raw."
)
BUDGETS = (
    "Mean ARE on the synthetic matrices with 95 % t intervals over trials; curves are set side by "
    f"side. {STAGES} Lines: no noise. What lies far above is named at the top."
)
BUDGETS_ALT = (
    "Four line charts of ARE on a logarithmic axis against epsilon, above truncated to rank r and "
    "below raw: the paper's four mechanisms at the left, others at the right, with horizontal "
    "lines for what has no noise."
)
FRACTIONS = (
    "Mean ARE with 95 % t intervals over trials against the observed fraction, a colour for each ε "
    f"(some of those that were run; the CSV has all). {STAGES}"
)
FRACTIONS_ALT = (
    "Line charts of ARE on a logarithmic axis against the observed fraction, a column for each "
    "mechanism, above truncated and below raw, with a line for each epsilon and one without noise."
)
ONEBIT_FIGURES = [
    FigureEntry(
        id="onebit_1_budgets_gaussian",
        title="One-bit figure 1: error against ε, Gaussian link",
        caption=BUDGETS,
        alt=BUDGETS_ALT,
        function=budgets.budgets_gaussian,
        inputs=("trials",),
        describe=budgets.describe_budgets,
    ),
    FigureEntry(
        id="onebit_2_budgets_logistic",
        title="One-bit figure 2: error against ε, logistic link",
        caption=BUDGETS,
        alt=BUDGETS_ALT,
        function=budgets.budgets_logistic,
        inputs=("trials",),
        describe=budgets.describe_budgets,
    ),
    FigureEntry(
        id="onebit_3_fractions_gaussian",
        title="One-bit figure 3: error against the observed fraction, Gaussian link",
        caption=FRACTIONS,
        alt=FRACTIONS_ALT,
        function=fractions.fractions_gaussian,
        inputs=("trials",),
        describe=fractions.describe_fractions,
    ),
    FigureEntry(
        id="onebit_4_fractions_logistic",
        title="One-bit figure 4: error against the observed fraction, logistic link",
        caption=FRACTIONS,
        alt=FRACTIONS_ALT,
        function=fractions.fractions_logistic,
        inputs=("trials",),
        describe=fractions.describe_fractions,
    ),
    FigureEntry(
        id="onebit_5_accuracy",
        title="One-bit figure 5: test signs that are right on real data",
        caption="Mean share of test signs that are right, with 95 % t intervals over repetitions. "
        f"{STAGES} Lines: no noise. MovieLens 100K has one fixed split, so that its intervals hold "
        "the randomness of the noise alone; RC has a new split each time.",
        alt="Line charts of the share of right test signs against epsilon, a column for each data "
        "set and a row for each link, with horizontal lines for what has no noise.",
        function=real.accuracy,
        inputs=("trials",),
        describe=real.describe_accuracy,
    ),
    FigureEntry(
        id="onebit_5b_ranks",
        title="Does it depend on the rank? Test signs that are right on MovieLens 100K",
        caption="As the figure before, against the rank that outputs are cut to after the noise, "
        "with 95 % t intervals over repetitions; hollow: not cut. The paper states no rank of its "
        "real data, nor whether it cuts outputs; claims O5, O6, O18 and O20 are judged at rank 1, "
        "and name what other ranks would give. All ranks are of the same fits. Dotted: the 68 % of "
        "claim O5. A curve stands beside its rank, so that intervals do not hide each other.",
        alt="Line charts of the share of right test signs against rank, a column for each epsilon "
        "and a row for each link, with a line for each of the paper's four mechanisms and one "
        "without noise.",
        function=ranks.accuracy_by_rank,
        inputs=("trials", "ranks"),
        describe=ranks.describe_ranks,
    ),
    FigureEntry(
        id="onebit_6_large",
        title="A larger instance of the same kind",
        caption=f"As figures 1 and 2, with 500 × 500 entries. {BUDGETS}",
        alt="Line charts of ARE on a logarithmic axis against epsilon, a column for each link, "
        "above truncated and below raw, with horizontal lines for what has no noise.",
        function=budgets.larger_instance,
        inputs=("trials",),
        describe=budgets.describe_budgets,
    ),
    FigureEntry(
        id="onebit_7_outp_privacy",
        title="OutP as published: claimed and real privacy",
        caption="Its noise has scale 2α/ε, as if one sign moved one entry of the result. One sign "
        "moves all of them, by the ℓ1 norm that was measured: on an instance made for it (two "
        "diagonal blocks of +1 and one entry that joins them) and on typical draws. Markers: what "
        "a likelihood-ratio attack on the output proves with the stated confidence, which no "
        "number of samples lets exceed the dotted line. Both axes are logarithmic.",
        alt="Lines on logarithmic axes: the real epsilon lies far above the claimed one, on the "
        "block instance near the guaranteed upper bound and on typical draws between the two; the "
        "lower bounds of an attack rise with the truth until they reach a dotted line.",
        function=outp.claimed_and_real,
        inputs=("outp_change", "outp_attack"),
        describe=outp.describe_outp,
    ),
    FigureEntry(
        id="onebit_8_bounds",
        title="Error bounds of theorems 1, 2 and 4, as printed and as corrected",
        caption="Bounds and measured raw ARE, with 95 % t intervals over trials, on the synthetic "
        "matrices where the least (solid) and the most (dashed) is observed. As printed: L and β "
        "by the bounds on them, C_Ω,Y of the theorems. As corrected: L and β themselves "
        "(E25, E46), C_Ω,Y without a root (E47), the noise of theorem 2 as its proof "
        "bounds it, which does not fall with n (E26), a factor 2 in theorem 4 (E48). The theorems "
        "leave constants open; they are 1 here. Shaded: more than the error of any matrix with "
        "entries within ±α, for OutP with its noise. Both axes are logarithmic.",
        alt="Line charts on logarithmic axes of ARE against epsilon, a column for each theorem and "
        "a row for each link: measured errors, the bound as printed, the bound as corrected, and "
        "above them a shaded region of bounds that say nothing.",
        function=bounds.bounds_and_errors,
        inputs=("trials", "bounds"),
        describe=bounds.describe_bounds,
    ),
]


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Run the step."""
    write_onebit_figures(results_folder, folder)


def write_onebit_figures(
    results_folder: str | Path, folder: str | Path, figures: Collection[str] | None = None
) -> None:
    """Draw figures from the tables of ``results_folder``, see :func:`dpmc.study.style.draw_all`.

    A figure whose table is missing becomes a box that says so.
    """
    draw_all(ONEBIT_FIGURES, read_onebit(results_folder), folder, figures)

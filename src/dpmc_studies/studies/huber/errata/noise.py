"""Errata about the noise itself: its formulas and its privacy budgets."""

from dpmc.mechanisms.gaussian import Gaussian
from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.showing.erratum import Evidence, listed
from dpmc_studies.studies.huber.errata.sources import Sources

SENSITIVITY = 5.0  # of table 1


def gaussian_budgets(sources: Sources) -> Evidence:
    """log10 was taken for ln."""
    reported = sources.budgets("gaussian")
    rows = {row["variance"]: row for row in table_one() if row["mechanism"] == "gaussian"}
    right = [rows[variance] for variance in reported.index]
    deltas = [
        Gaussian.from_variance(variance).delta(epsilon, SENSITIVITY)
        for variance, epsilon in reported.items()
    ]
    numbers = {}
    for row, delta in zip(right, deltas, strict=True):
        variance = f"{row['variance']:g}"
        numbers |= {
            f"log10_{variance}": row["epsilon_published_form"],
            f"ln_{variance}": row["epsilon_corrected"],
            f"exact_{variance}": row["epsilon_exact"],
            f"delta_{variance}": delta,
        }
    return Evidence(
        numbers,
        reported=listed(reported, 3),
        log10=listed([r["epsilon_published_form"] for r in right], 3),
        ln=listed([r["epsilon_corrected"] for r in right], 3),
        exact=listed([r["epsilon_exact"] for r in right], 3),
        deltas=listed(deltas, 3),
    )

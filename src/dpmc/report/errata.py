"""Errata of the Huber mechanism paper and of the thesis behind it.

"Paper" is "Introducing the Huber mechanism for differentially private low-rank matrix completion"
(arXiv:2206.07910), "thesis" is Gowtham's thesis of the same year. The number that shows an
erratum is computed when the list is made, never typed in.
"""

from collections.abc import Iterable

from dpmc.report import errata_method as method
from dpmc.report import errata_noise as noise
from dpmc.report import errata_privacy as privacy
from dpmc.report import errata_results as results
from dpmc.report.erratum import Erratum, Sources

ENTRIES = (
    noise.inverse_cdf,
    noise.normaliser,
    noise.gaussian_budgets,
    noise.huber_budgets,
    method.sensitivity,
    method.regularization,
    method.weights_at_zero,
    method.noise_in_the_sum,
    method.unstated_start,
    results.data_sets,
    results.labels,
    method.residual_scale,
    noise.less_noise_than_laplace,
    results.claims_about_own_tables,
    privacy.one_release,
    privacy.noiseless_users,
)


def errata(sources: Sources) -> list[Erratum]:
    """Return every erratum, E1 to E16, with its evidence (a few seconds of computing)."""
    return [entry(f"E{number}", sources) for number, entry in enumerate(ENTRIES, start=1)]


def errata_markdown(entries: Iterable[Erratum]) -> str:
    """Spell errata as a Markdown page."""
    parts = [
        "# Errata\n",
        "What the paper “Introducing the Huber mechanism for differentially private low-rank "
        "matrix completion” (arXiv:2206.07910) and the thesis behind it print, what is right, and "
        "the number that shows it. The numbers are computed when this page is made.\n",
    ]
    for entry in entries:
        parts.append(
            f"## {entry.id}. {entry.title}\n\n"
            f"- **Where:** {entry.place}\n"
            f"- **Published:** {entry.published}\n"
            f"- **Correct:** {entry.correct}\n"
            f"- **Evidence:** {entry.evidence}\n"
        )
    return "\n".join(parts)

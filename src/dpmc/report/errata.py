"""Errata of the papers on private matrix completion that dpmc runs again.

"Paper" is "Introducing the Huber mechanism for differentially private low-rank matrix completion"
(arXiv:2206.07910), "thesis" is Gowtham's thesis of the same year, "one-bit paper" is Li, Wei,
Huang, Mao and Wang, "One-bit matrix completion with differential privacy" (arXiv:2110.00719),
"DPALS paper" is Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating least
squares" (ICML 2021). The number that shows an erratum is computed when the list is made, never
typed in.
"""

from collections.abc import Iterable

from dpmc.studies.dpals.errata import method as dpals_method
from dpmc.studies.dpals.errata import printed as dpals
from dpmc.studies.huber.errata import method, noise, privacy, results
from dpmc.studies.onebit.errata import mechanisms as onebit
from dpmc.studies.onebit.errata import text as onebit_text
from dpmc.study.erratum import Erratum, Sources

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
    onebit.flip_probabilities,
    onebit.input_objective,
    onebit.halved_noise,
    onebit.gaussian_objective,
    onebit.gradient_noise,
    onebit.output_noise,
    onebit_text.largest_entry,
    onebit_text.figure_one,
    onebit_text.flatness,
    onebit_text.absolute_value,
    onebit_text.minimum,
    onebit_text.restaurant_density,
    onebit_text.threshold,
    dpals.two_statistics,
    dpals.private_mean,
    dpals.private_start,
    dpals.replaced_users,
    dpals_method.clipping,
    dpals_method.order_of_the_projection,
    dpals_method.all_movies,
    dpals_method.one_noise_for_all,
    dpals_method.start_without_noise,
)


def errata(sources: Sources) -> list[Erratum]:
    """Return every erratum, with its evidence (a few seconds of computing)."""
    return [entry(f"E{number}", sources) for number, entry in enumerate(ENTRIES, start=1)]


def errata_markdown(entries: Iterable[Erratum]) -> str:
    """Spell errata as a Markdown page."""
    parts = [
        "# Errata\n",
        "What the paper “Introducing the Huber mechanism for differentially private low-rank "
        "matrix completion” (arXiv:2206.07910), the thesis behind it, the one-bit paper, “One-bit "
        "matrix completion with differential privacy” (arXiv:2110.00719), the DPALS paper, "
        "“Private alternating least squares” (ICML 2021), and the repository "
        "DP_Matrix_Completion_Alt_Min print, what is right, and the number that shows it. The "
        "numbers are computed when this page is made.\n",
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

"""The Huber mechanism paper and the thesis behind it.

[Gowtham 2022] is Gowtham, Muthukrishnan, Tholeti and Kalyani, "Introducing the Huber mechanism for
differentially private low-rank matrix completion" (arXiv:2206.07910). The thesis is Gowtham's, from
2022.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.errors import InputError
from dpmc_studies.frame.api import Regression, Section, Step, Study, refuse_unknown_data
from dpmc_studies.frame.jobs import plugins
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.studies.huber.cells import COORDINATES
from dpmc_studies.studies.huber.experiments.common import PAPERS_DATA
from dpmc_studies.studies.huber.experiments.grid import check_grid, without_plugins
from dpmc_studies.studies.huber.experiments.totals import TOTAL_KEYS

HERE = Path(__file__).parent
REFERENCE = HERE.parents[3] / "results" / "reference" / "huber"
# the outcome of benchmarks/forensics.py
KEPT = REFERENCE / "huber_columns.csv"
REPORTED = tuple(sorted((HERE / "reported").glob("*.csv")))


def prepare(section: Section, own_sets: Mapping[str, Mapping]) -> Section:
    """Return the section; refuse what could not run."""
    if SYNTHETIC in section["real"] or SYNTHETIC in own_sets:
        raise InputError("A data set must not be called 'synthetic': that name is taken.")
    plugins.load(section["plugins"])
    refuse_unknown_data(section["real"], own_sets)
    check_grid(section)
    return section


def excluded(section: Section) -> dict[str, object]:
    """Return the papers' data sets that the configuration leaves out."""
    return {"excluded": [name for name in PAPERS_DATA if name not in section["real"]]}


def settings_of_claims(section: Section) -> dict[str, object]:
    """Return the variance of our noise on real data, the seed, and how many trials are reported.

    The papers do not state their variances on real data.
    """
    variances = {name: each["variance"] for name, each in section["real"].items()}
    names = ("seed", "reported_trials")
    return {"real_variances": variances} | {name: section[name] for name in names}


def settings_of_tables(section: Section) -> dict[str, object]:
    """Return how many trials are reported, and the parameters of table 2."""
    from dpmc_studies.studies.huber.tables_parameters import parameter_settings  # imports pandas

    return {
        "reported_trials": section["reported_trials"],
        "parameters": parameter_settings(section),
    }


STUDY = Study.of(
    __name__,
    title="The Huber mechanism",
    prepare=prepare,
    jobs=(),
    steps=(
        Step(
            "claims",
            ".claims.judge:run",
            makes=("comparison", "claims"),
            settings=settings_of_claims,
            files=REPORTED,
        ),
        Step(
            "tables",
            needs=("trials", "comparison", "totals", "transcript_loss", "thesis_methods"),
            settings=settings_of_tables,
        ),
        Step("figures", needs=("trials", "comparison"), files=(KEPT,)),
    ),
    chapter_settings=excluded,
    claimed={"ranks": (5, 10, 20), "variances": (1, 2), "observed_fractions": (0.05, 0.1, 0.15)},
    regression=Regression(
        table="trials",
        rows=without_plugins,
        trials=10,
        labels={"comparison": ("table", *COORDINATES, "metric")},
        numbers={"totals": TOTAL_KEYS},
        by_clock=("H40", "H41", "H42", "H43"),
    ),
)

"""The Huber mechanism paper and the thesis behind it.

[Gowtham 2022] is Gowtham, Muthukrishnan, Tholeti and Kalyani, "Introducing the Huber mechanism for
differentially private low-rank matrix completion" (arXiv:2206.07910); the thesis is Gowtham's, of
the same year.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.errors import InputError
from dpmc.frame.api import Regression, Study
from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.studies.huber import plugins
from dpmc.studies.huber.cells import COORDINATES
from dpmc.studies.huber.jobs import JOBS, STEPS, left_out, without_plugins
from dpmc.studies.huber.privacy_columns import TOTAL_KEYS
from dpmc.studies.huber.settings import check_grid
from dpmc.studies.huber.trial import METRICS


def prepare(configuration: Mapping[str, Mapping]) -> dict[str, object]:
    """Return the section, without the data sets that are null."""
    section = dict(configuration["huber"])
    section["real"] = {name: each for name, each in section["real"].items() if each is not None}
    sets = configuration["data"]["sets"]
    if SYNTHETIC in section["real"] or SYNTHETIC in sets:
        raise InputError("A data set must not be called 'synthetic': that name is taken.")
    plugins.load(section["plugins"])
    check_grid(section, sets)
    return section


STUDY = Study(
    name="huber",
    title="The Huber mechanism",
    prepare=prepare,
    jobs=JOBS,
    steps=STEPS,
    chapter="dpmc.studies.huber.chapter:chapter",
    chapter_settings=left_out,
    errata="dpmc.studies.huber.errata:errata",
    regression=Regression(
        table="trials",
        coordinates=COORDINATES,
        metrics=METRICS,
        rows=without_plugins,
        trials=10,
        labels={"comparison": ("table", *COORDINATES, "metric"), "claims": ("id",)},
        numbers={"totals": TOTAL_KEYS},
        by_clock=("H40", "H41", "H42", "H43"),
    ),
    schema=Path(__file__).parent / "schema.yaml",
    costs=Path(__file__).parent / "costs.csv",
)

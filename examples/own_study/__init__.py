"""A question of our own: how many ratings does noisy ALS need before it beats the item bias?

Papers compare factorizations with noise among themselves. The mean of an item needs no factors:
from which observed fraction on are noisy factors worth it? Asked on generated data.
"""

from pathlib import Path

from dpmc.study.api import Job, Regression, Step, Study
from dpmc.study.cells import cell_name

HERE = Path(__file__).parent
CURVES = (("item_bias", "none"), ("als", "none"), ("als", "gaussian"))
CELL = ("method", "mechanism", "observed_fraction")
USES = {"als": ("iterations", "regularization"), "gaussian": ("variance",)}


def curves(section):
    """Return the coordinates of each job: a method and its noise, at all observed fractions."""
    return [{"method": method, "mechanism": mechanism} for method, mechanism in CURVES]


def settings(section, curve):
    """Return exactly what a job uses: a changed variance reruns no job without noise."""
    shared = ("seed", "trials", "users", "items", "rank", "observed_fractions")
    own = [name for each in curve.values() for name in USES.get(each, ())]
    return {name: section[name] for name in (*shared, *own)}


def settings_by_cell(section):
    """Return the settings of every cell by its name: what `check` compares."""
    return {
        cell_name({**curve, "observed_fraction": float(fraction)}): settings(
            section | {"observed_fractions": None}, curve
        )
        for curve in curves(section)
        for fraction in section["observed_fractions"]
    }


STUDY = Study(
    name="own_study",
    title="How many ratings do noisy factors need?",
    prepare=lambda configuration: configuration["own_study"],
    jobs=(
        Job(
            name="fit",
            run="own_study.run:fit",
            tables={"trials": (*CELL, "trial", "rmse")},
            coordinates=CELL[:2],
            cells=curves,
            settings=settings,
        ),
    ),
    steps=(
        Step("claims", "own_study.show:claims", makes=("claims",), files=(HERE / "claims.yaml",)),
        Step("tables", "own_study.show:tables"),
        Step("figures", "own_study.show:figures"),
    ),
    chapter="own_study.show:chapter",
    seeds=lambda section: {"": section["seed"]},
    regression=Regression("trials", CELL, ("rmse",), settings_by_cell, labels={"claims": ("id",)}),
    schema=HERE / "schema.yaml",
    folder=HERE,
)

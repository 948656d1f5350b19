"""A question of our own: how many ratings does noisy ALS need before it beats the item bias?

Papers compare factorizations with noise among themselves. The mean of an item needs no factors:
from which observed fraction on are noisy factors worth it? Asked on generated data.
"""

from pathlib import Path

from dpmc.study.api import Job, Regression, Step, Study
from dpmc.study.cells import cell_name

HERE = Path(__file__).parent
METHODS = ("item_bias", "als", "noisy_als")
CELL = ("method", "observed_fraction")
USES = {
    "item_bias": (),
    "als": ("iterations", "regularization"),
    "noisy_als": ("iterations", "regularization", "variance"),
}


def curves(section):
    """Return the coordinates of each job: a method, at all observed fractions."""
    return [{"method": method} for method in METHODS]


def settings(section, coordinates):
    """Return exactly what a job uses: a changed variance reruns no job without noise."""
    shared = ("seed", "trials", "users", "items", "rank", "observed_fractions")
    return {name: section[name] for name in (*shared, *USES[coordinates["method"]])}


def settings_by_cell(section):
    """Return the settings of every cell by its name: what `check` compares."""
    cells = {}
    for curve in curves(section):
        used = settings(section, curve)
        for fraction in used.pop("observed_fractions"):
            cells[cell_name(curve | {"observed_fraction": float(fraction)})] = used
    return cells


STUDY = Study(
    name="own_study",
    title="How many ratings do noisy factors need?",
    prepare=lambda configuration: configuration["own_study"],
    jobs=(
        Job(
            name="fit",
            run="own_study.run:fit",
            tables={"trials": (*CELL, "trial", "rmse")},
            coordinates=("method",),
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
    regression=Regression("trials", CELL, ("rmse",), settings_by_cell, labels={"claims": ("id",)}),
    schema=HERE / "schema.yaml",
    folder=HERE,
)

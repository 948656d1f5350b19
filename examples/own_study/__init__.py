"""A question of our own: from which observed fraction on does noisy ALS beat the item bias?"""

from pathlib import Path

from dpmc.study.api import Job, Regression, Step, Study
from dpmc.study.cells import cell_name

HERE = Path(__file__).parent
METHODS = {"item_bias": "Item bias", "als": "ALS", "noisy_als": "ALS, Gaussian noise"}
UNUSED = {"item_bias": ("iterations", "regularization", "variance"), "als": ("variance",)}
CELL = ("method", "observed_fraction")


def curves(section):
    """Return the coordinates of each job: a method, at all observed fractions."""
    return [{"method": method} for method in METHODS]


def settings(section, curve):
    """Return exactly what a job uses: a changed variance reruns no job without noise."""
    unused = UNUSED.get(curve["method"], ())
    return {name: value for name, value in section.items() if name not in unused}


def settings_by_cell(section):
    """Return the settings of every cell by its name: what `check` compares."""
    cells = {}
    for curve in curves(section):
        used = settings(section, curve)
        for fraction in used.pop("observed_fractions"):
            cells[cell_name(curve | {"observed_fraction": float(fraction)})] = used
    return cells


COLUMNS = {"trials": (*CELL, "trial", "rmse")}
STUDY = Study(
    name="own_study",
    title="How many ratings do noisy factors need?",
    prepare=lambda configuration: configuration["own_study"],
    jobs=(Job("fit", "own_study.run:fit", COLUMNS, ("method",), curves, settings),),
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

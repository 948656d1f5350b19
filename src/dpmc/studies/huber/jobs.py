"""The jobs and steps of the Huber study: their cells, and exactly what each one uses."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from dpmc.frame.api import (
    Cells,
    Effort,
    Job,
    OutputOf,
    RatingsOf,
    Section,
    Settings,
    Source,
    Step,
)
from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.studies.huber import experiments, plugins, privacy
from dpmc.studies.huber.cells import Cell, DataCell, Instances, huber_cells
from dpmc.studies.huber.experiments import side
from dpmc.studies.huber.experiments.common import MOVIELENS, SWEETRS, ratings_of, side_modules
from dpmc.studies.huber.forensics import (
    RealVariant,
    SyntheticVariant,
    real_variants,
    synthetic_variants,
)
from dpmc.studies.huber.forensics_loss import LOSS_COLUMNS
from dpmc.studies.huber.settings import SYNTHETIC_SETTINGS, cell_settings, side_settings
from dpmc.studies.huber.trial import TRIAL_COLUMNS

HOME = Path(__file__).parent
RUN = "dpmc.studies.huber.run"
PUBLISHED = tuple(sorted((HOME / "reported").glob("*.csv")))
CLAIMS = HOME / "claims.yaml"
FORENSICS = "forensics"
PAPERS_DATA = (MOVIELENS, SWEETRS)


# -- cells of the papers' grid, and their generated data ----------------------------------------


def settings_of_cell(section: Section, cell: Cell) -> dict[str, object]:
    """Return what a cell uses."""
    used = plugins.used_by(cell, section["plugins"])
    return cell_settings(section, cell) | {"plugins": used}


def without_plugins(cell: Cell, settings: Settings) -> Iterator[tuple[dict, dict]]:
    """Yield a cell as the reference has it: where a method is defined changes no number."""
    kept = {name: value for name, value in settings.items() if name != "plugins"}
    yield cell.coordinates(), kept


def effort_of_cell(section: Section, cells: Cells) -> Effort:
    """Return what a cell's cost grows with: trials, iterations; entries of generated data."""
    ((cell, settings),) = cells.items()
    texts, names = cell.formatted(), ("dataset", "rank", "method", "mechanism", "irls_iterations")
    size = settings.get("users", 1) * settings.get("items", 1)
    return Effort(
        " ".join(texts[name] for name in names),
        settings["trials"] * settings.get("iterations", 1),
        size * cell.observed_fraction,
    )


def inputs_of_cell(section: Section, cell: Cell) -> dict[str, Source]:
    """Return the ratings of a real cell, the generated data of a synthetic one."""
    if cell.dataset != SYNTHETIC:
        return {"ratings": RatingsOf(cell.dataset)}
    return {"data": OutputOf("synthetic", Instances(cell.rank, cell.observed_fraction))}


def modules_of_cell(section: Section, cell: Cell) -> list[str]:
    """Return the modules of a cell's method and mechanism, and the plug-ins that define them."""
    return [*plugins.cell_modules(cell), *plugins.used_by(cell, section["plugins"])]


def instances(section: Section) -> list[Instances]:
    """Return rank and fraction of all generated data."""
    drawn = (cell for cell in huber_cells(section) if cell.dataset == SYNTHETIC)
    return list(dict.fromkeys(Instances(cell.rank, cell.observed_fraction) for cell in drawn))


def settings_of_instances(section: Section, cell: Instances) -> dict[str, object]:
    """Return what generated data depend on."""
    sizes = {name: section["synthetic"][name] for name in SYNTHETIC_SETTINGS}
    return {"seed": section["seed"], "trials": section["trials"]} | sizes


def effort_of_instances(section: Section, cells: Cells) -> Effort:
    """Return what generated data cost: entries, as often as there are trials."""
    (settings,) = cells.values()
    return Effort("", settings["trials"], settings["users"] * settings["items"])


# -- forensics ----------------------------------------------------------------------------------


def variants_of_real_data(section: Section) -> list[RealVariant]:
    """Return the choices on those real data sets of the papers that the section has."""
    return [
        variant
        for name in PAPERS_DATA
        if name in section["real"]
        for variant in real_variants(name, _splits(section, name))
    ]


def _splits(section: Section, name: str) -> dict[float, float]:
    """Reported visible fraction to the share of the ratings that trains."""
    return {
        split["observed_fraction"]: split.get("training_share", split["observed_fraction"])
        for split in section["real"][name]["splits"]
    }


def settings_of_real_variant(section: Section, cell: RealVariant) -> dict[str, object]:
    """Return what does not depend on the choice."""
    return _of_real_data(section, cell.dataset, ("rank", "iterations", "regularization"))


def settings_of_losses(section: Section, cell: DataCell) -> dict[str, object]:
    """Return the loss parameters, and what A-IRLS uses on a real data set."""
    names = ("rank", "variance", "iterations", "irls_iterations", "regularization", "start")
    return _of_real_data(section, cell.dataset, names)


def _of_real_data(section, dataset, names) -> dict[str, object]:
    entry = section["real"][dataset]
    own = {name: entry[name] for name in names if name in entry}
    return side_settings(section, FORENSICS) | own | {"splits": _splits(section, dataset)}


def settings_of_forensics(section: Section) -> dict[str, object]:
    """Return the choices, and the configuration's own."""
    real = {name: section["real"][name] for name in PAPERS_DATA if name in section["real"]}
    defaults = section["synthetic"] | {"start": section["start"], "real": real}
    return {
        "synthetic": [variant.coordinates() for variant in synthetic_variants()],
        "real": [variant.coordinates() for variant in variants_of_real_data(section)],
        "defaults": defaults,
    }


# -- steps --------------------------------------------------------------------------------------


def settings_of_claims(section: Section) -> dict[str, object]:
    """Return the variance of our noise on real data, the seed, and how many trials are reported."""
    return variances(section) | {"seed": section["seed"]} | reported_trials(section)


def reported_trials(section: Section) -> dict[str, object]:
    """Return how many trials stand beside the papers' numbers."""
    return {"reported_trials": section["reported_trials"]}


def left_out(section: Section) -> dict[str, object]:
    """Return the papers' data sets that the configuration leaves out."""
    return {"left_out": [name for name in PAPERS_DATA if name not in section["real"]]}


def settings_of_tables(section: Section) -> dict[str, object]:
    """Return how many trials stand beside the papers' numbers, the parameters of table 2, and the
    data sets that are left out."""
    from dpmc.studies.huber.tables_parameters import parameter_settings  # imports pandas

    parameters = {"parameters": parameter_settings(section)}
    return reported_trials(section) | parameters | left_out(section)


def variances(section: Section) -> Mapping[str, object]:
    """Return the variance of our noise by real data set: the papers do not state theirs."""
    real = section["real"].items()
    return {"real_variances": {name: entry["variance"] for name, entry in real}}


JOBS = (
    Job(
        name="synthetic",
        run=f"{RUN}:synthetic",
        cell=Instances,
        cells=instances,
        settings=settings_of_instances,
        modules=lambda section, cell: ["dpmc.datasets.synthetic"],
        file="npz",
        effort=effort_of_instances,
    ),
    Job(
        name="cell",
        run=f"{RUN}:cell",
        tables={"trials": TRIAL_COLUMNS},
        cell=Cell,
        cells=huber_cells,
        settings=settings_of_cell,
        inputs=inputs_of_cell,
        modules=modules_of_cell,
        seconds=1.8,
        effort=effort_of_cell,
    ),
    *side.JOBS,
    *experiments.JOBS,
    privacy.TOTALS,
    privacy.TRANSCRIPT,
    Job(
        name="forensics_synthetic",
        run=f"{RUN}:forensics_synthetic",
        tables={"forensics_synthetic": ("variant", *TRIAL_COLUMNS)},
        cell=SyntheticVariant,
        cells=lambda section: synthetic_variants(),
        by=("variant",),
        settings=lambda section, cell: side_settings(section, FORENSICS),
        modules=side_modules,
        target=FORENSICS,
        seconds=5.0,
    ),
    Job(
        name="forensics_real",
        run=f"{RUN}:forensics_real",
        tables={"forensics_real": ("variant", *TRIAL_COLUMNS)},
        cell=RealVariant,
        cells=variants_of_real_data,
        by=("variant",),
        settings=settings_of_real_variant,
        inputs=ratings_of,
        modules=side_modules,
        target=FORENSICS,
        seconds=55.0,
    ),
    Job(
        name="forensics_loss",
        run=f"{RUN}:forensics_loss",
        tables={"forensics_loss": LOSS_COLUMNS},
        cell=DataCell,
        cells=lambda section: [DataCell(name) for name in PAPERS_DATA if name in section["real"]],
        settings=settings_of_losses,
        inputs=ratings_of,
        modules=side_modules,
        target=FORENSICS,
        seconds=60.0,
    ),
)
STEPS = (
    Step(
        name="claims",
        run="dpmc.studies.huber.steps:claims",
        makes=("comparison", "claims"),
        settings=settings_of_claims,
        needs=(
            *("trials", "convergence", "starts", "timing"),
            *experiments.TABLES,
            *privacy.TABLES,
        ),
        files=(*PUBLISHED, CLAIMS),
        seconds=12.0,
    ),
    Step(
        name="tables",
        run="dpmc.studies.huber.steps:tables",
        settings=settings_of_tables,
        needs=("trials", "comparison"),
    ),
    Step(
        name="figures",
        run="dpmc.studies.huber.steps:figures",
        needs=("trials", "comparison", "convergence"),
        seconds=14.0,
    ),
    Step(
        name="method_tables",
        run="dpmc.studies.huber.steps:method_tables",
        needs=experiments.TABLES,
    ),
    Step(
        name="method_figures",
        run="dpmc.studies.huber.steps:method_figures",
        needs=experiments.TABLES,
    ),
    Step(
        name="privacy_tables",
        run="dpmc.studies.huber.steps:privacy_tables",
        needs=privacy.TABLES,
        settings=variances,
        files=PUBLISHED,
    ),
    Step(
        name="privacy_figures",
        run="dpmc.studies.huber.steps:privacy_figures",
        needs=privacy.TABLES,
        seconds=8.0,
    ),
    Step(
        name=FORENSICS,
        run="dpmc.studies.huber.steps:forensics",
        needs=("forensics_synthetic", "forensics_real", "forensics_loss"),
        settings=settings_of_forensics,
        files=PUBLISHED,
        target=FORENSICS,
    ),
)

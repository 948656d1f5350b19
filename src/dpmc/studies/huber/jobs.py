"""The jobs and steps of the Huber study: their cells, and exactly what each one uses."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from dpmc.studies.huber import experiments, plugins, privacy
from dpmc.studies.huber.cells import COORDINATES, Cell, huber_cells
from dpmc.studies.huber.effort import in_proportion_to
from dpmc.studies.huber.forensics import RealVariant, SyntheticVariant
from dpmc.studies.huber.forensics import real_variants as variants_of_real_data
from dpmc.studies.huber.forensics import synthetic_variants as all_synthetic_variants
from dpmc.studies.huber.forensics_loss import LOSS_COLUMNS
from dpmc.studies.huber.settings import SYNTHETIC_SETTINGS, cell_settings, side_settings
from dpmc.studies.huber.side import CONVERGENCE_COLUMNS, STARTS_COLUMNS, TIMING_COLUMNS
from dpmc.studies.huber.trial import TRIAL_COLUMNS
from dpmc.study.api import Effort, RatingsOf, Section, Source, Step
from dpmc.study.cells import SYNTHETIC, cell_name, format_coordinate
from dpmc.study.text_cells import Coordinates, Made
from dpmc.study.text_cells import text_job as Job

HOME = Path(__file__).parent
PUBLISHED = tuple(sorted((HOME / "published").glob("*.csv")))
CLAIMS = HOME / "claims.yaml"
FORENSICS = "forensics"
FORENSICS_DATA = ("ml-100k", "sweetrs")


# -- cells of the papers' grid ------------------------------------------------------------------


def cells(section: Section) -> list[Coordinates]:
    """Return the coordinates of every cell."""
    return [cell.formatted() for cell in huber_cells(section)]


def settings_of_cell(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return what a cell uses."""
    cell = Cell.from_formatted(coordinates)
    used = plugins.used_by(cell, section["plugins"])
    return cell_settings(section, cell) | {"plugins": used}


def effort_of_cell(section: Section, coordinates: Coordinates) -> Effort:
    """Return what a cell's cost grows with: trials, iterations; entries of generated data."""
    settings = settings_of_cell(section, coordinates)
    names = ("dataset", "rank", "method", "mechanism", "irls_iterations")
    size = settings.get("users", 1) * settings.get("items", 1)
    return Effort(
        " ".join(coordinates[name] for name in names),
        settings["trials"] * settings.get("iterations", 1),
        size * float(coordinates["observed_fraction"]),
    )


def inputs_of_cell(section: Section, coordinates: Coordinates) -> dict[str, Source]:
    """Return the ratings of a real cell, the generated data of a synthetic one."""
    cell = Cell.from_formatted(coordinates)
    if cell.dataset != SYNTHETIC:
        return {"ratings": RatingsOf(cell.dataset)}
    return {"data": Made("synthetic", _instances(cell))}


def modules_of_cell(section: Section, coordinates: Coordinates) -> list[str]:
    """Return the modules of a cell's method and mechanism, and the plug-ins that define them."""
    cell = Cell.from_formatted(coordinates)
    return [*plugins.cell_modules(cell), *plugins.used_by(cell, section["plugins"])]


def settings_by_cell(section: Section) -> dict[str, dict[str, object]]:
    """Return the settings of every cell by its name, see :class:`dpmc.study.api.Regression`."""
    return {
        cell_name(cell.coordinates()): cell_settings(section, cell) for cell in huber_cells(section)
    }


# -- generated data -----------------------------------------------------------------------------


def instances(section: Section) -> list[Coordinates]:
    """Return rank and fraction of all generated data."""
    needed = [_instances(cell) for cell in huber_cells(section) if cell.dataset == SYNTHETIC]
    return [dict(items) for items in dict.fromkeys(tuple(each.items()) for each in needed)]


def _instances(cell: Cell) -> Coordinates:
    fraction = format_coordinate(cell.observed_fraction)
    return {"rank": str(cell.rank), "observed_fraction": fraction}


def settings_of_instances(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return what generated data depend on."""
    sizes = {name: section["synthetic"][name] for name in SYNTHETIC_SETTINGS}
    return {
        "rank": int(coordinates["rank"]),
        "observed_fraction": float(coordinates["observed_fraction"]),
        "seed": section["seed"],
        "trials": section["trials"],
        **sizes,
    }


def effort_of_instances(section: Section, coordinates: Coordinates) -> Effort:
    """Return what generated data cost: entries, as often as there are trials."""
    settings = settings_of_instances(section, coordinates)
    return Effort("", settings["trials"], settings["users"] * settings["items"])


# -- side experiments ---------------------------------------------------------------------------


def _side(name: str):
    return lambda section, coordinates: side_settings(section, name)


def side_modules(section: Section, coordinates: Coordinates) -> list[str]:
    """Return the modules of the methods and mechanisms of all side experiments."""
    return plugins.side_modules()


# -- forensics ----------------------------------------------------------------------------------


def synthetic_variants() -> dict[str, SyntheticVariant]:
    """Return the choices on synthetic data by name."""
    return {variant.name: variant for variant in all_synthetic_variants()}


def real_variants(section: Section) -> dict[str, RealVariant]:
    """Return the choices on those real data sets of the papers that the section has."""
    return {
        variant.name: variant
        for name in FORENSICS_DATA
        if name in section["real"]
        for variant in variants_of_real_data(name, _splits(section, name))
    }


def _splits(section: Section, name: str) -> dict[float, float]:
    """Reported visible fraction to the share of the ratings that trains."""
    return {
        split["observed_fraction"]: split.get("training_share", split["observed_fraction"])
        for split in section["real"][name]["splits"]
    }


def settings_of_synthetic_variant(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return the choice, and what does not depend on it."""
    variant = synthetic_variants()[coordinates["variant"]]
    return side_settings(section, FORENSICS) | {"variant": asdict(variant)}


def settings_of_real_variant(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return the choice, and what does not depend on it."""
    variant = real_variants(section)[coordinates["variant"]]
    entry = section["real"][variant.dataset]
    names = ("rank", "iterations", "regularization")
    return (
        side_settings(section, FORENSICS)
        | {name: entry[name] for name in names if name in entry}
        | {"splits": _splits(section, variant.dataset), "variant": asdict(variant)}
    )


def settings_of_losses(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return the loss parameters, and what A-IRLS uses on a real data set."""
    name = coordinates["dataset"]
    entry = section["real"][name]
    names = ("rank", "variance", "iterations", "irls_iterations", "regularization", "start")
    own = {each: entry[each] for each in names if each in entry}
    return side_settings(section, FORENSICS) | own | {"splits": _splits(section, name)}


def _ratings_of_variant(section: Section, coordinates: Coordinates) -> dict[str, Source]:
    return {"ratings": RatingsOf(real_variants(section)[coordinates["variant"]].dataset)}


def settings_of_forensics(section: Section) -> dict[str, object]:
    """Return the choices, and the configuration's own."""
    real = {name: section["real"][name] for name in FORENSICS_DATA if name in section["real"]}
    defaults = section["synthetic"] | {"start": section["start"], "real": real}
    return {
        "synthetic": [asdict(variant) for variant in synthetic_variants().values()],
        "real": [asdict(variant) for variant in real_variants(section).values()],
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
    papers = ("ml-100k", "sweetrs")
    return {"left_out": [name for name in papers if name not in section["real"]]}


def settings_of_tables(section: Section) -> dict[str, object]:
    """Return how many trials stand beside the papers' numbers, the parameters of table 2, and the
    data sets that are left out."""
    from dpmc.studies.huber.tables_parameters import parameter_settings  # imports pandas

    parameters = {"parameters": parameter_settings(section)}
    return reported_trials(section) | parameters | left_out(section)


def variances(section: Section, coordinates: Coordinates | None = None) -> Mapping[str, object]:
    """Return the variance of our noise by real data set: the papers do not state theirs."""
    real = section["real"].items()
    return {"real_variances": {name: entry["variance"] for name, entry in real}}


JOBS = (
    Job(
        name="synthetic",
        run="dpmc.studies.huber.run:synthetic",
        coordinates=("rank", "observed_fraction"),
        cells=instances,
        settings=settings_of_instances,
        modules=lambda section, coordinates: ["dpmc.datasets.synthetic"],
        file="npz",
        effort=effort_of_instances,
    ),
    Job(
        name="cell",
        run="dpmc.studies.huber.run:cell",
        tables={"trials": TRIAL_COLUMNS},
        coordinates=COORDINATES,
        cells=cells,
        settings=settings_of_cell,
        inputs=inputs_of_cell,
        modules=modules_of_cell,
        seconds=1.8,
        effort=effort_of_cell,
    ),
    Job(
        name="convergence",
        run="dpmc.studies.huber.run:convergence",
        tables={"convergence": CONVERGENCE_COLUMNS},
        settings=_side("convergence"),
        effort=in_proportion_to("trials", "iterations"),
        modules=side_modules,
        seconds=16.0,
    ),
    Job(
        name="starts",
        run="dpmc.studies.huber.run:starts",
        tables={"starts": STARTS_COLUMNS},
        settings=_side("starts"),
        effort=in_proportion_to("starts.count", "iterations"),
        modules=side_modules,
        seconds=12.0,
    ),
    Job(
        name="timing",
        run="dpmc.studies.huber.run:timing",
        tables={"timing": TIMING_COLUMNS},
        settings=_side("timing"),
        effort=in_proportion_to("timing.repeats", "iterations"),
        modules=side_modules,
        alone=True,
        seconds=16.0,
    ),
    *experiments.JOBS,
    privacy.TOTALS,
    privacy.TRANSCRIPT,
    Job(
        name="forensics_synthetic",
        run="dpmc.studies.huber.run:forensics_synthetic",
        tables={"forensics_synthetic": ("variant", *TRIAL_COLUMNS)},
        coordinates=("variant",),
        cells=lambda section: [{"variant": name} for name in synthetic_variants()],
        settings=settings_of_synthetic_variant,
        modules=side_modules,
        target=FORENSICS,
        seconds=5.0,
    ),
    Job(
        name="forensics_real",
        run="dpmc.studies.huber.run:forensics_real",
        tables={"forensics_real": ("variant", *TRIAL_COLUMNS)},
        coordinates=("variant",),
        cells=lambda section: [{"variant": name} for name in real_variants(section)],
        settings=settings_of_real_variant,
        inputs=_ratings_of_variant,
        modules=side_modules,
        target=FORENSICS,
        seconds=55.0,
    ),
    Job(
        name="forensics_loss",
        run="dpmc.studies.huber.run:forensics_loss",
        tables={"forensics_loss": LOSS_COLUMNS},
        coordinates=("dataset",),
        cells=lambda section: [
            {"dataset": name} for name in FORENSICS_DATA if name in section["real"]
        ],
        settings=settings_of_losses,
        inputs=experiments.ratings_of,
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
        needs=("trials", "convergence", "starts", "timing", *experiments.TABLES),
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

"""The jobs of the grid: generated ratings, fits, and the search of their hyper-parameters."""

from dpmc.frame.api import Cells, Effort, Job, OutputOf, RatingsOf, Section, Source
from dpmc.frame.jobs.cells import Cell, is_drawn
from dpmc.studies.dpals.cells import (
    DPALS_COLUMNS,
    GENERATED,
    ITERATION_COLUMNS,
    TUNING_COLUMNS,
    DpalsCell,
    SurrogateCell,
)
from dpmc.studies.dpals.forms import FORMS
from dpmc.studies.dpals.settings import (
    dpals_settings,
    modules_of,
    stored,
    surrogate_settings,
    tuning_cells,
    tuning_settings,
)

SURROGATE = "surrogate"


def inputs_of(section: Section, cell: Cell) -> dict[str, Source]:
    """Return what a job on a data set reads: nothing where it draws its data."""
    name = stored(section, cell.dataset)
    if name is None:
        return {}
    if "like" in section["datasets"].get(name, {}):
        return {GENERATED: OutputOf(SURROGATE, SurrogateCell(name))}
    return {"ratings": RatingsOf(name)}


def effort_of_data(section: Section, cells: Cells) -> Effort:
    """Return that of generating a data set, or of counting its ratings."""
    (name,) = next(iter(cells)).coordinates().values()
    form, size = form_and_size(section, name)
    return Effort(form, size=size)


def effort_of_fits(section: Section, cells: Cells) -> Effort:
    """Return that of a curve: fits of one method on data of one form, and their iterations."""
    first, fits = next(iter(cells)), cells.values()
    form, size = form_and_size(section, first.dataset)
    amount = sum(each["trials"] * each["model"].get("iterations", 1) for each in fits)
    return Effort(f"{first.method} {first.variant} {form}", amount, size)


def effort_of_candidates(section: Section, cells: Cells) -> Effort:
    """Return that of the search of a cell's hyper-parameters."""
    cell, tuning = next(iter(cells)), section["tuning"]
    form, size = form_and_size(section, cell.dataset)
    return Effort(f"{cell.method} {form}", tuning["trials"] * tuning["candidates"], size)


def form_and_size(section: Section, dataset: str) -> tuple[str, float]:
    """Say what data sets have in common that differ in their size alone, and what that is.

    Generated data have the form of the data set that they stand in for; the unit of sizes is the
    same for data of one form, such as a rating.
    """
    from dpmc.studies.dpals.synthetic import share_observed  # imports numba

    entry = section["datasets"][dataset]
    if is_drawn(entry):
        users, items = entry["users"], entry["items"]
        share = entry.get("observed_fraction")
        share = share or share_observed(users, items, entry["ratings_factor"])
        return f"drawn, {items} items, rank {entry['rank']}", users * items * share
    name = stored(section, dataset)
    file = section["datasets"].get(name, {})
    form = file.get("like", name)
    size = FORMS[form].ratings * file.get("scale", 1) ** 1.5 if form in FORMS else 1.0
    items = f", {entry['top_items']} items" if "top_items" in entry else ""
    return form + items, entry.get("users_share", 1.0) * size


GENERATE = Job(
    name=SURROGATE,
    run=".surrogate:run",
    cell=SurrogateCell,
    cells=None,  # those that are read
    settings=surrogate_settings,
    file="npz",
    seconds=16.0,
    effort=effort_of_data,
)
FIT = Job(
    name="fit",
    run=".trial:run_fits",
    # iterations have rows only where an experiment asks for errors by iteration
    tables={"trials": DPALS_COLUMNS, "iterations": ITERATION_COLUMNS},
    cell=DpalsCell,
    cells=lambda section: section["cells"],
    by=("dataset", "method", "variant"),
    settings=dpals_settings,
    inputs=inputs_of,
    modules=lambda section, cell: modules_of(cell.method),
    seconds=15.0,
    effort=effort_of_fits,
)
# candidates of hyper-parameters on the validation data of another seed
CANDIDATE = Job(
    name="candidate",
    run=".tuning:run",
    tables={"tuning": TUNING_COLUMNS},
    cell=DpalsCell,
    cells=tuning_cells,
    settings=tuning_settings,
    inputs=inputs_of,
    modules=FIT.modules,
    target="dpals_tune",
    seconds=300.0,
    effort=effort_of_candidates,
)

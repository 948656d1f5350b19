"""The job of the grid, and what jobs on its data sets cost."""

from dpmc.frame.api import Cells, Effort, Job, Section
from dpmc.frame.jobs.cells import is_drawn
from dpmc.studies.dpals.cells import DPALS_COLUMNS, ITERATION_COLUMNS, DpalsCell
from dpmc.studies.dpals.forms import FORMS
from dpmc.studies.dpals.settings import dpals_settings, inputs_of, modules_of, stored


def effort(section: Section, cells: Cells) -> Effort:
    """Return that of a curve: fits of one method on data of one form, and their iterations."""
    first, fits = next(iter(cells)), cells.values()
    form, size = form_and_size(section, first.dataset)
    amount = sum(each["trials"] * each["model"].get("iterations", 1) for each in fits)
    return Effort(f"{first.method} {first.variant} {form}", amount, size)


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
    size = FORMS[form].ratings_at(file.get("scale", 1)) if form in FORMS else 1.0
    items = f", {entry['top_items']} items" if "top_items" in entry else ""
    return form + items, entry.get("users_share", 1.0) * size


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
    effort=effort,
)

"""The data sets of a section: stored ratings, parts of them, and drawn matrices.

An entry of ``datasets`` with a number of ``items`` is drawn in the job, and one that is ``like``
MovieLens 10M is generated there. ``of`` names the stored ratings that an entry is made of; without
it they have the name of the entry.
"""

from collections.abc import Mapping

from dpmc.datasets.parts import LIANG
from dpmc.frame.api import Cells, Effort, RatingsOf, Section, Source
from dpmc.frame.jobs.cells import Cell, is_drawn

# of those whose parts differ in size enough to matter
RATINGS_IN = {"ml-10m": 10_000_054, "ml-20m": 20_000_263}


def stored(section: Mapping, dataset: str) -> str | None:
    """Return the name of the stored ratings that a data set is made of; None if a job makes it."""
    entry = section["datasets"][dataset]
    return None if is_drawn(entry) or "like" in entry else entry.get("of", dataset)


def public_range(entry: Mapping) -> tuple[float, float]:
    """Return the public range of the ratings that a model sees, from the entry of a data set."""
    if entry.get("split") == LIANG:
        return (0.0, 1.0)  # signs of preference
    low, high = entry.get("rescale", entry["rating_range"])
    return float(low), float(high)


def inputs_of(section: Section, cell: Cell) -> dict[str, Source]:
    """Return what a job on a data set reads: nothing where it makes its data."""
    name = stored(section, cell.dataset)
    return {} if name is None else {"ratings": RatingsOf(name)}


def form_and_size(section: Section, dataset: str) -> tuple[str, float]:
    """Say what data sets have in common that differ in their size alone, and what that is.

    The unit of sizes is the same for data of one form, such as a rating.
    """
    from dpmc.datasets.drawn import share_observed  # imports numba

    entry = section["datasets"][dataset]
    if is_drawn(entry):
        users, items = entry["users"], entry["items"]
        share = entry.get("observed_fraction")
        share = share or share_observed(users, items, entry["ratings_factor"])
        return f"drawn, {items} items, rank {entry['rank']}", users * items * share
    if "like" in entry:
        return entry["like"], RATINGS_IN[entry["like"]] * entry["scale"] ** 1.5
    name = stored(section, dataset)
    items = f", {entry['top_items']} items" if "top_items" in entry else ""
    return name + items, entry.get("users_share", 1.0) * RATINGS_IN.get(name, 1.0)


def effort_of_fits(section: Section, cells: Cells) -> Effort:
    """Return that of a curve: fits of one method on data of one form, and their iterations."""
    first, fits = next(iter(cells)), cells.values()
    form, size = form_and_size(section, first.dataset)
    amount = sum(each["trials"] * each.get("model", {}).get("iterations", 1) for each in fits)
    return Effort(f"{first.method} {first.variant} {form}", amount, size)

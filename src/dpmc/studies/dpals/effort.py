"""What the cost of the jobs of this study grows with: ratings, fits and their iterations."""

from collections.abc import Mapping

from dpmc.frame.api import Cells, Effort, Section
from dpmc.studies.dpals.cells import is_synthetic
from dpmc.studies.dpals.settings import stored


def effort_of_fits(section: Section, cells: Cells) -> Effort:
    """Return that of a curve: fits of one method on data of one form."""
    first = next(iter(cells))
    fits = cells.values()
    amount = sum(each["trials"] * each["model"].get("iterations", 1) for each in fits)
    alike = f"{first.method} {first.variant} {form(section, first.dataset)}"
    return Effort(alike, amount, size(section, first.dataset))


def effort_of_data(section: Section, cells: Cells) -> Effort:
    """Return that of generating a data set, or of counting its ratings."""
    (name,) = next(iter(cells)).coordinates().values()
    return Effort(form(section, name), size=size(section, name))


def effort_of_timing(section: Section, cells: Cells) -> Effort:
    """Return that of timing the methods."""
    timing = section["timing"]
    return Effort(amount=timing["repeats"] * len(timing["methods"]), size=sum(timing["users"]))


def effort_of_candidates(section: Section, cells: Cells) -> Effort:
    """Return that of the search of a cell's hyper-parameters."""
    cell, tuning = next(iter(cells)), section["tuning"]
    alike = f"{cell.method} {form(section, cell.dataset)}"
    return Effort(alike, tuning["trials"] * tuning["candidates"], size(section, cell.dataset))


def form(section: Section, dataset: str) -> str:
    """Say what data sets have in common that differ in their number of users alone.

    Generated data have the form of the data set that they stand in for.
    """
    entry = section["datasets"].get(dataset, {})
    if is_synthetic(entry):
        return f"drawn, {entry['items']} items, rank {entry['rank']}"
    name = stored(section, dataset) if entry else dataset
    name = section["datasets"].get(name, {}).get("like", name)
    items = entry.get("top_items")
    return f"{name}, {items} items" if items else name


def size(section: Section, dataset: str) -> float:
    """Return the number of ratings, of data sets of one form in the same unit."""
    entry = section["datasets"].get(dataset, {})
    if is_synthetic(entry):
        from dpmc.studies.dpals.synthetic import share_observed

        users, items = entry["users"], entry["items"]
        share = entry.get("observed_fraction")
        return users * items * (share or share_observed(users, items, entry["ratings_factor"]))
    name = stored(section, dataset) if entry else dataset
    return entry.get("users_share", 1.0) * _of_file(section["datasets"].get(name, {}), name)


def _of_file(entry: Mapping, name: str) -> float:
    """Return the ratings of a file that is generated or stood in for; 1 for any other."""
    from dpmc.studies.dpals.surrogate import FORMS

    like = entry.get("like", name)
    return FORMS[like].ratings * entry.get("scale", 1) ** 1.5 if like in FORMS else 1.0

"""What the cost of the jobs of this study grows with: ratings, fits and their iterations."""

from collections.abc import Mapping

from dpmc.studies.dpals.cells import is_synthetic, stored
from dpmc.studies.dpals.settings import curve_job_settings
from dpmc.study.api import Effort, Section
from dpmc.study.text_cells import Coordinates


def effort_of_fits(section: Section, coordinates: Coordinates) -> Effort:
    """Return that of a curve: fits of one method on data of one form."""
    cells = curve_job_settings(section, coordinates)["cells"]
    amount = sum(cell["trials"] * cell["model"].get("iterations", 1) for cell in cells)
    alike = f"{coordinates['method']} {coordinates['variant']}"
    return Effort(
        f"{alike} {form(section, coordinates['dataset'])}",
        amount,
        size(section, coordinates["dataset"]),
    )


def effort_of_surrogate(section: Section, coordinates: Coordinates) -> Effort:
    """Return that of generated data."""
    (name,) = coordinates.values()
    return Effort(form(section, name), size=size(section, name))


def effort_of_coverage(section: Section, coordinates: Coordinates) -> Effort:
    """Return that of counting a data set's ratings."""
    name = coordinates["dataset"]
    return Effort(form(section, name), size=size(section, name))


def effort_of_timing(section: Section, coordinates: Coordinates) -> Effort:
    """Return that of timing the methods."""
    timing = section["timing"]
    return Effort(amount=timing["repeats"] * len(timing["methods"]), size=sum(timing["users"]))


def effort_of_candidates(section: Section, coordinates: Coordinates) -> Effort:
    """Return that of the search of a cell's hyper-parameters."""
    name, tuning = coordinates["dataset"], section["tuning"]
    amount = tuning["trials"] * tuning["candidates"]
    return Effort(f"{coordinates['method']} {form(section, name)}", amount, size(section, name))


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

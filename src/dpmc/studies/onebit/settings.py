"""From the ``onebit`` section of the configuration to its jobs, and what exactly each one uses.

A module of its own, which the jobs do not import: a new data set in the registry, or a change in
here that leaves the settings of a job as they were, does not rerun it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from dpmc.datasets import resolve
from dpmc.errors import InputError, did_you_mean
from dpmc.methods.onebit.links import link_of
from dpmc.methods.onebit.noise import GRADIENT
from dpmc.studies.onebit.cells import (
    APPROXIMATE,
    BOTH,
    CLEAR,
    CLEAR_COORDINATES,
    CURVE_COORDINATES,
    NOT_PRIVATE,
    OBSERVED_FRACTION,
    PRIVATE,
    SYNTHETIC,
    OneBitCell,
    is_synthetic,
)
from dpmc.study.api import RatingsOf, Section, Source
from dpmc.study.text_cells import Coordinates, Made

RATINGS, SOLUTIONS = "ratings", "clear"  # names of inputs


def prepare(configuration: Mapping[str, object]) -> dict[str, object]:
    """Return the section without the experiments that are null, checked.

    Parameters
    ----------
    configuration : mapping
        The whole configuration; of other sections only ``data.sets`` is looked at.

    Raises
    ------
    InputError
        An unknown data set or mechanism, or a cell that comes twice.
    """
    section = dict(configuration["onebit"])
    experiments = section["experiments"].items()
    section["experiments"] = {name: each for name, each in experiments if each is not None}
    for name, entry in section["datasets"].items():
        if not is_synthetic(entry):
            resolve(name, configuration["data"]["sets"])
    for experiment in section["experiments"].values():
        _known("data set in onebit.datasets", [experiment["dataset"]], section["datasets"])
        _known("private mechanism", experiment["mechanisms"], PRIVATE)
    onebit_cells(section)
    return section


def _known(what: str, names: Iterable[str], allowed: Collection[str]) -> None:
    for name in names:
        if name not in allowed:
            raise InputError(
                f"There is no {what} {name!r}{did_you_mean(name, allowed)}; "
                f"known are {', '.join(allowed)}."
            )


def onebit_cells(section: Section) -> list[OneBitCell]:
    """Return every cell, a configuration's clear cell before its others, a curve's in a row.

    Corrected objective perturbation ("objp") appears only where it exists and differs from the
    paper's: for a link that is not log-linear, under both constraints, above its least epsilon.

    Raises
    ------
    InputError
        Two experiments have a cell in common: its trials could not have two numbers of trials.
    """
    owners: dict[OneBitCell, str] = {}
    for name, experiment in section["experiments"].items():
        for cell in _cells_of(section, experiment):
            if cell in owners:
                raise InputError(
                    f"onebit.experiments.{owners[cell]} and .{name} share the cell "
                    f"{', '.join(cell.formatted().values())}; give the two different data sets, "
                    "constraints or observed fractions."
                )
            owners[cell] = name
    return list(owners)


def _cells_of(section: Section, experiment: Mapping) -> Iterator[OneBitCell]:
    for fraction in experiment["observed_fractions"]:
        for link in section["links"]:
            clear = OneBitCell(
                experiment["dataset"], link, experiment["constraint"], float(fraction), CLEAR, None
            )
            yield clear
            for mechanism in experiment["mechanisms"]:
                for epsilon in _epsilons(section, experiment, link, mechanism):
                    yield replace(clear, mechanism=mechanism, epsilon=epsilon)


def _epsilons(section: Section, experiment: Mapping, link: str, mechanism: str) -> list[float]:
    """Return the epsilons of a curve; none if there is no such curve."""
    epsilons = [float(epsilon) for epsilon in experiment["epsilons"]]
    if mechanism != "objp":
        return epsilons
    alpha = section["datasets"][experiment["dataset"]]["alpha"]
    least = link_of(link).log_curvature_ratio(alpha)
    exists = least > 0 and experiment["constraint"] == BOTH
    return [epsilon for epsilon in epsilons if exists and epsilon > least]


def clear_jobs(section: Section) -> list[Coordinates]:
    """Return the coordinates of the configurations, each solved without privacy by one job."""
    return _jobs(section, CLEAR_COORDINATES, lambda cell: cell.mechanism == CLEAR)


def curve_jobs(section: Section) -> list[Coordinates]:
    """Return the coordinates of the curves: of a private mechanism with all its epsilons."""
    return _jobs(section, CURVE_COORDINATES, lambda cell: cell.mechanism != CLEAR)


def _jobs(section, names, chosen) -> list[Coordinates]:
    formatted = (cell.formatted() for cell in onebit_cells(section) if chosen(cell))
    return [
        dict(zip(names, values, strict=True))
        for values in dict.fromkeys(tuple(each[name] for name in names) for each in formatted)
    ]


def clear_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return what the job without privacy and its baselines use."""
    return cell_settings(section, _cell(coordinates))


def curve_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return what a curve uses: what all its cells use, which is the same, and its epsilons."""
    cell = _cell(coordinates)
    experiment = _experiment_of(section, cell)
    epsilons = _epsilons(section, experiment, cell.link, cell.mechanism)
    return cell_settings(section, cell) | {"epsilons": epsilons}


def cell_settings(section: Section, cell: OneBitCell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    A setting that is not in here cannot change the cell's numbers, so it need not rerun.

    Raises
    ------
    InputError
        No experiment of the section has this cell.
    """
    settings = {
        "seed": section["seed"],
        "trials": _experiment_of(section, cell)["trials"],
        **section["datasets"][cell.dataset],
    }
    if cell.mechanism == CLEAR:
        settings["baselines"] = list(section["baselines"])
    if cell.mechanism in GRADIENT:
        settings |= section["grap"]
    if cell.mechanism in APPROXIMATE:
        settings["delta"] = float(section["delta"])
    return settings


def job_inputs(section: Section, coordinates: Coordinates) -> dict[str, Source]:
    """Return the ratings of a real data set, and for output perturbation the solutions to noise."""
    cell = _cell(coordinates)
    inputs: dict[str, Source] = {}
    if not is_synthetic(section["datasets"][cell.dataset]):
        inputs[RATINGS] = RatingsOf(cell.dataset)
    if cell.needs_clear:
        place = {name: coordinates[name] for name in CLEAR_COORDINATES}
        inputs[SOLUTIONS] = Made(CLEAR, place)
    return inputs


def outp_settings(section: Section, coordinates: Coordinates | None = None) -> dict[str, object]:
    """Return the settings of the tables of :mod:`dpmc.studies.onebit.outp`."""
    return {
        "seed": section["seed"],
        "links": list(section["links"]),
        "observed_fraction": OBSERVED_FRACTION,
        **section["datasets"][SYNTHETIC],
        **section["outp_privacy"],
    }


def bound_settings(section: Section, coordinates: Coordinates | None = None) -> dict[str, object]:
    """Return the settings of :mod:`dpmc.studies.onebit.bounds`.

    ``points`` are the (observed fraction, epsilon) of the experiments on synthetic data under both
    constraints, and ``trials`` the most that one of these has.
    """
    chosen = [
        experiment
        for experiment in section["experiments"].values()
        if (experiment["dataset"], experiment["constraint"]) == (SYNTHETIC, BOTH)
    ]
    points = {
        (float(fraction), float(epsilon))
        for experiment in chosen
        for fraction in experiment["observed_fractions"]
        for epsilon in experiment["epsilons"]
    }
    return {
        "seed": section["seed"],
        "links": list(section["links"]),
        "points": [list(point) for point in sorted(points)],
        "trials": max((experiment["trials"] for experiment in chosen), default=0),
        **section["datasets"][SYNTHETIC],
    }


def _cell(coordinates: Coordinates) -> OneBitCell:
    """Return the cell of a clear job, or one of a curve without its epsilon."""
    return OneBitCell.from_formatted({"mechanism": CLEAR, "epsilon": NOT_PRIVATE, **coordinates})


def _experiment_of(section: Section, cell: OneBitCell) -> Mapping:
    """The experiment of a cell: two never share data set, constraint and observed fraction."""
    for experiment in section["experiments"].values():
        if (cell.dataset, cell.constraint) == (
            experiment["dataset"],
            experiment["constraint"],
        ) and cell.observed_fraction in experiment["observed_fractions"]:
            return experiment
    raise InputError(
        f"No experiment of onebit has the cell {', '.join(cell.formatted().values())}."
    )

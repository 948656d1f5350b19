"""Claims about MovieLens 10M and 20M on ratings drawn by other laws: is what is found an artefact?

:mod:`dpmc.datasets.surrogate` has one law: tastes of rank 8 that have nothing to do with what
is rated, and one popularity. Here each law differs from a common one in rank and spectrum of the
tastes, popularity, numbers of ratings, noise, or in that users rate what they like (ratings are
then not missing at random). The methods are those of the surrogates, with the same settings.

A seventh of the users and items of MovieLens 10M, in the same proportion, and 100 of 143 ratings a
user: n epsilon is a seventh, but n epsilon / m, on which the noise of an item hangs, is the same.
Users rate a larger share of the items, so that the most rated fifth holds less.

A target of its own, as it takes long; its outcome is kept (:mod:`dpmc.studies.dpals.claims.laws`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, product

import numpy as np

from dpmc.datasets.forms import FORMS
from dpmc.datasets.parts import LIANG
from dpmc.frame.api import Job, Section
from dpmc.frame.jobs.hyperparameters import model_settings
from dpmc.frame.jobs.seeds import DATA, stream
from dpmc.frame.jobs.task import Task
from dpmc.ratings import Compressed, Ratings
from dpmc.studies.dpals.cells import DPALS_COLUMNS, STANDARD, DpalsCell
from dpmc.studies.dpals.experiments.coverage import FULL, gini, items_chosen
from dpmc.studies.dpals.methods import METHODS
from dpmc.studies.dpals.settings import modules_of
from dpmc.studies.dpals.variant_names import named_settings

TARGET = "surrogates"
LAW_COLUMNS = ("law", *DPALS_COLUMNS)
COVERAGE_COLUMNS = ("law", "trial", "dataset", "sampling", "ratings_per_user", "gini")
ALL, TOP, IMPLICIT = "surrogate-10m", "surrogate-10m-top400", "surrogate-20m"
EPSILONS, TWO = (1.0, 5.0, 10.0, 20.0), (1.0, 10.0)
PARTS = ("_0.05", "_0.2", "_1")
UNIFORM, ADAPTIVE = ([f"{kind}{part}" for part in PARTS] for kind in ("uniform", "adaptive"))
UNPROJECTED = "adaptive_0.2_no_projection"
# what the claims need: data, methods, variants and budgets
FITS = (
    (TOP, ("trivial", "als"), (STANDARD,), (None,)),
    (TOP, ("dpals", "dpfw", "dp_svd"), (STANDARD,), EPSILONS),
    (ALL, ("als",), (STANDARD, *UNIFORM), (None,)),
    (ALL, ("als_sampled",), ("uniform_1", "adaptive_1"), (None,)),
    (ALL, ("dpals",), (STANDARD,), EPSILONS),
    (ALL, ("dpals",), (*ADAPTIVE, UNPROJECTED), TWO),
    (ALL, ("dpals",), UNIFORM, TWO[1:]),
    (IMPLICIT, ("ials",), (STANDARD,), (None,)),
    (IMPLICIT, ("dpals",), (STANDARD,), (1.0, 20.0)),
)
RATED = {"rating_range": [0.5, 5]}
USERS = 500  # that are drawn at a time


@dataclass(frozen=True)
class LawCell(DpalsCell):
    """A cell of the grid on data of a law."""

    law: str


def cells(section: Section) -> list[LawCell]:
    """Return every fit on every law, those on the same data together."""
    return [
        LawCell(dataset, method, variant, epsilon, law)
        for law in section["surrogates"]["laws"]
        for dataset, *rest in FITS
        for method, variant, epsilon in product(*rest)
    ]


def settings(section: Section, cell: LawCell) -> dict[str, object]:
    """Return the law, and what the cell of the grid uses on data of this size."""
    given = section["surrogates"]
    known = {name: value for name, value in cell.coordinates().items() if name != "law"}
    model = model_settings(section["hyperparameters"], known) | named_settings(cell.variant)
    if cell.variant == "uniform_1":
        model["counts_share"] = 0  # no counts are needed
    found = {
        "seed": section["seed"],
        **{name: given[name] for name in ("trials", "users", "items")},
        "law": given["law"] | given["laws"][cell.law],
        "data": data_of(cell.dataset, given),
        "model": model,
    }
    if METHODS[cell.method].private:
        form = FORMS["ml-20m"]
        found["delta"] = 1 / form.users if cell.dataset == IMPLICIT else section["delta"]
    return found


def data_of(dataset: str, given: Mapping) -> dict[str, object]:
    """Return the entry of a data set: as many of the items are the top 400 as of MovieLens 10M."""
    if dataset == IMPLICIT:
        return RATED | {"split": LIANG, "heldout_users": given["heldout_users"]}
    top = {"top_items": round(400 / FORMS["ml-10m"].items * given["items"])}
    shares = {"training_share": 0.8, "test_share": 0.1}
    return RATED | shares | (top if dataset == TOP else {})


def run(task: Task) -> dict[str, list[dict[str, object]]]:
    """Run all fits on one law: the trials, and Gini coefficients of each draw."""
    tables = {name: [] for name in JOB.tables}
    for trial in range(task.settings["trials"]):
        for name, rows in run_trial(task, trial).items():
            tables[name] += rows
    return tables


def run_trial(task: Task, trial: int) -> dict[str, list[dict[str, object]]]:
    """Draw ratings by a law and run all fits on them: rows of both tables."""
    # both import numba
    from dpmc.frame.jobs.data import make_split
    from dpmc.studies.dpals.trial import run_trial as run_fit

    law, settings = task.cell.law, task.settings
    rng = stream(settings["seed"], DATA, {"law": law, "trial": trial})
    ratings = draw(rng, settings["users"], settings["items"], **settings["law"])
    coverage, rows = popularity(ratings, rng), []
    for dataset, part in groupby(task.cells.items(), key=lambda item: item[0].dataset):
        part = list(part)
        split = make_split(f"{law} {dataset}", part[0][1], trial, ratings)
        rows += [run_fit(cell, own, trial, split)[0] for cell, own in part]
    found = {"law_trials": rows, "law_coverage": coverage}
    return {
        name: [{"law": law, "trial": trial, **row} for row in table]
        for name, table in found.items()
    }


def popularity(ratings: Ratings, rng: np.random.Generator) -> Iterator[dict[str, object]]:
    """Yield the Gini coefficient of numbers of ratings, of all and of 50 a user (claim D20)."""
    for sampling in (FULL, "uniform", "adaptive"):
        full = sampling == FULL
        chosen = ratings.items if full else items_chosen(ratings, 50, sampling, rng)
        found = gini(np.bincount(chosen, minlength=ratings.n_items))
        values = (ALL, sampling, None if full else 50, found)
        yield dict(zip(COVERAGE_COLUMNS[2:], values, strict=True))


def draw(
    rng: np.random.Generator,
    users: int,
    items: int,
    *,
    rank: int,
    decay: float,
    taste: float,
    noise: float,
    exponent: float,
    exposure: float,
    activity: float,
    ratings: float,
) -> Ratings:
    """Draw ratings in half stars: mean + user's + item's level + taste + noise.

    Tastes are a product of ``rank`` with deviation ``taste``, whose j-th direction has a deviation
    in proportion to j^-``decay``. The j-th most popular of m items has a weight of
    (j + 0.014 m)^-``exponent``, times exp(``exposure``) for every deviation by which a user's taste
    for it is above the mean. Users draw by weight without replacement, 20 items and a log-normal
    number more of logarithmic deviation ``activity``, about ``ratings`` in the mean.
    """
    import dpmc.datasets.surrogate as usual  # imports numba

    # logarithms
    weights = rng.permutation(-exponent * np.log(np.arange(items) + usual.SHIFT * items))
    more = rng.lognormal(sigma=activity, size=users) / np.exp(activity**2 / 2)
    sizes = np.rint(usual.LEAST + more * (ratings - usual.LEAST))
    sizes = np.clip(sizes, 1, max(1, int(usual.MOST_SHARE * items))).astype(np.int64)
    spectrum = np.arange(1, rank + 1.0) ** -decay
    spectrum *= taste / np.linalg.norm(spectrum)
    likes = rng.standard_normal((users, rank))
    offers = rng.standard_normal((items, rank)) * spectrum
    popularity = (weights - weights.mean()) / weights.std()
    levels = usual.MEAN + usual.POPULARITY_SLOPE * popularity
    levels += usual.ITEM_DEVIATION * rng.standard_normal(items)
    own = usual.USER_DEVIATION * rng.standard_normal((users, 1))
    indices, values = [], []
    for first in range(0, users, USERS):
        block = slice(first, first + USERS)
        tastes = likes[block] @ offers.T
        # the largest of weights with Gumbel noise: a draw by weight without replacement
        keys = weights + exposure / taste * tastes + rng.gumbel(size=tastes.shape)
        order = np.argsort(-keys, axis=1)
        chosen = np.zeros(keys.shape, dtype=bool)
        np.put_along_axis(chosen, order, np.arange(items) < sizes[block, None], axis=1)
        indices.append((np.flatnonzero(chosen) % items).astype(np.int32))
        values.append((tastes + levels + own[block])[chosen])
    values = np.concatenate(values)
    values = values + noise * rng.standard_normal(values.size)
    values = np.clip(np.rint(2 * values) / 2, usual.LOWEST, usual.HIGHEST)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    rows = Compressed(indptr, np.concatenate(indices), values)
    return Ratings.from_rows(rows, items, rating_range=(usual.LOWEST, usual.HIGHEST))


JOB = Job(
    name="law_fits",
    run=f"{__name__}:run",
    tables={"law_trials": LAW_COLUMNS, "law_coverage": COVERAGE_COLUMNS},
    cell=LawCell,
    cells=cells,
    by=("law",),
    settings=settings,
    modules=lambda section, cell: modules_of(cell.method),
    target=TARGET,
    seconds=60.0,
)

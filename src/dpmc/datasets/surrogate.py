"""Generated ratings of the format, shape and popularity of MovieLens 10M and 20M.

They stand in for files that may not be available: to test that all code paths bear 10 million
ratings, and for what depends on popularity alone. They are no MovieLens: nothing is to be concluded
from the errors on them about errors on that.

The law, whose constants were chosen so that published facts about MovieLens 10M hold:

- **Items.** The j-th most popular of m items is chosen with a weight proportional to
  (j + 0.014 m)^-2: of 10,677 the upper fifth holds some 88 % of the ratings (of MovieLens 10M more
  than 85 %, Chien et al., ICML 2021, section 5.1), and the first has some 33,000 (34,864). Every
  item has a rating.
- **Users.** 20 ratings, the least in MovieLens, and a log-normal number more, of logarithmic
  deviation 1.35: the median is about 70 of a mean of 143, and the first have some thousands. Items
  are drawn by weight without replacement, so heavy users reach far into the tail.
- **Ratings.** mean + user bias + item bias + a product of rank 8 + noise, rounded to half stars
  from 0.5 to 5. Popular items are better liked. The standard deviation is about 1.05; that of the
  noise with the rounding, which no model can predict, about 0.77.

Users do not choose by what they will like beyond popularity, and nothing depends on time.

A smaller ``scale`` shrinks users and items alike, and the number of ratings by its power 3/2:
between what leaves the density and what leaves the number of ratings of a user as they are.
"""

import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from dpmc.compiled import njit
from dpmc.datasets.drawn import entries
from dpmc.datasets.forms import FORMS, Form
from dpmc.datasets.readers import read
from dpmc.datasets.registry import REGISTRY
from dpmc.ratings import Compressed, Ratings

LEAST, LOG_DEVIATION, MOST_SHARE = 20, 1.35, 0.69  # ratings of a user; the last of all items
EXPONENT, SHIFT = 2.0, 0.014  # of the popularity of items
MEAN, USER_DEVIATION, ITEM_DEVIATION, POPULARITY_SLOPE = 3.33, 0.46, 0.5, 0.1
RANK, TASTE_DEVIATION, NOISE_DEVIATION = 8, 0.5, 0.76
LOWEST, HIGHEST = 0.5, 5.0
LINES = 1_000_000  # that are written at a time


def surrogate(settings: Mapping, folder: Path) -> Ratings:
    """Generate ratings, write them to a file as their model has it, and read that.

    ``settings`` are ``seed``, ``name``, ``like`` (a key of :data:`FORMS`) and ``scale``. The file,
    ``<name>.zip`` in ``folder``, stays.
    """
    form = FORMS[settings["like"]]
    rng = np.random.default_rng(settings["seed"])
    path = Path(folder) / f"{settings['name']}.zip"
    write(rng, path, generate(rng, form, settings["scale"]), form)
    return read(replace(REGISTRY[settings["like"]], name=settings["name"]), path)


def generate(rng: np.random.Generator, form: Form, scale: float = 1.0) -> Compressed:
    """Draw ratings, user by user, by the law that is stated above.

    ``scale`` is the share of the users and items, above 0 and at most 1; there are about
    ``form.ratings_at(scale)`` ratings.
    """
    users, items = (max(2, round(scale * size)) for size in (form.users, form.items))
    weights = (np.arange(items) + SHIFT * items) ** -EXPONENT
    weights = rng.permutation(weights / weights.sum())
    sizes = _activity(rng, form, users, items, scale)
    # one user for every item, so that each has a rating
    owners = rng.integers(users, size=items)
    assigned = np.argsort(owners, kind="stable")
    places = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=users))])
    sizes = np.maximum(sizes, np.diff(places))
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    indices = _draw_items(rng, indptr, np.cumsum(weights), assigned, places)
    return Compressed(indptr, indices, _stars(rng, indptr, indices, weights))


def _activity(rng, form, users, items, scale) -> np.ndarray:
    """Numbers of ratings of the users."""
    shrink = np.sqrt(scale)
    least, mean = LEAST * shrink, form.ratings / form.users * shrink
    more = rng.lognormal(sigma=LOG_DEVIATION, size=users)
    wanted = least + more * (mean - least) / np.exp(LOG_DEVIATION**2 / 2)
    return np.clip(np.rint(wanted), 1, max(1, int(MOST_SHARE * items))).astype(np.int64)


@njit(cache=True)
def _draw_items(rng, indptr, cumulated, assigned, places):
    """Draw the items of each user by weight without replacement, beside those assigned."""
    indices = np.empty(indptr[-1], dtype=np.int32)
    last_user = np.full(cumulated.size, -1)
    for user in range(indptr.size - 1):
        end = indptr[user]
        for item in assigned[places[user] : places[user + 1]]:
            indices[end] = item
            last_user[item] = user
            end += 1
        while end < indptr[user + 1]:
            item = np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right")
            if last_user[item] != user:
                indices[end] = item
                last_user[item] = user
                end += 1
        indices[indptr[user] : end].sort()
    return indices


def _stars(rng, indptr, indices, weights) -> np.ndarray:
    """Ratings in half stars."""
    users, items = indptr.size - 1, weights.size
    popularity = np.log(weights)
    popularity = (popularity - popularity.mean()) / popularity.std()
    user_bias = USER_DEVIATION * rng.standard_normal((users, 1))
    item_bias = ITEM_DEVIATION * rng.standard_normal((items, 1))
    item_bias += POPULARITY_SLOPE * popularity[:, None]
    spread = np.sqrt(TASTE_DEVIATION / np.sqrt(RANK))
    user_tastes = spread * rng.standard_normal((users, RANK))
    item_tastes = spread * rng.standard_normal((items, RANK))
    rows = np.repeat(np.arange(users, dtype=np.int32), np.diff(indptr))
    values = entries(
        np.hstack([MEAN + user_bias, np.ones((users, 1)), user_tastes]),
        np.hstack([np.ones((items, 1)), item_bias, item_tastes]),
        rows,
        indices,
    )
    values += NOISE_DEVIATION * rng.standard_normal(values.size)
    return np.clip(np.rint(2 * values) / 2, LOWEST, HIGHEST)


def write(rng: np.random.Generator, path: Path, rows: Compressed, form: Form) -> None:
    """Write ratings to a zip archive in the format of ``form``; times are random.

    Users and items are numbered from 1.
    """
    import pyarrow as pa
    from pyarrow import csv

    options = csv.WriteOptions(include_header=False, quoting_style="none")
    halves = np.arange(int(2 * HIGHEST) + 1) / 2
    spelled = pa.array([format(value, form.stars) for value in halves])
    users = rows.per_rating(np.arange(1, rows.n_rows + 1, dtype=np.int32))
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(form.member, "w", force_zip64=True) as stream,
    ):
        stream.write(form.header.encode())
        for first in range(0, users.size, LINES):
            part = slice(first, first + LINES)
            stars = spelled.take(pa.array((2 * rows.values[part]).astype(np.int32)))
            times = rng.integers(789_652_000, 1_231_131_000, users[part].size)
            columns = [users[part], rows.indices[part] + 1, stars, times]
            table = pa.table(columns, names=["user", "item", "stars", "time"])
            text = pa.BufferOutputStream()
            csv.write_csv(table, text, options)
            block = text.getvalue().to_pybytes()
            stream.write(block.replace(b",", form.separator.encode()))

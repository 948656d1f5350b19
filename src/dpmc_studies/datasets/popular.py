"""Random ratings with the shape and popularity of MovieLens 10M, or of a part of its size.

They are not MovieLens: errors on them do not predict errors on MovieLens.

The distribution, with constants that reproduce published facts about MovieLens 10M:

- **Items.** The weight of the j-th most popular of m items is proportional to (j + 0.014 m)^-2. Of
  10,677 items, the most popular fifth has about 88 % of the ratings (MovieLens 10M: more than 85 %,
  Chien et al., ICML 2021, section 5.1), and the most popular item has about 33,000 (MovieLens:
  34,864). Every item has a rating.
- **Users.** Each user has 20 ratings, the minimum in MovieLens, plus a log-normal number with
  logarithmic deviation 1.35. The median is about 70, the mean 143, and the largest are some
  thousands. Items are drawn by weight without replacement, so active users reach far into the tail.
- **Ratings.** A rating is mean + user bias + item bias + a product of rank 8 + noise, rounded to
  half stars from 0.5 to 5. Popular items are better liked. The standard deviation is about 1.05.
  The noise and the rounding alone, which no model can predict, have about 0.77.

``scale`` multiplies the numbers of users and of items, and scale^1.5 the number of ratings. This is
a compromise between constant density and constant ratings per user.
"""

from typing import NamedTuple

import numpy as np

from dpmc.ratings import Compressed, Ratings
from dpmc_studies.compiled import njit
from dpmc_studies.datasets.drawn import entries

LEAST, LOG_DEVIATION, MOST_SHARE = 20, 1.35, 0.69  # ratings of a user; the last of all items
EXPONENT, SHIFT = 2.0, 0.014  # of the popularity of items
MEAN, USER_DEVIATION, ITEM_DEVIATION, POPULARITY_SLOPE = 3.33, 0.46, 0.5, 0.1
RANK, TASTE_DEVIATION, NOISE_DEVIATION = 8, 0.5, 0.76
LOWEST, HIGHEST = 0.5, 5.0


class Form(NamedTuple):
    """The shape of a table of ratings."""

    users: int
    items: int
    ratings: int


MOVIELENS_10M = Form(69_878, 10_677, 10_000_054)


def popular(seed: int, scale: float) -> Ratings:
    """Return ratings of a share of the users and items of MovieLens 10M."""
    rows = generate(np.random.default_rng(seed), MOVIELENS_10M, scale)
    items = max(2, round(scale * MOVIELENS_10M.items))
    return Ratings.from_rows(rows, items, rating_range=(LOWEST, HIGHEST))


def generate(rng: np.random.Generator, form: Form, scale: float = 1.0) -> Compressed:
    """Return random ratings, grouped by user, from the distribution that the module describes.

    ``scale`` is the share of the users and items, above 0 and at most 1; there are about
    ``form.ratings * scale**1.5`` ratings.
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

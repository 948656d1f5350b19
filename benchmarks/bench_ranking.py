"""How well are likes ranked? Local EASE beside private popularity with the whole budget.

    python benchmarks/bench_ranking.py [--splits 20] [--epsilons 0.5 1 2 5 20] [--data FOLDER]
        [--keep FILE] [--before FILE] [--limits] [TABLE ...]

A table is one of SHAPES, "users x items, likes, tastes" such as "1000x300,20,2" (likes: the median
of a user; tastes: their size), "shape 7" (the likes of a table of ``shapes.py``, from three
quarters up its range), or with --data one of LIKES_FROM; by default all of TABLES, and all real
ones with --data. Each split learns from 80 % of the likes. Generated tables are new for each
split. All items are candidates but those; at most JUDGED users are judged, fewer of many items.

Printed are means over the splits: NDCG@20 of private popularity, how much more or less the lists of
local EASE have, in per cent with the standard error of the mean, and how many fits fell back. With
--limits there are also popularity and EASE without privacy.

``--keep`` writes a CSV file of all splits, ``--before`` compares with such a file on the same
splits and seeds, of another commit: run this program there, with its ``src`` on PYTHONPATH. The
last lines count what breaks the criteria: at most 1 % below private popularity, and at most 2 %
below what was before where that is above private popularity.
"""

import argparse
import csv
from pathlib import Path
from zlib import crc32

import numpy as np
from shapes import draw_ratings, draw_shape

from dpmc.datasets.readers import read
from dpmc.datasets.registry import REGISTRY
from dpmc.methods.kernels.top_lists import mean_on_top
from dpmc.methods.user_level.local_ease.method import LocalEase
from dpmc.ratings import Ratings
from dpmc_studies.datasets.splits import random_split
from dpmc_studies.studies.which_model.lists import RANKED, PrivatePopularity

SHAPES = {
    "tiny": (50, 5, 2),
    "few users": (50, 400, 10),
    "small": (300, 100, 15),
    "sparse": (3000, 5000, 5),
    "many users": (8000, 500, 30),
    "hardly any": (1000, 200, 1),
}
"""Users, items and the median number of a user's likes."""
USERS_AND_ITEMS = [(n, m) for n in (200, 500, 1000, 2000, 5000) for m in (100, 1000, 3000)]
TABLES = [
    *(f"{n}x{m},20,{taste}" for n, m in USERS_AND_ITEMS for taste in (0, 1, 2)),
    *(f"{n}x{m},4,{taste}" for n in (500, 2000, 5000) for m in (100, 1000) for taste in (0, 2)),
    *(f"{n}x1000,60,{taste}" for n in (200, 1000, 5000) for taste in (0, 2)),
    *(f"shape {number}" for number in range(40)),
]
LIKES_FROM = {"ml-100k": 4, "jester": 5, "sweetrs": 4}
JUDGED, SCORES = 1000, 5_000_000
RIDGE, MOST_ITEMS = 300.0, 5000
"""Of EASE without privacy."""
KNOWN = 0.5
"""Standard error in per cent, up to which a point is counted among those that are known."""
COLUMNS = ("table", "epsilon", "split", "popularity", "ranking", "fell_back")


def generated(users: int, items: int, median: int, rng: np.random.Generator, taste=2.0) -> Ratings:
    """Return likes whose popularity falls as rank^-1.2, of users with tastes in six directions."""
    popular = rng.permutation(-1.2 * np.log(np.arange(1, items + 1)))
    directions = taste * rng.standard_normal((items, 6)) / 6**0.5
    likes = np.zeros((users, items), bool)
    for user in range(users):
        wanted = popular + directions @ rng.standard_normal(6) + rng.gumbel(size=items)
        number = min(round(median * np.exp(0.9 * rng.standard_normal())), items // 2)
        likes[user, np.argpartition(-wanted, number)[:number]] = True
    return Ratings(*np.nonzero(likes), np.ones(likes.sum()), users, items)


def likes_of(table: str, rng: np.random.Generator, options) -> Ratings:
    """Return the likes of a table, drawn by a generator unless they are real."""
    if table in SHAPES:
        return generated(*SHAPES[table], rng)
    if table in LIKES_FROM:
        every = read(REGISTRY[table], options.data / REGISTRY[table].file)
        return likes_among(every, LIKES_FROM[table])
    if table.startswith("shape "):
        shape = draw_shape(np.random.default_rng([options.seed, int(table.split()[1])]))
        low, high = shape.rating_range
        return likes_among(draw_ratings(shape, rng), low + 0.75 * (high - low))
    shape, median, taste = table.split(",")
    return generated(*map(int, shape.split("x")), int(median), rng, float(taste))


def likes_among(ratings: Ratings, likes_from: float) -> Ratings:
    """Return the likes among ratings, each with the value 1."""
    likes = ratings.take(ratings.values >= likes_from)
    return Ratings(likes.users, likes.items, np.ones(len(likes)), likes.n_users, likes.n_items)


def measured(table: str, split: int, options):
    """Yield epsilon, NDCG of private popularity and of local EASE, and whether it fell back.

    And first without an epsilon, if asked for, popularity and EASE without privacy. Nothing of a
    table that has too few likes.
    """
    keys = [options.seed, crc32(table.encode()), split]
    rngs = [np.random.default_rng([*keys, stream]) for stream in range(3)]
    every = likes_of(table, rngs[1], options)
    if len(every) < 20:
        return
    training, held_out = random_split(every, 0.8, rngs[0], table)
    liked = held_out.by_user
    judged = np.flatnonzero(liked.sizes)
    judged = rngs[2].permutation(judged)[: min(JUDGED, max(SCORES // every.n_items, 200))]
    liked = liked.keep(liked.per_rating(np.isin(np.arange(every.n_users), judged)))

    def ndcg(scored):
        return mean_on_top(scored, every.n_items, training.by_user, liked)[1]

    if options.limits and every.n_items <= MOST_ITEMS:
        settings = {"likes_from": 1.0, "ridge": RIDGE}
        free = [RANKED[name](settings, training, {}, {}).scores for name in ("popularity", "ease")]
        yield None, *(ndcg(scores.__getitem__) for scores in free), False
    for epsilon in options.epsilons:
        found = []
        for method in (PrivatePopularity, LocalEase):
            model = method(relation="user_add_remove", epsilon=epsilon, delta=1e-6)
            model.fit(training, rng=split, noise_rng=np.random.default_rng([*keys, 3]))
            found.append(ndcg(scores_of(model)))
        yield epsilon, *found, model.fell_back_to_ is not None


def scores_of(model: LocalEase):
    """Return some users -> their scores of all items."""
    users, items = model.user_factors_, model.item_scales_[:, None] * model.item_factors_
    return lambda some: users[some] @ items.T + model.item_offsets_


def change(here: np.ndarray, there: np.ndarray) -> tuple[float, float]:
    """Return by how many per cent the mean of paired numbers is above another, and its error."""
    scale = 100 / max(there.mean(), 1e-12)
    spread = np.std(here - there, ddof=1) if here.size > 1 else np.nan
    return scale * (here - there).mean(), scale * spread / here.size**0.5


def main() -> None:
    """Print a line for each table and budget, then what breaks the criteria."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1.0, 2.0, 5.0, 20.0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--limits", action="store_true")
    options = parser.parse_args()
    tables = options.tables or TABLES + list(LIKES_FROM) * (options.data is not None)
    before = {}
    if options.before:
        with open(options.before, newline="") as stream:
            for row in csv.DictReader(stream):
                place = row["table"], float(row["epsilon"]), int(row["split"])
                before[place] = float(row["ranking"])
    kept, below, lost = [], [], []
    for table in tables:
        by_budget = {}
        for split in range(options.splits):
            for epsilon, popular, ranking, back in measured(table, split, options):
                row = popular, ranking, back, before.get((table, epsilon, split), np.nan)
                by_budget.setdefault(epsilon, []).append(row)
                if epsilon is not None:
                    kept.append((table, epsilon, split, popular, ranking, int(back)))
        for epsilon, rows in by_budget.items():
            popular, ranking, back, earlier = np.array(rows, dtype=float).T
            if epsilon is None:
                text = f"popularity {popular.mean():.3f}, EASE {ranking.mean():.3f}"
                print(f"{table:<16} without privacy: {text}", flush=True)
                continue
            gain, error = change(ranking, popular)
            text = f"{popular.mean():.3f}  {ranking.mean():.3f}  {gain:+6.2f} +- {error:.2f}"
            below.append((gain, error))
            if before:
                was, (more, spread) = change(earlier, popular)[0], change(ranking, earlier)
                text += f"  before {was:+6.2f}  than before {more:+6.2f} +- {spread:.2f}"
                lost += [(more, spread)] if was > 0 else []
            fell = f"  fell back {back.sum():.0f} of {back.size}" if back.any() else ""
            print(f"{table:<16} {epsilon:>4g}  {text}{fell}", flush=True)
    if options.keep:
        with open(options.keep, "w", newline="") as stream:
            csv.writer(stream).writerows([COLUMNS, *kept])
    for what, found, most in (("popularity", below, 1.0), ("what was before", lost, 2.0)):
        if found:
            gain, error = np.array(found).T
            known = gain[error <= KNOWN]
            print(
                f"\nagainst {what}, {gain.size} points: more than {most:g} % below at "
                f"{(gain < -most).sum()}, by more than two standard errors at "
                f"{(gain + 2 * error < -most).sum()}; {known.size} points are known to {KNOWN:g} %"
            )
            if known.size:
                print(
                    f"of these: mean {known.mean():+.2f} %, least {known.min():+.2f} %, "
                    f"more than {most:g} % below at {(known < -most).sum()}"
                )


if __name__ == "__main__":
    main()

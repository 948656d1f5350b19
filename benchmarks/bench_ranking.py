"""How well generated likes are ranked: local EASE, and popularity and EASE without privacy.

    python benchmarks/bench_ranking.py [--splits 10] [--seed 2026] [--epsilons 1 5 20] [SHAPE ...]

By default all of SHAPES; of real ratings the study which_model says it. Each split learns from 80 %
of the likes. All items are candidates but those; printed are means over the splits of recall@20 /
NDCG@20, with the standard deviation of the first, and how often a fit fell back.
"""

import argparse

import numpy as np

from dpmc.datasets.splits import random_split
from dpmc.methods.kernels.top_lists import mean_on_top
from dpmc.ratings import Ratings
from dpmc.studies.which_model.lists import RANKED

SHAPES = {
    "tiny": (50, 5, 2),
    "few users": (50, 400, 10),
    "small": (300, 100, 15),
    "sparse": (3000, 5000, 5),
    "many users": (8000, 500, 30),
    "hardly any": (1000, 200, 1),
}
"""Users, items and the median number of a user's likes."""
RIDGE = 300.0
"""Of EASE without privacy."""


def generated(users: int, items: int, median: int, rng: np.random.Generator) -> Ratings:
    """Return likes whose popularity falls as rank^-1.2, of users with tastes in six directions."""
    popular = rng.permutation(-1.2 * np.log(np.arange(1, items + 1)))
    directions = 2 * rng.standard_normal((items, 6)) / 6**0.5
    likes = np.zeros((users, items), bool)
    for user in range(users):
        wanted = popular + directions @ rng.standard_normal(6) + rng.gumbel(size=items)
        number = min(round(median * np.exp(0.9 * rng.standard_normal())), items // 2)
        likes[user, np.argsort(-wanted)[:number]] = True
    return Ratings(*np.nonzero(likes), np.ones(likes.sum()), users, items)


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("shapes", nargs="*", default=[*SHAPES])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[1.0, 5.0, 20.0])
    options = parser.parse_args()
    for name in options.shapes:
        found, fell = {}, {}
        for split in range(options.splits):
            for key, lists, popular in measured(name, split, options):
                found.setdefault(key, []).append(lists)
                fell[key] = fell.get(key, 0) + popular
        print(f"\n{name}")
        for key, lists in found.items():
            (recall, ndcg), (spread, _) = np.nanmean(lists, axis=0), np.nanstd(lists, axis=0)
            back = f"  fell back {fell[key]} of {len(lists)}" if fell[key] else ""
            print(f"  {key:<28} {recall:.3f} +- {spread:.3f} / {ndcg:.3f}{back}", flush=True)


def measured(name, split, options):
    """Yield name, (recall, NDCG) and whether it fell back, of each model on one split."""
    rngs = [np.random.default_rng([options.seed, split, stream]) for stream in range(2)]
    every = generated(*SHAPES[name], rngs[1])
    training, held_out = random_split(every, 0.8, rngs[0], name)
    rows = training.by_user, held_out.by_user
    settings = {"likes_from": 1.0, "ridge": RIDGE}
    for limit in ("popularity", "ease"):
        scores = RANKED[limit](settings, training, {}, {}).scores
        yield f"{limit}, no privacy", mean_on_top(scores.__getitem__, every.n_items, *rows), 0
    for epsilon in options.epsilons:
        budget = {"relation": "user_add_remove", "epsilon": epsilon, "delta": 1e-6}
        seeds = {"rng": 10 * split + 1, "noise_rng": 10 * split + 2}
        found = RANKED["local_ease"](settings, training, budget, seeds)
        lists = mean_on_top(found.scores.__getitem__, every.n_items, *rows)
        yield f"local EASE, epsilon {epsilon:g}", lists, found.fell_back


if __name__ == "__main__":
    main()

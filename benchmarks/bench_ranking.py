"""How well likes are ranked: local EASE, popularity, predicted ratings and EASE without privacy.

    python benchmarks/bench_ranking.py [--splits 10] [--seed 2026] [--epsilons 1 5 20] [DATA ...]

DATA are names of data sets (ml-100k, jester, sweetrs) and of the generated likes in SHAPES; by
default all. Each split learns from 80 % of the ratings. All items are
candidates but those rated there; printed are means over the splits of recall@20 / NDCG@20, with the
standard deviation of the first, and how often a fit fell back.
"""

import argparse

import numpy as np

from dpmc.datasets import REGISTRY, obtain, read
from dpmc.datasets.splits import random_split
from dpmc.methods.kernels.top_lists import mean_on_top
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.methods.user_level.local_ease import LocalEase
from dpmc.ratings import Ratings

THRESHOLDS = {"ml-100k": 4.0, "jester": 5.0, "sweetrs": 4.0}
"""From which rating on one is a like."""
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


def ease(likes: Ratings) -> np.ndarray:
    """Return the scores of EASE without privacy."""
    matrix = (likes.by_user.matrix(likes.n_items).toarray() > 0).astype(float)
    inverse = np.linalg.inv(matrix.T @ matrix + RIDGE * np.eye(likes.n_items))
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0)
    return matrix @ weights


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", nargs="*", default=[*THRESHOLDS, *SHAPES])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[1.0, 5.0, 20.0])
    options = parser.parse_args()
    for name in options.data:
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
    if name in SHAPES:
        every, threshold = generated(*SHAPES[name], rngs[1]), 1.0
    else:
        dataset = REGISTRY[name]
        every = read(dataset, obtain(dataset, "data"))
        threshold = THRESHOLDS[name]
    training, held_out = random_split(every, 0.8, rngs[0], name)
    likes = training.take(training.values >= threshold)
    wanted = held_out.take(held_out.values >= threshold).by_user

    def lists(scores):
        return mean_on_top(lambda user: scores[user], training.by_user, wanted)

    counts = np.bincount(likes.items, minlength=every.n_items).astype(float)
    yield "popularity, no privacy", lists(np.tile(counts, (every.n_users, 1))), 0
    yield "EASE, no privacy", lists(ease(likes)), 0
    for epsilon in options.epsilons:
        budget = {"relation": "user_add_remove", "epsilon": epsilon, "delta": 1e-6}
        seeds = {"rng": 10 * split + 1, "noise_rng": 10 * split + 2}
        model = LocalEase(**budget, likes_from=threshold).fit(training, **seeds)
        back = model.fell_back_to_ is not None
        yield f"local EASE, epsilon {epsilon:g}", lists(model.predict_matrix()), back
        if name in THRESHOLDS:
            ends = training.values.min(), training.values.max()
            bayes = LocalBayes(**budget, rating_range=ends).fit(training, **seeds)
            bayes.rating_range = (-np.inf, np.inf)  # ranked before they are clipped
            yield f"local Bayes, epsilon {epsilon:g}", lists(bayes.predict_matrix()), 0


if __name__ == "__main__":
    main()

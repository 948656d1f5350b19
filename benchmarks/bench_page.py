"""A page of 10,000 items: its size and how long an update takes; and how often intervals are right.

    python benchmarks/bench_page.py [--ratings 100] [--movielens u.data] [--splits 3]

The first needs Chromium. With MovieLens 100K, each split learns from 80 % of the ratings at epsilon
1, 5 and 20; users predict the rest from theirs. Printed is which part of it lies in the interval
that should hold eight of ten, and how wide that is, for all users and for those with at most 20
ratings.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from dpmc.datasets import REGISTRY, read
from dpmc.estimator import PrivateFactorization
from dpmc.methods.user_level.local_bayes.constants import MOST_FACTORS
from dpmc.publication.page import EIGHT_OF_TEN, page
from dpmc.released import PublishedItems
from dpmc_studies.datasets.splits import random_split

sys.path.append(str(Path(__file__).parents[1] / "tests"))
N_ITEMS = 10_000
FEW = 20


def drawn(rng):
    """Return as many factors as the default method learns at most: the level, and others."""
    rank = 1 + MOST_FACTORS
    return PublishedItems(
        [*map(str, range(N_ITEMS))], rng.normal(3, 0.5, N_ITEMS),
        rng.normal(0, 0.3, (N_ITEMS, rank)), (1.0, 5.0), 1.0,
        precisions=rng.uniform(0.5, 2, N_ITEMS),
    )  # fmt: skip


def speed(n_ratings):
    from browser import Browser

    rng = np.random.default_rng(0)
    titles = [f"The {place}th of {rng.integers(1e9)} films" for place in range(N_ITEMS)]
    text = page(drawn(rng), titles, "It holds.")
    print(f"{N_ITEMS} items, rank {1 + MOST_FACTORS}: {len(text.encode()) / 1e6:.2f} MB")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.html").write_text(text, "utf-8")
        browser = Browser(Path(folder) / "profile")
        browser.open((Path(folder) / "page.html").as_uri())
        browser.wait("'ready' in document.body.dataset")
        own = rng.choice(N_ITEMS, n_ratings, replace=False).tolist()
        browser.evaluate(f"for (const place of {json.dumps(own)}) mine.set(place, 1 + place % 5)")
        for what, call in (
            ("update", "update()"),
            ("search", "(at('search').value = 'f', search())"),
        ):
            times = browser.evaluate(
                "Array.from({length: 51}, () => { const begin = performance.now();"
                f"{call}; document.body.offsetHeight; return performance.now() - begin; }})"
            )
            print(
                f"{what}: first {times[0]:.1f} ms, then {np.median(times[1:]):.1f} (median of 50)"
            )
        browser.close()


def coverage(path, splits):
    ratings = read(REGISTRY["ml-100k"], path)
    names = ratings.user_labels.astype(str), ratings.item_labels.astype(str)
    for epsilon in (1, 5, 20):
        found = []
        for split in range(splits):
            rng = np.random.default_rng([2026, split])
            train, test = random_split(ratings, 0.8, rng, ratings.name)
            model = PrivateFactorization(
                epsilon=epsilon, delta=1e-5, rating_range=(1, 5), items=names[1].tolist(),
                simulate=split,
            )  # fmt: skip
            rows = np.column_stack([names[0][train.users], names[1][train.items], train.values])
            published = model.fit(rows).published_
            place = np.array([published.labels.index(label) for label in names[1].tolist()])
            for user in range(ratings.n_users):
                own, held = train.users == user, test.users == user
                mine = dict(
                    zip(names[1][train.items[own]].tolist(), train.values[own], strict=True)
                )
                at, values = place[test.items[held]], test.values[held]
                middle = published.complete(mine, clipped=False)[at]
                spread = EIGHT_OF_TEN * published.deviations(mine)[at]
                ends = np.clip(middle - spread, 1, 5), np.clip(middle + spread, 1, 5)
                inside = (values >= ends[0]) & (values <= ends[1])
                found += zip(
                    inside,
                    ends[1] - ends[0],
                    [len(mine) <= FEW] * values.size,
                    strict=True,
                )
        inside, width, few = np.array(found, dtype=float).T
        few = few > 0
        print(
            f"epsilon {epsilon}: {inside.mean():.3f} inside, mean width {width.mean():.2f}; "
            f"at most {FEW} ratings: {inside[few].mean():.3f}, {width[few].mean():.2f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ratings", type=int, default=100)
    parser.add_argument("--movielens", type=Path)
    parser.add_argument("--splits", type=int, default=3)
    given = parser.parse_args()
    speed(given.ratings)
    if given.movielens:
        coverage(given.movielens, given.splits)

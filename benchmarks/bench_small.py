"""What the default of dpmc fit says and does on small rating tables, of kinds that people have.

    python benchmarks/bench_small.py [--kinds votes ...] [--draws 4] [--trials 20]

The kinds are those of shapes.py. A row is a table and an epsilon, with means over the trials: the
held-out RMSE over that of users' own means, which are shrunk by two ratings towards the mean that
the fit released, and over that of the same method without a covariance; the part of held-out
ratings in nominal 90 % intervals; and, of fits that report their RMSE, the part in which it is
within two stated deviations of the truth, or at least so much, or cannot be told, and the parts of
the last two. Then the most by which the RMSE rises from epsilon 20 on.
"""

import argparse

import numpy as np
from shapes import SMALL, draw_ratings, draw_small

from dpmc.methods.user_level.local_bayes import worth
from dpmc.methods.user_level.local_bayes.constants import CREDITED
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc_studies.datasets.splits import random_split
from dpmc_studies.statistics.errors import rmse

EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 100.0, 1000.0)
NORMAL_90 = 1.645


def own_means(model, train, test):
    """Predict each user's mean, shrunk towards the released mean of all."""
    sums = np.bincount(train.users, train.values, train.n_users)
    numbers = np.bincount(train.users, minlength=train.n_users)
    mean = model.centre + model.scale_.mean
    return ((sums + CREDITED * mean) / (numbers + CREDITED))[test.users]


def covered(model, train, test):
    """Return the part of held-out ratings in their nominal 90 % intervals."""
    rows, v, p = train.by_user, model.item_factors_, model.item_precisions_
    inside = 0
    for user in np.unique(test.users):
        own = rows.indices[rows.indptr[user] : rows.indptr[user + 1]]
        spread = np.linalg.inv(np.eye(v.shape[1]) + (v[own] * p[own, None]).T @ v[own])
        asked = test.users == user
        at = v[test.items[asked]]
        found = model.item_offsets_[test.items[asked]] + at @ model.user_factors_[user]
        deviation = np.sqrt(np.sum(at @ spread * at, axis=1) + 1 / p[test.items[asked]])
        inside += np.sum(np.abs(test.values[asked] - found) <= NORMAL_90 * deviation)
    return inside / test.users.size


def reported(ratings, settings, trial, noise):
    """Return whether what a fit reports of its RMSE is right, and how it is told."""
    truth, statistic = [], worth.statistic

    def watched(rows, predicted, *terms):
        for first, block in rows.blocks():
            held_out, ours, _ = predicted(first, block)
            truth.append(held_out.values - ours)
        return statistic(rows, predicted, *terms)

    worth.statistic = watched
    try:
        model = LocalBayes(**settings, held_out=0.2).fit(ratings, rng=trial, noise_rng=noise)
    finally:
        worth.statistic = statistic
    found, true = model.worth_, np.sqrt(np.mean(np.concatenate(truth) ** 2))
    right = found.told != worth.ABOUT or abs(found.rmse - true) <= 2 * found.rmse_deviation
    return right, found.told == worth.AT_LEAST, found.told == worth.NOTHING


def one(ratings, epsilon, trial, seed):
    """Return the RMSEs of three models, what intervals cover, and what is reported."""
    train, test = random_split(ratings, 0.8, np.random.default_rng([*seed, trial, 1]), "drawn")
    settings = {
        "relation": "user_add_remove", "epsilon": epsilon, "delta": 1e-5,
        "rating_range": ratings.rating_range,
    }  # fmt: skip
    models = [
        LocalBayes(**settings, **more).fit(
            train, rng=trial, noise_rng=np.random.default_rng([*seed, trial, 2])
        )
        for more in ({}, {"explained": 1e-9})
    ]
    found = [rmse(each.predict(test.users, test.items), test.values) for each in models]
    means = rmse(own_means(models[0], train, test), test.values)
    noise = np.random.default_rng([*seed, trial, 3])
    told = reported(ratings, settings, trial, noise)
    return (found[0], means, found[1], covered(models[0], train, test), *told)


def main():
    """Print a row for each table and epsilon, and the rise of each table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", nargs="+", choices=SMALL, default=SMALL)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    given = parser.parse_args()
    print("table, epsilon: / own means, / no covariance, covered, right, at least, not told")
    for kind in given.kinds:
        for draw in range(given.draws):
            seed = [given.seed, SMALL.index(kind), draw]
            ratings = draw_ratings(
                draw_small(kind, np.random.default_rng(seed)), np.random.default_rng([*seed, 0])
            )
            least, rise = np.inf, 0.0
            for epsilon in sorted(given.epsilons):
                trials = range(given.trials)
                found = np.mean([one(ratings, epsilon, each, seed) for each in trials], axis=0)
                ratios = found[0] / found[1:3]
                print(f"{kind} {draw}, {epsilon:g}:", *np.round([*ratios, *found[3:]], 3))
                rise = max(rise, found[0] / least - 1)
                least = min(least, found[0]) if epsilon >= 20 else least
            print(f"{kind} {draw}: rises by {100 * rise:.2f} %", flush=True)


if __name__ == "__main__":
    main()

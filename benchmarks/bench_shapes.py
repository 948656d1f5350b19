"""Errors of the default of dpmc fit on rating tables of many shapes, beside simple private models.

    python benchmarks/bench_shapes.py [--seed 1] [--shapes 60] [--trials 4] [--epsilons 0.1 0.5 ...]

The shapes are drawn by shapes.py. A row is a shape: held-out RMSE of Local Bayes over that of the
better of private biases and of users' own means, shrunk by two ratings towards the private mean of
all, each within the same budget; then the most by which its error rises with the budget. An error
below 1 % of the range counts as 1 %. Marked with ! is what is beyond 1 % and, for the rise, 0.5 %,
by more than two standard errors over the trials. Ends with status 1 if an offset lies outside of
the range or a prediction is not finite.
"""

import argparse
import sys
import warnings
from functools import partial
from multiprocessing import Pool

import numpy as np
from shapes import draw_ratings, draw_shape

from dpmc.errors import InputError
from dpmc.fitting.fit import prepare
from dpmc_studies.datasets.splits import random_split
from dpmc_studies.methods import method_class
from dpmc_studies.statistics.errors import rmse

EPSILONS = (0.1, 0.5, 2.0, 10.0, 100.0, 1000.0)
CREDITED = 2
SMALL = 0.01
WORSE, RISES = 1.01, 1.005


def fitted(method, epsilon, rating_range):
    """Return a method as dpmc fit makes it."""
    return prepare({"method": method, "epsilon": epsilon, "rating_range": rating_range}).model


def own_means(train, test, epsilon, seed):
    """Predict each user's mean, shrunk towards the private mean of all."""
    biases = fitted("bias", epsilon, train.rating_range)
    model = method_class("private_global_mean")(
        relation=biases.relation, epsilon=epsilon, delta=biases.delta,
        rating_range=train.rating_range, ratings_per_user=biases.ratings_per_user,
    )  # fmt: skip
    model.fit(train, rng=0, noise_rng=np.random.default_rng(seed))
    mean = np.clip(model.item_offsets_[0], *train.rating_range)
    sums = np.bincount(train.users, train.values, train.n_users)
    numbers = np.bincount(train.users, minlength=train.n_users)
    return ((sums + CREDITED * mean) / (numbers + CREDITED))[test.users]


def errors_of(seed, number, trials, epsilons):
    """Return the shape, errors of shape (3, epsilons, trials), ranks and what broke a bound."""
    shape = draw_shape(np.random.default_rng([seed, number]))
    errors, ranks, broken = np.empty((3, len(epsilons), trials)), [], []
    for trial in range(trials):
        ratings = draw_ratings(shape, np.random.default_rng([seed, number, trial]))
        try:
            train, test = random_split(
                ratings, 0.8, np.random.default_rng([seed, number, trial, 1]), "drawn"
            )
        except InputError:  # fewer than two ratings
            return shape, None, [], []
        for place, epsilon in enumerate(epsilons):
            noise = [seed, number, trial, 2, place]
            for row, method in enumerate(("bayes", "bias")):
                model = fitted(method, epsilon, ratings.rating_range)
                model.fit(train, rng=trial, noise_rng=np.random.default_rng([*noise, row]))
                predicted = model.predict(test.users, test.items)
                errors[row, place, trial] = rmse(predicted, test.values)
                if method == "bayes":
                    ranks.append((place, model.rank, model.fell_back_to_))
                    low, high = ratings.rating_range
                    offsets = model.item_offsets_
                    fine = np.isfinite(predicted).all() and np.all(
                        offsets == offsets.clip(low, high)
                    )
                    broken += [] if fine else [(epsilon, trial)]
            predicted = own_means(train, test, epsilon, [*noise, 2])
            errors[2, place, trial] = rmse(predicted, test.values)
    return shape, errors, ranks, broken


def judged(shape, errors):
    """Return ratios to the better of the others and rises, each with what exceeds two errors."""
    low, high = shape.rating_range
    ours, *others = np.maximum(errors, SMALL * (high - low))
    best = np.where((others[0].mean(1) < others[1].mean(1))[:, None], *others)
    ratios, rises = [], []
    for place, own in enumerate(ours):
        ratios.append(_ratio(own, best[place], WORSE))
        before = ours[: place + 1]
        rises.append(_ratio(own, before[before.mean(1).argmin()], RISES))
    return ratios, rises


def _ratio(own, other, most):
    over = own - most * other
    error = 2 * over.std(ddof=1) / np.sqrt(own.size) if own.size > 1 else 0.0
    return own.mean() / other.mean(), bool(over.mean() > error)


def main():
    """Print the table and what it comes to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shapes", type=int, default=60)
    parser.add_argument("--trials", type=int, default=4)
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    warnings.simplefilter("error", RuntimeWarning)
    job = partial(errors_of, given.seed, trials=given.trials, epsilons=given.epsilons)
    points, worse, rising, wins, gains, fallen, all_broken = 0, 0, 0, 0, [], 0, []
    with Pool(given.processes) as pool:
        for number, found in enumerate(pool.imap(job, range(given.shapes))):
            shape, errors, ranks, broken = found
            if errors is None:
                print(f"{number:3d} {shape}: too few ratings", flush=True)
                continue
            ratios, rises = judged(shape, errors)
            steepest = max(rises)
            cells = [f"{ratio:6.3f}{'!' if bad else ' '}" for ratio, bad in ratios]
            rise = f"{100 * (steepest[0] - 1):+6.1f} %{'!' if any(b for _, b in rises) else ' '}"
            print(f"{number:3d} {shape!s:<72.72}", *cells, rise, *broken, flush=True)
            points += len(ratios)
            worse += sum(bad for _, bad in ratios)
            rising += any(bad for _, bad in rises)
            fallen += sum(back is not None for _, _, back in ranks)
            all_broken += broken
            for place, (ratio, _) in enumerate(ratios):
                with_factors = any(rank and each == place for each, rank, _ in ranks)
                if with_factors and ratio < 0.99:
                    wins += 1
                    gains.append(ratio)
    print(
        f"{points} points: {worse} worse by more than 1 %; {rising} shapes with an error that "
        f"rises; factors win by more than 1 % at {wins}, with a median ratio of "
        f"{np.median(gains) if gains else np.nan:.3f}; {fallen} fits fell back; "
        f"{len(all_broken)} out of bounds"
    )
    sys.exit(bool(all_broken))


if __name__ == "__main__":
    main()

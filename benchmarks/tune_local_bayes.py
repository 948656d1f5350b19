"""How the error of local Bayes changes around each of its constants, on generated ratings alone.

    python benchmarks/tune_local_bayes.py [--trials 4] [--epsilons 0.5 1 5 20] [NAME=VALUE ...]

The rows are shapes of rating tables that people have: few users and many items of uneven
popularity, jokes that nearly everybody rates, a shop of 77 articles, and the drawn matrices of rank
5 with noise 0 and 1 of the signal. Printed is the held-out RMSE by epsilon, and for each
NAME=VALUE, a constant of dpmc.methods.user_level.local_bayes.constants, the change that it makes.
Those that compiled functions use are refused, as these keep their values.
"""

import argparse
import contextlib
from collections.abc import Iterator
from unittest.mock import patch

import numpy as np

from dpmc.methods.user_level.local_bayes import (
    beliefs,
    check,
    constants,
    counts,
    directions,
    method,
    offsets,
    refinement,
    scale,
    users,
)
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.ratings import Ratings

MODULES = (
    constants, beliefs, check, counts, directions, method, offsets, refinement, scale, users,
)  # fmt: skip
COMPILED = {
    name
    for module in MODULES
    for function in vars(module).values()
    if hasattr(function, "py_func")
    for name in function.py_func.__code__.co_names
}


def stars(rng, n_users, n_items, mean_ratings, spread, skew, rank=6):
    """Draw ratings 1 to 5: biases, tastes whose strengths fall off, noise, uneven popularity."""
    weights = (np.arange(n_items) + 0.03 * n_items) ** -skew
    number = np.clip(rng.lognormal(0, spread, n_users), 0.1, 8)
    number = np.clip(mean_ratings * number / number.mean(), 5, 0.8 * n_items).astype(int)
    keys = rng.gumbel(size=(n_users, n_items)) + np.log(weights)
    order = np.argsort(-keys, axis=1)
    chosen = np.arange(n_items) < number[:, None]
    user = np.repeat(np.arange(n_users), number)
    item = order[chosen]
    strengths = 0.45 / np.arange(1, rank + 1) ** 0.5
    taste = (rng.standard_normal((n_users, rank)) * strengths) @ rng.standard_normal(
        (rank, n_items)
    )
    liked = 0.25 * np.log(weights / weights.mean()) + 0.4 * rng.standard_normal(n_items)
    own = 0.42 * rng.standard_normal(n_users)
    x = 3.4 + liked[item] + own[user] + taste[user, item] + 0.9 * rng.standard_normal(user.size)
    return Ratings(user, item, np.clip(np.round(x), 1, 5), n_users, n_items), (1.0, 5.0)


def jokes(rng, n_users=5000, n_items=100, rank=8):
    """Draw ratings from -10 to 10 of a few items that most users rate."""
    user, item = np.nonzero(rng.random((n_users, n_items)) < rng.beta(2, 0.8, (n_users, 1)))
    strengths = 2.2 / np.arange(1, rank + 1) ** 0.8
    taste = (rng.standard_normal((n_users, rank)) * strengths) @ rng.standard_normal(
        (rank, n_items)
    )
    x = 0.5 + 1.2 * rng.standard_normal(n_items)[item] + 2.4 * rng.standard_normal(n_users)[user]
    x = x + 0.8 * taste[user, item] + 3.8 * rng.standard_normal(user.size)
    return Ratings(user, item, np.clip(x, -10, 10), n_users, n_items), (-10.0, 10.0)


def drawn(rng, n_users, n_items, noise, density=0.15, rank=5):
    """Draw a product of uniform factors on [0, 1], as the equal privacy study, with noise."""
    user, item = np.nonzero(rng.random((n_users, n_items)) < density)
    p, q = rng.random((n_users, rank)), rng.random((n_items, rank))
    x = np.einsum("nr,nr->n", p[user], q[item])
    x = x + noise * x.std() * rng.standard_normal(user.size)
    return Ratings(user, item, np.clip(x, 0, 2.5), n_users, n_items), (0.0, 2.5)


SHAPES = {
    "films": lambda rng: stars(rng, 943, 1682, 106, 0.9, 1.1),
    "jokes": jokes,
    "shop": lambda rng: stars(rng, 1476, 77, 24, 0.6, 0.3, rank=4),
    "drawn, noise 0": lambda rng: drawn(rng, 20000, 500, 0.0),
    "drawn, noise 1": lambda rng: drawn(rng, 20000, 500, 1.0),
}


@contextlib.contextmanager
def changed(name, value) -> Iterator[None]:
    """Give a constant another value wherever it is known."""
    with contextlib.ExitStack() as stack:
        for owner in MODULES:
            if hasattr(owner, name):
                stack.enter_context(patch.object(owner, name, value))
        if name == "GROWTH":
            stack.enter_context(patch.object(LocalBayes, "growth", value))
        yield


def error(shape, epsilon, trial) -> float:
    """Return the RMSE on a fifth of the ratings."""
    ratings, rating_range = SHAPES[shape](np.random.default_rng([trial, 1]))
    part = np.random.default_rng([trial, 2]).random(len(ratings)) < 0.8
    model = LocalBayes(
        relation="user_add_remove", epsilon=epsilon, delta=1e-5, rating_range=rating_range,
        most_factors=constants.MOST_FACTORS, explained=constants.EXPLAINED,
    )  # fmt: skip
    model.fit(ratings.take(part), rng=0, noise_rng=np.random.default_rng([trial, 3]))
    test = ratings.take(~part)
    return float(np.sqrt(np.mean((model.predict(test.users, test.items) - test.values) ** 2)))


def read(text):
    """Return the name of a constant and its other value."""
    name, _, value = text.partition("=")
    if not hasattr(constants, name):
        raise SystemExit(f"There is no constant {name}.")
    if name in COMPILED:
        raise SystemExit(f"{name} is compiled in: change it in constants.py and compare.")
    return name, type(getattr(constants, name))(float(value))


def main():
    """Print the table, and the changes in percent that constants make."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("constants", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--trials", type=int, default=4)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1.0, 5.0, 20.0])
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    arguments = parser.parse_args()
    given, trials = [*map(read, arguments.constants)], range(arguments.trials)

    def means():
        return [
            [np.mean([error(shape, epsilon, trial) for trial in trials])
             for epsilon in arguments.epsilons]
            for shape in arguments.shapes
        ]  # fmt: skip

    base = np.array(means())
    for shape, row in zip(arguments.shapes, base, strict=True):
        print(f"{shape:<16}", *(f"{each:9.4f}" for each in row), flush=True)
    for name, value in given:
        with changed(name, value):
            logs = 100 * np.log(np.array(means()) / base)
        for shape, row in zip(arguments.shapes, logs, strict=True):
            print(f"{name}={value:g}, {shape:<16}", *(f"{each:+8.2f}%" for each in row), flush=True)
        print(f"{name}={value:g}, mean change {logs.mean():+.3f} %", flush=True)


if __name__ == "__main__":
    main()

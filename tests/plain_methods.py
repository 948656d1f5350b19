"""The papers' item and user updates as one would write them down in NumPy: what tests trust."""

import numpy as np

from dpmc.ratings import Ratings


def plain_irls(rows, factors, regularization, threshold, start, noise):
    """R-IRLS for every row of ratings: paper, algorithm 3, with fresh noise in each step."""
    n_rows, rank = start.shape
    solution = np.zeros((n_rows, rank))
    for row in range(n_rows):
        own = slice(rows.indptr[row], rows.indptr[row + 1])
        f, x = factors[rows.indices[own]], rows.values[own]
        theta = start[row]
        for t in noise[:, row]:
            size = np.abs(x - f @ theta)
            weights = np.where(size > threshold, threshold / np.where(size > 0, size, 1), 1)
            gram = f.T @ (weights[:, None] * f) + regularization * np.eye(rank)
            theta = np.linalg.solve(gram, f.T @ (weights * x) + t)
        solution[row] = theta
    return solution


def plain_ridge(rows, factors, regularization, noise):
    """One half-step of ALS: paper, algorithm 1."""
    start = np.zeros_like(noise)
    return plain_irls(rows, factors, regularization, np.inf, start, noise[None])


def random_ratings(rng, n_users, n_items, fraction, values=None):
    """Ratings at random places; values N(3, 1) unless a function of the places is given."""
    users, items = np.nonzero(rng.random((n_users, n_items)) < fraction)
    drawn = 3 + rng.standard_normal(users.size) if values is None else values(users, items)
    return Ratings(users, items, drawn, n_users, n_items)


def low_rank_ratings(rng, n_users, n_items, rank, fraction):
    """Ratings of an exactly low-rank matrix U(0,1) U(0,1)^T, and the matrix."""
    matrix = rng.random((n_users, rank)) @ rng.random((rank, n_items))
    return random_ratings(rng, n_users, n_items, fraction, lambda u, i: matrix[u, i]), matrix


def ratings_by_counts(rng, counts, n_columns):
    """Ratings such that item j has counts[j] of them, all by different users."""
    items = np.repeat(np.arange(len(counts)), counts)
    users = np.concatenate([rng.permutation(n_columns)[:count] for count in counts])
    return Ratings(users, items, 3 + rng.standard_normal(items.size), n_columns, len(counts))


def relative_error(actual, expected):
    """Largest difference within a row, relative to the row's largest entry; the worst row."""
    scale = np.abs(expected).max(axis=1)
    difference = np.abs(actual - expected).max(axis=1)
    return float(np.max(difference / np.where(scale > 0, scale, 1), initial=0))

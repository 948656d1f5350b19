"""AltMin as published against the read-me's algorithm, node by node."""

import numpy as np
import pytest

from dpmc.errors import InputError
from dpmc.methods.user_level.altmin_published import PublishedAltMin
from dpmc.ratings import Ratings


def drawn(n_users, n_items, rank, share, seed=0):
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((n_users, rank)) @ rng.standard_normal((rank, n_items))
    users, items = np.nonzero(rng.random(matrix.shape) < share)
    return matrix, Ratings(users, items, matrix[users, items], *matrix.shape)


def by_node(ratings, *, rank, iterations, coherence, seed):
    """Return the predictions of the algorithm with one least squares problem after another."""
    rows = ratings.by_user
    values = np.zeros((ratings.n_users, ratings.n_items))
    part = np.full(values.shape, -1)
    users = np.repeat(np.arange(ratings.n_users), np.diff(rows.indptr))
    mean = rows.values.mean()
    values[users, rows.indices] = rows.values - mean
    drawn_parts = np.random.default_rng(seed).integers(2 * iterations + 1, size=len(ratings))
    part[users, rows.indices] = drawn_parts
    shared = np.linalg.svd(values * (part == 0))[2][:rank].T
    shared[np.abs(shared) > 2 * coherence * np.sqrt(rank / ratings.n_items)] = 0
    shared = np.linalg.qr(shared)[0] * np.sqrt(ratings.n_items)
    for step in range(iterations):
        sent = []
        for row, of in zip(values, part, strict=True):
            seen = of == step + 1
            own = np.linalg.pinv(shared[seen]) @ row[seen]
            later = of == iterations + step + 1
            # the shortest V with V own = row on what is seen later
            sent.append(np.outer(np.where(later, row, 0), np.linalg.pinv(own[:, None])))
        shared = np.mean(sent, axis=0)
    seen = part >= 0
    own = [np.linalg.lstsq(shared[mine], row[mine], rcond=None)[0]
           for row, mine in zip(values, seen, strict=True)]  # fmt: skip
    return mean + np.array(own) @ shared.T


def test_parts_and_averages_are_those_of_the_read_me():
    _, ratings = drawn(60, 40, 2, 0.95)
    settings = {"rank": 2, "iterations": 2, "coherence": 0.6}
    model = PublishedAltMin(**settings).fit(ratings, rng=np.random.default_rng(7))
    expected = by_node(ratings, **settings, seed=7)
    np.testing.assert_allclose(model.predict_matrix(), expected, atol=2e-3)


def test_means_over_more_nodes_come_nearer_to_a_matrix_of_rank_one():
    errors = []
    for n_users in (200, 5000):
        matrix, ratings = drawn(n_users, 30, 1, 0.6)
        model = PublishedAltMin(rank=1, iterations=2).fit(ratings, rng=1)
        errors.append(np.sqrt(np.mean((model.predict_matrix() - matrix) ** 2) / matrix.var()))
    assert errors[1] < 0.5 * errors[0]


def test_rounds_are_reported():
    _, ratings = drawn(30, 10, 1, 0.9)
    rounds = []
    PublishedAltMin(rank=1, iterations=3).fit(
        ratings, rng=0, callback=lambda step, model: rounds.append(step)
    )
    assert rounds == [1, 2, 3]


@pytest.mark.parametrize("settings", [{"rank": 0}, {"rank": 1, "coherence": 0}])
def test_parameters_out_of_their_range(settings):
    with pytest.raises(InputError):
        PublishedAltMin(**settings)


def test_parts_need_a_generator():
    with pytest.raises(InputError, match="rng"):
        PublishedAltMin(rank=1).fit(drawn(5, 4, 1, 1.0)[1])

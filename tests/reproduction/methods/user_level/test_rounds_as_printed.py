"""AltMin and SAltLS as published against the read-me's algorithms, node by node."""

import numpy as np
import pytest

from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.as_printed import AltMinAsPrinted, SAltLSAsPrinted

every_method = pytest.mark.parametrize("method", [AltMinAsPrinted, SAltLSAsPrinted])


def drawn(n_users, n_items, rank, share, seed=0):
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((n_users, rank)) @ rng.standard_normal((rank, n_items))
    users, items = np.nonzero(rng.random(matrix.shape) < share)
    return matrix, Ratings(users, items, matrix[users, items], *matrix.shape)


def in_full(ratings):
    """Return the mean, the matrix less it, and where ratings are."""
    rows = ratings.by_user
    values = np.zeros((ratings.n_users, ratings.n_items))
    users = np.repeat(np.arange(ratings.n_users), np.diff(rows.indptr))
    mean = rows.values.mean()
    values[users, rows.indices] = rows.values - mean
    return mean, values, (users, rows.indices)


def rounds(ratings, part, shared, pairs, send):
    """Return the predictions after rounds of one least squares problem after another.

    ``pairs`` are the parts that u and V are fitted to, a pair a round; ``send`` makes what a node
    sends of the shortest V with V u = x on what is seen.
    """
    mean, values, seen = in_full(ratings)
    parts = np.full(values.shape, -1)
    parts[seen] = part
    shared = shared(values * (parts == 0)) * np.sqrt(ratings.n_items)
    for first, second in pairs:
        sent = []
        for row, of in zip(values, parts, strict=True):
            own = np.linalg.pinv(shared[of == first]) @ row[of == first]
            later = np.where(of == second, row, 0)
            sent.append(send(np.outer(later, np.linalg.pinv(own[:, None]))))
        shared = np.mean(sent, axis=0)
    own = [np.linalg.pinv(shared[of >= 0]) @ row[of >= 0]
           for row, of in zip(values, parts, strict=True)]  # fmt: skip
    return mean + np.array(own) @ shared.T


def test_altmin_has_the_parts_and_averages_of_the_read_me():
    _, ratings = drawn(60, 40, 2, 0.95)
    rank, steps, coherence = 2, 2, 0.6

    def start(values):
        top = np.linalg.svd(values)[2][:rank].T
        top[np.abs(top) > 2 * coherence * np.sqrt(rank / len(top))] = 0
        return np.linalg.qr(top)[0]

    part = np.random.default_rng(7).integers(2 * steps + 1, size=len(ratings))
    pairs = [(step + 1, steps + step + 1) for step in range(steps)]
    expected = rounds(ratings, part, start, pairs, lambda fitted: fitted)
    model = AltMinAsPrinted(rank=rank, iterations=steps, coherence=coherence)
    found = model.fit(ratings, rng=np.random.default_rng(7)).predict_matrix()
    np.testing.assert_allclose(found, expected, atol=2e-3)


def one_column(fitted):
    """Gram-Schmidt of a matrix of rank one: its first column, and zeros for what is arbitrary."""
    basis, triangle = np.linalg.qr(fitted)
    assert np.abs(triangle[1:]).max() < 1e-12 * np.abs(triangle[0]).max()
    basis = basis * np.sign(triangle[0, 0])
    basis[:, 1:] = 0
    return basis


@pytest.mark.parametrize("steps", [1, 2])
def test_saltls_has_the_parts_and_averages_of_the_read_me(steps):
    _, ratings = drawn(60, 40, 2, 0.95)
    rng = np.random.default_rng(7)
    part = rng.integers(2, size=len(ratings)) * rng.integers(1, steps + 1, size=len(ratings))
    assert np.mean(part == 0) == pytest.approx(0.5, abs=0.03)
    expected = rounds(
        ratings,
        part,
        lambda values: np.linalg.svd(values)[2][:2].T,
        [(step + 1, step + 1) for step in range(steps)],
        one_column,
    )
    model = SAltLSAsPrinted(rank=2, iterations=steps).fit(ratings, rng=np.random.default_rng(7))
    np.testing.assert_allclose(model.predict_matrix(), expected, atol=2e-3)
    assert np.linalg.matrix_rank(model.item_factors_) == 1


@every_method
def test_users_without_ratings_in_a_part_send_nothing(method):
    """And items that nobody rated are predicted by the mean."""
    _, ratings = drawn(30, 12, 1, 0.9)
    few = ratings.take((ratings.items < 11) & ((ratings.users < 28) | (ratings.items == 0)))
    model = method(rank=1, iterations=3).fit(few, rng=0)
    assert np.isfinite(model.predict_matrix()).all()
    np.testing.assert_allclose(model.predict_matrix()[:, 11], model.mean_)

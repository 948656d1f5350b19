"""Errata about the thesis alone: singular value thresholding, decompositions, slips."""

import numpy as np

from dpmc.frame.showing.erratum import Evidence
from dpmc.mechanisms.gaussian import Gaussian
from dpmc.mechanisms.huber import huber_loss
from dpmc.studies.huber.errata.sources import Sources

ROWS, COLUMNS, SHARE = 12, 8, 0.5
THRESHOLD = 2.0  # tau
FAR = 1000.0  # how far along P(M) the dual is looked at


def thresholding(sources: Sources) -> Evidence:
    """The dual of singular value thresholding is maximised, and has a factor 1/2."""
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((ROWS, COLUMNS))
    seen = rng.random(matrix.shape) < SHARE
    target = np.where(seen, matrix, 0.0)

    def dual(multiplier: np.ndarray) -> float:
        at = shrunk(multiplier, THRESHOLD)
        return (
            published(at, multiplier, 0.5)
            - np.square(multiplier).sum() / 2
            + np.sum(multiplier * target)
        )

    def published(at: np.ndarray, multiplier: np.ndarray, weight: float) -> float:
        nuclear = np.linalg.svd(at, compute_uv=False).sum()
        return float(THRESHOLD * nuclear + weight * np.square(at - multiplier).sum())

    other = np.where(seen, matrix, rng.standard_normal(matrix.shape))
    half = shrunk(target, THRESHOLD / 2)
    numbers = {
        "midpoint": float(np.abs(np.where(seen, (matrix + other) / 2 - matrix, 0)).max()),
        "dual_far": float(dual(FAR * target)),
        "without_half": published(shrunk(target, THRESHOLD), target, 1.0),
        "half_threshold": published(half, target, 1.0),
    }
    return Evidence(numbers, rows=ROWS, columns=COLUMNS, far=FAR)


def decomposition(sources: Sources) -> Evidence:
    """Singular values are roots of eigenvalues, singular vectors columns of U."""
    matrix = np.random.default_rng(1).standard_normal((ROWS, COLUMNS))
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    eigenvalues = np.linalg.eigvalsh(matrix.T @ matrix)[::-1]
    square = matrix @ matrix.T
    column = left[:, 0]
    numbers = {
        "largest": float(values[0]),
        "eigenvalue": float(eigenvalues[0]),
        "root": float(np.abs(np.sqrt(eigenvalues) - values).max()),
        "column": float(np.linalg.norm(square @ column - eigenvalues[0] * column)),
    }
    return Evidence(
        numbers, rows=ROWS, columns=COLUMNS, entries=left.shape[1], rows_of_square=len(square)
    )


def shrunk(matrix: np.ndarray, threshold: float) -> np.ndarray:
    """Return the matrix with its singular values less the threshold, but no less than 0."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    return (left * np.maximum(values - threshold, 0)) @ right


def slips(sources: Sources) -> Evidence:
    """Slips in explanations, on which nothing rests."""
    variance, sensitivity, delta = 2.0, 5.0, 1e-5
    noise = Gaussian.from_variance(variance)
    epsilon = noise.epsilon(sensitivity, delta, formula="exact")
    # the loss of Gaussian noise is linear in the noise: it exceeds epsilon beyond this
    beyond = (epsilon - sensitivity**2 / (2 * variance)) * variance / sensitivity
    a, shift = 1.0, 3.0
    places = {"inside": -a, "edge": a}
    numbers = {
        "laplace": 3.0,
        "huber": float(huber_loss(3.0, a)),
        "epsilon": float(epsilon),
        "exceeds": float(noise.sf(beyond)),
        **{
            name: float(huber_loss(abs(x + shift), a) - huber_loss(abs(x), a))
            for name, x in places.items()
        },
        "printed_inside": a * (2 * -a + shift) / 2,
        "printed_edge": a * shift / 2,
    }
    return Evidence(
        numbers, variance=variance, sensitivity=sensitivity, delta=delta, a=a, shift=shift
    )

"""Errata about chapter 3 of the thesis: singular value thresholding and decompositions."""

import numpy as np

from dpmc.studies.huber.errata.sources import Sources
from dpmc.study.erratum import WITHOUT_CONSEQUENCE, Erratum

ROWS, COLUMNS, SHARE = 12, 8, 0.5
THRESHOLD = 2.0  # tau
FAR = 1000.0  # how far along P(M) the dual is looked at


def thresholding(name: str, sources: Sources) -> Erratum:
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
    return Erratum(
        name,
        "Singular value thresholding: the constraint, the dual, a factor 1/2",
        WITHOUT_CONSEQUENCE,
        "Thesis, section 3.2, equation 3.5",
        "The equality constraint P(X) = P(M) is non-convex. Y* = arg min of the Lagrangian over Y "
        "= arg min of τ‖X‖∗ + ‖X − P(Y)‖².",
        "An affine constraint is convex, and so is the whole problem. The Lagrangian is minimised "
        "over X and the dual maximised over Y, and for fixed Y the Lagrangian is "
        "τ‖X‖∗ + ½‖X − P(Y)‖² up to a constant; with the ½, X is P(Y) with its singular "
        "values less τ, as Cai et al. (2008) have it.",
        f"On a drawn {ROWS} × {COLUMNS} matrix: midpoints of two feasible matrices miss the "
        f"constraint by {numbers['midpoint']:.1g}; the dual is 0 at Y = 0 and "
        f"{numbers['dual_far']:.1e} at {FAR:g} P(M), so that it has no minimum; without the ½, "
        f"thresholding at τ gives {numbers['without_half']:.2f} and at τ/2 "
        f"{numbers['half_threshold']:.2f}, which is less.",
        numbers,
    )


def decomposition(name: str, sources: Sources) -> Erratum:
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
    return Erratum(
        name,
        "The singular value decomposition: roots, rows and columns",
        WITHOUT_CONSEQUENCE,
        "Thesis, section 3.3.1",
        "Σ has the singular values of X, which are the eigenvalues of XᵀX; rows of U are the left "
        "singular vectors; for a lower rank the last rows of U and columns of V are cut.",
        "They are the square roots of those eigenvalues. The columns of U are the left singular "
        "vectors; for a lower rank the last columns of U and rows of Vᵀ are cut.",
        f"On a drawn {ROWS} × {COLUMNS} matrix the largest singular value is "
        f"{numbers['largest']:.3f} and the largest eigenvalue of XᵀX {numbers['eigenvalue']:.3f}; "
        f"the roots agree to {numbers['root']:.0e}. The first column of U is an eigenvector of XXᵀ "
        f"to {numbers['column']:.0e}; its rows have {left.shape[1]} entries, not {len(square)}.",
        numbers,
    )


def shrunk(matrix: np.ndarray, threshold: float) -> np.ndarray:
    """Return the matrix with its singular values less the threshold, but no less than 0."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    return (left * np.maximum(values - threshold, 0)) @ right

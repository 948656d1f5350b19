"""Anderson mixing: fewer iterations of a fixed-point map."""

import numpy as np

LARGEST_GROWTH = 2.0
RIDGE = 1e-8


class Mixing:
    """Anderson mixing of a fixed-point iteration w -> w + step(w).

    It combines the last differences of steps and of plain iterates w + step so that the norm of the
    combined step is least. If a mixed iterate more than doubles the residual, the iteration returns
    to the plain iterate and clears its memory. Differences are stored in single precision: their
    rounding errors shrink with them.

    Source: Walker and Ni, "Anderson acceleration for fixed-point iterations", SIAM J. Numer.
    Anal. 49 (2011), difference form, with a ridge on the normal equations.

    w has ``size`` entries of type ``dtype``; the last ``memory`` differences are kept.
    """

    def __init__(self, size: int, memory: int, dtype: type = np.float64):
        self._moves = np.empty((memory, size), np.float32)
        self._changes = np.empty((memory, size), np.float32)
        self._gram = np.zeros((memory, memory))
        self._count = 0
        self._plain, self._step = np.empty(size, dtype), np.empty(size, dtype)
        self._single = np.empty(size, np.float32)
        self._residual = None
        self._mixed = False

    def advance(self, w: np.ndarray, step: np.ndarray, residual: float) -> None:
        """Replace w by the next iterate.

        Arrays are (size,); the residual says how far w is from a fixed point.
        """
        if self._mixed and residual > LARGEST_GROWTH * self._residual:
            np.copyto(w, self._plain)
            self._count, self._residual, self._mixed = 0, None, False
            return
        w += step
        weights = None if self._residual is None else self._weights(w, step)
        self._residual, self._mixed = residual, weights is not None
        np.copyto(self._plain, w)
        np.copyto(self._step, step)
        if self._mixed:
            w -= np.dot(weights, self._moves[: len(weights)], out=self._single)

    def _weights(self, plain, step):
        """Store the newest differences; return the weights of all, None if two are equal."""
        slot, kept = self._count % len(self._gram), min(self._count + 1, len(self._gram))
        self._count += 1
        np.subtract(plain, self._plain, out=self._moves[slot])
        np.subtract(step, self._step, out=self._changes[slot])
        np.copyto(self._single, step)
        changes = self._changes[:kept]
        row, aim = changes @ changes[slot], changes @ self._single
        self._gram[slot, :kept] = self._gram[:kept, slot] = row
        gram = self._gram[:kept, :kept]
        try:
            weights = np.linalg.solve(gram + RIDGE * np.diag(np.diag(gram)), aim)
        except np.linalg.LinAlgError:
            return None
        return weights.astype(np.float32)

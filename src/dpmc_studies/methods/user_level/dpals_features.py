"""DPALS with what is publicly known of the items: DP-CMF, and an item encoder."""

from dataclasses import field

import numpy as np

from dpmc.methods.base import choice, positive, with_parameters
from dpmc.methods.kept import kept
from dpmc.methods.user_level.item_features import WithItemFeatures
from dpmc_studies.methods.user_level.dpals import ACCOUNTINGS, DPALS, DTYPES, STARTS
from dpmc_studies.methods.user_level.item_step import positive_semidefinite

FEATURE_MODELS = ("factored", "encoded")
ALTERNATIONS = 20
"""Alternations between item rows and W in one step."""


@with_parameters
class DPALSWithFeatures(WithItemFeatures, DPALS):
    """DPALS that pulls each item row v towards a prediction from the item's public features f.

    In step 3 of :class:`dpmc_studies.methods.user_level.dpals.DPALS` it solves differently for v.
    3.

    - "factored", DP-CMF (Curmei, Krichene, Zhang and Sundararajan, "Private matrix factorization
      with public item features", RecSys 2023): the matrix F of features is factored as V W^T
      together with the ratings. The objective, the sum over items of v.H v - 2 w.v + lambda |v|^2 +
      omega |f - W v|^2, is minimised alternately over W, with W^T = (V^T V)^-1 V^T F, and over all
      v = (H + lambda I + omega W^T W)^-1 (w + omega W^T f). The first V has omega = 0.
    - "encoded", after the idea of Krichene, Mayoraz, Rendle, Song, Thakurta and Zhang, "Private
      learning with public features" (AISTATS 2024): v = Theta (1, f) + a free part. The free part
      has the penalty lambda, and Theta the penalty lambda / omega. For a given Theta the best v is
      (H + lambda I)^-1 (w + lambda Theta (1, f)); the best Theta with these v solves one linear
      system, :func:`encoded`.

    We could read only the abstract and the beginning of both papers, so the details are ours: the
    alternation of W and v within a step, and the start from F.

    **Privacy.** DPALS releases the same H and w with the same sensitivities and shares, and users
    see the last V and their own ratings. Features only enter a function of F, H, w and the
    settings, so they are post-processing and cost nothing. Features must be public: nobody's
    ratings may have gone into them.

    Parameters that are not listed are those of
    :class:`dpmc_studies.methods.user_level.dpals.DPALS`.

    Parameters
    ----------
    item_regularization : float
        lambda. With gram "free" it is in units of H, which is then I, for w with the mean square 1.
    feature_model : {"factored", "encoded"}
    feature_weight : float
        omega >= 0; with "factored" in squares of ratings, except for gram "free". With 0, or
        without features, the method is DPALS.
    start : {"normal", "analyze_gauss", "features"}
        "features" is the factorisation of F alone: its first left singular vectors, filled up with
        normal numbers if there are fewer than ``rank``.
    """

    feature_model: str = choice(FEATURE_MODELS, "factored")
    feature_weight: float = positive(10.0, zero=True)
    start: str = choice((*STARTS, "features"), "features")

    # H is projected before anything is added to it; of the rest there is one kind
    literal: bool = field(default=False, init=False)
    resampled: bool = field(default=False, init=False)
    projection: bool = field(default=True, init=False)
    global_penalty: float = field(default=0.0, init=False)
    accounting: str = field(default=ACCOUNTINGS[0], init=False)
    dtype: str = field(default=DTYPES[1], init=False)

    def _fit(self, ratings, statistics, randomness, callback):
        self._known = self._features(ratings) if self.feature_weight else None
        super()._fit(ratings, statistics, randomness, callback)

    def _first_rows(self, counted, kept, released, randomness):
        rows = super()._first_rows(counted, kept, released, randomness)
        if self.start == "features" and self._known is not None:
            vectors = np.linalg.svd(self._known[self.frequent_], full_matrices=False)[0]
            vectors = vectors[:, : self.rank]
            rows[:, : vectors.shape[1]] = vectors * np.sqrt(kept)  # as long as normal ones
        return rows

    def _solve_items(self, grams, targets, noise):
        if self._known is None:
            return super()._solve_items(grams, targets, noise)
        unit = 1.0
        if grams is None:
            grams = np.broadcast_to(np.eye(self.rank), (len(targets), self.rank, self.rank))
            targets = targets / (np.sqrt(np.mean(targets**2)) or 1.0)
        else:
            grams, unit = positive_semidefinite(grams), self._unit(noise)
        solve = {"factored": factored, "encoded": encoded}[self.feature_model]
        strengths = np.broadcast_to(self._strengths * unit, len(targets))
        features = self._known[self.frequent_]
        return solve(grams, targets, strengths, features, self.feature_weight)


@kept
def factored(
    grams: np.ndarray,
    targets: np.ndarray,
    strengths: np.ndarray,
    features: np.ndarray,
    weight: float,
) -> np.ndarray:
    """Return the rows of DP-CMF, shape (n_items, rank).

    Parameters
    ----------
    grams : shape (n_items, rank, rank)
        H, positive semidefinite.
    targets : shape (n_items, rank)
        w.
    strengths : shape (n_items,)
        lambda > 0.
    features : shape (n_items, n_features)
    weight : float
        omega.
    """
    ridged = grams + strengths[:, None, None] * np.eye(grams.shape[-1])
    rows = _solved(ridged, targets)
    for _ in range(ALTERNATIONS):
        loadings = np.linalg.lstsq(rows, features, rcond=None)[0]  # W^T
        rows = _solved(
            ridged + weight * loadings @ loadings.T, targets + weight * features @ loadings.T
        )
    return rows


@kept
def encoded(
    grams: np.ndarray,
    targets: np.ndarray,
    strengths: np.ndarray,
    features: np.ndarray,
    weight: float,
) -> np.ndarray:
    """Return the rows of the encoder, shape (n_items, rank); parameters as of :func:`factored`.

    Let G = (H + lambda I)^-1 and m = Theta (1, f). For a given m, v.H v - 2 w.v + lambda |v - m|^2
    is least at v = G (w + lambda m). The minimum is m.S m - 2 t.m up to a constant, with S = lambda
    (I - lambda G) and t = lambda G w. Theta minimises the sum of these minima over the items plus
    mean(lambda) / omega |Theta|^2. This objective is quadratic.
    """
    rank, columns = grams.shape[-1], np.column_stack([np.ones(len(features)), features])
    each = strengths[:, None, None]
    inverses = np.linalg.inv(grams + each * np.eye(rank))
    curvatures = each * (np.eye(rank) - each * inverses)
    slopes = strengths[:, None] * np.einsum("nfg,ng->nf", inverses, targets)
    size = columns.shape[1] * rank
    left = np.einsum("np,nq,nfg->pfqg", columns, columns, curvatures, optimize=True)
    left = left.reshape(size, size) + strengths.mean() / weight * np.eye(size)
    encoder = np.linalg.solve(left, (columns.T @ slopes).ravel()).reshape(-1, rank)
    pulled = targets + strengths[:, None] * (columns @ encoder)
    return np.einsum("nfg,ng->nf", inverses, pulled)


def _solved(matrices, rows):
    return np.linalg.solve(matrices, rows[:, :, None])[:, :, 0]

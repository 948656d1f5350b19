"""Adaptive weights: errors of ours beside those of the authors' program, its steps restated.

    python benchmarks/bench_weights.py results/data/ml-100k.npz

``Restated`` does in plain NumPy what dp_alternating_minimization/dpam.py of google-research does
for ratings (Krichene et al., ICML 2023; ``DPALSModel`` with the sanitizer "adaptive_weights"):
no code of it or of our method is used. Both get the same mu of Gaussian differential privacy, and
as many candidates drawn and halved on other splits. Two forms: "as printed" adds noise for ratings
of size 1 and clips none, so that what it claims does not hold for ratings less users' means;
"bounded" clips these to B, searched too, and adds noise for that.
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from dpmc.errors import InputError
from dpmc.privacy.calibration import calibrate
from dpmc.ratings import Ratings
from dpmc_studies.datasets.splits import random_split
from dpmc_studies.methods import variant
from dpmc_studies.methods.user_level.spaces import SPACES, drawn, scales
from dpmc_studies.statistics.errors import rmse_clipped

EPSILONS, DELTA = (1.0, 5.0, 20.0), 1e-5
CANDIDATES, RUNGS = (
    24,
    ((11, 12, 13), (8, 3)),
)  # seeds of splits; how many go on after the first two
SPLITS, SHARE = range(5), 0.8  # of the table
SPACE = {
    "dim": (1, 2, 3, 4, 5, 8, 32),
    "steps": (1, 2, 3, 4, 6),
    "budget": (20, 40, 80, 150),
    "max_norm": (0.1, 0.3, 0.5, 1.0),
    "regularization": (1.0, 3.0, 10.0, 40.0, 100.0, 300.0),
    "regularization_exponent": (0.0, 0.25, 0.5),
    "weight_exponent": (0.25, 1 / 3, 0.5, 1.0),
    "counts_share": (0.05, 0.1, 0.2),
    "largest": (0.5, 1.0, 1.5, 2.0),
}


@dataclass
class Restated:
    """The program's steps; ``mu`` is the whole budget, of which counts get a share.

    ``largest`` is B; without it the form is that as printed.
    """

    mu: float
    dim: int
    steps: int
    budget: int
    max_norm: float
    regularization: float
    regularization_exponent: float
    weight_exponent: float
    counts_share: float
    largest: float | None = None

    def fit(self, training: Ratings, rng: np.random.Generator):
        """Fit, users' own means taken off."""
        shape = training.n_users, training.n_items
        users, items = training.users, training.items
        sizes = np.maximum(np.bincount(users, minlength=shape[0]), 1)
        self.means = np.bincount(users, training.values, minlength=shape[0]) / sizes
        left = training.values - self.means[users]
        sent, scale = left, 1.0
        if self.largest is not None:
            sent, scale = np.clip(left, -self.largest, self.largest), self.largest
        counts = self._counts(users, items, shape, rng)
        raw = counts[items] ** -self.weight_exponent
        lengths = np.sqrt(np.bincount(users, raw**2, minlength=shape[0]))
        weights = raw * np.sqrt(self.budget) / lengths[users]
        # statistics of a step move by sqrt(budget) norm^2 and sqrt(budget) norm (times B)
        sigma = np.sqrt(2 * self.steps * self.budget / (1 - self.counts_share)) / self.mu
        powers = (counts + 1) ** self.regularization_exponent
        of_items = self.regularization * powers * (counts + 1).sum() / (powers @ (counts + 1))
        own = csr_array((left, (users, items)), shape)
        seen = csr_array((np.ones(len(left)), (users, items)), shape)
        weighted = csr_array((weights, (items, users)), shape[::-1])
        targets = csr_array((weights * sent, (items, users)), shape[::-1])
        v = 0.1 * rng.standard_normal((shape[1], self.dim))
        for _ in range(self.steps):
            u = solved(moments(seen, v), own @ v, self.regularization)
            u *= np.minimum(1, self.max_norm / np.maximum(np.linalg.norm(u, axis=1), 1e-12))[
                :, None
            ]
            grams, sums = moments(weighted, u), targets @ u
            grams += sigma * self.max_norm**2 * rng.standard_normal(grams.shape)
            sums += sigma * self.max_norm * scale * rng.standard_normal(sums.shape)
            values, vectors = np.linalg.eigh((grams + np.swapaxes(grams, 1, 2)) / 2)
            grams = vectors * np.maximum(values, 0)[:, None] @ np.swapaxes(vectors, 1, 2)
            v = solved(grams, sums, of_items)
        self.v, self.u = v, solved(moments(seen, v), own @ v, self.regularization)
        return self

    def _counts(self, users, items, shape, rng):
        """Return noised numbers of at most ``budget`` ratings of each user, at least 1."""
        order = rng.permutation(len(users))
        by_user = order[np.argsort(users[order], kind="stable")]
        place = np.arange(len(users)) - np.searchsorted(users[by_user], users[by_user])
        exact = np.bincount(items[by_user[place < self.budget]], minlength=shape[1])
        noise = np.sqrt(self.budget / self.counts_share) / self.mu
        return np.maximum(1, exact + noise * rng.standard_normal(shape[1]))

    def predict(self, users: np.ndarray, items: np.ndarray) -> np.ndarray:
        """Return predicted ratings."""
        return self.means[users] + np.einsum("nr,nr->n", self.u[users], self.v[items])


def moments(weights: csr_array, rows: np.ndarray) -> np.ndarray:
    """Return the weighted sums of a a^T over the rows, shape (n, dim, dim)."""
    flat = np.einsum("ni,nj->nij", rows, rows).reshape(len(rows), -1)
    return (weights @ flat).reshape(-1, rows.shape[1], rows.shape[1])


def solved(grams, targets, penalty):
    """Return (G + lambda I)^-1 t for each row."""
    penalties = np.broadcast_to(penalty, len(grams))[:, None, None] * np.eye(grams.shape[1])
    return np.linalg.solve(grams + penalties, targets[..., None])[..., 0]


def restated(settings, epsilon, training, seed):
    """Fit the program's steps at a budget."""
    mu = 1 / calibrate("gaussian", releases=1, epsilon=epsilon, delta=DELTA).noise.std()
    return Restated(mu, **settings).fit(training, np.random.default_rng(seed))


def ours(settings, epsilon, training, seed):
    """Fit our method at a budget."""
    method = variant("dpals_weights")
    model = method.factory()(
        relation="user_add_remove", epsilon=epsilon, delta=DELTA,
        rating_range=training.rating_range, **settings, **method.settings,
    )  # fmt: skip
    rngs = np.random.default_rng(seed).spawn(2)
    return model.fit(training, rng=rngs[0], noise_rng=rngs[1])


def candidates(name: str, training: Ratings) -> list[dict]:
    """Return settings drawn from the space of a method."""
    rng = np.random.default_rng(0)
    if name == "ours":
        units = scales("dpals_weights", 2.0, training.n_users, training.n_items)
        space = SPACES["dpals_weights"]
    else:
        units, space = {}, dict(SPACE)
        if name == "as printed":
            del space["largest"]
    return [drawn(rng, space, units) for _ in range(CANDIDATES)]


FITS = {"as printed": restated, "bounded": restated, "ours": ours}


def error(fit, settings, epsilon, split, seed) -> float:
    """Return the RMSE on the held-out part of a split."""
    training, held = split
    try:
        model = fit(settings, epsilon, training, seed)
    except InputError:
        return np.inf
    predicted = model.predict(held.users, held.items)
    return rmse_clipped(predicted, held.values, training.rating_range)


def chosen(name: str, epsilon: float, splits: dict, known: list[dict]) -> dict:
    """Return the best of the candidates, and of what was best at a smaller budget."""
    left = [*known, *candidates(name, splits[RUNGS[0][0]][0])]
    errors = [[] for _ in left]
    for seed, most in zip(RUNGS[0], (*RUNGS[1], 1), strict=True):
        for place, settings in enumerate(left):
            errors[place].append(error(FITS[name], settings, epsilon, splits[seed], seed))
        order = np.argsort([np.mean(each) for each in errors], kind="stable")[:most]
        left, errors = [left[place] for place in order], [errors[place] for place in order]
    return left[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ratings", help="MovieLens 100K as results/data has it")
    ratings = Ratings.load(parser.parse_args().ratings)
    splits = {
        seed: random_split(ratings, SHARE, np.random.default_rng(seed), "ratings")
        for seed in {*RUNGS[0], *SPLITS}
    }
    print("| ε | " + " | ".join(FITS) + " |\n|---|" + "---|" * len(FITS))
    best = {name: [] for name in FITS}
    for epsilon in EPSILONS:
        cells = []
        for name, fit in FITS.items():
            best[name].append(chosen(name, epsilon, splits, best[name]))
            own = [error(fit, best[name][-1], epsilon, splits[seed], seed) for seed in SPLITS]
            cells.append(f"{np.mean(own):.3f} ± {np.std(own, ddof=1) / len(own) ** 0.5:.3f}")
        print(f"| {epsilon:g} | " + " | ".join(cells) + " |", flush=True)
    for name, settings in best.items():
        for epsilon, own in zip(EPSILONS, settings, strict=True):
            print(f"{name}, epsilon {epsilon:g}: {own}")
    print(f"{time.process_time():.0f} CPU seconds")


if __name__ == "__main__":
    main()

"""DPALS: alternating least squares with user-level privacy; only the item steps are noised."""

import math
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.methods.base import choice, count, flag, positive, share, with_parameters
from dpmc.methods.factorization.private_als import LEAST_REGULARIZATION
from dpmc.methods.kernels.private import balance, clip_rows
from dpmc.methods.normal import solve_rows
from dpmc.methods.private_choice import choose_part
from dpmc.methods.user_level.covariance import margin
from dpmc.privacy.calibration import Calibration
from dpmc.privacy.release import LEAST_SHARE
from dpmc.ratings import Compressed, transposed
from dpmc_studies.methods.user_level.item_step import (
    ItemStatistics,
    solve_items,
    solve_items_as_published,
)
from dpmc_studies.methods.user_level.joint import OffsetModel
from dpmc_studies.methods.user_level.outer_sums import top_eigenvectors
from dpmc_studies.methods.user_level.plan import Part, plan, published_sigma
from dpmc_studies.methods.user_level.sampling import choose_rare, clip_values, weigh_rare

STARTS = ("normal", "analyze_gauss")
GRAMS = ("noised", "free")
SAMPLINGS = ("uniform", "adaptive", "weights")
CENTRINGS = ("none", "global", "user")
ACCOUNTINGS = ("exact", "published")
DTYPES = ("float32", "float64")


@with_parameters
class DPALS(OffsetModel):
    """Alternating least squares whose items are fitted to noised sums over clipped users.

    The model is offset + u . v, learnt from ratings less the offset. T times:

    1. V <- sqrt(n_items) V (V^T V)^(-1/2). The span stays; users become about as long as ratings.
    2. Every user fits u = (sum v v^T + lambda_u I)^-1 sum v x to all of their own ratings, alone.
       The user then clips u to norm Gamma_u, the k ratings that count to [-Gamma_M, Gamma_M], and,
       if ``row_bound`` is given, the vector of these ratings to norm L.
    3. For every item, H = sum u u^T + noise, made positive semidefinite, and w = sum u x + noise
       give v = (H + lambda I)^-1 w.

    Afterwards users fit once more, alone. The last V and everything else that was released is
    private. Each user additionally learns only their own row u. This is joint differential privacy.

    Every statistic of more than one user passes the ledger.
    :mod:`dpmc_studies.methods.user_level.plan` derives its sensitivity and its share of the budget,
    for added or removed and for replaced users. The sample of k ratings, the offset and the row u
    of a user depend only on the user's own ratings and released values. The fit is therefore
    exactly Gaussian DP, with mu^2 the sum over its releases. ``releases`` is 1; each release gets a
    share.

    Differences from algorithm 1: H is projected before lambda is added; H is noised as a full
    symmetric matrix; V has size sqrt(n_items) instead of 1; users fit all of their ratings in each
    step; and they sample once, as the paper does in practice. ``literal`` undoes the first three
    differences, ``resampled`` the last two. The number of items with factors is a share of all,
    rounded to the nearest integer, or up with ``literal``.

    Source: Chien et al. 2021, algorithms 1 and 2, section 5; Dwork et al. 2014 for the start;
    McSherry and Mironov 2009 for the private mean.

    Parameters that are not listed are those of :class:`dpmc.methods.private.PrivateMethod`.

    Parameters
    ----------
    ratings_per_user : int
        k.
    iterations : int
        T. After 2 or 3 iterations, more noise outweighs the better fit.
    value_bound : float, optional
        Gamma_M, in units of the ratings, for ratings after centring. By default half the range;
        without centring, the largest absolute value in the range.
    factor_bound : float
        Gamma_u. Users are about as long as ratings after centring. If all users are longer than
        Gamma_u, only their directions count.
    user_regularization : float
        lambda_u > 0; squares of the columns of V sum to n_items.
    item_regularization : float
        lambda > 0 in units of the standard deviation of the noise on the diagonal of H.
    start : {"normal", "analyze_gauss"}
        V_0 is independent normal numbers, or the top eigenvectors of the noised X^T X, where X is
        the matrix of the ratings that count, with zeros elsewhere.
    start_share : float
        Share of mu^2 for "analyze_gauss".
    gram : {"noised", "free"}
        "free" spends nothing on H: v = w.
    row_bound : float, optional
        L, the public bound of the norm of a user's ratings that count.
    literal : bool
        Lines 10 to 13 as published: lambda is added before the projection, with a pseudo-inverse;
        only upper triangles are noised; V^T V = I. The last changes the units of factor_bound and
        user_regularization: users are sqrt(n_items) times as long.
    resampled : bool
        Lines 7 and 14 as published: in each step the k ratings that count are chosen again, and
        users fit some of their ratings, each with probability 1/T. For simulated noise only.
    projection : bool
        Whether H is made positive semidefinite.
    sampling : {"uniform", "adaptive", "weights"}
        Which k ratings of a user count: random ones, or those of the items with the lowest noised
        counts. With "weights" all ratings count. Their squared weights sum to k for every user, and
        are higher for rarer items (Krichene et al. 2023).
    weight_exponent : float
        e from 0 to 1: weights are proportional to noised counts to the power -e. The authors tried
        1/4, 1/3, 1/2 and 1. On generated ratings, 1/3 and 1/2 are best.
    regularization_exponent : float
        lambda of an item is multiplied by its noised count + 1 to this power, from 0 to 1, divided
        by the mean of this factor over all ratings.
    item_share : float
        beta: this share of the items, those with the highest noised counts, get factors. Other
        items are predicted by the mean of the user.
    counts_share, mean_share : float
        Shares of mu^2 for the noised numbers of ratings of the items and for the global mean.
    centring : {"none", "global", "user"}
        What is subtracted from the ratings: nothing, the private mean (the centre of the range if
        ``mean_share`` is 0), or the mean of the user's own ratings.
    global_penalty : float
        lambda_0, the weight of the penalty sum (u . v)^2 over all pairs.
    accounting : {"exact", "published"}
        "published" uses the sigma of theorem 1, which is too small. ``guarantee_`` then states the
        true epsilon, and ``claimed_epsilon_`` the requested one.
    dtype : {"float64", "float32"}
        Type of the computations; "float32" is faster, and for simulated noise only.

    Attributes
    ----------
    claimed_epsilon_ : float
        The requested epsilon; ``guarantee_`` has the true one.
    """

    ratings_per_user: int = field()  # has to be given
    rank: int = count()
    iterations: int = count(2)
    value_bound: float | None = positive(None)
    factor_bound: float = positive(0.1)
    user_regularization: float = positive(10.0)
    item_regularization: float = positive(100.0)
    start: str = choice(STARTS, "normal")
    start_share: float = share(0.2)
    gram: str = choice(GRAMS, "noised")
    row_bound: float | None = positive(None)
    literal: bool = flag(False)
    resampled: bool = flag(False)
    projection: bool = flag(True)
    sampling: str = choice(SAMPLINGS, "uniform")
    weight_exponent: float = share(1 / 3)
    regularization_exponent: float = share(0.0)
    item_share: float = share(1.0, zero=False)
    counts_share: float = share(0.0)
    mean_share: float = share(0.0)
    centring: str = choice(CENTRINGS, "user")
    global_penalty: float = positive(0.0, zero=True)
    accounting: str = choice(ACCOUNTINGS, "exact")
    dtype: str = choice(DTYPES, "float64")

    def __post_init__(self):
        super().__post_init__()
        if self.value_bound is None:
            largest = max(abs(end) for end in self.rating_range)
            self.value_bound = largest if self.centring == "none" else self.bounds.half_range
        check_options(self)
        self.bounds = self._bounds(self.factor_bound)
        self.plan = self._plan()

    def _plan(self) -> dict[str, Part]:
        """Return the releases, by name."""
        return plan(
            self.bounds,
            iterations=self.iterations,
            value_bound=self.value_bound,
            row_bound=self.row_bound,
            gram=self.gram == "noised",
            global_gram=self.global_penalty > 0,
            start_share=self.start_share if self.start == "analyze_gauss" else 0.0,
            counts_share=self.counts_share,
            mean_share=self.mean_share,
        )

    @property
    def releases(self) -> int:
        """1: the ledger divides the whole budget by weights."""
        return 1

    @cached_property
    def calibration(self) -> Calibration:
        """The noise at sensitivity 1 and share 1, with standard deviation 1/mu."""
        if self.accounting == "exact":
            return super().calibration
        sigma = published_sigma(self.epsilon, self.delta, self.ratings_per_user, self.iterations)
        # so that the noise on right-hand sides, without a row bound, is sigma Gamma_u Gamma_M
        share = self.plan["right_hand_side"].share
        noise = Gaussian(sigma * math.sqrt(share) / self.bounds.sums(1.0))
        return Calibration(noise, 1, noise.epsilon(1.0, self.delta), self.delta, "exact")

    def _guarantee(self, ledger):
        return replace(super()._guarantee(ledger), epsilon=self.calibration.epsilon)

    def check_settings(self):
        super().check_settings()
        if self.dtype != "float64":
            raise InputError(
                "Results for publication need dtype 'float64': rounding errors of single "
                "precision are not covered by the guarantee."
            )
        if self.resampled:
            raise InputError(
                "Results for publication need resampled=False: what is drawn again in each step "
                "depends on the numbers of users, which change when another one joins."
            )
        if self.user_regularization < LEAST_REGULARIZATION:
            raise InputError(
                f"user_regularization must be at least {LEAST_REGULARIZATION:g}, or rounding "
                f"errors void the guarantee; got {self.user_regularization:g}."
            )
        smallest = min(part.share for part in self.plan.values())
        if smallest < LEAST_SHARE:
            raise InputError(
                f"Every release for publication needs at least the share {LEAST_SHARE:g} of the "
                f"budget, or rounding errors void the guarantee; the smallest is {smallest:.2g}."
            )

    def _fit(self, ratings, statistics, randomness, callback):
        n_items = ratings.n_items
        wanted = self.item_share * n_items
        kept = max(1, math.ceil(wanted - 1e-9) if self.literal else round(wanted))
        if self.rank > kept:
            raise InputError(f"rank must be at most {kept}, the number of items with factors.")
        released = ItemStatistics(
            statistics.ledger, self.bounds, self.plan, value_bound=self.value_bound,
            row_bound=self.row_bound, triangles=self.literal, threads=self.threads,
        )  # fmt: skip
        self.claimed_epsilon_ = self.epsilon
        counts, mean = self._popularity(ratings, released, randomness)
        frequent = np.sort(np.argsort(-counts, kind="stable")[:kept])
        self.frequent_ = np.bincount(frequent, minlength=n_items) > 0
        own = ratings.by_user.clipped(*self.rating_range)
        self.user_means_ = own.means(mean)
        constant = 0.0 if self.centring == "none" else mean
        self.item_offsets_ = np.full(n_items, constant)
        self.user_offsets_ = (self.user_means_ - constant) * (self.centring == "user")
        own = own.columns(frequent, n_items).minus(rows=constant + self.user_offsets_)
        own = own.astype(self.dtype)
        counted = self._choose(own, counts, frequent, randomness)
        self._strengths = self._regularization(counts[frequent])
        factors = self._first_rows(counted, kept, released, randomness)

        # where nobody has more than k ratings, another draw is the same
        anew = self.resampled and own.sizes.max(initial=0) > self.ratings_per_user

        def samples():
            yield counted
            for _ in range(1, self.iterations):
                yield self._choose(own, counts, frequent, randomness) if anew else counted

        steps = self._alternate(own, samples(), factors, released, statistics.noise, randomness)
        for iteration, (self.user_factors_, found) in enumerate(steps, start=1):
            self.item_factors_ = self._of_all_items(found)
            if callback is not None:
                callback(iteration, self)

    def _popularity(self, ratings, released, randomness):
        """Return noised numbers of ratings of the items (zeros if nobody asks) and the mean."""
        counts, mean = np.zeros(ratings.n_items), 0.0
        if self.counts_share or self.mean_share:
            sample = self._chosen(ratings, randomness)
            if self.counts_share:
                counts = released.counts(sample, ratings.n_items)
            if self.mean_share:
                mean = released.mean(sample)
        return counts, self.centre + mean

    def _choose(self, own, counts, frequent, randomness):
        """Return the ratings that count for the items, bounded, and their weights, or None."""
        chosen, weights, k = own, None, self.ratings_per_user
        if self.sampling == "adaptive":
            chosen = choose_rare(own, k, counts[frequent])
        elif self.sampling == "weights":
            weights = weigh_rare(own, k, counts[frequent], self.weight_exponent)
        else:
            chosen = randomness.choose(own, k, frequent)
        return clip_values(chosen, self.value_bound, self.row_bound, weights), weights

    def _regularization(self, counts):
        """Return lambda of each item, in units of the noise on its matrix."""
        if not self.regularization_exponent:
            return self.item_regularization
        counts = np.maximum(counts, 1) + 1
        multiples = counts**self.regularization_exponent
        return self.item_regularization * multiples * counts.sum() / (counts @ multiples)

    def _first_rows(self, counted, kept, released, randomness):
        """Return V_0, shape (kept, rank)."""
        if self.start != "analyze_gauss":
            return randomness.rng.standard_normal((kept, self.rank))
        chosen, weights = counted
        return top_eigenvectors(released.covariance(chosen, kept, weights), self.rank)[1]

    def _alternate(self, own, samples, factors, released, noise, randomness):
        """Yield (user rows, item rows) of each iteration, for each of the samples that count.

        A sample is ratings and their weights, or None.
        """
        n_items = len(factors)
        noised = self.gram == "noised"
        size = n_items**-0.5 if self.literal else 1.0
        design = balance(factors, size)
        users = self._users(self._part(own, randomness), design)
        counted, by_item = None, None
        for chosen, weights in samples:
            if noised and self.dtype == "float32" and chosen is not counted:
                counted, by_item = chosen, transposed(chosen, n_items)
            bound = self.factor_bound * (1 - margin(self.dtype))
            clipped = clip_rows(users.astype(float), bound, 2).astype(self.dtype)
            grams, factors = released.sums(chosen, by_item, clipped, n_items, weights)
            if self.global_penalty:
                grams += self.global_penalty * released.global_gram(clipped)
            factors = self._solve_items(grams, factors, noise)
            design = balance(factors, size)
            users = self._users(self._part(own, randomness), design)
            yield users, design

    def _solve_items(self, grams, targets, noise):
        """Return the rows of the items, given their noised sums; ``grams`` may be None."""
        if grams is None:
            return targets
        solve = solve_items_as_published if self.literal else solve_items
        strengths = self._strengths * self._unit(noise)
        return solve(grams, targets, strengths, projection=self.projection)

    def _unit(self, noise):
        """Return the standard deviation of the noise on the diagonal of H."""
        return noise * self.plan["gram"].sensitivity * self.plan["gram"].weight

    def _part(self, own, randomness):
        """Return the ratings that users fit in one step."""
        if not self.resampled:
            return own
        return choose_part(own, self.iterations, int(randomness.rng.integers(2**63)))

    def fold_in(self, rows: Compressed) -> np.ndarray:
        """Return the factors of other users, from their ratings less their offsets."""
        return self._users(rows.astype(self.dtype), self.item_factors_)

    def _users(self, own, design):
        design = design.astype(self.dtype)
        base = self.global_penalty * (design.T @ design) if self.global_penalty else None
        return solve_rows(own, design, self.user_regularization, base=base, threads=self.threads)


def check_options(model) -> None:
    """Raise InputError for options that contradict each other or spend budget to no use.

    ``model`` is a DPALS; each of its options alone is already known to be in its range.
    """
    uneven = model.sampling != "uniform" or model.regularization_exponent > 0
    counted = model.item_share < 1 or uneven
    if counted and not model.counts_share:
        raise InputError(
            "item_share below 1, regularization_exponent above 0 and sampling other than uniform "
            "go by the numbers of ratings of the items, which are not public: give counts_share, a "
            "share of the budget such as 0.05."
        )
    if model.counts_share and not counted:
        raise InputError(
            "counts_share pays for nothing: without item_share below 1, regularization_exponent "
            "above 0 or sampling other than uniform nobody asks how many ratings an item has."
        )
    if model.regularization_exponent and (model.literal or model.gram == "free"):
        raise InputError(
            "regularization_exponent weighs the regularization of items, which literal adds before "
            "the projection and gram 'free' does without: set it to 0."
        )
    if model.sampling == "weights" and model.resampled:
        raise InputError("With sampling 'weights' all ratings count: resampled draws nothing.")
    if model.mean_share and model.centring == "none":
        raise InputError("mean_share pays for nothing without centring: set it to 0.")
    if model.start == "analyze_gauss" and not model.start_share:
        raise InputError("start_share must be above 0 for the start 'analyze_gauss'.")
    if model.gram == "free" and (model.literal or model.global_penalty or not model.projection):
        raise InputError(
            "gram 'free' has no matrix H: it does not go with literal, global_penalty or "
            "projection=False."
        )
    if model.literal and model.global_penalty:
        raise InputError("literal does not go with global_penalty, which came later.")

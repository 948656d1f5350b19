"""Lower bounds on epsilon from samples, each right with a stated confidence.

An (epsilon, delta)-private mechanism satisfies P(E) <= exp(epsilon) Q(E) + delta for every event E,
P and Q the laws of its output on neighbouring data, and the same with P and Q exchanged. So any
event, with a lower confidence bound on one probability and an upper one on the other, bounds
epsilon from below. See Ding, Wang, Wang, Zhang and Kifer, "Detecting violations of differential
privacy" (CCS 2018), and Jagielski, Ullman and Oprea, "Auditing differentially private machine
learning" (NeurIPS 2020), which uses the Clopper-Pearson intervals that are used here.
"""

import numpy as np

BINS = 120
THRESHOLDS = 500
DIGITS = 6
"""Decimals of losses: those of Huber noise have atoms, which rounding errors would split."""


def threshold_bound(
    first: np.ndarray, second: np.ndarray, *, delta: float, confidence: float
) -> float:
    """Bound epsilon from below by an event {loss >= t} or {loss <= t}.

    ``first`` and ``second``, shapes (n,) and (m,), are privacy losses log p/q of outputs that were
    drawn from p and from q. The first half of each chooses the event, the second half tests it. The
    bound is at least 0, and exceeds the true epsilon with at most 1 - confidence, whatever p and q
    are.
    """
    first, second = (np.round(losses, DIGITS) for losses in (first, second))
    chosen, tests = zip(*(_halves(losses) for losses in (first, second)), strict=True)
    thresholds = np.quantile(np.concatenate(chosen), np.linspace(0, 1, THRESHOLDS), method="lower")
    thresholds = np.unique(thresholds)
    tail = (1 - confidence) / 2
    best = int(np.argmax(_both_directions(*chosen, thresholds, delta, tail)))
    bounds = _both_directions(*tests, thresholds, delta, tail)
    return max(float(bounds[best]), 0.0)


def histogram_bound(
    first: np.ndarray, second: np.ndarray, *, delta: float, confidence: float
) -> float:
    """Bound epsilon from below by bins of the outputs themselves.

    It needs no density, so it also catches a sampler that does not draw from its density. The
    first tenth of the outputs makes bins, equally full, and puts them into the order of their
    likelihood ratio. The rest tests the union of the first 1, 2, ... of them, and of the last, each
    with its share of 1 - confidence (Bonferroni).
    """
    both = first, second
    pilots = [outputs[: outputs.size // 10] for outputs in both]
    inner = np.quantile(np.concatenate(pilots), np.linspace(0, 1, BINS + 1)[1:-1])
    guess = [_bin_counts(pilot, inner) + 0.5 for pilot in pilots]
    order = np.argsort(guess[1] / guess[0], kind="stable")
    rest = [outputs[pilot.size :] for outputs, pilot in zip(both, pilots, strict=True)]
    counts = [_bin_counts(outputs, inner)[order] for outputs in rest]
    tail = (1 - confidence) / (2 * 2 * BINS)
    (n, m), (size, other) = counts, (rest[0].size, rest[1].size)
    bounds = [
        _bound(np.cumsum(n), size, np.cumsum(m), other, delta, tail),
        _bound(np.cumsum(m[::-1]), other, np.cumsum(n[::-1]), size, delta, tail),
    ]
    return max(float(np.max(bounds)), 0.0)


def loss_bound(first: np.ndarray, second: np.ndarray, *, delta: float, confidence: float) -> float:
    """Bound epsilon from below by the hockey-stick divergence E[(1 - exp(epsilon - loss))_+].

    That is the smallest delta at an epsilon, exactly, if the losses are. So it uses more of them
    than an event does, but believes the density by which they were computed. Its mean is bounded
    for all epsilon at once (Massart, "The tight constant in the Dvoretzky-Kiefer-Wolfowitz
    inequality", Annals of Probability 18, 1990): the largest losses, a share of
    sqrt(log(1/tail)/(2 n)), are left out. What is given is as for :func:`threshold_bound`.
    """
    tail = (1 - confidence) / 2
    return max(_divergence_bound(losses, delta, tail) for losses in (first, -second))


def fit_of_sample(sample: np.ndarray, cdf) -> float:
    """Return the p-value of the two-sided Kolmogorov-Smirnov test against a continuous law.

    The asymptotic law of the distance is used: the sample has at least a few hundred numbers.
    """
    from scipy.special import kolmogorov

    expected = cdf(np.sort(sample))
    steps = np.arange(sample.size + 1) / sample.size
    distance = max((steps[1:] - expected).max(), (expected - steps[:-1]).max())
    return float(kolmogorov(np.sqrt(sample.size) * distance))


def independence(noise: np.ndarray, cdf) -> float:
    """Return a p-value of the noise of several releases being independent, and of its own size.

    By its law each number is turned into a standard normal one. Their sum over the releases, over
    the root of their number, is then standard normal too, so that the squares of such sums add up
    to a chi-squared number. It is too large if noise is used twice, and too small if noise is
    smaller than it should be; both sides count. ``noise``, shape (n, releases, ...), is n times the
    noise of some releases, of some coordinates each; ``cdf`` is that of each number.
    """
    from scipy.special import chdtr, chdtrc, ndtri

    sums = ndtri(cdf(noise)).sum(axis=1) / np.sqrt(noise.shape[1])
    total = float(np.square(sums).sum())
    return float(min(1.0, 2 * min(chdtr(sums.size, total), chdtrc(sums.size, total))))


def clopper_pearson(counts, size, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Return exact lower and upper confidence bounds of binomial probabilities.

    ``counts`` is how often it happened in ``size`` trials, ``tail`` the probability with which each
    of the two bounds fails at most. Source: Clopper and Pearson, "The use of confidence or fiducial
    limits illustrated in the case of the binomial", Biometrika 26 (1934).
    """
    from scipy.special import betainccinv, betaincinv

    counts = np.asarray(counts, dtype=float)
    with np.errstate(invalid="ignore"):
        lower = np.where(counts > 0, betaincinv(counts, size - counts + 1, tail), 0.0)
        upper = np.where(counts < size, betainccinv(counts + 1, size - counts, tail), 1.0)
    return lower, upper


def _divergence_bound(losses, delta, tail):
    """The epsilon at which the divergence without the largest losses is delta, by bisection."""
    left_out = np.sqrt(np.log(1 / tail) / (2 * losses.size))
    kept = np.sort(losses)[: int(losses.size * (1 - left_out))]

    def divergence(epsilon):
        return -np.expm1(np.minimum(epsilon - kept, 0)).sum() / losses.size

    if kept.size == 0 or divergence(0.0) <= delta:
        return 0.0
    low, high = 0.0, float(kept[-1])
    while low < (middle := (low + high) / 2) < high and high - low > 1e-9:
        if divergence(middle) > delta:
            low = middle
        else:
            high = middle
    return low


def _halves(losses):
    return losses[: losses.size // 2], losses[losses.size // 2 :]


def _bin_counts(outputs, inner):
    return np.bincount(np.searchsorted(inner, outputs, side="right"), minlength=BINS)


def _both_directions(first, second, thresholds, delta, tail):
    """Bounds by {loss >= t} for all t, then by {loss <= t} with the laws exchanged."""
    first, second = np.sort(first), np.sort(second)
    sizes = first.size, second.size
    below = [np.searchsorted(losses, thresholds, side="left") for losses in (first, second)]
    upto = [np.searchsorted(losses, thresholds, side="right") for losses in (first, second)]
    above = [size - count for size, count in zip(sizes, below, strict=True)]
    return np.concatenate(
        [
            _bound(above[0], sizes[0], above[1], sizes[1], delta, tail),
            _bound(upto[1], sizes[1], upto[0], sizes[0], delta, tail),
        ]
    )


def _bound(count, size, other_count, other_size, delta, tail):
    lower, _ = clopper_pearson(count, size, tail)
    _, upper = clopper_pearson(other_count, other_size, tail)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(lower > delta, np.log((lower - delta) / upper), -np.inf)

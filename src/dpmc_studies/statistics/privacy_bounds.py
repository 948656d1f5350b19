"""Lower bounds on epsilon from samples, each valid with a stated confidence.

Let P and Q be the distributions of a mechanism's output on neighbouring data. If the mechanism is
(epsilon, delta)-private, then P(E) <= exp(epsilon) Q(E) + delta for every event E, and the same
with P and Q exchanged. A lower confidence bound on one probability and an upper one on the other
therefore give a lower bound on epsilon. See Ding, Wang, Wang, Zhang and Kifer, "Detecting
violations of differential privacy" (CCS 2018), and Jagielski, Ullman and Oprea, "Auditing
differentially private machine learning" (NeurIPS 2020), also for the Clopper-Pearson intervals.
"""

import numpy as np

BINS = 120
THRESHOLDS = 500
DIGITS = 6
"""Decimals of losses. Losses of Huber noise have atoms, which rounding errors would split."""


def threshold_bound(
    first: np.ndarray, second: np.ndarray, *, delta: float, confidence: float
) -> float:
    """Bound epsilon from below by an event {loss >= t} or {loss <= t}.

    ``first`` and ``second``, shapes (n,) and (m,), are privacy losses log p/q of random outputs
    from p and from q. The first half of each sample chooses the event, the second half tests it.
    The bound is at least 0 and exceeds the true epsilon with probability at most 1 - confidence.
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
    """Bound epsilon from below by a histogram of the outputs.

    It needs no density, so it also detects a sampler that does not follow its density. The first
    tenth of the outputs defines bins of equal counts and orders them by likelihood ratio. The rest
    tests the unions of the first 1, 2, ... bins, and of the last 1, 2, ... bins. Each union gets
    its share of 1 - confidence (Bonferroni).
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

    If the losses are exact, the divergence is the smallest delta at an epsilon. It uses more of the
    losses than an event does, but relies on the density behind them. With the largest losses left
    out, a share of sqrt(log(1/tail)/(2 n)), the mean bounds it from below for all epsilon at once
    (Massart, "The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality", Annals of
    Probability 18, 1990). Parameters are those of :func:`threshold_bound`.
    """
    tail = (1 - confidence) / 2
    return max(_divergence_bound(losses, delta, tail) for losses in (first, -second))


def fit_of_sample(sample: np.ndarray, cdf) -> float:
    """Return the p-value of the two-sided Kolmogorov-Smirnov test against a distribution.

    The distribution is continuous, and the sample large enough (some hundreds) for asymptotics.
    """
    from scipy.special import kolmogorov

    expected = cdf(np.sort(sample))
    steps = np.arange(sample.size + 1) / sample.size
    distance = max((steps[1:] - expected).max(), (expected - steps[:-1]).max())
    return float(kolmogorov(np.sqrt(sample.size) * distance))


def independence(noise: np.ndarray, cdf) -> float:
    """Return a p-value for independent noise in several releases, of the stated size.

    ``cdf``, the distribution function of each number, turns each number into a standard normal one.
    The sum over the releases, divided by the square root of their number, is then standard normal
    too, and the sum of squares of such sums is chi-squared. Reused noise makes it too large, and
    noise below its stated size too small; the test is two-sided. ``noise``, shape (n, releases,
    ...), holds n repeats of the noise of all releases.
    """
    from scipy.special import chdtr, chdtrc, ndtri

    sums = ndtri(cdf(noise)).sum(axis=1) / np.sqrt(noise.shape[1])
    total = float(np.square(sums).sum())
    return float(min(1.0, 2 * min(chdtr(sums.size, total), chdtrc(sums.size, total))))


def clopper_pearson(counts, size, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Return exact lower and upper confidence bounds of binomial probabilities.

    ``counts`` are the successes in ``size`` trials. Each of the two bounds fails with at most the
    probability ``tail``. Source: Clopper and Pearson, "The use of confidence or fiducial limits
    illustrated in the case of the binomial", Biometrika 26 (1934).
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

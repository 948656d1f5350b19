"""Local Bayes in plain NumPy, written from docs/local_bayes.md alone and without sight of the code.

It holds a dense table of users by items and is for small tables: relation ``user_add_remove``, no
features, no ratings held out. Symbols are the page's; numbers are those of its table of constants.
"""

import copy
from types import SimpleNamespace

import numpy as np
from numpy.linalg import inv, norm, solve
from scipy.optimize import brentq
from scipy.special import erfcx, log_ndtr, ndtr
from scipy.stats import norm as normal

SCALE_SHARE, OFFSETS_SHARE, DIRECTIONS_SHARE, CHECK_SHARE = 0.03, 0.14, 0.25, 0.01
STEPS, GROWTH, FALLING, MOST_STEPS, FULL, CAP, BINS = 5, 1.5, 0.8, 12, 5, 200, 14
LEVEL_UNIT, COUNTED, COUNTED_AGAIN, GRAM_BOUND, SPREAD_UNIT, EXCESS = 0.2, 0.6, 0.2, 0.2, 0.15, 3


def gaussian_mu(epsilon, delta):
    def above(mu):
        second = np.exp(epsilon + log_ndtr(-epsilon / mu - mu / 2))
        return ndtr(-epsilon / mu + mu / 2) - second - delta

    return brentq(above, 1e-6, 100, xtol=1e-14)


def model_of(beliefs, s, at):  # MODEL, of offsets that are centred
    p = 1 / (s**2 + beliefs.D.sum(1))
    told = (np.clip(beliefs.own, 0, 1) * beliefs.D).sum(1) / s**2
    few = (beliefs.est.shape[1] - 1) / np.maximum(at.T * at.pi, 1)
    leverage = np.minimum(np.minimum(told, few), 0.95)
    return SimpleNamespace(b=at.xbar + beliefs.est[:, 0], v=beliefs.est[:, 1:], p=p, lev=leverage)


def users_step(model, x, rated):  # USER: every user's mean and covariance
    d = model.v.shape[1]
    products = (model.p[:, None, None] * model.v[:, :, None] * model.v[:, None]).reshape(-1, d * d)
    cov = inv(np.eye(d) + (rated @ products).reshape(-1, d, d))
    pull = (rated * model.p * (x - model.b)) @ model.v
    return (cov @ pull[:, :, None])[:, :, 0], cov


def leave_one_out(model, x, rated):
    f, cov = users_step(model, x, rated)
    spread = model.v @ cov
    eta = rated * model.p * (spread * model.v).sum(2)
    e = rated * (x - model.b - f @ model.v.T) / (1 - eta)
    return e, rated * model.p * (1 - eta), f[:, None] - (model.p * e)[:, :, None] * spread


def posterior(beliefs):
    cov = inv(beliefs.info + np.eye(beliefs.tau2.size) / (beliefs.tau2 * beliefs.wide)[:, None])
    pull = beliefs.pull + beliefs.m / (beliefs.tau2 * beliefs.wide)
    beliefs.est, beliefs.D = np.einsum("jik,jk->ji", cov, pull), diagonals(cov)


def diagonals(matrices):
    return np.diagonal(matrices, axis1=1, axis2=2)


def symmetric(matrices):
    return (matrices + np.swapaxes(matrices, -1, -2)) / 2


def learn(beliefs, at):  # LEARN
    log_pi, q = np.log(at.pi), beliefs.tau2.size
    beliefs.wide = np.ones((log_pi.size, q))
    beliefs.wide[:, 0] = np.exp(np.clip(0.3 * (at.pi @ log_pi - log_pi), -1.5, 1.5))
    part = beliefs.S @ inv(beliefs.S + beliefs.P)
    beliefs.own, beliefs.info = 1 - diagonals(part), symmetric(part @ beliefs.P)
    beliefs.pull = np.einsum("jik,jk->ji", part, beliefs.h)
    posterior(beliefs)
    known = np.clip(1 - beliefs.D[:, 0] / (beliefs.tau2[0] * beliefs.wide[:, 0]), 1e-6, 1)
    order = np.argsort(log_pi)
    running = np.cumsum(known[order])
    z = np.maximum(log_pi, log_pi[order][np.searchsorted(running, 0.05 * running[-1])])
    z = z - z.mean()
    for _ in range(15):
        learnt = np.clip(1 - beliefs.D / (beliefs.tau2 * beliefs.wide), 1e-6, 1)
        move, k = beliefs.est - beliefs.m, learnt[:, 0]
        phi = beliefs.tau2[0] / (0.2 * at.t) ** 2
        left = [[1e-9 + k.sum(), k @ z], [k @ z, phi + k @ z**2]]
        right = [move[:, 0].sum(), z @ move[:, 0] - phi * beliefs.line[1]]
        beliefs.line = beliefs.line + solve(left, right)
        psi, mean = beliefs.tau2[1] / (0.5 * at.lam) ** 2, beliefs.m[0, 1]
        mean += (move[:, 1].sum() + psi * (at.lam - mean)) / (learnt[:, 1].sum() + psi)
        beliefs.m = np.zeros((z.size, q))
        beliefs.m[:, 0], beliefs.m[:, 1] = beliefs.line[0] + beliefs.line[1] * z, mean
        squares = ((beliefs.est - beliefs.m) ** 2 + beliefs.D) / beliefs.wide
        beliefs.tau2 = np.maximum((learnt * squares).sum(0) / learnt.sum(0), beliefs.least)
        posterior(beliefs)


def counts(y, sigma):  # COUNTS
    most = max(y.max() / sigma, 16)
    means = np.geomspace(0.001, most, 24)
    o = np.concatenate([np.linspace(-8, 8, 801), np.geomspace(8, most, 400)])[:, None]
    log_l = -np.log(means) - o / means + 0.5 / means**2 + log_ndtr(o - 1 / means)
    like = np.exp(log_l - log_l.max(1, keepdims=True))
    place = np.maximum(np.searchsorted(o[:, 0], y / sigma) - 1, 0)
    r = np.full(24, 1 / 24)
    for _ in range(200):
        share = r * like[place]
        r = ((share / share.sum(1, keepdims=True)).sum(0) + 1 / 24) / (y.size + 1)
    around = np.maximum(o - 1 / means, -1000)
    mean = around + np.sqrt(2 / np.pi) / erfcx(-around / np.sqrt(2))
    square, far = 1 + around * mean, o - 1 / means < -1000
    mean[far], square[far] = (-1 / (o - 1 / means))[far], (2 / (o - 1 / means) ** 2)[far]
    share = r * like / (r * like).sum(1, keepdims=True)
    mean, square = (share * mean).sum(1), (share * square).sum(1)
    mean, variance = (np.interp(y / sigma, o[:, 0], a) for a in (mean, square - mean**2))
    return np.maximum(mean, 1e-12) * sigma, variance * sigma**2


def shares(y, sigma):  # SHARES
    mean, variance = counts(y, sigma)
    return mean / mean.sum(), variance / mean**2


def release(at, bound, share, *totals, matrix=None):  # sigma, and the sums with noise
    sigma = bound / (at.mu * np.sqrt(share))
    read = [total + sigma * at.rng.standard_normal(np.shape(total)) for total in totals]
    if matrix is not None:
        read.append(matrix + sigma * symmetric(at.rng.standard_normal(matrix.shape)))
    return sigma, *read


def scale(x, rated, at):  # 1. Scale
    n, half = rated.sum(1), at.half
    own, g = x.sum(1) / n, np.maximum(n - 1, 1).astype(int)
    z = np.sqrt((rated * (x - own[:, None]) ** 2).sum(1) / g)
    z = np.where(z < 1e-12 * half, 0, z)  # rounding of the mean
    log_means = np.array([-1.83, -0.83, -0.53, -0.39, 0])[np.minimum(g, 5) - 1]
    bins = np.floor(2 * np.log2(np.maximum(z / half, 1e-9)) - log_means + BINS)
    weight = np.where((n < FULL) & (z == 0), 0, np.clip((n - 1) / (FULL - 1), 0, 1))
    hist = np.bincount(np.clip(bins, 0, BINS - 1).astype(int), weight, BINS)
    k = np.minimum(1, n / FULL)
    means, users, ratings = k @ np.clip(own / half, -1, 1), k.sum(), np.minimum(1, n / CAP).sum()
    sigma, hist, y1, y2, y3 = release(at, 2, SCALE_SHARE, hist, means, users, ratings)
    at.N = max(y2, sigma, 1)
    if hist[1:].sum() > max(0.03 * at.N, 3 * sigma * np.sqrt(BINS - 1)):
        hist[0] = 0
    z = np.arange(0, 13.125, 0.25)
    log_weight = -((z - BINS - 2 * np.log2(0.4)) ** 2) / (2 * 2**2)
    match = normal.pdf(np.arange(BINS), z[:, None], 0.8) @ hist
    log_weight += np.clip(hist.sum(), 0, at.N) * match / sigma**2
    z = np.average(z, weights=np.exp(log_weight - log_weight.max()))
    at.t = half * 2 ** ((z + 0.5 - BINS) / 2)
    at.xbar = half * np.clip(y1 * at.N / (at.N**2 + (sigma / 0.3) ** 2), -1, 1)
    at.V = half**2 / (0.3**-2 + (at.N / sigma) ** 2)
    at.T = np.clip(CAP * y3, FULL * at.N, CAP * at.N)


def offsets(x, rated, at):  # 2. Offsets
    n, t, rho = rated.sum(1), at.t, 0.5**2 + at.V / at.t**2
    e = rated * (x - at.xbar)
    own, within = e.sum(1) / n, (rated * (e - (e.sum(1) / n)[:, None]) ** 2).sum(1)
    e -= (rho / (1 + rho * (n - 1)))[:, None] * rated * (e.sum(1)[:, None] - e)
    length = np.sqrt((e**2).sum(1) + n * (COUNTED * t) ** 2)
    kappa = 1 / np.maximum(length, 5 * t * np.sqrt(1 + COUNTED**2))
    level = np.clip((own**2 - within / (n * np.maximum(n - 1, 1))) / t**2, -1, 1)
    level = LEVEL_UNIT * ((n > 1) * np.minimum(1, n / FULL)) @ level
    sums, bound = (kappa @ e, kappa * COUNTED * t @ rated, level), np.sqrt(1 + LEVEL_UNIT**2)
    sigma, X, Y, y = release(at, bound, OFFSETS_SHARE, *sums)
    L = np.log(0.05**2) + np.arange(400) * 0.05
    A, u = L - np.log(rho), np.exp(-L / 2)
    M = np.exp(L) * (1 - 2 * ndtr(-u) - 2 * u * normal.pdf(u)) + 2 * ndtr(-u)
    prior = np.exp(-(A**2) / (2 * 0.6**2)) + 0.02 * np.exp(-(A**2) / (2 * 4**2))
    log_weight = np.log(prior) - ((y - LEVEL_UNIT * at.N * M) / sigma) ** 2 / 2
    at.lam = t * np.exp(np.average(L, weights=np.exp(log_weight - log_weight.max())) / 2)
    at.pi, at.nu = shares(Y, sigma)
    total = counts(Y, sigma)[0].sum()
    at.seen = [(Y / total, (total / sigma) ** 2)]  # what was observed of pi, and its precision
    tau2, w = np.array([0.1 * t**2, (0.1 * max(at.lam, 0.2 * t)) ** 2]), at.pi * total / COUNTED / t
    P, S = np.zeros((2, w.size, 2, 2))
    P[:, 0, 0] = w**2 / (sigma**2 + at.nu * w**2 * tau2[0])
    h = np.stack([w * X / (sigma**2 + at.nu * w**2 * tau2[0]), 0 * w], 1)
    S[:, 0, 0], S[:, 1, 1] = w / (w.sum() / at.T * t**2), 1e12 / tau2[1]
    m = np.tile([0, at.lam], (w.size, 1))
    beliefs = SimpleNamespace(P=P, h=h, S=S, tau2=tau2, least=1e-6 * tau2, m=m, line=np.zeros(2))
    learn(beliefs, at)
    return beliefs


def worth_it(sigma, at):  # the items K of step 3
    most, ranked, best = min(at.pi.size, 1200), np.argsort(-at.pi), (0.03, [])
    for z in np.unique(np.round(np.geomspace(min(12, most), most, 40)).astype(int)):
        _, d = in_units(at.T * at.pi[ranked[:z]], sigma, at)
        ratio = 0.1 * at.t**2 * (d**2).sum() / (2 * np.sqrt(z))
        told = at.pi[ranked[:z]].sum() * (1 - max(ratio, 1) ** -2)
        best = max(best, (told, ranked[:z]), key=lambda pair: pair[0])
    return best[1]


def in_units(n, sigma, at):
    c = (sigma / np.sqrt(2) + np.sqrt(at.N) * n / n.sum()) ** -0.5
    return c, c * n / np.sqrt(at.t**2 * n.sum())


def directions(x, rated, biases, beliefs, K, at):  # 3. Directions
    f, n, z = users_step(biases, x, rated)[0], at.T * at.pi[K], len(K)
    row = (rated * (x - biases.b - f @ biases.v.T))[:, K]
    row /= np.maximum(norm(row, axis=1), at.t)[:, None]
    sigma, G = release(at, 1, DIRECTIONS_SHARE, matrix=row.T @ row)
    c, d = in_units(n, sigma, at)
    G, A = c[:, None] * c * G, (c**2).mean() ** 2 * sigma**2 / 2
    B = at.N * (c**2 * n / n.sum()).mean() ** 2
    edge = 2 * np.sqrt(z * (A + B)) * (1 + (B / (A + B)) ** 1.5 * np.sqrt(z / at.N) / 2)
    diagonal = np.zeros(z)
    for _ in range(6):
        G[np.diag_indices(z)] = diagonal
        values, u = (part[..., ::-1][..., :12] for part in np.linalg.eigh(G))
        u = u[:, values > (1 - 1.2 * z ** (-2 / 3)) * edge]
        size = np.maximum(values[: u.shape[1]], 1.02 * edge)
        clear = (size + np.sqrt(size**2 - edge**2)) / 2
        cos2 = 1 - (edge / (2 * clear)) ** 2
        diagonal = u**2 @ (clear * cos2)
    o, w = u * np.sqrt(clear / cos2) / d[:, None], d[:, None] ** 2 * z / (clear * (1 / cos2 - 1))
    tau2 = np.maximum((w * (o**2 - 1 / w)).sum(0) / w.sum(0), 1e-3 * (o**2).max(0, initial=0))
    wider = [(0, 0), (0, clear.size)]
    for name in ("P", "S"):
        setattr(beliefs, name, np.pad(getattr(beliefs, name), [*wider, wider[1]]))
    beliefs.h, beliefs.m = np.pad(beliefs.h, wider), np.pad(beliefs.m, wider)
    for i in range(clear.size):
        beliefs.P[K, 2 + i, 2 + i], beliefs.h[K, 2 + i] = w[:, i], w[:, i] * o[:, i]
        beliefs.S[:, 2 + i, 2 + i] = 1e12 / tau2[i]
    beliefs.tau2 = np.concatenate([beliefs.tau2, tau2])
    beliefs.least = np.concatenate([beliefs.least, 1e-6 * tau2])
    learn(beliefs, at)


def step(x, rated, beliefs, s, caution, share, at):  # 4. Refinement: one step
    q, pi, est, D = beliefs.tau2.size, at.pi, beliefs.est, beliefs.D
    left = np.sqrt(pi @ D)
    a = np.maximum(left / left.max(), 0.5) if s >= 0.3 * at.t else np.ones(q)
    unit = GRAM_BOUND * s / (norm(a) * np.sqrt(CAP))
    counted = COUNTED_AGAIN * s * np.sqrt(min(pi @ at.nu, 1))
    model = model_of(beliefs, s, at)
    e, W, f = leave_one_out(model, x, rated)
    g = a * np.concatenate([np.ones((*x.shape, 1)), f], 2)
    length = np.sqrt(((g**2).sum(2) * (W * e) ** 2 + (counted * W) ** 2).sum(1))
    kappa = 1 / np.maximum(length, 2 / s)
    rows = np.einsum("uj,ujk->jk", kappa[:, None] * W * e, g)
    grams = (kappa * unit)[:, None, None] * (np.swapaxes(g * W[:, :, None], 1, 2) @ g)
    grams /= np.maximum(norm(grams, axis=(1, 2)) / GRAM_BOUND, 1)[:, None, None]
    F = rated @ np.maximum(1 - 2 * model.lev * s**2 * model.p, 0.001)
    spread = np.minimum(1, F / FULL) @ np.minimum(((W * e**2).sum(1) / F - 1) / EXCESS, 1)
    sums, bound = (rows, counted * kappa @ W, SPREAD_UNIT * spread), 1 + GRAM_BOUND**2
    bound = np.sqrt(bound + SPREAD_UNIT**2)
    sigma, Z, Y, y, G = release(at, bound, share, *sums, matrix=grams.sum(0))
    values, vectors = np.linalg.eigh(G)
    G = vectors * np.maximum(values, max(0.02 * values[-1], 3 * sigma)) @ vectors.T / unit
    if counted > 0:
        seen = G[0, 0] / a[0] ** 2
        A, B = sigma**2 * pi.size / counted**2, (sigma / unit / a[0] ** 2) ** 2 + (0.2 * seen) ** 2
        total = max((Y.sum() / counted * B + seen * A) / (A + B), seen / 2)
        G *= total / seen
        at.seen.append((Y / (total * counted), (total * counted / sigma) ** 2))
        precision = sum(sure for _, sure in at.seen)
        at.pi, at.nu = shares(sum(y * k for y, k in at.seen) / precision, precision**-0.5)
    H = caution * at.pi[:, None, None] * G
    w = s**2 * np.trace(G) / ((a @ a) * at.T)
    Q = sigma**2 * np.eye(q) + at.nu[:, None, None] * (H * (D / a**2)[:, None]) @ H
    R = symmetric(H @ solve(Q, H)) / np.outer(a, a)
    now = est + a * solve(H, Z[:, :, None])[:, :, 0]
    after = copy.copy(beliefs)
    after.S = H / (w * np.outer(a, a))
    old, new = (inv(P + np.diag(1e-6 / beliefs.tau2)) for P in (beliefs.P, R))  # DISCOUNT
    was = np.einsum("jik,jk->ji", old, beliefs.h)
    old, new = diagonals(old), diagonals(new)
    u = (old < 100 * beliefs.tau2) / (old + new + beliefs.tau2) ** 2
    more = np.maximum((u * ((now - was) ** 2 - old - new)).sum(0), 0)
    extra = np.divide(more, u.sum(0), out=np.zeros(q), where=u.sum(0) > 0)
    less = inv(np.eye(q) + beliefs.P * extra)
    after.P = symmetric(less @ beliefs.P) + R
    after.h = np.einsum("jik,jk->ji", less, beliefs.h) + np.einsum("jik,jk->ji", R, now)
    learn(after, at)
    se = EXCESS * sigma / (2 * SPREAD_UNIT * at.N)
    gain = 1 / (1 + (se / 0.3) ** 2)
    grown = np.sqrt(max(1 + gain * EXCESS * y / (SPREAD_UNIT * at.N), 0))
    new_s = s * np.clip(grown, 1 / np.e, np.e)
    new_s = max(new_s, min(s, np.sqrt(0.3 * (at.pi @ after.D).sum())))
    return after, new_s, se, np.log(new_s) + np.log(pi @ (1 + D.sum(1) / s**2)) / 2


def refine(x, rated, beliefs, rest, at):  # 4. Refinement: all steps, each with its guard
    s2 = at.t**2 - beliefs.tau2[0] - (at.pi @ beliefs.est[:, 2:] ** 2).sum()
    s, done, planned, caution = np.sqrt(max(s2, 0.3 * at.t**2)), 0, STEPS, 1
    best, taken_back = None, False
    while planned > 0:
        before, share = s, rest / (GROWTH ** np.arange(planned)).sum()
        after, new, se, left = step(x, rated, beliefs, s, caution, share, at)
        rest, done, planned = rest - share, done + 1, planned - 1
        if taken_back:
            old, new_w = best.se**-2, se**-2
            best.left = (best.left * old + left * new_w) / (old + new_w)
            best.se, taken_back = (old + new_w) ** -0.5, False
        elif best is None or left <= best.left:
            if new <= 1.1 * s:
                best = SimpleNamespace(beliefs=beliefs, s=new, left=left, se=se)
        elif left > best.left + max(3 * np.hypot(se, best.se), 0.03):
            after, new, taken_back, caution = best.beliefs, best.s, True, 2 * caution
        beliefs, s = after, new
        if s < FALLING * before and planned > 0 and done + STEPS - 1 <= MOST_STEPS:
            planned = STEPS - 1
    return beliefs, s


def check(x, rated, models, at):  # 5. Check
    counting = rated * (models[0].lev <= 0.5)
    n, errors = counting.sum(1), []
    for model in models:
        e = leave_one_out(model, x, rated)[0]
        mean = (counting * (e / (1 - model.lev) / at.t) ** 2).sum(1) / np.maximum(n, 1)
        errors.append(np.minimum(mean, 1e6))
    k = np.sqrt(1 / 2) * np.minimum(1, n / FULL)
    worse = [k @ np.clip(errors[0] - error, -1, 1) for error in errors[1:]]
    sigma, worse = release(at, 1, CHECK_SHARE, np.array(worse))
    return models[1 + worse.argmax()] if worse.max() > 2.5 * sigma else models[0]


def fit(users, items, values, n_users, n_items, rating_range, epsilon, delta, rng):
    """Return a namespace with ``b`` (offsets), ``v`` (factors) and ``p`` (precisions) of items."""
    low, high = rating_range
    middle, half = (low + high) / 2, (high - low) / 2
    at = SimpleNamespace(mu=gaussian_mu(epsilon, delta), rng=rng, half=half)
    x, rated = table(users, items, np.clip(values, low, high) - middle, n_users, n_items)
    x, rated = x[rated.any(1)], rated[rated.any(1)]
    scale(x, rated, at)
    beliefs = offsets(x, rated, at)
    biases, rest = model_of(beliefs, at.t, at), 1 - SCALE_SHARE - OFFSETS_SHARE - CHECK_SHARE
    K = worth_it(1 / (at.mu * np.sqrt(DIRECTIONS_SHARE)), at)
    if len(K):
        directions(x, rated, biases, beliefs, K, at)
        rest -= DIRECTIONS_SHARE
    beliefs, s = refine(x, rated, beliefs, rest, at)
    flat = np.ones(n_items)
    own = SimpleNamespace(b=at.xbar * flat, v=at.t / np.sqrt(2) * flat[:, None])
    own.p, own.lev = flat / at.t**2, 0 * flat
    model = check(x, rated, [model_of(beliefs, s, at), biases, own], at)
    model.b = np.clip(middle + model.b, low, high)
    return model


def table(users, items, values, n_users, n_items):
    x, rated = np.zeros((2, n_users, n_items))
    x[users, items], rated[users, items] = values, 1
    return x, rated


def predict(model, users, items, values, n_users, rating_range, asked_users, asked_items):
    """Return predictions from all of every user's ratings."""
    x, rated = table(users, items, np.clip(values, *rating_range), n_users, model.b.size)
    f = users_step(model, x, rated)[0]
    predicted = model.b[asked_items] + (model.v[asked_items] * f[asked_users]).sum(1)
    return np.clip(predicted, *rating_range)

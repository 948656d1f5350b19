"""Local Bayes in NumPy and functions of SciPy, with every formula up to the check.

For dense tables of users by items, without ratings held out; written from formulas alone, without
sight of the code, but for features and ``user_replace``, which came later. Symbols and their order
are those of docs/local_bayes.md; numbers are the constants of the package. Items of the covariance
ascend, and its directions have the order and the signs that the package gives them, so that both
programs can have the same noise.
"""

from collections import namedtuple
from types import SimpleNamespace

import numpy as np
from numpy.linalg import diagonal, eigh, inv, norm
from scipy.linalg import block_diag
from scipy.special import erfcx, log_ndtr, ndtr, softmax
from scipy.stats import norm as normal

Model = namedtuple("Model", "b v p leverage")


def users(model, x, rated):
    """Return f of each user (USER), then e, W and f of each rating (LEAVE-ONE-OUT)."""
    b, v, p, _ = model
    C = inv(np.eye(v.shape[1]) + np.einsum("uj,ja,jb->uab", rated * p, v, v, optimize=True))
    f, Cv = np.matvec(C, (rated * p * (x - b)) @ v), v @ C
    left = 1 - rated * p * (Cv * v).sum(2)
    e = rated * (x - b - f @ v.T) / left
    return f, e, rated * p * left, f[:, None] - (p * e)[..., None] * Cv


def counts(y, sigma):
    """Return the total, the shares and their relative variances (COUNTS, SHARES)."""
    most = max(y.max() / sigma, 16)
    o = np.concatenate([np.linspace(-8, 8, 801), np.geomspace(8, most, 400)])
    g, at = np.geomspace(0.001, most, 24), np.maximum(np.searchsorted(o, y / sigma) - 1, 0)
    C = o[:, None] - 1 / g
    log_L = -np.log(g) - o[:, None] / g + 0.5 / g**2 + log_ndtr(C)
    L, r = softmax(log_L, axis=1), np.full(24, 1 / 24)
    for _ in range(200):
        r = (r * (L[at] / (L[at] @ r)[:, None]).sum(0) + 1 / 24) / (y.size + 1)
    mean = C + np.sqrt(2 / np.pi) / erfcx(-C / np.sqrt(2))
    mean, square = ((L * moment) @ r / (L @ r) for moment in (mean, 1 + C * mean))
    variance = np.interp(y / sigma, o, square - mean**2) * sigma**2
    mean = np.maximum(np.interp(y / sigma, o, mean), 1e-12) * sigma
    return mean.sum(), mean / mean.sum(), variance / mean**2


def posterior(its):
    """Set est and D of items; return how much was learnt of each parameter."""
    d = np.sqrt(its.tau2 * its.wide)
    its.cov = inv(inv(its.C * d[:, :, None] * d[:, None]) + its.info)
    its.est = its.m + np.matvec(its.cov, its.g - np.matvec(its.info, its.m))
    its.D = diagonal(its.cov)
    return np.clip(1 - its.D / d**2, 1e-6, 1)


def standardised(table):
    """Return features x_j of items from a table of public numbers, all known and at most 50."""
    x = table[:, table.std(0) > 0]
    x = np.clip((x - x.mean(0)) / x.std(0), -4, 4)
    return x / np.sqrt((x**2).sum(1).mean())


def regress(its, learnt):
    """Move the weights of features, and set the posterior; return how much was learnt."""
    ratio = its.tau2 / its.size
    K = np.einsum("ji,ja,jb->iab", learnt / its.wide, its.x, its.x)
    K = inv(K + ratio[:, None, None] * np.eye(its.x.shape[1]))
    move = np.matvec(K, ((its.est - its.m) / its.wide).T @ its.x - ratio[:, None] * its.w)
    its.w, its.m = its.w + move, its.m + its.x @ move.T
    squares = (its.w**2).sum(1) + its.tau2 * np.trace(K, axis1=1, axis2=2)
    its.size = (squares + 2 * 0.1 * its.first) / (its.x.shape[1] + 2)
    return posterior(its)


def learn(its, pi, lam):
    """Fit the prior to what was observed of items, and set their posterior (LEARN)."""
    log_pi, its.wide = np.log(pi), np.ones_like(its.h)
    its.wide[:, 0] = np.exp(np.clip(0.3 * (pi @ log_pi - log_pi), -1.5, 1.5))
    A = its.S @ inv(its.S + its.P)
    its.own, its.info, its.g = 1 - diagonal(A), A @ its.P, np.matvec(A, its.h)
    learnt, order = posterior(its), np.argsort(log_pi)
    known = np.cumsum(learnt[order, 0])
    z = np.maximum(log_pi, log_pi[order][np.searchsorted(known, 0.05 * known[-1])])
    line = np.stack([np.ones(z.size), z - pi @ z], 1)
    for _ in range(15):
        learnt = regress(its, learnt) if its.x.size else learnt
        pull, n, k = its.tau2[:, None] / its.within, learnt.sum(0), np.sqrt(learnt / its.wide)
        K = np.einsum("ji,ja,jb->iab", learnt, line, line) + pull[..., None] * np.eye(2)
        pulled = (its.est - its.m).T @ line - pull * its.lines
        its.lines = its.lines + np.matvec(inv(K), pulled)
        its.m = line @ its.lines.T + lam * np.eye(n.size)[1] + its.x @ its.w.T
        M = (k * (its.est - its.m)).T @ (k * (its.est - its.m))
        M += np.einsum("ji,jik,jk->ik", k, its.cov, k)
        its.tau2 = np.maximum(diagonal(M) / n, 1e-6 * its.first)
        part = np.sqrt(n / (n + 3) / diagonal(M))
        its.C = np.where(np.eye(n.size), 1, M * np.outer(part, part))
        learnt = posterior(its)


def fit(x, rated, H, mu, rng, replace=False, features=None):
    """Return the published model of ratings x, from -H to H, 0 where there is none, and the check.

    ``replace`` stands for the relation ``user_replace``.
    """
    mu, outer = (mu / 2, np.sqrt(1 / 2)) if replace else (mu, 1)  # twice the bounds, but sqrt 2
    x, rated, m = x[rated.any(1)], rated[rated.any(1)], x.shape[1]
    n = rated.sum(1)
    k, g = np.minimum(1, n / 5), np.maximum(n - 1, 1)

    def release(bound, share, *sums):
        sigma = bound / (mu * np.sqrt(share))
        return sigma, *(total + sigma * rng.normal(size=np.shape(total)) for total in sums)

    def model_of(its, s):
        told = (np.clip(its.own, 0, 1) * its.D).sum(1) * precision(its, s)
        few = (its.tau2.size - 1) / np.maximum(T * pi, 1)
        leverage = np.minimum(np.minimum(told, few), 0.95)
        return Model(xbar + its.est[:, 0], its.est[:, 1:], 1 / (s**2 + its.D.sum(1)), leverage)

    def precision(its, s):
        each, v = pi / (s**2 + its.D.sum(1)), its.est[:, 1:]
        size = np.linalg.eigvalsh(T / N * (v * each[:, None]).T @ v)
        return each.sum() * (1 - N / T * (size / (1 + size)).sum())

    # 1. Scale
    own = x.sum(1) / n
    squares = (rated * (x - own[:, None]) ** 2).sum(1)
    z = np.sqrt(squares / g)
    means = np.array([-1.83, -0.83, -0.53, -0.39, 0])[np.minimum(g, 5).astype(int) - 1]
    bins = np.clip(np.floor(2 * np.log2(np.maximum(z / H, 1e-9)) - means + 14), 0, 13)
    weight = np.clip((n - 1) / 4, 0, 1) * ((n >= 5) | (z > 0))
    sums = k @ np.clip(own / H, -1, 1), k.sum(), np.minimum(1, n / 200).sum()
    sigma, hist, *y = release(2, 0.03, np.bincount(bins.astype(int), weight, 14), *sums)
    N = max(y[1], sigma, 1)
    z, others = np.arange(0, 13.125, 0.25), N * np.arange(0.005, 1, 0.01)[:, None]
    match = normal.pdf(np.arange(1, 14), z[:, None], 0.8) @ hist[1:]
    match = others * match - others**2 / (4 * np.sqrt(np.pi) * 0.8)
    z_weight = softmax(match / sigma**2 - (z - 14 - 2 * np.log2(0.6)) ** 2 / (2 * 2**2))
    alike = z_weight[others[:, 0] < 0.03 * min(hist[0], N)].sum() > 0.5
    t = H * 2 ** ((0.5 - 14) / 2) if alike else H * np.sqrt(z_weight.sum(0) @ 2 ** (z + 0.5 - 14))
    part = np.clip(y[0] / N, -1, 1)
    of_mean = sigma**2 * (1 + part**2) / N**2
    xbar, V = H * part / (1 + of_mean / 0.5**2), H**2 / (0.5**-2 + 1 / of_mean)
    T = np.clip(200 * y[2], 5 * N, 200 * N)

    # 2. Offsets
    rho, e = 0.5**2 + V / t**2, rated * (x - xbar)
    e -= rated * (rho / (1 + rho * (n - 1)))[:, None] * (e.sum(1)[:, None] - e)
    kappa = 1 / np.maximum(np.hypot(norm(e, axis=1), 0.6 * t * n**0.5), 5 * t * np.hypot(1, 0.6))
    level = 0.2 * ((n > 1) * k) @ np.clip(((own - xbar) ** 2 - squares / (n * g)) / t**2, -1, 1)
    sigma, X, Y, y = release(np.hypot(1, 0.2), 0.14, kappa @ e, kappa * 0.6 * t @ rated, level)
    L = np.log(0.05**2) + np.arange(400) * 0.05
    A, u = L - np.log(rho), np.exp(-L / 2)
    M = np.exp(L) * (1 - 2 * ndtr(-u) - 2 * u * normal.pdf(u)) + 2 * ndtr(-u)
    prior = np.exp(-(A**2) / (2 * 0.6**2)) + 0.02 * np.exp(-(A**2) / (2 * 4**2))
    lam = t * np.exp(softmax(np.log(prior) - ((y - 0.2 * N * M) / sigma) ** 2 / 2) @ L / 2)
    total, pi, nu = counts(Y, sigma)
    seen, sure = Y * total / sigma**2, (total / sigma) ** 2  # of pi: precision times observation
    w, tau2 = pi * total / (0.6 * t), np.array([0.1 * t**2, (0.1 * max(lam, 0.2 * t)) ** 2])
    its = SimpleNamespace(tau2=tau2, first=tau2, C=np.eye(2), lines=np.zeros((2, 2)))
    its.x = np.zeros((m, 0)) if features is None else standardised(features)
    its.w, its.size = np.zeros((2, its.x.shape[1])), 0.1 * tau2
    its.within = np.array(
        [[V + (0.1 * t) ** 2, (0.2 * t) ** 2], [(0.5 * lam) ** 2, (0.2 * lam) ** 2]]
    )
    P = np.stack([w**2 / (sigma**2 + nu * w**2 * tau2[0]), 0 * w], 1)
    S = np.stack([w / (w.sum() / T * t**2), 1e12 / tau2[1] + 0 * w], 1)
    its.P, its.S = np.eye(2) * P[:, None], np.eye(2) * S[:, None]
    its.h, its.m = P * (X / w)[:, None], np.tile([0, lam], (m, 1))
    learn(its, pi, lam)
    biases, rest = model_of(its, t), 1 - 0.03 - 0.14 - 0.01

    # 3. Directions
    def units(K):
        rated = np.minimum(T * pi[K], N)
        part = rated / rated.sum()
        c = (sigma / np.sqrt(2) + np.sqrt(N) * part) ** -0.5
        return c, c * part * np.sqrt(rated.sum()) / t, part

    def worth_it(explained):
        ratio = [(units(ranked[:z])[1] ** 2).sum() / (2 * np.sqrt(z)) for z in sizes]
        cos2 = 1 - np.maximum(explained * t**2 * np.array(ratio), 1) ** -2
        told = np.cumsum(pi[ranked])[sizes - 1] * cos2
        return sizes[told.argmax()], told.max() >= 0.03, cos2[told.argmax()] >= 0.4

    sigma, ranked, unknown = outer / (mu * np.sqrt(0.25)), np.argsort(-pi), pi @ its.D[:, 0] / t**2
    sizes = np.unique(np.geomspace(min(12, m), min(m, 1200), 40).round().astype(int))
    part, least, (z, found, _) = 1, 0, worth_it(0.1)
    if not found and unknown < 0.05:
        z, found, _ = worth_it(0.5)
    for smaller in () if found else 0.0625 * 2 ** np.arange(5):
        sigma = outer / (mu * np.sqrt(smaller * 0.25))
        z, _, clear = worth_it(0.5)
        if clear and smaller * unknown < 0.05:
            part, least, found = smaller, 0.25, True
            break
    if found:
        K, rest = np.sort(ranked[:z]), rest - part * 0.25
        row = (rated * (x - biases.b - users(biases, x, rated)[0] @ biases.v.T))[:, K]
        row /= np.maximum(norm(row, axis=1, keepdims=True), t)
        sigma, G = release(outer, part * 0.25, row.T @ row)
        c, d, part = units(K)
        least = max(least, 1.5 * pi[K] @ its.D[K, 0] / t**2 / pi[K].sum()) * t**2 * (d**2).sum()
        G = np.outer(c, c) * (G + G.T) / 2 * (1 - np.eye(z))  # it has the noise of one triangle
        A, B = np.mean(c**2) ** 2 * sigma**2 / 2, N * np.mean(c**2 * part) ** 2
        edge = 2 * np.sqrt(z * (A + B)) * (1 + (B / (A + B)) ** 1.5 * np.sqrt(z / N) / 2)
        lowest = (1 - 1.2 * z ** (-2 / 3)) * edge
        if least > edge / 2:
            lowest = max(lowest, least + edge**2 / (4 * least))
        for _ in range(6):
            size, u = eigh(G)
            above = (size > lowest) & (np.arange(z) >= z - 12)
            size, u = np.maximum(size[above][::-1], 1.02 * edge), u[:, above][:, ::-1]
            clear = (size + np.sqrt(size**2 - edge**2)) / 2
            cos2 = 1 - (edge / (2 * clear)) ** 2
            np.fill_diagonal(G, u**2 @ (clear * cos2))
        u = u * np.where(u[np.abs(u).argmax(0), np.arange(clear.size)] < 0, -1, 1)
        r, (o, w) = clear.size, np.zeros((2, m, clear.size))
        o[K] = u * np.sqrt(clear / cos2) / d[:, None]
        w[K] = d[:, None] ** 2 * z / (clear * (1 / cos2 - 1))
        tau2 = np.maximum(((w * o**2).sum(0) - z) / w.sum(0), 1e-3 * (o**2).max(0))
        its.tau2, its.first = np.append(its.tau2, tau2), np.append(its.first, tau2)
        its.size, its.w = np.append(its.size, 0.1 * tau2), np.pad(its.w, [(0, r), (0, 0)])
        its.h, its.m = np.hstack([its.h, w * o]), np.hstack([its.m, 0 * o])
        its.within = np.vstack([its.within, 0.2 * np.stack([tau2, tau2], 1)])
        its.lines, its.C = np.pad(its.lines, [(0, r), (0, 0)]), block_diag(its.C, np.eye(r))
        P, S = np.hstack([P, w]), np.hstack([S, 1e12 / tau2 + 0 * w])
        its.P, its.S = np.eye(2 + r) * P[:, None], np.eye(2 + r) * S[:, None]
        learn(its, pi, lam)

    # 4. Refinement
    s = np.sqrt(max(t**2 - its.tau2[0] - (pi @ its.est[:, 2:] ** 2).sum(), 0.3 * t**2))
    done, planned, caution, best, taken_back = 0, 5, 1, None, False
    while planned > 0:
        share = rest / (1.5 ** np.arange(planned)).sum()
        rest, done, planned = rest - share, done + 1, planned - 1
        left, q = np.sqrt(pi @ its.D), its.tau2.size
        a = np.maximum(left / left.max(), 0.5) if s >= 0.3 * t else np.ones(q)
        unit, counted = 0.2 * s / (norm(a) * np.sqrt(200)), 0.2 * s * np.sqrt(min(pi @ nu, 1))
        model = model_of(its, s)
        _, e, W, f = users(model, x, rated)
        g = a * np.concatenate([np.ones((*x.shape, 1)), f], 2)
        kappa = 1 / np.maximum(norm(W * np.hypot(norm(g, axis=2) * e, counted), axis=1), 2 / s)
        grams = (kappa * unit)[:, None, None] * ((g * W[..., None]).mT @ g)
        grams /= np.maximum(norm(grams, axis=(1, 2), keepdims=True) / 0.2, 1)
        F = rated @ np.maximum(1 - 2 * model.leverage * s**2 * model.p, 0.001)
        spread = 0.15 * np.minimum(1, F / 5) @ np.minimum(((W * e**2).sum(1) / F - 1) / 3, 1)
        rows, bound = np.einsum("u,uj,ujk->jk", kappa, W * e, g), np.sqrt(1 + 0.2**2 + 0.15**2)
        sigma, Z, Y, y, G = release(bound, share, rows, counted * kappa @ W, spread, grams.sum(0))
        size, u = eigh((G + G.T) / 2)
        G = u * np.maximum(size, max(0.02 * size[-1], 3 * sigma)) @ u.T / unit
        E, told = pi @ (1 + its.D.sum(1) / s**2), G[0, 0] / a[0] ** 2
        A, B = sigma**2 * m / counted**2, (sigma / unit / a[0] ** 2) ** 2 + (0.2 * told) ** 2
        total = counted * max((Y.sum() / counted * B + told * A) / (A + B), told / 2)
        seen, sure = seen + Y * total / sigma**2, sure + (total / sigma) ** 2
        G, (_, pi, nu) = G * total / (counted * told), counts(seen / sure, sure**-0.5)
        H_j, w = caution * pi[:, None, None] * G, np.trace(G) / ((a @ a) * T * precision(its, s))
        Q = sigma**2 * np.eye(q) + nu[:, None, None] * (H_j * (its.D / a**2)[:, None]) @ H_j
        now, R = SimpleNamespace(**vars(its)), H_j @ inv(Q) @ H_j / np.outer(a, a)
        observed = its.est + a * np.matvec(inv(H_j), Z)
        old, new = (inv(each + np.diag(1e-6 / its.tau2)) for each in (its.P, R))  # DISCOUNT
        moved = (observed - np.matvec(old, its.h)) ** 2 - diagonal(old) - diagonal(new)
        u = (diagonal(old) < 100 * its.tau2) / (diagonal(old) + diagonal(new) + its.tau2) ** 2
        extra = np.maximum((u * moved).sum(0), 0) / np.where(u.any(0), u.sum(0), 1)
        less = inv(np.eye(q) + its.P * extra)
        now.P, now.S = less @ its.P + R, H_j / (w * np.outer(a, a))
        now.h = np.matvec(less, its.h) + np.matvec(R, observed)
        learn(now, pi, lam)
        se = 3 * sigma / (2 * 0.15 * N)
        grown = np.sqrt(max(1 + 3 * y / (0.15 * N) / (1 + (se / 0.3) ** 2), 0))
        new_s = max(s * np.clip(grown, 1 / np.e, np.e), min(s, np.sqrt(0.3 * pi @ now.D.sum(1))))
        left = np.log(new_s) + np.log(E) / 2
        if taken_back:
            old, new, taken_back = best.se**-2, se**-2, False
            best.left, best.se = (best.left * old + left * new) / (old + new), (old + new) ** -0.5
        elif best is None or left <= best.left:
            if new_s <= 1.1 * s:
                best = SimpleNamespace(its=its, s=new_s, left=left, se=se)
        elif left > best.left + max(3 * np.hypot(se, best.se), 0.03):
            now, new_s, taken_back, caution = best.its, best.s, True, 2 * caution
        planned = 4 if new_s < 0.8 * s and planned > 0 and done + 4 <= 12 else planned
        its, s = now, new_s

    # 5. Check
    flat, model = np.ones(m), model_of(its, s)
    means = Model(xbar * flat, t / np.sqrt(2) * flat[:, None], flat / t**2, 0 * flat)
    counting, models = rated * (model.leverage <= 0.5), (model, biases, means)
    e = np.stack([users(each, x, rated)[1] / (1 - each.leverage) / t for each in models])
    errors = np.minimum((counting * e**2).sum(2) / np.maximum(counting.sum(1), 1), 1e6)
    sigma, worse = release(1, 0.01, np.clip(errors[0] - errors[1:], -1, 1) @ k * np.sqrt(1 / 2))
    b, v, p, _ = models[1 + worse.argmax()] if worse.max() > 2.5 * sigma else model
    return Model(np.clip(b, -H, H), v, p, None), worse

"""Rating tables of many shapes, drawn from a seed: what other people's ratings may look like."""

from dataclasses import dataclass

import numpy as np

from dpmc.ratings import Ratings

MOST_RATINGS = 400_000
"""Expected number of ratings, at most, so that a fit takes seconds."""

KINDS = (
    "usual", "usual", "usual", "alike", "camps", "constant", "clean", "noise", "selected", "polar",
)  # fmt: skip
"""What ratings are made of; tastes and noise of common sizes have three of ten places."""


@dataclass(frozen=True)
class Shape:
    """The public numbers of a table, and the sizes of what its ratings are made of.

    Attributes
    ----------
    n_users, n_items : int
    median : float
        Ratings of a user.
    uneven : float
        Standard deviation of the logarithm of users' numbers of ratings.
    popularity : {"flat", "power", "tail", "complete"}
        "complete": all users rate all items but for one in twenty.
    power : float
        Exponent of the popularity by rank, plain or within the top of a tail.
    rare, top : float
        Of a tail: share of the items with one or two ratings, and of the ratings of 20 items.
    kind : str
        "usual": offsets, levels, tastes and noise; "alike": a user gives all items the same;
        "camps": two camps with opposite tastes; "constant": one rating for everything; "clean":
        hardly any noise; "noise": nothing else; "selected": the more a user likes an item, the more
        likely the rating; "polar": the highest rating or the lowest, one as often as the other;
        "solved": the same, one more often; "votes": the same, of two camps with opposite tastes
        of different strength; "heavy": counts or hours, whose logarithms are as usual ratings are,
        and most of which lie far below the highest.
    rating_range : (float, float)
    levels : int
        Number of different ratings; 0 for continuous ones.
    centre, level, offset, taste, noise : float
        Mean, and standard deviations of users' levels, items' offsets, tastes and noise, all in
        units of half the range.
    rank : int
    """

    n_users: int
    n_items: int
    median: float
    uneven: float
    popularity: str
    power: float
    rare: float
    top: float
    kind: str
    rating_range: tuple[float, float]
    levels: int
    centre: float
    level: float
    offset: float
    taste: float
    noise: float
    rank: int

    def __str__(self) -> str:
        popularity = self.popularity
        if popularity == "tail":
            popularity += f" {100 * self.rare:.0f}% {100 * self.top:.0f}%"
        low, high = self.rating_range
        return (
            f"{self.n_users} x {self.n_items}, {self.median:.0f} a user, {popularity}, "
            f"{self.kind}, {low:g}..{high:g}/{self.levels}"
        )


def draw_shape(rng: np.random.Generator) -> Shape:
    """Draw a shape: users 20 to 100,000, items 5 to 100,000, a median of 1 to 200 ratings."""
    n_items = int(np.exp(rng.uniform(np.log(5), np.log(100_000))))
    n_users = int(np.exp(rng.uniform(np.log(20), np.log(100_000))))
    most = min(200.0, 0.7 * n_items)
    median = float(np.exp(rng.uniform(0, np.log(max(most, 1.01)))))
    median = max(min(median, MOST_RATINGS / n_users), 1.0)
    width = float(rng.choice([1, 4, 5, 10, 20, 100]))
    low = float(rng.choice([0, 1, -width / 2]))
    noise = float(np.exp(rng.uniform(np.log(0.15), np.log(0.8))))
    kind = str(rng.choice(KINDS))
    return Shape(
        n_users, n_items, median, float(rng.choice([0, 0.5, 1.0, 1.5])),
        str(rng.choice(["flat", "power", "tail", "tail"])), float(rng.uniform(0.4, 1.2)),
        float(rng.uniform(0.6, 0.9)), float(np.exp(rng.uniform(np.log(0.03), np.log(0.4)))),
        kind, (low, low + width), int(rng.choice([0, 2, 5, 5, 10])),
        float(rng.uniform(-0.3, 0.8)), float(rng.uniform(0.05, 0.5)), float(rng.uniform(0.05, 0.5)),
        float(rng.uniform(0, 0.5)), 0.004 if kind == "clean" else noise, int(rng.integers(1, 9)),
    )  # fmt: skip


def _between(rng, low, high):
    """Return an integer from low to high, each of its octaves as likely."""
    return int(np.exp(rng.uniform(np.log(low), np.log(high))))


def draw_small(name: str, rng: np.random.Generator) -> Shape:
    """Draw a shape of one of the :data:`SMALL` kinds of tables."""
    users, items, median, uneven, kind, span, levels, centre, rank = {
        # nearly all ratings are high, and many users give nothing but the highest
        "praised": ((40, 150), (20, 100), (6, 25), 0.5, "usual", (1, 5), 5, (0.7, 1.1), 2),
        "plays": ((150, 1500), (50, 500), (10, 40), 0.5, "heavy", (0, 10_000), 10_001, (0, 0.4), 3),
        "hours": ((300, 3000), (30, 400), (3, 15), 1.0, "heavy", (0, 1000), 0, (0, 0.4), 3),
        "votes": ((90, 120), (300, 700), None, 0.0, "votes", (-1, 1), 2, (0, 0.2), 1),
        "short rows": ((500, 3000), (100, 1500), (1.5, 4), 0.7, "usual", (1, 5), 5, (0, 0.6), 2),
        "few users": ((20, 60), (10, 60), (4, 20), 0.5, "usual", (0, 10), 11, (-0.2, 0.5), 2),
        "survey": ((150, 1500), (12, 60), None, 0.0, "usual", (1, 6), 6, (-0.1, 0.4), 4),
        "test results": ((60, 800), (12, 50), None, 0.0, "solved", (0, 1), 2, (0, 0.4), 1),
        "marks": ((60, 400), (8, 30), (6, 20), 0.2, "usual", (0, 100), 101, (0.2, 0.6), 1),
    }[name]  # fmt: skip
    n_users, n_items = _between(rng, *users), _between(rng, *items)
    number = n_items if median is None else float(np.exp(rng.uniform(*np.log(median))))
    taste = 0.0 if kind == "solved" else float(rng.uniform(0.1, 0.4))
    apart = 2 if name == "praised" else 1  # how far users' levels are
    return Shape(
        n_users, n_items, number, uneven, "complete" if median is None else "power",
        float(rng.uniform(0.2, 0.8)), 0.0, 0.0, kind, (float(span[0]), float(span[1])), levels,
        float(rng.uniform(*centre)), float(rng.uniform(0.15, 0.4)) * apart,
        float(rng.uniform(0.1, 0.4)), taste, float(rng.uniform(0.3, 0.6)), rank,
    )  # fmt: skip


SMALL = (
    "praised", "plays", "hours", "votes", "short rows", "few users", "survey", "test results",
    "marks",
)  # fmt: skip
"""Kinds of smaller tables that people have: ratings that are nearly all high, play counts, hours,
roll calls of one bipolar direction, users with hardly any ratings, hardly any users, surveys and
tests that nearly all complete, marks."""


def draw_ratings(shape: Shape, rng: np.random.Generator) -> Ratings:
    """Draw ratings of a shape; users and items without any belong to it."""
    numbers = shape.median * np.exp(shape.uneven * rng.standard_normal(shape.n_users))
    numbers *= min(1.0, 1.5 * MOST_RATINGS / numbers.sum())
    numbers = np.clip(np.round(numbers), 1, max(1, 0.8 * shape.n_items)).astype(int)
    cumulated = np.cumsum(_popularity(shape, numbers.sum(), rng))
    users = np.repeat(np.arange(shape.n_users), numbers)
    if shape.kind == "selected":
        users = np.repeat(users, 3)
    draws = np.searchsorted(cumulated / cumulated[-1], rng.random(users.size))
    pairs = np.unique(users * shape.n_items + np.minimum(draws, shape.n_items - 1))
    if shape.popularity == "complete":
        pairs = np.flatnonzero(rng.random(shape.n_users * shape.n_items) < 0.95)
    users, items = pairs // shape.n_items, pairs % shape.n_items
    values = shape.centre + _signal(shape, users, items, rng)
    if shape.kind == "selected":
        likely = 1 / (1 + np.exp(-4 * (values - shape.centre)))
        chosen = rng.random(values.size) < likely * 0.8
        users, items, values = users[chosen], items[chosen], values[chosen]
    noise = 0.0 if shape.kind == "alike" else shape.noise
    values = values + noise * rng.standard_normal(values.size)
    if shape.kind == "constant":
        values = np.full(values.size, shape.centre)
    if shape.kind in ("polar", "votes", "solved"):
        values = np.where(values > (shape.kind == "polar") * shape.centre, 1.0, -1.0)
    if shape.kind == "heavy":
        values = 0.03 * np.exp(2.5 * (values - shape.centre)) * 2 - 1
    values = (np.clip(values, -1, 1) + 1) / 2
    if shape.levels:
        values = np.round(values * (shape.levels - 1)) / (shape.levels - 1)
    low, high = shape.rating_range
    values = np.clip(low + (high - low) * values, low, high)
    return Ratings(users, items, values, shape.n_users, shape.n_items, "drawn", (low, high))


def _popularity(shape, total, rng):
    """Return how often each item is drawn, on average."""
    n_items = shape.n_items
    if shape.popularity in ("flat", "complete"):
        return np.ones(n_items)
    order = rng.permutation(n_items)
    if shape.popularity == "power":
        return (1.0 + np.arange(n_items))[order] ** -shape.power * total
    rare, few = int(shape.rare * n_items), min(20, max(1, n_items // 4))
    weights = np.exp(1.2 * rng.standard_normal(n_items))
    top = (1.0 + np.arange(few)) ** -shape.power
    weights[:few] = shape.top * total * top / top.sum()
    middle = slice(few, max(n_items - rare, few))
    left = max((1 - shape.top) * total - 1.5 * rare, 0.1 * total)
    weights[middle] *= left / max(weights[middle].sum(), 1e-9)
    weights[middle.stop :] = rng.choice([1.0, 2.0], n_items - middle.stop)
    return weights[order]


def _signal(shape, users, items, rng):
    """Return what users think of items, around the centre."""
    level = shape.level * rng.standard_normal(shape.n_users)
    offset = shape.offset * rng.standard_normal(shape.n_items)
    if shape.kind == "noise":
        return np.zeros(users.size)
    if shape.kind == "alike":
        return level[users]
    if shape.kind == "camps":
        camp, item_of = rng.choice([-1, 1], shape.n_users), rng.choice([-1, 1], shape.n_items)
        return 0.6 * camp[users] * item_of[items] + 0.2 * offset[items]
    if shape.kind == "votes":
        side = rng.choice([-1, 1], shape.n_users) + 0.3 * rng.standard_normal(shape.n_users)
        return side[users] * rng.standard_normal(shape.n_items)[items] + offset[items]
    tastes = shape.taste * shape.rank**-0.5
    factors = rng.standard_normal((shape.n_users, shape.rank))
    loadings = rng.standard_normal((shape.n_items, shape.rank))
    taste = np.einsum("nr,nr->n", factors[users], loadings[items])
    return level[users] + offset[items] + tastes * taste

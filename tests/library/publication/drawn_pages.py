"""Models with drawn numbers, their pages, and what `dpmc complete` tells of some users."""

import csv
import io
import json

import numpy as np
from publication.forging import mended
from publication.small_tables import run, write_table
from test_ties import near_ties

from dpmc.methods import method_class
from dpmc.publication.page import page
from dpmc.released import ITEM_FACTORS, load
from dpmc.ties import descending, margin

N_ITEMS, USERS = 300, 12
TITLES = [f"Film {place} of the night" for place in range(N_ITEMS)]
TITLES[7] = "<img src=x onerror=\"alert('no')\"></script><b>Café & Bar"
TITLES[8] = "Nachtzug"
MODELS = {
    "bayes": ("local_bayes", {"rating_range": [1, 5]}),
    "als": ("private_als", {"rating_range": [0.5, 5], "user_regularization": 0.7}),
    "a wide range": ("private_als", {"rating_range": [-10, 10], "user_regularization": 1e-3}),
    "biases": ("private_user_item_bias", {"rating_range": [1, 5], "shrinkage": 2.0}),
    "ranking": ("local_ease", {"rating_range": [0, 1], "likes_from": None}),
    "ranking of ratings": ("local_ease", {"rating_range": [0, 1], "likes_from": 3}),
}  # fmt: skip


def draw(folder):
    """Write the models of :data:`MODELS`, their pages, and ratings of some users."""
    for name, (method, constants) in MODELS.items():
        way = method_class(method).way
        model, rng = folder / name, np.random.default_rng(len(name))
        model.mkdir()
        (model / "guarantee.json").write_text(
            json.dumps(
                {
                    "method": method,
                    "prediction": way.sentence,
                    "constants": constants,
                    "lists": {"items": {"labels": "text"}},
                    "files": {ITEM_FACTORS: None},
                }
            )
        )
        rank = 1 if "shrinkage" in constants else 7
        columns, low, high = way.columns, *constants["rating_range"]
        table = np.column_stack([
            rng.normal((low + high) / 2, (high - low) / 8, N_ITEMS),
            *([rng.uniform(0.3, 3, N_ITEMS)] if len(columns) > 2 else []),
            np.ones(N_ITEMS) if rank == 1 else rng.normal(0, (high - low) / 8, (N_ITEMS, rank)),
        ])  # fmt: skip
        table[20], table[11, 0] = table[11], table[:, 0].max() + (high - low) / 8
        table[20, 0] = table[11, 0] * (1 + 1e-14)  # a tie at the top, but for rounding
        header = [*columns, *(f"factor_{k + 1}" for k in range(rank))]
        rows = [[f"i{place}", *row] for place, row in enumerate(table.tolist())]
        write_table(model / ITEM_FACTORS, rows, header)
        mended(model)
        text = page(load(model), TITLES, "It holds.")
        (folder / f"{name}.html").write_text(text, "utf-8")
        step = 1 if low == int(low) else 0.5
        own = [
            (f"u{user}", f"i{item}", low + step * rng.integers(0, (high - low) / step + 1))
            for user in range(USERS)
            for item in rng.choice(N_ITEMS, 1 + 3 * user, replace=False).tolist()
        ]
        if name == "ranking of ratings":
            own = [(user, item, 5 if place % 3 else 1) for place, (user, item, _) in enumerate(own)]
        header = ("user", "item", "rating")
        if name == "ranking":
            own, header = [each[:2] for each in own], header[:2]
        write_table(folder / f"{name}.csv", own, header)


def completed(folder, name, *options):
    """User -> item -> value that `dpmc complete` tells, in its order."""
    told = run(
        "complete", "--model", folder / name, "--ratings", folder / f"{name}.csv", *options
    ).stdout
    found: dict = {}
    for user, item, value in [*csv.reader(io.StringIO(told))][1:]:
        found.setdefault(user, {})[int(item[1:])] = float(value)
    return found


def rated(folder, name):
    with open(folder / f"{name}.csv", newline="") as stream:
        rows = [*csv.reader(stream)][1:]
    found: dict = {}
    for user, item, *value in rows:
        found.setdefault(user, {})[item] = float(*value) if value else 1.0
    return found


def check_numbers_and_order(folder, name, ask):
    """Compare a page with `dpmc complete`; ``ask`` takes expressions and returns their values."""
    everything, best = completed(folder, name), completed(folder, name, "--top", 25)
    items, own = load(folder / name), rated(folder, name)
    if name.startswith("ranking"):  # on the page of a ranking a person names likes alone
        own = {
            user: {i: v for i, v in mine.items() if not items.likes_from or v >= items.likes_from}
            for user, mine in own.items()
        }
    found = ask(*(ASKED % json.dumps([(int(i[1:]), v) for i, v in own[u].items()]) for u in own))
    for (user, mine), (values, places, spread) in zip(own.items(), found, strict=True):
        np.testing.assert_allclose(values, [*everything[user].values()], rtol=0, atol=1e-6)
        rows = rated(folder, name)[user]
        assert [each for each in places if f"i{each}" not in rows][:25] == [*best[user]]
        assert len(places) == 25 + len(mine)
        known = items.deviations(mine)
        if known is None:
            assert spread == [None] * 3
        else:
            np.testing.assert_allclose(spread, known[[0, 5, 9]], rtol=0, atol=1e-6)


ASKED = (
    "(() => { const own = new Map(%s), all = complete(own);"
    "return [[...all].map(clip), best(all, 25 + own.size, own), deviations(own, [0, 5, 9])]; })()"
)


def check_ties(n, ask):
    """Compare the order of a page, of items that tie but for rounding, with that of other lists."""
    scores, known = near_ties()
    every = descending(scores, margin(scores))
    own = json.dumps([(place, 3) for place in np.flatnonzero(known).tolist()])
    given = f"new Float64Array({scores.tolist()}), {n}, new Map({own})"
    assert ask(f"best({given})") == [every[~known[every]][:n].tolist()]

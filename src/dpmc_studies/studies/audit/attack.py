"""A black-box attack on published files, which uses no knowledge of the code.

The attacker has many publications of each of two neighbouring data sets, as bytes, and uses half of
them to learn to tell the two apart. The features are all numbers and words in the files, without
their meaning. The success on the other half gives a lower bound on epsilon at a stated confidence
(:func:`dpmc_studies.statistics.privacy_bounds.threshold_bound`). The bound assumes no sensitivity,
no density and no replay, so it covers every mistake between the ratings and the files.
"""

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpmc_studies.statistics.privacy_bounds import clopper_pearson, threshold_bound

MOST_PAIRED = 28
"""Numbers up to which all products of two are features, too; of more only the squares are."""
PENALTIES = 10.0 ** np.arange(-1, 5)
"""Of the ridge regression, of which the best is chosen without the test half."""
_TRUTHS = bool | np.bool_


@dataclass(frozen=True)
class Reading:
    """What an attacker reads in the files of one publication.

    ``numbers`` is by file and place; a place is the words of a line, or the path in a JSON file.
    ``words`` holds everything else.
    """

    numbers: dict[str, float]
    words: frozenset[str]


def read(files: Mapping[str, bytes]) -> Reading:
    """Return all numbers and words of files, given as name -> content.

    Files .json, .csv and .parquet are parsed; any other file is one word.
    """
    numbers, words = {}, set()
    for name, content in files.items():
        kind = name.rpartition(".")[2]
        for place, value in _PARSERS.get(kind, _unknown)(content):
            number = _number(value)
            if number is None:
                words.add(f"{name}: {value}")
            else:
                numbers[f"{name} {place}"] = number
    return Reading(numbers, frozenset(words))


def lower_bound(
    first: Sequence[Reading], second: Sequence[Reading], *, delta: float, confidence: float
) -> float:
    """Return a lower bound on epsilon from an attacker who learns from half of the readings.

    ``first`` and ``second`` hold equally many publications, one of each data set; the last one of
    an odd number is ignored. The bound is at least 0. Whatever the attacker learns, the bound
    exceeds the true epsilon with a probability of at most 1 - confidence.
    """
    half = len(first) // 2
    learnt = [*first[:half], *second[:half]]
    sides = np.repeat([1.0, -1.0], half)
    tests = [*first[half : 2 * half], *second[half : 2 * half]]
    best, best_worth = None, (-1.0, -1.0)
    for features in _features(learnt, tests):
        for own, others in _scores(*features, sides):
            # on the half that was learnt from: what to choose is the attacker's business
            pair = own[:half], own[half:]
            bound = threshold_bound(
                *(np.tile(each, 2) for each in pair), delta=delta, confidence=confidence
            )
            apart = abs(pair[0].mean() - pair[1].mean()) / max(own.std(), 1e-12)
            if (bound, apart) > best_worth:
                best, best_worth = (own, others), (bound, apart)
    if best is None:
        return 0.0
    own, others = best
    # the first half of what threshold_bound gets chooses the event, the second half tests it
    runs = [np.concatenate([own[part], others[part]]) for part in (slice(half), slice(half, None))]
    return threshold_bound(*runs, delta=delta, confidence=confidence)


def most_shown(runs: int, *, delta: float, confidence: float) -> float:
    """Return the largest lower bound that ``runs`` on each side can show, if no guess is wrong."""
    half, tail = runs // 2, (1 - confidence) / 2
    lower, _ = clopper_pearson(half, half, tail)
    _, upper = clopper_pearson(0, half, tail)
    return max(float(np.log(max(float(lower) - delta, 1e-300) / float(upper))), 0.0)


def _features(learnt, tests) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield standardised features of both halves: plain ones, and with products of numbers."""
    known = list(dict.fromkeys(key for each in learnt for key in each.numbers))
    words = list(dict.fromkeys(sorted(word for each in learnt for word in each.words)))
    halves = [_table(half, known) for half in (learnt, tests)]
    said = [_presence(half, known, words) for half in (learnt, tests)]
    varying = np.nanstd(halves[0], axis=0) > 0
    halves = [half[:, varying] for half in halves]
    plain = _standardised(*halves)
    rest = _standardised(*said)
    yield tuple(np.hstack(each) for each in zip(plain, rest, strict=True))
    count = halves[0].shape[1]
    if count:
        left, right = np.triu_indices(count) if count <= MOST_PAIRED else 2 * (np.arange(count),)
        products = _standardised(*(half[:, left] * half[:, right] for half in halves))
        yield tuple(np.hstack(each) for each in zip(plain, products, rest, strict=True))


def _table(readings, known):
    return np.array([[each.numbers.get(key, np.nan) for key in known] for each in readings])


def _presence(readings, known, words):
    """Return which numbers and words occur, if the readings differ, and how many occur."""
    wanted = [(len(each.numbers), len(each.words)) for each in readings]
    table = [
        [key in each.numbers for key in known] + [word in each.words for word in words]
        for each in readings
    ]
    return np.hstack([np.array(wanted, dtype=float), np.array(table, dtype=float)])


def _standardised(learnt, tests):
    """Turn both halves into normal scores of the first half, so that outliers have little weight.

    Columns that do not vary, or vary once only, are left out; a missing value is 0.
    """
    repeated = np.array([_repeats(column) for column in learnt.T], dtype=bool)
    columns = list(zip(learnt.T[repeated], tests.T[repeated], strict=True))
    if not columns:
        return np.empty((len(learnt), 0)), np.empty((len(tests), 0))
    scores = [_normal_scores(np.sort(own[np.isfinite(own)]), own, other) for own, other in columns]
    return tuple(np.column_stack(each) for each in zip(*scores, strict=True))


def _normal_scores(known, *columns):
    """Return columns as normal scores by the sorted numbers that are known, ties in the middle."""
    from scipy.special import ndtri

    for column in columns:
        below, upto = (np.searchsorted(known, column, side=side) for side in ("left", "right"))
        yield np.where(np.isfinite(column), ndtri((below + upto + 1) / (2 * known.size + 2)), 0.0)


def _repeats(column) -> bool:
    """Whether a column separates groups of runs, and not only one run from all others."""
    finite = column[np.isfinite(column)]
    if finite.size < 2 or not finite.std() > 1e-12 * np.abs(finite).max():
        return False
    return min((finite > finite.min()).sum(), (finite < finite.max()).sum()) > 1


def _scores(learnt, tests, sides) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield scores of both halves: a linear discriminant, and the best single feature.

    The discriminant is ridge regression on the sides. Those of its own half are its predictions of
    each run from all others, in closed form.
    """
    if not learnt.shape[1]:
        return
    best = int(np.argmax(np.abs(sides @ learnt)))
    yield learnt[:, best], tests[:, best]
    left, values, right = np.linalg.svd(learnt, full_matrices=False)
    along, chosen = left.T @ sides, None
    for penalty in PENALTIES * len(sides) / 100:
        shrunk = values**2 / (values**2 + penalty)
        leverage = np.einsum("nk,k->n", left**2, shrunk)
        alone = sides - (sides - left @ (shrunk * along)) / (1 - leverage)
        error = np.square(sides - alone).sum()
        if chosen is None or error < chosen[0]:
            weights = right.T @ (along * values / (values**2 + penalty))
            chosen = error, alone, tests @ weights
    yield chosen[1:]


def _number(value) -> float | None:
    if isinstance(value, _TRUTHS) or value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _of_json(content):
    def walk(value, path):
        if isinstance(value, dict | list):
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            for key, each in pairs:
                yield from walk(each, f"{path}/{key}")
        else:
            yield path, value

    return walk(json.loads(content), "")


def _of_csv(content):
    return _of_lines(csv.reader(io.StringIO(content.decode("utf-8"))))


def _of_parquet(content):
    from pyarrow import parquet

    return _of_lines(
        zip(*parquet.read_table(io.BytesIO(content)).to_pydict().values(), strict=True)
    )


def _of_lines(lines):
    """The words of a line name its numbers, so a number keeps its name if the line moves."""
    for line in lines:
        numbers = [_number(value) for value in line]
        words = [str(v) for v, number in zip(line, numbers, strict=True) if number is None]
        name = " ".join(words)
        for place, (value, number) in enumerate(zip(line, numbers, strict=True)):
            yield f"{name} {place}", value if number is None else number


def _unknown(content):
    yield "", f"bytes {content.hex()}"


_PARSERS = {"json": _of_json, "csv": _of_csv, "parquet": _of_parquet}

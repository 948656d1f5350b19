"""Audit of publications: attributes of fitted models, and the bytes of the files.

A run is replayed on neighbouring data (see :mod:`dpmc_studies.studies.audit.traces`), with the same
random choices and the same start, by the code that publishes. The neighbouring data really lack,
add or replace a user: the number of users can change, and the others get new numbers. A publication
depends on the outputs and on public constants only, so it must be the same to the last bit. If it
also depends on anything else, such as the number of users or who rated an item, the bytes differ.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np

from dpmc.methods.private import PrivateMethod
from dpmc.methods.private_choice import Keyed
from dpmc.methods.released import fit_folder
from dpmc.privacy.ledger import FloatNoise, Ledger, Noise, PrivacyViolation, Replay
from dpmc.ratings import Ratings
from dpmc_studies.studies.audit.method_runs import DELTA, EPSILON
from dpmc_studies.studies.audit.neighbours import labelled_neighbours
from dpmc_studies.studies.audit.rows import difference_row, sensitivity_row
from dpmc_studies.studies.audit.traces import compare

PUBLISHED = (
    "item_labels_", "item_offsets_", "item_factors_", "item_precisions_", "item_scales_", "scale_",
    "spread_", "worth_", "fell_back_to_", "steps_taken_back_", "item_features_", "guarantee_",
)  # fmt: skip
"""Attributes of a fit that are published, where a model has them."""
PUBLISHED_AT_ENTRY_LEVEL = ("user_labels_", "user_factors_", "shape_")
"""More of them where the guarantee covers single ratings, and the list of users is public; at user
level they are for the eyes of each user alone, and ``shape_`` holds the number of users."""
STARTS = 2
"""With so many keys and starts each pair of neighbours is tried."""
TARGET = "published"


@dataclass(frozen=True, eq=False)
class Publisher:
    """What makes a publication of ratings.

    ``keyed`` is the class of the choices, :class:`dpmc.methods.private_choice.Keyed` or a faulty
    one; ``write`` is called as :func:`dpmc.methods.released.fit_folder.write`.
    """

    method: PrivateMethod
    keyed: type[Keyed] = Keyed
    write: Callable[..., list[str]] = fit_folder.write

    def fit(
        self, ratings: Ratings, noise: Noise, key: bytes, seed: int, selection=None
    ) -> tuple[PrivateMethod, Ledger]:
        """Fit ratings with labels as for publication, but repeatably; return the model and its
        ledger.

        ``key`` is that of the choices, ``seed`` that of the start; with ``selection`` the list of
        items is chosen privately.
        """
        model, rng = copy(self.method), np.random.default_rng(seed)  # nothing of an earlier fit
        randomness = self.keyed(ratings, key, rng) if model.bounds.user_level else rng
        ledger = Ledger(noise, model.releases_with(selection), keep=True)
        model.fit(ratings, rng=randomness, ledger=ledger, selection=selection)
        return model, ledger

    def publication(self, model: PrivateMethod) -> dict[str, bytes]:
        """Return all that is published of a model that was fitted: names of attributes and files ->
        bytes.
        """
        names = PUBLISHED + (() if model.bounds.user_level else PUBLISHED_AT_ENTRY_LEVEL)
        found = {name: as_bytes(getattr(model, name)) for name in names if hasattr(model, name)}
        if not model.bounds.user_level:
            found["predictions"] = as_bytes(model.predict_matrix())
        return found | folder_bytes(lambda path: self.write(path, model, files_of(model), {}))


@dataclass(frozen=True, eq=False)
class Comparison:
    """The differences between a run and its replay on neighbouring data.

    ``changes`` maps a statistic to its largest change over its stated sensitivity; "refused" is
    infinite if the program refused the replay. ``differing`` counts the bytes that differ.
    """

    changes: dict[str, float]
    differing: int


def follow_published(
    publisher: Publisher, noise: Noise, here: Ratings, there: Ratings, rng: np.random.Generator
) -> Comparison:
    """Publish ``here``, replay the outputs on ``there``, and compare.

    ``rng`` draws the key and the start, which both runs share.
    """
    key, seed = rng.bytes(16), int(rng.integers(2**32))
    try:
        first, run = publisher.fit(here, noise, key, seed)
        outputs = Replay([each.output for each in run.transcript])
        second, replay = publisher.fit(there, outputs, key, seed)
    except PrivacyViolation:
        return Comparison({"refused": np.inf}, 0)
    method = publisher.method
    trace = compare(run, replay, method.calibration.noise, method.bounds.p)
    publications = [publisher.publication(model) for model in (first, second)]
    return Comparison(trace.changes, differing_bytes(*publications))


def publisher_rows(
    publisher: Publisher, rng: np.random.Generator, key: Mapping
) -> Iterator[dict[str, object]]:
    """Yield the rows of one method: changes of its queries, and of what it publishes.

    ``rng`` draws data, keys, starts and noise. ``key`` has ``method``, ``relation`` and
    ``mechanism``.
    """
    claim = {"target": TARGET, "claimed_epsilon": EPSILON, "delta": DELTA, **key}
    noise = FloatNoise(publisher.method.calibration.noise, rng)
    found = []
    for _ in range(STARTS):
        for pair in labelled_neighbours(key["relation"], rng).values():
            for here, there in (pair, pair[::-1]):
                found.append(follow_published(publisher, noise, here, there, rng))
    yield sensitivity_row(max(max(each.changes.values()) for each in found), claim)
    yield difference_row("published", sum(each.differing for each in found), claim)


def files_of(model: PrivateMethod) -> list[str]:
    """Return the parts of a fit that its guarantee lets it publish as files."""
    return [part for part in fit_folder.FILES if part in model.guarantee_.publishable]


def folder_bytes(write: Callable[[Path], object]) -> dict[str, bytes]:
    """Write a folder with ``write``, return its files as name -> content, and remove it."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "published"
        write(folder)
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def as_bytes(value: object) -> bytes:
    """Return an attribute of a model as bytes; they differ if any bit of it differs."""
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()).encode() if value.dtype.kind in "OUT" else value.tobytes()
        return f"{value.dtype.kind} {value.shape} ".encode() + content
    return repr(value.as_dict() if hasattr(value, "as_dict") else value).encode()


def differing_bytes(first: Mapping[str, bytes], second: Mapping[str, bytes]) -> int:
    """Return how many bytes differ, including those that only one side has."""
    names = dict.fromkeys([*first, *second])
    pairs = [(first.get(name, b""), second.get(name, b"")) for name in names]
    differing = sum(
        sum(a != b for a, b in zip_longest(*pair)) for pair in pairs if len({*pair}) > 1
    )
    return differing + len(first.keys() ^ second.keys())

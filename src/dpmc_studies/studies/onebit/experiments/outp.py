"""How much one flip changes the solution that output perturbation noises, and an attack on it.

Source: [Li 2021], theorem 4. It adds noise of scale 2 alpha/epsilon to every entry, because one
entry changes by at most 2 alpha. But one flip changes many entries. With Laplace noise of scale s,
a pair of matrices at l1 distance c has exactly epsilon c/s: the likelihood ratio reaches that value
wherever the noise of all entries points away from the other matrix. So with the published noise a
pair has ``true_epsilon`` = epsilon c/(2 alpha), and no pair has more than ``guaranteed_epsilon`` =
epsilon d1 d2. An attack on samples proves less: such a large ratio is rare if many entries
contribute to it, and n samples cannot prove more than about log n.

The experiment measures two kinds of neighbours:

- "block": two diagonal blocks of half the size are all +1, and one entry off the diagonal is
  observed too. Its sign decides the sign of both other blocks, so the change is alpha d1 d2.
- "typical": the synthetic instances of the trials, where a random sign flips.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dpmc.ratings import Ratings
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.seeds import stream
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods.onebit.objective import Objective
from dpmc_studies.methods.onebit.signs import SIGN_RANGE
from dpmc_studies.methods.onebit.solve import Ball, solve
from dpmc_studies.statistics.privacy_bounds import threshold_bound
from dpmc_studies.studies.onebit.cells import (
    BOTH,
    CLEAR,
    NOISES,
    OBSERVED_FRACTION,
    SYNTHETIC,
    OneBitCell,
)
from dpmc_studies.studies.onebit.trial import make_sample

BLOCK = "block"
TYPICAL = "typical"
CONFIDENCE = 0.999
# tighter than for completion: errors of the solver must not count as changes
TOLERANCE = 1e-5
MAX_ITERATIONS = 20_000
CHUNK = 1 << 18  # numbers drawn at once: arrays of 1 MB
LEAST_SHARE = 1e-3  # of the largest change of an entry: what an attack looks at

OUTP_CHANGE_COLUMNS = (
    "instance", "link", "draw", "l1_change", "largest_change", "per_entry_sensitivity",
)  # fmt: skip
OUTP_ATTACK_COLUMNS = (
    "instance", "link", "claimed_epsilon", "true_epsilon", "guaranteed_epsilon", "samples",
    "lower_bound", "confidence",
)  # fmt: skip


def settings(section: Section, cell: Cell | None = None) -> dict[str, object]:
    """Return the seed, the links, the synthetic data and what the attack draws."""
    return {
        "seed": section["seed"],
        "links": list(section["links"]),
        "observed_fraction": OBSERVED_FRACTION,
        **section["datasets"][SYNTHETIC],
        **section["outp_privacy"],
    }


def run(task: Task) -> Mapping[str, list[dict]]:
    """Run the job: both tables."""
    change, attack = run_outp(task.settings)
    return {"outp_change": change, "outp_attack": attack}


def run_outp(settings: Mapping) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return changes by one flip, and attacks on the published noise with them.

    The block instance is not random. Of the typical instances, the one with the median change is
    attacked (of two, the smaller).
    """
    changes, attacks, sensitivity = [], [], 2.0 * settings["alpha"]
    for link in settings["links"]:
        typical = [typical_change(link, settings, draw) for draw in range(settings["trials"])]
        block = block_change(link, settings)
        for draw, change in ((None, block), *enumerate(typical)):
            name, sizes = BLOCK if draw is None else TYPICAL, np.abs(change)
            row = name, link, draw, float(sizes.sum()), float(sizes.max()), sensitivity
            changes.append(dict(zip(OUTP_CHANGE_COLUMNS, row, strict=True)))
        middle = sorted(typical, key=lambda change: np.abs(change).sum())[(len(typical) - 1) // 2]
        for name, change in ((BLOCK, block), (TYPICAL, middle)):
            attacks += _attack_rows(name, link, change, settings)
    return changes, attacks


def block_signs(users: int, items: int, sign: float) -> Ratings:
    """Return +1 in two diagonal blocks of half the size, and ``sign`` at the first entry beside."""
    blocks = np.zeros((users, items))
    half, middle = users // 2, items // 2
    blocks[:half, :middle] = blocks[half:, middle:] = 1.0
    blocks[0, middle] = sign
    rows, columns = np.nonzero(blocks)
    return Ratings(rows, columns, blocks[rows, columns], users, items, BLOCK, SIGN_RANGE)


def block_change(link: str, settings: Mapping) -> np.ndarray:
    """Return by how much the sign beside the blocks moves the solution, shape (users, items).

    The nuclear norm is at most that of a matrix of rank 1 with entries +-alpha.
    """
    users, items = settings["users"], settings["items"]
    pair = [block_signs(users, items, sign) for sign in (1.0, -1.0)]
    return _change(pair, link, settings, rank=1)


def typical_change(link: str, settings: Mapping, draw: int) -> np.ndarray:
    """Return by how much a random sign of a trial's instance moves its solution."""
    cell = OneBitCell(SYNTHETIC, link, BOTH, settings["observed_fraction"], CLEAR, None)
    signs = make_sample(cell, settings, draw).training
    flipped = signs.values.copy()
    rng = cell.stream(settings["seed"], "flip", "dataset", "observed_fraction", trial=draw)
    flipped[rng.integers(len(signs))] *= -1
    return _change([signs, replace(signs, values=flipped)], link, settings, settings["rank"])


def privacy_losses(
    change: np.ndarray, scales: Sequence[float], samples: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw privacy losses log(p/q) of a matrix with independent Laplace noise on its entries.

    Let c be the difference of an entry without noise, s the scale of its noise, and d = |c|/s. The
    loss of the entry is d if its noise points away from the other matrix, and d - 2 min(E, d) if
    not, where E is exponential with mean 1. Each case has probability 1/2, so the loss is
    distributed like d - 2 min(max(E - log 2, 0), d) under p, and like the negative of it under q.
    Entries that differ by less than a thousandth of the largest difference are ignored.

    ``change`` is the difference of the matrices without noise, ``scales`` lists the scales of the
    noise, and ``samples`` is the number of matrices drawn from each of p and q. All scales use the
    same E, so their losses are dependent. The result, float64 of shape (scales, 2, samples), has
    the losses of matrices from p first, and from q second.
    """
    sizes = np.abs(change).ravel()
    sizes = sizes[sizes > LEAST_SHARE * sizes.max()]
    distances = [(sizes / scale).astype(np.float32) for scale in scales]
    losses = np.empty((len(scales), 2 * samples))
    rows = max(1, CHUNK // max(1, sizes.size))
    for begin in range(0, 2 * samples, rows):
        chosen = slice(begin, min(begin + rows, 2 * samples))
        shape = chosen.stop - chosen.start, sizes.size
        noise = rng.standard_exponential(shape, dtype=np.float32)
        noise -= np.float32(math.log(2))
        np.maximum(noise, 0, out=noise)
        for number, distance in enumerate(distances):
            towards = np.minimum(noise, distance).sum(axis=1)
            losses[number, chosen] = distance.sum(dtype=float) - 2.0 * towards
    losses[:, samples:] *= -1
    return losses.reshape(len(scales), 2, samples)


def _change(pair, link, settings, rank) -> np.ndarray:
    """The difference of the clipped solutions of two sets of signs."""
    alpha = float(settings["alpha"])
    ball = Ball(alpha * math.sqrt(settings["users"] * settings["items"] * rank), alpha)
    first, second = (
        solve(
            Objective(signs, link), ball, tolerance=TOLERANCE, max_iterations=MAX_ITERATIONS
        ).matrix
        for signs in pair
    )
    return np.clip(first, -alpha, alpha) - np.clip(second, -alpha, alpha)


def _attack_rows(instance_name, link, change, settings) -> Iterator[dict[str, object]]:
    sensitivity = 2.0 * settings["alpha"]
    epsilons, samples = settings["epsilons"], settings["samples"]
    rng = stream(settings["seed"], "attack", {"instance": instance_name, "link": link})
    scales = [sensitivity / epsilon for epsilon in epsilons]
    losses = privacy_losses(change, scales, samples, rng)
    for epsilon, (first, second) in zip(epsilons, losses, strict=True):
        yield {
            "instance": instance_name,
            "link": link,
            "claimed_epsilon": float(epsilon),
            "true_epsilon": float(epsilon * np.abs(change).sum() / sensitivity),
            "guaranteed_epsilon": float(epsilon * change.size),
            "samples": samples,
            "lower_bound": threshold_bound(first, second, delta=0.0, confidence=CONFIDENCE),
            "confidence": CONFIDENCE,
        }


def modules(section: Mapping, cell: object) -> Iterable[str]:
    """Return the modules that are imported by name."""
    return NOISES


TABLES = {"outp_change": OUTP_CHANGE_COLUMNS, "outp_attack": OUTP_ATTACK_COLUMNS}

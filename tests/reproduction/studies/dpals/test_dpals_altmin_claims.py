"""The claims of the read-me of DP_Matrix_Completion_Alt_Min on made-up tables."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from planted import judged, planted_iterations, planted_trials

from dpmc_studies.studies.dpals.claims.evidence import SIZES

S, C, I, N = "supported", "contradicted", "inconclusive", "no effect"  # noqa: E741
NOT_RUN = "not run"
LOUD = {"spread": 2.0}
# "jester" has the same people as "jester-5k"
LISTED, EPSILONS = ["rank-one-20k", "jester-5k"], [1.0, 5.0, 20.0]
TOP = "ml-10m-top400"
COMPARED = [*LISTED, TOP]


def against(amount, datasets=COMPARED, epsilons=EPSILONS):
    """Return levels where DP-AltMin is apart from DPFW in some cells."""
    levels = {}
    for dataset, epsilon in product(COMPARED, EPSILONS):
        there = dataset in datasets and epsilon in epsilons
        levels[dataset, "dp_altmin", "standard", epsilon] = amount * there
        levels[dataset, "dpfw", "standard", epsilon] = 0.0
    return levels


def by_users(*falls, epsilons=EPSILONS):
    """Return levels of DP-AltMin that fall by so much from size to size at some epsilons."""
    levels = np.concatenate([[0.0], -np.cumsum(falls)])
    return {
        (name, "dp_altmin", "standard", epsilon): level * (epsilon in epsilons)
        for name, level in zip(SIZES, levels, strict=True)
        for epsilon in EPSILONS
    }


PLANTED = [
    ("A1", S, against(-0.1), {}),
    ("A1", S, against(-0.1, LISTED), {}),  # not about MovieLens
    ("A1", C, against(-0.1) | {("jester-5k", "dp_altmin", "standard", 20.0): 0.1}, {}),
    ("A2", S, against(-0.1, [TOP]), {}),
    ("A2", C, against(0.1, [TOP], [20.0]), {}),
    ("A4", S, by_users(0.5, 0.3, 0.2), {}),
    ("A4", C, by_users(0.5, -0.3, 0.2), {}),
]


@pytest.mark.parametrize(("name", "verdict", "levels", "options"), PLANTED)
def test_verdict_on_planted_trials(name, verdict, levels, options):
    found = judged(name, planted_trials(levels, **options))
    assert found["verdict"] == verdict, found["reason"]
    assert found["n"] == 6


@pytest.mark.parametrize("name", ["A1", "A2", "A4"])
def test_a_missing_cell_leaves_no_verdict(name):
    levels = by_users(0.5, 0.3, 0.2) if name == "A4" else against(-0.1)
    lost = ([*SIZES][1] if name == "A4" else TOP if name == "A2" else "jester-5k", 5.0)
    table = planted_trials(levels)
    table = table[(table["dataset"] != lost[0]) | (table["epsilon"] != lost[1])]
    found = judged(name, table)
    assert found["verdict"] == NOT_RUN
    assert "not part of this run" in found["reason"]


def test_nobody_counts_twice():
    """ "jester" and "jester-5k" are one file."""
    levels = against(-0.1) | {("jester", "dp_altmin", "standard", 20.0): 0.1}
    found = judged("A1", planted_trials(levels, spread=1e-7))
    assert found["verdict"] == S
    assert found["reason"].startswith("6 wins, 0 losses, 0 undecided of 6")


NONE = np.nan
FASTER = {("dp_altmin", 5.0): -0.5, ("dpfw", 5.0): -0.1,
          ("altmin_published", NONE): -0.5, ("saltls_published", NONE): -0.4,
          ("frank_wolfe", NONE): -0.1}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "verdict", "changed", "options"),
    [
        ("A3", S, {}, {}),
        ("A3", C, {("altmin_published", NONE): 0.1}, {}),  # without privacy it is slower
        ("A3", C, {("dp_altmin", 5.0): 0.1}, {}),
        ("A3", N, {("dp_altmin", 5.0): -0.1, ("altmin_published", NONE): -0.1}, {}),
        ("A3", I, {}, LOUD),
        ("A5", S, {}, {}),
        ("A5", C, {("altmin_published", NONE): 0.1}, {}),
        ("A5", N, {("altmin_published", NONE): 0.0}, {"seed": 1}),
        ("A5", I, {("altmin_published", NONE): 0.0}, LOUD | {"seed": 1}),
        # whatever ours in the place of what is not defined give
        ("A6", I, {}, {}),
        ("A6", I, {("saltls_published", NONE): 0.1}, {}),
    ],
)
def test_verdict_on_planted_slopes(name, verdict, changed, options):
    found = judged(name, {"iterations": planted_iterations(FASTER | changed, **options)})
    assert found["verdict"] == verdict, found["reason"]


def test_effects_of_slopes():
    table = {"iterations": planted_iterations(FASTER)}
    assert judged("A3", table)["effect"] == pytest.approx(-0.4, abs=2e-3)
    assert judged("A5", table)["effect"] == pytest.approx(-0.5, abs=2e-3)
    found = judged("A6", table)
    assert found["reason"].startswith("cannot be run as printed")
    assert "1 wins, 0 losses" in found["reason"]
    assert np.isnan(found["effect"])


SMOOTHED = ("saltls_published", NONE)


@pytest.mark.parametrize(
    ("name", "lost"), [*(("A3", key) for key in FASTER if key != SMOOTHED), ("A6", SMOOTHED)]
)
def test_one_curve_is_not_enough(name, lost):
    slopes = {key: slope for key, slope in FASTER.items() if key != lost}
    found = judged(name, {"iterations": planted_iterations(slopes)})
    assert found["verdict"] == NOT_RUN
    assert "not part of this run" in found["reason"]


def test_trials_are_paired_by_number():
    table = planted_iterations(FASTER)
    rows = table["method"] == "dpfw"
    common = 5 * table["trial"] * table["iteration"]
    shifted = table.assign(rse=table["rse"] * np.exp(0.01 * common))
    shifted = pd.concat([shifted[rows].sample(frac=1, random_state=0), shifted[~rows]])
    assert judged("A3", {"iterations": shifted})["verdict"] == S

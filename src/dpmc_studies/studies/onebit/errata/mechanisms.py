"""Errata of the one-bit paper: what its mechanisms guarantee.

"One-bit paper" is [Li 2021]. Neighbours differ in one sign; who rated what is public.
"""

import numpy as np
import pandas as pd

from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc_studies.frame.showing.erratum import Evidence, listed
from dpmc_studies.methods.onebit.guarantee import guarantee_of
from dpmc_studies.methods.onebit.links import link_of
from dpmc_studies.studies.onebit.claims.privacy_facts import loss_on_one_entry, one_entry
from dpmc_studies.studies.onebit.errata.sources import Sources
from dpmc_studies.studies.onebit.experiments.outp import BLOCK, block_change

ADMITTED = 0.5  # the chance of flipping -1 where +1 is never flipped
SMALL = 0.001
SIDE = 40  # of the block instance that is solved for this page


def flip_probabilities(sources: Sources) -> Evidence:
    """The condition on two flip probabilities looks at two of four ratios."""
    flips = RandomisedResponse(0.0, ADMITTED)
    others = [
        (1 - flips.p_plus) / flips.p_minus,
        flips.p_minus / (1 - flips.p_plus),
        flips.p_plus / (1 - flips.p_minus),
    ]
    nearly = RandomisedResponse(SMALL, ADMITTED).epsilon()
    return Evidence(
        {"largest_of_three": max(others), "epsilon_nearly": nearly},
        admitted=ADMITTED,
        ratios=listed(others, 2),
        small=SMALL,
    )


def gaussian_objective(sources: Sources) -> Evidence:
    """With the Gaussian link the proof omits a Jacobian, and its sensitivity is loose."""
    link = link_of("gaussian")
    facts = one_entry(link)
    tight, reported = link.sensitivity(1.0), link.published_sensitivity(1.0)
    least = link.log_curvature_ratio(1.0)
    gap = float(-np.diff(link.slope(np.array([-1.0, 1.0])))[0])
    numbers = {
        "tight": tight,
        "reported": reported,
        "jacobian": least,
        "equal": least / (1 - tight / reported),
        # where the loss at the bound, least - gap epsilon/reported, equals epsilon
        "broken": least / (1 + gap / reported),
        "tight_at_3": link.sensitivity(3.0),
        "jacobian_at_3": link.log_curvature_ratio(3.0),
    }
    losses = []
    for epsilon in (0.25, 1.0):
        exact = loss_on_one_entry("objp_paper", facts, epsilon)
        proven = guarantee_of("objp_paper", facts, epsilon).actual_epsilon
        numbers |= {f"exact_{epsilon:g}": exact, f"proven_{epsilon:g}": proven}
        losses.append({"proven": proven, "claimed": epsilon, "exact": exact})
    return Evidence(numbers, losses=losses)


def output_noise(sources: Sources) -> Evidence:
    """OutP: the sensitivity of one entry for that of the matrix."""
    settings = {"users": SIDE, "items": SIDE, "alpha": 1.0}
    moved = float(np.abs(block_change("gaussian", settings)).sum())
    numbers, words, without = {"block": moved, "factor": moved / 2}, {}, []
    block = _changes(sources, block=True)
    if len(block):
        numbers["block_of_the_run"] = float(block["l1_change"].max())
    else:
        without.append("at_full_size")
    typical = _changes(sources, block=False)
    if len(typical):
        medians = typical.groupby("link")["l1_change"].agg(["median", "size"])
        numbers |= {f"typical_{link}": float(row["median"]) for link, row in medians.iterrows()}
        words["medians"] = medians.reset_index().to_dict("records")
    else:
        without.append("typical")
    if sources.attack is not None:
        shares = sources.attack["lower_bound"] / sources.attack["claimed_epsilon"]
        row = sources.attack.loc[shares.idxmax()]
        numbers["proven_over_claimed"] = float(shares.max())
        words |= {"claimed": row["claimed_epsilon"], "proven": row["lower_bound"]}
        words |= {"samples": row["samples"], "confidence_percent": 100 * row["confidence"]}
    else:
        without.append("attack")
    return Evidence(numbers, without, side=SIDE, **words)


def _changes(sources: Sources, *, block: bool) -> pd.DataFrame:
    """Return what one flip does, on the block instance or on typical draws."""
    change = sources.change
    return pd.DataFrame() if change is None else change[(change["instance"] == BLOCK) == block]

"""Other readings of the evidence, and what they change in verdicts."""

import numpy as np
import pandas as pd
from planted import USERS, planted_iterations, planted_trials

from dpmc_studies.studies.dpals.claims.evidence import PREDICATES, evidence_of
from dpmc_studies.studies.dpals.claims.judge import load_dpals_claims
from dpmc_studies.studies.dpals.claims.readings import readings

S, C, I = "supported", "contradicted", "inconclusive"  # noqa: E741
EPSILONS = (1.0, 2.0, 5.0, 10.0, 20.0)
NAMES = ["even trials", "odd trials", "as published", "exact noise", "start of remark 2"]


def evidence(gain=-0.5, **options):
    """DPALS apart from DPFW, on all drawn matrices."""
    levels = {
        (size, method, "standard", epsilon): level
        for size in USERS
        for epsilon in EPSILONS
        for method, level in (("dpals", gain), ("dpfw", 0.0), ("dpals_literal", 0.3),
                              ("dpfw_jain", 0.1), ("dpals_analyze_gauss", -0.9))
    }  # fmt: skip
    return evidence_of({"trials": planted_trials(levels, **options)})


def verdicts(name, found):
    return {reading: PREDICATES[name](each).verdict for reading, each in readings(found).items()}


def test_what_is_certain_depends_on_nothing_but_the_methods():
    assert verdicts("D25", evidence(trials=12)) == dict(zip(NAMES, [S, S, C, S, S], strict=True))


def test_the_private_start_is_a_reading():
    """Seven times the error of DPALS is there with that start alone."""
    found = evidence(trials=12)
    found.tables["trials"].loc[found.tables["trials"]["method"] == "dpfw_jain", "rmse"] *= 3
    found.tables["trials"].loc[
        found.tables["trials"]["method"] == "dpals_analyze_gauss", "rmse"
    ] /= 3
    given = evidence_of(found.tables)
    assert PREDICATES["D4"](given).verdict == C
    assert verdicts("D4", given)["start of remark 2"] == S


def test_private_frank_wolfe_with_exact_noise_is_a_reading():
    """The paper's form decides; the other one is a reading."""
    table = evidence(trials=12).tables["trials"]
    table.loc[table["method"] == "dpfw", "rmse"] *= np.exp(-1.0)
    found = evidence_of({"trials": table})
    assert PREDICATES["D25"](found).verdict == S
    assert verdicts("D25", found)["exact noise"] == C


def test_even_and_odd_trials():
    found = evidence(trials=12)
    odd = found.tables["trials"]["trial"] % 2 == 1
    ours = found.tables["trials"]["method"] == "dpals"
    found.tables["trials"].loc[odd & ours, "rmse"] *= np.exp(2.0)
    own = verdicts("D25", evidence_of(found.tables))
    assert (own["even trials"], own["odd trials"]) == (S, C)
    halves = [readings(found)[name].tables["trials"] for name in ("even trials", "odd trials")]
    assert sorted(pd.concat(halves)["trial"].unique()) == list(range(12))
    assert len(halves[0]) == len(halves[1]) == len(found.tables["trials"]) / 2


def test_iterations_and_repeats_are_read_so_too():
    steps = planted_iterations({("altmin_published", np.nan): -0.5}, trials=5)
    timing = pd.DataFrame({"method": ["als"] * 4, "repeat": range(4), "seconds": 1.0})
    timing = timing.assign(users=9, items=3, ratings=20, rank=2)
    found = readings(evidence_of({"iterations": steps, "timing": timing}))
    assert found["even trials"].tables["iterations"]["trial"].unique().tolist() == [0, 2, 4]
    assert found["odd trials"].tables["timing"]["repeat"].tolist() == [1, 3]


def test_what_was_not_run_is_missing_and_the_evidence_stays():
    found = evidence(trials=4)
    before = found.tables["trials"].copy()
    lacking = found.tables["trials"].query("method != 'dpals_literal'")
    one = readings(evidence_of({"trials": lacking}))["as published"]
    assert "not part of this run" in PREDICATES["D25"](one).reason
    pd.testing.assert_frame_equal(found.tables["trials"], before)


def test_every_claim_has_every_reading():
    for each in readings(evidence_of({})).values():
        for claim in load_dpals_claims():
            assert PREDICATES[claim["id"]](each).verdict == I

"""Audits of calibrated methods: sensitivities hold and are attained, losses keep to the budget."""

import numpy as np
import pytest

from dpmc.privacy.calibration import CALIBRATED
from dpmc.privacy.ledger import FloatNoise
from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    RELATIONS,
    USER_ADD_REMOVE,
    USER_REPLACE,
)
from dpmc_studies.studies.audit import method_runs
from dpmc_studies.studies.audit.faults import RUNS
from dpmc_studies.studies.audit.faults.methods import METHOD_FAULTS, faulty_method_rows
from dpmc_studies.studies.audit.method_runs import (
    FACTOR_METHODS,
    METHODS,
    audited_method,
    largest_changes,
    method_rows,
)
from dpmc_studies.studies.audit.neighbours import neighbours
from dpmc_studies.studies.audit.rows import AUDIT_COLUMNS, caught_row
from dpmc_studies.studies.audit.traces import follow

pytestmark = pytest.mark.slow

FEW_RUNS = 60
TESTS = ["sensitivity", "likelihood_ratio", "privacy_loss", "kolmogorov_smirnov", "independence"]


@pytest.fixture(autouse=True)
def few_starts(monkeypatch):
    monkeypatch.setattr(method_runs, "STARTS", 4)


def noised(method, relation, mechanism, seed=0):
    made = audited_method(method, relation, mechanism)
    rng = np.random.default_rng(seed)
    return made, FloatNoise(made.calibration.noise, rng), rng


def as_sets(ratings):
    triplets = zip(ratings.users, ratings.items, ratings.values, strict=True)
    return {(int(user), int(item), float(value)) for user, item, value in triplets}


@pytest.mark.parametrize("relation", RELATIONS)
def test_neighbours_differ_as_the_relation_says(relation):
    for here, there in neighbours(relation, np.random.default_rng(1)).values():
        gone, come = as_sets(here) - as_sets(there), as_sets(there) - as_sets(here)
        assert (here.n_users, here.n_items) == (there.n_users, there.n_items)
        assert gone
        assert {user for user, _, _ in gone | come} == {0}
        if relation == ENTRY_CHANGE:
            assert [(u, i) for u, i, _ in gone] == [(u, i) for u, i, _ in come]
            assert len(gone) == 1
        elif relation == ENTRY_ADD_REMOVE:
            assert (len(gone), len(come)) == (1, 0)
        elif relation == USER_ADD_REMOVE:
            assert 0 not in there.users


def attainable(relation, mechanism, what):
    """The share of its sensitivity up to which these neighbours surely change a statistic.

    A user's row goes with the signs of the user's ratings. So the products of both are not simply
    opposite for a user with opposite ratings; one who rates other items moves 2 k blocks by half
    of what the sensitivity grants to k: a share of 2^(1/2 - 1) in the l2 norm, all of it in l1.
    """
    products = what in ("right_hand_side", "residual")
    return 0.5**0.5 if (relation, mechanism) == (USER_REPLACE, "gaussian") and products else 1.0


@pytest.mark.parametrize("mechanism", CALIBRATED)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("method", METHODS)
def test_changes_keep_to_their_sensitivities_and_attain_them(method, relation, mechanism):
    rng = np.random.default_rng(2)
    changes = {}
    for bare in (True, False) if method in FACTOR_METHODS else (True,):
        made = audited_method(method, relation, mechanism, bare=bare)
        noise = FloatNoise(made.calibration.noise, rng)
        for what, change in largest_changes(made, noise, relation, rng).items():
            changes[what] = max(changes.get(what, 0.0), change)
    assert changes
    for what, change in changes.items():
        assert change <= 1 + 1e-9, what
        assert change >= 0.95 * attainable(relation, mechanism, what), what


@pytest.mark.parametrize("mechanism", ["gaussian", "huber"])
@pytest.mark.parametrize("relation", [ENTRY_CHANGE, USER_ADD_REMOVE])
def test_likelihood_ratios_of_transcripts_average_to_one(mechanism, relation):
    # E[exp(-loss)] = 1 exactly; at five standard errors a right loss fails 6e-7 of the time,
    # and one of the wrong sign, whose mean is above 3, passes by chance hardly more often
    made, noise, rng = noised("private_als", relation, mechanism, seed=3)
    pair = neighbours(relation, rng)["extreme"]
    ratios = np.exp([-follow(made, noise, *pair, seed=1).loss for _ in range(400)])
    assert abs(ratios.mean() - 1) < 5 * ratios.std() / 20 < 1


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("method", METHODS)
def test_right_methods_pass(method, relation):
    # 4 tests of chance each: two fail 0.1 % of the time at most, two 1e-6
    mechanism = CALIBRATED[(METHODS.index(method) + list(RELATIONS).index(relation)) % 3]
    made, noise, rng = noised(method, relation, mechanism)
    key = {"method": method, "relation": relation, "mechanism": mechanism}
    rows = list(method_rows([(made, noise)], FEW_RUNS, rng, key))
    assert [row["test"] for row in rows] == TESTS
    assert all(row["passed"] for row in rows)
    assert all(tuple(row) == AUDIT_COLUMNS for row in rows)
    assert all(row["claimed_epsilon"] == made.epsilon for row in rows)


@pytest.mark.parametrize("fault", METHOD_FAULTS)
def test_planted_faults_are_caught(fault):
    row = caught_row(fault, faulty_method_rows(fault, RUNS, np.random.default_rng(5)))
    assert row["passed"]
    assert row["planted_fault"] == fault

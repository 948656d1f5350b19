"""The audit of what is published: honest methods pass, and every planted fault is caught.

Nothing here is left to chance but the draws of the list, whose row fails a right choice with a
probability of at most 1e-6; the seeds are fixed.
"""

import numpy as np
import pytest

from dpmc.fitting.parameters import METHODS
from dpmc.privacy.ledger import FloatNoise
from dpmc.privacy.relations import RELATIONS, USER_ADD_REMOVE, USER_LEVEL, USER_REPLACE
from dpmc_studies.studies.audit import released
from dpmc_studies.studies.audit.dpals import FAMILIES
from dpmc_studies.studies.audit.faults.released import (
    CHOICE_FAULTS,
    PUBLISHER_FAULTS,
    faulty_published_rows,
)
from dpmc_studies.studies.audit.item_lists import OWN_ITEMS, carriers
from dpmc_studies.studies.audit.neighbours import RATINGS_PER_USER, labelled_neighbours
from dpmc_studies.studies.audit.released import (
    PUBLISHED,
    PUBLISHED_AT_ENTRY_LEVEL,
    Publisher,
    as_bytes,
    differing_bytes,
    publisher_rows,
)
from dpmc_studies.studies.audit.released_items import AUDITED, choice_rows, listing_row
from dpmc_studies.studies.audit.released_rows import (
    FITTED,
    FITTED_FAMILIES,
    published_method,
    published_methods,
)
from dpmc_studies.studies.audit.rows import AUDIT_COLUMNS, caught_row

pytestmark = pytest.mark.slow

COMBINATIONS = list(published_methods())
OF_USERS = [
    (name, mechanism) for name, relation, mechanism in COMBINATIONS if relation == USER_REPLACE
]


def people(ratings):
    """Label -> {item label: rating}."""
    found = {label: {} for label in ratings.user_labels.tolist()}
    for user, item, value in zip(ratings.users, ratings.items, ratings.values, strict=True):
        found[ratings.user_labels[user]][ratings.item_labels[item]] = value
    return found


@pytest.mark.parametrize("relation", USER_LEVEL)
def test_labelled_neighbours_differ_in_one_user_and_renumber_the_others(relation):
    pairs = labelled_neighbours(relation, np.random.default_rng(0))
    for name, (here, there) in pairs.items():
        first, second = people(here), people(there)
        gone, come = first.keys() - second.keys(), second.keys() - first.keys()
        assert all(first[label] == second[label] for label in first.keys() & second.keys())
        assert min(map(len, first.values())) > RATINGS_PER_USER
        assert (here.item_labels == there.item_labels).all()
        sizes = (len(gone), len(come))
        if relation == USER_REPLACE:
            assert sizes == (1, 1)
            assert {*first[gone.pop()]} != {*second[come.pop()]}
        else:
            assert sizes == ((0, 1) if name.startswith("joins") else (1, 0))
            assert abs(here.n_users - there.n_users) == 1
        common = [label for label in second if label in first]
        order = [here.user_labels.tolist().index(label) for label in common]
        assert (order != sorted(order)) == ("reordered" in name)
    kinds = {name.partition(",")[0] for name in pairs}
    assert len(kinds) == (2 if relation == USER_REPLACE else 3)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("name", "relation", "mechanism"), COMBINATIONS)
def test_honest_methods_publish_nothing_but_their_releases(
    name, relation, mechanism, seed, monkeypatch
):
    monkeypatch.setattr(released, "STARTS", 1)
    key = {"method": name, "relation": relation, "mechanism": mechanism}
    publisher = Publisher(published_method(**key))
    rows = list(publisher_rows(publisher, np.random.default_rng(seed), key))
    assert [row["test"] for row in rows] == ["sensitivity", "published"]
    assert all(row["passed"] for row in rows), rows
    assert all(tuple(row) == AUDIT_COLUMNS for row in rows)
    assert rows[0]["measured"] > 0.5  # the changes of these neighbours are near to the largest
    assert rows[1]["measured"] == 0


def test_every_method_is_there():
    """All that ``dpmc fit`` can publish, and nothing else."""
    fitted = {(FAMILIES[name][0] if name in FAMILIES else name) for name, *_ in COMBINATIONS}
    assert fitted == {*METHODS.values()} == {*AUDITED}
    assert {each for each in FAMILIES if FAMILIES[each][0] in fitted} == {*FITTED_FAMILIES}
    for name in FITTED:
        found = {(relation, noise) for each, relation, noise in COMBINATIONS if each == name}
        assert found == {(each, "gaussian") for each in RELATIONS} | {
            (each, "laplace") for each in RELATIONS if each not in USER_LEVEL
        }


@pytest.mark.parametrize(("name", "mechanism"), OF_USERS)
def test_every_attribute_of_a_fit_is_said_to_be_published_or_not(name, mechanism):
    rng = np.random.default_rng(6)
    publisher = Publisher(published_method(name, USER_ADD_REMOVE, mechanism))
    noise = FloatNoise(publisher.method.calibration.noise, rng)
    ratings, _ = labelled_neighbours(USER_ADD_REMOVE, rng)["leaves, random"]
    model, _ = publisher.fit(ratings, noise, b"key of 16 bytes!", 3)
    fitted = {each for each in vars(model) if each.endswith("_") and not each.startswith("_")}
    assert fitted <= {*PUBLISHED, *PUBLISHED_AT_ENTRY_LEVEL}
    assert not {*PUBLISHED} & {*PUBLISHED_AT_ENTRY_LEVEL}
    publication = publisher.publication(model)
    assert {"item_factors_", "guarantee_", "item_labels_"} < publication.keys()
    assert {"simulated_guarantee.json", "simulated_item_factors.csv"} < publication.keys()


MEANT = {"threshold without room for k items": "selection",
         "choice of items not charged": "accounting"}  # fmt: skip


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("fault", [*PUBLISHER_FAULTS, *CHOICE_FAULTS])
def test_planted_faults_are_caught(fault, seed):
    row = caught_row(fault, faulty_published_rows(fault, np.random.default_rng(seed)))
    assert row["passed"], fault
    assert row["planted_fault"] == fault
    assert row["test"] == MEANT.get(fault, row["test"])


@pytest.mark.parametrize("relation", USER_LEVEL)
def test_the_private_choice_of_items_passes(relation):
    for method in AUDITED:
        rows = list(choice_rows(method, relation, np.random.default_rng(7)))
        assert [row["test"] for row in rows] == [
            "sensitivity", "selection", "accounting", "published",
        ]  # fmt: skip
        assert all(row["passed"] for row in rows), rows
        # as many own items are counted as there may be, and all of the budget is spent
        # counts and pairs of likes are bounded for more of them than count here
        near = 0.15 if method == "local_ease" else 0.05
        assert [row["measured"] for row in rows] == pytest.approx([1, 1, 1, 0], abs=near)


@pytest.mark.parametrize("relation", USER_LEVEL)
def test_own_items_are_listed_as_rarely_as_stated(relation):
    # with the exact noise a right choice fails once in a million runs
    row = listing_row(relation)
    assert row["passed"]
    assert row["confidence"] == 1 - 1e-6
    assert row["measured"] > 0.3


def test_only_the_carrier_has_own_items():
    for relation in USER_LEVEL:
        here, there = map(people, carriers(relation, np.random.default_rng(9)))
        gone, come = here.keys() - there.keys(), there.keys() - here.keys()
        assert (len(gone), len(come)) == ((1, 1) if relation == USER_REPLACE else (1, 0))
        items = [{item for row in side.values() for item in row} for side in (here, there)]
        assert len(items[0] - items[1]) == OWN_ITEMS > RATINGS_PER_USER
        assert len(items[1] - items[0]) == (OWN_ITEMS if relation == USER_REPLACE else 0)


def test_one_bit_more_or_less_counts():
    numbers = np.array([1.0, 2.0])
    near = np.nextafter(numbers, 3.0)
    assert differing_bytes({"a": as_bytes(numbers)}, {"a": as_bytes(near)}) > 0
    assert differing_bytes({"a": as_bytes(numbers)}, {"a": as_bytes(numbers.copy())}) == 0
    assert differing_bytes({"a": as_bytes(numbers)}, {"a": as_bytes(numbers[:, None])}) > 0
    assert differing_bytes({"a": as_bytes(np.array([0.0]))}, {"a": as_bytes(-np.zeros(1))}) > 0
    assert differing_bytes({"a": b"x"}, {}) > 0
    assert differing_bytes({"a": b""}, {}) > 0
    labels = np.array(["a", "bc"]), np.array(["a", "bd"])
    assert differing_bytes(*({"l": as_bytes(each)} for each in labels)) == 1

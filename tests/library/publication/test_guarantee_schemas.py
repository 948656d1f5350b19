"""The format of guarantee.json: its JSON Schema holds of all that is written, and little else."""

import json
from copy import deepcopy
from itertools import takewhile

import pytest
from jsonschema import Draft202012Validator
from small_tables import (
    guarantee_of,
    refused,
)

from dpmc.errors import InputError
from dpmc.methods.released.verify import SCHEMA, verify

NAME = "dpmc-fit-2"
FORMAT = json.loads(SCHEMA.read_text("utf-8"))
VALIDATOR = Draft202012Validator(FORMAT)
FOLDERS = ("public", "privately", "bayes", "not told", "features", "entry")


def required(schema, place=()):
    """Yield the place of every required key; of alternatives, those of the object."""
    for each in schema.get("oneOf", [schema]):
        for key in each.get("required", ()):
            yield (*place, key)
        for key, inner in each.get("properties", {}).items():
            yield from required(inner, (*place, key))


REQUIRED = list(required(FORMAT))


def test_the_schema_is_a_schema():
    assert FORMAT["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(FORMAT)
    assert FORMAT["properties"]["format"] == {"const": NAME}
    assert set(FORMAT["required"]) <= set(FORMAT["properties"])
    assert FORMAT["additionalProperties"] is False
    assert [path.name for path in SCHEMA.parent.iterdir()] == [f"{NAME}.json"]
    assert {("sentence",), ("lists", "users", "sha256"), ("listed", "threshold")} <= {*REQUIRED}


@pytest.mark.parametrize("place", REQUIRED, ids=".".join)
def test_no_required_key_may_lack(place, published, copy):
    own = {"listed": "privately", "worth": "bayes", "outcome": "bayes", "item_features": "features"}
    source = own.get(place[0], "entry")
    stated = guarantee_of(published(source))
    VALIDATOR.validate(stated)
    inner = stated
    for key in place[:-1]:
        inner = inner[key]
    del inner[place[-1]]
    assert not VALIDATOR.is_valid(stated)
    folder = copy(source)
    (folder / "guarantee.json").write_text(json.dumps(stated, indent=2) + "\n")
    refused("verify", folder)


# -- any other value ------------------------------------------------------------------------------

VALUES = (
    None, 0, -1, 1, 0.5, 7, 1e300, 1e-300, 10**400, "1e999", "other words", [], True, "infinite",
)  # fmt: skip
CHOICES = (
    "factor_bound", "residual_bound", "regularization", "user_regularization", "held_out",
)  # fmt: skip
"""What no other number follows from: another one is another fit, with a guarantee as good."""


def places(value, place=()):
    if place:
        yield place
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*place, key))


def changed(stated, place, value):
    stated = deepcopy(stated)
    inner = stated
    for key in place[:-1]:
        inner = inner[key]
    if type(inner[place[-1]]) is type(value) and inner[place[-1]] == value:
        return None
    inner[place[-1]] = value
    return (json.dumps(stated, indent=2) + "\n").replace('"1e999"', "1e999")


def is_free(place, before, value):
    if place[0] == "attacker" and value == 1 and before > 1 - 1e-9:
        return True
    free = {"constants": CHOICES, "outcome": ["steps_taken_back"]}
    free["item_features"] = ["names", "count"]  # which no published file holds
    return not {*free.get(place[0], ())}.isdisjoint(place[1:])


def is_refused(folder):
    try:
        verify(folder)
    except InputError as error:
        return "\n" not in str(error)
    return False


@pytest.mark.parametrize("name", FOLDERS)
def test_any_other_value_is_refused_unless_it_cannot_be_seen(name, published, copy):
    """Every number, word and list replaced by what does not belong there: never a traceback.

    All values where no folder before has the place, a quarter of them elsewhere.
    """
    folder = copy(name)
    stated, seen, known = guarantee_of(folder), 0, set()
    for other in takewhile(lambda other: other != name, FOLDERS):
        known |= {*places(guarantee_of(published(other)))}
    for number, place in enumerate(places(stated)):
        before = stated
        for key in place:
            before = before[key]
        for value in VALUES[number % 4 :: 4] if place in known else VALUES:
            text = changed(stated, place, value)
            if text is None:
                continue
            seen += 1
            (folder / "guarantee.json").unlink()  # to write over it would wait for the disk
            (folder / "guarantee.json").write_text(text)
            assert is_refused(folder) or is_free(place, before, value), (place, value)
    assert seen > (200 if known else 700)


# -- whatever is fitted ---------------------------------------------------------------------------

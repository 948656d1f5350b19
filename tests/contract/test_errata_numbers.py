"""Errata of all studies: numbers that their texts state are those that a computation gives."""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from errata_numbers import dpals, huber, onebit, which_model

from dpmc.datasets import read, resolve
from dpmc_studies import studies
from dpmc_studies.frame.showing.texts import fill
from dpmc_studies.yaml_files import read_mapping

MODULES = {"huber": huber, "onebit": onebit, "dpals": dpals, "which_model": which_model}
COMPUTED = {name: module.ENTRIES for name, module in MODULES.items()}
STUDIES = studies.load()
DIGITS = read_mapping(Path(dpals.__file__).with_name("numbers.yaml"))
TABLES = Path(__file__).parents[2] / "results" / "reference" / "dpals" / "tables"
MIRROR = os.environ.get("DPMC_DATA_MIRROR")
FILES = {"sweetrs": "ratings-final.csv", "ml-100k": "u.data", "restaurant": "rating_final.csv"}
OF_DATA = ("E5", "E8", "E10", "E11", "E28", "E29")
BETWEEN = " … "


@pytest.fixture(scope="module")
def sources():
    """What each study's computations are given."""
    files = {name: Path(MIRROR) / name / file for name, file in FILES.items()} if MIRROR else {}
    ratings = {name: read(resolve(name), file) for name, file in files.items()}
    onebit_data = SimpleNamespace(ratings=ratings)
    trials = pd.read_csv(TABLES / "trials.csv.xz")
    return {"huber": huber.Sources(ratings, files), "onebit": onebit_data, "dpals": trials}


def stated(id_, digits, found):
    """Return the numbers that a text states, in their order."""
    values = {**found.numbers, **found.words}
    for name, text in digits.get("each", {}).items():
        values[name] = BETWEEN.join(fill(text, row, id_) for row in values[name])
    return fill(digits["numbers"], values, id_).split(BETWEEN)


@pytest.mark.parametrize(
    ("study", "id_"), [(study, id_) for study, entries in COMPUTED.items() for id_ in entries]
)
def test_a_text_states_what_its_computation_gives(study, id_, sources):
    if id_ in OF_DATA and not MIRROR:
        pytest.skip("DPMC_DATA_MIRROR does not name the real data files")
    entry = read_mapping(STUDIES[study].errata)[id_]
    text = " ".join(" ".join(entry[name] for name in ("published", "correct", "evidence")).split())
    numbers = stated(id_, DIGITS[study][id_], COMPUTED[study][id_](sources.get(study)))
    place = 0
    for number in numbers:
        found = re.compile(rf"(?<![\d.,]){re.escape(number)}(?![\d])").search(text, place)
        assert found, f"{number} is not in: {text[place:]}"
        place = found.end()


PLAIN = {"onebit": {"E24", "E81", "E82", "E83", "E84"}}
"""Errors without consequence whose numbers a reader checks by counting, or by a known formula."""


@pytest.mark.parametrize("study", COMPUTED)
def test_every_erratum_is_computed(study):
    texts = set(read_mapping(STUDIES[study].errata))
    assert set(COMPUTED[study]) | PLAIN.get(study, set()) == texts
    assert set(DIGITS[study]) == set(COMPUTED[study])

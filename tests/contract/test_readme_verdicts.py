"""What the documents say of verdicts is what the reference expects of a full run."""

import re

import pandas as pd
import pytest
import yaml
from document_texts import DOCUMENTS, HOME, README, name_of, words_of
from every_study import ONCE, STUDIES

from dpmc_studies.frame.judging.finding import NOT_RUN, VERDICTS

NAMED = rf"claim ([A-Z]\d+): ({'|'.join(VERDICTS)})"


def named_in(document):
    return re.findall(NAMED, words_of(document))


def expected(study, profile="full"):
    path = HOME / "results" / "reference" / study / "expected" / profile / "claims.csv"
    return pd.read_csv(path).set_index("id")["verdict"] if path.is_file() else pd.Series(dtype=str)


def judged_once(study):
    """Verdicts of a full run; of what it does not run, those of an overlay of config/once."""
    verdicts = expected(study)
    for overlay in ONCE:
        once = expected(study, overlay.stem)
        if len(once):
            verdicts = verdicts.where(verdicts != NOT_RUN, once)
    return verdicts


def of_papers(study):
    """Verdicts on what the papers claim, without claims of our own."""
    files = [file for step in STUDIES[study].steps for file in step.files]
    claims = [
        each
        for file in files
        if file.name == "claims.yaml"
        for each in yaml.safe_load(file.read_text())
    ]
    own = [each["id"] for each in claims if each.get("own")]
    return expected(study).drop(own, errors="ignore")


@pytest.mark.parametrize("document", [*filter(named_in, DOCUMENTS)], ids=name_of)
def test_verdicts_that_are_named(document):
    verdicts = pd.concat([judged_once(study) for study in STUDIES])
    named = named_in(document)
    assert [(name, verdicts[name]) for name, _ in named] == named


def test_the_readme_names_a_verdict():
    assert named_in(README)


def test_counts_of_verdicts():
    head = f"| claims of | judged | {' | '.join(VERDICTS)} |"
    text = README.read_text(encoding="utf-8")
    assert text.count(head) == 1
    rows = text.split(head)[1].split("\n\n")[0].strip().splitlines()[1:]
    counted = {}
    for row in rows:
        name, *numbers = (cell.strip() for cell in row.strip("| ").split("|"))
        counted[re.search(r"`(\w+)`", name)[1]] = [int(number) for number in numbers]
    for study, numbers in counted.items():
        verdicts = of_papers(study)
        assert numbers == [len(verdicts), *((verdicts == each).sum() for each in VERDICTS)]
    assert set(counted) == {study for study in STUDIES if len(of_papers(study))}

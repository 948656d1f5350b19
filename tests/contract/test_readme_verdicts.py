"""What README.md says of verdicts is what the reference expects of a full run."""

import re
from pathlib import Path

import pandas as pd
from every_study import STUDIES

from dpmc.study.finding import VERDICTS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def expected(study):
    path = ROOT / "results" / "reference" / study / "expected" / "full" / "claims.csv"
    return pd.read_csv(path).set_index("id")["verdict"] if path.is_file() else pd.Series(dtype=str)


def test_verdicts_that_are_named():
    verdicts = pd.concat([expected(study) for study in STUDIES])
    named = re.findall(rf"claim ([A-Z]\d+): ({'|'.join(VERDICTS)})", README)
    assert named
    assert [(name, verdicts[name]) for name, _ in named] == named


def test_counts_of_verdicts():
    head = f"| claims of | judged | {' | '.join(VERDICTS)} |"
    assert README.count(head) == 1
    rows = README.split(head)[1].split("\n\n")[0].strip().splitlines()[1:]
    counted = {}
    for row in rows:
        name, *numbers = (cell.strip() for cell in row.strip("| ").split("|"))
        counted[re.search(r"`(\w+)`", name)[1]] = [int(number) for number in numbers]
    for study, numbers in counted.items():
        verdicts = expected(study)
        assert numbers == [len(verdicts), *((verdicts == each).sum() for each in VERDICTS)]
    assert set(counted) == {study for study in STUDIES if len(expected(study))}

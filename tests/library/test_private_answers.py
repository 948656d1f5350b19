"""What `dpmc fit` says for all to hear, and that a fit that fails has spent its budget."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from dpmc import cli
from dpmc.privacy.ledger import Ledger, PrivacyViolation

ITEMS = [f"i{number}" for number in range(8)]
SPOKEN = {
    "relation", "epsilon", "delta", "method", "mechanism", "rank", "folder", "files",
    "may_be_published", "must_not_be_published", "provided_that", "sentence", "assumed_public",
    "next_commands", "worth", "outcome", "outcome_in_words", "ledger",
}  # fmt: skip
"""Each is a setting, or made of what was released."""
ODD = [("odd", "i0", 9), ("odd", "i0", 1), ("odd", "unlisted", 2), *(("odd", i, 4) for i in ITEMS)]
"""A user's lines that are clipped, merged, left out, and more than count."""


def crowd():
    rng = np.random.default_rng(0)
    return [(f"u{u}", item, int(rng.integers(1, 6))) for u in range(30) for item in ITEMS[u % 3 :]]


def invoked(lines, *options):
    """Run dpmc fit in this folder."""
    pd.DataFrame(lines, columns=["user", "item", "rating"]).to_csv("mine.csv", index=False)
    pd.Series(ITEMS).to_csv("items.txt", index=False, header=False)
    given = ["--ratings", "mine.csv", "--items", "items.txt", "--output", "out", "--force"]
    budget = [
        "--relation",
        "user",
        "--epsilon",
        "20",
        "--delta",
        "0.0033",  # for 30 users, and not for one more
        "--rating-range",
        "1",
        "5",
    ]
    return CliRunner().invoke(cli.cli, ["fit", *given, *budget, *options])


@pytest.mark.parametrize("form", [["--json"], []], ids=["json", "text"])
@pytest.mark.parametrize("method", ["bias", "als"])
def test_what_is_said_aloud_does_not_depend_on_one_user(method, form, tmp_path, monkeypatch):
    """Simulated, with a rank that is given: whatever else differs is of the ratings."""
    monkeypatch.chdir(tmp_path)
    options = ["--method", method, "--ratings-per-user", "6", "--simulate", "1", *form]
    here, there = (invoked(lines, *options) for lines in (crowd(), crowd() + ODD))
    assert here.exit_code == there.exit_code == 0
    assert here.stdout == there.stdout
    assert here.stderr != there.stderr  # for whoever runs it alone
    assert "and clipped to it" in there.stderr
    assert ["and not for 31" in each.stderr for each in (here, there)] == [False, True]
    if form:
        assert set(json.loads(here.stdout)) == SPOKEN


@pytest.fixture
def failing(monkeypatch):
    """Make the third release of all fail, after its noise was drawn; return the ledgers of all."""
    made, release = [], Ledger.release

    def failing_once(ledger, *given, **named):
        output = release(ledger, *given, **named)
        made.append(ledger)
        if len(made) == 3:
            raise np.linalg.LinAlgError("Singular matrix")
        return output

    monkeypatch.setattr(Ledger, "release", failing_once)
    return made


def has_spent_three_releases(ledger):
    """And refuses what there would be room for if half of them had been free."""
    assert ledger.count == 3
    assert 0 < ledger.spent < ledger.releases
    weight = (ledger.releases - ledger.spent / 2) ** -0.5
    with pytest.raises(PrivacyViolation, match="releases were accounted for"):
        ledger.release("again", np.zeros(1), 1.0, weight=weight)


@pytest.mark.parametrize("method", ["bayes", "als"])
def test_a_fit_that_fails_is_not_made_again(method, failing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoked(crowd(), "--method", method)
    assert isinstance(result.exception, np.linalg.LinAlgError)
    assert len(failing) == 3
    assert not (tmp_path / "out").exists()
    has_spent_three_releases(failing[0])

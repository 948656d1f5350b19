"""Texts in files: placeholders resolve, on both sides, or it is an error that names the place."""

import pytest

from dpmc.errors import InputError
from dpmc_studies.frame.showing.erratum import Evidence, filled, read_errata

ENTRY = {
    "title": "Sign",
    "grade": "unstated",
    "place": "table 1",
    "published": "{reported:g}",
    "correct": "−",
    "evidence": {"always": "{share:.1%} of {rows}.", "sometimes": "Of data {mean:g}."},
    "each": {"rows": {"text": "{name} {n:,}", "joins": " and "}},
}
ROWS = [{"name": "users", "n": 1000}, {"name": "items", "n": 2}]
WORDS = {"reported": 1.0, "rows": ROWS}


def test_placeholders_are_filled_and_what_needs_absent_data_is_left_out():
    found = filled("E1", ENTRY, Evidence({"share": 0.125, "mean": 3, "other": 9}, **WORDS))
    assert (found.id, found.title, found.published) == ("E1", "Sign", "1")
    assert found.evidence == "12.5% of users 1,000 and items 2. Of data 3."
    assert found.numbers == {"share": 0.125, "mean": 3, "other": 9}
    absent = filled("E1", ENTRY, Evidence({"share": 0.125}, ["sometimes"], **WORDS))
    assert absent.evidence == "12.5% of users 1,000 and items 2."
    nothing = filled("E1", ENTRY, Evidence({}, ["always", "sometimes"], reported=1.0))
    assert nothing.evidence == "Not part of this run."


@pytest.mark.parametrize(
    ("evidence", "problem"),
    [
        (Evidence({"mean": 3}, **WORDS), "E1: nothing is known of {share}."),
        (
            Evidence({"share": 1, "mean": 3}, **WORDS, word=1),
            "E1: no text has a placeholder {word}.",
        ),
        (
            Evidence({"share": 1, "mean": 3}, reported=1, rows=[{"name": "users"}]),
            "E1, rows: nothing is known of {n}.",
        ),
        (
            Evidence({"share": 1, "mean": 3}, reported=1, rows=[{"name": "a", "n": 1, "m": 2}]),
            "E1, rows: no text has a placeholder {m}.",
        ),
        (Evidence({"share": 1}, ["seldom"], **WORDS), "E1: there is no sentence seldom."),
    ],
)
def test_what_does_not_resolve_is_an_error(evidence, problem):
    with pytest.raises(InputError) as caught:
        filled("E1", ENTRY, evidence)
    assert str(caught.value) == problem


def test_every_function_has_a_text_and_a_text_without_one_no_placeholder(tmp_path):
    path = tmp_path / "errata.yaml"
    entry = "{title: a, grade: b, place: c, published: d, correct: e, evidence: "
    path.write_text(f"E2: {entry}f}}\nE3: {entry}'{{n}}'}}\n")
    show = {"E3": lambda _: Evidence({"n": 2})}
    assert [each.evidence for each in read_errata(path, show, None)] == ["f", "2"]
    with pytest.raises(InputError, match="E4 has a function, but no text"):
        read_errata(path, show | {"E4": show["E3"]}, None)
    with pytest.raises(InputError, match=r"nothing is known of \{n\}"):
        read_errata(path, {}, None)

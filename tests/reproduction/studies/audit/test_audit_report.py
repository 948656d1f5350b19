"""Figure, table and finding of the audit show what it found."""

from itertools import groupby

import matplotlib
import numpy as np
import pandas as pd
import pytest
from fake_results.audit import FAULTS, fake_audit

from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc_studies.frame.showing.style import RC
from dpmc_studies.studies.audit.claims import PREDICATES
from dpmc_studies.studies.audit.figures import FIGURES, audit_rows
from dpmc_studies.studies.audit.frames import describe_audit, row_label, with_share
from dpmc_studies.studies.audit.tables import attack_table, attacks


@pytest.fixture(scope="module")
def results():
    return {"audit": fake_audit()}


@pytest.fixture(scope="module")
def drawings(results):
    with matplotlib.rc_context(RC):
        return {entry.id: entry.function(results) for entry in FIGURES}


def test_the_audit_marks_faults_as_caught_or_missed(drawings, results):
    honest, planted = drawings["privacy_audit"].figure.axes
    assert [text.get_text() for text in planted.texts] == [
        "caught", "caught, p < 0.001", "caught", "caught", "caught",
    ]  # fmt: skip
    assert {text.get_text() for text in honest.texts} == {"passed, p = 0.43", "passed"}
    labels = [label.get_text() for label in planted.get_yticklabels()]
    assert [label.partition(":")[0] for label in labels] == [
        fault[0].upper() + fault[1:] for fault in FAULTS
    ]
    audit = results["audit"].copy()
    audit.loc[audit["planted_fault"] == FAULTS[0], "passed"] = False
    audit.loc[(audit["method"] == "private_als") & (audit["test"] == "privacy_loss"), "passed"] = (
        False
    )
    with matplotlib.rc_context(RC):
        honest, planted = FIGURES[-1].function({"audit": audit}).figure.axes
    assert planted.texts[0].get_text() == "missed"
    assert [text.get_text() for text in honest.texts].count("exceeded") == 4


def test_the_key_figure_counts_by_test(drawings, results):
    audit = results["audit"]
    (axes,) = drawings["privacy_audit_tests"].figure.axes
    texts = [text.get_text() for text in axes.texts]
    kinds = list(dict.fromkeys(audit["test"]))
    counts = {texts[at]: texts[at - len(kinds) : at] for at in (len(kinds), -1)}
    assert list(counts) == ["passed", "caught"]
    assert len(axes.get_yticklabels()) == len(kinds)
    for kind, passed, caught in zip(kinds, *counts.values(), strict=True):
        here = audit[audit["test"] == kind]
        for text, part in (
            (passed, here[here["planted_fault"].isna()]),
            (caught, here[here["planted_fault"].notna()]),
        ):
            assert text == (f"{len(part)} of {len(part)}" if len(part) else "–")
    missed = audit.assign(passed=audit["planted_fault"].isna())
    with matplotlib.rc_context(RC):
        (axes,) = FIGURES[0].function({"audit": missed}).figure.axes
    assert {text.get_text().split()[0] for text in axes.texts[-len(kinds) - 1 : -1]} == {"0", "–"}


def test_shares_of_a_claim(results):
    shared = with_share(results["audit"])
    by_test = shared[shared["planted_fault"].isna()].groupby("test")["share"]
    assert by_test.first().to_dict() == pytest.approx(
        {"black_box": 0.35, "histogram": 0.91, "kolmogorov_smirnov": np.nan,
         "likelihood_ratio": 0.98, "privacy_loss": 0.38, "published": 0, "sensitivity": 0.999},
        nan_ok=True,
    )  # fmt: skip
    assert "with lower bounds of up to 98.0 % of the claimed ε; 5 of 5 planted" in describe_audit(
        shared
    )


def test_what_was_audited_is_named(results):
    audit = results["audit"]
    labels = [row_label(row) for _, row in audit.iterrows()]
    assert labels[0] == "One release, Gaussian, δ = 0.05"
    assert "Several releases, Laplace on a grid, δ = 0.05" in labels
    assert "A-IRLS, Gaussian, user joins or leaves" in labels
    honest = audit_rows(audit).figure.axes[0]
    lines = [label.get_text() for label in honest.get_yticklabels()]
    # the mechanisms of a model share a line, and all of a model's files
    assert len(lines) == 8 + 5 * 4 + 2
    assert lines[-2:] == ["Files: Item + user bias", "Files: ALS"]
    assert "A-IRLS, user joins or leaves" in lines


def test_audit_needs_all_tests_and_all_faults(results):
    audit, judged = results["audit"], PREDICATES["T1"]
    finding = judged(audit)
    assert finding.verdict == SUPPORTED
    assert f"{len(FAULTS)} of {len(FAULTS)} planted faults are caught" in finding.reason
    missed = judged(audit.assign(passed=audit["passed"] & (audit["planted_fault"] != FAULTS[1])))
    assert missed.verdict == CONTRADICTED
    assert f"4 of {len(FAULTS)} planted" in missed.reason
    leak = audit.copy()
    leak.loc[0, ["lower_bound", "passed"]] = [1.3, False]
    assert judged(leak).verdict == CONTRADICTED
    assert judged(None).verdict == INCONCLUSIVE
    assert "of up to 130.0 % of the claimed ε" in judged(leak).reason


def test_attacks_stand_beside_their_claims():
    audit = fake_audit()
    planted = {"planted_fault": "noise x 0.1", "lower_bound": 4.3, "samples": 1200}
    first = audit[audit["test"] == "black_box"].head(1).assign(**planted)
    found = attacks(pd.concat([audit, first]))
    table = attack_table(found)
    assert len(table.rows) == 4
    both = [row for row in table.rows if row.labels == ("As it is", "Item + user bias")]
    assert [row.line for row in both] == ["a user who joins or leaves", "a user who is replaced"]
    assert [row.cells[3].number for row in both] == ["0.70", "0.20"]
    cell = {column.key: cell for column, cell in zip(table.columns, both[0].cells, strict=True)}
    assert [cell[key].number for key in ("claimed", "delta", "runs", "confidence")] == [
        "2.0", "0.05", "300", "99.9",
    ]  # fmt: skip
    # 150 runs a side are tested: all of one side and none of the other, each at 99.95 %
    upper = 1 - 0.0005 ** (1 / 150)
    assert cell["most"].value == pytest.approx(np.log((1 - upper - 0.05) / upper))
    assert table.rows[-1].labels == ("Planted fault", "noise x 0.1")
    assert table.rows[-2].labels == ("As it is", "ALS")
    assert not len(attacks(None))
    assert not len(attacks(audit[audit["test"] != "black_box"]))


def test_rows_with_the_same_label_stand_together():
    table = attack_table(attacks(fake_audit()))
    for depth in (1, 2):
        starts = [start for start, _ in groupby(row.labels[:depth] for row in table.rows)]
        assert len(starts) == len(set(starts))

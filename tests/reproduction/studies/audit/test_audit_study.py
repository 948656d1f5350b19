"""The study of the audit: its parts, what they use, what the check and the page make of it."""

from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

from dpmc.privacy.relations import RELATIONS
from dpmc_studies import tables
from dpmc_studies.configuration import load
from dpmc_studies.frame.checking import check as checking
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.jobs.digest import source_file
from dpmc_studies.frame.jobs.job import function, run_job
from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc_studies.methods import METHODS as REGISTERED
from dpmc_studies.methods import method_module
from dpmc_studies.studies.audit import STUDY
from dpmc_studies.studies.audit.claims import PREDICATES
from dpmc_studies.studies.audit.dpals import FAMILIES
from dpmc_studies.studies.audit.parts import METHODS, PARTS, USER_LEVEL_METHODS, PartCell
from dpmc_studies.studies.audit.rows import AUDIT_COLUMNS

HOME = Path(__file__).parents[4]
SECTION = STUDY.section(load(HOME / "config" / "config.yaml"))
JOB = STUDY.job("part")


def test_there_is_a_part_for_every_relation_and_six_others():
    names = [cell.part for cell in JOB.cells(SECTION)]
    others = ["mechanisms", "onebit", "dpals", "published", "attack", "faults"]
    assert sorted(names) == sorted(PARTS) == sorted([*RELATIONS, *others])


@pytest.mark.parametrize("name", PARTS)
def test_a_part_names_a_function_and_exactly_settings_of_the_section(name):
    part = PARTS[name]
    targets = [target.partition(":")[2] for target in (part.rows, part.faults) if target]
    functions = [
        getattr(import_module(module), target)
        for module, target in zip(part.modules, targets, strict=True)
    ]
    settings = JOB.settings(SECTION, PartCell(name))
    assert settings == {key: SECTION[key] for key in part.settings}
    documented = " ".join(function.__doc__ for function in functions)
    assert all(f"``{key}``" in documented for key in settings)


def test_a_part_depends_on_every_method_that_it_makes_by_name():
    assert {method for method, _ in FAMILIES.values()} == set(USER_LEVEL_METHODS)
    private = {name for name in REGISTERED if name.startswith(("private", "dp", "local"))}
    assert private == {*METHODS, *USER_LEVEL_METHODS}
    modules = JOB.modules(SECTION, PartCell("attack"))
    assert {method_module(name) for name in private} < set(modules)
    assert all(source_file(module) for module in modules)


def test_a_job_writes_the_rows_of_its_part(tmp_path):
    cell = PartCell("mechanisms")
    settings = JOB.settings(SECTION, cell) | {"samples": 1000}
    run_job(function(JOB.run), JOB.tables, {"audit": tmp_path / "part.csv"}, {cell: settings}, {})
    rows = read_frame(tmp_path / "part.csv")
    assert tuple(rows) == JOB.tables["audit"]
    assert set(rows["target"]) >= {"mechanism", "composition"}


# -- the check ----------------------------------------------------------------------------------


def audit_rows():
    """Three rows that passed, the last one a planted fault that was caught."""
    row = dict.fromkeys(AUDIT_COLUMNS) | {"target": "mechanism", "test": "likelihood_ratio"}
    row |= {"claimed_epsilon": 1.0, "lower_bound": 0.9, "passed": True}
    return [
        row | {"mechanism": "laplace"},
        row | {"mechanism": "huber"},
        row | {"mechanism": "huber", "planted_fault": "scale x 0.8"},
    ]


def failures(tmp_path, rows):
    tables.write(tmp_path / "audit.csv", AUDIT_COLUMNS, rows)
    results = checking.read_for_check(STUDY, tmp_path)
    return [each.text for each in checking.check(results, tmp_path / "none") if each.fails]


def test_a_failed_row_fails_the_check_and_is_named(tmp_path):
    assert failures(tmp_path, audit_rows()) == []  # it needs no reference
    for number, row in enumerate(audit_rows()):
        rows = audit_rows()
        rows[number]["passed"] = False
        (text,) = failures(tmp_path, rows)
        assert text.startswith("audit: target=mechanism, test=likelihood_ratio")
        assert f"mechanism={row['mechanism']}, claimed_epsilon=1" in text
        assert ("planted_fault=scale x 0.8" in text) == (row["planted_fault"] is not None)


def test_an_audit_that_says_nothing_fails_the_check(tmp_path):
    rows = audit_rows()
    rows[0]["passed"] = None
    assert len(failures(tmp_path, rows)) == 1
    assert failures(tmp_path, []) == ["the audit has no rows."]


# -- what readers see ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def audit():
    return pd.read_csv(HOME / "results" / "reference" / "audit" / "tables" / "audit.csv.xz")


def test_the_claim_needs_all_tests_and_all_faults(audit):
    judged, planted = PREDICATES["T1"], audit["planted_fault"].notna()
    finding = judged(audit)
    assert finding.verdict == SUPPORTED
    assert f"{planted.sum()} of {planted.sum()} planted faults are caught" in finding.reason
    for row in (audit.index[planted][0], audit.index[~planted][0]):
        failed = audit.assign(passed=audit["passed"] & (audit.index != row))
        assert judged(failed).verdict == CONTRADICTED
        count = (planted if planted[row] else ~planted).sum()
        assert f"{count - 1} of {count}" in judged(failed).reason
    leak = audit.assign(lower_bound=audit["lower_bound"].where(audit.index != 0, 1.3))
    assert "of up to 130.0 % of the claimed ε" in judged(leak).reason
    assert judged(None).verdict == INCONCLUSIVE

"""What every study has to keep to: names, jobs, steps and its regression fit together."""

import json
import re
import subprocess
import sys
from collections import Counter

import pytest
import yaml
from every_study import HOME, ONCE, PROFILES, REFERENCE, STUDIES, cells_of, places_of, plan_of

from dpmc_studies import configuration
from dpmc_studies.frame.checking.check import SETTINGS, TOLERANCES
from dpmc_studies.frame.checking.packed import FOLDER, SUFFIX
from dpmc_studies.frame.checking.reference import MEANS, REDUCED, expected_columns
from dpmc_studies.frame.checking.runs import read_text_table, read_trials
from dpmc_studies.frame.checking.tolerances import read_allowances
from dpmc_studies.frame.jobs import plan
from dpmc_studies.frame.jobs.cell_settings import changed_settings, read_settings
from dpmc_studies.frame.jobs.digest import closure_of
from dpmc_studies.frame.jobs.job import function, plain_cells
from dpmc_studies.yaml_files import read_mapping

WITH_TRIALS = [name for name, study in STUDIES.items() if plan.has_trials(study)]
# an edited table, figure, claim or entry of the registry of data sets reruns no job
SHOWN = (
    "dpmc_studies.frame.showing",
    "dpmc_studies.frame.judging",
    "dpmc_studies.report",
    "dpmc.datasets.registry",
)
HEAVY = ("pandas", "matplotlib", "numba", "scipy.stats")

every_study = pytest.mark.parametrize("name", STUDIES)
every_profile = pytest.mark.parametrize("profile", PROFILES)


def jobs_of(name):
    """Yield each kind of job of a study under each profile."""
    for profile in PROFILES:
        for job in STUDIES[name].jobs:
            yield profile, job


def claims_of(study):
    """Ids of the claims that the study's own claims.yaml lists."""
    files = {path for step in study.steps for path in step.files if path.name == "claims.yaml"}
    return [claim["id"] for path in files for claim in yaml.safe_load(path.read_text())]


# -- names --------------------------------------------------------------------------------------


# -- what the workflow imports ------------------------------------------------------------------


def loaded_modules(code):
    text = f"import sys\nfrom dpmc_studies import studies\nknown = studies.load()\n{code}\n"
    text += "print(*sys.modules)"
    command = [sys.executable, "-c", text]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_describing_the_studies_imports_nothing_heavy():
    assert set(loaded_modules("")).isdisjoint(HEAVY)


def test_preparing_a_run_imports_no_analysis():
    code = "from dpmc_studies import configuration\nfrom dpmc_studies.frame.jobs.plan import Plan\n"
    code += "read = configuration.load('config/config.yaml')\n"
    code += "made = Plan('results', configuration.checked(read, known), known)\n"
    code += "made.real_data(known.values())"
    # numba comes with the methods, whose constructors say which settings they take
    assert set(loaded_modules(code)).isdisjoint(set(HEAVY) - {"numba"})


@every_study
def test_every_function_that_is_named_as_text_is_there(name):
    study = STUDIES[name]
    named = [job.run for job in study.jobs] + [step.run for step in study.steps]
    named.append(study.chapter)
    for each in named:
        assert callable(function(each)), each


# -- sections -----------------------------------------------------------------------------------


@every_study
def test_the_schema_refuses_unknown_keys_and_knows_those_of_the_configuration(name):
    schema = yaml.safe_load(STUDIES[name].schema.read_text())
    assert schema["additionalProperties"] is False
    section = yaml.safe_load((HOME / "config" / "config.yaml").read_text())[name]
    assert set(schema["properties"]) == set(section)


@every_profile
@every_study
def test_a_section_is_prepared_anew_and_is_left_as_it_is(name, profile):
    made = plan_of(profile)
    before = json.dumps(made.configuration, sort_keys=True)
    section = STUDIES[name].section(made.configuration)
    assert section is not made.configuration[name]
    assert section == made.sections[name]
    for job in STUDIES[name].jobs:
        for cell in cells_of(profile, name, job.name)[:2]:
            job.settings(section, cell)
    assert section == made.sections[name]
    assert json.dumps(made.configuration, sort_keys=True) == before


# -- jobs ---------------------------------------------------------------------------------------


def assert_plain(value):
    """Only what Snakemake keeps as it is: no arrays, sets, numpy numbers or objects."""
    if isinstance(value, dict):
        assert all(type(key) in (str, int, float) for key in value)
        for inner in value.values():
            assert_plain(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            assert_plain(inner)
    else:
        assert value is None or type(value) in (str, int, float, bool), repr(value)


@every_study
def test_cells_are_told_apart_by_legal_coordinates(name):
    for profile, kind in jobs_of(name):
        cells, where = cells_of(profile, name, kind.name), f"{kind.name}, {profile}"
        assert all(type(cell) is kind.cell for cell in cells), where
        assert len(cells) == len(set(cells)), where
        for place in places_of(profile, name, kind.name):
            assert all(value and not set("/~{}") & set(value) for value in place), (where, place)
        assert kind.coordinates or len(cells) == 1, where


@every_study
def test_settings_are_plain_and_always_the_same(name):
    for profile, kind in jobs_of(name):
        section = plan_of(profile).sections[name]
        for cell in cells_of(profile, name, kind.name):
            settings = kind.settings(section, cell)
            assert_plain(settings)
            again = json.dumps(kind.settings(section, cell))
            assert json.dumps(settings) == again, (profile, cell)


@every_study
def test_the_cells_of_a_job_are_plain_and_have_the_same_inputs(name):
    for profile, kind in jobs_of(name):
        made = plan_of(profile)
        for place, cells in made.jobs(STUDIES[name], kind).items():
            inputs = [kind.inputs(made.sections[name], cell) for cell in cells]
            assert all(each == inputs[0] for each in inputs), (kind.name, profile, place)
            for fields, _ in plain_cells(cells):
                assert_plain(fields)


# -- steps --------------------------------------------------------------------------------------


@every_study
def test_what_shows_a_job_is_not_its_code(name):
    for job in STUDIES[name].jobs:
        closure = closure_of([job.run.partition(":")[0]])
        shown = {each for each in closure if each.startswith(SHOWN)}
        assert not shown, job.name
        assert f"dpmc_studies.studies.{name}" not in closure, job.name  # which imports everything


# -- regression ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if claims_of(study)])
def test_a_study_with_claims_has_its_verdicts_checked(name):
    regression = STUDIES[name].regression
    # of tests that have to pass every row is checked
    assert regression.passed or regression.labels["claims"] == ("id",)


@pytest.mark.parametrize("name", WITH_TRIALS)
def test_no_setting_of_any_cell_has_changed_since_the_reference(name, tmp_path):
    path = tmp_path / SETTINGS
    path.write_text(plan_of("full").settings_text(STUDIES[name]))
    ours, known = read_settings(path), read_settings(REFERENCE / name / SETTINGS)
    assert set(ours.cells) == set(known.cells)
    assert changed_settings(ours, known) == {}
    trials = [{cell: each["trials"] for cell, each in run.cells.items()} for run in (ours, known)]
    assert trials[0] == trials[1]
    made_of = STUDIES[name].regression.made_of
    assert made_of is None or any(made_of in each for each in ours.cells.values())


@pytest.mark.parametrize("profile", PROFILES[1:])
@pytest.mark.parametrize("name", WITH_TRIALS)
def test_a_smaller_profile_can_be_compared_with_the_reference(name, profile, tmp_path):
    path = tmp_path / SETTINGS
    path.write_text(plan_of(profile).settings_text(STUDIES[name]))
    ours, known = read_settings(path), read_settings(REFERENCE / name / SETTINGS)
    assert ours.reference == profile
    assert changed_settings(ours, known) == {}
    assert set(ours.cells) & set(known.cells)


@every_study
def test_the_reference_has_all_that_the_check_reads(name):
    """Above all every metric of every cell."""
    regression, folder = STUDIES[name].regression, REFERENCE / name
    if regression.table is not None:
        header, *lines = (folder / f"{regression.table}.csv").read_text().splitlines()
        assert header.split(",") == [*regression.coordinates, "trial", *regression.metrics]
        stored = [each["trials"] for each in read_settings(folder / SETTINGS).cells.values()]
        assert len(lines) == sum(min(regression.trials, each) for each in stored)
        trials = read_trials(
            folder / f"{regression.table}.csv", regression.coordinates, regression.metrics
        )
        cells = read_settings(folder / SETTINGS).cells
        assert set(trials.index.get_level_values("cell")) == set(cells)
        read_allowances(folder / TOLERANCES, regression.coordinates)
    for table, keys in (regression.numbers | regression.optional).items():
        assert set(keys) < set(read_text_table(folder / f"{table}.csv"))
    for profile in PROFILES:
        for table, keys in regression.labels.items():
            known = read_text_table(folder / "expected" / profile / f"{table}.csv")
            assert list(known) == expected_columns(known, keys, whole=profile not in REDUCED)
            assert len(list(known)) > len(keys)
            if table == "claims":
                assert sorted(known["id"]) == sorted(claims_of(STUDIES[name]))


def test_the_reference_holds_nothing_that_no_study_reads():
    read = set()
    for name, study in STUDIES.items():
        regression = study.regression
        names = [*([regression.table] if regression.table else []), *regression.numbers]
        names += regression.optional
        read |= {f"{name}/{table}.csv" for table in names}
        read |= {f"{name}/{each}" for each in (SETTINGS, TOLERANCES, MEANS) if regression.table}
        for profile in PROFILES:
            read |= {f"{name}/expected/{profile}/{table}.csv" for table in regression.labels}
        made = [table for job in study.jobs if job.target is None for table in job.tables]
        read |= {f"{name}/{FOLDER}/{table}{SUFFIX}" for table in made}
        shown = [path for step in study.steps for path in step.files]
        read |= {str(path.relative_to(REFERENCE)) for path in shown if REFERENCE in path.parents}
    for path in ONCE:
        (name,) = {*read_mapping(path)} - {"reference"}
        labels = STUDIES[name].regression.labels
        read |= {f"{name}/expected/{path.stem}/{table}.csv" for table in labels}
        read.add(f"{name}/expected/{path.stem}/{MEANS}")
    files = {str(path.relative_to(REFERENCE)) for path in REFERENCE.rglob("*") if path.is_file()}
    assert files <= read
    # means are written with the next full reference; nothing that is compared may lack
    assert {each.rpartition("/")[2] for each in read - files} <= {MEANS}


# -- what was run once ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ONCE, ids=[path.stem for path in ONCE])
def test_what_was_run_once_can_be_run_again(path):
    """An overlay of config/once names itself, touches one study and says its command and cost."""
    overlay = read_mapping(path)
    assert overlay.pop("reference") == path.stem
    (name,) = overlay
    given = configuration.load(HOME / "config" / "config.yaml", [path])
    plan.Plan("results", configuration.checked(given, STUDIES), {name: STUDIES[name]})
    said = path.read_text().split("reference:")[0]
    assert f"make reproduce TARGET={name} CONFIG=config/once/{path.name}" in said
    assert re.search(r"\d CPU (seconds|minutes)", said)
    keys = STUDIES[name].regression.labels["claims"]
    known = read_text_table(REFERENCE / name / "expected" / path.stem / "claims.csv")
    assert list(known) == expected_columns(known, keys, whole=True)
    assert sorted(known["id"]) == sorted(claims_of(STUDIES[name]))


# -- ids over all studies -----------------------------------------------------------------------


def test_every_claim_has_an_id_of_its_own():
    ids = [claim for study in STUDIES.values() for claim in claims_of(study)]
    assert ids
    assert [each for each, count in Counter(ids).items() if count > 1] == []


def test_errata_are_numbered_through_all_studies():
    ids = []
    for study in STUDIES.values():
        if study.errata is not None:
            ids += read_mapping(study.errata)
    # the numbers of entries that were taken back stay unused
    assert all(re.fullmatch(r"E[1-9]\d*", each) for each in ids)
    assert [each for each, count in Counter(ids).items() if count > 1] == []
    assert not {"E7", "E33"} & set(ids)

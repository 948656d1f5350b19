"""What the study of DPALS declares: its jobs, what each uses and reads, and what they write."""

import json
from pathlib import Path

import pandas as pd
from click.testing import CliRunner
from planted import planted_trials

from dpmc_studies.cli.reference import reference
from dpmc_studies.configuration import load, merge
from dpmc_studies.frame import api
from dpmc_studies.frame.checking.check import lacking_data
from dpmc_studies.frame.jobs.cell_settings import SETTINGS, Settings, settings_text
from dpmc_studies.frame.jobs.digest import closure_of, source_file
from dpmc_studies.frame.jobs.job import function
from dpmc_studies.frame.judging.claims import OWN
from dpmc_studies.studies.dpals import STUDY
from dpmc_studies.studies.dpals.cells import DpalsCell
from dpmc_studies.studies.dpals.claims.judge import judge_dpals, load_dpals_claims

CONFIG = Path(__file__).parents[4] / "config"


def test_every_large_job_can_be_described():
    """Those of the profiles are in the tests of every study."""
    section = STUDY.section(merge(load(CONFIG / "config.yaml"), load(CONFIG / "large.yaml")))
    for job in STUDY.jobs:
        function(job.run)
        for place in STUDY.cells(job, section):
            assert not any(set(text) & set("/~") for text in place.formatted().values())
            json.dumps(job.settings(section, place))
            assert all(source_file(name) for name in job.modules(section, place))
            for name, source in job.inputs(section, place).items():
                assert name == "ratings"
                assert isinstance(source, api.RatingsOf)


def test_the_verdicts_of_a_large_run_are_kept(tmp_path):
    """Made-up trials of MovieLens 10M: what is judged on them becomes what is expected."""
    large = merge(load(CONFIG / "config.yaml"), load(CONFIG / "large.yaml"))
    gain = {("ml-10m", "dpals", f"{kind}_1", 10.0): level
            for kind, level in (("uniform", -0.139), ("adaptive", -0.158))}  # fmt: skip
    trials = planted_trials(gain, trials=3)
    cells = {DpalsCell(*cell).name: {"trials": 3} for cell in gain}
    folder = tmp_path / "results" / "dpals"
    folder.mkdir(parents=True)
    trials.to_csv(folder / "trials.csv", index=False)
    claims = [claim for claim in load_dpals_claims() if claim["source"] != OWN]
    judged = judge_dpals({"trials": trials}, claims)
    judged.to_csv(folder / "claims.csv", index=False)
    (folder / SETTINGS).write_text(settings_text(Settings(large["reference"], cells)))
    kept = tmp_path / "reference"
    arguments = ["update", "--study", "dpals", "--profile", "large"]
    arguments += ["--results", tmp_path / "results", "--reference", kept]
    outcome = CliRunner().invoke(reference, list(map(str, arguments)))
    assert outcome.exit_code == 0, outcome.exception
    expected = kept / "dpals" / "expected" / "large"
    written = {path for path in kept.rglob("*") if path.is_file()}
    assert written == {expected / "claims.csv", expected / "means.csv"}
    verdicts = pd.read_csv(expected / "claims.csv").set_index("id")["verdict"]
    assert verdicts["D15"] == "supported"
    assert verdicts["D14"] not in ("supported", "contradicted", "no effect")  # no ALS
    assert len(verdicts) == len(claims)


def test_fits_do_not_depend_on_tuning_tables_or_the_registry_of_data_sets():
    """Editing these must not run the trials again."""
    closure = closure_of([STUDY.job("fit").run.partition(":")[0]])
    others = {name for name in closure if name.startswith("dpmc_studies.studies.")}
    assert others == {
        f"dpmc_studies.studies.dpals.{name}"
        for name in ("trial", "cells", "data", "methods", "recall")
    }
    assert "dpmc.datasets.registry" not in closure


def test_what_is_made_of_data_that_could_not_be_had_is_lacking_too():
    cells = {
        "dataset=part, method=als, variant=standard": {"data.of": "jester"},
        "dataset=other, method=als, variant=standard": {"data.of": "ml-10m"},
        "dataset=drawn, method=als, variant=standard": {"data.rank": 2},
    }
    made_of = STUDY.regression.made_of
    assert lacking_data(["jester"], cells, made_of) == ["jester", "part"]
    assert lacking_data([], cells, made_of) == []
    assert lacking_data(["jester"], cells, None) == ["jester"]

"""The check of the one-bit study: a run has the rows that its settings name."""

from dpmc_studies import tables
from dpmc_studies.frame.checking import check as checking
from dpmc_studies.frame.checking import reference as references
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.onebit import STUDY
from dpmc_studies.studies.onebit.cells import ONEBIT_COLUMNS
from dpmc_studies.studies.onebit.trial import run_clear_job, run_curve_job

SECTION = {
    "seed": 1,
    "links": ["gaussian"],
    "delta": 1e-5,
    "baselines": ["zero", "majority", "item_bias"],
    "grap": {"clip": 0.5, "iterations": 1, "step": 1.0},
    "datasets": {"synthetic": {"users": 12, "items": 10, "rank": 1, "alpha": 1}},
    "experiments": {
        "budgets": {
            "dataset": "synthetic",
            "constraint": "both",
            "observed_fractions": [0.5],
            "epsilons": [0.5, 10],
            "trials": 2,
            "mechanisms": ["inp", "grap_gaussian", "outp", "private_item_bias"],
        },
        "fractions": None,
    },
}


def test_a_run_of_the_experiments_has_the_rows_that_its_settings_name(tmp_path):
    """Every job as the workflow runs it."""
    configuration = {"reference": "full", "onebit": SECTION, "data": {"sets": {}}}
    plan = Plan("results", configuration, {"onebit": STUDY})
    rows = []
    for job, function in ((STUDY.job("clear"), run_clear_job), (STUDY.job("curve"), run_curve_job)):
        for place, cells in plan.jobs(STUDY, job).items():
            files = dict.fromkeys(plan.inputs(STUDY, job, place), tmp_path / "clear.npz")
            path = None if job.file is None else tmp_path / "clear.npz"
            rows += function(Task(cells, files, None, path))["trials"]
    tables.write(tmp_path / "trials.csv", ONEBIT_COLUMNS, rows)
    tables.write(tmp_path / "claims.csv", ("id", "verdict"), [{"id": "O1", "verdict": "supported"}])
    (tmp_path / "settings.json").write_text(plan.settings_text(STUDY))
    results = checking.read_for_check(STUDY, tmp_path)
    assert len(results.trials) == 2 * (4 + 4 * 2)
    references.update(results, tmp_path / "reference")
    assert checking.check(results, tmp_path / "reference") == []
    tables.write(tmp_path / "trials.csv", ONEBIT_COLUMNS, rows[1:])
    results = checking.read_for_check(STUDY, tmp_path)
    (found,) = checking.check(results, tmp_path / "reference")
    assert found.fails
    assert found.text.endswith("mechanism=clear: the run lacks trial 0.")

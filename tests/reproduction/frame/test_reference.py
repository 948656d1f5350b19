"""``dpmc reference update``: what becomes the reference is what the check compares with."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from invented_study import (
    ALS,
    COORDINATES,
    METRICS,
    POINTS,
    REGRESSION,
    claim_rows,
    settings_of,
    study,
    trial_rows,
    write_run,
)

from dpmc.errors import InputError
from dpmc_studies import studies
from dpmc_studies.cli.reference import reference
from dpmc_studies.frame.checking.check import check, read_for_check, read_keyed
from dpmc_studies.frame.checking.reference import STATISTICS
from dpmc_studies.frame.checking.reference import update as write_reference
from dpmc_studies.frame.checking.runs import read_trials

WRITTEN = [
    "expected/full/claims.csv",
    "expected/full/comparison.csv",
    "means.csv",
    "settings.json",
    "tolerances.csv",
    "totals.csv",
    "trials.csv",
]


@pytest.fixture
def known(monkeypatch):
    """A function: let ``dpmc`` know these studies instead of its own."""

    def know(*chosen):
        named = {each.name: each for each in chosen}
        monkeypatch.setattr(studies, "load", lambda paths=(): named)

    return know


@pytest.fixture
def one_and_two(known):
    known(study(name="one"), study(name="two", regression=replace(REGRESSION, trials=2)))


def update(results, folder, *options):
    arguments = ["update", "--results", results, "--reference", folder, *options]
    return CliRunner().invoke(reference, list(map(str, arguments)))


def refused(*arguments):
    outcome = update(*arguments)
    assert isinstance(outcome.exception, InputError), outcome.output
    assert "\n" not in str(outcome.exception)
    return str(outcome.exception)


def results_of(folder, **change):
    """Results of both studies; ``change`` is one of the second."""
    write_run(folder / "one")
    write_run(folder / "two", **change)
    return folder


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_reference_holds_the_run_without_its_seconds(tmp_path, one_and_two):
    results, folder = results_of(tmp_path / "results"), tmp_path / "reference"
    settings = results / "one" / "settings.json"
    stated = json.loads(settings.read_text())
    for values in stated["cells"].values():
        values["data"] = {"items": 3, "nothing": {}}  # settings inside of settings stay so
    settings.write_text(json.dumps(stated))
    outcome = update(results, folder)
    assert outcome.exit_code == 0, outcome.exception
    assert outcome.output.count("wrote") == 2 * len(WRITTEN)
    assert files_below(folder / "one") == WRITTEN
    header = (folder / "one" / "trials.csv").read_text().splitlines()[0]
    assert header == ",".join((*COORDINATES, "trial", *METRICS))
    stored, run = (
        read_trials(each / "one" / "trials.csv", COORDINATES, METRICS) for each in (folder, results)
    )
    assert stored.equals(run)
    settings = [each / "one" / "settings.json" for each in (folder, results)]
    assert settings[0].read_bytes() == settings[1].read_bytes()


def test_numbers_keep_every_bit_and_labels_their_columns(tmp_path, one_and_two):
    results, folder = results_of(tmp_path / "results"), tmp_path / "reference"
    update(results, folder)
    keys = REGRESSION.numbers["totals"]
    stored, run = (read_keyed(each / "one" / "totals.csv", keys) for each in (folder, results))
    assert stored.equals(run)
    expected = folder / "one" / "expected" / "full"
    assert (expected / "claims.csv").read_text().splitlines() == [
        "id,verdict,reported_verdict,effect,reason",
        "C1,supported,supported,-0.5,2 wins",
        "C2,supported,,0.25,3 of 4 cells",
        "C3,supported,,1.5,by the clock",
    ]
    statuses = (expected / "comparison.csv").read_text().splitlines()
    assert statuses[:2] == [
        "table,dataset,method,metric,status,published",
        "table3,synthetic,als,error_all,agrees,0.2",
    ]


def test_the_mean_of_every_cell_over_all_trials_is_kept(tmp_path, one_and_two):
    results, folder = results_of(tmp_path / "results"), tmp_path / "reference"
    update(results, folder)
    means = pd.read_csv(folder / "two" / "means.csv")  # which keeps two trials of three
    assert tuple(means) == (*COORDINATES, "metric", *STATISTICS)
    cell = means[(means["dataset"] == "sweetrs") & (means["metric"] == "error_heldout")]
    values = [row["error_heldout"] for row in trial_rows() if row["dataset"] == "sweetrs"]
    assert cell["trials"].tolist() == [3]
    for name, value in (
        ("mean", np.mean(values)),
        ("median", np.median(values)),
        ("standard_error", np.std(values, ddof=1) / 3**0.5),
    ):
        np.testing.assert_allclose(cell[name], value, rtol=1e-5)
    assert "error_all" not in set(means[means["dataset"] == "sweetrs"]["metric"])


def test_numbers_that_are_read_and_not_compared_are_short(tmp_path, one_and_two):
    """What follows from the trials may differ in its last digits: that is no new reference."""
    long = [row | {"effect": -1 / 3, "n": 123456789} for row in claim_rows()]
    results = write_run(tmp_path / "results" / "one", claims=long).parent
    update(results, tmp_path / "reference")
    known = (tmp_path / "reference" / "one" / "expected" / "full" / "claims.csv").read_text()
    assert ",-0.333333," in known
    assert ",123456789" in known
    other = [row | {"effect": -0.33333300001} for row in long]
    run = read_for_check(study(name="one"), write_run(results / "one", claims=other))
    assert check(run, tmp_path / "reference" / "one") == []


def test_what_a_target_of_its_own_makes_is_kept_and_checked_if_it_is_there(tmp_path, one_and_two):
    results, folder = results_of(tmp_path / "results"), tmp_path / "reference"
    regression = replace(REGRESSION, optional={"sweep": ("choice",)})
    swept = replace(studies.load()["one"], regression=regression)
    read = lambda: read_for_check(swept, results / "one")  # noqa: E731
    write_reference(read(), folder / "one")
    assert not (folder / "one" / "sweep.csv").exists()
    (results / "one" / "sweep.csv").write_text("choice,error\na,0.1\nb,0.2\n")
    write_reference(read(), folder / "one")
    assert (folder / "one" / "sweep.csv").read_text() == "choice,error\na,0.1\nb,0.2\n"
    assert check(read(), folder / "one") == []
    (results / "one" / "sweep.csv").write_text("choice,error\na,0.1\nb,0.3\n")
    assert len(check(read(), folder / "one")) == 1
    (results / "one" / "sweep.csv").write_text("choice,error\n")
    assert check(read(), folder / "one") == []
    (results / "one" / "sweep.csv").unlink()
    assert check(read(), folder / "one") == []


def test_tolerances_are_left_alone(tmp_path, one_and_two):
    results, folder = results_of(tmp_path / "results"), tmp_path / "reference"
    update(results, folder)
    path = folder / "one" / "tolerances.csv"
    assert path.read_text() == "dataset,method,epsilon,tolerance,reason\n"
    path.write_text(path.read_text() + "*,als,*,1e-3,another BLAS\n")
    before = path.read_bytes()
    outcome = update(results, folder)
    assert outcome.output.count("wrote") == 2 * (len(WRITTEN) - 1)
    assert path.read_bytes() == before


def test_a_smaller_profile_updates_only_what_is_expected_of_it(tmp_path, one_and_two):
    results, folder = tmp_path / "results", tmp_path / "reference"
    for name in ("one", "two"):
        write_run(results / name, settings=settings_of(profile="ci"))
    outcome = update(results, folder, "--profile", "ci")
    assert outcome.exit_code == 0, outcome.exception
    names = ["expected/ci/claims.csv", "expected/ci/comparison.csv"]
    assert files_below(folder / "one") == files_below(folder / "two") == names
    header = (folder / "one" / names[0]).read_text().splitlines()[0]
    assert header == "id,verdict,reported_verdict"  # its effects are of few trials


def test_a_run_made_once_keeps_the_means_of_cells_that_a_full_run_lacks(tmp_path, known):
    known(study(name="one"))
    some, folder = POINTS[:-1], tmp_path / "reference"
    full, more = tmp_path / "full", tmp_path / "more"
    write_run(full / "one", trials=trial_rows(some), settings=settings_of(some))
    update(full, folder)
    before = (folder / "one" / "means.csv").read_bytes()
    write_run(more / "one", settings=settings_of(profile="more"))
    assert update(more, folder, "--profile", "more").exit_code == 0
    kept = pd.read_csv(folder / "one" / "expected" / "more" / "means.csv")
    assert set(kept["dataset"]) == {POINTS[-1].dataset}
    assert len(kept) == 2
    assert (folder / "one" / "means.csv").read_bytes() == before
    # of the same cells there are none to keep
    write_run(more / "one", trials=trial_rows(some), settings=settings_of(some, profile="again"))
    assert update(more, folder, "--profile", "again").exit_code == 0
    assert not (folder / "one" / "expected" / "again" / "means.csv").exists()


def test_studies_without_results_are_left_out_and_some_can_be_chosen(tmp_path, one_and_two):
    results, folder = results_of(tmp_path / "results"), tmp_path / "reference"
    assert update(results, folder, "--study", "two").exit_code == 0
    assert [path.name for path in folder.iterdir()] == ["two"]
    shutil.rmtree(folder)
    shutil.rmtree(results / "two")
    assert update(results, folder).exit_code == 0
    assert [path.name for path in folder.iterdir()] == ["one"]
    assert "two is incomplete: it has no trials.csv" in refused(results, folder, "--study", "two")
    message = refused(results, folder, "--study", "tow")
    assert "There is no study tow with a reference (did you mean 'two'?)" in message
    assert "holds the results of no study" in refused(tmp_path / "nowhere", folder)


def test_a_study_from_outside_keeps_its_own_reference(tmp_path, known):
    known(study(name="mine", folder=tmp_path / "mine"))
    write_run(tmp_path / "results" / "mine")
    assert update(tmp_path / "results", tmp_path / "reference").exit_code == 0
    assert files_below(tmp_path / "mine" / "reference") == WRITTEN
    assert not (tmp_path / "reference").exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"settings": settings_of(profile="ci")}, "two is a run of the profile ci, not of full; "),
        ({"trials": list(trial_rows())[:-1]}, "two is incomplete: dataset=sweetrs, method=irls, "),
        ({"trials": list(trial_rows())[1:]}, f"two is incomplete: {ALS.name}: the run lacks tri"),
    ],
)
def test_a_run_that_is_not_fit_is_refused_before_anything_is_written(
    tmp_path, one_and_two, change, sentence
):
    folder = tmp_path / "reference"
    assert sentence in refused(results_of(tmp_path / "results", **change), folder)
    assert not folder.exists()


def test_overlays_may_leave_out_what_others_have(tmp_path):
    """The second is laid over the defaults too, whose parts it may set to null."""
    (tmp_path / "mine.yaml").write_text("huber: {real: {ml-100k: {trials: 3}}}\n")
    (tmp_path / "less.yaml").write_text("huber: {real: {sweetrs: null}}\n")
    overlays = [f"{tmp_path / name}.yaml" for name in ("mine", "less")]
    said = refused(tmp_path, tmp_path / "reference", "--config", " ".join(overlays))
    assert said == f"{tmp_path} holds the results of no study."

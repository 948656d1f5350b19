"""The complete tables of a run in the reference: the same bytes each time, and the same tables."""

import lzma
from dataclasses import replace

import pytest
from click.testing import CliRunner
from invented_study import study, write_run

from dpmc.errors import InputError
from dpmc_studies import studies
from dpmc_studies.cli.reference import reference
from dpmc_studies.frame.api import Job
from dpmc_studies.frame.checking.packed import pack, unpack

JOBS = (
    Job("fit", "x:y", tables={"trials": ("a",), "totals": ("a",)}),
    Job("tune", "x:y", tables={"search": ("a",)}, target="search"),
)
STUDY = study(jobs=JOBS)
TABLES = ("trials", "totals")


@pytest.fixture
def run(tmp_path):
    return write_run(tmp_path / "run")


def packed(folder):
    return {path.name: path.read_bytes() for path in (folder / "tables").iterdir()}


def test_tables_of_jobs_are_packed_and_come_back(run, tmp_path):
    assert sorted(path.name for path in pack(STUDY, run, tmp_path / "known")) == [
        "totals.csv.xz",
        "trials.csv.xz",
    ]
    assert sorted(unpack(tmp_path / "known", tmp_path / "back")) == [
        tmp_path / "back" / "totals.csv",
        tmp_path / "back" / "trials.csv",
    ]
    for name in TABLES:  # but neither claims, which a step makes, nor what no job made
        file = f"{name}.csv"
        assert (tmp_path / "back" / file).read_bytes() == (run / file).read_bytes()


def test_the_same_tables_are_the_same_bytes(run, tmp_path):
    for name in ("first", "second"):
        list(pack(STUDY, run, tmp_path / name))
    assert packed(tmp_path / "first") == packed(tmp_path / "second")


def test_a_file_that_another_version_compressed_stays_as_it_is(run, tmp_path):
    list(pack(STUDY, run, tmp_path))
    file = tmp_path / "tables" / "trials.csv.xz"
    other = lzma.compress((run / "trials.csv").read_bytes(), preset=0)
    assert other != file.read_bytes()
    file.write_bytes(other)
    list(pack(STUDY, run, tmp_path))
    assert file.read_bytes() == other
    (run / "trials.csv").write_text("another,table\n")
    list(pack(STUDY, run, tmp_path))
    assert lzma.decompress(file.read_bytes()) == b"another,table\n"


def test_a_reference_without_tables_is_one_sentence_with_the_command(tmp_path):
    with pytest.raises(InputError, match="no complete tables; `dpmc reference update` writes"):
        unpack(tmp_path, tmp_path / "back")


def test_an_update_from_a_full_run_writes_them_and_that_of_a_profile_does_not(
    run, tmp_path, monkeypatch
):
    monkeypatch.setattr(studies, "load", lambda paths=(): {"run": replace(STUDY, name="run")})
    options = ["--results", str(tmp_path), "--reference", str(tmp_path / "known")]
    done = CliRunner().invoke(reference, ["update", *options])
    assert done.exit_code == 0, done.exception
    assert set(packed(tmp_path / "known" / "run")) == {f"{name}.csv.xz" for name in TABLES}
    settings = run / "settings.json"
    settings.write_text(settings.read_text().replace('"full"', '"ci"'))
    options = [*options[:3], str(tmp_path / "small"), "--profile", "ci"]
    assert CliRunner().invoke(reference, ["update", *options]).exit_code == 0
    assert not (tmp_path / "small" / "run" / "tables").exists()

"""``dpmc data``: list, fetch, verify."""

import dataclasses
import hashlib
import subprocess
import sys

import pytest
from click.testing import CliRunner

from dpmc.datasets import REGISTRY
from dpmc.errors import InputError
from dpmc_studies.cli.data import data


def run(*arguments):
    result = CliRunner().invoke(data, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def configuration(tmp_path):
    (tmp_path / "mine.csv").write_text("user,item,rating\na,x,1\nb,x,2\nb,y,5\n")
    path = tmp_path / "config.yaml"
    path.write_text(
        f"data:\n  directory: {tmp_path / 'data'}\n  mirror: null\n"
        f"  sets:\n    mine: {{path: {tmp_path / 'mine.csv'}, rating_range: [1, 5]}}\n"
    )
    return path


@pytest.fixture
def small_mirror(tmp_path, monkeypatch):
    """Make a mirror with one right and one wrong file of the registry, both tiny."""
    content = b"1\t10\t3\t0\n2\t10\t5\t0\n"
    entry = dataclasses.replace(
        REGISTRY["ml-100k"], sha256=hashlib.sha256(content).hexdigest(), size=len(content)
    )
    monkeypatch.setitem(REGISTRY, "ml-100k", entry)
    folder = tmp_path / "mirror"
    for name, stored in (("ml-100k", content), ("sweetrs", b"damaged")):
        path = REGISTRY[name].location(folder)
        path.parent.mkdir(parents=True)
        path.write_bytes(stored)
    return folder


def test_list_shows_every_data_set_and_where_it_is(tmp_path, small_mirror, configuration):
    run("fetch", "ml-100k", "--directory", tmp_path / "data", "--mirror", small_mirror)
    lines = run("list", "--mirror", small_mirror, "--config", configuration).output.splitlines()
    header, *rows = lines
    assert header.split() == ["name", "title", "MB", "status", "licence"]
    column = header.index("status")
    status = {row.split()[0]: row[column : column + 10].strip() for row in rows}
    assert status == {
        **dict.fromkeys(REGISTRY, "not here"),
        **dict.fromkeys(["netflix", "yahoo-music"], "not public"),
        **{"ml-100k": "local", "sweetrs": "mirror", "mine": "local"},
    }
    assert all(REGISTRY[name].licence in lines[k + 1] for k, name in enumerate(REGISTRY))


def test_fetch_names_the_licence_and_what_to_cite(tmp_path, small_mirror):
    result = run("fetch", "ml-100k", "--directory", tmp_path / "data", "--mirror", small_mirror)
    assert (tmp_path / "data/ml-100k/u.data").exists()
    assert "no redistribution" in result.output
    assert "doi:10.1145/2827872" in result.output


def test_fetch_needs_names_or_all(tmp_path):
    for arguments in (["fetch"], ["fetch", "ml-100k", "--all"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "Name the data sets to fetch, or give --all" in result.output


def test_fetch_goes_on_after_a_failure_and_fails_at_the_end(tmp_path, small_mirror):
    options = ["--directory", tmp_path / "data", "--mirror", small_mirror]
    with pytest.raises(InputError, match=r"1 of 2 data sets failed: sweetrs\."):
        run("fetch", "sweetrs", "ml-100k", *options)
    assert (tmp_path / "data/ml-100k/u.data").exists()
    assert not (tmp_path / "data/sweetrs/ratings-final.csv").exists()
    # one data set alone: its own sentence
    with pytest.raises(InputError, match="has SHA-256"):
        run("fetch", "sweetrs", *options)


def test_data_that_are_no_longer_public_are_no_failure(tmp_path):
    for command in ("fetch", "verify"):
        lines = run(command, "netflix", "yahoo-music", "--directory", tmp_path).output.splitlines()
        assert [line.split(":")[0] for line in lines] == ["netflix", "yahoo-music"]
        assert all("are no longer public" in line for line in lines)


def test_verify_reads_what_is_here(tmp_path, small_mirror, configuration):
    options = ["--mirror", small_mirror, "--config", configuration]
    result = run("verify", "ml-100k", "mine", *options)
    assert "ml-100k/u.data: 2 ratings, 2 users, 1 items, 100.00% observed" in result.output
    assert "mine.csv: 3 ratings, 2 users, 2 items, 75.00% observed" in result.output
    with pytest.raises(InputError, match=r"1 of 3 data sets failed: sweetrs\."):
        run("verify", *options)


def test_own_file_with_a_bad_line(tmp_path, configuration):
    (tmp_path / "mine.csv").write_text("user,item,rating\na,x,9\n")
    with pytest.raises(InputError, match="rating number 1 is outside the stated range 1 to 5"):
        run("verify", "mine", "--config", configuration)
    assert "mine.csv" in run("fetch", "mine", "--config", configuration).output


@pytest.mark.parametrize("content", ["data: [1]\n", "data: {sets: [1]}\n"])
def test_configuration_that_is_no_mapping(tmp_path, content):
    path = tmp_path / "config.yaml"
    path.write_text(content)
    with pytest.raises(InputError, match="must hold keys"):
        run("list", "--config", path)


def test_command_line_prints_one_sentence_and_fails(tmp_path):
    (tmp_path / "ml-100k").mkdir()
    (tmp_path / "ml-100k/u.data").write_text("wrong")
    command = [
        sys.executable,
        "-c",
        "from dpmc.cli import main; main()",
        "data",
        "fetch",
        "ml-100k",
    ]
    result = subprocess.run(
        [*command, "--directory", str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("dpmc: ")
    assert result.stderr.count("\n") == 1


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from dpmc.cli import cli\n"
        "try:\n    cli(['data', 'fetch', '--help'])\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'requests', 'scipy', 'numba', 'yaml'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0, result.stderr
    assert "NAMES" in result.stdout

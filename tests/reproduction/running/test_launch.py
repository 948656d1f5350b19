"""Starting the workflow: one run at a time, what a crash leaves, and bad input in one sentence."""

import contextlib
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc import files
from dpmc.errors import InputError
from dpmc_studies import configuration, studies
from dpmc_studies.frame.jobs.plan import configured, plans
from dpmc_studies.running import launch, recovery, run_lock
from dpmc_studies.yaml_files import named_files, read_mapping

HOME = Path(__file__).parents[3]

# takes the lock as a run does, says so, starts a job, and stays until it is killed
HOLDER = """
import subprocess, sys
from dpmc_studies.running import run_lock
run_lock.begin(run_lock.take("."), ".")
job = subprocess.Popen([sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"],
                       stdout=subprocess.PIPE)
job.stdout.readline()
print(job.pid, flush=True)
job.wait()
"""
# is killed while it writes results/trials.csv
WRITER = """
import os, signal
from dpmc import files
with files.atomic_path("results/trials.csv") as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    # taking the lock names the run there
    monkeypatch.setenv(run_lock.RUN_VARIABLE, "")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Holder:
    """Another process that holds the lock on the current folder."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True
        )
        self.job = int(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def holder(folder):
    holder = Holder()
    yield holder
    holder.kill()
    with contextlib.suppress(ProcessLookupError):
        os.kill(holder.job, signal.SIGKILL)


def is_alive(pid):
    """Whether a process is there and more than an entry that nobody has collected."""
    status = Path(f"/proc/{pid}/status")
    if status.parent.parent.joinpath("self").exists():
        return status.exists() and "State:\tZ" not in status.read_text()
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def refusal(*arguments, capsys):
    """Return the one sentence with which starting the workflow is refused."""
    assert launch.main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("dpmc: ")
    return printed.err


# one run at a time


def test_a_live_run_is_named(holder, folder, capsys):
    shutil.copy(HOME / "Snakefile", folder)
    shutil.copytree(HOME / "config", folder / "config")
    sentence = refusal("--cores", "1", capsys=capsys)
    assert f"process {holder.process.pid}, since 20" in sentence
    assert "wait" in sentence


def test_the_lock_of_a_killed_run_is_taken_though_its_job_lives(holder, folder):
    holder.kill()
    assert is_alive(holder.job)
    run_lock.take(folder)
    assert recovery.end_orphans(folder) == 1
    assert not is_alive(holder.job)


def test_nothing_is_cleaned_while_a_run_lives(holder, folder):
    (folder / "results").mkdir()
    command = ["make", "-f", str(HOME / "Makefile"), f"VENV={sys.prefix}", "clean"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 2
    assert f"process {holder.process.pid}, since" in result.stderr
    assert (folder / run_lock.LOCK).exists()
    holder.kill()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    assert not (folder / ".snakemake").exists()


def test_only_one_of_two_gets_the_lock(folder):
    first = run_lock.take(folder)
    with pytest.raises(InputError, match="Another run holds this folder"):
        run_lock.take(folder)
    run_lock.begin(first, folder)
    with pytest.raises(InputError, match=f"process {os.getpid()}, since"):
        run_lock.take(folder)
    os.close(first)
    run_lock.take(folder)


def test_snakemake_by_hand_shares_the_folder_and_keeps_others_from_mending_it(holder, folder):
    run_lock.join(folder)
    holder.kill()
    with pytest.raises(InputError, match=f"process {os.getpid()}, since"):
        run_lock.take(folder)


def test_the_run_itself_does_not_join_again(folder):
    lock = run_lock.take(folder)
    run_lock.begin(lock, folder)
    run_lock.join(folder)
    os.close(lock)
    run_lock.take(folder)


def test_a_lock_file_that_was_deleted_does_not_count(holder, folder):
    # make clean while a run is alive: the new file has a lock of its own
    (folder / run_lock.LOCK).unlink()
    run_lock.take(folder)


@pytest.mark.parametrize("content", [b"", b"\0" * 80, b"\xff\xfe", b'{"pid": 1', b"[1]\n5\n"])
def test_a_lock_file_that_lost_its_content(folder, content):
    path = folder / run_lock.LOCK
    path.parent.mkdir()
    path.write_bytes(content)
    lock = run_lock.take(folder)
    with pytest.raises(InputError, match="Another run"):
        run_lock.take(folder)
    run_lock.begin(lock, folder)
    assert json.loads(path.read_bytes())["pid"] == os.getpid()


def test_a_folder_that_cannot_be_written(folder):
    (folder / ".snakemake").write_text("in the way")
    with pytest.raises(InputError, match=r"\.snakemake/dpmc\.lock cannot be written"):
        run_lock.take(folder)
    run_lock.join(folder)


def test_without_locks_the_workflow_runs_all_the_same(folder, monkeypatch, capsys):
    def flock(descriptor, kind):
        raise OSError(run_lock.errno.ENOLCK, "No locks available")

    monkeypatch.setattr(run_lock.fcntl, "flock", flock)
    monkeypatch.setattr(launch, "_snakemake", lambda arguments: 0)
    shutil.copy(HOME / "Snakefile", folder)
    shutil.copytree(HOME / "config", folder / "config")
    assert launch.main(["--cores", "1"]) == 0
    assert "has no locks" in capsys.readouterr().err
    run_lock.join(folder)


# what a crash leaves


def test_jobs_of_dead_runs_are_ended_and_no_others(folder):
    (folder / "other").mkdir()

    def job(place):
        environment = os.environ | {run_lock.RUN_VARIABLE: run_lock.name_of(place)}
        return subprocess.Popen(["sleep", "600"], env=environment)

    ours, other = job(folder), job(folder / "other")
    try:
        assert recovery.end_orphans(folder) == 1
        assert ours.wait() == -signal.SIGKILL
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_killed_writer_leaves_a_file_that_goes(folder):
    subprocess.run([sys.executable, "-c", WRITER], check=False)
    (left,) = (folder / "results").iterdir()
    assert recovery.remove_strays(folder) == [left]
    assert not list((folder / "results").iterdir())


def test_files_of_others_stay(folder):
    kept = [
        *("results/trials.csv", "results/tables/.snakemake_timestamp", "results/.gitignore"),
        *("results/.trials.csv.bak.csv", "results/.trials.csv.abcdefgh.txt", "data/u.data"),
        *("results/.settings.abcdefgh", ".trials.csv.abcdefgh.csv", "mine/.x.csv.abcdefgh.csv"),
        # somebody may be fetching data
        "data/.u.data.abcdefgh.data",
    ]
    gone = ["results/a/b/.trials.csv.abc_efg1.csv", "data/ml-100k/.u.data.abcdefgh.data"]
    for name in [*kept, *gone]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    (folder / "results/.y.csv.abcdefgh.csv").symlink_to(folder / "data/u.data")
    os.utime(folder / gone[1], (0, 0))
    assert sorted(recovery.remove_strays(folder)) == sorted(folder / name for name in gone)
    assert all((folder / name).exists() for name in kept)
    assert (folder / "results/.y.csv.abcdefgh.csv").is_symlink()


@given(st.from_regex(r"[a-z.~ -]{1,12}\.[a-z]{1,4}", fullmatch=True))
@settings(deadline=None, max_examples=50)
def test_what_atomic_writing_leaves_is_recognised(name):
    with tempfile.TemporaryDirectory() as folder:
        with files.atomic_path(Path(folder, name)) as temporary:
            assert recovery.is_stray(temporary.name)
        assert Path(folder, name).exists()
        assert not recovery.is_stray(name) or name.startswith(".")


def test_a_full_disk_is_said_before_anything_starts(project, capsys, monkeypatch):
    def full(path, room):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(recovery, "probe", full)
    assert refusal("--cores=1", capsys=capsys) == (
        "dpmc: results cannot be written: the disk is full; make room there, then run this again.\n"
    )
    shutil.rmtree(".snakemake")


def test_a_folder_is_made_ready(folder, capsys):
    for name in ("locks/0.output.lock", "scripts/tmp1.cell.py", "metadata/x", "log/y.log"):
        (folder / ".snakemake" / name).parent.mkdir(parents=True)
        (folder / ".snakemake" / name).write_text("{}")
    recovery.recover(folder)
    assert "was interrupted; going on from there" in capsys.readouterr().err
    assert sorted(path.name for path in (folder / ".snakemake").iterdir()) == ["log", "metadata"]
    recovery.recover(folder)  # which has nothing of all that any more
    assert capsys.readouterr().err == ""


# bad input


@pytest.fixture
def project(folder):
    """A folder with a Snakefile and a configuration, in which nothing can run."""
    (folder / "Snakefile").write_text("raise AssertionError('Snakemake was started')")
    (folder / "config").mkdir()
    for name in ("config.yaml", "quick.yaml", "large.yaml"):
        shutil.copy(HOME / "config" / name, folder / "config")
    yield folder
    assert not (folder / ".snakemake").exists()


@pytest.mark.parametrize("cores", ["0", "-1", "abc", "", "2.5", "1e3", "²"])
def test_cores_that_are_none(project, capsys, cores):
    sentence = refusal(f"--cores={cores}", capsys=capsys)
    assert f"CORES must be a whole number of at least 1, or all, got {cores!r}" in sentence


def test_a_configuration_that_is_not_there(project, capsys):
    assert "There is no configuration file nosuch.yaml;" in refusal(
        "--config=nosuch.yaml", capsys=capsys
    )
    nearest = refusal("--config", "config/lagre.yaml", capsys=capsys)
    assert "config/lagre.yaml (did you mean 'config/large.yaml'?)" in nearest


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"huber: [1\nx: 2", ["line 2", "not valid YAML"]),
        (b"huber:\n\ttrials: 2", ["line 2", "not valid YAML"]),
        (b"\xff\xfe", ["not UTF-8 text"]),
        (b"{[1]: 2}", ["line 1", "not valid YAML"]),
        (b"x: !!python/object:os.system {}", ["line 1", "not valid YAML"]),
        (b"- 1", ["must hold sections"]),
        (b"text", ["must hold sections"]),
        (b"huber:\n  trials: 1\n  trials: 2", ["line 3", "'trials'", "twice", "line 2"]),
        (b"huber: {}\nprivacy: {}\nhuber: {}", ["line 3", "'huber'", "twice"]),
        (b"huber: {real: {a: [{b: 1, b: 1}]}}", ["line 1", "'b'", "twice"]),
        (b"x:\n  1: a\n  1: b", ["line 3", "the key 1 stands there twice"]),
    ],
)
def test_a_configuration_that_is_none(project, capsys, content, words):
    (project / "mine.yaml").write_bytes(content)
    sentence = refusal("--config", "config/large.yaml mine.yaml", capsys=capsys)
    assert "mine.yaml" in sentence
    for word in words:
        assert word in sentence
    with pytest.raises(InputError, match=r"mine\.yaml"):
        configuration.load("mine.yaml")


def test_keys_that_a_merge_brings_may_be_given_anew(folder):
    (folder / "x.yaml").write_text("a: &a {k: 1}\nb: {<<: *a, k: 2}\nc: [{k: 1}, {k: 2}]")
    assert read_mapping("x.yaml")["b"] == {"k": 2}
    (folder / "x.yaml").write_text("# nothing\n")
    assert read_mapping("x.yaml") == {}


def test_the_target_comes_before_the_configuration(project):
    (project / "a.yaml").write_text("")
    arguments = launch.snakemake_arguments(Path("Snakefile"), "2", ["a.yaml"], ["quick"])
    assert arguments[-3:] == ["quick", "--configfile", "a.yaml"]


def told(targets, overlay=None, top="results"):
    """Return what is said before targets are made with the settings of an overlay."""
    own, known = overlay or {}, studies.load()
    loaded = configuration.load(HOME / "config" / "config.yaml")
    quick = HOME / "config" / "quick.yaml"
    runs = plans(configuration.merge(loaded, own), own, quick, known)
    said = list(launch.other_settings(runs, configured(loaded, {}, quick), targets))
    assert all(sentence.startswith(f"{top} was made") for sentence in said)
    return "".join(said)


def made(place, changed):
    """Write what a run with changed settings leaves: a manifest."""
    Path("results", place).parent.mkdir(parents=True, exist_ok=True)
    Path("results", place).write_text(json.dumps({"changed_settings": changed}))


CHANGED = {"huber": {"trials": 50}, "onebit": {"links": ["logistic"]}}


@pytest.mark.parametrize("place", ["manifest.json", "huber/report/manifest.json"])
def test_results_of_other_settings_are_named_before_they_are_replaced(folder, place):
    assert told(["huber"], CHANGED) == ""  # nothing is there
    made(place, {})
    assert told(["huber"]) == told([]) == ""
    sentence = "results was made with other settings (huber.trials). The affected results will be"
    assert told(["huber"], CHANGED).startswith(sentence)
    made(place, {"huber.trials": 50})
    assert told(["huber"], CHANGED) == ""
    assert told(["huber"]).startswith(sentence)


@pytest.mark.parametrize(
    ("targets", "keys"),
    [
        (["results/huber/trials.csv"], ["huber.trials"]),
        (["onebit", "results/huber/report/index.html"], ["huber.trials", "onebit.links"]),
        (["audit"], []),
        (["results/data/mine.npz"], []),
        (["quick"], []),
        ([], ["huber.trials", "onebit.links"]),
    ],
)
def test_only_settings_of_what_the_targets_make_are_named(folder, targets, keys):
    made("manifest.json", {})
    said = told(targets, CHANGED)
    assert f"({', '.join(keys)})" in said if keys else said == ""


def test_the_quick_run_has_results_of_its_own(folder):
    made("manifest.json", {})
    made("quick/manifest.json", {})
    assert told(["quick"], CHANGED, top="results/quick")


def test_names_with_spaces_and_quotation_marks(project, capsys):
    assert named_files("  ") == []
    (project / "my own.yaml").write_text("")
    assert named_files("my own.yaml") == ["my own.yaml"]
    assert named_files("'my own.yaml' b.yaml") == ["my own.yaml", "b.yaml"]
    assert "quotation mark" in refusal("--config=it's", capsys=capsys)


class Rule(SimpleNamespace):
    """As much of a rule of Snakemake as checking targets needs."""

    def has_wildcards(self):
        return "{" in self.output

    def is_producer(self, path):
        pattern = re.sub(r"\{\w+\}", ".+", self.output)
        return bool(self.output) and re.fullmatch(pattern, path) is not None


RULES = [
    Rule(name="all", output=""),
    Rule(name="surrogates", output=""),
    Rule(name="check", output="results/check.csv"),
    Rule(name="cell", output="results/cells/{cell}.csv"),
]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nosuch", ["There is no target 'nosuch';", "all, check, surrogates"]),
        ("surrogate", ["'surrogate' (did you mean 'surrogates'?)"]),
        ("cell", ["There is no target 'cell'"]),
        ("results/nosuch.csv", ["No rule makes results/nosuch.csv", "all, check, surrogates"]),
    ],
)
def test_targets_that_do_not_exist(folder, target, words):
    with pytest.raises(InputError) as caught:
        launch.check_targets(["all", target], RULES)
    for word in words:
        assert word in str(caught.value)


# clusters


def test_a_profile_that_is_not_there(project, capsys):
    assert "PROFILE=nosuch is no folder with a config.yaml;" in refusal(
        "--profile=nosuch", capsys=capsys
    )


def test_a_profile_says_where_jobs_run_and_on_how_many_cores(project):
    (project / "config.yaml").write_text("executor: local\ncores: 1")
    arguments = launch.snakemake_arguments(Path("Snakefile"), "2", [], ["quick"], ".")
    assert arguments[:4] == ["-s", "Snakefile", "--workflow-profile", "."]
    assert "--cores" not in arguments


# make


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
MAKEFILE = (HOME / "Makefile").read_text()
TARGETS = re.search(r"^TARGETS := ((?:.*\\\n)*.*)$", MAKEFILE, re.M)[1].replace("\\\n", " ").split()
SETTINGS = re.search(r"^SETTINGS := (.*)$", MAKEFILE, re.M)[1].split()


def make(*arguments, **variables):
    """Return what make says of errors, after checking that it then does nothing."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    result = subprocess.run(
        ["make", "--dry-run", *arguments],
        cwd=HOME,
        env=environment | variables,
        capture_output=True,
        text=True,
    )
    assert result.returncode == (2 if result.stderr else 0)
    assert not (result.stderr and result.stdout)
    return result.stderr


@needs_make
def test_make_help_names_every_target():
    command = ["make", "--no-print-directory", "help"]
    printed = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M)) == set(TARGETS)
    for target in TARGETS:
        assert re.search(rf"^  {target} +\w.*\w", printed, re.MULTILINE), target
    assert printed.endswith(f"TARGET=quick: {' '.join(SETTINGS)}\n")


@needs_make
@pytest.mark.parametrize(
    ("given", "meant"),
    [
        *((name, "TARGET") for name in ("TARGT", "target", "Target", "TARGETS")),
        *((name, "CONFIG") for name in ("CONFIGS", "config", "CONF")),
        *((name, "CORES") for name in ("CORE", "cores")),
        *((name, None) for name in ("BIN", "SETTINGS", "name", "SHELL", "X,Y", "it's", "%")),
    ],
)
def test_a_setting_that_make_does_not_have_is_refused_for_every_target(given, meant):
    hint = f" (did you mean {meant}?)" if meant else ""
    for form in (f"{given}=quick", f"{given}:=quick"):
        said = make(form)
        assert f"*** There is no setting {given}{hint}; name one of " in said
    for target in TARGETS:
        assert "There is no setting" in make(target, f"{given}=quick", "CORES=1")


@needs_make
def test_the_settings_of_make_and_any_variable_of_the_environment_are_taken():
    for name in SETTINGS:
        value = {"PYTHON": sys.executable, "VENV": sys.prefix}.get(name, "1")
        assert make("-o", f"{sys.prefix}/installed", f"{name}={value}") == ""
    assert make("help", TARGT="quick", target="quick", CONFIGS="a.yaml", SHELL="/bin/bash") == ""
    assert make("-e", "help", TARGT="quick") == ""


@needs_make
@pytest.mark.parametrize("goal", ["quick", "huber", "docs", "config", "reprodce", "A B=c"])
def test_a_target_that_make_does_not_have_is_refused_before_the_first_is_made(goal):
    """A file of that name would be up to date; and what stands before it would be made."""
    for goals in ([goal], ["reproduce", goal]):
        said = make(*goals)
        assert f"*** There is no target {goal.split()[0]}" in said
        assert "make reproduce TARGET=quick" in said
    assert ("did you mean reproduce?" in said) == (goal == "reprodce")


@needs_make
@pytest.mark.parametrize("value", ["it's mine.yaml", "a b.yaml", '"a b.yaml"', "$(x).yaml", "a;b"])
def test_make_hands_values_over_as_they_are(tmp_path, value):
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    installed = f"{tmp_path}/installed"
    given = value.replace("$", "$$")
    command = ["make", "-s", "-o", installed, f"VENV={tmp_path}", f"CONFIG={given}", "CORES=3"]
    Path(installed).touch()

    def handed_over(*arguments):
        run = [*command, "reproduce", *arguments]
        done = subprocess.run(run, cwd=HOME, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    start = ["-m", "dpmc_studies.running.launch"]
    found = handed_over("TARGET=quick huber")
    assert found == [*start, "--cores=3", f"--config={value}", "--", "quick", "huber"]
    found = handed_over(f"PROFILE={given}")
    assert found == [*start, f"--profile={value}", f"--config={value}", "--", "all"]

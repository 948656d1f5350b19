"""Start a run for ``make reproduce``: check the request, clean up after a crash, run Snakemake.

Called as ``python -m dpmc_studies.running.launch --cores 2 --config mine.yaml TARGET...`` in the
working folder. Bad input ends with one sentence and exit status 2, if possible before Snakemake
starts. :func:`join_run` checks targets at the end of the Snakefile, when rules are known.

Snakemake runs in this process, which holds the folder's lock
(:mod:`dpmc_studies.running.run_lock`). The lock therefore always ends with Snakemake.
"""

import argparse
import contextlib
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from dpmc.errors import InputError, did_you_mean
from dpmc.files import refusal
from dpmc_studies import configuration
from dpmc_studies.frame.api import Study
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.running import recovery, run_lock
from dpmc_studies.yaml_files import named_files, read_mapping

# as in the profiles; given here, so that the first line is ours
OPTIONS = (
    *("--logger", "dpmc", "--scheduler", "greedy"),
    *("--rerun-incomplete", "--show-failed-logs"),
)

# the targets that were asked for, as JSON: Snakemake knows them only after the Snakefile is read
TARGETS_VARIABLE = "DPMC_TARGETS"
SHOWN = 4  # settings that are named
INTERRUPTED = 130  # the exit status after Ctrl-C
QUICK_TARGETS, QUICK, RESULTS = ("quick", "check_quick"), "results/quick", "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the workflow in the current folder; return the exit status, 2 on bad input."""
    given = _parsed(arguments)
    try:
        overlays = [file for each in given.config for file in named_files(each)]
        command = snakemake_arguments(
            given.snakefile, given.cores, overlays, given.targets, given.profile
        )
        os.environ[TARGETS_VARIABLE] = json.dumps(given.targets)
        _hold_folder()
        return _snakemake(command)
    except InputError as error:
        print(f"dpmc: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"dpmc: {refusal(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("dpmc: stopped before anything ran", file=sys.stderr)
        return INTERRUPTED


def snakemake_arguments(
    snakefile: Path, cores: str, overlays: Iterable[str], targets: Sequence[str], profile: str = ""
) -> list[str]:
    """Check what was asked for; return the arguments of Snakemake on this machine."""
    if not profile:
        check_cores(cores)
    elif not Path(profile, "config.yaml").is_file():
        raise InputError(
            f"PROFILE={profile} is no folder with a config.yaml; name one, such as "
            "workflow/profiles/slurm."
        )
    if not snakefile.is_file():
        raise InputError(f"There is no {snakefile}; run this in the folder of the project.")
    # Snakemake would take the last of two equal keys, and show a traceback for what is no YAML
    for path in [*sorted(snakefile.parent.glob("config/*.yaml")), *overlays]:
        read_mapping(path)
    # targets before --configfile, which takes all that follows it
    configured = ["--configfile", *overlays] if overlays else []
    where = ["--workflow-profile", profile] if profile else ["--cores", cores]
    return ["-s", str(snakefile), *where, *OPTIONS, *targets, *configured]


def check_cores(cores: str) -> None:
    """Raise InputError unless ``cores`` is a whole number of at least 1 or "all"."""
    whole = cores.isascii() and cores.isdigit()
    if cores != "all" and not (whole and int(cores) >= 1):
        raise InputError(
            f"CORES must be a whole number of at least 1, or all, got {cores!r}; "
            "for example: make reproduce CORES=2."
        )


def asked_run() -> str:
    """Return the folder of the targets' run: the quick run's if all targets belong to it."""
    runs = {_run_of(target) for target in _asked_targets()}
    return QUICK if runs == {QUICK} else RESULTS


def _asked_targets() -> list[str]:
    return json.loads(os.environ.get(TARGETS_VARIABLE, "[]"))


def _run_of(target: str) -> str:
    return QUICK if target in QUICK_TARGETS or target.startswith(f"{QUICK}/") else RESULTS


# -- called by the Snakefile --------------------------------------------------------------------


def join_run(workflow) -> None:
    """Check the targets and share the folder's lock; do nothing in the processes of jobs.

    Snakemake called by hand also shares the lock, even for a dry run, so that no other process
    cleans up the folder meanwhile. It checks its own targets.
    """
    if not workflow.is_main_process:
        return
    try:
        check_targets(_asked_targets(), workflow.rules)
    except InputError as error:
        stop(error)
    run_lock.join(Path.cwd())


def warn_of_settings(workflow, runs: Mapping[str, Plan], defaults: Mapping[str, Mapping]) -> None:
    """Print the settings that no claim is about, and those that replace results."""
    if workflow.is_main_process and TARGETS_VARIABLE in os.environ:
        asked = _asked_targets()
        for sentence in (*beside_claims(runs, asked), *other_settings(runs, defaults, asked)):
            print(f"dpmc: {sentence}", file=sys.stderr)


def beside_claims(runs: Mapping[str, Plan], targets: Iterable[str]) -> list[str]:
    """Return sentences on values of settings that no claim is about, once for all runs."""
    found = {}
    for target in list(targets) or ["all"]:
        run = runs[_run_of(target)]
        for study in _made_by(target, run):
            found[study.beside_claims(run.sections[study.name])] = None
    return [sentence for sentence in found if sentence]


def other_settings(
    runs: Mapping[str, Plan], defaults: Mapping[str, Mapping], targets: Iterable[str]
) -> Iterator[str]:
    """Yield, for each run, a sentence on settings that differ from those of its last report.

    ``runs`` holds the plan of each run, by its folder, and ``defaults`` its configuration without
    the user's settings.
    """
    targets = list(targets) or ["all"]
    for top, run in runs.items():
        asked = [target for target in targets if _run_of(target) == top]
        sections = {study.name for target in asked for study in _made_by(target, run)}
        reports = [*Path(top).glob("manifest.json"), *Path(top).glob("*/report/manifest.json")]
        if not reports:
            continue
        last = max(reports, key=lambda path: path.stat().st_mtime)
        made = json.loads(last.read_text("utf-8")).get("changed_settings", {})
        wanted = configuration.changes(defaults[top], run.configuration)
        other = [key for key in {**made, **wanted} if made.get(key) != wanted.get(key)]
        keys = [key for key in other if key.partition(".")[0] in sections]
        if keys:
            names = keys[:SHOWN] + [f"{len(keys) - SHOWN} more"] * (len(keys) > SHOWN)
            yield (
                f"{top} was made with other settings ({', '.join(names)}). The affected results "
                "will be replaced. To keep "
                f"them, press Ctrl-C, run `cp -a {top} before`, and start again; "
                f"`dpmc diff {top} before` then shows what changed."
            )


def _made_by(target: str, run: Plan) -> list[Study]:
    """Return the studies whose results a target makes: all, if it is of none and not of data."""

    def is_of(study: Study) -> bool:
        parts = {part.target for part in (*study.jobs, *study.steps)}
        named = target in {study.name, f"{study.name}_check", *parts}
        return named or target.startswith(f"{run.top}/{study.name}/")

    every = list(run.studies.values())
    is_data = target.startswith(f"{RESULTS}/data/")
    return list(filter(is_of, every)) or ([] if is_data else every)


def check_targets(targets: Iterable[str], rules: Iterable) -> None:
    """Refuse a target that is neither a rule without wildcards nor an existing or makeable file."""
    named = {rule.name: rule for rule in rules}
    whole = sorted(name for name, rule in named.items() if not rule.has_wildcards())
    for target in targets:
        if target in whole:
            continue
        is_made = any(rule.is_producer(target) for rule in named.values())
        if target in named or not (is_made or Path(target).exists()):
            raise InputError(_no_target(target, whole))


def _no_target(target: str, rules: Sequence[str]) -> str:
    if "/" in target:
        return f"No rule makes {target}; correct the path, or name one of {', '.join(rules)}."
    return (
        f"There is no target {target!r}{did_you_mean(target, rules)}; name one of "
        f"{', '.join(rules)}, or a file such as results/report/index.html."
    )


def stop(error: InputError) -> None:
    """End a run of Snakemake with the sentence alone, from within the Snakefile."""
    print(f"dpmc: {error}", file=sys.stderr)
    sys.exit(2)


# -----------------------------------------------------------------------------------------------


def _hold_folder() -> None:
    """Take the folder's lock for the rest of this process, and mend what others left."""
    try:
        lock = run_lock.take(Path.cwd())
    except run_lock.LocksUnsupported:
        print(
            "dpmc: the file system has no locks: do not start two runs in this folder; after a "
            "crash, `snakemake --unlock --cores 1` may be needed",
            file=sys.stderr,
        )
        return
    recovery.check_room(Path.cwd())
    recovery.recover(Path.cwd())
    run_lock.begin(lock, Path.cwd())


def _snakemake(arguments: list[str]) -> int:
    import psutil
    from snakemake.cli import main as snakemake

    import snakemake_logger_plugin_dpmc as progress

    # its process, not this function: until here it took seconds
    progress.BEGIN = time.monotonic() - (time.time() - psutil.Process().create_time())
    # on a full disk Snakemake's own log would print a traceback for each line
    logging.raiseExceptions = False
    _stop_on_interrupt(progress.STOPPED)
    try:
        snakemake(arguments)
    except SystemExit as end:
        failed = end.code if isinstance(end.code, int) else int(end.code is not None)
        return INTERRUPTED if progress.STOPPED.is_set() else failed
    return 0


def _stop_on_interrupt(stopped: threading.Event) -> None:
    """Let Ctrl-C end jobs without tracebacks, and then Snakemake.

    A signal that is blocked here is blocked in all threads and processes started from here. So
    jobs, which would print tracebacks, do not receive Ctrl-C: one thread receives it and ends them.
    """
    import psutil

    main = threading.main_thread().ident
    signal.signal(signal.SIGUSR1, signal.default_int_handler)  # raises KeyboardInterrupt

    def listen() -> None:
        while True:
            signal.sigwait({signal.SIGINT})
            stopped.set()
            signal.pthread_kill(main, signal.SIGUSR1)  # first, so that no further job begins
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.terminate()

    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    threading.Thread(target=listen, daemon=True).start()


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m dpmc_studies.running.launch", description=__doc__
    )
    parser.add_argument("--snakefile", default=Path("Snakefile"), type=Path)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--cores", default=str(os.cpu_count() or 1))
    where.add_argument("--profile", default="", metavar="FOLDER")
    parser.add_argument("--config", default=[], action="append", metavar="FILES")
    parser.add_argument("targets", nargs="*")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

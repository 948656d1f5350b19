"""What ``make reproduce`` starts: check what is asked for, mend what a crash left, run Snakemake.

``python -m dpmc.running.launch --cores 2 --config mine.yaml TARGET...`` in the working folder. What
can be refused is refused in one sentence before Snakemake starts, with exit status 2; what only the
parsed workflow knows (its targets) is checked at the end of the Snakefile, by :func:`join_run`.

Snakemake runs in this process, which holds the folder's lock (:mod:`dpmc.running.run_lock`): the
lock lives exactly as long as Snakemake does, whatever ends it.
"""

import argparse
import atexit
import contextlib
import importlib
import json
import logging
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from dpmc import configuration, studies
from dpmc.errors import InputError, did_you_mean
from dpmc.files import refusal
from dpmc.frame.costs.cluster import Requests
from dpmc.frame.jobs.plan import configured, plans
from dpmc.running import recovery, run_lock
from dpmc.yaml_files import read_mapping

# as in the profiles; given here, so that the first line is ours
OPTIONS = (
    *("--logger", "dpmc", "--scheduler", "greedy"),
    *("--rerun-incomplete", "--show-failed-logs"),
)

# the targets that were asked for, as JSON: Snakemake knows them only after the Snakefile is read
TARGETS_VARIABLE = "DPMC_TARGETS"
SHOWN = 4  # settings that are named
INTERRUPTED = 130  # the exit status after Ctrl-C
QUICK_TARGETS, QUICK = ("quick", "check_quick"), "results/quick"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the workflow in the current folder; return the exit status, 2 on bad input."""
    given = _parsed(arguments)
    try:
        overlays = named_files(given.config)
        command = snakemake_arguments(
            given.snakefile, given.cores, overlays, given.targets, given.profile
        )
        os.environ[TARGETS_VARIABLE] = json.dumps(given.targets)
        if told := other_settings(given.snakefile.parent / "config", overlays):
            print(f"dpmc: {told}", file=sys.stderr)
        settings = read_mapping(Path(given.profile, "config.yaml")) if given.profile else {}
        if settings.get("executor", "local") != "local":
            command += bundling(settings, given.snakefile.parent, overlays)
        with _folder_held():
            return _snakemake([*command, *naming(settings)])
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
    """Refuse what is neither a whole number of at least 1 nor "all"."""
    whole = cores.isascii() and cores.isdigit()
    if cores != "all" and not (whole and int(cores) >= 1):
        raise InputError(
            f"CORES must be a whole number of at least 1, or all, got {cores!r}; "
            "for example: make reproduce CORES=2."
        )


def named_files(config: str) -> list[str]:
    """Split the value of CONFIG into file names, which are quoted as for a shell if need be."""
    if not config.strip() or Path(config).is_file():
        return [config] if config.strip() else []
    try:
        return shlex.split(config)
    except ValueError:
        raise InputError(
            f"CONFIG={config} has a quotation mark without its pair; take it out."
        ) from None


def other_settings(defaults: Path, overlays: Iterable[str]) -> str:
    """Say which results here were made with other settings, and would be replaced; "" if none."""
    base = configuration.load(defaults / "config.yaml")
    runs = [
        configured(each, defaults / "quick.yaml")
        for each in (base, configuration.load(defaults / "config.yaml", overlays))
    ]
    top = asked_run()
    wanted = configuration.changes(*(each[top] for each in runs))
    found = {}
    for section in runs[1][top]:
        manifests = [Path(top, "manifest.json"), Path(top, section, "report", "manifest.json")]
        manifests = [path for path in manifests if path.is_file()]
        if manifests and Path(top, section).is_dir():
            newest = max(manifests, key=lambda path: path.stat().st_mtime)
            made = json.loads(newest.read_text("utf-8")).get("changed_settings", {})
            keys = [key for key in {**made, **wanted} if key.partition(".")[0] == section]
            found |= {key: section for key in keys if made.get(key) != wanted.get(key)}
    if not found:
        return ""
    names = [*list(found)[:SHOWN], *([f"{len(found) - SHOWN} more"] if len(found) > SHOWN else [])]
    places = dict.fromkeys(f"{top}/{section}" for section in found.values())
    return (
        f"{' and '.join(places)}: made with other settings ({', '.join(names)}); what they "
        f"touch is made anew in its place. To keep and compare it: Ctrl-C, cp -a {top} before, the "
        f"same command again, dpmc diff {top} before."
    )


def bundling(profile: Mapping, home: Path, overlays: Iterable[str]) -> list[str]:
    """Return how many jobs share a submission, as an option; what the profile says goes before."""
    name = f"snakemake_executor_plugin_{profile['executor']}"
    try:
        plugin = importlib.import_module(name)
    except ModuleNotFoundError:
        raise InputError(
            f"The profile runs jobs by {profile['executor']}, whose plug-in is not installed; "
            f"install it: pip install {name.replace('_', '-')}."
        ) from None
    # else a bundle falls apart on the node into jobs that each start a Snakemake
    if hasattr(plugin.common_settings, "pass_group_args"):
        plugin.common_settings.pass_group_args = True
    settings = configuration.load(home / "config" / "config.yaml", overlays)
    known = studies.load(settings.get("studies") or [])
    runs = plans(settings, home / "config" / "quick.yaml", known)
    bundles = [f"{group}={jobs}" for group, jobs in Requests(runs).bundles().items()]
    return ["--group-components", *bundles, *profile.get("group-components", [])]


def naming(profile: Mapping) -> list[str]:
    """Let the names of Slurm jobs begin with that of the run, so that recovery finds them."""
    if profile.get("executor") != "slurm" or run_lock.RUN_VARIABLE not in os.environ:
        return []
    names = [os.environ[run_lock.RUN_VARIABLE], profile.get("slurm-jobname-prefix")]
    return ["--slurm-jobname-prefix", "_".join(filter(None, names))]


def asked_run() -> str:
    """Return the folder of the run that targets are of: the quick one's, if all of them are."""
    targets = json.loads(os.environ.get(TARGETS_VARIABLE, "[]"))
    quick = [each in QUICK_TARGETS or each.startswith(f"{QUICK}/") for each in targets]
    return QUICK if quick and all(quick) else "results"


# -- called by the Snakefile --------------------------------------------------------------------


def join_run(workflow) -> None:
    """Check the targets and share the folder's lock; on a node, keep a bundle to its cores.

    Snakemake called by hand shares the lock as well, even to look, so that nobody mends the folder
    meanwhile; its targets it checks itself.
    """
    if not workflow.is_main_process:
        keep_to_own_cores(workflow)
        return
    try:
        check_targets(json.loads(os.environ.get(TARGETS_VARIABLE, "[]")), workflow.rules)
    except InputError as error:
        stop(error)
    if (lock := run_lock.join(Path.cwd())) is not None:
        atexit.register(lock.end)


def keep_to_own_cores(workflow) -> None:
    """Keep a bundle to its cores: where Slurm binds none, Snakemake takes all of the node.

    There is no option for it; tests/workflow/test_scheduler.py looks whether it still works.
    """
    cores = os.environ.get("SLURM_CPUS_PER_TASK")
    resources = getattr(workflow, "global_resources", {})
    if cores is not None and "_cores" in resources:
        resources["_cores"] = int(cores)


def check_targets(targets: Iterable[str], rules: Iterable) -> None:
    """Refuse a target that is neither a rule without wildcards nor a file that is made or there."""
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


@contextlib.contextmanager
def _folder_held() -> Iterator[None]:
    """Hold the folder's lock, and mend what runs that died have left."""
    try:
        lock = run_lock.take(Path.cwd())
    except run_lock.LocksUnsupported:
        print(
            "dpmc: the file system has no locks: do not start two runs in this folder; after a "
            "crash, `snakemake --unlock --cores 1` may be needed",
            file=sys.stderr,
        )
        yield
        return
    if lock.former:
        print("dpmc: the last run was interrupted; going on from there", file=sys.stderr)
    recovery.check_room(Path.cwd())
    recovery.recover(Path.cwd(), lock.former)
    lock.begin()
    yield
    # not where an exception came: then jobs may be alive, and the next run looks for them
    lock.end()


def _snakemake(arguments: list[str]) -> int:
    from snakemake.cli import main as snakemake

    from snakemake_logger_plugin_dpmc import STOPPED

    # on a full disk Snakemake's own log would print a traceback for each line
    logging.raiseExceptions = False
    _stop_on_interrupt(STOPPED)
    try:
        snakemake(arguments)
    except SystemExit as end:
        failed = end.code if isinstance(end.code, int) else int(end.code is not None)
        return INTERRUPTED if STOPPED.is_set() else failed
    return 0


def _stop_on_interrupt(stopped: threading.Event) -> None:
    """Let Ctrl-C end jobs without a word of theirs, and then Snakemake.

    A blocked signal is blocked in all threads and processes that are started from here. So jobs,
    each of which would print where it was, do not hear Ctrl-C: one thread does, and ends them.
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
    parser = argparse.ArgumentParser(prog="python -m dpmc.running.launch", description=__doc__)
    parser.add_argument("--snakefile", default=Path("Snakefile"), type=Path)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--cores", default=str(os.cpu_count() or 1))
    where.add_argument("--profile", default="", metavar="FOLDER")
    parser.add_argument("--config", default="", metavar="FILES")
    parser.add_argument("targets", nargs="*")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

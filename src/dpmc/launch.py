"""What ``make reproduce`` starts: check what is asked for, mend what a crash left, run Snakemake.

``python -m dpmc.launch --cores 2 --config mine.yaml TARGET...`` in the working folder. What can be
refused is refused in one sentence before Snakemake starts, with exit status 2; what only the parsed
workflow knows (its targets) is checked by :func:`before_execution`, which the Snakefile calls, so
that plain ``snakemake`` gives the same sentence.

Snakemake runs in this process, which holds the folder's lock (:mod:`dpmc.run_lock`): the lock lives
exactly as long as Snakemake does, whatever ends it.
"""

import argparse
import atexit
import contextlib
import functools
import importlib.util
import logging
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from dpmc import recovery, run_lock
from dpmc.errors import InputError, did_you_mean
from dpmc.files import refusal
from dpmc.yaml_files import read_mapping

# as in the profiles; given here, so that the first line is ours
OPTIONS = (
    *("--logger", "dpmc", "--scheduler", "greedy"),
    *("--rerun-incomplete", "--show-failed-logs"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the workflow in the current folder; return the exit status, 2 on bad input."""
    given = _parsed(arguments)
    try:
        command = snakemake_arguments(
            given.snakefile, given.cores, given.config, given.targets, given.profile
        )
        with _folder_held():
            return _snakemake(command)
    except InputError as error:
        print(f"dpmc: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"dpmc: {refusal(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def snakemake_arguments(
    snakefile: str | Path,
    cores: str,
    config: str,
    targets: Sequence[str],
    profile: str = "",
) -> list[str]:
    """Check what was asked for and return the arguments of Snakemake.

    Parameters
    ----------
    snakefile : path
        Beside it is ``config/config.yaml``.
    cores : str
        A count, or "all".
    config : str
        Configuration files, laid over the defaults from left to right; quoted as for a shell, if
        there is a space in a name. May be empty.
    targets : sequence of str
        Rules or files; may be empty.
    profile : str
        Folder of the profile that says where jobs run, and on how many cores; may be empty.

    Raises
    ------
    InputError
        One sentence: no such snakefile, count, profile, configuration or data file; a profile or
        configuration that is not valid YAML or has a key twice; a plug-in that is not installed.
    """
    if profile:
        check_profile(profile)
    else:
        check_cores(cores)
    snakefile = Path(snakefile)
    if not snakefile.is_file():
        raise InputError(f"There is no {snakefile}; run this in the folder of the project.")
    overlays = named_files(config)
    for path in overlays:
        check_named(path, snakefile.parent)
    check_configurations(snakefile, overlays)
    # targets before --configfile, which takes all that follows it
    configured = ["--configfile", *overlays] if overlays else []
    where = ["--workflow-profile", profile] if profile else ["--cores", cores]
    return ["-s", str(snakefile), *where, *OPTIONS, *targets, *configured]


def check_cores(cores: str) -> None:
    """Refuse a number of cores that is none.

    Raises
    ------
    InputError
        It is not a whole number of at least 1, nor "all".
    """
    whole = cores.isascii() and cores.isdigit()
    if cores != "all" and not (whole and int(cores) >= 1):
        raise InputError(
            f"CORES must be a whole number of at least 1, or all, got {cores!r}; "
            "for example: make reproduce CORES=2."
        )


def check_profile(profile: str) -> None:
    """Refuse a profile that is not there, or whose executor is not installed.

    Raises
    ------
    InputError
        There is no such folder with a ``config.yaml``, it is not valid YAML, or asks for a plug-in
        that is not there.
    """
    path = Path(profile) / "config.yaml"
    if not path.is_file():
        there = [str(each.parent) for each in Path("workflow/profiles").glob("*/config.yaml")]
        raise InputError(
            f"PROFILE={profile} is no folder with a config.yaml{did_you_mean(profile, there)}; "
            "name one, such as workflow/profiles/slurm."
        )
    executor = read_mapping(path).get("executor")
    plugin = f"snakemake_executor_plugin_{executor}"
    if executor not in (None, "local") and importlib.util.find_spec(plugin) is None:
        raise InputError(
            f"{path} runs jobs by {executor}, whose plug-in is not installed; install it: "
            f"pip install {plugin.replace('_', '-')}."
        )


def named_files(config: str) -> list[str]:
    """Split the value of CONFIG into file names.

    Raises
    ------
    InputError
        A quotation mark without its pair.
    """
    if not config.strip() or Path(config).is_file():
        return [config] if config.strip() else []
    try:
        return shlex.split(config)
    except ValueError:
        raise InputError(
            f"CONFIG={config} has a quotation mark without its pair; take it out."
        ) from None


def check_named(path: str, home: Path) -> None:
    """Refuse a configuration file that is not there, with the name of a similar one.

    Raises
    ------
    InputError
        There is no such file.
    """
    if Path(path).exists():
        return
    there = [str(each) for each in (*Path().glob("*.yaml"), *Path().glob("config/*.yaml"))]
    there += [str(each) for each in home.glob("config/*.yaml")]
    raise InputError(
        f"There is no configuration file {path}{did_you_mean(path, there)}; correct the name, "
        "or write the file."
    )


def check_configurations(snakefile: Path, overlays: Iterable[str | Path]) -> None:
    """Read the defaults and all overlays, and look for the data files that they name.

    Raises
    ------
    InputError
        One of the files is not valid YAML, has a key twice, or names a data file that is not there.
    """
    defaults = sorted((snakefile.parent / "config").glob("*.yaml"))
    for path in defaults:
        read_mapping(path)
    sets: dict[str, dict] = {}
    base = snakefile.parent / "config" / "config.yaml"
    for path in [*([base] if base.exists() else []), *overlays]:
        section = _mapping(read_mapping(path).get("data"))
        for name, entry in _mapping(section.get("sets")).items():
            sets.setdefault(name, {}).update(_mapping(entry))
    check_own_files(sets)


def check_own_files(sets: Mapping[str, Mapping]) -> None:
    """Refuse a data set of the user's own whose file is not there.

    Parameters
    ----------
    sets : mapping
        The section ``data.sets``; what is no path is left to the schema.

    Raises
    ------
    InputError
        There is no such file.
    """
    for name, entry in sets.items():
        path = _mapping(entry).get("path")
        if isinstance(path, str) and not Path(path).is_file():
            raise InputError(
                f"data.sets.{name}.path: there is no file {path} (seen from {Path.cwd()}); correct "
                "the path, or take the entry out."
            )


def before_execution(workflow, bundles: Callable[[], Mapping[str, int]]) -> None:
    """Have targets checked, the folder's lock taken, and jobs for a cluster named and bundled.

    All this when Snakemake is about to run.

    Called by the Snakefile. Snakemake has no hook between reading the Snakefile, when the targets
    are not known yet, and locking the folder: so its method that does the latter is wrapped. A dry
    run, ``--lint`` and the like, and jobs on a cluster, take no lock.

    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
    bundles : callable
        Returns how many jobs of a group share a submission, by its name; ``--group-components`` of
        the command line or profile goes before.
    """
    execute = getattr(workflow, "execute", None)
    if execute is None:
        return
    _keep_to_own_cores(workflow)

    @functools.wraps(execute)
    def checked_execute(*args, executor_plugin, executor_settings, **options):
        # only now: Snakemake sets its own after it has read the Snakefile. On the node as well,
        # where a bundle would fall apart into jobs that each start a Snakemake
        chosen = workflow.group_settings.group_components
        workflow.group_settings.group_components = {**bundles(), **chosen}
        if workflow.is_main_process:
            try:
                check_targets(workflow.dag_settings.targets, workflow.rules)
            except InputError as error:
                stop(error)
            if not executor_plugin.common_settings.dryrun_exec:
                _share_folder()
                name_submissions(executor_settings)
        return execute(
            *args,
            executor_plugin=executor_plugin,
            executor_settings=executor_settings,
            **options,
        )

    workflow.execute = checked_execute
    logging.FileHandler.handleError = _unless_the_disk_is_full(logging.FileHandler.handleError)


def _unless_the_disk_is_full(handle_error: Callable) -> Callable:
    """Keep Snakemake's own log from printing a traceback for each line that it cannot write."""

    @functools.wraps(handle_error)
    def handle(handler, record):
        if not isinstance(sys.exc_info()[1], OSError):
            handle_error(handler, record)

    return handle


def _keep_to_own_cores(workflow) -> None:
    """Keep a bundle to its cores: where Slurm binds none, Snakemake takes all of the node."""
    cores = os.environ.get("SLURM_CPUS_PER_TASK")
    if cores is not None and not workflow.is_main_process:
        workflow.global_resources["_cores"] = int(cores)


def name_submissions(executor_settings: object) -> None:
    """Let the names of Slurm jobs begin with that of the run, so that recovery finds them.

    Parameters
    ----------
    executor_settings : object
        Those of Snakemake's plug-in; of another plug-in, None or without ``jobname_prefix``.
    """
    run = os.environ.get(run_lock.RUN_VARIABLE)
    if run and hasattr(executor_settings, "jobname_prefix"):
        given = executor_settings.jobname_prefix
        executor_settings.jobname_prefix = f"{run}_{given}" if given else run


def check_targets(targets: Iterable[str], rules: Iterable) -> None:
    """Refuse a target that no rule makes.

    Parameters
    ----------
    targets : iterable of str
        Names of rules, or files.
    rules : iterable of snakemake.rules.Rule

    Raises
    ------
    InputError
        The target is neither a rule without wildcards nor a file that some rule makes or that
        exists. The sentence names the rules.
    """
    named = {rule.name: rule for rule in rules}
    whole = sorted(name for name, rule in named.items() if not rule.has_wildcards())
    for target in map(str, targets):
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


def _share_folder() -> None:
    lock = run_lock.join(Path.cwd())
    if lock is not None:
        atexit.register(lock.end)


@contextlib.contextmanager
def _folder_held() -> Iterator[None]:
    """Hold the folder's lock, and mend what runs that died have left."""
    lock = _taken()
    if lock is None:
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


def _taken() -> run_lock.RunLock | None:
    try:
        return run_lock.take(Path.cwd())
    except run_lock.LocksUnsupported:
        print(
            "dpmc: the file system has no locks: do not start two runs in this folder; after a "
            "crash, `snakemake --unlock --cores 1` may be needed",
            file=sys.stderr,
        )
        return None


def _snakemake(arguments: list[str]) -> int:
    from snakemake.cli import main as snakemake

    try:
        snakemake(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m dpmc.launch", description=__doc__)
    parser.add_argument("--snakefile", default="Snakefile")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--cores", default=str(os.cpu_count() or 1))
    where.add_argument("--profile", default="", metavar="FOLDER")
    parser.add_argument("--config", default="", metavar="FILES")
    parser.add_argument("targets", nargs="*")
    return parser.parse_args(arguments)


def _mapping(value: object) -> Mapping:
    return value if isinstance(value, Mapping) else {}


if __name__ == "__main__":
    sys.exit(main())

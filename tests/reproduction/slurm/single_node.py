"""A Slurm of one node on this machine, for tests: started and stopped as root.

``python tests/reproduction/slurm/single_node.py start`` installs Debian's packages if they are not
there and starts munged, slurmctld and slurmd with all their state in a temporary folder; ``stop``
ends them and removes the folder. Outside of it is one link, :data:`LINK`, where commands find the
configuration: Snakemake's plug-in hides the variable SLURM_CONF from jobs. There is no accounting.
Jobs are held to the memory that they ask for.
"""

import argparse
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
PACKAGES = ("munge", "slurm-wlm")
DAEMONS = ("slurmd", "slurmctld", "munged")
LINK = Path("/etc/slurm/slurm.conf")
FOLDER = "dpmc-slurm-"
PATIENCE = 60.0

# what the operating system and Slurm itself need is not given to jobs
SPARED_MB = 512

CONFIGURATION = """
ClusterName=dpmc
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SchedulerParameters=batch_sched_delay=0,sched_interval=5
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory_mb} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class Unavailable(Exception):
    """There can be no Slurm here; the sentence says why."""


def install() -> None:
    """Install Debian's packages of Slurm, if they are not there.

    Raises
    ------
    Unavailable
        This is not root, not Debian, or the packages cannot be had.
    """
    if os.geteuid() != 0:
        raise Unavailable("a Slurm of one node is started by root only")
    if all(map(shutil.which, PROGRAMS)):
        return
    if shutil.which("apt-get") is None:
        raise Unavailable("there is no Slurm, and no apt-get to install it with")
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
        done = subprocess.run(["apt-get", "-qq", *command], env=quiet, capture_output=True)
        if done.returncode != 0:
            raise Unavailable(f"apt-get {command[0]} failed, so there is no Slurm")


def start() -> None:
    """Start a Slurm of one node.

    Raises
    ------
    Unavailable
        It cannot be installed, does not come up, or there is another one.
    """
    install()
    if _folder() is not None and not _alive(_folder()):
        stop()
    if os.path.lexists(LINK):
        raise Unavailable(f"this machine has a Slurm already, see {LINK}")
    folder = Path(tempfile.mkdtemp(prefix=FOLDER))
    # munged wants its socket to be reachable by everybody
    folder.chmod(0o755)
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o600)
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    controller_port, node_port = _free_ports(2)
    text = CONFIGURATION.format(
        host=platform.node().partition(".")[0],
        folder=folder,
        cpus=os.cpu_count(),
        memory_mb=pages // 2**20 - SPARED_MB,
        controller_port=controller_port,
        node_port=node_port,
    )
    (folder / "slurm.conf").write_text(text)
    LINK.parent.mkdir(exist_ok=True)
    LINK.symlink_to(folder / "slurm.conf")
    try:
        _run(
            *("munged", "--force", f"--key-file={folder}/munge.key"),
            *(f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid"),
            *(f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed"),
        )
        _run("slurmctld")
        _run("slurmd")
        _wait_until_idle()
    except BaseException:
        stop()
        raise


def stop() -> None:
    """End the jobs and the daemons that :func:`start` started, and remove their folder."""
    folder = _folder()
    if folder is None:
        return
    if _alive(folder):
        subprocess.run(["scancel", "--user=root"], capture_output=True, timeout=PATIENCE)
        _wait_until(lambda: not _said("squeue", "--noheader"))
    for name in DAEMONS:
        _end(folder / f"{name}.pid")
    LINK.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _folder() -> Path | None:
    """Return the folder of the Slurm that :func:`start` started; None if there is none."""
    if not LINK.is_symlink():
        return None
    folder = LINK.readlink().parent
    return folder if folder.name.startswith(FOLDER) else None


def _alive(folder: Path) -> bool:
    return any(_pid(folder / f"{name}.pid") for name in DAEMONS)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 0:
        raise Unavailable(f"{command[0]} does not start: {done.stderr.strip()}")


def _said(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    return done.stdout.strip() or done.stderr.strip()


def _wait_until_idle() -> None:
    state = ("sinfo", "--noheader", "--format=%T")
    if not _wait_until(lambda: _said(*state) == "idle"):
        raise Unavailable(f"the node of Slurm does not come up: {_said(*state)}")


def _wait_until(condition: Callable[[], bool]) -> bool:
    """Wait for something, but not for ever; return whether it came."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def _end(pid_file: Path) -> None:
    """End the process of a file with its id, and wait for it to go."""
    pid = _pid(pid_file)
    if pid is None:
        return
    os.kill(pid, signal.SIGTERM)
    if not _wait_until(lambda: _pid(pid_file) is None):
        os.kill(pid, signal.SIGKILL)


def _pid(pid_file: Path) -> int | None:
    """Return the id in a file, if there is such a process and it is not dead."""
    try:
        pid = int(pid_file.read_text())
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ValueError):
        return None
    return None if state == "Z" else pid


def _free_ports(number: int) -> list[int]:
    sockets = [socket.socket() for _ in range(number)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def main() -> int:
    """Start or stop; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["start", "stop"])
    given = parser.parse_args()
    try:
        start() if given.command == "start" else stop()
    except Unavailable as reason:
        print(f"No Slurm: {reason}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Faults that are provoked on demand (`make test-faults`), and the table of what was seen.

They take minutes and some need root, so that they are collected only when DPMC_FAULTS is set.
"""

import contextlib
import os
import subprocess

import pytest

collect_ignore_glob = [] if os.environ.get("DPMC_FAULTS") else ["test_*.py"]


@pytest.fixture
def seen(record_property):
    """Return a function that notes a fault and what was seen, for the table at the end."""

    def note(fault, what):
        record_property("fault", fault)
        record_property("seen", what)

    return note


@pytest.fixture
def small_disk():
    """Return a function that mounts a file system of some size in memory; skip without root."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    with contextlib.ExitStack() as mounted:

        def mount(folder, size):
            folder.mkdir(parents=True, exist_ok=True)
            made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder])
            if made.returncode:
                pytest.skip("root may not mount here (a container without CAP_SYS_ADMIN)")
            mounted.callback(subprocess.run, ["umount", "--lazy", folder], check=True)
            return folder

        yield mount


def pytest_terminal_summary(terminalreporter):
    """Print fault -> what was seen."""
    reports = [
        (outcome, report)
        for outcome in ("passed", "failed", "skipped")
        for report in terminalreporter.getreports(outcome)
    ]
    terminalreporter.section("fault -> what was seen")
    for outcome, report in reports:
        noted = list(getattr(report, "user_properties", []))
        faults = [value for name, value in noted if name == "fault"]
        whats = [value for name, value in noted if name == "seen"]
        for fault, what in zip(faults, whats, strict=True):
            terminalreporter.write_line(f"{fault} -> {what}")
        if outcome != "passed":
            why = report.longrepr[-1] if isinstance(report.longrepr, tuple) else "see above"
            terminalreporter.write_line(f"{report.nodeid} -> {outcome}: {why}")

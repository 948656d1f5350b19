"""The order of the files: those that take longest begin, so that no core waits for one at the end.

Whole files are handed to the cores in this order (`make test` says so with
``--no-loadscope-reorder``; otherwise those with most tests would come first, and a run of the
workflow, which is one test of a minute, last), and the files of some folders to one core together.
"""

import gc
import os

import pytest

LONGEST = (
    *(f"reproduction/{name}" for name in ("workflow/test_own_study.py", "workflow/")),
    *(f"reproduction/{name}" for name in ("report/test_report_page.py", "report/")),
    *("reproduction/studies/huber/test_claims.py", "library/publication/test_guarantee_schemas.py"),
    "reproduction/studies/",
)
"""Files and folders, by CPU seconds; what is not among them comes afterwards as it is found."""
TOGETHER = ("tests/reproduction/report/", "tests/contract/")
"""Folders whose files share what takes long to make."""


@pytest.fixture
def unmeasured(monkeypatch):
    """What a test starts is not measured by `make coverage`, which imports itself there."""
    for name in [name for name in os.environ if name.startswith("COVERAGE_")]:
        monkeypatch.delenv(name)


def place_of(item):
    """Return the place of a test's file in the order."""
    found = (place for place, name in enumerate(LONGEST) if f"tests/{name}" in item.nodeid)
    return next(found, len(LONGEST))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without looking for garbage: there is none among ten thousand tests, and that takes
    a third of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    items.sort(key=place_of)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            shared = (folder for folder in TOGETHER if nodeid.startswith(folder))
            return next(shared, super()._split_scope(nodeid))

    return Scheduling(config, log)

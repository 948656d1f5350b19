"""The order of the files: those that take longest begin, so that no core waits for one at the end.

Whole files are handed to the cores in this order (`make test` says so with
``--no-loadscope-reorder``; otherwise those with most tests would come first, and a run of the
workflow, which is one test of a minute, last).
"""

LONGEST = (
    *("workflow/test_own_study.py", "workflow/", "report/test_report_page.py", "report/"),
    *("studies/huber/test_claims.py", "publication/test_guarantee_schemas.py", "studies/"),
)
"""Files and folders, by CPU seconds; what is not among them comes afterwards as it is found."""


def place_of(item):
    """Return the place of a test's file in the order."""
    found = (place for place, name in enumerate(LONGEST) if f"tests/{name}" in item.nodeid)
    return next(found, len(LONGEST))


def pytest_collection_modifyitems(items):
    items.sort(key=place_of)

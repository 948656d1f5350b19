"""A line that changes in the library or in the reproduction reruns the jobs that import it."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from every_study import HOME

PROGRAM = """
import json
from every_study import STUDIES, plan_of

plan = plan_of("ci")
print(json.dumps({
    " ".join([study.name, job.name, *place, ""]): plan.code(study, job, place)
    for study in STUDIES.values() for job in study.jobs for place in plan.jobs(study, job)
}))
"""


def digests(source):
    """Return the digest of the code of each job that a plan has, with the packages in a folder."""
    paths = map(str, (source, HOME / "tests" / "contract"))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of both packages."""
    hidden = shutil.ignore_patterns("__pycache__", "*.egg-info")
    return shutil.copytree(HOME / "src", tmp_path_factory.mktemp("code") / "src", ignore=hidden)


@pytest.fixture(scope="module")
def before(source):
    return digests(source)


@pytest.mark.parametrize(
    ("module", "kinds", "some", "none"),
    [
        # of the library: ALS within a budget, which DPALS is made of
        (
            "dpmc/methods/factorization/private_als.py",
            {"equal_privacy fit", "dpals fit", "audit part"},
            (" private_als ", " dpals "),
            (" dpfw ", " local_bayes ", " user_mean ", "onebit curve"),
        ),
        # of the reproduction
        (
            "dpmc_studies/methods/user_level/frank_wolfe.py",
            {"dpals fit", "audit part"},
            (" dpfw ",),
            (" dpals ", "huber cell", "onebit curve", "equal_privacy fit"),
        ),
        ("dpmc_studies/report/page.py", set(), (), (" ",)),
    ],
)
def test_a_changed_line_reruns_what_imports_it(source, before, module, kinds, some, none):
    path = source / module
    text = path.read_text()
    path.write_text(text + "\nANOTHER = 1\n")
    try:
        after = digests(source)
    finally:
        path.write_text(text)
    assert after.keys() == before.keys()
    changed = [job for job in before if after[job] != before[job]]
    assert kinds <= {" ".join(job.split()[:2]) for job in changed}
    assert all(any(part in job for job in changed) for part in some)
    assert [job for job in changed if any(part in job for part in none)] == []

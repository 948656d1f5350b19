"""Studies from inside and outside of the package, and what is refused."""

import sys
from dataclasses import replace

import pytest

from dpmc.errors import InputError
from dpmc_studies import studies

TEXT = """
from dpmc_studies.frame.api import Study

STUDY = Study("{name}", "Mine", (), (), "mine.show:chapter")
"""


@pytest.fixture(autouse=True)
def imports_are_forgotten(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def package(folder, text):
    folder.mkdir()
    (folder / "__init__.py").write_text(text)
    return folder


def refused(*paths):
    with pytest.raises(InputError) as caught:
        studies.load(paths)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_built_in_studies_come_first(tmp_path):
    path = package(tmp_path / "study_of_mine", TEXT.format(name="mine"))
    assert tuple(studies.load()) == studies.BUILT_IN
    found = studies.load([str(path)])
    assert tuple(found) == (*studies.BUILT_IN, "mine")
    assert found["mine"].title == "Mine"


@pytest.mark.parametrize("name", ["huber", "data", "report", "all", "check"])
def test_a_name_that_is_taken_is_refused(tmp_path, name):
    path = package(tmp_path / "another_study", TEXT.format(name=name))
    assert f"are called {name}; rename one" in refused(path)


OF_PACKAGE = """
from dpmc_studies.frame.api import Step, Study

steps = (Step("claims", ".show:judge", files=("published.csv",)), Step("tables", "other:run"))
STUDY = Study.of(__name__, title="Mine", jobs=(), steps=steps)
"""


def test_a_study_knows_its_package(tmp_path):
    folder = package(tmp_path / "study_by_itself", OF_PACKAGE)
    (folder / "claims.yaml").touch()
    study = studies.load([folder])["study_by_itself"]
    assert (study.folder, study.schema, study.costs) == (folder, folder / "schema.yaml", None)
    assert study.chapter == "study_by_itself.chapter:chapter"
    assert study.errata is None
    judges, other = study.steps
    assert judges.run == "study_by_itself.show:judge"
    assert judges.files == (folder / "published.csv", folder / "claims.yaml")
    assert other.run == "other:run"


WITH_TRIALS = """
from dataclasses import dataclass
from dpmc_studies.frame.api import Job, Regression, Study
from dpmc_studies.frame.jobs.cells import Cell

@dataclass(frozen=True)
class Fit(Cell):
    method: str

columns = (*Fit.names(), "trial", "rmse", "steps", "seconds")
FIT = Job("fit", "x:y", tables={"trials": columns}, cell=Fit)
KEPT = Regression("trials", labels={"comparison": ("table",)})
STUDY = Study.of(__name__, title="Mine", jobs=(FIT,), steps=(), regression=KEPT)
"""


def test_what_the_check_compares_follows_from_the_job_that_makes_the_trials(tmp_path):
    folder = package(tmp_path / "study_with_trials", WITH_TRIALS)
    (folder / "claims.yaml").touch()
    study = studies.load([folder])["study_with_trials"]
    assert study.regression.coordinates == ("method",)
    assert study.regression.metrics == ("rmse", "steps")
    assert study.regression.labels == {"comparison": ("table",), "claims": ("id",)}
    given = replace(study.regression, metrics=("rmse",), coordinates=("steps",), labels={})
    assert given.of_trials(study.jobs[0], judged=False) == given
    fewer = replace(given, metrics=(), not_compared=("method", "steps"), coordinates=())
    assert fewer.of_trials(study.jobs[0], judged=False).metrics == ("rmse", "seconds")


def test_a_module_of_experiments_that_runs_something_is_a_job_of_the_study(tmp_path):
    folder = package(tmp_path / "study_of_experiments", OF_PACKAGE)
    (folder / "experiments").mkdir()
    (folder / "experiments" / "__init__.py").touch()
    (folder / "experiments" / "common.py").write_text("JOBS = ()\n")
    text = "def run(task): return []\nALONE = True\nTABLES = {'a': ('x',)}\n"
    (folder / "experiments" / "second.py").write_text(text)
    more = "NAME = 'other'\nBY = ()\ndef settings(section, cell): return {'seed': 1}\n"
    (folder / "experiments" / "first.py").write_text(text + more)
    other, second = studies.load([folder])["study_of_experiments"].jobs
    assert (other.name, second.name) == ("other", "second")
    assert second.run == "study_of_experiments.experiments.second:run"
    assert (second.alone, second.tables, second.by) == (True, {"a": ("x",)}, None)
    assert (other.by, other.settings({}, None)) == ((), {"seed": 1})


def test_two_studies_of_one_name_are_refused(tmp_path):
    paths = [package(tmp_path / f"study_{n}", TEXT.format(name="mine")) for n in "ab"]
    assert "are called mine" in refused(*paths)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import does_not_exist\n", "ModuleNotFoundError: No module named 'does_not_exist'"),
        ("STUDY = (\n", "SyntaxError"),
        ("x = 1\n", "must define STUDY"),
        ("STUDY = 'mine'\n", "must define STUDY"),
    ],
)
def test_a_folder_without_a_study_is_refused(tmp_path, text, sentence):
    assert sentence in refused(package(tmp_path / "broken_study", text))


def test_a_path_that_is_no_package_is_refused(tmp_path):
    assert "There is no study in" in refused(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "an __init__.py that defines STUDY" in refused(tmp_path / "empty")


def test_a_folder_with_the_name_of_another_package_is_refused(tmp_path):
    message = refused(package(tmp_path / "json", TEXT.format(name="mine")))
    assert "json is the name of another Python package" in message

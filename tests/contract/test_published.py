"""``make published``: what is committed gives every verdict and the whole report, without a run."""

import pytest
from every_study import HOME, REFERENCE, STUDIES

from dpmc_studies import tables
from dpmc_studies.frame.checking.packed import FOLDER, SUFFIX, unpack
from dpmc_studies.frame.checking.reference import expected_columns, rounded
from dpmc_studies.frame.checking.runs import read_text_table, read_trials
from dpmc_studies.frame.jobs.plan import INDEX, has_trials, page_file
from dpmc_studies.report.published import publish

MOST_BYTES = 4_000_000
with_trials = pytest.mark.parametrize(
    "name", [n for n, each in STUDIES.items() if has_trials(each)]
)


@pytest.mark.parametrize("name", STUDIES)
def test_every_table_of_a_full_run_is_committed(name):
    own = [job for job in STUDIES[name].jobs if job.target is None]
    tables = {table for job in own for table in job.tables}
    folder = REFERENCE / name / FOLDER
    assert {path.name for path in folder.rglob("*.*")} == {f"{each}{SUFFIX}" for each in tables}


def test_the_committed_tables_are_small():
    assert sum(path.stat().st_size for path in REFERENCE.glob(f"*/{FOLDER}/*")) < MOST_BYTES


@with_trials
def test_their_first_trials_are_those_that_the_check_compares(name, tmp_path):
    unpack(REFERENCE / name, tmp_path)
    regression = STUDIES[name].regression
    of = regression.coordinates, regression.metrics
    whole, first = (
        read_trials(folder / f"{regression.table}.csv", *of)
        for folder in (tmp_path, REFERENCE / name)
    )
    assert whole.loc[first.index].equals(first)
    assert len(whole) > len(first) or regression.trials is None


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The folders of the tables and of the report."""
    folder = tmp_path_factory.mktemp("published")
    publish(HOME, STUDIES, folder / "tables", folder / "report")
    return folder / "tables", folder / "report"


@pytest.mark.slow
@with_trials
def test_they_are_judged_as_the_full_run_was(name, published, tmp_path):
    """Every column: verdict, effect, interval, counts, what other readings say."""
    for table, keys in STUDIES[name].regression.labels.items():
        ours = read_text_table(published[0] / name / f"{table}.csv")
        known = read_text_table(REFERENCE / name / "expected" / "full" / f"{table}.csv")
        made = ours[expected_columns(ours, keys, whole=True)].apply(rounded)
        tables.write(tmp_path / table, tuple(made), made.to_dict("records"))
        assert read_text_table(tmp_path / table).to_dict("records") == known.to_dict("records")


@pytest.mark.slow
def test_the_report_is_whole_and_says_what_it_is_made_of(published):
    made, report = published
    assert "made of the committed tables of the last full run" in (report / INDEX).read_text()
    for name in STUDIES:
        page = (report / page_file(name)).read_text(encoding="utf-8")
        claims = read_text_table(made / name / "claims.csv")["id"]
        assert [each for each in claims if f">{each}</th>" not in page] == []
        with_numbers = [
            path.stem
            for path in made.glob(f"{name}/*figures/*.csv")
            if path.with_suffix(".png").exists() and len(path.read_text().splitlines()) > 1
        ]
        assert [each for each in with_numbers if f'id="{each}"' not in page] == []
        assert with_numbers

"""What runs again when a setting changes, for every study: exactly the cells that use it."""

import pytest
from workspaces import HOME, SMALL, TABLES

from dpmc_studies.configuration import merge

pytestmark = [pytest.mark.workflow, pytest.mark.slow]
STUDIES = HOME / "src" / "dpmc_studies" / "studies"


def edited_csv(space):
    """Write equal_privacy's hyper-parameters with one cell's regularization edited."""
    lines = (STUDIES / "equal_privacy" / "hyperparameters.csv").read_text().splitlines()
    names = lines[0].split(",")
    rows = [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]
    cell = {
        "dataset": "synthetic",
        "relation": "user_add_remove",
        "epsilon": "20",
        "method": "private_als",
        "mechanism": "gaussian",
    }
    (row,) = [row for row in rows if row.items() >= cell.items()]
    row["regularization"] = "123"
    text = "\n".join([lines[0], *(",".join(row.values()) for row in rows)])
    (space.folder / "mine.csv").write_text(text + "\n")
    return {"hyperparameters": "mine.csv"}


def with_a_row(space):
    """Write the hyper-parameters of DPALS with those of one cell edited."""
    row = {
        "datasets": "synthetic-5k",
        "methods": "dpals",
        "epsilons": "10",
        "source": "[own]",
        "iterations": "5",
    }
    text = (STUDIES / "dpals" / "hyperparameters.csv").read_text()
    names = next(line for line in text.splitlines() if line[0] != "#").split(",")
    line = ",".join(row.get(name, "") for name in names)
    (space.folder / "dpals.csv").write_text(f"{text}{line}\n")
    return {"hyperparameters": "dpals.csv"}


def one_cell_of_each(space):
    """Change what one cell of each study uses (in onebit: a mechanism's)."""
    where = {"method": "irls", "mechanism": "laplace"}
    return {
        "huber": {"overrides": [{"where": where, "set": {"regularization": 0.4}}]},
        "equal_privacy": edited_csv(space),
        "onebit": {"grap": {"clip": 0.25}},
        "dpals": with_a_row(space),
    }


def joined(jobs):
    """Add the joining of tables of which a part is made again."""
    tables = {
        "huber_cell": "huber_join_trials",
        "equal_privacy_fit": "equal_privacy_join_calibrated",
        "onebit_curve": "onebit_join_trials",
        "dpals_fit": "dpals_join_trials",
    }
    return jobs | {table: 1 for job, table in tables.items() if job in jobs}


@pytest.fixture
def planned(finished):
    """Return a function that says what a dry run plans with other settings."""

    def plan(changes):
        finished.write(merge(SMALL, changes))
        return finished.planned(*TABLES.values())

    yield plan
    finished.write(SMALL)


def test_nothing_runs_twice(finished):
    assert finished.planned(*TABLES.values()) == {}
    assert len(finished.cells("huber/cell")) == 12
    assert len(finished.rows(TABLES["huber"])) == 12 * 2
    # a curve with private cells at two epsilons; no privacy and three baselines
    assert len(finished.cells("onebit/curve")) == 4
    assert len(finished.rows(TABLES["onebit"])) == 2 * (4 * 2 + 2 * 4)
    assert len(finished.rows(TABLES["dpals"])) == 2 * 2 * (1 + 2)
    assert len(finished.rows(TABLES["equal_privacy"])) == 2 * (12 + 3)


def test_one_changed_setting_reruns_its_cells_and_changes_no_other_row(copy):
    before = copy.tables()
    copy.write(merge(SMALL, one_cell_of_each(copy)))
    assert copy.planned(*TABLES.values()) == joined(
        {"huber_cell": 1, "equal_privacy_fit": 1, "onebit_curve": 2, "dpals_fit": 1}
    )
    copy.run(*TABLES.values())
    assert copy.planned(*TABLES.values()) == {}
    changed = {
        name: [new for old, new in zip(before[name], rows, strict=True) if old != new]
        for name, rows in copy.tables().items()
    }
    assert {(r["method"], r["mechanism"]) for r in changed["huber"]} == {("irls", "laplace")}
    assert {(r["method"], r["epsilon"]) for r in changed["equal_privacy"]} == {
        ("private_als", "20")
    }
    assert {r["mechanism"] for r in changed["onebit"]} == {"grap"}
    cells = {(r["dataset"], r["method"], float(r["epsilon"])) for r in changed["dpals"]}
    assert cells == {("synthetic-5k", "dpals", 10.0)}
    counts = {name: len(rows) for name, rows in changed.items()}
    assert counts == {"huber": 2, "equal_privacy": 2, "onebit": 2 * 2 * 2, "dpals": 2}


@pytest.mark.parametrize(
    ("changes", "jobs"),
    [
        (
            {
                # irls: without noise and with three mechanisms
                "huber": {"loss_parameter": 1.5},
                # delta touches what is private
                "dpals": {"delta": 1.0e-6},
                # both mechanisms at two shares; what has no privacy is not solved again
                "onebit": {"experiments": {"budgets": {"epsilons": [1, 4, 8]}}},
            },
            {"huber_cell": 4, "dpals_fit": 2, "onebit_curve": 4},
        ),
        (
            {
                # three mechanisms with als and irls at the new variance
                "huber": {"variances": [2, 3]},
                # two methods on one of two data sets
                "dpals": {"datasets": {"synthetic-20k": {"noise": 0.5}}},
                # of eight curves three are not private
                "equal_privacy": {"delta": 1.0e-6},
            },
            {"huber_cell": 6, "dpals_fit": 2, "equal_privacy_fit": 6},
        ),
        (
            {
                "onebit": {"experiments": {"budgets": {"mechanisms": ["inp"]}}},
                "dpals": {"experiments": {"tradeoff_20k": None}},
                "report": {"title": "Other"},
            },
            {"onebit_join_trials": 1, "dpals_join_trials": 1},
        ),
    ],
)
def test_a_changed_setting_reruns_exactly_its_cells(planned, changes, jobs):
    assert planned(changes) == joined(jobs)


def test_more_trials_leave_old_rows_identical(copy):
    before = copy.rows()
    copy.write(merge(SMALL, {"huber": {"trials": 3}}))
    copy.run(TABLES["huber"])
    after = copy.rows()
    assert len(after) == len(before) * 3 // 2
    assert [row for row in after if row["trial"] != "2"] == before


def test_the_target_of_a_study_plans_its_jobs_alone(finished):
    planned = finished.planned("huber")
    assert [rule for rule in planned if not rule.startswith("huber")] == []
    assert planned["huber_page"] == 1
    assert "huber_cell" not in planned


def test_the_target_of_a_study_makes_its_page(copy):
    copy.run("huber")
    pages = list((copy.folder / "results/huber/report").glob("*.html"))
    assert {page.name for page in pages} == {"index.html", "numbers.html", "study-huber.html"}
    for page in pages:
        text = page.read_text()
        assert '<a href="study-huber.html"' in text
        for other in ("Likes and dislikes", "One-bit matrix completion", "private Frank-Wolfe"):
            assert other not in text
    assert not (copy.folder / "results/report").exists()

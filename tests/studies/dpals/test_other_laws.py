"""Ratings drawn by other laws: what a law is, what runs on it, and how the outcome is shown."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from dpmc.frame.jobs.hyperparameters import load_hyperparameters
from dpmc.frame.jobs.task import Task
from dpmc.studies.dpals import HYPERPARAMETERS, KEPT, STUDY
from dpmc.studies.dpals.cells import DPALS_COLUMNS
from dpmc.studies.dpals.claims.laws import CLAIMS, judged
from dpmc.studies.dpals.experiments import surrogate_laws
from dpmc.studies.dpals.experiments.coverage import gini
from dpmc.studies.dpals.experiments.surrogate_laws import (
    ALL,
    COVERAGE_COLUMNS,
    IMPLICIT,
    LAW_COLUMNS,
    TARGET,
    TOP,
    LawCell,
    draw,
)
from dpmc.studies.dpals.other_laws import law_table, run, summary

CONFIG = Path(__file__).parents[3] / "config" / "config.yaml"
LAW = {
    "rank": 3, "decay": 0, "taste": 0.5, "noise": 0.3, "exponent": 2, "exposure": 0,
    "activity": 1.0, "ratings": 40,
}  # fmt: skip


def drawn(**changes):
    return draw(np.random.default_rng(3), 600, 200, **(LAW | changes))


def counts(ratings):
    return np.bincount(ratings.items, minlength=ratings.n_items)


def test_ratings_are_half_stars_of_different_items():
    ratings = drawn()
    assert (ratings.n_users, ratings.n_items) == (600, 200)
    assert set(2 * ratings.values) <= set(range(1, 11))
    assert np.unique(ratings.users * 200 + ratings.items).size == len(ratings)
    assert len(ratings) / 600 == pytest.approx(40, rel=0.1)
    assert ratings.by_user.sizes.min() >= 20


def test_each_number_of_a_law_does_what_it_says():
    usual = drawn()
    assert gini(counts(drawn(exponent=4))) > 1.1 * gini(counts(usual))
    assert drawn(activity=0.2).by_user.sizes.std() < usual.by_user.sizes.std() / 2
    assert len(drawn(ratings=30)) < 0.85 * len(usual)
    assert drawn(noise=1.0).values.var() > usual.values.var() + 0.5
    assert drawn(taste=1.0).values.var() > usual.values.var() + 0.4
    # users who rate what they like give more stars; the items' share of the ratings evens out
    liked = drawn(exposure=2)
    assert liked.values.mean() > usual.values.mean() + 0.15
    assert gini(counts(liked)) < gini(counts(usual))


def explained(ratings, rank):
    """Return the share of the variance that the first directions of the means of a table hold."""
    table = np.zeros((ratings.n_users, ratings.n_items))
    table[ratings.users, ratings.items] = ratings.values - ratings.values.mean()
    table -= table.mean(axis=0)
    table -= table.mean(axis=1, keepdims=True)
    squares = np.square(np.linalg.svd(table, compute_uv=False))
    return squares[:rank].sum() / squares.sum()


def test_rank_and_decay_are_those_of_the_tastes():
    # every user rates as good as all items
    full = {"ratings": 138, "activity": 0.0, "noise": 0.05, "exponent": 0.1}
    flat, falling = (drawn(rank=12, decay=decay, **full) for decay in (0, 2))
    assert explained(falling, 1) > explained(flat, 1) + 0.2
    assert explained(drawn(rank=1, **full), 1) > explained(flat, 1) + 0.2


def section(**changes):
    given = yaml.safe_load(CONFIG.read_text())["dpals"]
    table = load_hyperparameters(HYPERPARAMETERS)
    return {**given, "hyperparameters": table, "surrogates": given["surrogates"] | changes}


def test_twenty_laws_differ_from_the_common_one():
    given = section()["surrogates"]
    laws = [given["law"] | each for each in given["laws"].values()]
    assert len(laws) == len({tuple(each.values()) for each in laws}) == 20
    movielens = 69_878 / 10_677
    assert given["users"] / given["items"] == pytest.approx(movielens, rel=1e-3)


def test_a_fit_has_the_settings_of_the_surrogates():
    given = section()

    def of(*cell):
        return surrogate_laws.settings(given, LawCell(*cell, "exposure_1"))

    found = of(ALL, "dpals", "adaptive_0.2_no_projection", 10.0)
    assert found["law"]["exposure"] == 1
    assert found["delta"] == given["delta"]
    usual = {"rank": 8, "iterations": 3, "ratings_per_user": 50, "counts_share": 0.05}
    assert found["model"].items() >= (usual | {"projection": False, "item_share": 0.2}).items()
    assert of(ALL, "dpals", "uniform_1", 10.0)["model"]["counts_share"] == 0
    # 400 of 10,677
    assert of(TOP, "als", "standard", None)["data"]["top_items"] == 57
    assert "delta" not in of(TOP, "als", "standard", None)
    assert of(IMPLICIT, "dpals", "standard", 1.0)["delta"] == pytest.approx(7.2e-6, rel=0.01)


def test_it_is_off_by_default():
    assert surrogate_laws.JOB.target == TARGET
    usual = {table for job in STUDY.jobs if job.target is None for table in job.tables}
    assert "trials" in usual
    assert not {"law_trials", "law_coverage"} & usual
    assert {step.name: step.target for step in STUDY.steps}.items() >= {
        "surrogate_laws": TARGET, "laws": None
    }.items()  # fmt: skip


@pytest.fixture(scope="module")
def tables():
    """A common law and one more at a small size."""
    small = {"users": 400, "items": 720, "heldout_users": 60, "trials": 2}
    law = LAW | {"exponent": 0.5, "ratings": 80}  # so that a tenth of the items holds the rank
    given = section(**small, law=law, laws={"common": {}, "exposure_1": {"exposure": 1}})
    found = {"law_trials": [], "law_coverage": []}
    for law in given["surrogates"]["laws"]:
        cells = [cell for cell in surrogate_laws.cells(given) if cell.law == law]
        task = Task({cell: surrogate_laws.settings(given, cell) for cell in cells}, {})
        for name, rows in surrogate_laws.run(task).items():
            found[name] += rows
    return {name: pd.DataFrame(rows) for name, rows in found.items()}


def test_every_law_and_trial_has_ratings_and_noise_of_its_own(tables):
    trials = tables["law_trials"]
    assert set(trials.columns) == set(LAW_COLUMNS)
    assert set(tables["law_coverage"].columns) == set(COVERAGE_COLUMNS)
    assert len(trials) == 2 * 2 * len(set(surrogate_laws.cells(section()))) / 20
    errors = trials["rmse"].dropna()
    # without noise ALS on all ratings has two names
    same = trials["method"].eq("als") & trials["variant"].eq("standard")
    assert errors[~same].is_unique
    assert set(trials.loc[trials["dataset"] == IMPLICIT, "recall"].notna()) == {True}


def test_claims_are_judged_on_each_law(tables):
    found = judged({"trials": tables["law_trials"], "coverage": tables["law_coverage"]})
    assert [tuple(row) for row in found[["law", "claim"]].to_numpy()] == [
        (law, claim) for law in ("common", "exposure_1") for claim in CLAIMS
    ]
    assert found["effect"].notna().all()
    # a count is judged draw by draw
    ginis = tables["law_coverage"].pivot(index=["law", "trial"], columns="sampling", values="gini")
    as_said = (ginis["uniform"] > ginis["full"]) & (ginis["full"] > ginis["adaptive"])
    share = as_said.groupby("law").mean()
    row = found[found["claim"] == "D20"].set_index("law")["holds"]
    for law in ("common", "exposure_1"):
        assert row[law] == share[law] if share[law] in (0, 1) else np.isnan(row[law])


def invented_trials(law, gain, spread):
    """Trials of DPALS with adaptive and uniform sampling."""
    rng = np.random.default_rng(1)
    rows = []
    for trial in range(5):
        for variant, size in (("uniform_1", 0.0), ("adaptive_1", -gain)):
            error = 0.9 * np.exp(size + spread * rng.standard_normal())
            cell = {"dataset": ALL, "method": "dpals", "variant": variant, "epsilon": 10.0}
            rows.append({"law": law, **cell, "trial": trial, "rmse": error})
    return pd.DataFrame(rows, columns=["law", *DPALS_COLUMNS])


def test_a_claim_holds_does_not_or_is_open():
    laws = {"common": (0.05, 0.001), "rank_2": (-0.05, 0.001), "hard": (0.001, 0.05)}
    trials = pd.concat([invented_trials(law, *how) for law, how in laws.items()])
    coverage = pd.DataFrame(columns=list(COVERAGE_COLUMNS))
    found = judged({"trials": trials, "coverage": coverage})
    found = found[found["claim"] == "D15"].set_index("law")
    assert found["holds"].fillna(-1).to_dict() == {"common": 1, "rank_2": 0, "hard": -1}
    assert found.loc["common", "effect"] == pytest.approx(-0.05, abs=0.005)


@pytest.fixture
def outcomes():
    holds = [1, 1, 0, np.nan]
    laws = ["common", "rank_2", "noise_1.1", "hard"]
    rows = [("D9", law, 1, -0.1) for law in laws]
    rows += [("D15", *each, -0.02) for each in zip(laws, holds, strict=True)]
    return pd.DataFrame(rows, columns=["claim", "law", "holds", "effect"])


def test_the_table_marks_and_counts(outcomes):
    table = law_table(outcomes)
    assert [column.key for column in table.columns] == ["D9", "D15"]
    of_d15 = [row.cells[1] for row in table.rows]
    assert [cell.number for cell in of_d15] == ["-2.0", "-2.0", "-2.0", "(-2.0)", "2"]
    assert [cell.deviates for cell in of_d15] == [False, False, True, False, False]
    assert table.rows[-1].cells[0].number == "4"
    assert any(note.startswith("D15: holds on 2, does not on 1, open on 1") for note in table.notes)


def test_the_summary_names_the_fewer(outcomes):
    assert summary(outcomes, "D9") == "holds on 4, does not on 0, open on 0 of 4"
    assert summary(outcomes, "D15").endswith(
        "; depends on the law: does not on noise 1.1; open on hard"
    )
    # where the rest is open, nothing is known to depend on the law
    some = outcomes[outcomes["law"] != "noise_1.1"]
    assert summary(some, "D15") == "holds on 2, does not on 0, open on 1 of 3; open on hard"


def test_what_is_kept_is_what_the_target_makes(tables):
    kept = pd.read_csv(KEPT)
    made = judged({"trials": tables["law_trials"], "coverage": tables["law_coverage"]})
    assert list(kept.columns) == list(made.columns)
    assert STUDY.regression.optional["surrogate_laws"] == ("claim", "law")
    laws = list(section()["surrogates"]["laws"])
    assert [tuple(row) for row in kept[["law", "claim"]].to_numpy()] == [
        (law, claim) for law in laws for claim in CLAIMS
    ]


def test_it_is_shown_from_what_is_kept(tmp_path):
    run(tmp_path, {}, tmp_path / "laws")
    text = (tmp_path / "laws" / "table_laws.md").read_text()
    assert "No verdicts on the paper" in text
    assert "| holds on |" in text

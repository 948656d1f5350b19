"""Loading what the papers print."""

import numpy as np

from dpmc_studies.studies.huber.reported import load
from dpmc_studies.studies.huber.reported.numbers import PUBLISHED_COLUMNS, as_run, cells_of


def test_all_180_numbers_of_the_paper(paper):
    assert paper.groupby("table").size().to_dict() == {
        "table1": 12, "table3": 48, "table4": 6, "table5": 18, "table6": 48, "table7": 48
    }  # fmt: skip
    assert list(paper.columns[: len(PUBLISHED_COLUMNS)]) == list(PUBLISHED_COLUMNS)
    rmse = paper[paper["metric"] != "epsilon"]
    assert set(rmse["metric"]) == {"rmse_all", "rmse_heldout"}
    assert (rmse["decimals"] == 4).all()
    assert paper["published"].notna().all()


def test_126_synthetic_and_24_real_cells(cells):
    synthetic = [cell for cell in cells if cell.dataset == "synthetic"]
    assert (len(synthetic), len(cells) - len(synthetic)) == (126, 24)
    assert {cell.irls_iterations for cell in cells if cell.method == "als"} == {None}
    assert {cell.irls_iterations for cell in synthetic if cell.method == "irls"} == {20}
    assert {cell.rank for cell in cells if cell not in synthetic} == {32}


def test_a_noiseless_cell_keeps_the_block_it_is_reported_in(paper):
    noiseless = paper[(paper["mechanism"] == "none") & (paper["rank"] == 5)]
    assert set(noiseless["variance"]) == {1.0, 2.0}
    assert {as_run(cell).variance for cell in cells_of(noiseless)} == {None}


def test_real_data_carry_the_variance_of_our_runs(paper_folder):
    table = load(paper_folder, real_variances={"sweetrs": 0.5})
    real = table[table["dataset"].isin(["sweetrs", "ml-100k"])].set_index(["dataset", "mechanism"])
    assert set(real.loc[("sweetrs", "huber"), "variance"]) == {0.5}
    assert set(real.loc[("ml-100k", "huber"), "variance"]) == {1.0}
    assert real.xs("none", level="mechanism")["variance"].isna().all()
    inner = real.xs("huber", level="mechanism")["irls_iterations"]
    assert sorted(set(inner)) == [2.0, 20.0]


def test_budgets_have_a_mechanism_and_a_variance_only(paper):
    budgets = paper[paper["metric"] == "epsilon"]
    assert budgets[["dataset", "rank", "observed_fraction", "method"]].isna().all(axis=None)
    assert set(budgets["sensitivity"]) == {5.0}
    np.testing.assert_array_equal(budgets["decimals"], 3)

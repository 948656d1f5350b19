"""Loading what the papers print."""

from dpmc_studies.studies.huber import STUDY
from dpmc_studies.studies.huber.claims import contrasts
from dpmc_studies.studies.huber.reported import load
from dpmc_studies.studies.huber.reported.numbers import as_run, cells_of


def test_all_180_numbers_of_the_paper_and_the_cells_that_they_are_of(paper, cells):
    assert paper.groupby("table").size().to_dict() == {
        "table1": 12, "table3": 48, "table4": 6, "table5": 18, "table6": 48, "table7": 48
    }  # fmt: skip
    assert paper["published"].notna().all()
    assert (paper["decimals"] == (paper["metric"] == "epsilon").map({True: 3, False: 4})).all()
    synthetic = [cell for cell in cells if cell.dataset == "synthetic"]
    assert (len(synthetic), len(cells) - len(synthetic)) == (126, 24)
    assert {cell.irls_iterations for cell in cells if cell.method == "als"} == {None}
    assert {cell.irls_iterations for cell in synthetic if cell.method == "irls"} == {20}
    assert {cell.rank for cell in cells if cell not in synthetic} == {32}
    noiseless = paper[(paper["mechanism"] == "none") & (paper["rank"] == 5)]
    assert set(noiseless["variance"]) == {1.0, 2.0}  # of the block in which it is printed
    assert {as_run(cell).variance for cell in cells_of(noiseless)} == {None}


def test_real_data_carry_the_variance_of_our_runs(paper_folder):
    table = load(paper_folder, real_variances={"sweetrs": 0.5})
    real = table[table["dataset"].isin(["sweetrs", "ml-100k"])].set_index(["dataset", "mechanism"])
    assert set(real.loc[("sweetrs", "huber"), "variance"]) == {0.5}
    assert set(real.loc[("ml-100k", "huber"), "variance"]) == {1.0}
    assert real.xs("none", level="mechanism")["variance"].isna().all()
    inner = real.xs("huber", level="mechanism")["irls_iterations"]
    assert sorted(set(inner)) == [2.0, 20.0]


def test_what_claims_are_about_is_what_their_grid_has():
    grid = contrasts.RANKS, contrasts.VARIANCES, contrasts.FRACTIONS
    assert tuple(STUDY.claimed.values()) == grid
    assert list(STUDY.claimed) == ["ranks", "variances", "observed_fractions"]

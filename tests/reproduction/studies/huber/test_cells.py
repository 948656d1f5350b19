from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments.grid import cell_settings, huber_cells

CONFIG = Path(__file__).parents[4] / "config" / "config.yaml"


@pytest.fixture(scope="module")
def huber():
    return yaml.safe_load(CONFIG.read_text())["huber"]


def test_default_grid_is_the_papers(huber):
    cells = huber_cells(huber)
    baselines = [cell for cell in cells if cell.method in huber["baselines"]]
    synthetic = [c for c in cells if c.dataset == "synthetic" and c not in baselines]
    # 3 ranks x 3 fractions x 2 methods x (none + 3 mechanisms x 2 variances)
    assert len(synthetic) == 126
    real = [c for c in cells if c.dataset != "synthetic" and c not in baselines]
    assert len(real) == 6 + 3 * 6
    assert len(baselines) == 4 * (9 + 1 + 3)
    assert len(set(cells)) == len(cells)


@pytest.mark.parametrize("most", [100, 5])
def test_cells_that_no_claim_needs_more_of_have_fewer_trials(huber, most):
    section = huber | {"trials": most}
    wanted = {"rank 20": 50, "rank 10": 60, "rank 5": 100, "none": 20, "baseline": 100, "real": 20}
    found = {name: set() for name in wanted}
    for cell in huber_cells(section):
        kind = f"rank {cell.rank}" if cell.dataset == "synthetic" else ""
        if cell.dataset != "synthetic":
            kind = "real"
        elif cell.mechanism == "none":
            few = cell.method in ("als", "irls", "rank_one")
            kind = "none" if few else "baseline" * (cell.rank == 5)
        if kind:
            found[kind].add(cell_settings(section, cell)["trials"])
    real = found.pop("real")
    assert real == {20}
    assert found == {name: {min(wanted[name], most)} for name in found}


def test_real_columns_hold_irls_2(huber):
    two = [c for c in huber_cells(huber) if c.irls_iterations == 2]
    assert {(c.dataset, c.observed_fraction) for c in two} == {
        ("ml-100k", 0.051),
        ("sweetrs", 0.05),
        ("sweetrs", 0.1),
        ("sweetrs", 0.15),
    }


@settings(deadline=None)
@given(
    st.integers(1, 10**6),
    st.none() | st.floats(1e-3, 1e6).map(lambda x: float(format(x, ".12g"))),
    st.floats(1e-3, 1).map(lambda x: float(format(x, ".12g"))),
    st.none() | st.integers(1, 100),
)
def test_formatted_cells_are_read_back(rank, variance, fraction, inner):
    cell = Cell("synthetic", rank, variance, fraction, "irls", "huber", inner)
    assert Cell.parse(cell.formatted()) == cell

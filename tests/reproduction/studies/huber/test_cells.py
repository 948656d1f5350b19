from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments.grid import huber_cells

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

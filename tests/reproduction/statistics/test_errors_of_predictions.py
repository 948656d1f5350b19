import math

import numpy as np
import pytest

from dpmc_studies.statistics.errors import rmse, rmse_clipped


def test_rmse_by_hand():
    assert rmse([1.0, 5.0], [4.0, 1.0]) == pytest.approx(math.sqrt((9 + 16) / 2))


def test_rmse_equals_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    predicted, truth = rng.normal(size=(2, 1000))
    assert rmse(predicted, truth) == pytest.approx(
        metrics.root_mean_squared_error(truth, predicted), rel=1e-14
    )


def test_nothing_to_compare_is_nan():
    assert math.isnan(rmse(np.empty(0), np.empty(0)))


def test_clipping_only_moves_predictions_outside():
    truth = np.array([1.0, 5.0, 3.0])
    assert rmse_clipped(np.array([-9.0, 7.0, 3.5]), truth, (1, 5)) == pytest.approx(
        math.sqrt(0.25 / 3)
    )

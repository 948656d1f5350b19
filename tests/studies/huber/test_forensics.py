"""The sweep: its variants, that they change what they say, and how their fit is measured."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from dpmc.ratings import Ratings
from dpmc.studies.huber import forensics
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.experiments import forensics_real, forensics_synthetic
from dpmc.studies.huber.experiments.forensics_loss import LOSS_COLUMNS
from dpmc.studies.huber.experiments.forensics_real import (
    RealVariant,
    real_cells,
    real_variants,
    run_real,
)
from dpmc.studies.huber.experiments.forensics_synthetic import (
    SyntheticVariant,
    rescaled,
    run_synthetic,
    synthetic_variants,
)
from dpmc.studies.huber.forensics import draw
from dpmc.studies.huber.forensics_fit import REAL_KEYS, real_choices, real_fit, synthetic_fit
from dpmc.studies.huber.tables_forensics import real_table, synthetic_table
from dpmc.studies.huber.trial import TRIAL_COLUMNS, run_cell, synthetic_instance

SETTINGS = {
    "seed": 3,
    "trials": 2,
    "regularization": 0.5,
    "iterations": 2,
    "start": "normal",
    "loss_parameter": "noise",
    "residual_scale": 1.0,
}
SMALL = SyntheticVariant(12, 15, 1.0, "normal")
RANKS, FRACTIONS = (2, 3), (0.3, 0.5)
DEFAULTS = {
    "users": 12,
    "items": 15,
    "scale": 1.0,
    "start": "normal",
    "real": {"ml-100k": {"variance": 1, "irls_iterations": 20}},
}


@pytest.fixture(autouse=True)
def small_grid(monkeypatch):
    monkeypatch.setattr(forensics_synthetic, "RANKS", RANKS)
    monkeypatch.setattr(forensics_synthetic, "FRACTIONS", FRACTIONS)


@pytest.fixture
def ratings():
    """A third of a 20 x 15 matrix, rated 1 to 5."""
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((20, 15)) < 0.33)
    values = rng.integers(1, 6, users.size)
    return Ratings(users, items, values, 20, 15, name="ml-100k", rating_range=(1.0, 5.0))


def run(variant, **change):
    return pd.DataFrame(run_synthetic(variant, SETTINGS | change))


def test_the_sweep_has_every_combination_under_its_own_name():
    variants = synthetic_variants()
    assert len(variants) == len(forensics_synthetic.SIZES) * 4 * 2 == 56
    assert len({variant.variant for variant in variants}) == 56
    assert {(v.users, v.items) for v in variants} >= {(100, 500), (943, 1682), (80, 500)}
    assert {v.scale for v in variants} == {0.95, 1.0, 1.05, None}
    assert SyntheticVariant(100, 500, None, "uniform").variant == "100x500_largest-5_uniform"
    assert SyntheticVariant(100, 500, 1.05, "normal").variant == "100x500_scale-1.05_normal"


def test_a_variant_runs_als_without_and_with_gaussian_noise():
    rows = run(SMALL)
    assert list(rows.columns) == list(TRIAL_COLUMNS)
    assert len(rows) == len(RANKS) * len(FRACTIONS) * 3 * 2
    assert set(rows["method"]) == {"als"}
    noises = {(m, v) for m, v in zip(rows["mechanism"], rows["variance"].fillna(0), strict=True)}
    assert noises == {("none", 0), ("gaussian", 1), ("gaussian", 2)}


def test_a_variant_gives_the_numbers_of_the_cell_with_its_settings():
    rows = run(SyntheticVariant(12, 15, 1.05, "uniform"))
    first = rows.iloc[0]
    cell = Cell("synthetic", 2, None, 0.3, "als", "none", None)
    changed = SETTINGS | {"users": 12, "items": 15, "scale": 1.05, "start": "uniform"}
    expected = next(run_cell(cell, changed))
    assert first["rmse_all"] == expected["rmse_all"]
    assert first["rmse_all"] != run(SMALL)["rmse_all"].iloc[0]


def test_rescaled_matrices_have_the_wanted_largest_entry():
    settings = SETTINGS | {"users": 12, "items": 15, "scale": 1.0}
    instance = synthetic_instance({"rank": 2, "observed_fraction": 0.4}, settings, 0)
    scaled = rescaled(instance, 5.0)
    factor = 5.0 / instance.matrix().max()
    assert scaled.matrix().max() == pytest.approx(5.0)
    assert scaled.matrix() == pytest.approx(factor * instance.matrix())
    assert scaled.observed.values == pytest.approx(factor * instance.observed.values)
    assert (scaled.observed.users == instance.observed.users).all()
    rows = run(SyntheticVariant(12, 15, None, "normal"))
    assert (rows["rmse_all"] > 1.1 * run(SMALL)["rmse_all"]).mean() > 0.8


def test_huge_matrices_run_one_trial(monkeypatch):
    monkeypatch.setattr(forensics_synthetic, "ONE_TRIAL_ENTRIES", 100)
    assert set(run(SMALL)["trial"]) == {0}


def test_the_split_is_open_only_where_the_share_is_not_stated():
    known = real_variants("ml-100k", {0.051: 0.8})
    assert [variant.split for variant in known] == ["ratings", "ratings"]
    unknown = real_variants("sweetrs", {0.05: 0.05, 0.1: 0.1})
    assert len({variant.variant for variant in unknown}) == 4


def test_real_cells_vary_noise_and_inner_iterations():
    cells = real_cells("sweetrs", 32, [0.05, 0.1])
    assert len(cells) == len(set(cells)) == 32
    gaussian = {cell.variance for cell in cells if cell.mechanism == "gaussian"}
    assert gaussian == {0.5, 1.0, 2.0}
    inner = {cell.irls_iterations for cell in cells if cell.mechanism == "huber"}
    assert inner == {20, 10, 2}


def test_the_split_sets_the_training_share(ratings, monkeypatch):
    shares = []

    def spy(cell, settings, ratings):
        shares.append(settings["training_share"])
        return iter(())

    monkeypatch.setattr(forensics_real, "run_cell", spy)
    settings = SETTINGS | {"rank": 2, "splits": {0.1: 0.8}}
    list(run_real(RealVariant("ml-100k", "ratings", "normal"), settings, ratings))
    assert set(shares) == {0.8}
    shares.clear()
    list(run_real(RealVariant("ml-100k", "matrix", "normal"), settings, ratings))
    # a tenth of the matrix, as a share of the ratings
    assert shares == pytest.approx([0.1 * 20 * 15 / len(ratings)] * len(shares))


@pytest.fixture
def published():
    """Invented reported numbers for the small grid and for one real data set."""
    rows = [
        {"metric": "rmse_all", "dataset": "synthetic", "rank": rank, "variance": variance,
         "observed_fraction": fraction, "method": "als", "mechanism": mechanism,
         "irls_iterations": np.nan, "published": 1.0 + (mechanism == "none") * (variance - 1) * 3}
        for rank in RANKS for fraction in FRACTIONS for variance in (1.0, 2.0)
        for mechanism in ("none", "gaussian", "laplace")
    ]  # fmt: skip
    columns = [("als", "none", np.nan), ("irls", "none", 20), ("als", "gaussian", np.nan),
               ("irls", "laplace", 20), ("irls", "huber", 20), ("irls", "huber", 2)]  # fmt: skip
    rows += [
        {"metric": "rmse_heldout", "dataset": "ml-100k", "rank": 32, "variance": np.nan,
         "observed_fraction": 0.1, "method": method, "mechanism": mechanism,
         "irls_iterations": inner, "published": 1.5}
        for method, mechanism, inner in columns
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_fit_is_the_root_mean_square_log_ratio(published):
    rows = run(SMALL, trials=5)
    fit = synthetic_fit({SMALL: rows}, published).iloc[0]
    logs = []
    for key, cell in rows.groupby(
        ["rank", "observed_fraction", "mechanism", "variance"], dropna=False
    ):
        # without noise 1 and 4 are reported: 2 is between them
        logs.append(np.log(cell["rmse_all"].mean() / (2.0 if key[2] == "none" else 1.0)))
    assert fit["cells"] == 12
    assert fit["rms_log_ratio"] == pytest.approx(np.sqrt(np.mean(np.square(logs))))
    assert fit["median_absolute_log_ratio"] == pytest.approx(np.median(np.abs(logs)))
    assert fit["behind_best"] == 0
    assert (fit["users"], fit["items"], fit["scale"], fit["start"]) == (12, 15, 1.0, "normal")


def test_the_distance_to_the_best_is_paired(published):
    other = SyntheticVariant(12, 15, 1.3, "normal")
    single = SyntheticVariant(15, 12, 1.0, "normal")
    runs = {SMALL: run(SMALL, trials=5), other: run(other, trials=5), single: run(single)}
    fit = synthetic_fit(runs, published)
    first, second = fit.iloc[0], fit.iloc[1]
    behind = first["rms_log_ratio"] - second["rms_log_ratio"]
    assert max(first["behind_best"], second["behind_best"]) == pytest.approx(abs(behind))
    worse = first if behind > 0 else second
    assert worse["behind_low"] < worse["behind_best"] < worse["behind_high"]
    assert np.isnan(fit.iloc[2]["behind_low"])  # two trials cannot be paired with five


def real_choices_of(**errors):
    """Invented choices of SweetRS on raw predictions: name -> error."""
    rows = [
        ["sweetrs", split, start, choice, predictions, 3, error]
        for split in forensics_real.SPLITS for start in forensics_real.STARTS
        for predictions in ("raw", "clipped") for choice, error in errors.items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=real_choices_empty().columns)


@pytest.mark.parametrize(
    ("half", "ten", "nearest"),
    [
        (0.03, 0.048, {"variance 0.5", "K = 10"}),
        (0.06, 0.06, {"variance 1", "K = 20"}),
        (0.06, 0.01, {"variance 1", "K = 10"}),
    ],
)
def test_the_table_on_real_data_marks_which_choice_is_nearest(half, ten, nearest):
    errors = {
        "no noise": 0.02,
        "variance 0.5": half,
        "variance 1": 0.05,
        "K = 20": 0.05,
        "K = 10": ten,
    }
    defaults = DEFAULTS | {"real": {"sweetrs": {"variance": 1, "irls_iterations": 20}}}
    table = real_table(real_choices_of(**errors), defaults, ["ml-100k"])
    names = [f"{choice}, {end}" for end in ("raw", "clipped") for choice in errors]
    assert [column.key for column in table.columns] == names
    assert [row.line for row in table.rows] == ["configured", "", "", ""]
    assert table.rows[0].labels == ("SweetRS", "share of the ratings", "N(0,1)")
    for row in table.rows:
        assert [cell.value for cell in row.cells] == [*errors.values()] * 2
        marked = {name for name, cell in zip(names, row.cells, strict=True) if cell.lowest}
        assert marked == {f"{choice}, {end}" for choice in nearest for end in ("raw", "clipped")}
    assert "SweetRS: variance 1, K = 20" in table.notes[1]
    assert table.notes[-1] == "Data not available: MovieLens 100K."


def test_real_fit_and_choices(published, ratings):
    variant = RealVariant("ml-100k", "ratings", "normal")
    settings = SETTINGS | {"rank": 2, "splits": {0.1: 0.8, 0.2: 0.5}}
    rows = pd.DataFrame(run_real(variant, settings, ratings))
    fit = real_fit({variant: rows}, published)
    assert len(fit) == 16  # the fraction 0.2 is not reported
    row = fit[(fit["mechanism"] == "gaussian") & (fit["variance"] == 2)].iloc[0]
    cell = rows[(rows["mechanism"] == "gaussian") & (rows["variance"] == 2)]
    cell = cell[cell["observed_fraction"] == 0.1]
    assert row["log_ratio"] == pytest.approx(np.log(cell["rmse_heldout"].mean() / 1.5))
    assert row["log_ratio_clipped"] == pytest.approx(np.log(cell["rmse_clipped"].mean() / 1.5))
    choices = real_choices(fit).set_index(["choice", "predictions"])
    names = ["no noise", "variance 0.5", "variance 1", "variance 2", "K = 20", "K = 10"]
    assert list(choices.index.unique(0)) == names
    found = choices["rms_log_ratio"]
    assert found["variance 2", "raw"] == pytest.approx(abs(row["log_ratio"]))
    private = fit[fit["mechanism"].isin(["laplace", "huber"]) & (fit["variance"] == 1)]
    tens = private.loc[private["irls_iterations"] == 10, "log_ratio"]
    assert choices.loc[("K = 10", "raw"), "numbers"] == len(tens) == 2
    assert found["K = 10", "raw"] == pytest.approx(np.sqrt(np.mean(np.square(tens))))


def fits(*values, spread=0.01):
    """Invented fits, the first one the default."""
    variants = [SMALL, *synthetic_variants()][: len(values)]
    rows = [
        asdict(variant) | {"cells": 27, "trials": 5, "rms_log_ratio": value,
                           "median_absolute_log_ratio": value, "behind_best": value - min(values),
                           "behind_low": value - min(values) - spread, "behind_high": 0.5}
        for variant, value in zip(variants, values, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows).astype({"scale": float})


@pytest.mark.parametrize(
    ("values", "place", "behind"), [((0.07, 0.1, 0.2), 1, 0.0), ((0.10, 0.095), 2, 0.005)]
)
def test_the_table_says_where_the_configured_choice_stands(values, place, behind):
    table = synthetic_table(fits(*values), DEFAULTS)
    assert [row.cells[0].value for row in table.rows] == [*range(1, len(values) + 1)]
    (row,) = (row for row in table.rows if row.line == "configured")
    assert row.labels == ("12 x 15", "c = 1", "N(0,1)")
    shown = dict(zip((column.key for column in table.columns), row.cells, strict=True))
    assert shown["place"].value == place
    assert shown["rms_log_ratio"].value == values[0]
    assert shown["behind_best"].value == pytest.approx(behind)
    assert shown["behind_low"].value < shown["behind_best"].value < shown["behind_high"].value
    assert shown["trials"].value == 5


def test_the_configured_choice_is_shown_however_far_behind():
    table = synthetic_table(fits(0.9, *np.linspace(0.1, 0.5, 20)), DEFAULTS)
    assert [row.cells[0].value for row in table.rows] == [*range(1, 9), 21]
    assert table.rows[-1].line == "configured"
    table = synthetic_table(fits(0.1), DEFAULTS | {"users": 13})  # a choice that was not swept
    assert [row.line for row in table.rows] == [""]


def real_choices_empty():
    return real_choices(
        real_fit({}, pd.DataFrame(columns=["metric", "dataset", *REAL_KEYS, "published"]))
    )


def test_heat_maps_are_drawn_with_and_without_real_data(tmp_path):
    choices = pd.DataFrame(
        [
            ["sweetrs", split, "normal", "no noise", "raw", 3, 0.1]
            for split in ("ratings", "matrix")
        ],
        columns=real_choices_empty().columns,
    )
    draw(tmp_path, fits(0.1, 0.2, 0.3), choices)
    names = {
        f"heatmap_{kind}.{end}" for kind in ("real", "synthetic") for end in ("png", "svg", "csv")
    }
    assert {path.name for path in tmp_path.iterdir()} == names
    drawn = pd.read_csv(tmp_path / "heatmap_synthetic.csv")
    assert sorted(drawn.iloc[:, 2]) == [0.1, 0.2, 0.3]
    draw(tmp_path, fits(0.1), real_choices_empty())


def test_the_step_writes_tables_and_heat_maps_of_what_was_run(tmp_path, ratings, monkeypatch):
    monkeypatch.setattr(forensics_synthetic, "RANKS", (5,))  # as reported
    monkeypatch.setattr(forensics_synthetic, "FRACTIONS", (0.1, 0.15))
    real = RealVariant("ml-100k", "ratings", "normal")
    held_out = SETTINGS | {"rank": 2, "splits": {0.051: 0.8}}
    frames = {
        "forensics_synthetic": run(SMALL).assign(variant=SMALL.variant),
        "forensics_real": pd.DataFrame(run_real(real, held_out, ratings)).assign(
            variant=real.variant
        ),
        "forensics_loss": pd.DataFrame(columns=LOSS_COLUMNS),
    }
    for name, frame in frames.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    settings = {"synthetic": [asdict(SMALL)], "real": [asdict(real)], "defaults": DEFAULTS}
    forensics.run(tmp_path, settings, tmp_path / "forensics")
    made = {path.name for path in (tmp_path / "forensics").iterdir()}
    assert {"synthetic.csv", "real.csv", "loss.csv"} <= made
    assert {f"heatmap_{kind}.svg" for kind in ("synthetic", "real")} <= made
    assert {name for name in made if name.endswith(".html")} == {
        "table_forensics_1_synthetic.html",
        "table_forensics_2_real.html",  # nothing was run for the third
    }

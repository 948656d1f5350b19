"""The figures of the privacy part show the numbers of its results, legibly."""

import shutil

import matplotlib
import numpy as np
import pandas as pd
import pytest
from figure_checks import check_absent, check_edges, check_files, check_letters
from privacy_results import (
    EPSILONS,
    FAULTS,
    fake_audit,
    fake_calibrated,
    fake_frontier,
    fake_losses,
    fake_totals,
)
from scipy import stats

from dpmc.privacy.nominal import table_one
from dpmc.studies.audit.figures import audit_rows, describe_audit, row_label, with_share
from dpmc.studies.equal_privacy.figures import PRIVACY_FIGURES, folder_of, write_privacy_figures
from dpmc.studies.equal_privacy.figures.maps import describe_frontier
from dpmc.studies.huber.figures import FIGURES
from dpmc.study.frames import select
from dpmc.study.style import MECHANISMS, RC, draw_all

IDS = [entry.id for entry in PRIVACY_FIGURES]


@pytest.fixture(scope="module")
def results():
    return {
        "totals": fake_totals(),
        "transcript_loss": fake_losses(),
        "calibrated": fake_calibrated(),
        "frontier": fake_frontier(),
        "audit": fake_audit(),
    }


@pytest.fixture(scope="module")
def drawings(results):
    with matplotlib.rc_context(RC):
        return {entry.id: entry.function(results) for entry in PRIVACY_FIGURES}


@pytest.fixture(scope="module")
def folder(privacy_outputs):
    return privacy_outputs / "figures"


def test_every_figure_has_two_images_its_numbers_and_words_in_one_folder(privacy_outputs):
    for name in ("figures", "audit_figure"):
        entries = [entry for entry in PRIVACY_FIGURES if folder_of(entry.id) == name]
        check_files(privacy_outputs / name, entries)
        drawn = {path.stem for path in (privacy_outputs / name).iterdir()}
        assert drawn == {entry.id for entry in entries}
    assert drawn == {"privacy_audit"}
    assert not set(IDS) & {entry.id for entry in FIGURES}


@pytest.mark.parametrize("name", IDS)
def test_letters_are_legible_and_axes_labelled(drawings, name):
    drawn = drawings[name].figure
    check_letters(drawn)
    panels = [axes for axes in drawn.axes if axes.get_subplotspec() and axes.axison]
    assert drawn.get_supxlabel() or all(
        axes.get_xlabel() for axes in panels if axes.get_subplotspec().is_last_row()
    )
    for axes in panels:
        if axes.get_subplotspec().is_first_col():
            named = [label.get_text() for label in axes.get_yticklabels()]
            assert axes.get_ylabel() or any("ALS" in label or ":" in label for label in named)


def test_no_text_leaves_the_figure(drawings):
    for drawing in drawings.values():
        drawing.figure.draw_without_rendering()
        check_edges(drawing.figure)


def test_same_results_give_the_same_files(privacy_outputs, folder, tmp_path):
    for name in ("totals", "frontier"):
        shutil.copy(privacy_outputs / f"{name}.csv", tmp_path)
    write_privacy_figures(tmp_path, tmp_path / "figures")
    for name in ("privacy_totals", "privacy_frontier"):
        for suffix in (".svg", ".csv", ".png"):
            again = tmp_path / "figures" / f"{name}{suffix}"
            assert (folder / again.name).read_bytes() == again.read_bytes()


def test_absent_results_are_said(tmp_path, results):
    check_absent(PRIVACY_FIGURES, results, tmp_path)


def test_totals_begin_at_the_printed_budgets(drawings):
    drawing = drawings["privacy_totals"]
    left, middle, right = drawing.figure.axes
    for axes, variance in ((left, 1.0), (middle, 2.0)):
        printed = {r["mechanism"]: r["epsilon_published_form"] for r in table_one([variance])}
        lines = {
            line.get_color(): line.get_xydata() for line in axes.lines if len(line.get_xydata()) > 5
        }
        for mechanism, look in MECHANISMS.items():
            if mechanism == "none":
                continue
            first = next(
                line.get_xydata()[0]
                for line in axes.lines
                if line.get_color() == look.color and line.get_xydata()[0][0] == 1
            )
            assert tuple(first) == pytest.approx((1, printed[mechanism]))
            totals = select(fake_totals(), mechanism=mechanism, variance=variance)
            tight = totals[totals["accountant"].isin(["pld", "exact"])]
            np.testing.assert_allclose(lines[look.color][-1], (2000, tight["epsilon"].iloc[-1]))
    excess = np.concatenate([line.get_ydata() for line in right.lines])
    # of the invented totals: RDP 2 % above exact and .9 / .88 above PLD, basic 1 / .88
    assert set(np.round(excess, 6)) == {2.0, 2.272727, 13.636364}
    added = drawing.data[drawing.data["accountant"] == "as printed"]
    assert len(added) == 12


def test_losses_show_every_cell_claim_and_share(drawings):
    drawing = drawings["privacy_losses"]
    assert len(drawing.data) == 2 * (108 + 4 + 12)
    left = drawing.figure.axes[0]
    medians = np.concatenate([line.get_xdata() for line in left.lines if line.get_marker() == "o"])
    change = drawing.data[drawing.data["neighbour"] == "change"]
    np.testing.assert_allclose(np.sort(medians), np.sort(change["median"]))
    shares = [text.get_text() for text in left.texts]
    assert len(shares) == 20
    first = select(change, dataset="synthetic", solver="als", variance=1, mechanism="gaussian")
    assert shares[0] == f"{100 * first['share_above_nominal'].mean():.0f} %"


@pytest.mark.parametrize(
    ("name", "relations", "panels"),
    [
        ("privacy_equal_entry", ["entry_change"], 5),
        ("privacy_equal_user", ["user_add_remove"], 5),
        ("privacy_equal_other", ["entry_add_remove", "user_replace"], 2),
    ],
)
def test_equal_privacy_shows_means_and_intervals(drawings, results, name, relations, panels):
    drawing = drawings[name]
    assert len([axes for axes in drawing.figure.axes if axes.axison]) == panels
    data = drawing.data
    assert set(data["relation"]) == set(relations)
    row = select(data, relation=relations[0], dataset="synthetic", epsilon=5,
                 solver="private_irls", mechanism="huber")  # fmt: skip
    values = select(results["calibrated"], relation=relations[0], dataset="synthetic", epsilon=5,
                    solver="private_irls", mechanism="huber")["rmse_all"]  # fmt: skip
    assert row["mean"].item() == pytest.approx(values.mean())
    half = stats.t.ppf(0.975, 5) * stats.sem(values)
    assert (row["high"] - row["mean"]).item() == pytest.approx(half)
    baselines = data[data["solver"] == "private_item_bias"]
    keys = ["relation", "dataset", "epsilon"]
    assert not baselines.duplicated(keys).any()
    assert len(baselines) == panels * len(EPSILONS)


def test_what_is_far_worse_than_a_constant_leaves_the_panel(results):
    calibrated = results["calibrated"].copy()
    bad = select(calibrated, dataset="jester", relation="entry_change", epsilon=0.5,
                 solver="private_als", mechanism="laplace").index  # fmt: skip
    calibrated.loc[bad, "rmse_heldout"] *= 1000
    with matplotlib.rc_context(RC):
        drawing = PRIVACY_FIGURES[2].function({"calibrated": calibrated})
    jester = next(axes for axes in drawing.figure.axes if axes.get_title() == "Jester 5k")
    assert jester.get_ylim()[1] < 15


def test_a_reference_far_below_is_a_number_and_no_line(results):
    calibrated = results["calibrated"].copy()
    free = select(calibrated, dataset="jester", solver="als", mechanism="none").index
    calibrated.loc[free, "rmse_heldout"] = 0.0123
    with matplotlib.rc_context(RC):
        drawing = PRIVACY_FIGURES[2].function({"calibrated": calibrated})
    panels = {axes.get_title(): axes for axes in drawing.figure.axes}
    texts = {title: [text.get_text() for text in axes.texts] for title, axes in panels.items()}
    assert texts["Jester 5k"] == ["ALS, no noise: 0.012 (below)"]
    assert texts["SweetRS"] == ["ALS, no noise"]
    assert panels["Jester 5k"].get_ylim()[0] > 1


def test_a_run_of_one_data_set_one_trial_and_one_solver_is_drawn(results, tmp_path):
    calibrated = results["calibrated"]
    few = calibrated[(calibrated["trial"] == 0) & (calibrated["dataset"] == "sweetrs")]
    few = few[few["solver"].isin(["private_als", "private_item_bias"])]
    draw_all(PRIVACY_FIGURES, {**dict.fromkeys(results), "calibrated": few}, tmp_path)
    data = pd.read_csv(tmp_path / "privacy_equal_user.csv")
    assert set(data["dataset"]) == {"sweetrs"}
    assert data["low"].isna().all()


def test_the_map_outlines_where_huber_wins(drawings):
    drawing = drawings["privacy_frontier"]
    left, right = drawing.figure.axes[:2]
    wins = drawing.data["best"] == "huber"
    saved = [text.get_text() for text in left.texts]
    assert len(saved) == int(wins.sum())
    letters = [text.get_text() for text in right.texts]
    assert letters.count("H") == int(wins.sum())
    assert len(letters) == len(drawing.data)
    rest = drawing.data[~wins]
    assert letters.count("L") == int((rest["laplace"] <= rest["gaussian"]).sum())
    assert f"wins at {int(wins.sum())} of 120 points" in describe_frontier(drawing.data)
    nowhere = describe_frontier(drawing.data.assign(best="gaussian"))
    assert nowhere == "Huber noise wins nowhere on these 120 points."


def test_the_outline_closes_around_the_region(drawings, results):
    # every border between a cell inside and one outside is drawn once, and nothing else
    best = results["frontier"].pivot(index="releases", columns="epsilon", values="best")
    wins = best == "huber"
    padded = np.pad(wins.to_numpy(), 1).astype(int)
    borders = np.abs(np.diff(padded, axis=0)).sum() + np.abs(np.diff(padded, axis=1)).sum()
    left = drawings["privacy_frontier"].figure.axes[0]
    black = [line for line in left.lines if line.get_color() == "#000000"]
    assert len(black) == borders


def test_the_audit_marks_faults_as_caught_or_missed(drawings, results):
    honest, planted = drawings["privacy_audit"].figure.axes
    assert [text.get_text() for text in planted.texts] == [
        "caught", "caught, p < 0.001", "caught", "caught", "caught",
    ]  # fmt: skip
    assert {text.get_text() for text in honest.texts} == {"passed, p = 0.43", "passed"}
    labels = [label.get_text() for label in planted.get_yticklabels()]
    assert [label.partition(":")[0] for label in labels] == [
        fault[0].upper() + fault[1:] for fault in FAULTS
    ]
    audit = results["audit"].copy()
    audit.loc[audit["planted_fault"] == FAULTS[0], "passed"] = False
    audit.loc[(audit["solver"] == "private_als") & (audit["test"] == "privacy_loss"), "passed"] = (
        False
    )
    with matplotlib.rc_context(RC):
        honest, planted = PRIVACY_FIGURES[-1].function({"audit": audit}).figure.axes
    assert planted.texts[0].get_text() == "missed"
    assert [text.get_text() for text in honest.texts].count("exceeded") == 4


def test_shares_of_a_claim(results):
    shared = with_share(results["audit"])
    by_test = shared[shared["planted_fault"].isna()].groupby("test")["share"]
    assert by_test.first().to_dict() == pytest.approx(
        {"black_box": 0.35, "histogram": 0.91, "kolmogorov_smirnov": np.nan,
         "likelihood_ratio": 0.98, "privacy_loss": 0.38, "published": 0, "sensitivity": 0.999},
        nan_ok=True,
    )  # fmt: skip
    assert "with lower bounds of up to 98.0 % of the claimed ε; 5 of 5 planted" in describe_audit(
        shared
    )


def test_what_was_audited_is_named(results):
    audit = results["audit"]
    labels = [row_label(row) for _, row in audit.iterrows()]
    assert labels[0] == "One release, Gaussian, δ = 0.05"
    assert "Several releases, Huber on a grid, δ = 0.05" in labels
    assert "A-IRLS, Gaussian, user joins or leaves" in labels
    honest = audit_rows({"audit": audit}).figure.axes[0]
    lines = [label.get_text() for label in honest.get_yticklabels()]
    # the mechanisms of a model share a line, and all of a model's files
    assert len(lines) == 8 + 5 * 4 + 3
    assert lines[-3:] == ["Files: Item bias", "Files: dpals", "Files: one-bit, grap"]
    assert "A-IRLS, user joins or leaves" in lines

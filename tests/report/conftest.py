"""Invented results in the shape of the real ones, for every test of the report.

The numbers are close to what the experiments give (the published value of the Gaussian column
for every mechanism, so that no mechanism is better than another), with paired noise over trials.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from invented_dpals import write_dpals
from invented_onebit import write_onebit
from privacy_results import write_results

from dpmc import configuration, studies
from dpmc.frame.jobs.job import function
from dpmc.frame.jobs.plan import Plan
from dpmc.frame.judging.claims import load_claims
from dpmc.frame.judging.finding import VERDICTS
from dpmc.frame.showing.erratum import CHANGES_CONCLUSION, WITHOUT_CONSEQUENCE, Erratum
from dpmc.report.numbers import Numbers
from dpmc.report.page import Report, StudyPage, write_single, write_site
from dpmc.studies import huber
from dpmc.studies.huber.claims.judge import PREDICATES  # with all of them registered
from dpmc.studies.huber.nominal import table_one
from dpmc.studies.huber.reported import compare, load

ROOT = Path(__file__).resolve().parents[2]
HUBER = Path(huber.__file__).parent
PUBLISHED = HUBER / "reported"
STUDIES = studies.load()
BASELINES = {
    ("synthetic", 5): [(0.488, 0.488, 0.488), (0.383, 0.367, 0.361), (0.249, 0.216, 0.205)],
    ("synthetic", 10): [(0.695, 0.695, 0.695), (0.561, 0.536, 0.528), (0.360, 0.309, 0.293)],
    ("synthetic", 20): [(0.998, 0.998, 0.998), (0.822, 0.789, 0.778), (0.517, 0.446, 0.422)],
    ("sweetrs", 32): [(1.712, 1.712, 1.712), (1.570, 1.559, 1.556), (1.517, 1.482, 1.467)],
    ("ml-100k", 32): [(1.130,), (1.026,), (0.944,)],
}
COLUMNS = [
    "dataset",
    "rank",
    "variance",
    "observed_fraction",
    "method",
    "mechanism",
    "irls_iterations",
    "trial",
    "rmse_all",
    "rmse_heldout",
    "rmse_clipped",
    "seconds",
]


def published_synthetic() -> pd.DataFrame:
    frame = pd.read_csv(PUBLISHED / "huber_synthetic.csv")
    frame["dataset"] = "synthetic"
    frame["irls_iterations"] = np.where(frame.method == "irls", 20.0, np.nan)
    return frame


def published_real() -> pd.DataFrame:
    frame = pd.read_csv(PUBLISHED / "huber_real.csv")
    frame = frame.rename(columns={"visible_fraction": "observed_fraction"}).drop(columns="label")
    frame["rank"] = 32
    frame["variance"] = np.where(frame.mechanism == "none", np.nan, 1.0)
    missing = (frame.method == "irls") & frame.irls_iterations.isna()
    frame.loc[missing, "irls_iterations"] = 20.0
    return frame


def _rows(cell: dict, centre: float, common: np.ndarray, rng) -> list[dict]:
    spread = 0.004 if cell["mechanism"] == "none" else 0.012
    rmse = centre * np.exp(common + spread * rng.standard_normal(len(common)))
    synthetic = cell["dataset"] == "synthetic"
    return [
        {
            **cell,
            "trial": trial,
            "rmse_all": value if synthetic else np.nan,
            "rmse_heldout": 1.02 * value if synthetic else value,
            "rmse_clipped": np.nan if synthetic else 0.9 * value,
            "seconds": rng.uniform(0.05, 0.3),
        }
        for trial, value in enumerate(rmse)
    ]


def fake_trials(count: int = 10, seed: int = 7, real: bool = True) -> pd.DataFrame:
    """Return a trial table: 126 synthetic cells, 24 real ones if ``real``, and baselines."""
    rng = np.random.default_rng(seed)
    frames = [published_synthetic()] + ([published_real()] if real else [])
    published = pd.concat(frames, ignore_index=True)
    commons: dict[tuple, np.ndarray] = {}
    rows: list[dict] = []
    done = set()
    for row in published.itertuples():
        quiet = row.mechanism == "none"
        cell = {
            "dataset": row.dataset,
            "rank": row.rank,
            "variance": np.nan if quiet else float(row.variance),
            "observed_fraction": row.observed_fraction,
            "method": row.method,
            "mechanism": row.mechanism,
            "irls_iterations": row.irls_iterations,
        }
        if str(cell) in done:
            continue
        done.add(str(cell))
        setting = (row.dataset, row.rank, row.observed_fraction)
        if setting not in commons:
            commons[setting] = 0.02 * rng.standard_normal(count)
            rows += _baseline_rows(cell, commons[setting], rng)
        rows += _rows(cell, _centre(published, row), commons[setting], rng)
    return pd.DataFrame(rows)[COLUMNS]


def _centre(published: pd.DataFrame, row) -> float:
    """Without an advantage of any mechanism: the Gaussian number stands for all of them."""
    if row.dataset != "synthetic" or row.mechanism == "none":
        return row.rmse
    like = published[
        (published.dataset == "synthetic")
        & (published["rank"] == row.rank)
        & (published.variance == row.variance)
        & (published.observed_fraction == row.observed_fraction)
        & (published.method == row.method)
        & (published.mechanism == "gaussian")
    ]
    return float(like.rmse.iloc[0])


def _baseline_rows(cell: dict, common: np.ndarray, rng) -> list[dict]:
    levels = BASELINES[cell["dataset"], cell["rank"]]
    position = {0.05: 0, 0.1: 1, 0.15: 2}.get(cell["observed_fraction"], 0)
    values = [level[position] for level in levels]
    names = ["global_mean", "item_bias", "user_item_bias", "rank_one"]
    rows = []
    for name, value in zip(names, [*values, values[-1] * 1.05], strict=True):
        baseline = {**cell, "method": name, "mechanism": "none"}
        baseline["variance"] = baseline["irls_iterations"] = np.nan
        rows += _rows(baseline, value, 0.3 * common, rng)
    return rows


def fake_comparison(trials: pd.DataFrame) -> pd.DataFrame:
    """Set the invented trials beside the published numbers, as the workflow does."""
    return compare(trials, load(PUBLISHED), fake_budgets())


def fake_budgets() -> pd.DataFrame:
    return pd.DataFrame(table_one())


def fake_convergence() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    rows = []
    for target in ["right_hand_side", "iterate"]:
        for method in ["als", "irls"]:
            for mechanism in ["none", "gaussian", "laplace", "huber"]:
                if target == "iterate" and (method == "irls" or mechanism == "none"):
                    continue
                floor = 0.1 if mechanism == "none" else 0.22
                setting = ("synthetic", 5, np.nan if mechanism == "none" else 2.0, 0.10)
                floor *= 3 if target == "iterate" and mechanism != "none" else 1
                for trial in range(5):
                    for iteration in range(1, 51):
                        value = floor + 0.8 * np.exp(-iteration / 4)
                        value *= np.exp(0.03 * rng.standard_normal())
                        rows.append((*setting, method, mechanism, target, trial, iteration, value))
    names = "dataset rank variance observed_fraction method mechanism noise_target trial iteration"
    return pd.DataFrame(rows, columns=[*names.split(), "rmse_all"])


def fake_claims(seed: int = 1) -> pd.DataFrame:
    """The real claims with invented verdicts."""
    rng = np.random.default_rng(seed)
    rows = []
    for claim in load_claims(HUBER / "claims.yaml", PREDICATES):
        effect = rng.normal(0, 0.03)
        rows.append(
            {
                **claim,
                "verdict": rng.choice(VERDICTS, p=[0.4, 0.3, 0.1, 0.2]),
                "reported_verdict": rng.choice(VERDICTS),
                "effect": effect,
                "interval_low": effect - 0.01,
                "interval_high": effect + 0.01,
                "n": 10,
                "rule": "most",
                "margin": 0.01,
                "margin_of": "ours",
                "needed": rng.choice([np.nan, np.inf, 240.0]),
                "depends_on": rng.choice(["", "medians: contradicted"]),
                "reason": "3 wins, 2 losses and 7 ties in 12 cells of 10 trials.",
            }
        )
    return pd.DataFrame(rows)


@pytest.fixture(scope="session")
def published_folder() -> Path:
    return PUBLISHED


@pytest.fixture(scope="session")
def trials() -> pd.DataFrame:
    return fake_trials()


@pytest.fixture(scope="session")
def trials_without_data() -> pd.DataFrame:
    return fake_trials(real=False)


@pytest.fixture(scope="session")
def comparison(trials) -> pd.DataFrame:
    return fake_comparison(trials)


@pytest.fixture(scope="session")
def budgets() -> pd.DataFrame:
    return fake_budgets()


@pytest.fixture(scope="session")
def convergence() -> pd.DataFrame:
    return fake_convergence()


@pytest.fixture(scope="session")
def claims() -> pd.DataFrame:
    return fake_claims()


ERRATA = [
    Erratum("E1", "Sign", WITHOUT_CONSEQUENCE, "paper", "+", "−", "It is less.", {}),
    Erratum(
        "E2", "Inverse CDF", CHANGES_CONCLUSION, "`4.4`", "x < 1 & y", "x > 1", "It is 0.5.", {}
    ),
]
MANIFEST = {
    "dpmc": "0.1.0",
    "git": {"commit": "0123456789abcdef" * 8, "dirty": False},
    "cores": [1, 2],
}


@pytest.fixture(scope="session")
def report_folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="session")
def planned() -> Plan:
    """The plan of the full run: what steps and chapters are given."""
    full = configuration.load(ROOT / "config" / "config.yaml")
    return Plan("results", configuration.checked(full, STUDIES), STUDIES)


@pytest.fixture(scope="session")
def results(report_folder, trials, comparison, convergence, claims) -> Path:
    """Folder of all studies' tables, and of what their steps make of them for readers."""
    write_results(report_folder)
    write_onebit(report_folder / "onebit")
    write_dpals(report_folder / "dpals")
    frames = {"trials": trials, "comparison": comparison, "convergence": convergence}
    write_huber(report_folder / "huber", **frames, claims=claims)
    return report_folder


def write_huber(folder: Path, **frames: pd.DataFrame) -> None:
    """Write tables of the Huber study beside those that are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)


@pytest.fixture(scope="session")
def chapters(results, planned) -> dict:
    """The chapter of each study, after all of its steps that make folders."""
    for name, study in STUDIES.items():
        for step in study.steps:
            if not step.makes and step.target is None:
                out = results / name / step.name
                out.mkdir()
                settings = step.settings(planned.sections[name])
                function(step.run)(results / name, settings, out)
    return {name: chapter_of(planned, name, results / name) for name in STUDIES}


def chapter_of(planned: Plan, name: str, folder: Path):
    """Return the chapter of a study from a folder of its results."""
    study = STUDIES[name]
    return function(study.chapter)(folder, study.chapter_settings(planned.sections[name]))


@pytest.fixture(scope="session")
def rows(results, chapters, planned) -> dict:
    """The claims and numbers of each study."""
    plan = Plan(str(results), planned.configuration, STUDIES)
    return {
        name: Numbers(plan, STUDIES[name], chapter, "snakemake").rows()
        for name, chapter in chapters.items()
    }


@pytest.fixture(scope="session")
def report(chapters, rows) -> Report:
    pages = {
        name: StudyPage(chapter, ERRATA if name == "huber" else [], MANIFEST, rows[name])
        for name, chapter in chapters.items()
    }
    return Report("Report <1>", pages, MANIFEST)


@pytest.fixture(scope="session")
def outputs(results, report) -> Path:
    """The results of all studies, the report as a site in ``report`` and as ``single.html``."""
    write_site(results / "report", report)
    write_single(results / "single.html", report)
    return results

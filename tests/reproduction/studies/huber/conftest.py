"""Made-up trials with known effects, to see that each verdict comes out where it must."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpmc_studies.frame.judging.claims import OWN, load_claims, table_of_verdicts
from dpmc_studies.studies import huber
from dpmc_studies.studies.huber import reported as library
from dpmc_studies.studies.huber.cells import COORDINATES, Cell
from dpmc_studies.studies.huber.claims.judge import PREDICATES, evidence_beside
from dpmc_studies.studies.huber.claims.judge import judge as judge_all
from dpmc_studies.studies.huber.reported.numbers import as_run, cells_of

HUBER = Path(huber.__file__).parent
PAPER = HUBER / "reported"
TRIALS = 10

Effect = Callable[[Cell], float]


def no_effect(cell: Cell) -> float:
    return 0.0


@pytest.fixture(scope="session")
def paper_folder() -> Path:
    return PAPER


@pytest.fixture(scope="session")
def paper() -> pd.DataFrame:
    return library.load(PAPER)


@pytest.fixture(scope="session")
def claims() -> list[dict[str, str]]:
    """The papers'; ours are tested with the answer of the report."""
    every = load_claims(HUBER / "claims.yaml", PREDICATES)
    return [claim for claim in every if claim["source"] != OWN]


@pytest.fixture(scope="session")
def cells(paper) -> list[Cell]:
    """The 126 synthetic and 24 real cells of the papers' grid, as we run them."""
    rmse = paper[paper["metric"] != "epsilon"]
    return list(dict.fromkeys(map(as_run, cells_of(rmse))))


@pytest.fixture(scope="session")
def budgets() -> pd.DataFrame:
    """Table 1 as it should be, from formulas written down here again."""
    gaussian = 5 * np.sqrt(2 * np.log(1.25 / 1e-5))
    exact = {1: 33.104, 2: 20.676, 3: 15.867, 4: 13.207}
    huber = {1: 15.0, 2: 5.379890, 3: 4.216339, 4: 3.601200}
    rows = []
    for variance in (1, 2, 3, 4):
        rows.append(("gaussian", variance, gaussian / np.sqrt(variance), exact[variance]))
        rows.append(("laplace", variance, *[5 * np.sqrt(2 / variance)] * 2))
        rows.append(("huber", variance, huber[variance], huber[variance]))
    return pd.DataFrame(
        rows, columns=["mechanism", "variance", "epsilon_corrected", "epsilon_exact"]
    )


@pytest.fixture(scope="session")
def make_trials(cells):
    """Return a maker of trials tables.

    Without an effect, noise mechanisms and methods are equal, more variance and a higher rank
    hurt, and privacy costs a factor of 3 on synthetic and of 1.05 on real data.
    """
    numbers = dict.fromkeys(["rank", "variance", "irls_iterations"], float)
    coordinates = pd.DataFrame(map(vars, cells), columns=list(COORDINATES)).astype(numbers)

    def make(
        effect: Effect = no_effect,
        *,
        spread: float = 0.002,
        spread_of: Effect = no_effect,
        trials: int = TRIALS,
        seed: int = 0,
    ) -> pd.DataFrame:
        shared: dict[tuple, np.ndarray] = {}
        logs = []
        for number, cell in enumerate(cells):
            data = (cell.dataset, cell.rank, cell.observed_fraction)
            if data not in shared:
                stream = np.random.default_rng([seed, 1, len(shared)])
                shared[data] = 0.05 * stream.standard_normal(trials)
            own = np.random.default_rng([seed, 2, number]).standard_normal(trials)
            scale = spread * np.exp(spread_of(cell))
            logs.append(base(cell) + effect(cell) + shared[data] + scale * own)
        table = coordinates.loc[coordinates.index.repeat(trials)].reset_index(drop=True)
        rmse = np.exp(np.ravel(logs))
        synthetic = table["dataset"] == "synthetic"
        return table.assign(
            trial=np.tile(np.arange(trials), len(cells)),
            rmse_all=np.where(synthetic, rmse, np.nan),
            rmse_heldout=rmse * np.where(synthetic, 1.1, 1.0),
            rmse_clipped=np.where(synthetic, np.nan, rmse),
            seconds=0.1,
        )

    return make


def base(cell: Cell) -> float:
    """Return log RMSE where no claim about mechanisms, methods and fractions holds."""
    private = cell.mechanism != "none"
    if cell.dataset != "synthetic":
        return np.log(1.5) + private * np.log(1.05)
    return (
        np.log(0.1)
        + 0.5 * np.log(cell.rank / 5)
        + private * (np.log(3.0) + 0.3 * ((cell.variance or 1.0) - 1.0))
    )


@pytest.fixture(scope="session")
def timing():
    """Return a maker of the timing table; the ratio is that of the direct kernel."""

    def make(ratio: float = 8.0, *, spread: float = 0.02) -> pd.DataFrame:
        rng = np.random.default_rng(1)
        rows = [
            {
                "dataset": dataset,
                "rank": 32,
                "kernel": kernel,
                "irls_iterations": inner,
                "repeat": repeat,
                "seconds": (factor if inner == 20 else 1.0) * np.exp(spread * rng.normal()),
            }
            for dataset in ("ml-100k", "sweetrs")
            for kernel, factor in (("direct", ratio), ("fast", 2.5 if spread < 0.1 else 2.2))
            for inner in (1, 2, 20)
            for repeat in range(5)
        ]
        return pd.DataFrame(rows)

    return make


@pytest.fixture(scope="session")
def convergence():
    """Return a maker of RMSE by iteration, with noise on the right-hand side and the iterates."""

    def make(wider: float = 10.0, higher: float = 1.5) -> pd.DataFrame:
        rng = np.random.default_rng(2)
        rows = []
        for mechanism in ("none", "gaussian", "huber"):
            for target in ("right_hand_side", "iterate")[: 1 if mechanism == "none" else 2]:
                factors = (wider, higher) if target == "iterate" else (1.0, 1.0)
                for trial in range(TRIALS):
                    wiggle = factors[0] * 0.002 * rng.normal(size=50)
                    rmse = factors[1] * (0.2 + np.exp(-np.arange(50.0))) + wiggle
                    rows += [
                        {
                            "dataset": "synthetic",
                            "rank": 10,
                            "variance": np.nan if mechanism == "none" else 2.0,
                            "observed_fraction": 0.1,
                            "method": "als",
                            "mechanism": mechanism,
                            "noise_target": target,
                            "trial": trial,
                            "iteration": iteration,
                            "rmse_all": value,
                        }
                        for iteration, value in enumerate(rmse, start=1)
                    ]
        return pd.DataFrame(rows)

    return make


@pytest.fixture(scope="session")
def starts():
    """Return a maker of 20 starts with minima ``apart``; Huber noise leads to a lower one."""

    def make(lower: float = 0.05, apart: float = 0.1) -> pd.DataFrame:
        rng = np.random.default_rng(3)
        rows = []
        for rank in (5, 20):
            for method in ("als", "irls"):
                minima = apart * rng.normal(size=20)
                for mechanism in ("none", "gaussian", "laplace", "huber"):
                    shift = lower if mechanism == "huber" else 0.0
                    own = 0.0 if mechanism == "none" else 0.005 * rng.normal(size=20)
                    rows += [
                        {
                            "rank": rank,
                            "variance": np.nan if mechanism == "none" else 2.0,
                            "observed_fraction": 0.1,
                            "method": method,
                            "mechanism": mechanism,
                            "trial": 0,
                            "start": start,
                            "training_loss": 1000.0,
                            "rmse_all": 0.2,
                            "settled_loss": loss,
                        }
                        for start, loss in enumerate(100 * np.exp(minima + own - shift))
                    ]
        return pd.DataFrame(rows)

    return make


@pytest.fixture(scope="session")
def chosen(claims):
    """Return some claims by their ids, all without any."""
    return lambda names: [each for each in claims if not names or each["id"] in names]


@pytest.fixture(scope="session")
def judge(paper, chosen, budgets):
    """Return a judge of some claims on trials as they are, as a table indexed by id."""
    evidence = evidence_beside(paper, budgets)

    def judged(trials, *names, **experiments):
        found = table_of_verdicts(chosen(names), PREDICATES, evidence(trials, **experiments))
        return found.set_index("id")

    return judged


@pytest.fixture(scope="session")
def judge_readings(paper, chosen, budgets):
    """Return a judge of the same under all readings too."""

    def judged(trials, *names, **experiments):
        found = judge_all(trials, paper, budgets, chosen(names), **experiments)
        return found.set_index("id")

    return judged


@pytest.fixture(scope="session")
def no_trials(make_trials):
    return make_trials(trials=1).iloc[:0]


@pytest.fixture(scope="session")
def verdict(judge, no_trials):
    """Return a judge of one claim on experiments beside the grid."""

    def judged(name, trials=no_trials, **experiments):
        return judge(trials, name, **experiments).loc[name]

    return judged

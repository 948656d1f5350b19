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
from dpmc_studies.studies.huber.claims.judge import PREDICATES, evidence_of
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
def judge(paper, claims, budgets):
    """Return a judge of some claims, of all if none is named, as a table indexed by id.

    ``readings`` says whether by all readings too; ``published`` and ``nominal`` are other numbers
    of the papers, and other budgets; the rest are experiments beside the grid.
    """

    def judged(trials, *names, readings=False, published=None, nominal=None, **experiments):
        some = [each for each in claims if not names or each["id"] in names]
        evidence, others = evidence_of(
            {"trials": trials, **experiments},
            paper if published is None else published,
            budgets if nominal is None else nominal,
        )
        table = table_of_verdicts(some, PREDICATES, evidence, others if readings else None)
        return table.set_index("id")

    return judged


@pytest.fixture(scope="session")
def verdict(judge, make_trials):
    """Return a judge of one claim on experiments beside the grid."""
    nothing = make_trials(trials=1).iloc[:0]

    def judged(name, trials=nothing, **experiments):
        return judge(trials, name, **experiments).loc[name]

    return judged

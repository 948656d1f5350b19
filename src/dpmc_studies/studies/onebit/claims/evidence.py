"""What the claims of the one-bit paper are judged on, and the registry of what judges them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.claims import registering
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.statistics.tests import log_positive, trial_matrix
from dpmc_studies.studies.onebit.cells import (
    BOTH,
    NUCLEAR,
    ONEBIT_COORDINATES,
    SYNTHETIC,
    OneBitCell,
)
from dpmc_studies.studies.onebit.frames import link_label

GAUSSIAN, LOGISTIC = LINKS = ("gaussian", "logistic")
# the paper's four mechanisms as it runs them, by the names it gives them
PAPER = {"InP": "inp", "ObjP": "objp_paper", "GraP": "grap", "OutP": "outp_paper"}
PERTURBED = ("InP", "ObjP", "GraP")  # all but OutP
TIGHT = "objp"
MOVIELENS = "ml-100k"
OTHER_LINK = "signs of the other link"  # the data set of cells with the link of the fit


class Outputs:
    """How good one kind of output is, ``"raw"`` or ``"truncated"``, by cell and trial.

    Every row has shape (trials,) and is NaN where a trial, or the cell, is missing. Within a data
    set, trials with the same number share data, and rows are paired: with one observed fraction all
    of them, with several those of an experiment its matrix and the signs of the smaller fractions.

    ``places`` is the row of each cell, see :func:`_known`, in matrices of shape (cells, trials);
    ``links`` are those that count.
    """

    def __init__(
        self,
        kind: str,
        places: Mapping[tuple, int],
        log_are: np.ndarray,
        accuracy: np.ndarray,
        links: Sequence[str] = LINKS,
    ):
        self.kind = kind
        self.links = tuple(links)
        self._places = places
        self._log_are = log_are
        self._accuracy = accuracy

    def of(self, links: Sequence[str]) -> "Outputs":
        """Return the same with other links that count."""
        return Outputs(self.kind, self._places, self._log_are, self._accuracy, links)

    def log_are(self, cell: OneBitCell) -> np.ndarray:
        """Return log ARE, ARE = ||X - M||_F^2 / ||M||_F^2, of a cell of synthetic data."""
        return self._row(self._log_are, cell)

    def accuracy(self, cell: OneBitCell) -> np.ndarray:
        """Return the share of held-out signs that are right, of a cell of real data."""
        return self._row(self._accuracy, cell)

    def _row(self, matrix: np.ndarray, cell: OneBitCell) -> np.ndarray:
        place = self._places.get(_known(*vars(cell).values()))
        return np.full(matrix.shape[1], np.nan) if place is None else matrix[place]


@dataclass(frozen=True)
class OneBitEvidence:
    """The inputs of the predicates.

    ``judged`` are of the trials, cut to the rank after the noise; ``beside`` as the mechanism gives
    them, which another reading judges. ``by_rank`` is rank -> the former, with real data cut to
    another rank, as far as that was run. ``change`` and ``attack`` are what one flip does to the
    solution, and the attack on output perturbation; None where they have not been run. ``tight`` is
    the same with the Delta of theorem 2 (see :func:`with_tight_delta`); None where that was not
    run, or does not count. ``made`` is what predicates made of the trials, for other readings of
    the same ones.
    """

    trials: pd.DataFrame
    judged: Outputs
    beside: Outputs
    by_rank: Mapping[int, Outputs] = field(default_factory=dict)
    change: pd.DataFrame | None = None
    attack: pd.DataFrame | None = None
    tight: "OneBitEvidence | None" = None
    made: dict[tuple, object] = field(default_factory=dict, repr=False, compare=False)

    def changed(self, change: "Callable[[OneBitEvidence], OneBitEvidence]") -> "OneBitEvidence":
        """Return the evidence changed, and what is in ``tight`` too."""
        return replace(change(self), tight=self.tight and change(self.tight))

    def raw(self) -> "OneBitEvidence":
        """Return it with raw outputs judged, which are cut to no rank."""
        return self.changed(
            lambda each: replace(each, judged=each.beside, beside=each.judged, by_rank={})
        )

    def at_rank(self, rank: int) -> "OneBitEvidence":
        """Return it with outputs on real data cut to this rank alone."""
        return self.changed(
            lambda each: replace(
                each, judged=each.by_rank[rank], by_rank={rank: each.by_rank[rank]}
            )
        )

    def of(self, links: Sequence[str]) -> "OneBitEvidence":
        """Return it with the comparisons of these links alone."""
        return self.changed(
            lambda each: replace(
                each,
                judged=each.judged.of(links),
                beside=each.beside.of(links),
                by_rank={rank: outputs.of(links) for rank, outputs in each.by_rank.items()},
            )
        )


def evidence_of(
    trials: pd.DataFrame,
    ranks: pd.DataFrame | None = None,
    outp_change: pd.DataFrame | None = None,
    outp_attack: pd.DataFrame | None = None,
    wrong_link: pd.DataFrame | None = None,
) -> OneBitEvidence:
    """Return what the predicates judge, of the study's tables; None is one that was not made.

    ``trials`` has the columns :data:`dpmc_studies.studies.onebit.cells.ONEBIT_COLUMNS`, any order
    of rows. Of ``wrong_link``, outputs have the cells as those of a data set :data:`OTHER_LINK`.
    """
    grid = trials
    if wrong_link is not None:
        trials = pd.concat([trials, wrong_link.assign(dataset=OTHER_LINK)], ignore_index=True)
    found = replace(_evidence(trials, ranks, outp_change, outp_attack), trials=grid)
    has_tight = ((trials["mechanism"] == TIGHT) & (trials["link"] == GAUSSIAN)).any()
    if not has_tight:
        return found
    tables = (None if table is None else with_tight_delta(table) for table in (trials, ranks))
    tight = _evidence(*tables, outp_change, outp_attack)
    return replace(found, tight=replace(tight, trials=with_tight_delta(grid)))


def _evidence(trials, ranks, outp_change, outp_attack) -> OneBitEvidence:
    at_ranks = {} if ranks is None else dict(accuracies_at_ranks(trials, ranks))
    errors = [log_positive(trials[f"are_{kind}"]) for kind in ("truncated", "raw")]
    accuracies = [trials["accuracy_truncated"], trials["accuracy_raw"], *at_ranks.values()]
    names, matrices = trial_matrix(trials, [*errors, *accuracies], ONEBIT_COORDINATES)
    cells = names.itertuples(index=False, name=None)
    places = {_known(*cell): number for number, cell in enumerate(cells)}
    log_are, log_are_raw, accuracy, accuracy_raw, *cut = matrices
    return OneBitEvidence(
        trials,
        Outputs("truncated", places, log_are, accuracy),
        Outputs("raw", places, log_are_raw, accuracy_raw),
        {r: Outputs("truncated", places, log_are, c) for r, c in zip(at_ranks, cut, strict=True)},
        outp_change,
        outp_attack,
    )


def with_tight_delta(table: pd.DataFrame) -> pd.DataFrame:
    """Return the trials with the Delta of theorem 2 in objective perturbation, Gaussian link.

    That is the largest value that the theorem takes over entries within +-alpha, 1.81 at alpha = 1,
    for the bound of the remark below it, 5.03. The rows are those of the corrected mechanism, whose
    scale 1.81/(epsilon - .77) is larger than the theorem's 1.81/epsilon, so that accuracies are no
    better than with that. It is defined with bounded entries alone: where a data set is judged with
    the nuclear norm only, they come from its runs under both constraints.
    """
    gaussian = table["link"] == GAUSSIAN
    rows = table[gaussian & (table["mechanism"] == TIGHT)]
    rows = rows.assign(
        mechanism=PAPER["ObjP"],
        constraint=rows["constraint"].where(rows["dataset"] != MOVIELENS, NUCLEAR),
    )
    return pd.concat([table[~(gaussian & (table["mechanism"] == PAPER["ObjP"]))], rows])


def with_steps(table: pd.DataFrame, steps: pd.DataFrame) -> pd.DataFrame:
    """Return the trials with gradient perturbation as ``steps`` has it, and not otherwise.

    ``steps`` are rows of one K, columns ``STEPS_COLUMNS`` of the experiment ``gradient_steps``;
    ``table`` are the trials or, where it has ranks, those by rank.
    """
    if "rank" in table:
        steps = steps.assign(accuracy=steps["accuracy_truncated"])
    else:
        steps = steps[steps["rank"] == steps.groupby("dataset")["rank"].transform("min")]
    rest = table[table["mechanism"] != PAPER["GraP"]]
    return pd.concat([rest, steps.reindex(columns=table.columns)])


def accuracies_at_ranks(
    trials: pd.DataFrame, ranks: pd.DataFrame
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each rank with the truncated accuracies of all rows of ``trials`` at it.

    Those of the data sets in ``ranks``, columns
    :data:`dpmc_studies.studies.onebit.cells.RANK_COLUMNS`, are NaN where a trial is missing there;
    the others are as in ``trials``.
    """
    keys = [*ONEBIT_COORDINATES, "trial"]
    for rank, there in ranks.groupby("rank"):
        cut = trials["dataset"].isin(there["dataset"].unique()).to_numpy()
        found = trials.loc[cut, keys].merge(there, how="left", on=keys, validate="many_to_one")
        accuracy = trials["accuracy_truncated"].to_numpy(dtype=float, copy=True)
        accuracy[cut] = found["accuracy"]
        yield int(rank), accuracy


Predicate = Callable[[OneBitEvidence], Finding]
PREDICATES: dict[str, Predicate] = {}
claim = registering(PREDICATES)


def synthetic_cell(name: str, link: str, fraction: float, epsilon: float | None) -> OneBitCell:
    """Return the cell of synthetic data, both constraints, of a mechanism by its published name."""
    return OneBitCell(SYNTHETIC, link, BOTH, fraction, PAPER.get(name, name), epsilon)


def place_named(name: str, link: str, epsilon: float | None = None) -> str:
    """Return what reasons call a mechanism with a link, at an epsilon or at that of the claim."""
    beside = "" if epsilon is None else f", ε = {epsilon:g}"
    return f"{name} ({link_label(link)}{beside})"


def _known(
    dataset: str,
    link: str,
    constraint: str,
    observed_fraction: float,
    mechanism: str,
    epsilon: float | None,
) -> tuple:
    """Return the cell with numbers as they compare equal, None where there is none."""
    known = None if pd.isna(epsilon) else round(float(epsilon), 9)
    return dataset, link, constraint, round(float(observed_fraction), 9), mechanism, known

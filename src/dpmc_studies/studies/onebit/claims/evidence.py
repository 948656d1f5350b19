"""The evidence for the claims of the one-bit paper, and the registry of their predicates."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.claims import registering
from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NO_EFFECT,
    NOT_REPORTED,
    SUPPORTED,
    Finding,
)
from dpmc_studies.statistics.tests import log_positive, trial_matrix
from dpmc_studies.studies.onebit.cells import (
    BOTH,
    NUCLEAR,
    OBSERVED_FRACTION,
    ONEBIT_COORDINATES,
)
from dpmc_studies.studies.onebit.frames import FREE, is_real, link_label

GAUSSIAN, LOGISTIC = LINKS = ("gaussian", "logistic")
# the paper's four mechanisms as it runs them, by the names it gives them
PAPER = {"InP": "inp", "ObjP": "objp_paper", "GraP": "grap", "OutP": "outp_paper"}
PERTURBED = ("InP", "ObjP", "GraP")  # all but OutP
TIGHT = "objp"
MOVIELENS, RESTAURANT = "ml-100k", "restaurant"
TRAINING_SHARE = 0.8
OTHER_LINK = "synthetic, signs of the other link"  # the data set of cells with the link of the fit
RAW, TRUNCATED = "raw", "truncated"
DELTAS = REMARK, THEOREM = ("Delta 5.03 of the remark", "Delta 1.81 of theorem 2")
BEST_FIRST = (SUPPORTED, NO_EFFECT, INCONCLUSIVE, CONTRADICTED)


@dataclass(frozen=True, eq=False)
class OneBitEvidence:
    """The tables of a run (None if a table was not made), and the choices for reading them.

    ``kind`` selects the output whose error counts: raw, or truncated to the rank after the noise.
    ``rank`` truncates outputs on the data sets in ``ranks`` to that rank instead. ``links`` are the
    links that count, and ``deltas`` the values of Delta that objective perturbation was run with.
    """

    trials: pd.DataFrame
    ranks: pd.DataFrame | None = None
    outp_change: pd.DataFrame | None = None
    outp_attack: pd.DataFrame | None = None
    wrong_link: pd.DataFrame | None = None
    kind: str = TRUNCATED
    rank: int | None = None
    links: tuple[str, ...] = LINKS
    deltas: tuple[str, ...] = DELTAS
    _made: dict[tuple, dict] = field(default_factory=dict, repr=False)

    def made(self, make: Callable[[pd.DataFrame, str], dict]) -> dict:
        """Return what a function makes of the trials and the kind of output.

        The result of ``make`` is computed once for all readings of the same trials. The trials are
        kept with it, so that no other table gets their id.
        """
        key = make, id(self.trials), self.kind
        if key not in self._made:
            self._made[key] = self.trials, make(self.trials, self.kind)
        return self._made[key][1]

    def error(
        self,
        dataset: str,
        mechanism: str,
        link: str,
        epsilon: float | None = None,
        fraction: float | None = None,
    ) -> np.ndarray:
        """Return log ARE, or minus the share of right signs on real data, shape (trials,).

        The mechanism has its name in the paper; a mechanism without noise has no epsilon. NaN is a
        missing trial. Rows of one data set are paired: trials with the same number share data.
        """
        if fraction is None:
            fraction = TRAINING_SHARE if is_real(dataset) else OBSERVED_FRACTION
        constraint = NUCLEAR if dataset == MOVIELENS else BOTH
        epsilon = None if mechanism in FREE else epsilon
        cell = _known(dataset, link, constraint, fraction, PAPER.get(mechanism, mechanism), epsilon)
        matrix, places = self._errors
        return matrix[places[cell]] if cell in places else np.full(matrix.shape[1], np.nan)

    @cached_property
    def _errors(self) -> tuple[np.ndarray, dict[tuple, int]]:
        """The errors of all cells by trial, and the row of each cell."""
        table = self.trials
        if self.wrong_link is not None:
            table = pd.concat([table, self.wrong_link.assign(dataset=OTHER_LINK)])
        right = table[f"accuracy_{self.kind}"].to_numpy(dtype=float)
        if self.rank is not None:
            right = self._at_rank(table, right)
        real = table["dataset"].map(is_real).to_numpy(dtype=bool)
        errors = np.where(real, -right, log_positive(table[f"are_{self.kind}"]))
        cells, matrix = trial_matrix(table, errors, ONEBIT_COORDINATES)
        known = (_known(*cell) for cell in cells.itertuples(index=False, name=None))
        return matrix, {cell: number for number, cell in enumerate(known)}

    def _at_rank(self, table: pd.DataFrame, right: np.ndarray) -> np.ndarray:
        """Return accuracies with those at the rank; NaN where a trial was not run at it."""
        keys = [*ONEBIT_COORDINATES, "trial"]
        there = self.ranks[self.ranks["rank"] == self.rank]
        cut = table["dataset"].isin(self.ranks["dataset"].unique()).to_numpy()
        found = table.loc[cut, keys].merge(there, how="left", on=keys, validate="many_to_one")
        right = right.copy()
        right[cut] = found["accuracy"]
        return right

    def tight(self) -> "OneBitEvidence":
        """Return it with the Delta of theorem 2 in objective perturbation, see :func:`_tight`."""
        names = ("trials", "ranks", "wrong_link")
        tables = {name: getattr(self, name) for name in names}
        changed = {
            name: table if table is None else _tight(table) for name, table in tables.items()
        }
        return replace(self, deltas=(THEOREM,), **changed)

    @cached_property
    def choices(self) -> dict[str, "OneBitEvidence"]:
        """It by what the paper leaves open, the rank and Delta: MovieLens alone."""
        found = {}
        trials = self.trials[self.trials["dataset"] == MOVIELENS]
        remark = replace(self, trials=trials, wrong_link=None)
        for delta in self.deltas:
            each = remark.tight() if delta == THEOREM else remark
            if self.ranks is None or self.ranks.empty or self.kind == RAW:
                found[f"{self.kind} outputs and {delta}"] = each
                continue
            for rank in [self.rank] if self.rank else sorted(self.ranks["rank"].unique()):
                found[f"rank {rank} and {delta}"] = replace(each, rank=rank)
        return found


def evidence_of(tables: Mapping[str, pd.DataFrame | None]) -> OneBitEvidence:
    """Return what the predicates judge, of the study's tables; one that was not made is None.

    ``trials`` is needed, columns :data:`dpmc_studies.studies.onebit.cells.ONEBIT_COLUMNS`, any
    order of rows.
    """
    names = ("trials", "ranks", "outp_change", "outp_attack", "wrong_link")
    trials = tables["trials"]
    has_tight = ((trials["mechanism"] == TIGHT) & (trials["link"] == GAUSSIAN)).any()
    given = {name: tables.get(name) for name in names}
    return OneBitEvidence(**given, deltas=DELTAS if has_tight else (REMARK,))


def _tight(table: pd.DataFrame) -> pd.DataFrame:
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


Judge = Callable[[OneBitEvidence], Finding]
PREDICATES: dict[str, Judge] = {}
claim = registering(PREDICATES)


def on_outputs(identifier: str, at_the_best_choice: bool = False) -> Callable[[Judge], Judge]:
    """Return a decorator that registers what judges a claim from outputs.

    With ``at_the_best_choice``, the verdict is the best one over the choices that the paper leaves
    open. Each choice applies to all mechanisms and both links.
    """

    def register(judge: Judge) -> Judge:
        def predicate(evidence: OneBitEvidence) -> Finding:
            if not at_the_best_choice:
                return of_outputs(evidence, judge(evidence))
            choices = evidence.choices
            found = {name: of_outputs(each, judge(each)) for name, each in choices.items()}
            best = min(found, key=lambda choice: _rank_of(found[choice]))
            return replace(found[best], reason=f"Judged with {best}, {found[best].reason}")

        PREDICATES[identifier] = predicate
        return judge

    return register


def of_outputs(evidence: OneBitEvidence, found: Finding) -> Finding:
    """Name the kind of output in the reason."""
    reason = f"{evidence.kind} outputs: {found.reason}. {NOT_REPORTED.capitalize()}"
    return replace(found, reason=reason)


def _rank_of(finding: Finding) -> tuple[int, float]:
    effect = finding.effect if np.isfinite(finding.effect) else np.inf
    return BEST_FIRST.index(finding.verdict), effect


def place_named(name: str, link: str, epsilon: float | None = None) -> str:
    """Return what reasons call a mechanism with a link, at an epsilon or at that of the claim."""
    beside = "" if epsilon is None else f", ε = {epsilon:g}"
    return f"{name} ({link_label(link)}{beside})"


def _known(*cell: object) -> tuple:
    """Return the coordinates of a cell with numbers as they compare equal; no epsilon is None."""
    *names, fraction, mechanism, epsilon = cell
    known = None if pd.isna(epsilon) else round(float(epsilon), 9)
    return *names, round(float(fraction), 9), mechanism, known

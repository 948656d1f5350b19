"""The results of the last full run that are committed, for tests of what is made of results."""

import lzma
from collections.abc import Iterable
from functools import cache
from io import StringIO
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.checking.packed import FOLDER, SUFFIX
from dpmc_studies.frame.checking.runs import read_frame, write_frame
from dpmc_studies.frame.judging.claims import CLAIM_COLUMNS, judge_all, load_claims
from dpmc_studies.studies.audit import claims as audit

HOME = Path(__file__).parents[1]
REFERENCE = HOME / "results" / "reference"
STUDIES = HOME / "src" / "dpmc_studies" / "studies"


@cache
def table(study: str, name: str) -> pd.DataFrame:
    """Return a table that jobs made, or a judged one: ``claims``, or ``comparison``."""
    packed = REFERENCE / study / FOLDER / f"{name}{SUFFIX}"
    if packed.is_file():
        return read_frame(StringIO(lzma.decompress(packed.read_bytes()).decode()))
    if study == "audit":  # whose one claim is not committed
        return judge_all(audit.__file__, audit.PREDICATES, table(study, "audit"))
    judged = read_frame(REFERENCE / study / "expected" / "full" / f"{name}.csv")
    if name != "claims":
        return judged
    known = load_claims(STUDIES / study / "claims.yaml", dict.fromkeys(judged["id"]))
    words = pd.DataFrame(known)[["id", "sentence", "claim", "predicate"]]
    return judged.merge(words, on="id")[list(CLAIM_COLUMNS)]


def tables(study: str, trials: int | None = None) -> dict[str, pd.DataFrame]:
    """Return all of these tables by name, of tables of trials the first ones of each cell."""
    packed = sorted((REFERENCE / study / FOLDER).glob(f"*{SUFFIX}"))
    judged = (REFERENCE / study / "expected" / "full").glob("*.csv")
    names = [path.name.removesuffix(SUFFIX) for path in packed]
    names += ["claims", *(path.stem for path in judged if path.stem != "claims")]
    found = {name: table(study, name) for name in names}
    if trials is None:
        return found
    return {
        name: rows[rows["trial"] < trials].reset_index(drop=True) if "trial" in rows else rows
        for name, rows in found.items()
    }


def write(study: str, folder: Path, names: Iterable[str] = ()) -> Path:
    """Write tables of a study to a folder, all or those of these names, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or tables(study):
        write_frame(folder / f"{name}.csv", table(study, name))
    return folder

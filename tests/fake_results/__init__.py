"""Made-up results of every built-in study, in the shape and size of the real ones."""

from collections.abc import Iterable
from pathlib import Path

from fake_results import audit, dpals, equal_privacy, huber, onebit, which_model

STUDIES = {
    "audit": audit,
    "dpals": dpals,
    "equal_privacy": equal_privacy,
    "huber": huber,
    "onebit": onebit,
    "which_model": which_model,
}


def write(study: str, folder: Path, names: Iterable[str] = ()) -> Path:
    """Write the tables of a study to ``folder``, all or those with these names, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    frames = STUDIES[study].tables()
    for name in names or frames:
        frames[name].to_csv(folder / f"{name}.csv", index=False)
    return folder

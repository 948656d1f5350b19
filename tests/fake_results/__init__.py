"""Made-up results of every built-in study, in the shape and size of the real ones."""

from collections.abc import Iterable
from functools import cache
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
    for name in names or STUDIES[study].tables():
        (folder / f"{name}.csv").write_text(_text(study, name), encoding="utf-8", newline="")
    return folder


@cache
def _text(study: str, name: str) -> str:
    return STUDIES[study].tables()[name].to_csv(index=False)

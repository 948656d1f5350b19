"""Folders that `dpmc fit` publishes, each made when a test first asks for it."""

import shutil

import pytest
from publication.small_tables import (
    ENOUGH,
    ITEMS,
    PUBLIC,
    falling_back,
    publish,
    rows_of,
    write_list,
    write_table,
)

from dpmc.methods.user_level.local_bayes.method import FALLBACKS

USER, ENTRY = PUBLIC["user"], PUBLIC["entry"] | {"relation": "entry"}
ALL_PARTS = {"write": "user-factors"}
RANKING = {"method": "ease", "for": "ranking", "likes-from": 4, "rating-range": None, "rank": None}
FOLDERS = {
    "user": {"items": "items.txt"},
    "public": USER,
    "privately": {"items-privately": 0.4, "ratings-per-user": 6},
    "simulated": USER | {"simulate": 1},
    "bayes": USER | {"method": "bayes", "report-error": 0.3},
    "not told": USER | {"method": "bayes", "report-error": 0.3},
    "features": USER | {"method": "bayes", "item-features": "features.csv"},
    "learnt": USER | {"method": "bayes", "simulate": 1},
    "biases": USER | {"method": "bayes"},
    "own means": USER | {"method": "bayes"},
    "ease": USER | RANKING,
    "entry": ENTRY | ALL_PARTS,
    "rank 2": ENTRY | ALL_PARTS | {"delta": 1e-3, "rank": 2},
    "entry bias": ENTRY | ALL_PARTS | {"delta": 1e-3, "method": "bias"},
    "laplace": ENTRY | {"mechanism": "laplace"},
}


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """Name -> folder. Of many users the error of "bayes" can be told."""
    made = tmp_path_factory.mktemp("published")
    few = write_table(made / "few.csv", rows_of())
    many = write_table(made / "many.csv", rows_of(ENOUGH))
    files = {"items.txt": write_list(made / "items.txt", ITEMS)}
    years = [(item, number) for number, item in enumerate(ITEMS)]
    files["features.csv"] = write_table(made / "features.csv", years, ("item", "year"))

    def folder(name):
        if not (made / name).exists():
            given = {option: files.get(value, value) for option, value in FOLDERS[name].items()}
            with falling_back(name if name in FALLBACKS else None):
                publish("fit", many if name == "bayes" else few, made / name, **given)
        return made / name

    return folder


@pytest.fixture
def copy(published, tmp_path):
    """Name -> a copy of a folder, in place of the one before."""

    def copied(name):
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        return shutil.copytree(published(name), tmp_path / "copy")

    return copied

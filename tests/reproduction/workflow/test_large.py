"""`config/large.yaml` on files in the formats of MovieLens 1M, 10M and 20M, to the report."""

import hashlib
import zipfile

import numpy as np
import pandas as pd
import pytest
from workspaces import DEFAULTS, HOME, Workspace

from dpmc_studies.configuration import load, merge
from dpmc_studies.frame.judging.finding import NOT_RUN

pytestmark = pytest.mark.slow

USERS, ITEMS, EACH = 60, 40, 15
FIT = {"trials": 2, "epsilons": [1, 10, 20]}
# a grid that takes seconds, over the files that large.yaml asks for
TINY = {
    "dpals": {
        "datasets": {
            "ml-10m-top400": {"top_items": 20},
            "ml-10m-top400-part": {"top_items": 20, "users_share": 0.5},
            "ml-20m": {"heldout_users": 12},
        },
        "experiments": {
            **dict.fromkeys(DEFAULTS["dpals"]["experiments"]),
            "movielens_1m": {**FIT, "methods": ["als", "dpals"]},
            "movielens_10m": {**FIT, "methods": ["als", "dpals"]},
            "movielens_10m_part": FIT,
            "recall": {**FIT, "methods": ["popularity", "dpals"]},
        },
        "coverage": {"datasets": ["ml-10m"], "ratings_per_user": 50},
        "timing": {"users": [500, 600], "items": 200, "methods": ["als"], "repeats": 1},
    },
}
SMALL_MODELS = """variants,datasets,methods,epsilons,source,rank,iterations,ratings_per_user
,,als dpals dpals_literal,,a test,2,2,
,,dpals dpals_literal,,a test,,,10
"""
# the checksums of the made-up files in the place of the real ones, in every process of the run
PATCH = """
from dataclasses import replace
from dpmc.datasets.registry import REGISTRY
for name, digest in {digests!r}.items():
    REGISTRY[name] = replace(REGISTRY[name], sha256=digest)
"""


def lines(form, header=""):
    rng = np.random.default_rng(8)
    yield header
    for user in range(1, USERS + 1):
        for item in np.sort(rng.choice(ITEMS, EACH, replace=False)):
            half_stars = int(rng.integers(1, 11))
            stars = {"stars": half_stars / 2, "whole": (half_stars + 1) // 2}
            yield form.format(user=user, item=item + 1, **stars)


FILES = {
    "ml-1m": ("ml-1m/ratings.dat", lines("{user}::{item}::{whole}::978300760\n")),
    "ml-10m": ("ml-10M100K/ratings.dat", lines("{user}::{item}::{stars:g}::838985046\n")),
    "ml-20m": (
        "ml-20m/ratings.csv",
        lines("{user},{item},{stars:.1f},1112486027\n", "userId,movieId,rating,timestamp\n"),
    ),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The target `dpals` with both overlays, in a folder of its own."""
    folder = tmp_path_factory.mktemp("large")
    digests = {}
    for name, (member, text) in FILES.items():
        path = folder / "mirror" / name / f"{name}.zip"
        path.parent.mkdir(parents=True)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(member, "".join(text))
        digests[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "sitecustomize.py").write_text(PATCH.format(digests=digests))
    (folder / "models.csv").write_text(SMALL_MODELS)
    own = {"data": {"mirror": str(folder / "mirror")}, "dpals": {"hyperparameters": "models.csv"}}
    overlay = merge(merge(load(HOME / "config" / "large.yaml"), TINY), own)
    workspace = Workspace(folder, overlay)
    workspace.run("dpals", PYTHONPATH=str(folder))
    return folder / "results"


def test_every_cell_of_the_files_has_its_trials(run):
    trials = pd.read_csv(run / "dpals" / "trials.csv")
    counts = trials.groupby(["dataset", "method"]).size().to_dict()
    assert counts == {
        ("ml-1m", "als"): 2, ("ml-1m", "dpals"): 6,
        ("ml-10m", "als"): 2, ("ml-10m", "dpals"): 6,
        ("ml-10m-top400", "als"): 2, ("ml-10m-top400", "dpals"): 6,
        ("ml-10m-top400-part", "dpals"): 6, ("ml-10m-top400-part", "dpals_literal"): 6,
        ("ml-20m", "popularity"): 2, ("ml-20m", "dpals"): 6,
    }  # fmt: skip
    errors = trials[trials["dataset"] != "ml-20m"]["rmse"]
    assert errors.gt(0).all()
    assert trials[trials["dataset"] == "ml-20m"]["recall"].between(0, 1).all()
    whole = trials[trials["dataset"] == "ml-10m"]
    assert (whole["users"].unique() == [USERS]).all()
    assert (whole["items"].unique() == [ITEMS]).all()


def test_claims_about_the_files_are_judged_and_the_page_is_made(run):
    claims = pd.read_csv(run / "dpals" / "claims.csv").set_index("id")["verdict"]
    for name in ("D10", "D11", "D12", "D19", "D20"):
        assert claims[name] != NOT_RUN
    assert claims["D7"] == NOT_RUN  # no private SVD in the tiny grid
    assert (run / "dpals" / "report" / "study-dpals.html").is_file()

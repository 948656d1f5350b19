"""The grid of private factorisation: its cells and settings, what is refused, what fits import."""

import copy
import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from dpmc.errors import InputError
from dpmc_studies.configuration import load, merge
from dpmc_studies.frame import api
from dpmc_studies.frame.checking.check import lacking_data
from dpmc_studies.frame.jobs.digest import closure_of, source_file
from dpmc_studies.frame.jobs.hyperparameters import Hyperparameters, load_hyperparameters
from dpmc_studies.frame.jobs.job import function
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.studies.dpals import STUDY
from dpmc_studies.studies.dpals import settings as grid
from dpmc_studies.studies.dpals.cells import DpalsCell
from dpmc_studies.studies.dpals.check import check_dpals

CONFIG = Path(__file__).parents[4] / "config"
SYNTHETIC = {"users": 90, "items": 20, "rank": 2, "ratings_factor": 2, "test_entries": 50}
SYNTHETIC |= {"rating_range": [-6, 6]}
SPLIT = {"training_share": 0.8, "test_share": 0.1, "rating_range": [1, 5]}
ROWS = [
    {"methods": ["als", "dpals"], "settings": {"rank": 2, "iterations": 4}, "source": "[own]"},
    {"methods": ["dpals"], "settings": {"ratings_per_user": 30}, "source": "[own]"},
    {"methods": ["dpals"], "datasets": ["drawn"], "epsilons": [5], "variants": ["standard"],
     "settings": {"rank": 3}, "source": "[own]"},
]  # fmt: skip
DPALS = {
    "seed": 3,
    "delta": 1e-5,
    "large": False,
    "hyperparameters": Hyperparameters(ROWS),
    "datasets": {
        "drawn": SYNTHETIC,
        "ml-100k": SPLIT,
        "ml-10m-top": SPLIT | {"of": "ml-10m", "top_items": 4},
        "jester-part": SPLIT | {"of": "jester", "users": 50, "rescale": [0, 5]},
        "ml-20m": {"split": "liang", "heldout_users": 10, "rating_range": [0.5, 5]},
    },
    "experiments": {
        "tradeoff": {
            "datasets": ["drawn", "ml-10m-top"],
            "methods": ["trivial", "als", "dpals"],
            "epsilons": [1, 5],
            "trials": 3,
        },
        "steps": {
            "datasets": ["drawn"],
            "methods": ["als", "dpals"],
            "epsilons": [1],
            "trials": 2,
            "by_iteration": True,
            "variants": {"long": {"iterations": 9}, "longer": {"iterations": 12}},
        },
        "jester": {"datasets": ["jester-part"], "methods": ["als"], "epsilons": [], "trials": 1},
        "recall": {
            "datasets": ["ml-20m"],
            "methods": ["popularity", "dpals"],
            "epsilons": [1],
            "trials": 1,
            "large": True,
        },
    },
    "coverage": {"datasets": ["ml-100k"], "ratings_per_user": 7},
    "timing": {"users": [50], "items": 10, "rank": 2, "ratings_factor": 2, "repeats": 1}
    | {"methods": ["als", "dpals"]},
    "tuning": {"seed": 4, "datasets": ["drawn"], "trials": 1, "candidates": 2},
    "accounting": {"points": [[1, 50, 2]]},
}


def prepared(section):
    """Return the section with its cells, as the study prepares it."""
    return section | {"cells": grid.dpals_cells(section)}


GRID = prepared(DPALS)


def cell(method="dpals", epsilon=1.0, dataset="drawn", variant="standard"):
    return DpalsCell(dataset, method, variant, epsilon)


def changed(*path, to):
    """Return the section with the value at a path replaced, or a new one there."""
    place = section = copy.deepcopy(DPALS)
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return section


def curves_of(section):
    """Return the curves of a section: their coordinates to their cells and settings."""
    study = replace(STUDY, prepare=lambda section, own_sets: prepared(section))
    configuration = {"dpals": section, "data": {"sets": {}}}
    return Plan("results", configuration, {"dpals": study}).jobs(study, STUDY.job("fit"))


def test_epsilons_of_a_curve_may_have_other_trials_and_hyperparameters():
    more = {"datasets": ["drawn"], "methods": ["dpals"], "epsilons": [2], "trials": 7}
    curves = curves_of(changed("experiments", "nothing", to=more))
    cells = curves["drawn", "dpals", "standard"]
    assert [(each.epsilon, own["trials"]) for each, own in cells.items()] == [
        (1, 3),
        (5, 3),
        (2, 7),
    ]
    assert [own["model"]["rank"] for own in cells.values()] == [2, 3, 2]
    assert len(curves) == len(curves_of(DPALS))


def test_later_rows_and_then_variants_override():
    assert grid.dpals_settings(GRID, cell(epsilon=5.0))["model"]["rank"] == 3
    assert grid.dpals_settings(GRID, cell(epsilon=5.0, dataset="ml-10m-top"))["model"]["rank"] == 2
    assert grid.dpals_settings(GRID, cell("trivial", None))["model"] == {}
    assert grid.dpals_settings(GRID, cell(variant="long"))["model"]["iterations"] == 9


RECALL = DPALS["experiments"]["recall"] | {"large": False}


def row(method, settings):
    """The hyper-parameters with one more row."""
    return Hyperparameters([*ROWS, {"methods": [method], "settings": settings, "source": "[own]"}])


def test_a_sound_grid_passes_and_two_experiments_may_not_share_a_cell():
    check_dpals(DPALS, {})
    check_dpals(changed("large", to=True), {})
    again = changed("experiments", "nothing", to=DPALS["experiments"]["tradeoff"])
    with pytest.raises(InputError, match=r"tradeoff and \.nothing share the cell drawn, trivial"):
        check_dpals(again, {})


@pytest.mark.parametrize(
    ("path", "to", "message"),
    [
        (("experiments", "tradeoff", "datasets"), ["drwan"], "did you mean 'drawn'"),
        (("experiments", "tradeoff", "methods"), ["dplas"], "There is no method 'dplas'"),
        (("coverage", "datasets"), ["mde"], "There is no data set in dpals.datasets 'mde'"),
        (("coverage", "datasets"), ["drawn"], "has drawn, drawn or a part"),
        (("coverage", "datasets"), ["ml-10m-top"], "has ml-10m-top, drawn or a part"),
        (("tuning", "datasets"), ["drwan"], "did you mean 'drawn'"),
        (("timing", "methods"), ["asl"], "There is no method 'asl'"),
        (("datasets", "jester-part", "of"), "jestr", "There is no data set 'jestr'"),
        (("datasets", "jestr"), SPLIT, "There is no data set 'jestr'"),
        (("experiments", "tradeoff", "methods"), ["popularity"], "predicts no ratings"),
        (("experiments", "steps", "variants"), {"a": {"iteratons": 3}}, "mean 'iterations'"),
        (("experiments", "steps", "variants"), {"a": {"iterations": 0}}, "drawn, als, a, none: "),
        (("experiments", "steps", "variants"), {"a": {"rank": 21}}, "rank 21 is more than"),
        (("experiments", "tradeoff", "methods"), ["als_sampled"], "needs ratings_per_user"),
        (("experiments", "tradeoff", "methods"), ["dpfw"], "dpfw needs row_bound, nuclear_bound"),
        (("timing", "methods"), ["dpfw"], "dpals.timing: dpfw needs row_bound"),
        (("experiments", "recall"), RECALL | {"methods": ["als"]}, "rankings for users held out"),
        (("hyperparameters",), row("trivial", {"rank": 2}), r"setting of trivial (row 4"),
        (("hyperparameters",), row("dpals_h_free", {"gram": "free"}), r"no setting of dpals_h_f"),
    ],
)  # fmt: skip
def test_what_could_not_run_is_refused(path, to, message):
    section = changed(*path, to=to)
    if path[0] != "hyperparameters":
        section |= {"hyperparameters": row("als_sampled", {"rank": 1})}
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        check_dpals(section, {})


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        (
            "projected_3",
            {"item_regularization": 2},
            "item_regularization is 3.0, its settings say 2",
        ),
        ("projected_3", {"item_regularization": 3, "projection": False}, "projection is True"),
        ("none_3", {"item_regularization": 3}, "projection is False, its settings say nothing"),
        ("adaptive_0.2", {"item_share": 0.2}, "sampling is adaptive, its settings say nothing"),
        ("none_3", {"item_regularization": 3, "projection": False}, None),
        ("uniform_1", {"item_share": 1.0, "sampling": "uniform", "counts_share": 0}, None),
    ],
)
def test_the_name_of_a_variant_says_what_its_settings_are(name, given, message):
    experiment = DPALS["experiments"]["steps"] | {"methods": ["dpals"], "variants": {name: given}}
    section = changed("experiments", "steps", to=experiment)
    if message is None:
        check_dpals(section, {})
    else:
        with pytest.raises(InputError, match=rf"drawn, dpals, {name}, 1: .*{message}"):
            check_dpals(section, {})


def test_a_table_has_rows_with_values_as_in_yaml(tmp_path):
    (tmp_path / "table.csv").write_text(
        "# a comment, with a comma\n"
        "variants,datasets,methods,epsilons,source,rank,bound,offsets,users\n"
        "a b,drawn,als dpals,1 0.5,[own],2,1.0e-03,true,\n"
        "# another\n"
        ',,,,"[search], on all",,.inf,,null\n'
    )
    meant = yaml.safe_load("""
- variants: [a, b]
  datasets: [drawn]
  methods: [als, dpals]
  epsilons: [1, 0.5]
  source: "[own]"
  settings: {rank: 2, bound: 1.0e-3, offsets: true}
- {source: "[search], on all", settings: {bound: .inf, users: null}}
""")
    found = load_hyperparameters(tmp_path / "table.csv")
    assert found == meant
    with pytest.raises(InputError, match="cannot be read"):
        load_hyperparameters(tmp_path / "none.csv")
    assert [type(value) for value in found[0]["settings"].values()] == [int, float, bool]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "needs the columns"),
        ("variants,datasets,methods,source\n", "needs the columns"),
        ("variants,datasets,methods,epsilons,source,rank,rank\n", "each once"),
        (
            "variants,datasets,methods,epsilons,source,rank\n,,als,,x\n",
            "row 1 needs a source and 6",
        ),
        ("variants,datasets,methods,epsilons,source,rank\n,,als,,,2\n", "row 1 needs a source"),
        ("variants,datasets,methods,epsilons,source,rank\n,,als,,x,[\n", "is not valid"),
    ],
)
def test_a_table_in_csv_with_a_mistake_is_refused(tmp_path, text, message):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_hyperparameters(path)


# -- the study ----------------------------------------------------------------------------------


def test_every_large_job_can_be_described():
    """Those of the profiles are in the tests of every study."""
    section = STUDY.section(merge(load(CONFIG / "config.yaml"), load(CONFIG / "large.yaml")))
    for job in STUDY.jobs:
        function(job.run)
        for place in STUDY.cells(job, section):
            assert not any(set(text) & set("/~") for text in place.formatted().values())
            json.dumps(job.settings(section, place))
            assert all(source_file(name) for name in job.modules(section, place))
            for name, source in job.inputs(section, place).items():
                assert name == "ratings"
                assert isinstance(source, api.RatingsOf)


def test_fits_do_not_depend_on_tuning_tables_or_the_registry_of_data_sets():
    """Editing these must not run the trials again."""
    closure = closure_of([STUDY.job("fit").run.partition(":")[0]])
    others = {name for name in closure if name.startswith("dpmc_studies.studies.")}
    assert others == {
        f"dpmc_studies.studies.dpals.{name}"
        for name in ("trial", "cells", "data", "methods", "recall")
    }
    assert "dpmc.datasets.registry" not in closure


def test_what_is_made_of_data_that_could_not_be_had_is_lacking_too():
    cells = {
        "dataset=part, method=als, variant=standard": {"data.of": "jester"},
        "dataset=other, method=als, variant=standard": {"data.of": "ml-10m"},
        "dataset=drawn, method=als, variant=standard": {"data.rank": 2},
    }
    made_of = STUDY.regression.made_of
    assert lacking_data(["jester"], cells, made_of) == ["jester", "part"]
    assert lacking_data([], cells, made_of) == []
    assert lacking_data(["jester"], cells, None) == ["jester"]

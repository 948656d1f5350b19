import copy
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc import configuration
from dpmc.errors import InputError
from dpmc.studies.huber.cells import Cell, huber_cells

HOME = Path(__file__).parents[1]
SCHEMA = HOME / "workflow" / "schemas" / "config.schema.yaml"
DEFAULTS = configuration.load(HOME / "config" / "config.yaml")


def laid_over(**huber):
    return configuration.merge(DEFAULTS, {"huber": huber})


def refused(configured):
    with pytest.raises(InputError) as caught:
        configuration.checked(configured, SCHEMA)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_defaults_and_overlays_pass():
    for overlay in ([], ["quick.yaml"], ["ci.yaml"], ["large.yaml"]):
        paths = [HOME / "config" / name for name in overlay]
        loaded = configuration.load(HOME / "config" / "config.yaml", paths)
        checked = configuration.checked(loaded, SCHEMA)
        configuration.check_grid(checked)


def test_quick_needs_no_data():
    quick = configuration.load(HOME / "config" / "config.yaml", [HOME / "config" / "quick.yaml"])
    assert configuration.checked(quick, SCHEMA)["huber"]["real"] == {}


def test_every_key_is_explained_and_has_a_source():
    """The schema, the defaults and config/README.md must not drift apart."""
    schema = yaml.safe_load(SCHEMA.read_text())
    readme = (HOME / "config" / "README.md").read_text()
    for section in ("data", "huber", "privacy", "onebit", "dpals", "report"):
        keys = schema["properties"][section]["properties"]
        assert set(keys) == set(DEFAULTS[section])
        for key in keys:
            assert f"`{key}" in readme, f"config/README.md does not explain {section}.{key}"
    for line in (HOME / "config" / "config.yaml").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() and not name.startswith("#") and value.partition("#")[0].strip():
            column = name.strip().startswith("- {solver")
            merge = name.strip() == "<<"
            assert column or merge or re.search(r"# \[(P|T|L|C|J|A|fit|own)[ \]]", line), (
                f"no source: {line}"
            )


def test_unknown_keys_are_refused_with_the_nearest_spelling():
    assert "did you mean 'variances'" in refused(laid_over(variancess=[1]))
    assert "did you mean 'huber'" in refused(DEFAULTS | {"hubber": {}})
    nested = laid_over(synthetic={"user": 3})
    assert "huber.synthetic.user" in refused(nested)
    assert "did you mean 'users'" in refused(nested)


def test_unknown_key_of_a_data_set():
    message = refused(laid_over(real={"ml-100k": {"iteration": 3}}))
    assert "huber.real.ml-100k.iteration" in message
    assert "did you mean 'iterations'" in message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"trials": 0}, ["huber.trials", "at least 1", "0"]),
        ({"trials": 2.5}, ["huber.trials", "integer", "2.5"]),
        ({"ranks": []}, ["huber.ranks"]),
        ({"ranks": [5, 5]}, ["huber.ranks", "twice"]),
        ({"observed_fractions": [1.5]}, ["huber.observed_fractions.0", "below 1", "1.5"]),
        ({"regularization": 0}, ["huber.regularization", "above 0"]),
        ({"start": "norml"}, ["huber.start", "normal, uniform", "norml"]),
        ({"loss_parameter": -1}, ["huber.loss_parameter", "noise or a number above 0", "-1"]),
        ({"loss_parameter": "noize"}, ["noise or a number above 0", "'noize'", "mean 'noise'"]),
        ({"loss_parameter": [1]}, ["must be noise or a number above 0, got [1]"]),
        ({"replication_seed": "x"}, ["must be a whole number of at least 0 or null, got 'x'"]),
        ({"real": {"ml-100k": 5}}, ["must be null or a mapping of keys to values, got 5"]),
        ({"replication_seed": 2206}, ["replication_seed", "2206", "null"]),
        ({"overrides": [{"where": {"rank": 5}, "set": {"lambda": 1}}]}, ["overrides.0", "lambda"]),
    ],
)
def test_bad_values_are_named(change, words):
    message = refused(laid_over(**change))
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"links": ["logit"]}, ["onebit.links.0", "gaussian, logistic", "logit"]),
        ({"baselines": ["clear"]}, ["onebit.baselines.0", "zero, majority, item_bias"]),
        ({"grap": {"iterations": 0}}, ["onebit.grap.iterations", "at least 1"]),
        (
            {"datasets": {"ml-100k": {"threshold": "men"}}},
            ["ml-100k.threshold must be mean or a number, got 'men' (did you mean 'mean'?)"],
        ),
        ({"datasets": {"synthetic": {"rank": 0}}}, ["onebit.datasets.synthetic.rank"]),
        (
            {"experiments": {"budgets": {"constraint": "box"}}},
            ["onebit.experiments.budgets.constraint", "nuclear, both"],
        ),
        (
            {"experiments": {"budgets": {"epsilons": [0]}}},
            ["onebit.experiments.budgets.epsilons.0", "above 0"],
        ),
        (
            {"experiments": {"movielens": {"observed_shares": [1]}}},
            ["onebit.experiments.movielens.observed_shares.0", "below 1"],
        ),
    ],
)
def test_bad_values_of_the_one_bit_part_are_named(change, words):
    message = refused(configuration.merge(DEFAULTS, {"onebit": change}))
    for word in words:
        assert word in message


def test_missing_key():
    configured = copy.deepcopy(DEFAULTS)
    del configured["huber"]["trials"]
    assert "huber.trials is missing" in refused(configured)


def test_the_name_synthetic_is_taken():
    assert "synthetic" in refused(
        configuration.merge(DEFAULTS, {"data": {"sets": {"synthetic": {"path": "x.csv"}}}})
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"solvers": ["asl"]}, ["asl", "als"]),
        ({"mechanisms": ["hubber"]}, ["hubber", "huber"]),
        ({"variances": [0.5]}, ["0.5"]),
        (
            {"real": {"ml-100kk": None, "sweetrz": DEFAULTS["huber"]["real"]["sweetrs"]}},
            ["sweetrs"],
        ),
        (
            {"overrides": [{"where": {"rank": 99}, "set": {"start": "uniform"}}]},
            ["overrides.0", "changes nothing"],
        ),
        (
            {"overrides": [{"where": {"solver": "als"}, "set": {"loss_parameter": 2}}]},
            ["overrides.0", "changes nothing"],
        ),
    ],
)
def test_a_grid_that_cannot_run_is_refused_before_it_runs(change, words):
    checked = configuration.checked(laid_over(**change), SCHEMA)
    with pytest.raises(InputError) as caught:
        configuration.check_grid(checked)
    for word in words:
        assert word in str(caught.value)


def test_settings_hold_what_a_cell_uses_and_nothing_else():
    huber = DEFAULTS["huber"]
    als = Cell("synthetic", 5, 1.0, 0.1, "als", "huber", None)
    assert set(configuration.cell_settings(huber, als)) == {
        "seed", "trials", "users", "items", "scale", "regularization", "iterations", "start",
    }  # fmt: skip
    irls = configuration.cell_settings(huber, Cell("sweetrs", 32, 1.0, 0.1, "irls", "huber", 20))
    assert irls["iterations"] == 100
    assert irls["training_share"] == 0.1
    assert "users" not in irls
    movielens = Cell("ml-100k", 32, None, 0.051, "item_bias", "none", None)
    assert configuration.cell_settings(huber, movielens) == {
        "seed": 2206, "trials": 10, "training_share": 0.8, "shrinkage": 5,
    }  # fmt: skip


def test_an_override_touches_exactly_its_cells():
    where = {"rank": 5, "variance": 2, "observed_fraction": 0.1, "solver": "irls"}
    changed = laid_over(
        overrides=[{"where": where | {"mechanism": "huber"}, "set": {"regularization": 0.4}}]
    )["huber"]
    different = [
        cell
        for cell in huber_cells(changed)
        if configuration.cell_settings(changed, cell)
        != configuration.cell_settings(DEFAULTS["huber"], cell)
    ]
    assert different == [Cell("synthetic", 5, 2.0, 0.1, "irls", "huber", 20)]


def test_load_says_what_is_wrong(tmp_path):
    with pytest.raises(InputError, match="no configuration file"):
        configuration.load(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("a: [1\nb: 2\n")
    with pytest.raises(InputError, match="line 2 is not valid YAML"):
        configuration.load(tmp_path / "bad.yaml")
    (tmp_path / "list.yaml").write_text("- 1\n")
    with pytest.raises(InputError, match="sections"):
        configuration.load(tmp_path / "list.yaml")


trees = st.recursive(
    st.integers() | st.none(),
    lambda inner: st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
)


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcd"), trees), st.dictionaries(st.sampled_from("abcd"), trees)
)
def test_merge_keeps_what_is_not_named_and_takes_what_is(base, overlay):
    before = copy.deepcopy(base)
    merged = configuration.merge(base, overlay)
    assert base == before
    assert set(merged) == set(base) | set(overlay)
    assert configuration.merge(merged, overlay) == merged
    assert configuration.merge(base, {}) == base


def test_what_is_left_out_stays_out_under_an_overlay():
    base = {"experiments": {"large": None, "budgets": {"draws": 40, "epsilons": [1, 2]}}}
    overlay = {"experiments": {"large": {"draws": 2}, "budgets": {"draws": 3}}, "seed": 7}
    kept = configuration.left_out_stays_out(base, overlay)
    assert configuration.merge(base, kept) == {
        "experiments": {"large": None, "budgets": {"draws": 3, "epsilons": [1, 2]}},
        "seed": 7,
    }


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from(sorted(DEFAULTS["huber"])),
    st.text(min_size=1) | st.integers(-5, 0) | st.lists(st.integers(), max_size=2) | st.none(),
)
def test_any_change_of_a_key_is_accepted_or_refused_in_one_sentence(key, value):
    configured = copy.deepcopy(DEFAULTS)
    configured["huber"][key] = value
    try:
        configuration.checked(configured, SCHEMA)
        message = key
    except InputError as error:
        message = str(error)
    assert "\n" not in message
    assert key in message

"""The configuration is checked as a whole: what cannot run is refused in one sentence."""

import copy
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from dpmc.errors import InputError
from dpmc_studies import configuration, studies
from dpmc_studies.frame.api import Study
from dpmc_studies.frame.jobs.plan import Plan, plans
from dpmc_studies.frame.jobs.plan import configured as runs_of
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments.grid import cell_settings, huber_cells
from dpmc_studies.yaml_files import QUICK

HOME = Path(__file__).parents[2]
STUDIES = studies.load()
SHARED = ("data", "report")
DEFAULTS = configuration.load(HOME / "config" / "config.yaml")


def laid_over(**huber):
    return configuration.merge(DEFAULTS, {"huber": huber})


def refused(configured):
    with pytest.raises(InputError) as caught:
        configuration.checked(configured, STUDIES)
    message = str(caught.value)
    assert "\n" not in message
    return message


def not_prepared(configured):
    """The schema allows it, the Huber study does not."""
    checked = configuration.checked(configured, STUDIES)
    with pytest.raises(InputError) as caught:
        STUDIES["huber"].section(checked)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_defaults_and_overlays_pass():
    for overlay in ([], ["quick.yaml"], ["ci.yaml"], ["large.yaml"]):
        paths = [HOME / "config" / name for name in overlay]
        loaded = configuration.load(HOME / "config" / "config.yaml", paths)
        checked = configuration.checked(loaded, STUDIES)
        for study in STUDIES.values():
            assert study.section(checked)


def test_every_key_is_explained_and_has_a_source():
    """The schema, the defaults and config/README.md must not drift apart."""
    schema = configuration.schema_of(STUDIES)
    readme = (HOME / "config" / "README.md").read_text()
    assert set(schema["properties"]) == {"reference", "studies", *SHARED, *STUDIES}
    for section in (*SHARED, *STUDIES):
        keys = schema["properties"][section]["properties"]
        assert set(keys) == set(DEFAULTS[section])
        for key in keys:
            assert f"`{key}" in readme, f"config/README.md does not explain {section}.{key}"
    for line in (HOME / "config" / "config.yaml").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() and not name.startswith("#") and value.partition("#")[0].strip():
            column = name.strip().startswith("- {method")
            merge = name.strip() == "<<"
            assert column or merge or re.search(r"# \[(P|T|L|C|J|A|fit|own)[ \]]", line), (
                f"no source: {line}"
            )


def test_unknown_keys_are_refused_with_the_nearest_spelling():
    assert "did you mean 'variances'" in refused(laid_over(variancess=[1]))
    assert "did you mean 'huber'" in refused(DEFAULTS | {"hubber": {}})
    assert "did you mean 'onebit'" in refused(DEFAULTS | {"onebitt": {}})
    nested = laid_over(synthetic={"user": 3})
    assert "huber.synthetic.user" in refused(nested)
    assert "did you mean 'users'" in refused(nested)


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        ("onebit: {experiments: {movilens: null}}", "onebit.experiments.movilens .* 'movielens'"),
        ("hubber: null", "key hubber is null, .* mean 'huber'"),
    ],
)
def test_null_leaves_out_only_what_there_is(tmp_path, overlay, words):
    known, unknown = tmp_path / "known.yaml", tmp_path / "unknown.yaml"
    known.write_text("onebit: {experiments: {movielens: null}}")
    unknown.write_text(overlay)
    paths = HOME / "config" / "config.yaml", [known]
    assert configuration.load(*paths)["onebit"]["experiments"]["movielens"] is None
    with pytest.raises(InputError, match=words):
        configuration.load(paths[0], [known, unknown])
    with pytest.raises(InputError, match=words):
        plans(DEFAULTS, {}, unknown, STUDIES)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"trials": 0}, ["huber.trials: 0 is less than the minimum of 1."]),
        ({"trials": 2.5}, ["huber.trials must be a whole number of at least 1, got 2.5."]),
        ({"ranks": [5, 5]}, ["huber.ranks: [5, 5] has non-unique elements."]),
        ({"observed_fractions": [1.5]}, ["huber.observed_fractions.0: 1.5 is greater than"]),
        ({"start": "norml"}, ["'norml' is not one of ['normal', 'uniform'] (did you mean 'normal"]),
        ({"loss_parameter": -1}, ["huber.loss_parameter", "noise or a number above 0", "-1"]),
        ({"loss_parameter": "noize"}, ["noise or a number above 0", "'noize'", "mean 'noise'"]),
        ({"real": {"ml-100k": {"iteration": 3}}}, ["huber.real.ml-100k.iteration", "'iterations'"]),
        ({"loss_parameter": [1]}, ["must be noise or a number above 0, got [1]"]),
        ({"ranks": 5}, ["huber.ranks must be a list, such as [5], got 5."]),
        ({"ranks": []}, ["huber.ranks: [] should be non-empty."]),
        ({"trials": None}, ["key huber.trials is empty; it must be a whole number of at least 1."]),
        ({"real": None}, ["key huber.real is empty; it must be a mapping of keys to values."]),
        ({"real": {"a b": None}}, ["huber.real: 'a b' does not match "]),
        ({"trials": "many", "variances": [0]}, ["huber.trials must", "huber.variances.0: 0"]),
        ({"trails": 3, "rank": 5}, ["keys huber.trails (did you mean 'trials'?), huber.rank"]),
        ({"real": {"ml-100k": 5}}, ["must be null or a mapping of keys to values, got 5"]),
        ({"overrides": [{"where": {"rank": 5}, "set": {"lambda": 1}}]}, ["overrides.0", "lambda"]),
        ({"real": {"sweetrs": {"rank": 78}}}, ["huber.real.sweetrs.rank", "at most 77", "1476"]),
    ],
)
def test_bad_values_are_named(change, words):
    message = refused(laid_over(**change))
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"onebit": {"datasets": {"restaurant": {"ranks": [1, 131]}}}},
            "restaurant.ranks must be at most 130 for 138 users and 130 items, got 131.",
        ),
        ({"onebit": {"datasets": {"synthetic": {"rank": 101}}}}, "at most 100 for 100 users"),
        ({"equal_privacy": {"datasets": {"synthetic": {"rank": 101}}}}, "at most 100 for 100"),
        ({"dpals": {"datasets": {"synthetic-5k": {"rank": 1001}}}}, "at most 1000 for 5000 users"),
        ({"dpals": {"timing": {"rank": 1001}}}, "dpals.timing.rank must be at most 1000 for 5000"),
    ],
)
def test_a_rank_that_no_matrix_of_that_size_has(change, words):
    assert words in refused(configuration.merge(DEFAULTS, change))


def test_missing_key():
    configured = copy.deepcopy(DEFAULTS)
    del configured["huber"]["trials"]
    assert "huber.trials is missing" in refused(configured)


def test_the_name_synthetic_is_taken():
    taken = {"data": {"sets": {"synthetic": {"path": "x.csv"}}}}
    assert "must not be called 'synthetic'" in not_prepared(configuration.merge(DEFAULTS, taken))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"methods": ["asl"]}, ["asl", "als"]),
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
            {"overrides": [{"where": {"method": "als"}, "set": {"loss_parameter": 2}}]},
            ["overrides.0", "changes nothing"],
        ),
    ],
)
def test_a_grid_that_cannot_run_is_refused_before_it_runs(change, words):
    message = not_prepared(laid_over(**change))
    for word in words:
        assert word in message


def test_an_override_touches_exactly_its_cells():
    where = {"rank": 5, "variance": 2, "observed_fraction": 0.1, "method": "irls"}
    changed = laid_over(
        overrides=[{"where": where | {"mechanism": "huber"}, "set": {"regularization": 0.4}}]
    )["huber"]
    different = [
        cell
        for cell in huber_cells(changed)
        if cell_settings(changed, cell) != cell_settings(DEFAULTS["huber"], cell)
    ]
    assert different == [Cell("synthetic", 5, 2.0, 0.1, "irls", "huber", 20)]


def test_files_are_the_same_read_in_c_and_in_python():
    paths = [*HOME.glob("config/*.yaml"), *HOME.glob("src/**/*.yaml")]
    for path in paths:
        text = path.read_text("utf-8")
        assert yaml.load(text, Loader=QUICK) == yaml.load(text, Loader=yaml.SafeLoader), path


def test_changes_are_dotted_keys_with_what_is_there_now():
    base = {"a": {"b": 1, "c": [1], "gone": 2}, "d": 3}
    other = {"a": {"b": 1, "c": [1, 2], "new": {"x": 1}}, "d": 3}
    assert configuration.changes(base, other) == {"a.c": [1, 2], "a.gone": None, "a.new": {"x": 1}}
    assert configuration.changes(base, base) == {}


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


@settings(deadline=None)
@given(trees, trees)
def test_the_difference_laid_over_gives_what_differs(base, other):
    whole = configuration.merge({"a": base}, {"a": other})
    overlay = configuration.difference({"a": base}, whole)
    assert configuration.merge({"a": base}, overlay) == whole
    assert configuration.difference(whole, whole) == {}


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcd"), trees), st.dictionaries(st.sampled_from("abcd"), trees)
)
def test_an_overlay_without_what_another_sets_yields_to_it(overlay, other):
    kept = configuration.without(overlay, other)
    assert configuration.merge(other, kept) == configuration.merge(kept, other)
    assert configuration.without(overlay, {}) == overlay
    assert configuration.without(overlay, overlay) == {
        key: configuration.without(value, value)
        for key, value in overlay.items()
        if isinstance(value, dict)
    }


QUICK_RUN = HOME / "config" / "quick.yaml"


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({"trials": 6}, {"trials": 6, "ranks": [5]}),
        ({"trials": 100}, {"trials": 100, "ranks": [5]}),  # the default
        ({"seed": 7}, {"seed": 7, "trials": 5}),
        ({"convergence": {"variance": 1}}, {"convergence.rank": 5, "convergence.variance": 1}),
        ({"real": {"ml-100k": {"trials": 3}}}, {"real.ml-100k.trials": 3, "real.ml-100k.rank": 32}),
        ({"real": {"ml-100k": None}}, {"real.ml-100k": None}),
    ],
)
def test_what_users_set_wins_over_the_quick_run(own, expected):
    overlay = {"huber": own}
    runs = runs_of(configuration.merge(DEFAULTS, overlay), overlay, QUICK_RUN)
    for key, value in expected.items():
        found = runs["results/quick"]["huber"]
        for name in key.split("."):
            found = found[name]
        assert found == value, key
    assert runs["results"] == configuration.merge(DEFAULTS, overlay)


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from(sorted(DEFAULTS["huber"])),
    st.text(min_size=1) | st.integers(-5, 0) | st.lists(st.integers(), max_size=2) | st.none(),
)
def test_any_change_of_a_key_is_accepted_or_refused_in_one_sentence(key, value):
    configured = {name: part for name, part in DEFAULTS.items() if name not in STUDIES}
    configured["huber"] = copy.deepcopy(DEFAULTS["huber"]) | {key: value}
    try:
        configuration.checked(configured, {"huber": STUDIES["huber"]})
        message = key
    except InputError as error:
        message = str(error)
    assert "\n" not in message
    assert key in message


def mappings(value, path=()):
    """Paths of all mappings of a configuration."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from mappings(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from mappings(inner, (*path, place))


# mappings of the user's own names: data sets by their names, and what is set for each
NAMED_BY_THE_USER = {
    ("data", "sets"), ("huber", "real"), ("equal_privacy", "datasets"), ("onebit", "datasets"),
    ("onebit", "experiments"), ("dpals", "datasets"), ("dpals", "experiments"),
    ("which_model", "ranking", "likes_from"),
}  # fmt: skip
CLOSED = [path for path in mappings(DEFAULTS) if path not in NAMED_BY_THE_USER]


@settings(deadline=None, max_examples=40, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.sampled_from(CLOSED), st.from_regex("[a-z]{3,8}_zz", fullmatch=True))
@example(("dpals", "experiments", "recall_items", "variants", "adaptive_1"), "rnak_zz")
def test_an_unknown_key_anywhere_is_refused_in_one_sentence(path, key):
    configured = copy.deepcopy(DEFAULTS)
    place = configured
    for step in path:
        place = place[step]
    place[key] = 1
    with pytest.raises(InputError) as caught:
        # what the method of a variant takes is known to the study alone
        Plan("results", configuration.checked(configured, STUDIES), STUDIES)
    message = str(caught.value)
    assert "\n" not in message
    assert key in message
    assert message.endswith(".")


def outside(tmp_path, schema):
    """A study from outside of the package."""
    path = tmp_path / "schema.yaml"
    path.write_text(schema)
    return Study("mine", "Mine", (), (), "mine:chapter", schema=path)


SCHEMA = """
type: object
additionalProperties: false
required: [trials]
properties:
  trials: {$ref: "#/$defs/count"}
  share: {$ref: "#/$defs/mine_share"}
$defs:
  mine_share: {type: number, minimum: 0, maximum: 1}
"""


def test_a_study_from_outside_brings_its_schema(tmp_path):
    known = STUDIES | {"mine": outside(tmp_path, SCHEMA)}
    section = {"trials": 3, "share": 0.5}
    assert configuration.checked(DEFAULTS | {"mine": section}, known)["mine"] == section
    with pytest.raises(InputError, match="mine"):
        configuration.checked(DEFAULTS, known)
    for section, words in [
        ({"trials": 3, "trial": 3}, ["mine.trial", "did you mean 'trials'"]),
        ({"trials": 0}, ["mine.trials", "minimum of 1"]),
        ({"trials": 3, "share": 2}, ["mine.share", "2"]),
    ]:
        with pytest.raises(InputError) as caught:
            configuration.checked(DEFAULTS | {"mine": section}, known)
        assert all(word in str(caught.value) for word in words)

"""The registry's entries, and the entry that makes a user's own file a data set."""

from pathlib import Path

import pytest

from dpmc.datasets import REGISTRY, from_entry, read, resolve
from dpmc.errors import InputError
from dpmc.publication.reading import Reading
from dpmc_studies.datasets.download import DataNotAvailable, available, obtain, verify

WITHDRAWN = {name: each for name, each in REGISTRY.items() if each.withdrawn}


NEW = ("inst-eval", "bfi", "filmtrust", "lastfm")  # optional: a mirror may lack them


@pytest.mark.parametrize("dataset", WITHDRAWN.values(), ids=list(WITHDRAWN))
def test_data_that_nobody_may_have_any_more_say_so(dataset, tmp_path):
    assert not available(dataset, tmp_path, tmp_path)
    for act in (
        lambda: obtain(dataset, tmp_path, mirror=tmp_path),
        lambda: verify(dataset, dataset.location(tmp_path)),
    ):
        with pytest.raises(DataNotAvailable, match=r"no longer public.*data: sets:"):
            act()
    with pytest.raises(InputError, match="no longer public") as caught:
        read(dataset, tmp_path)
    assert ". " not in str(caught.value)
    assert dataset.citation


@pytest.mark.parametrize("name", ["ml-100k", "sweetrs", "restaurant", "jester", *NEW])
def test_sizes_and_checksums_are_those_of_the_files(name, mirror):
    dataset = REGISTRY[name]
    path = dataset.location(mirror)
    if name in NEW and not path.exists():
        pytest.skip(f"the mirror has no {path}")
    verify(dataset, path)
    assert path.stat().st_size == dataset.size


def test_resolve_finds_registered_and_own_sets(tmp_path):
    own = {"mine": {"path": "my.csv"}}
    assert resolve("jester", own) is REGISTRY["jester"]
    mine = resolve("mine", own, tmp_path)
    assert mine.is_own
    assert mine.location("data") == tmp_path / "my.csv"
    with pytest.raises(InputError, match="no data set 'mines' \\(did you mean 'mine'"):
        resolve("mines", own)


def test_entry_with_every_key():
    columns = {"user": "who", "item": "what", "rating": "how"}
    entry = {"path": "/my.parquet", **columns, "rating_range": [1, 5], "sha256": "AB" * 32}
    dataset = from_entry("mine", entry, "elsewhere")
    assert dataset.reading == Reading(**columns)
    assert dataset.rating_range == (1.0, 5.0)
    assert dataset.sha256 == "ab" * 32
    assert dataset.location("data") == Path("/my.parquet")


@pytest.mark.parametrize(
    ("name", "entry", "message"),
    [
        (
            "mine",
            {"path": "my.csv", "ratings": "r"},
            "no key in data.sets.mine: 'ratings' (did you mean 'rating'",
        ),
        ("mine", {"path": 7}, "got 7"),
        ("mine", {"path": "my.csv", "separator": "é"}, "data.sets.mine.separator must be one or"),
        ("mine", "my.csv", "must be a mapping"),
        ("mine", {"path": "my.csv", "user": ""}, "data.sets.mine.user must be a text that is"),
        ("mine", {"path": "my.csv", "user": "a", "item": "a"}, "must be different columns"),
        ("mine", {"path": "my.csv", "rating_range": [5, 1]}, "rating_range must be [lowest, high"),
        ("mine", {"path": "my.csv", "rating_range": "15"}, "rating_range must be"),
        ("mine", {"path": "my.csv", "rating_range": [0, float("inf")]}, "rating_range must be"),
        ("mine", {"path": "my.csv", "sha256": "123"}, "64 hexadecimal digits, got '123'"),
        ("ml-100k", {"path": "my.csv"}, "the name 'ml-100k' is taken"),
        ("my/set", {"path": "my.csv"}, "the name 'my/set' must start with"),
        (3, {"path": "my.csv", "user": 3}, "data.sets.3.user"),
    ],
)
def test_bad_entries_are_refused_in_one_sentence(name, entry, message):
    with pytest.raises(InputError) as caught:
        from_entry(name, entry)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

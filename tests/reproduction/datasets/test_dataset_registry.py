"""The registry's entries, and the entry that makes a user's own file a data set."""

import re
from pathlib import Path

import pytest

from dpmc.datasets import REGISTRY, from_entry, read, resolve
from dpmc.datasets.readers import READERS
from dpmc.errors import InputError
from dpmc.publication.reading import Reading
from dpmc_studies.datasets.download import DataNotAvailable, available, obtain, verify

WITHDRAWN = {name: each for name, each in REGISTRY.items() if each.withdrawn}
ENTRIES = {name: each for name, each in REGISTRY.items() if not each.withdrawn}


@pytest.mark.parametrize("dataset", ENTRIES.values(), ids=list(ENTRIES))
def test_entries_are_complete(dataset):
    assert re.fullmatch(r"[0-9a-f]{64}", dataset.sha256)
    assert dataset.url.startswith("https://")
    assert dataset.reader in READERS
    if not dataset.fields:  # else a table of numbers, of which copies differ in what is not read
        assert dataset.size > 0
        assert dataset.rating_range[0] < dataset.rating_range[1]
    assert dataset.licence
    assert dataset.citation
    assert not Path(dataset.file).is_absolute()
    assert dataset.location("data") == Path("data") / dataset.file
    assert not dataset.is_own


NEW = ("inst-eval", "bfi", "filmtrust", "lastfm")  # optional: a mirror may lack them


def test_names_and_files_differ():
    names = ["ml-100k", "ml-100k-films", "sweetrs", "restaurant", "jester"]
    names += ["inst-eval", "bfi", "filmtrust", "lastfm", "ml-1m", "ml-10m", "ml-20m"]
    assert list(ENTRIES) == names
    assert list(WITHDRAWN) == ["netflix", "yahoo-music"]
    assert len({dataset.file for dataset in ENTRIES.values()}) == len(ENTRIES)


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


@pytest.mark.parametrize(("name", "hint"), [("ml100k", "ml-100k"), ("mines", "mine")])
def test_resolve_suggests_the_nearest_name(name, hint):
    with pytest.raises(InputError, match=f"no data set '{name}' \\(did you mean '{hint}'"):
        resolve(name, {"mine": {"path": "my.csv"}})


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
        ("mine", {}, "data.sets.mine.path must be a text"),
        ("mine", {"path": 7}, "got 7"),
        ("mine", {"path": "my.csv", "separator": "é"}, "data.sets.mine.separator must be one or"),
        ("mine", "my.csv", "must be a mapping"),
        ("mine", {"path": "my.csv", "user": 3}, "data.sets.mine.user must be a text"),
        ("mine", {"path": "my.csv", "user": ""}, "data.sets.mine.user must be a text that is"),
        ("mine", {"path": "my.csv", "user": "a", "item": "a"}, "must be different columns"),
        ("mine", {"path": "my.csv", "rating_range": [5, 1]}, "rating_range must be [lowest, high"),
        ("mine", {"path": "my.csv", "rating_range": [1, 1]}, "rating_range must be"),
        ("mine", {"path": "my.csv", "rating_range": [1]}, "rating_range must be"),
        ("mine", {"path": "my.csv", "rating_range": 5}, "rating_range must be"),
        ("mine", {"path": "my.csv", "rating_range": "15"}, "rating_range must be"),
        ("mine", {"path": "my.csv", "rating_range": [0, float("inf")]}, "rating_range must be"),
        ("mine", {"path": "my.csv", "sha256": "123"}, "64 hexadecimal digits, got '123'"),
        ("ml-100k", {"path": "my.csv"}, "the name 'ml-100k' is taken"),
        ("synthetic", {"path": "my.csv"}, "the name 'synthetic' is taken"),
        ("my/set", {"path": "my.csv"}, "the name 'my/set' must start with"),
        (3, {"path": "my.csv", "user": 3}, "data.sets.3.user"),
    ],
)
def test_bad_entries_are_refused_in_one_sentence(name, entry, message):
    with pytest.raises(InputError) as caught:
        from_entry(name, entry)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

"""Where raw files come from: local copy, mirror, a web server that misbehaves in every way."""

import hashlib
import io
import socket
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from dpmc.datasets import Dataset
from dpmc.datasets.registry import check_own_files
from dpmc.errors import InputError
from dpmc_studies.datasets.download import DataNotAvailable, locate, obtain, verify

BODY = np.random.default_rng(0).bytes(200_000)
# 0.01 s between attempts, and no progress bar in the test log
FAST = {"progress": False, "pause": 0.01, "timeout": 5.0}


def checksum(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def dataset(host):
    host.body = BODY
    return Dataset(
        name="toy",
        title="Toy",
        file="toy/ratings.dat",
        reader="movielens-tab",
        url=host.url,
        size=len(BODY),
        sha256=checksum(BODY),
    )


@pytest.fixture
def mirror_folder(tmp_path):
    folder = tmp_path / "mirror"
    (folder / "toy").mkdir(parents=True)
    (folder / "toy/ratings.dat").write_bytes(BODY)
    return folder


def files_in(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def refused(dataset, directory, kind=InputError, **options):
    """Return the sentence of the refusal, after checking that it is one sentence."""
    with pytest.raises(InputError) as caught:
        obtain(dataset, directory, **{**FAST, **options})
    assert type(caught.value) is kind
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


# --- the network


def test_download_arrives_whole_and_leaves_nothing_else(dataset, host, tmp_path):
    path = obtain(dataset, tmp_path, **FAST)
    assert path == tmp_path / "toy/ratings.dat"
    assert path.read_bytes() == BODY
    assert files_in(tmp_path) == ["ratings.dat"]
    assert host.asked == 1


@pytest.mark.parametrize("announce", [True, False])
def test_cut_is_noticed_and_the_file_asked_for_again(dataset, host, tmp_path, announce):
    host.announce, host.cuts = announce, [65_536, 49_152]
    assert obtain(dataset, tmp_path, **FAST).read_bytes() == BODY
    assert host.asked == 3
    assert files_in(tmp_path) == ["ratings.dat"]


def test_truncated_at_every_attempt_is_given_up(dataset, host, tmp_path):
    host.cuts = [1000] * 9
    sentence = refused(dataset, tmp_path, DataNotAvailable, attempts=3)
    assert "cut off" in sentence
    assert "attempt 3 of 3" in sentence
    assert host.asked == 3
    assert files_in(tmp_path) == []


def test_not_found_is_final_and_named(dataset, host, tmp_path):
    host.status = [404] * 9
    sentence = refused(dataset, tmp_path, DataNotAvailable)
    assert f"{host.url} answered 404" in sentence
    assert "toy/ratings.dat" in sentence
    assert "DPMC_DATA_MIRROR" in sentence
    assert host.asked == 1
    assert files_in(tmp_path) == []


def test_server_error_is_tried_again(dataset, host, tmp_path):
    host.status = [503, 429]
    assert obtain(dataset, tmp_path, **FAST).read_bytes() == BODY
    host.status = [503] * 9
    sentence = refused(dataset, tmp_path / "other", DataNotAvailable)
    assert "answered 503" in sentence
    assert "attempt 3 of 3" in sentence
    assert files_in(tmp_path / "other") == []


def test_stall_before_the_answer_ends_after_the_timeout(dataset, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        sentence = refused(
            replace(dataset, url=url), tmp_path, DataNotAvailable, timeout=0.3, attempts=1
        )
    assert "sent nothing for 0.3 s" in sentence
    assert files_in(tmp_path) == []


def test_no_network(dataset, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    sentence = refused(replace(dataset, url=url), tmp_path, DataNotAvailable)
    assert "cannot be reached" in sentence
    assert "no mirror folder is set" in sentence
    assert files_in(tmp_path) == []


def test_wrong_content_is_refused_and_not_kept(dataset, host, tmp_path):
    host.body = b"x" * len(BODY)
    sentence = refused(dataset, tmp_path)
    assert checksum(host.body) in sentence
    assert dataset.sha256 in sentence
    assert str(tmp_path / "toy/ratings.dat") in sentence
    assert files_in(tmp_path) == []


# --- local copy and mirror


def test_local_copy_comes_first(dataset, host, tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/ratings.dat").write_bytes(BODY)
    assert obtain(dataset, tmp_path, mirror="/does/not/exist", **FAST).read_bytes() == BODY
    assert host.asked == 0


@pytest.mark.parametrize("content", [BODY[:-7], BODY + b"x", b""], ids=["short", "long", "empty"])
def test_wrong_local_copy_is_refused_and_left_alone(
    dataset, host, tmp_path, mirror_folder, content
):
    path = tmp_path / "data/toy/ratings.dat"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    sentence = refused(dataset, tmp_path / "data", mirror=mirror_folder)
    assert str(path) in sentence
    assert checksum(content) in sentence
    assert dataset.sha256 in sentence
    assert "move it away or delete it" in sentence
    assert ("cut short" in sentence) == (len(content) < len(BODY))
    assert path.read_bytes() == content
    assert host.asked == 0


def test_mirror_comes_before_the_network(dataset, host, tmp_path, mirror_folder):
    path = obtain(dataset, tmp_path / "data", mirror=mirror_folder, offline=True)
    assert path.read_bytes() == BODY
    assert path.parent == tmp_path / "data/toy"
    assert files_in(tmp_path / "data") == ["ratings.dat"]
    assert host.asked == 0


def test_mirror_of_the_environment(dataset, tmp_path, mirror_folder, monkeypatch):
    monkeypatch.setenv("DPMC_DATA_MIRROR", str(mirror_folder))
    assert locate(dataset, tmp_path / "data")
    assert obtain(dataset, tmp_path / "data", offline=True).read_bytes() == BODY
    monkeypatch.setenv("DPMC_DATA_MIRROR", str(tmp_path / "nowhere"))
    assert "does not exist" in refused(dataset, tmp_path)
    # an argument wins over the environment
    assert obtain(dataset, tmp_path / "more", mirror=mirror_folder, offline=True).exists()


def test_wrong_file_in_the_mirror_is_refused(dataset, host, tmp_path, mirror_folder):
    original = mirror_folder / "toy/ratings.dat"
    original.write_bytes(BODY[:100])
    sentence = refused(dataset, tmp_path / "data", mirror=mirror_folder)
    assert str(original) in sentence
    assert "cut short (100 of 200,000 bytes)" in sentence
    assert files_in(tmp_path / "data") == []
    assert original.read_bytes() == BODY[:100]
    assert host.asked == 0


def test_file_that_the_mirror_lacks_is_downloaded(dataset, tmp_path):
    (tmp_path / "empty").mkdir()
    assert obtain(dataset, tmp_path / "data", mirror=tmp_path / "empty", **FAST).exists()
    sentence = refused(
        dataset, tmp_path / "more", DataNotAvailable, mirror=tmp_path / "empty", offline=True
    )
    assert f"it is not in the mirror {tmp_path / 'empty'}" in sentence


def test_folder_that_cannot_be_made(dataset, tmp_path):
    (tmp_path / "toy").write_text("a file where the folder should be")
    assert "cannot be read or written" in refused(dataset, tmp_path)


def test_locate_and_available(dataset, tmp_path, mirror_folder):
    assert locate(dataset, tmp_path / "data") is None
    assert not locate(dataset, tmp_path / "data")
    assert locate(dataset, tmp_path / "data", mirror_folder) == mirror_folder / "toy/ratings.dat"
    path = obtain(dataset, tmp_path / "data", mirror=mirror_folder)
    assert locate(dataset, tmp_path / "data", mirror_folder) == path
    assert locate(dataset, tmp_path / "data")


# --- one member of an archive


CSV = b"userID,placeID,rating\nU1,7,2\nU2,8,0"


def archive(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in members.items():
            bundle.writestr(name.replace("__", "/"), content)
    return stream.getvalue()


@pytest.fixture
def packed(dataset):
    return replace(
        dataset,
        file="toy/rating_final.csv",
        member="rating_final.csv",
        size=len(CSV),
        sha256=checksum(CSV),
        line_ends_vary=True,
    )


@pytest.mark.parametrize("text", [CSV, CSV + b"\n", CSV.replace(b"\n", b"\r\n") + b"\r\n"])
@pytest.mark.parametrize("nested", [False, True])
def test_member_is_taken_out_whatever_its_line_ends(packed, host, tmp_path, text, nested):
    inner = archive(**{"README": b"read me", "folder__rating_final.csv": text})
    host.body = archive(**{"other.csv": b"", "RCdata.zip": inner}) if nested else inner
    path = obtain(packed, tmp_path, **FAST)
    assert path.read_bytes() == text
    assert files_in(tmp_path) == ["rating_final.csv"]
    verify(packed, path)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (archive(README=b"read me"), "holds no rating_final.csv"),
        (archive(**{"rating_final.csv": CSV + b"\nU3,9,1"}), "holds a member that has SHA-256"),
        (b"<html>moved</html>", "is not a whole zip archive"),
    ],
    ids=["no member", "other content", "no archive"],
)
def test_archive_that_is_wrong(packed, host, tmp_path, body, reason):
    host.body = body
    sentence = refused(packed, tmp_path)
    assert host.url in sentence
    assert reason in sentence
    assert files_in(tmp_path) == []


# --- a user's own file


@pytest.mark.parametrize("given", [None, checksum(BODY)])
def test_own_file_is_used_in_place(tmp_path, given):
    (tmp_path / "mine.csv").write_bytes(BODY)
    own = Dataset("mine", "mine", str(tmp_path / "mine.csv"), reader="table", sha256=given)
    assert obtain(own, tmp_path / "data") == tmp_path / "mine.csv"
    assert locate(own, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_own_file_that_is_missing_or_wrong_is_an_error_not_an_absence(tmp_path):
    own = Dataset("mine", "mine", str(tmp_path / "mine.csv"), reader="table", sha256="0" * 64)
    assert not locate(own, tmp_path)
    assert "data.sets.mine.path" in refused(own, tmp_path)
    (tmp_path / "mine.csv").write_bytes(BODY)
    assert "data.sets.mine.sha256" in refused(own, tmp_path)


def test_own_files_have_to_be_there(tmp_path):
    (tmp_path / "here.csv").write_text("user,item,rating\n")
    check_own_files({"mine": {"path": str(tmp_path / "here.csv")}, "odd": {}})
    with pytest.raises(InputError, match=r"data\.sets\.mine\.path: there is no file nosuch\.csv"):
        check_own_files({"mine": {"path": "nosuch.csv"}})

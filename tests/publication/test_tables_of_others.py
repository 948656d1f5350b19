"""Tables as others give them: archives of MovieLens, ratings.dat, RecBole's .inter files."""

import gzip
import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from publication.small_tables import run

from dpmc.datasets.readers import text
from dpmc.datasets.readers.movielens import MEMBERS
from dpmc.errors import InputError
from dpmc.publication.table import read_lines

COLUMNS = {"user": None, "item": None, "rating": None, "timestamp": "timestamp"}
ROWS = [
    (str(user), str(item), f"{1 + (3 * user + item) % 9 / 2:g}", str(900000000 + 60 * user))
    for user in (1, 2, 10, 31)
    for item in (4, 7, 1193)
]
HEADER = ("userId", "movieId", "rating", "timestamp")
INTER = ("user_id:token", "item_id:token", "rating:float", "timestamp:float")
SECRET = "4711"


def joined(rows, separator, end="\n"):
    return "".join(separator.join(row) + end for row in rows)


def content_of(member, rows=ROWS, end="\n"):
    """Return the file of ratings of an archive, in the format that it has there."""
    if member.endswith(".csv"):
        return joined([HEADER, *rows], ",", end)
    return joined(rows, "\t" if member.endswith(".data") else "::", end)


def archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in members.items():
            bundle.writestr(name, content)
    return path


def rows_in(path, columns=COLUMNS):
    lines = read_lines(path, columns)
    sides = [each.labels[each.codes].tolist() for each in (lines.users, lines.items)]
    return list(zip(*sides, lines.values.tolist(), lines.times.tolist(), strict=True))


WANTED = [(user, item, float(rating), float(when)) for user, item, rating, when in ROWS]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("member", MEMBERS)
def test_the_ratings_of_an_archive_are_read_within_it(member, end, tmp_path):
    folder = member.partition("/")[0]
    others = {f"{folder}/README.txt": "read me", f"{folder}/movies.csv": "movieId,title\n1,x\n"}
    others["../ratings.csv"] = others["ratings.csv"] = "not looked at"
    path = archive(tmp_path / "ml.zip", others | {member: content_of(member, end=end)})
    assert rows_in(path) == WANTED
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["ratings.dat", "RATINGS.DAT", "ratings.dat.gz"])
def test_a_file_like_ratings_dat(name, tmp_path):
    content = joined(ROWS, "::").encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert rows_in(path) == WANTED


@pytest.mark.parametrize("name", ["ml.inter", "ml.inter.gz"])
def test_a_file_of_recbole(name, tmp_path):
    content = joined([INTER, *ROWS], "\t").encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert rows_in(path) == WANTED
    other = joined([("user_id:token", "item_id:token", "when:float")], "\t")
    path.write_bytes(gzip.compress(other.encode()) if name.endswith(".gz") else other.encode())
    with pytest.raises(InputError, match=r"no column looks like the rating; .* user_id, item_id"):
        rows_in(path)


@settings(deadline=None)
@given(fields=st.lists(st.text("1:\n", max_size=4), max_size=30), size=st.integers(12, 40))
def test_no_separator_is_cut_in_two(fields, size):
    """However a file is cut, the same is read, and never more than what was asked for."""
    content = "1".join(fields).encode()
    stream, parts = text._OneCharacter(io.BytesIO(content), "::"), []
    while part := stream.read(size):
        assert len(part) <= size
        parts.append(part)
    assert b"".join(parts) == content.replace(b"::", b"\x1f")


def test_no_field_holds_the_character_that_stands_for_a_separator():
    stream = text._OneCharacter(io.BytesIO(b"1::2\x1f3::4"), "::")
    assert stream.read(99) == b"1\x1f2\0003\x1f4"


BAD = [
    ("1::2::3\n", "4 fields are expected; 3 were found"),
    (f"{SECRET}::2::x::4\n", "a finite number is expected in the column 'rating'"),
    (f"{SECRET}::::3::4\n", "a label .* is expected in the column 'item'"),
    (f"{SECRET}::a\x1fb::3::4\n", "a label .* is expected in the column 'item'"),
]


@pytest.mark.parametrize(("line", "sentence"), BAD)
@pytest.mark.parametrize("packed", [False, True])
def test_a_bad_line_is_named_and_not_shown(line, sentence, packed, tmp_path):
    path, content = tmp_path / "ratings.dat", joined(ROWS, "::") + line
    if packed:
        path = archive(tmp_path / "ml-1m.zip", {"ml-1m/ratings.dat": content})
    else:
        path.write_text(content)
    with pytest.raises(InputError, match=f", line {len(ROWS) + 1}: {sentence}") as caught:
        rows_in(path)
    assert SECRET not in str(caught.value)


def test_archives_that_are_refused(tmp_path):
    path, good = tmp_path / "ml-1m.zip", content_of("ml-1m/ratings.dat")
    for members in ({"mine.csv": good}, {"x/ml-1m/ratings.dat": good}, {"/ml-1m/ratings.dat": ""}):
        with pytest.raises(InputError, match=r"holds no ml-100k/u\.data, .* or .*; fetch the off"):
            rows_in(archive(path, members))
    both = {"ml-1m/ratings.dat": good, "ml-100k/u.data": ""}
    with pytest.raises(InputError, match="holds more than one of"):
        rows_in(archive(path, both))
    whole = archive(path, {"ml-1m/ratings.dat": good * 50}).read_bytes()
    for content in (b"", b"PK", whole[:-30], whole[:60] + b"\0" * 40 + whole[100:]):
        path.write_bytes(content)
        with pytest.raises(InputError, match="is not a whole zip archive"):
            rows_in(path)
    flagged = bytearray(whole)
    flagged[flagged.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(flagged)
    with pytest.raises(InputError, match="asks for a password"):
        rows_in(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as bundle:
        bundle.writestr("ml-1m/ratings.dat", good)
    later = bytearray(whole)
    later[later.index(b"PK\1\2") + 6] = 99  # the version that is needed
    for content in (path.read_bytes(), later):
        path.write_bytes(content)
        with pytest.raises(InputError, match="is packed in a way that is not read here"):
            rows_in(path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        rows_in(tmp_path / "none.zip")


def test_commands_take_them(tmp_path):
    path = archive(tmp_path / "ml-1m.zip", {"ml-1m/ratings.dat": content_of(".dat")})
    given = ["--relation", "user", "--epsilon", 9, "--rating-range", 0.5, 5, "--method", "bias"]
    given += ["--items-are-public", "--simulate", 1]
    run("fit", "--ratings", path, *given, "--output", tmp_path / "model")
    run("store", "build", path, "--output", tmp_path / "store")
    wanted = run("complete", "--model", tmp_path / "model", "--ratings", path).stdout
    found = run("complete", "--model", tmp_path / "model", "--ratings", tmp_path / "store").stdout
    assert found == wanted
    assert wanted.count("\n") == 1 + 4 * 3

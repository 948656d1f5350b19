"""Tables as others give them: archives of MovieLens, ratings.dat, RecBole's .inter files."""

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from publication.small_tables import run

from dpmc.errors import InputError
from dpmc.publication import lines
from dpmc.publication.reading import MEMBERS, form_of, reading_of
from dpmc.publication.table import read_lines

TIMED = reading_of(timestamp="timestamp")
ROWS = [
    (str(user), str(item), f"{1 + (3 * user + item) % 9 / 2:g}", str(900000000 + 60 * user))
    for user in (1, 2, 10, 31)
    for item in (4, 7, 1193)
]
HEADER = ("userId", "movieId", "rating", "timestamp")
INTER = ("user_id:token", "item_id:token", "rating:float", "timestamp:float")


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


def rows_in(path, reading=TIMED):
    table = read_lines(path, reading)
    sides = [each.labels[each.codes].tolist() for each in (table.users, table.items)]
    return list(zip(*sides, table.values.tolist(), table.times.tolist(), strict=True))


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


@pytest.mark.parametrize("name", ["ratings.dat", "RATINGS.DAT"])
def test_a_file_like_ratings_dat(name, tmp_path):
    path = tmp_path / name
    path.write_text(joined(ROWS, "::"))
    assert rows_in(path) == WANTED


def test_a_file_of_recbole(tmp_path):
    path = tmp_path / "ml.inter"
    path.write_text(joined([INTER, *ROWS], "\t"))
    assert rows_in(path) == WANTED
    path.write_text(joined([("user_id:token", "item_id:token", "when:float")], "\t"))
    with pytest.raises(InputError, match=r"no column looks like the rating; .* user_id, item_id"):
        rows_in(path)


@settings(deadline=None)
@given(fields=st.lists(st.text("1:\x1f", max_size=4), min_size=1), size=st.integers(1, 40))
def test_no_separator_is_cut_in_two(fields, size):
    """However a file is cut, the same is read; what stands for a separator is in no field."""
    content = "1".join(fields).encode() + b"\n1\n"
    form = form_of(Path("ratings.dat"), reading_of())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", size)
        blocks = lines.TextLines(io.BytesIO(content), "ratings.dat", form).blocks()
        found = b"".join(lines._one_character(block, form)[0] for _, block in blocks)
    assert found == content.replace(b"\x1f", b"\0").replace(b"::", b"\x1f")


@pytest.mark.parametrize("inner", ["mine.csv", "data/ratings.csv", "x/ml-1m/ratings.dat"])
def test_one_table_in_an_archive_is_read(inner, tmp_path):
    others = {"__MACOSX/mine.csv": "x", "data/.hidden": "x"}
    assert rows_in(archive(tmp_path / "a.zip", others | {inner: content_of(inner)})) == WANTED


def test_archives_that_are_refused(tmp_path):
    path, good = tmp_path / "ml-1m.zip", content_of("ml-1m/ratings.dat")
    both = {"ml-1m/ratings.dat": good, "ml-100k/u.data": ""}
    for members in (both, {"a.csv": good, "b.csv": good}, {"__MACOSX/a.csv": good, ".b": good}):
        with pytest.raises(InputError, match="must hold one file, a table of ratings, and holds"):
            rows_in(archive(path, members))
    with pytest.raises(InputError, match="holds a file that is packed itself: unpack it"):
        rows_in(archive(path, {"a.csv.gz": good}))
    whole = archive(path, {"ml-1m/ratings.dat": good * 50}).read_bytes()
    for content in (b"", b"PK", whole[:-30], whole[:60] + b"\0" * 40 + whole[100:]):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"is not a whole zip archive|is damaged, or not"):
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
    assert len(rows_in(path)) == len(ROWS)
    path.write_bytes(later)
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

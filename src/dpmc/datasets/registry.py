"""The data sets that dpmc knows, and the entry that makes a user's own file one of them.

MovieLens 1M, 10M and 20M have the published checksums of their archives; all other checksums were
computed from the files. A file is used only if its checksum is right. This repository contains no
data, because several licences forbid redistribution.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dpmc.errors import InputError, ParameterError, did_you_mean, refuse_unknown
from dpmc.publication.reading import BLANKS, ROLES, USUAL, Reading, reading_of

READ_BY = ("user", "item", "rating", "format", "separator", "encoding", "columns")
OWN_KEYS = ("path", *READ_BY, "rating_range", "sha256")

_MOVIELENS = (
    "F. M. Harper and J. A. Konstan, The MovieLens Datasets: History and Context, ACM Transactions "
    "on Interactive Intelligent Systems 5(4), 2015, doi:10.1145/2827872"
)
_OWN_COPY = (
    "who may use a copy adds it under data: sets: in the configuration, as a CSV or Parquet file."
)
# commits, not branches: branches are renamed and move on
_RDATASETS = (
    "https://raw.githubusercontent.com/vincentarelbundock/Rdatasets/"
    "1dcc2bf5f955cc1224a3e1307256e1fe86b68dae/csv"
)
_QREC = (
    "https://raw.githubusercontent.com/Coder-Yu/QRec/"
    "a141bb37cb7706b2f53b2eed5843de3269f9f37f/dataset"
)
_GROUPLENS = "GroupLens: research use, no redistribution, no commercial use"


@dataclass(frozen=True)
class Dataset:
    """One data set: where its raw file comes from, how to tell it is whole, how to read it.

    Attributes
    ----------
    name : str
        Short name, used in the configuration, on the command line and in file names.
    title : str
        Name for people.
    file : str
        Path of the raw file below the data folder and below a mirror folder; of a user's own data
        set the path of the file itself; empty if the data are withdrawn.
    reader : str
        Key of :data:`dpmc.datasets.readers.READERS`: "table", or what is in a form of its own.
    reading : Reading
        How a table is read.
    last_counts : bool
        Whether of several ratings of a pair the last one counts; else they must be the same.
    rating_range : (float, float) or None
        Lowest and highest possible rating; a rating outside is an error.
    url : str or None
        Official address; None for a user's own file.
    member : str or None
        Name of the file inside the zip archive at ``url``, if ``url`` is an archive of which only
        this file is kept.
    size : int or None
        Bytes of the raw file, for messages and progress; the checksum decides.
    sha256 : str or None
        Checksum of the raw file; None (a user's own file only) means "not checked".
    fields : tuple of int
        The checksum is that of these fields alone, of lines with bars between fields, so that
        copies that differ in others count as the same file.
    line_ends_vary : bool
        The checksum is that of the text with line feeds as line ends and none after the last
        line, so that copies that differ in these alone count as the same file.
    licence, citation, note : str
        Terms of use ("not stated" if the source states none), what to cite, remarks.
    withdrawn : str
        For data that can no longer be fetched: why, and what to do, in one sentence.
    """

    name: str
    title: str
    file: str
    reader: str = "table"
    reading: Reading = USUAL
    last_counts: bool = False
    rating_range: tuple[float, float] | None = None
    url: str | None = None
    member: str | None = None
    size: int | None = None
    sha256: str | None = None
    fields: tuple[int, ...] = ()
    line_ends_vary: bool = False
    licence: str = "not stated"
    citation: str = ""
    note: str = ""
    withdrawn: str = ""

    @property
    def is_own(self) -> bool:
        """Whether this is a user's own file, which is used in place and never downloaded."""
        return self.url is None and not self.withdrawn

    def location(self, directory: str | Path) -> Path:
        """Return the path of the raw file, given the data folder."""
        return Path(self.file) if self.is_own else Path(directory) / self.file


_ENTRIES = (
    Dataset(
        name="ml-100k",
        title="MovieLens 100K",
        file="ml-100k/u.data",
        reading=Reading(format="data"),
        rating_range=(1.0, 5.0),
        url="https://files.grouplens.org/datasets/movielens/ml-100k/u.data",
        size=1_979_173,
        sha256="06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490",
        licence=_GROUPLENS,
        citation=_MOVIELENS,
        note="The same file is in ml-100k.zip (MD5 0e33842e24a9c977be4e0107933c0723).",
    ),
    Dataset(
        name="ml-100k-films",
        title="MovieLens 100K, years and genres of the films",
        file="ml-100k/u.item",
        reader="movielens-films",
        url="https://files.grouplens.org/datasets/movielens/ml-100k/u.item",
        sha256="05f8c27991490404003d2cb26869f6e93f7d96eed5ee7c3137392b175d4f9bd9",
        fields=(0, 2, *range(5, 24)),
        licence=_GROUPLENS,
        citation=_MOVIELENS,
        note="No ratings: a table of films and numbers. Titles, whose accents some copies have "
        "lost, are neither read nor checked.",
    ),
    Dataset(
        name="sweetrs",
        title="SweetRS",
        file="sweetrs/ratings-final.csv",
        reading=Reading(user="user", item="product", rating="value"),
        rating_range=(0.0, 5.0),
        url="https://raw.githubusercontent.com/kidzik/sweetrs-analysis/master/ratings-final.csv",
        size=886_722,
        sha256="2341b703e6b7571671d61f8a3f4a49ea6ef26ffb04765ee9e362062655b72caf",
        citation="L. Kidzinski, SweetRS: Dataset for a recommender systems of sweets, 2017, "
        "arXiv:1709.03496",
        note="0 is a rating. 50 of the 44,543 rows repeat a (user, product) pair with the same "
        "rating; the repeats are dropped.",
    ),
    Dataset(
        name="restaurant",
        title="Restaurant & consumer",
        file="restaurant/rating_final.csv",
        reading=Reading(user="userID", item="placeID", rating="rating"),
        rating_range=(0.0, 2.0),
        url="https://archive.ics.uci.edu/static/public/232/restaurant+consumer+data.zip",
        member="rating_final.csv",
        size=22_107,
        sha256="87783b34f497a45eb37d58a2912e28badfafd208d048c343d57da466af0fe50b",
        line_ends_vary=True,
        licence="CC BY 4.0",
        citation="R. Ponce Medellin and J. G. Gonzalez Serna, Restaurant & consumer data, UCI "
        "Machine Learning Repository, data set 232",
        note="Taken out of UCI's archive, whose line ends may differ: the text is compared, "
        "not the bytes.",
    ),
    Dataset(
        name="jester",
        title="Jester 5k",
        file="jester/Jester5k.rda",
        reader="jester",
        rating_range=(-10.0, 10.0),
        # a commit, not a branch: branches are renamed and move on
        url="https://raw.githubusercontent.com/mhahsler/recommenderlabJester/"
        "d97e5afa2de641d21436280ba3851ea8cc02ea8e/data/Jester5k.rda",
        size=921_147,
        sha256="95cc5e61b6de8495f39338115ef12982a9d5e0e83751c1f5860f4299eb147f89",
        licence="free for research when cited (data); GPL-2 (the R package that carries it)",
        citation="K. Goldberg, T. Roeder, D. Gupta and C. Perkins, Eigentaste: A Constant Time "
        "Collaborative Filtering Algorithm, Information Retrieval 4(2), 133-151, 2001",
        note="5,000 of the 73,421 users of the full Jester data.",
    ),
    Dataset(
        name="inst-eval",
        title="InstEval, lecture evaluations",
        file="untouched/InstEval.csv",
        reading=Reading(user="s", item="d", rating="y"),
        last_counts=True,
        rating_range=(1.0, 5.0),
        url=f"{_RDATASETS}/lme4/InstEval.csv",
        size=1_859_932,
        sha256="13498ab015df1c2c2af465d13965cca0e91868029b0e4328557b3c709cddf476",
        licence="GPL (the R package lme4, which carries it)",
        citation="D. Bates, M. Maechler, B. Bolker and S. Walker, Fitting Linear Mixed-Effects "
        "Models Using lme4, Journal of Statistical Software 67(1), 2015",
        note="Students of ETH Zurich mark lecturers. The last mark of a pair counts.",
    ),
    Dataset(
        name="bfi",
        title="bfi, 25 personality items",
        file="untouched/bfi.csv",
        reader="bfi",
        rating_range=(1.0, 6.0),
        url=f"{_RDATASETS}/psych/bfi.csv",
        size=175_772,
        sha256="68ae71a96c2157b0c49b8d8f8ccaee1292f5e92adce9a3f202fdc7efac883dc9",
        licence="GPL (the R package psych, which carries it)",
        citation="W. Revelle, psych: Procedures for Psychological, Psychometric, and Personality "
        "Research",
        note="People are users, statements are items; gender, education and age are not read.",
    ),
    Dataset(
        name="filmtrust",
        title="FilmTrust",
        file="untouched/filmtrust_ratings.txt",
        reading=Reading(separator=BLANKS, columns=ROLES[:3]),
        last_counts=True,
        rating_range=(0.5, 4.0),
        url=f"{_QREC}/FilmTrust/ratings.txt",
        size=376_445,
        sha256="241167424e24d588e8871d68641e94ead98d5b3a4f0db01ef3181a74ad35e7a1",
        citation="G. Guo, J. Zhang and N. Yorke-Smith, A Novel Bayesian Similarity Measure for "
        "Recommender Systems, IJCAI 2013",
        note="The last rating of a pair counts.",
    ),
    Dataset(
        name="lastfm",
        title="Last.fm, HetRec 2011",
        file="untouched/lastfm_ratings.txt",
        reader="lastfm",
        reading=Reading(separator="\t", columns=ROLES[:3]),
        rating_range=(0.0, 5.0),
        url=f"{_QREC}/lastfm/ratings.txt",
        size=1_203_597,
        sha256="4a6e11a8ed543b132e2901f0e7f20cd41ae2b7b898661aefb7557abd2af6658a",
        citation="I. Cantador, P. Brusilovsky and T. Kuflik, Second Workshop on Information "
        "Heterogeneity and Fusion in Recommender Systems, RecSys 2011",
        note="The rating of an artist is log10 of the number of plays, at most 5.",
    ),
    Dataset(
        name="ml-1m",
        title="MovieLens 1M",
        file="ml-1m/ml-1m.zip",
        reading=Reading(format="dat.zip"),
        rating_range=(1.0, 5.0),
        url="https://files.grouplens.org/datasets/movielens/ml-1m.zip",
        size=5_917_549,
        sha256="a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
        licence=_GROUPLENS,
        citation=_MOVIELENS,
        note="MD5 c4d9eecfca2ab87c1945afe126590906. Read from within the archive.",
    ),
    Dataset(
        name="ml-10m",
        title="MovieLens 10M",
        file="ml-10m/ml-10m.zip",
        reading=Reading(format="dat.zip"),
        rating_range=(0.5, 5.0),
        url="https://files.grouplens.org/datasets/movielens/ml-10m.zip",
        size=65_566_137,
        sha256="813c411ccb6122564edfe752e7f80c4dcc5aa25fa94c93622f6877a7ba252862",
        licence=_GROUPLENS,
        citation=_MOVIELENS,
        note="MD5 ce571fd55effeba0271552578f2648bd. Read from within the archive.",
    ),
    Dataset(
        name="ml-20m",
        title="MovieLens 20M",
        file="ml-20m/ml-20m.zip",
        reading=Reading(format="csv.zip"),
        rating_range=(0.5, 5.0),
        url="https://files.grouplens.org/datasets/movielens/ml-20m.zip",
        size=198_702_078,
        sha256="96f243c338a8665f6bcc89c53edf6ee39162a846940de6b7c8c48aeada765ff3",
        licence=_GROUPLENS,
        citation=_MOVIELENS,
        note="MD5 cd245b17a1ae2cc31bb14903e1204af3. Read from within the archive.",
    ),
)

_WITHDRAWN = (
    Dataset(
        name="netflix",
        title="Netflix Prize",
        file="",
        rating_range=(1.0, 5.0),
        citation="J. Bennett and S. Lanning, The Netflix Prize, KDD Cup and Workshop 2007",
        withdrawn="The Netflix Prize ratings are no longer public, since users in them were "
        f"identified by their ratings; {_OWN_COPY}",
    ),
    Dataset(
        name="yahoo-music",
        title="Yahoo! Music",
        file="",
        rating_range=(0.0, 100.0),
        citation="G. Dror, N. Koenigstein, Y. Koren and M. Weimer, The Yahoo! Music Dataset and "
        "KDD-Cup'11, JMLR Workshop and Conference Proceedings 18, 2012",
        withdrawn="The Yahoo! Music ratings are no longer public, and were given to universities "
        f"only, on request; {_OWN_COPY}",
    ),
)

REGISTRY: Mapping[str, Dataset] = {entry.name: entry for entry in _ENTRIES + _WITHDRAWN}


def resolve(
    name: str, own_sets: Mapping[str, Mapping] | None = None, base_dir: str | Path = "."
) -> Dataset:
    """Return the data set of a name, registered or a user's own.

    Parameters
    ----------
    own_sets : mapping, optional
        The section ``data: sets:`` of the configuration, see :func:`from_entry`.
    base_dir : path
        Folder that relative paths in ``own_sets`` start from.

    Raises
    ------
    InputError
        No such data set, or a bad entry.
    """
    own_sets = own_sets or {}
    if name in own_sets:
        return from_entry(name, own_sets[name], base_dir)
    if name in REGISTRY:
        return REGISTRY[name]
    known = [*REGISTRY, *own_sets]
    raise InputError(
        f"There is no data set '{name}'{did_you_mean(name, known)}; known are {', '.join(known)}, "
        f"and your own files are added under data: sets: in the configuration."
    )


def check_own_files(own_sets: Mapping[str, Mapping]) -> None:
    """Refuse an entry of ``data: sets:`` whose file is not there."""
    for name, entry in own_sets.items():
        path = entry.get("path")
        if isinstance(path, str) and not Path(path).is_file():
            raise InputError(
                f"data.sets.{name}.path: there is no file {path} (seen from {Path.cwd()}); correct "
                "the path, or take the entry out."
            )


def from_entry(name: str, entry: Mapping, base_dir: str | Path = ".") -> Dataset:
    """Make a data set of one entry of ``data: sets:`` in the configuration.

    Parameters
    ----------
    name : str
        Letters, digits, "-", "_" and "." (it becomes part of file names).
    entry : mapping
        ``path`` (a table with one rating a row), and optionally :data:`READ_BY`, which are options
        of ``dpmc fit``, ``rating_range`` ([lowest, highest]) and ``sha256``.
    base_dir : path
        Folder that a relative ``path`` starts from.

    Raises
    ------
    InputError
        A key or value that is not allowed.
    """
    where = f"data.sets.{name}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", str(name)):
        raise InputError(
            f"data.sets: the name '{name}' must start with a letter or digit and hold only "
            "letters, digits, '-', '_' and '.'."
        )
    if name in REGISTRY or name == "synthetic":
        raise InputError(f"{where}: the name '{name}' is taken; choose another one.")
    if not isinstance(entry, Mapping):
        raise InputError(f"{where} must be a mapping with the key path, got {entry!r}.")
    refuse_unknown(f"key in {where}:", entry, OWN_KEYS)
    for key in ("path", *READ_BY):
        value = entry.get(key)
        if (not isinstance(value, str) or not value) and (key == "path" or value is not None):
            raise InputError(f"{where}.{key} must be a text that is not empty, got {value!r}.")
    return Dataset(
        name=name,
        title=name,
        file=str(Path(base_dir) / Path(entry["path"]).expanduser()),
        reading=_own_reading(where, entry),
        rating_range=_own_range(where, entry.get("rating_range")),
        sha256=_own_checksum(where, entry.get("sha256")),
    )


def _own_reading(where: str, entry: Mapping) -> Reading:
    try:
        found = reading_of(**{key: entry.get(key) for key in READ_BY})
    except ParameterError as error:
        raise InputError(error.spelled(f"{where}.{{}}".format)) from None
    given = [entry[key] for key in ROLES[:3] if entry.get(key) is not None]
    if len(set(given)) != len(given):
        raise InputError(f"{where}: user, item and rating must be different columns, got {given}.")
    return found


def _own_range(where: str, limits: object) -> tuple[float, float] | None:
    if limits is None:
        return None
    try:
        low, high = (float(limit) for limit in limits)  # type: ignore[attr-defined]
        if isinstance(limits, str) or not (math.isfinite(high - low) and low < high):
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(
            f"{where}.rating_range must be [lowest, highest], such as [1, 5], got {limits!r}."
        ) from None
    return low, high


def _own_checksum(where: str, checksum: object) -> str | None:
    if checksum is None:
        return None
    if not isinstance(checksum, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", checksum):
        raise InputError(f"{where}.sha256 must be 64 hexadecimal digits, got {checksum!r}.")
    return checksum.lower()

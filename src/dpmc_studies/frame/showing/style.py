"""The common style of all figures: sizes, fonts, colours, markers and file formats.

Colours are those of Okabe and Ito ("Color universal design", 2008), which people with common
colour-vision deficiencies can tell apart. A marker or line style always repeats the information.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from inspect import Parameter, signature
from itertools import cycle
from pathlib import Path
from types import ModuleType

import matplotlib
import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from dpmc.errors import InputError
from dpmc.files import atomic_path
from dpmc_studies.frame.showing.frames import NOT_RUN, trials_text
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.frame.showing.texts import check_used, fill, placeholders
from dpmc_studies.yaml_files import beside, read_mapping

COLUMN = 3.4  # inches: one column of a two-column page
PAGE = 7.0  # inches: both columns
DPI = 200
IMAGES = {".png": {"Software": None}, ".svg": {"Date": None}}  # to what differs each time
MIDDLING = 1.1  # decades below which a logarithmic axis has room for a label more
SHORT, LONG = 0.8, 3.0  # decades below which a logarithmic axis has too few round decimals, and
# above which only powers of ten have room

BLACK, GREY = "#000000", "#6b6b6b"
ORANGE, SKY, GREEN = "#e69f00", "#56b4e9", "#009e73"
BLUE, VERMILLION, PURPLE = "#0072b2", "#d55e00", "#cc79a7"


@dataclass(frozen=True)
class Look:
    """Colour, marker, line style and fill of one thing, the same in every figure."""

    color: str
    marker: str
    line: str | tuple = "-"
    face: str | None = None  # of the marker, if not the colour


MECHANISMS = {
    "none": Look(BLACK, "o", "-"),
    "gaussian": Look(BLUE, "s", "--"),
    "laplace": Look(VERMILLION, "^", "-."),
    "huber": Look(GREEN, "D", "-"),
}
BASELINES = {
    "global_mean": Look(GREY, "", (0, (1, 1.2))),
    "item_bias": Look(GREY, "", (0, (3, 1.5))),
    "user_item_bias": Look(PURPLE, "", (0, (6, 1.5))),
    "rank_one": Look(GREY, "", (0, (6, 1.5, 1, 1.5))),
}
OF_PLUG_INS = (Look(SKY, "v", ":"), Look(ORANGE, "P", ":"), Look(VERMILLION, "X", ":"))
LOCAL_BAYES = Look(ORANGE, "*")  # of ours, and of no other method
SERIES = [
    Look(BLUE, "s", "-"),
    Look(VERMILLION, "^", "--"),
    Look(GREEN, "D", "-."),
    Look(BLACK, "o", (0, (1, 1.2))),
    Look(PURPLE, "v", (0, (6, 1.5))),
]
MARKERS = "s^DPX*"

RC = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.titleweight": "bold",
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "errorbar.capsize": 0,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",  # the same letters on every machine, offline
    "svg.hashsalt": "dpmc",  # the same file from the same numbers
    "path.simplify": True,
}


class NothingToDraw(Exception):
    """The data of a figure are absent; the message names them for the reader."""


@dataclass(frozen=True)
class Drawing:
    """A figure with the numbers that it shows."""

    figure: Figure
    data: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class FigureText:
    """The text of the report about a figure."""

    id: str  # stem of the files: `<id>.png`, `<id>.svg`, `<id>.csv`
    # title, caption, alt: heading; what is drawn and from where; what a reader who cannot see it
    # must know
    title: str
    caption: str
    alt: str
    # `describe(data) -> str`: one sentence computed from the drawn numbers, for the caption and the
    # alternative text
    describe: Callable[[pd.DataFrame], str] | None = None
    wide: bool = True  # whether it takes the width of a page instead of a column


@dataclass(frozen=True, kw_only=True)
class FigureEntry(FigureText):
    """One figure, with the function that draws it."""

    # `function(inputs) -> Drawing`; `inputs` maps names to data frames
    function: Callable[[Mapping[str, pd.DataFrame]], Drawing]
    tables: tuple[str, ...] = ()  # the names of those that it takes


def read_figures(
    *modules: ModuleType | str, names: Iterable[str] | None = None, **values: object
) -> list[FigureText]:
    """Return the figures that ``figures.yaml`` of a study declares.

    ``figures`` maps each id to the texts ``title``, ``caption`` and ``alt``, and ``wide``. ``draw``
    names the drawing function (not for figures drawn elsewhere), and ``with`` has its arguments.
    ``absent`` is the text that replaces a figure without data. ``told`` has sentences, with values
    that the function ``describe`` returns for the drawn numbers. ``shared`` are texts for the
    placeholders of captions, alternative texts and later shared texts.

    ``modules``, or their names, have the functions; the file is in the folder of the first one or
    above. The parameters of a drawing function are the tables that it needs, by name (optional if
    there is a default), and the arguments in ``with``. A describing function returns values for the
    placeholders of ``told``, or the whole text. ``{trials}`` is the number of trials. A sentence
    with a value "" is left out. ``names`` are the ids to return (default: all), and ``values`` fill
    other placeholders. Missing texts, functions and values raise InputError.
    """
    modules = [sys.modules[each] if isinstance(each, str) else each for each in modules]
    path = beside(modules[0].__file__, "figures.yaml")
    read = _figure_texts(path)
    shared, texts = dict(values), read["figures"]
    for name, text in read.get("shared", {}).items():
        shared[name] = fill(text, shared, f"{path}, {name}")
    names, found = list(texts if names is None else names), []
    for name in names:
        if name not in texts:
            raise InputError(f"{path}: the figure {name} has no text.")
        text = texts[name]
        said = {key: fill(text[key], shared, name) for key in ("title", "caption", "alt")}
        said |= {"id": name, "wide": text.get("wide", True)}
        if "draw" not in text:
            found.append(FigureText(**said))
            continue
        draw, describe = (
            _function(text[key], modules, f"{path}, {name}") if key in text else None
            for key in ("draw", "describe")
        )
        if "told" in text:
            describe = partial(_tell, text["told"], describe, name)
        absent = fill(text.get("absent", NOT_RUN), shared, name)
        function = partial(draw, **text.get("with", {}))
        tables = {
            table: parameter.default is Parameter.empty
            for table, parameter in signature(function).parameters.items()
            if parameter.kind is Parameter.POSITIONAL_OR_KEYWORD  # no argument of the text
        }
        made = {"function": partial(_of_tables, function, tables, absent), "tables": tuple(tables)}
        found.append(FigureEntry(**said, **made, describe=describe))
    used = [texts[name]["caption"] for name in names] + list(read.get("shared", {}).values())
    check_used(values, used, str(path))
    return found


def _function(name: str, modules: Sequence[ModuleType], where: str) -> Callable:
    """Return the function of that name of the first module that has one."""
    for module in modules:
        if name in vars(module):
            return vars(module)[name]
    raise InputError(f"{where}: no module has a function {name}.")


def _of_tables(
    function: Callable,
    needed: Mapping[str, bool],
    absent: str,
    inputs: Mapping[str, pd.DataFrame | None],
) -> Drawing:
    """Call a function with tables; one without rows counts as none, ``needed`` says if it may."""
    tables = {name: inputs.get(name) for name in needed}
    tables = {name: table for name, table in tables.items() if table is not None and len(table)}
    if any(needed[name] for name in needed.keys() - tables):
        raise NothingToDraw(absent)
    try:
        return function(**tables)
    except NothingToDraw:
        raise NothingToDraw(absent) from None


def _tell(
    sentences: Sequence[str], describe: Callable | None, where: str, data: pd.DataFrame
) -> str:
    """Fill sentences with what describes the data; those with a value that is "" are left out."""
    values = {} if describe is None else dict(describe(data))
    check_used(values, sentences, where)
    if "trials" in data:
        values["trials"] = trials_text(data["trials"])
    unknown = {name for name, value in values.items() if value == ""}
    told = (fill(each, values, where) for each in sentences if not placeholders(each) & unknown)
    return " ".join(told)


@cache
def _figure_texts(path: Path) -> Mapping[str, Mapping]:
    read = read_mapping(path)
    placed = ("caption", "alt", "absent")
    texts = [each[key] for each in read["figures"].values() for key in placed if key in each]
    check_used(read.get("shared", ()), [*texts, *read.get("shared", {}).values()], str(path))
    return read


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """Return the looks of mechanisms and baselines, with plug-ins among ``names``."""
    known = MECHANISMS | BASELINES
    others = (name for name in names if name not in known)
    return known | dict(zip(others, cycle(OF_PLUG_INS), strict=False))


def shaded(values: Sequence[object]) -> dict[object, Look]:
    """Return looks for ordered values, from dark to light, without unreadable yellow."""
    shades = colormaps["viridis"](np.linspace(0.12, 0.8, max(len(values), 2)))
    looks = map(Look, map(to_hex, shades), cycle(MARKERS))
    return dict(zip(values, looks, strict=False))


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches that draws without a display."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def value_axis(axis, decades: float, *, long: float = LONG) -> None:
    """Label a logarithmic axis that spans ``decades`` powers of ten with a few round numbers.

    Above ``long`` decades only powers of ten are labelled.
    """
    few = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10])
    round_ones = (1, 2, 3, 5) if decades < MIDDLING else (1, 2, 5)
    many = LogLocator(subs=round_ones if decades < long else (1,))
    axis.set_major_locator(few if decades < SHORT else many)
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(NullLocator())


def draw_all(
    entries: Iterable[FigureEntry],
    inputs: Mapping[str, pd.DataFrame | None],
    folder: str | Path,
    figures: Collection[str] | None = None,
) -> None:
    """Draw figures: ``folder/<id>.png``, ``.svg`` and ``.csv`` (the drawn numbers).

    A figure without its tables in ``inputs`` becomes a box that says so. ``figures`` selects ids.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    for entry in entries:
        if figures is None or entry.id in figures:
            width = PAGE if entry.wide else COLUMN
            render(partial(entry.function, inputs), folder, entry.id, width=width)


def drawing_step(
    entries: Collection[FigureEntry], read: Callable[[Path], Mapping] | None = None
) -> Callable[[Path, object, Path], None]:
    """Return the function of a step that draws figures.

    ``read`` returns their tables, by name, from a study's folder of results; the default reads the
    files of these names. A figure without its tables becomes a box that says so.
    """
    names = {name for entry in entries for name in entry.tables}

    def run(folder: Path, settings: object, out: Path) -> None:
        draw_all(entries, read_results(folder, names) if read is None else read(folder), out)

    return run


def render(function: Callable[[], Drawing], folder: str | Path, name: str, *, width: float) -> None:
    """Call ``function`` in the common style and write ``name``.png, .svg and .csv to ``folder``.

    A figure without data becomes a box that says so, with a table without rows.
    """
    with matplotlib.rc_context(RC):
        try:
            drawing = function()
        except NothingToDraw as absent:
            drawing = _placeholder(str(absent), width)
        if drawing.figure.axes:  # laid out once, which is enough for both images
            drawing.figure.get_layout_engine().execute(drawing.figure)
        drawing.figure.set_layout_engine(None)
        for suffix, metadata in IMAGES.items():
            with atomic_path(Path(folder) / f"{name}{suffix}") as path:
                drawing.figure.savefig(path, dpi=DPI, metadata=metadata)
    with atomic_path(Path(folder) / f"{name}.csv") as path:
        drawing.data.to_csv(path, index=False)


def _placeholder(reason: str, width: float) -> Drawing:
    figure = new_figure(width, 1.0)
    figure.text(0.5, 0.5, reason, ha="center", va="center", color=GREY, wrap=True)
    return Drawing(figure, pd.DataFrame(columns=["reason"]))

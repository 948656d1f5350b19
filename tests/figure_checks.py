"""What holds of every figure of the report: its files, legible letters, nothing cut off."""

import struct
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import matplotlib
import pandas as pd
from matplotlib.text import Text

from dpmc_studies.frame.showing.style import COLUMN, DPI, PAGE, RC

GAP = 0.02  # inches between two labels


def drawn(entries, tables):
    """The figures of some tables by name, laid out."""
    with matplotlib.rc_context(RC):
        found = {entry.id: entry.function(tables) for entry in entries}
        for drawing in found.values():
            drawing.figure.draw_without_rendering()
    return found


def check_files(folder, entries):
    """Two images and the numbers of every figure, words for each, and nothing else.

    Return the names of those that are boxes without numbers.
    """
    boxes = set()
    expected = {f"{entry.id}{suffix}" for entry in entries for suffix in (".png", ".svg", ".csv")}
    assert {path.name for path in folder.iterdir()} == expected
    for entry in entries:
        assert min(len(entry.title), len(entry.caption), len(entry.alt)) > 20
        header = (folder / f"{entry.id}.png").read_bytes()[:24]
        width, _ = struct.unpack(">II", header[16:])
        assert width == round(DPI * (PAGE if entry.wide else COLUMN))
        ElementTree.parse(folder / f"{entry.id}.svg")
        data = pd.read_csv(folder / f"{entry.id}.csv")
        if data.empty:
            boxes.add(entry.id)
        elif entry.describe:
            sentence = entry.describe(data)
            assert sentence.endswith(".")
            assert "nan" not in sentence
    return boxes


def check_letters(figure):
    sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_text().strip()]
    assert min(sizes) >= 8
    assert figure.get_figwidth() in (COLUMN, PAGE)


def check_edges(figure):
    """No text of a figure that has been drawn leaves it."""
    texts = [text for axes in figure.axes for text in (*axes.texts, axes.title)]
    texts += [text for legend in figure.legends for text in legend.get_texts()]
    for text in texts:
        where = text.get_window_extent()
        assert figure.bbox.x0 - 2 < where.x0, text.get_text()
        assert where.x1 < figure.bbox.x1 + 2, text.get_text()


def check_named_panels(figure):
    """Letters are legible, and every outer axis says what it is, or what its rows or bars are."""
    check_letters(figure)
    panels = [axes for axes in figure.axes if axes.get_subplotspec() and axes.axison]
    assert figure.get_supxlabel() or all(
        axes.get_xlabel() for axes in panels if axes.get_subplotspec().is_last_row()
    )
    for axes in panels:
        if axes.get_subplotspec().is_first_col():
            named = [label.get_text() for label in axes.get_yticklabels()]
            assert axes.get_ylabel() or any(label[:1].isalpha() for label in named)


def check_ticks(figure):
    """Labels along an axis do not touch."""
    for axes in figure.axes:
        low, high = axes.get_xlim()
        labels = [
            tick.label1.get_window_extent()
            for tick in axes.xaxis.get_major_ticks()
            if low <= tick.get_loc() <= high
            and tick.label1.get_visible()
            and tick.label1.get_text()
        ]
        for left, right in pairwise(sorted(labels, key=lambda box: box.x0)):
            assert left.x1 + GAP * DPI < right.x0

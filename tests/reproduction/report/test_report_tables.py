"""The tables hold the numbers of their sources, in the paper's layout, in every format."""

import re
from html.parser import HTMLParser
from io import StringIO

import committed
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpmc_studies.frame.showing.frames import select
from dpmc_studies.frame.showing.table_formats import to_csv, to_html, to_latex, to_markdown
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.equal_privacy.tables import equal_tables
from dpmc_studies.studies.huber.reported.compare import compare
from dpmc_studies.studies.huber.reported.numbers import load
from dpmc_studies.studies.huber.statistics import published_metric
from dpmc_studies.studies.huber.tables import build_tables
from dpmc_studies.studies.huber.tables_privacy import loss_table, totals_table
from dpmc_studies.studies.huber.tables_rmse import (
    NOT_AVAILABLE,
    NOT_RUN,
    rmse_table,
    significantly_lowest,
)

NAMES = ["table1", "table3", "table4", "table5", "table6", "table7"]
VOID = {"meta", "br", "img", "link", "input"}


@pytest.fixture(scope="module")
def tables(trials, comparison):
    return {table.id: table for table in build_tables(trials, comparison)}


@pytest.fixture(scope="module")
def without_data(trials_without_data, budgets):
    """Tables of a run that had neither real data nor rank 20."""
    trials = trials_without_data[trials_without_data["rank"] != 20]
    comparison = compare(trials, load(), budgets)
    return {table.id: table for table in build_tables(trials, comparison)}


def test_csv_holds_every_published_number_and_our_mean_unrounded(tables, comparison, tmp_path):
    seen = 0
    for name in NAMES[1:]:
        (tmp_path / "table.csv").write_text(to_csv(tables[name]))
        frame = pd.read_csv(tmp_path / "table.csv")
        for row in comparison[comparison["table"] == name].itertuples():
            place = {"observed_fraction": row.observed_fraction}
            if row.dataset == "synthetic":
                place["variance"] = row.variance
            lines = select(frame, **place).set_index("line")
            two = "2" if row.irls_iterations is not pd.NA and row.irls_iterations == 2 else ""
            column = f"{row.method}{two}_{row.mechanism}"
            assert lines.loc["published", column] == row.published
            assert lines.loc["ours", column] == row.mean
            assert lines.loc["ours: standard error", column] == row.standard_error
            assert lines.loc["ours: trials", column] == row.trials
            deviating = str(lines.loc["ours", "deviating"]).split(";")
            assert (column in deviating) == (row.status == "deviates")
            seen += 1
    assert seen == 168


def test_budgets_equal_their_sources(tables, comparison, budgets):
    rows = {(row.keys[0], row.line): row.cells for row in tables["table1"].rows}
    for row in comparison[comparison["metric"] == "epsilon"].itertuples():
        place = int(row.variance) - 1
        line = "corrected" if row.mechanism == "gaussian" else "ours"
        assert rows[row.mechanism, "published"][place].value == row.published
        ours = rows[row.mechanism, line][place]
        assert ours.value == row.mean
        assert ours.deviates == (row.status == "deviates")
    exact = select(budgets, mechanism="gaussian", variance=2.0)["epsilon_exact"].iloc[0]
    assert rows["gaussian", "exact"][1].value == exact == pytest.approx(20.676, abs=5e-4)


@pytest.mark.parametrize("baseline", ["global_mean", "item_bias", "user_item_bias", "rank_one"])
def test_baselines_are_the_means_of_their_trials(tables, trials, baseline):
    for name, dataset, rank in (("table3", "synthetic", 5), ("table5", "sweetrs", 32)):
        table = tables[name]
        place = [column.key for column in table.columns].index(baseline)
        for row in table.rows:
            fraction = row.keys[-1]
            cell = select(
                trials, dataset=dataset, rank=rank, observed_fraction=fraction, method=baseline
            )
            values = {
                "published": pd.Series([np.nan]),
                "ours": published_metric(cell),
                "ours, unobserved": cell["rmse_heldout"],
                "ours, clipped": cell["rmse_clipped"],
            }[row.line]
            assert row.cells[place].value == pytest.approx(values.mean(), rel=1e-14, nan_ok=True)


def cells(trials, fraction=0.1, variance=2.0):
    part = select(trials, dataset="synthetic", rank=5, observed_fraction=fraction)
    part = select(part, variance=variance)
    return {tuple(key): cell for key, cell in part.groupby(["method", "mechanism"])}


def test_nothing_is_marked_where_nothing_differs(trials, tables):
    # Planted: no mechanism is better. Holm over 5 differences at 5 % marks a row wrongly with at
    # most that probability; the seed is fixed and no row of the 22 is marked.
    assert significantly_lowest(cells(trials)) is None
    assert not any(cell.lowest for table in tables.values() for r in table.rows for cell in r.cells)


def test_a_planted_winner_is_marked_and_only_it(trials, comparison):
    planted = trials.copy()
    winner = (
        (planted["dataset"] == "synthetic")
        & (planted["rank"] == 5)
        & (planted["variance"] == 2)
        & (planted["observed_fraction"] == 0.1)
        & (planted["method"] == "irls")
        & (planted["mechanism"] == "laplace")
    )
    planted.loc[winner, "rmse_all"] *= 0.9
    assert significantly_lowest(cells(planted)) == ("irls", "laplace")
    table = rmse_table("table3", planted, comparison)
    marked = [
        (row.keys, row.line, column.key)
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
        if cell.lowest
    ]
    assert marked == [((2.0, 0.1), "ours", "irls_laplace")]
    number = table.rows[13].cells[6].number
    assert f"**{number}**" in to_markdown(table)
    assert f"\\textbf{{{number}}}" in to_latex(table)
    assert f'<b>{number}</b><span class="vh"> significantly lowest</span>' in to_html(table)
    assert read_csv(to_csv(table)).loc[lambda f: f["lowest"].notna(), "lowest"].tolist() == [
        "irls_laplace"
    ]


def read_csv(text: str) -> pd.DataFrame:
    return pd.read_csv(StringIO(text))


def test_a_winner_needs_significance_against_every_other(trials):
    close = cells(trials)
    # Two cells are alike and far below the rest: neither is below the other.
    for key in (("als", "huber"), ("irls", "huber")):
        close[key] = close[("als", "gaussian")].assign(rmse_all=lambda cell: 0.5 * cell["rmse_all"])
    assert significantly_lowest(close) is None


def test_a_winner_has_to_stand_a_correction_for_the_number_of_others():
    # Six trials 3 % apart from every other with p = .02 each: significant against one other,
    # not against five.
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((6, 6))
    noise -= noise.mean(axis=1, keepdims=True)
    noise /= noise.std(axis=1, ddof=1, keepdims=True)
    step = 0.03 * np.sqrt(6) / stats.t.isf(0.01, 5)
    logs = 0.03 + step * noise
    logs[0] = 0.0
    table = {
        key: pd.DataFrame({"dataset": "synthetic", "trial": range(6), "rmse_all": np.exp(row)})
        for key, row in enumerate(logs)
    }
    table = {key: cell.assign(rmse_heldout=np.nan) for key, cell in table.items()}
    assert significantly_lowest({key: table[key] for key in (0, 1)}) == 0
    assert significantly_lowest(table) is None


def test_missing_data_are_said(without_data):
    table = without_data["table4"]
    assert {cell.absent for cell in table.rows[1].cells} == {NOT_AVAILABLE}
    assert table.rows[0].cells[2].value == 1.3883  # the reported number stays
    assert to_html(table).count(f'<td class="absent" colspan="10">{NOT_AVAILABLE}</td>') == 2
    assert f"\\multicolumn{{10}}{{l}}{{{NOT_AVAILABLE}}}" in to_latex(table)
    assert NOT_AVAILABLE in to_markdown(table)
    assert read_csv(to_csv(table))["als_none"].tolist()[0] == 1.2463


def test_cells_not_run_are_said(without_data):
    assert {cell.absent for cell in without_data["table7"].rows[1].cells} == {NOT_RUN}
    assert without_data["table3"].rows[1].cells[0].present


def test_one_trial_has_a_mean_without_standard_error(trials, budgets):
    first = trials[trials["trial"] == 0]
    comparison = compare(first, load(), budgets)
    table = rmse_table("table3", first, comparison)
    cell = table.rows[1].cells[1]
    assert cell.trials == 1
    assert cell.spread == ""
    assert "1 trial." in table.notes[0]


@pytest.fixture(scope="module")
def every_table(tables, without_data):
    totals, losses = (committed.table("huber", name) for name in ("totals", "transcript_loss"))
    more = [totals_table(totals, load()), loss_table(losses)]
    more += equal_tables(committed.table("equal_privacy", "calibrated"))
    return [*tables.values(), *without_data.values(), *more]


def test_latex_is_balanced_and_rectangular(every_table):
    for table in every_table:
        text = to_latex(table)
        depth = 0
        for letter in re.sub(r"\\[{}]", "", text):
            depth += {"{": 1, "}": -1}.get(letter, 0)
            assert depth >= 0
        assert depth == 0
        begun = re.findall(r"\\begin\{(\w+)\}", text)
        assert re.findall(r"\\end\{(\w+)\}", text) == begun[::-1]
        columns = len(re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)[1])
        for line in text.splitlines():
            if line.endswith(r"\\"):
                spans = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line))
                assert len(re.findall(r"(?<!\\)&", line)) + 1 + spans == columns
        for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
            assert rule in text
        bare = text.partition("\n")[2]  # the first line is a comment
        assert not re.search(r"(?<!\\)[%#]", bare)
        assert text.isascii()


def test_markdown_is_rectangular(every_table):
    for table in every_table:
        lines = [line for line in to_markdown(table).splitlines() if line.startswith("|")]
        assert len(lines) == 2 + len(table.rows)
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
        assert counts == {len(table.headings) + 1 + len(table.columns) + 1}


class Grid(HTMLParser):
    """Reads a table as a browser does: every row must fill the same columns."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.rows: list[int] = []
        self.hanging: list[list[int]] = []
        self.scopes: list[str | None] = []
        self.captions = 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "caption":
            self.captions += 1
        if tag in ("thead", "tbody"):
            assert not any(rows for _, rows in self.hanging)
            self.hanging = []
        if tag == "tr":
            self.rows.append(sum(width for width, rows in self.hanging if rows > 0))
            self.hanging = [[width, rows - 1] for width, rows in self.hanging if rows > 0]
        if tag in ("td", "th"):
            width = int(attributes.get("colspan", 1))
            self.rows[-1] += width
            rows = int(attributes.get("rowspan", 1))
            if rows > 1:
                self.hanging.append([width, rows - 1])
        if tag == "th":
            self.scopes.append(attributes.get("scope"))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_is_rectangular_and_accessible(every_table):
    for table in every_table:
        grid = Grid()
        grid.feed(to_html(table))
        assert grid.open == []
        assert grid.captions == 1
        assert set(grid.rows) == {len(table.headings) + 1 + len(table.columns)}
        assert set(grid.scopes) <= {"col", "colgroup", "row", "rowgroup"}


def test_text_is_escaped():
    cell = Cell(1.0, 0.5, 3, deviates=True)
    row = Row(("<b>",), ("a & b_1 < 50 % | $x^2$",), "ours", (cell,))
    table = Table("t", "A & B", (("key", "Key"),), (Column("c", "C_1"),), (row,), ("5 % of #1",))
    assert "a &amp; b_1 &lt; 50 % | $x^2$" in to_html(table)
    assert r"a \& b\_1 $<$ 50 \% | \$x\textasciicircum{}2\$" in to_latex(table)
    assert r"50 % \| $x^2$ | ours | 1.0000 ± 0.5000†" in to_markdown(table)

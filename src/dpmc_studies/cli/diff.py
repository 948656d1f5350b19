"""``dpmc diff``: do two result folders hold the same numbers?"""

import json
import math
import sys

import click

from dpmc.cli.help import Command


@click.command(
    cls=Command,
    groups={"Comparison": ("tolerance",), "Output": ("as_json",)},
    examples=("dpmc diff results before", "dpmc diff results/huber before/huber --tolerance 1e-3"),
)
@click.argument("run_a", type=click.Path())
@click.argument("run_b", type=click.Path())
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    default=1e-6,
    help="Relative difference up to which two numbers count as equal.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def diff(run_a, run_b, tolerance, as_json):
    """Compare the numbers in two folders of results.

    Every table of every study is compared, with rows paired by cell and trial. The exit status is
    0 if the runs are equal, 1 if they differ and 2 if one cannot be read. Seconds are not
    compared.
    """
    if math.isnan(tolerance):
        raise click.BadParameter("nan is not a number >= 0.", param_hint="'--tolerance'")
    from dpmc_studies.frame.checking.difference import difference

    result = difference(run_a, run_b, tolerance)
    click.echo(json.dumps(result, indent=2) if as_json else "\n".join(_lines(result)))
    sys.exit(0 if result["equal"] else 1)


def _lines(result):
    tables = result["tables"]
    rows = sum(table["rows"] for table in tables)
    differing = [table for table in tables if _differs(table)]
    yield (
        f"{len(tables)} tables with {rows} rows in common: {len(differing)} tables differ by more "
        f"than {result['tolerance']:g}."
    )
    for table in differing:
        yield f"  {_table_line(table)}"
        yield from (f"    {example}" for example in table["examples"])
    for side, name in (("only_in_first", "first"), ("only_in_second", "second")):
        if result[side]:
            yield f"Only in the {name} run: {', '.join(result[side])}."
    yield "The runs are equal." if result["equal"] else "The runs differ."


def _differs(table):
    return table["different"] or table["only_in_first"] or table["only_in_second"]


def _table_line(table):
    text = f"{table['name']}: {table['different']} of {table['rows']} rows differ"
    if table["different"] and table["largest"] is not None:
        text += f", by up to {table['largest']:.2g}"
    for side, name in (("only_in_first", "first"), ("only_in_second", "second")):
        if table[side]:
            text += f", {table[side]} rows are only in the {name} run"
    return text

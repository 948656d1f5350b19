"""``dpmc diff``: do two result folders hold the same numbers?"""

import json
import math
import sys

import click

from dpmc.cli.options import run_of


@click.command()
@click.argument("run_a", type=click.Path())
@click.argument("run_b", type=click.Path())
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    default=1e-6,
    show_default=True,
    help="Relative difference up to which two errors count as equal.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def diff(run_a, run_b, tolerance, as_json):
    """Compare the trials, statuses and verdicts of two result folders.

    Trials are paired by cell and number. The exit status is 0 if the runs are equal, 1 if they
    differ and 2 if one cannot be read. Seconds are not compared.
    """
    if math.isnan(tolerance):
        raise click.BadParameter("nan is not a number >= 0.", param_hint="'--tolerance'")
    from dpmc.difference import difference

    result = difference(run_of(run_a), run_of(run_b), tolerance)
    click.echo(json.dumps(result, indent=2) if as_json else "\n".join(_lines(result)))
    sys.exit(0 if result["equal"] else 1)


def _lines(result):
    tolerance = result["tolerance"]
    beyond = [
        cell
        for cell in result["cells"]
        if cell["max_relative_difference"] is None or cell["max_relative_difference"] > tolerance
    ]
    trials = sum(cell["trials"] for cell in result["cells"])
    yield (
        f"{len(result['cells'])} cells with {trials} trials in common: "
        f"{len(beyond)} differ by more than {tolerance:g}."
    )
    yield from (f"  {_cell_line(cell)}" for cell in beyond)
    for side, name in (("only_in_first", "first"), ("only_in_second", "second")):
        if result[side]:
            yield f"Only in the {name} run:"
            yield from (f"  {cell['cell']} ({cell['trials']} trials)" for cell in result[side])
    for name in ("settings", "statuses", "verdicts"):
        changes = result[name]
        if changes is None:
            yield f"{name.capitalize()}: not in both runs, not compared."
        elif changes:
            yield f"{name.capitalize()} that changed:"
            yield from map(_change_line, changes)
    yield "The runs are equal." if result["equal"] else "The runs differ."


def _change_line(change):
    text = f"  {change['name']}: {change['first']} -> {change['second']}"
    if "cells" in change:
        count = len(change["cells"])
        text += f" in {change['cells'][0] if count == 1 else f'{count} cells'}"
    return text


def _cell_line(cell):
    worst = cell["max_relative_difference"]
    text = f"{cell['cell']}: "
    text += "a number is missing on one side" if worst is None else f"up to {worst:.2g}"
    if cell["mean_log_ratio"] is not None:
        text += f", mean log-ratio {cell['mean_log_ratio']:+.2g}"
    if cell["interval"] is not None:
        low, high = cell["interval"]
        text += f" ({low:+.2g} to {high:+.2g}, {cell['trials']} trials)"
    return text

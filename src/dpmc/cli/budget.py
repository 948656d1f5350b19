"""``dpmc budget``: Table 1 of the Huber mechanism paper, for any variance, sensitivity, delta."""

import click

from dpmc.cli.help import Command


@click.command(
    cls=Command,
    groups={"Noise": ("variances", "sensitivity", "delta"), "Output": ("as_json",)},
    examples=("dpmc budget", "dpmc budget --variance 2 --sensitivity 1 --delta 1e-6 --json"),
)
@click.option(
    "--variance",
    "variances",
    multiple=True,
    type=float,
    default=(1.0, 2.0, 3.0, 4.0),
    show_default=False,
    help="Variance of the noise; may be given more than once.  [default: 1, 2, 3 and 4]",
)
@click.option(
    "--sensitivity",
    type=float,
    default=5.0,
    help="Assumed difference between the values released on neighbouring data.",
)
@click.option(
    "--delta",
    type=float,
    default=1e-5,
    help="Delta of the Gaussian mechanism; Laplace and Huber noise need none.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def budget(variances, sensitivity, delta, as_json):
    """Print the nominal epsilon of one release for each mechanism.

    The table has the Huber paper's formulas as published, the same with their errors corrected,
    and the exact values. Each epsilon is that of one released number. It is not a guarantee of a
    training run.
    """
    from dpmc.privacy.nominal import NOT_A_GUARANTEE, table_one

    rows = table_one(variances, sensitivity, delta)
    if as_json:
        import json

        content = {"sensitivity": sensitivity, "delta": delta, "note": NOT_A_GUARANTEE}
        click.echo(json.dumps({**content, "rows": rows}, indent=2))
        return
    for line in _lines(rows, sensitivity, delta):
        click.echo(line)
    click.echo(NOT_A_GUARANTEE)


def _lines(rows, sensitivity, delta):
    from dpmc.privacy.nominal import PARAMETER

    yield f"Sensitivity {sensitivity:g}; Gaussian noise at delta {delta:g}."
    yield ""
    yield f"{'mechanism':<10}{'variance':>9}  {'parameter':<15}{'epsilon: published form':>24}" + (
        f"{'corrected':>11}{'exact':>11}"
    )
    for row in rows:
        parameter, *epsilons = (
            row[key]
            for key in ("parameter", "epsilon_published_form", "epsilon_corrected", "epsilon_exact")
        )
        symbol = PARAMETER[row["mechanism"]]
        parameter = "-" if parameter is None else f"{symbol} = {parameter:.6g}"
        published, corrected, exact = ("-" if e is None else f"{e:.4f}" for e in epsilons)
        yield f"{row['mechanism']:<10}{row['variance']:>9g}  {parameter:<15}{published:>24}" + (
            f"{corrected:>11}{exact:>11}"
        )
    yield ""
    yield "Published form: the paper's formulas, with log10 for ln in the Gaussian one."
    yield "Corrected: with ln (proven only for epsilon below 1). Exact: Balle and Wang 2018."
    variances = {row["variance"] for row in rows}
    if 1 in variances:
        yield "Huber noise of variance 1 is the papers' a = 3, whose variance is 1.003610."
    if min(variances) < 1:
        yield "Huber noise of scale 1 has no variance below 1."

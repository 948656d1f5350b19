"""``dpmc ledger``: what fits of the same ratings have spent."""

import json
from pathlib import Path

import click

from dpmc.cli.help import Command


@click.command(
    cls=Command,
    groups={"Output": ("as_json",)},
    examples=("dpmc ledger mine.ledger", "dpmc ledger mine.ledger --json"),
)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def ledger(path, as_json):
    """Show what fits of the same ratings have spent together, and what is left.

    FILE is the ledger that dpmc fit --ledger keeps. Every line is checked against its digest and
    that of the line before. A fit without a model was killed, failed or still runs, and counts as
    spent; the digest of a model is the SHA-256 of its guarantee.json.

    It knows of no fit that was not entered. Digests have no key, and a file that was cut off
    at the end of a line is whole: keep the last digest, which is printed here, in another place. It
    stands in the file as long as no line was taken away.
    """
    from dpmc.fitting.book import down, read
    from dpmc.privacy.relations import RELATIONS

    pages = read(path)
    spent, accountant = pages.spent()
    left = pages.left()
    if as_json:
        entries = [
            {"at": each.at, "method": each.method, "epsilon": each.cost.epsilon}
            | {"delta": each.cost.delta, "model": each.model}
            for each in pages.entries
        ]
        found = {"relation": pages.relation, "epsilon": pages.epsilon, "delta": pages.delta}
        found |= {"spent_epsilon": spent, "accountant": accountant, "left_epsilon": left}
        click.echo(json.dumps(found | {"digest": pages.digest, "entries": entries}, indent=2))
        return
    click.echo(f"Neighbours: {RELATIONS[pages.relation]}.")
    click.echo(f"\n{'entered':<22}{'method':<22}{'epsilon':>8}{'delta':>9}  model")
    for each in pages.entries:
        click.echo(
            f"{each.at:<22}{each.method:<22}{each.cost.epsilon:>8g}{each.cost.delta:>9g}  "
            f"{each.model[:12] if each.model else 'none'}"
        )
    click.echo(f"\nSpent: {pages.sentence()}.")
    if left and pages.entries:
        last = pages.entries[-1]
        fit = f"one more fit by {last.method} at delta {last.cost.delta:g}"
        click.echo(f"Left: {fit} may have an epsilon of at most {down(left)}.")
    else:
        click.echo("Left: all." if left else "Left: nothing.")
    click.echo(f"Digest: {pages.digest}")

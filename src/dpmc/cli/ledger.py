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

    FILE is the ledger that dpmc fit --ledger keeps, a SQLite file. All of it is checked: the
    tables, each value, and the digest that each row has of the row before it. A fit without a model
    was killed, failed or still runs, and counts as spent. The digest of a model is the SHA-256 of
    its guarantee.json.

    A ledger knows of no fit that was not entered. Its digests have no key: whoever can write the
    file can change it and compute all digests again. And a file that was restored from an older
    copy is a ledger, too. To detect both, keep the digest that is printed here in another place:
    it stays among the digests that --json prints.
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
        found |= {"entries": entries, "digests": pages.digests}
        click.echo(json.dumps(found | {"digest": pages.digests[-1]}, indent=2))
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
    click.echo(f"Digest: {pages.digests[-1]}")

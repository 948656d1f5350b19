"""``dpmc check``: look at private ratings before a fit spends anything on them."""

import json

import click

from dpmc.cli.fit import GROUPS, fit_command_options, looked, will_be_public
from dpmc.cli.help import Command
from dpmc.errors import NeedsALook


@click.command(
    cls=Command,
    groups=GROUPS,
    examples=(
        "dpmc check --ratings mine.csv --items catalogue.txt --relation user \\\n"
        "    --rating-range 1 5 --epsilon 5 --delta 1e-6",
        "dpmc check --ratings mine.txt --separator blanks --columns user,item,rating \\\n"
        "    --items catalogue.txt --relation user --rating-range 1 5 --epsilon 5",
    ),
)
@fit_command_options(output_required=False)
def check(path, output, extras, dask, force, quiet, as_json, **options):
    """Show how a table of ratings would be read, before a fit spends anything on it.

    Takes the options of dpmc fit, spends nothing, writes nothing and enters nothing in a ledger. It
    prints how the file was read, how many ratings are not of listed items or outside of the range,
    and what else may be misread. The exit status is 0 if nothing needs a look, 4 if something does,
    and 2 if the fit would be refused.

    The output and the exit status tell of people's ratings: they are for whoever holds the table.
    Look up what a remark asks about in the documentation of the data, and never choose a setting by
    what the rows hold, because the guarantee does not cover such a choice.
    """
    ready, lists, look = looked(path, extras, dask, quiet, options)
    look.facts |= will_be_public(ready, lists, extras)
    if as_json:
        click.echo(json.dumps({"facts": look.facts, "remarks": look.remarks}, indent=2))
    elif not quiet or look.remarks:
        width = 2 + max(map(len, look.facts))
        for name, fact in () if quiet else look.facts.items():
            click.echo(f"{name + ':':<{width}}{fact}")
        for each in look.remarks:
            click.echo(f"- Look: {each}.")
        if not look.remarks:
            click.echo("Nothing needs a look.")
    if look.remarks:
        click.get_current_context().exit(NeedsALook.status)

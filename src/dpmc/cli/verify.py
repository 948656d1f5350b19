"""``dpmc verify``: does a published folder say what is true?"""

from pathlib import Path

import click

from dpmc.cli.help import Command


@click.command(cls=Command, examples=("dpmc verify model", "dpmc verify likes"))
@click.argument("model", type=click.Path(path_type=Path))
def verify(model):
    """Check a folder that dpmc fit or dpmc onebit wrote.

    The check covers the form of guarantee.json, that the files are those it was written for, and
    that the stated noise gives the stated epsilon when it is accounted for anew; then the
    guarantee is printed. Whether the noise was drawn as stated, and whether what is assumed to be
    public was public, cannot be seen from outside.
    """
    from dpmc.methods.published.verify import verify as check

    click.echo(check(model))
    click.echo("The form, the files and the accounting are right.")

"""``dpmc verify``: does a published folder say what is true?"""

from pathlib import Path

import click


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
def verify(model):
    """Check a folder that dpmc fit or dpmc onebit wrote, and print its guarantee.

    Checked are the form of guarantee.json, that the files are those that it was written for, and
    that the stated noise gives the stated epsilon when it is accounted for anew. Whether the noise
    was drawn as stated, and whether what is assumed to be public was, cannot be seen from outside.
    """
    from dpmc.methods.published.verify import verify as check

    click.echo(check(model))
    click.echo("The form, the files and the accounting are right.")

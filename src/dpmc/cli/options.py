"""Options that several commands have."""

import click


def column_options(command):
    """Add --user, --item and --rating, the columns of a table of ratings."""
    for role in ("rating", "item", "user"):
        described = f"Name of the column of {role}s.  [default: detected]"
        command = click.option(f"--{role}", help=described)(command)
    return command


def simulate_option(command):
    """Add --simulate SEED."""
    described = "Repeatable noise for experiments: the files say that they must not be published."
    return click.option("--simulate", type=click.IntRange(0), metavar="SEED", help=described)(
        command
    )

"""``dpmc card``: what to say of a model where it is published."""

import sys
from pathlib import Path

import click

from dpmc.cli.help import Command
from dpmc.cli.verify import LIMITS, limit_options


@click.command(
    cls=Command,
    groups={
        "Said by the maker": (
            "name", "maker", "contact", "licence", "date", "use", "users_about",
            *LIMITS,
        ),
        "Output": ("output", "force"),
    },
    examples=("dpmc card model --maker 'Film club' --date 2026-01-31 --output model/README.md",),
)  # fmt: skip
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--name", help="Of the model.  [default: that of the folder]")
@click.option("--maker", help="Who publishes it.")
@click.option("--contact", help="Where to ask.")
@click.option("--licence", help="On which terms, best as an SPDX identifier such as CC-BY-4.0.")
@click.option("--date", metavar="YYYY-MM-DD", help="When it was published.")
@click.option("--use", help="What it is meant for.")
@click.option(
    "--users-about",
    type=click.IntRange(1),
    metavar="N",
    help="About how many users there are, only if that may be known.",
)
@limit_options
@click.option(
    "--output", type=click.Path(path_type=Path), help="File to write.  [default: standard output]"
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def card(model, output, force, **said):
    """Write the card of a published model.

    It is a README.md with the front matter that hubs of models read. The folder is checked as by
    dpmc verify. The card says what is guaranteed, for specialists and in plain words, what is taken
    to be public, the error if one was released, and how to use the model. Of a model that must not
    be published there is none. Limits of one's own (--max-epsilon, --max-delta) are in the card;
    whoever verifies the folder judges by theirs all the same. What only its maker can know is said
    by options, and nothing checks it. Where the card is README.md in the folder, dpmc verify makes
    it again, and refuses another README.md.
    """
    from dpmc.files import check_file, write_text
    from dpmc.methods.released import card as cards
    from dpmc.methods.released.verdict import Facts
    from dpmc.methods.released.verify import card_of

    if output is not None:
        check_file(output, force, None if output.name == cards.README else model)
    facts = cards.check_facts(Facts(**said | {"name": said["name"] or model.resolve().name}))
    text = card_of(model, facts)
    if output is None:
        sys.stdout.write(text)
        return
    write_text(output, text)
    click.echo(f"wrote {output}")

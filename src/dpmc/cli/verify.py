"""``dpmc verify``: does a published folder say what is true, and may it be published?"""

from pathlib import Path

import click

from dpmc.cli.help import Command

NOT_FOR_PUBLICATION = 3
"""Exit status of a folder whose noise was simulated; one that is not right has 2."""


@click.command(
    cls=Command,
    groups={"Publication": ("users_about",), "Output": ("explain",)},
    examples=("dpmc verify model --users-about 5000", "dpmc verify model --explain"),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--users-about",
    type=click.IntRange(1),
    metavar="N",
    help="About how many users there are, to compare delta with: a number that may be known, since "
    "their true number is private and in no file. Where the list of users is public, that counts.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Say too what the guarantee means, for whoever decides and is not of the field.",
)
@click.pass_context
def verify(context, model, users_about, explain):
    """Check a folder that dpmc fit wrote.

    The check covers the form of guarantee.json, that the files are those it was written for, and
    that the stated noise gives the stated epsilon when it is accounted for again. Then the
    guarantee is printed, remarks on an epsilon above 10 or a delta that is not below 1 / users, and
    in the last line whether the folder may be published: the exit status is 0 if it may, 3 if the
    noise was simulated, so that it must not, and 2 if the folder is not right.

    Whether the noise was drawn as stated, and whether what is assumed to be public was public,
    cannot be seen from outside. Nor who wrote it: whoever rewrites the files can rewrite their
    digests and state another guarantee, so compare guarantee.json with one from a trusted place.
    """
    from dpmc.methods.released.verify import verify as check

    verdict = check(model, users_about)
    click.echo(verdict.sentence)
    for each in verdict.explanation() if explain else ():
        click.echo(f"- {each}")
    if explain:
        for each in verdict.stated["assumed_public"].values():
            click.echo(f"- Taken to be public: {each}.")
        click.echo(f"- The budget is spent {verdict.stated['spent']}.")
    if explain and verdict.facts:
        click.echo(f"- {verdict.facts.sentence()} (So its maker says.)")
    for each in verdict.remarks:
        click.echo(f"Remark: {each}.")
    click.echo(verdict.line())
    if verdict.simulated:
        context.exit(NOT_FOR_PUBLICATION)

"""``dpmc verify``: does a published folder say what is true, and may it be published?"""

from pathlib import Path

import click

from dpmc.cli.help import Command

NOT_FOR_PUBLICATION = 3
"""Exit status of a folder that must not be published; one that is not right has 2."""
LIMITS = ("max_epsilon", "max_delta")


def limit_options(command):
    """Add --max-epsilon and --max-delta."""
    for name, usual in (("delta", "below 0.01"), ("epsilon", "20")):
        command = click.option(
            f"--max-{name}",
            type=float,
            metavar="NUMBER",
            help=f"Largest {name} that may be published.  [default: {usual}]",
        )(command)
    return command


@click.command(
    cls=Command,
    groups={"Publication": ("users_about", *LIMITS), "Output": ("explain",)},
    examples=(
        "dpmc verify model --users-about 5000",
        "dpmc verify model --max-epsilon 5 --max-delta 1e-6",
        "dpmc verify model --explain",
    ),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--users-about",
    type=click.IntRange(1),
    metavar="N",
    help="About how many users there are, at most 0.1 / delta: a number that may be known, since "
    "their true number is private and in no file. Where the list of users is public, that counts.",
)
@limit_options
@click.option(
    "--explain",
    is_flag=True,
    help="Say too what the guarantee means, for whoever decides and is not of the field.",
)
@click.pass_context
def verify(context, model, users_about, max_epsilon, max_delta, explain):
    """Check a folder that dpmc fit wrote.

    The check covers the form of guarantee.json, that the folder has the files it was written for
    and that these hold what dpmc fit writes, and that the stated noise gives the stated epsilon
    when it is accounted for again. Then the guarantee is printed, a remark if it is weak, and in
    the last line the verdict, which the exit status follows:

    \b
    0  it may be published, on conditions that nothing in a folder can show
    2  the folder is not right; one sentence says why
    3  it must not be published: the noise was simulated; epsilon is above 20,
       or delta not below 0.01, unless --max-epsilon or --max-delta allow it;
       or there are more users than 0.1 / delta

    Whether the noise was drawn as stated, and whether what is assumed to be public was public,
    cannot be seen from outside. Nor who wrote it: whoever rewrites the files can rewrite their
    digests and state another guarantee, so compare guarantee.json with one from a trusted place.
    """
    from dpmc.methods.released.verify import verify as check

    verdict = check(model, users_about, max_epsilon=max_epsilon, max_delta=max_delta)
    click.echo(verdict.sentence)
    for each in verdict.explanation() if explain else ():
        click.echo(f"- {each}")
    if explain:
        for each in verdict.stated["assumed_public"].values():
            click.echo(f"- Taken to be public: {each}.")
        click.echo(f"- The budget is spent {verdict.stated['spent']}.")
    if explain and verdict.facts:
        click.echo(f"- {verdict.facts.sentence()} (So its maker says.)")
    if explain:
        click.echo("\n".join(["", *verdict.comparison(), ""]))
    for each in verdict.remarks:
        click.echo(f"Remark: {each}.")
    click.echo(verdict.line())
    if verdict.objections:
        context.exit(NOT_FOR_PUBLICATION)

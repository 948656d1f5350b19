"""The command line: ``dpmc``. Commands import what they need when they run."""

import importlib
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points

import click

from dpmc import __version__
from dpmc.cli.help import Group
from dpmc.errors import InputError, did_you_mean
from dpmc.files import refusal

TASKS = {
    "Your own ratings": {
        "evaluate": "Measure the error of each method and budget on public ratings.",
        "noise": "Say how much noise a budget needs, and which mechanism needs the least.",
        "check": "Show how a table of ratings would be read, before a fit spends anything on it.",
        "fit": "Learn a model that may be published from private ratings.",
        "verify": "Check a folder that dpmc fit wrote.",
        "ledger": "Show what fits of the same ratings have spent together, and what is left.",
        "card": "Write the card of a published model.",
        "complete": "Predict ratings, or rank items, for users from a published model.",
        "page": "Make a page in which people get recommendations on their own device.",
        "store": "Build a store on disk of many private ratings, and check it.",
    },
    "The papers": {
        "budget": "Print the nominal epsilon of one release for each mechanism.",
    },
}
"""The commands in the order of ``dpmc --help``, each with the first sentence of its help.

A command is the function of its name in the module of its name, imported when it is called.
"""
ADDED = "dpmc.commands"
"""The group of entry points by which other packages add commands: each is such a mapping, and its
commands are the functions of their names in the modules of their names beside it.
"""
IN_THE_CHECKOUT = ("cell", "data", "diff", "plan", "reference")
"""Commands of the reproduction of the papers, for whoever looks for them without it."""
EXAMPLES = (
    "dpmc fit --ratings mine.csv --items catalogue.txt --output model \\\n"
    "    --relation user --rating-range 1 5 --epsilon 5",
    "dpmc complete --model model --ratings mine.csv --top 10",
    "dpmc COMMAND --help",
)


@cache
def added() -> dict[str, Mapping[str, Mapping[str, str]]]:
    """Return what other packages add: the name of a package with commands -> its tasks."""
    found = {}
    for each in entry_points(group=ADDED):
        with suppress(ModuleNotFoundError):  # it was installed from a folder that is gone
            found[each.module] = each.load()
    return found


def named(tasks: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the commands of tasks, each with the first sentence of its help."""
    return {name: sentence for names in tasks.values() for name, sentence in names.items()}


def commands() -> dict[str, str]:
    """Return all commands, those that other packages add among them."""
    return {
        name: text for tasks in (TASKS, *added().values()) for name, text in named(tasks).items()
    }


def package_of(name: str) -> str | None:
    """Return the package that has a command; others are looked for only if it is not ours."""
    if name in named(TASKS):
        return __name__
    return next((package for package, tasks in added().items() if name in named(tasks)), None)


class LazyGroup(Group):
    """A group that imports a command's module only when that command is used."""

    def invoke(self, ctx):
        """Run a command; Ctrl-C ends in a sentence, where the command has none of its own."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise InputError("Stopped.") from None

    def list_commands(self, ctx):
        """Return the names of all commands."""
        return sorted(commands())

    def get_command(self, ctx, name):
        """Import and return a command, None if there is none of that name."""
        package = package_of(name)
        return package and getattr(importlib.import_module(f"{package}.{name}"), name)

    def resolve_command(self, ctx, args):
        """Find the command; suggest the nearest one for a misspelt name."""
        if args and not args[0].startswith("-") and package_of(args[0]) is None:
            if args[0] in IN_THE_CHECKOUT:
                raise InputError(
                    f"dpmc {args[0]} belongs to the reproduction of the papers: get dpmc's "
                    "repository, and run make reproduce there."
                )
            ctx.fail(f"There is no command '{args[0]}'{did_you_mean(args[0], commands())}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx, formatter):
        """List the commands without importing them."""
        every = (TASKS, *added().values())
        for title in dict.fromkeys(title for tasks in every for title in tasks):
            with formatter.section(title):
                formatter.write_dl([pair for each in every for pair in each.get(title, {}).items()])


@click.group(
    cls=LazyGroup, examples=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="dpmc")
def cli():
    """Complete ratings with differential privacy, and check what papers claim.

    The reproduction of the papers is a Snakemake workflow: run `make reproduce`.
    """


def main():
    """Run the command line; bad input ends in one sentence and exit status 2.

    So does what the file system refuses where no command foresaw it, such as a disk that is full.
    A closed pipe is click's.
    """
    try:
        cli.main(prog_name="dpmc")
    except InputError as error:
        _end(error, str(error), error.status)
    except OSError as error:
        _end(error, refusal(error))
    except MemoryError as error:
        advice = "ask for fewer users or items, a lower rank or fewer trials"
        _end(error, f"This needs more memory than there is; {advice} ({error}).")


def _end(error, sentence, status=InputError.status):
    """Print a sentence and what was noted beside the error, such as what a fit has spent; exit."""
    print("dpmc:", sentence, *getattr(error, "__notes__", ()), file=sys.stderr)
    sys.exit(status)

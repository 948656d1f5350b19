"""The command line: ``dpmc``. Commands import what they need when they run."""

import importlib
import sys

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
        "plan": "State what a run will cost before anything runs.",
        "budget": "Print the nominal epsilon of one release for each mechanism.",
        "cell": "Run one experiment of the Huber study by hand.",
        "diff": "Compare the numbers in two folders of results.",
        "reference": "Manage the reference results that a run is checked against.",
    },
    "Data sets": {
        "data": "List, fetch and verify data sets.",
    },
}
"""The commands in the order of ``dpmc --help``, each with the first sentence of its help.

A command is the function of its name in the module of its name, imported when it is called.
"""
COMMANDS = {name: sentence for names in TASKS.values() for name, sentence in names.items()}
GONE = {
    "recommend": "dpmc recommend is called dpmc noise now.",
    "onebit": "dpmc onebit was removed: for likes use dpmc fit --for ranking, and to protect the "
    "value of one rating dpmc fit --relation entry_change.",
}
"""Earlier names of commands, and what to use instead."""
WORKFLOW = (
    "jinja2", "matplotlib", "pandas", "rdata", "requests", "snakemake", "tqdm", "yaml",
)  # fmt: skip
"""Modules that only the extra ``workflow`` installs."""
EXAMPLES = (
    "dpmc fit --ratings mine.csv --items catalogue.txt --output model \\\n"
    "    --relation user --rating-range 1 5 --epsilon 5",
    "dpmc complete --model model --ratings mine.csv --top 10",
    "dpmc COMMAND --help",
)


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
        return sorted(COMMANDS)

    def get_command(self, ctx, name):
        """Import and return a command, None if there is none of that name."""
        if name not in COMMANDS:
            return None
        return getattr(importlib.import_module(f"dpmc.cli.{name}"), name)

    def resolve_command(self, ctx, args):
        """Find the command; suggest the nearest one for a misspelt name."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            if args[0] in GONE:
                raise InputError(GONE[args[0]])
            ctx.fail(f"There is no command '{args[0]}'{did_you_mean(args[0], COMMANDS)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx, formatter):
        """List the commands without importing them."""
        for title, commands in TASKS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


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

    A command of the papers without what the extra ``workflow`` installs says what to install.
    """
    try:
        cli.main(prog_name="dpmc")
    except InputError as error:
        _end(error, str(error), error.status)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in WORKFLOW:
            raise
        advice = 'pip install "dpmc[workflow]"'
        _end(error, f"This needs {error.name}, which is not installed: {advice}.")
    except OSError as error:
        _end(error, refusal(error))
    except MemoryError as error:
        advice = "ask for fewer users or items, a lower rank or fewer trials"
        _end(error, f"This needs more memory than there is; {advice} ({error}).")


def _end(error, sentence, status=InputError.status):
    """Print a sentence and what was noted beside the error, such as what a fit has spent; exit."""
    print("dpmc:", sentence, *getattr(error, "__notes__", ()), file=sys.stderr)
    sys.exit(status)

"""The command line: ``dpmc``. Commands import what they need when they run."""

import importlib
import sys

import click

from dpmc import __version__
from dpmc.errors import InputError, did_you_mean

# command -> (module, attribute, one line for --help): nothing is imported until it is called
COMMANDS = {
    "budget": ("dpmc.cli.budget", "budget", "Per-release epsilon of each mechanism (table 1)."),
    "cell": ("dpmc.cli.cell", "cell", "Run one cell by hand, on the grid or off."),
    "complete": ("dpmc.cli.complete", "complete", "Complete ratings from published factors."),
    "data": ("dpmc.cli.data", "data", "List, fetch and verify data sets."),
    "diff": ("dpmc.cli.diff", "diff", "Compare two result folders."),
    "evaluate": ("dpmc.cli.evaluate", "evaluate", "Which error at which budget; not private."),
    "fit": ("dpmc.cli.fit", "fit", "Complete your own ratings within a privacy budget."),
    "onebit": ("dpmc.cli.onebit", "onebit", "Complete your own likes within a privacy budget."),
    "plan": ("dpmc.cli.plan", "plan", "What a run will cost, before anything runs."),
    "recommend": ("dpmc.cli.recommend", "recommend", "Which mechanism for my budget."),
    "reference": (
        "dpmc.cli.reference",
        "reference",
        "Update the numbers that check compares with.",
    ),
    "verify": ("dpmc.cli.verify", "verify", "Check a folder that fit or onebit wrote."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is used."""

    def list_commands(self, ctx):
        """Return the names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx, name):
        """Import and return a command, None if there is none of that name."""
        if name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[name]
        return getattr(importlib.import_module(module), attribute)

    def resolve_command(self, ctx, args):
        """Find the command; suggest the nearest one for a misspelt name."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"There is no command '{args[0]}'{did_you_mean(args[0], COMMANDS)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx, formatter):
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][2]) for name in sorted(COMMANDS)])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dpmc")
def cli():
    """Differentially private matrix completion: reproduction, checks, budgets.

    The full reproduction is a Snakemake workflow: `make reproduce`.
    """


def main():
    """Run the command line; bad input ends in one sentence and exit status 2.

    So does what the file system refuses where no command foresaw it, such as a disk that is full.
    A closed pipe and Ctrl-C are click's.
    """
    try:
        cli.main(prog_name="dpmc")
    except InputError as error:
        print(f"dpmc: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        print(f"dpmc: {where}{error.strerror or error}.", file=sys.stderr)
        sys.exit(2)
    except MemoryError as error:
        advice = "ask for fewer users or items, a lower rank or fewer trials"
        print(f"dpmc: This needs more memory than there is; {advice} ({error}).", file=sys.stderr)
        sys.exit(2)

"""The command line: ``dpmc``. Commands import what they need when they run."""

import importlib
import sys

import click

from dpmc import __version__
from dpmc.cli.help import Group
from dpmc.errors import InputError, did_you_mean
from dpmc.files import refusal

# command -> (module, attribute, the first sentence of its help): nothing is imported until it is
# called
COMMANDS = {
    "budget": (
        "dpmc.cli.budget",
        "budget",
        "Print the nominal epsilon of one release for each mechanism.",
    ),
    "cell": ("dpmc.cli.cell", "cell", "Run one experiment of the Huber study by hand."),
    "complete": (
        "dpmc.cli.complete",
        "complete",
        "Predict ratings for users from a published model.",
    ),
    "data": ("dpmc.cli.data", "data", "List, fetch and verify data sets."),
    "diff": ("dpmc.cli.diff", "diff", "Compare the numbers in two folders of results."),
    "evaluate": (
        "dpmc.cli.evaluate",
        "evaluate",
        "Measure the error of each method and budget on public ratings.",
    ),
    "fit": (
        "dpmc.cli.fit",
        "fit",
        "Learn a model that may be published from private ratings.",
    ),
    "onebit": (
        "dpmc.cli.onebit",
        "onebit",
        "Complete likes and dislikes within a privacy budget.",
    ),
    "plan": ("dpmc.cli.plan", "plan", "State what a run will cost before anything runs."),
    "recommend": (
        "dpmc.cli.recommend",
        "recommend",
        "Say which noise mechanism suits a privacy budget best.",
    ),
    "reference": (
        "dpmc.cli.reference",
        "reference",
        "Manage the reference results that a run is checked against.",
    ),
    "verify": (
        "dpmc.cli.verify",
        "verify",
        "Check a folder that dpmc fit or dpmc onebit wrote.",
    ),
}
WORKFLOW = (
    "jinja2", "matplotlib", "pandas", "rdata", "requests", "snakemake", "tqdm", "yaml",
)  # fmt: skip
"""Modules that only the extra ``workflow`` installs."""
TASKS = {
    "Your own ratings": ("evaluate", "recommend", "fit", "verify", "complete", "onebit"),
    "The papers": ("plan", "budget", "cell", "diff", "reference"),
    "Data sets": ("data",),
}
"""The commands in the order of ``dpmc --help``."""
EXAMPLES = (
    "dpmc fit --ratings mine.csv --items catalogue.txt --output model \\\n"
    "    --relation user --rating-range 1 5 --epsilon 5",
    "dpmc complete --model model --ratings mine.csv --top 10",
    "dpmc COMMAND --help",
)


class LazyGroup(Group):
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
        for title, names in TASKS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name][2]) for name in names])


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
    A closed pipe and Ctrl-C are click's.

    A command of the papers without what the extra ``workflow`` installs says what to install.
    """
    try:
        cli.main(prog_name="dpmc")
    except InputError as error:
        print(f"dpmc: {error}", file=sys.stderr)
        sys.exit(2)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in WORKFLOW:
            raise
        advice = 'pip install "dpmc[workflow]"'
        print(f"dpmc: This needs {error.name}, which is not installed: {advice}.", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"dpmc: {refusal(error)}", file=sys.stderr)
        sys.exit(2)
    except MemoryError as error:
        advice = "ask for fewer users or items, a lower rank or fewer trials"
        print(f"dpmc: This needs more memory than there is; {advice} ({error}).", file=sys.stderr)
        sys.exit(2)

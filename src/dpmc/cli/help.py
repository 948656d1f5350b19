"""What commands share: options in named groups, examples at the end, refusals of options."""

from collections.abc import Mapping, Sequence

import click

from dpmc.errors import InputError, ParameterError


def option_of(parameter: str) -> str:
    """Return the option that a parameter is on the command line."""
    name = "for" if parameter == "purpose" else parameter  # which no program can have as a name
    return f"--{name.replace('_', '-')}"


class _Examples:
    """A command whose help ends in examples: command lines as one types them.

    A backslash ends a line that goes on.
    """

    examples: Sequence[str] = ()

    def format_epilog(self, ctx, formatter):
        """Write the examples as they stand, because a wrapped line could not be copied."""
        if self.examples:
            with formatter.section("Examples"):
                indent = " " * formatter.current_indent
                for line in "\n".join(self.examples).splitlines():
                    formatter.write(f"{indent}{line}\n")


class Command(_Examples, click.Command):
    """A command whose options have groups and say their defaults; its help ends in examples.

    ``groups`` is title of a group -> names of its parameters. What is in none is shown last.
    """

    def __init__(
        self,
        *args,
        groups: Mapping[str, Sequence[str]] | None = None,
        examples: Sequence[str] = (),
        **kwargs,
    ):
        super().__init__(*args, context_settings={"show_default": True}, **kwargs)
        self.groups = dict(groups or {})
        self.examples = examples

    def parse_args(self, ctx, args):
        """Read the command line.

        Two values of an option that takes one are refused: click would drop one silently.
        """
        try:
            *_, given = self.make_parser(ctx).parse_args(args=list(args))
            for option in dict.fromkeys(given):
                many = not isinstance(option, click.Option) or option.multiple or option.is_flag
                if not many and given.count(option) > 1 and not ctx.resilient_parsing:
                    raise click.UsageError(f"{option.opts[0]} is given more than once.", ctx)
            return super().parse_args(ctx, args)
        except ParameterError as error:
            raise InputError(error.spelled(option_of)) from None

    def invoke(self, ctx):
        """Run; what is said of parameters is said of options."""
        try:
            return super().invoke(ctx)
        except ParameterError as error:
            raise InputError(error.spelled(option_of)) from None

    def format_options(self, ctx, formatter):
        """Write a section for each group."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        records = {each.name: each.get_help_record(ctx) for each in options}
        for title, names in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([records.pop(name) for name in names])
        others = [record for record in records.values() if record is not None]
        with formatter.section("Other options" if self.groups else "Options"):
            formatter.write_dl(others)


class Group(_Examples, click.Group):
    """A group of commands whose help ends in examples."""

    command_class = Command

    def __init__(self, *args, examples: Sequence[str] = (), **kwargs):
        super().__init__(*args, **kwargs)
        self.examples = examples

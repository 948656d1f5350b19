"""What ``--help`` shows: one sentence, options in groups, examples that parse."""

import re
import shlex

import click
import pytest
from click.testing import CliRunner

from dpmc.cli import cli
from dpmc.cli import commands as sentences

WIDTH = 80
"""Columns of a terminal."""


def commands(command=cli, path=("dpmc",)):
    """Yield (words, command) of the program, of its commands and of theirs."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*path, name))


ALL = dict(commands())
EVERY = pytest.mark.parametrize("path", ALL, ids=" ".join)
LEAVES = {path: each for path, each in ALL.items() if not isinstance(each, click.Group)}
EVERY_LEAF = pytest.mark.parametrize("path", LEAVES, ids=" ".join)


def help_of(path):
    result = CliRunner().invoke(cli, [*path[1:], "--help"], prog_name="dpmc", terminal_width=WIDTH)
    assert result.exit_code == 0
    return result.output


def options_of(command):
    return [each.name for each in command.params if isinstance(each, click.Option)]


def words_of(example):
    return shlex.split(example.replace("\\\n", " "))


@EVERY
def test_the_first_paragraph_is_one_sentence(path):
    first, _, _ = ALL[path].help.partition("\n\n")
    assert re.fullmatch(r"[A-Z][^.\n]*\.", first), first
    assert len(first) < WIDTH
    assert first in help_of(path).replace("\n  ", " ")


@pytest.mark.parametrize("name", sentences())
def test_the_list_of_commands_has_that_sentence(name):
    assert ALL["dpmc", name].help.partition("\n\n")[0] == sentences()[name]


@EVERY_LEAF
def test_every_option_is_in_one_group_and_says_what_it_is(path):
    command = LEAVES[path]
    grouped = [name for names in command.groups.values() for name in names]
    assert sorted(grouped) == sorted(options_of(command))
    told = {each.name: each.help or "" for each in command.params if each.name in grouped}
    assert [name for name, text in told.items() if not re.match(r"[A-Za-z]", text)] == []
    output = help_of(path)
    places = [output.index(f"\n{title}:\n") for title in command.groups]
    assert places == sorted(places)


@EVERY
def test_examples_end_the_help_and_parse(path):
    examples = ALL[path].examples
    assert examples
    output = help_of(path)
    ending = output.partition("\nExamples:\n")[2]
    assert ending == "".join(f"  {line}\n" for line in "\n".join(examples).splitlines())
    assert max(map(len, ending.splitlines())) <= WIDTH
    for example in examples:
        words = words_of(example)
        if words == ["dpmc", "COMMAND", "--help"]:
            continue
        assert tuple(words[: len(path)]) == path
        used = max(known for known in LEAVES if tuple(words[: len(known)]) == known)
        # what is missing, unknown or of another type is a UsageError
        LEAVES[used].make_context(used[-1], words[len(used) :])


@EVERY_LEAF
def test_an_option_that_takes_one_value_is_not_given_twice(path):
    """Of two values click takes the last without a word; a further configuration is laid over."""
    command = LEAVES[path]
    for option in command.params:
        if isinstance(option, click.Option) and not option.is_flag:
            twice = 2 * [option.opts[0], *option.nargs * ["x"]]
            if option.multiple:
                assert re.search("again|more than once|twice", option.help)
                continue
            assert option.name != "config"
            with pytest.raises(click.UsageError, match=f"^{option.opts[0]} is given more than"):
                command.make_context(path[-1], twice)

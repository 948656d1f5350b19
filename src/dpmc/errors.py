"""The one exception that means "the user can fix this"."""

import difflib
from collections.abc import Callable, Collection, Iterable
from string import Formatter


class InputError(ValueError):
    """Bad input. The message is one sentence: what is wrong, and what to do.

    The command line and the workflow scripts print the message alone, without a traceback,
    and exit with :attr:`status`.
    """

    status = 2


class NeedsALook(InputError):
    """Something that was remarked on needs a look, and nothing was spent."""

    status = 4


class ParameterError(InputError):
    """Bad input whose sentence names parameters, in the spelling of each caller.

    As text it has the names as they are; the command line uses ``spelled`` to add dashes.

    Parameters
    ----------
    sentence : str
        A format string. A field of one of ``values`` stands for that value, a numbered one for a
        parameter among ``names``, and any other for the parameter of its own name.
    """

    def __init__(self, sentence: str, *names: str, **values: object):
        super().__init__(sentence, *names)
        self.values = values

    def spelled(self, spell: Callable[[str], str]) -> str:
        """Return the sentence, with ``spell(name)`` for the name of each parameter."""
        sentence, *names = self.args
        fields = [field for _, field, _, _ in Formatter().parse(sentence) if field]
        named = {field: spell(field) for field in fields if not field.isdigit()}
        return sentence.format(*map(spell, names), **named | self.values)

    def __str__(self) -> str:
        return self.spelled(str)


def did_you_mean(word: object, allowed: Iterable[object]) -> str:
    """Return " (did you mean 'x'?)" for the spelling nearest to ``word``, or an empty string.

    Otherwise it is a spelling that contains ``word``, as "private_als" contains "als".
    """
    names = [str(name) for name in allowed]
    close = difflib.get_close_matches(str(word), names, n=1)
    close = close or [name for name in names if str(word) in name.split("_")]
    return f" (did you mean '{close[0]}'?)" if close else ""


def refuse_unknown(what: str, names: Iterable[str], allowed: Collection[str]) -> None:
    """Refuse the first name that is not allowed.

    Raises
    ------
    InputError
        Says what was asked for, what is meant perhaps, and what there is.
    """
    for name in names:
        if name not in allowed:
            raise InputError(
                f"There is no {what} {name!r}{did_you_mean(name, allowed)}; "
                f"known are {', '.join(allowed)}."
            )

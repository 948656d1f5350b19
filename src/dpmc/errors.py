"""The one exception that means "the user can fix this"."""

import difflib
from collections.abc import Collection, Iterable


class InputError(ValueError):
    """Bad input. The message is one sentence that says what is wrong and what to do.

    The command line and the workflow scripts print the message alone, without a traceback,
    and exit with a status other than 0.
    """


def did_you_mean(word: object, allowed: Iterable[object]) -> str:
    """Return " (did you mean 'x'?)" for the spelling nearest to ``word``, or an empty string."""
    close = difflib.get_close_matches(str(word), [str(a) for a in allowed], n=1)
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

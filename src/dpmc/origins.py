"""Where a list of items or users is from, and the words for it."""

FROM_FILE, FROM_PROGRAM, FROM_RATINGS, CHOSEN = (
    "a file", "a program", "the ratings", "chosen privately",
)  # fmt: skip
"""As guarantees state it."""
_WORDS = {
    FROM_FILE: "which came from a file",
    FROM_PROGRAM: "which was given by the program that fitted",
    FROM_RATINGS: "which was read off the ratings themselves",
    CHOSEN: "which was chosen privately",
}


def assumed(what: str, origin: str | None) -> str:
    """Return what is taken for public of a list of ``what`` ("items", "users"), and whence it is.

    None: that is not known.
    """
    if origin is None:
        return f"the list of {what}, known without the ratings"
    if origin == FROM_RATINGS:
        return f"the list of {what}, {_WORDS[origin]}; its maker says that everybody knows it"
    return f"the list of {what}, {_WORDS[origin]} and was known without the ratings"


def condition(what: str, origin: str | None) -> str:
    """Return the same as a condition on which a guarantee holds."""
    if origin is None:
        return f"the list of {what} was known without the ratings"
    if origin == FROM_RATINGS:
        return f"everybody knows the list of {what}, {_WORDS[origin]}"
    return f"the list of {what}, {_WORDS[origin]}, was known without the ratings"

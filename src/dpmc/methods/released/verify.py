"""Check that a published folder is true: its form, its files, and its accounting, repeated.

The check is for people who receive a folder or are about to publish one. It cannot see whether the
noise was drawn as stated, whether the data assumed to be public were public, or how ratings were
counted. It cannot see who wrote the folder either: digests have no key, so that anybody who changes
the files can write new digests or another guarantee.
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import jsonschema

from dpmc import __version__
from dpmc.errors import InputError
from dpmc.methods.released import card, fit_folder
from dpmc.methods.released.verdict import Facts, Verdict
from dpmc.methods.released.verify_fit import Account, account_fit
from dpmc.privacy import policy
from dpmc.publication.folder import (
    GUARANTEE,
    SIMULATED,
    SPENT,
    UNSEEN,
    check_stated,
    digests,
    guarantee_text,
    versions_here,
)

SCHEMA = Path(__file__).parent / "schemas" / f"{fit_folder.FORMAT}.json"

Judged = Callable[[int | None, float | None, float | None], Verdict]
"""From the number of users, and the largest epsilon and delta, if these are known."""


def verify(
    path: Path,
    users: int | None = None,
    *,
    max_epsilon: float | None = None,
    max_delta: float | None = None,
) -> Verdict:
    """Check a folder that ``dpmc fit`` wrote, and judge whether it may be published.

    Parameters
    ----------
    users : int, optional
        About how many users there are, by whoever knows it: delta is compared with it. A folder
        holds their number only where their list is public, which then counts.
    max_epsilon, max_delta : float, optional
        The largest that may be published, in place of those of :mod:`dpmc.privacy.policy`.

    Raises
    ------
    InputError
        The folder cannot be read, its guarantee is not in the format, a file is missing, changed,
        not named in it or holds something else, or what is stated does not follow from the stated
        settings and noise.
    """
    judged = _checked(path)
    text, facts = _text(path / card.README), None
    if text is not None:
        facts = card.facts_in(text)
        if facts is None or text != _card(judged, facts):
            raise InputError(
                f"{path / card.README} is not the card that dpmc writes of this model, and nothing "
                "covers what it says: take it out, or write the card again with dpmc card."
            )
        users = facts.users_about if users is None else users
    return replace(judged(users, max_epsilon, max_delta), facts=facts)


def card_of(path: Path, facts: Facts) -> str:
    """Return the card of a folder, whatever README.md is in it now.

    An InputError refuses what :func:`verify` does, and what the limits of its maker do.
    """
    judged = _checked(path)
    return card.readme(judged(facts.users_about, facts.max_epsilon, facts.max_delta), facts)


def _card(judged: Judged, facts: Facts) -> str | None:
    """Return the card of what was checked; None if it must not have one."""
    try:
        return card.readme(judged(facts.users_about, facts.max_epsilon, facts.max_delta), facts)
    except InputError:
        return None


def _checked(path: Path) -> Judged:
    """Return what judges a folder, but for its card, after everything in it was checked."""
    name, stated = read_guarantee(path)
    if stated["simulated"] != name.startswith(SIMULATED):
        raise InputError(f"{path / name}: the name and the content differ on whether it simulates.")
    check_stated(path, stated, {"spent": SPENT, "unseen": UNSEEN})
    _check_version(path / name, stated["versions"]["dpmc"])
    files = _check_files(path, name, stated)
    try:
        found = account_fit(path, stated)
    except OverflowError:
        raise InputError(f"{path / name}: a number is too large to be true.") from None
    if found.sentence != stated["sentence"]:
        raise InputError(
            f"{path / name}: the sentence is not what the numbers say, which is: {found.sentence}"
        )
    versions = {each: stated["versions"][each] for each in versions_here()}
    text = guarantee_text(found.content, files, versions)
    if (path / name).read_bytes() != text.encode():
        raise InputError(
            f"{path / name} says what it should, but is not written as dpmc fit writes it: other "
            "blanks, digits, escapes or order. Take the file that dpmc fit wrote."
        )
    return partial(_judged, stated, found)


def _check_version(file: Path, stated: str) -> None:
    """Refuse what a later version says it wrote: what it can write is not known here."""
    wrote, here = (
        [int(each) for each in re.match(r"[0-9.]*[0-9]", text)[0].split(".")]  # type: ignore[index]
        for text in (stated, __version__)
    )
    if wrote > here:
        raise InputError(
            f"{file} is said to be of dpmc {stated}, and this is {__version__}: check it with a "
            "version that is not older."
        )


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()  # with the line ends that it has
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise InputError(f"{path} cannot be read as text.") from None


def _judged(
    stated: dict,
    found: Account,
    users: int | None,
    max_epsilon: float | None,
    max_delta: float | None,
) -> Verdict:
    listed, budget = stated["lists"]["users"], (stated["epsilon"], stated["delta"])
    users = listed["count"] if listed else users
    against = ["the noise was simulated, and can be undone"] * stated["simulated"]
    limits = {"max_epsilon": max_epsilon, "max_delta": max_delta}
    against += policy.objections(*budget, users, **limits)
    conditions = (
        "it is as its maker wrote it",
        "the noise was drawn as stated",
        "all that assumed_public names was public",
        *found.guarantee.list_conditions(),
        *policy.condition(budget[1]),
        "nothing else was published of these people, unless one ledger counts it all",
    )
    return Verdict(
        stated,
        found.sentence,
        *budget,
        found.small,
        found.attacker,
        users,
        tuple(against),
        conditions,
    )


def read_guarantee(path: Path) -> tuple[str, dict]:
    """Return the name and the content of a folder's guarantee, if there is one in the format."""
    names = [prefix + GUARANTEE for prefix in ("", SIMULATED)]
    names = [name for name in names if (path / name).exists()]
    if len(names) != 1:
        found = "no guarantee.json" if not names else "two guarantees, of different fits"
        raise InputError(f"{path} holds {found}: name a folder that dpmc fit wrote.")
    file = path / names[0]
    try:
        stated = json.loads(
            file.read_text("utf-8"),
            parse_constant=_no_number,
            parse_float=_finite,
            object_pairs_hook=_once,
        )
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not JSON ({error}).") from None
    if not isinstance(stated, dict) or stated.get("format") != fit_folder.FORMAT:
        raise InputError(
            f"{file} is not in the format {fit_folder.FORMAT}, the one that this version of dpmc "
            "knows: check it with the version that wrote it, or fit again."
        )
    error = jsonschema.exceptions.best_match(_schema().iter_errors(stated))
    if error is not None:
        place = ".".join(str(part) for part in error.absolute_path) or "the top level"
        raise InputError(
            f"{file} is not in the format {fit_folder.FORMAT}: {place}: {error.message}."
        )
    return names[0], stated


@cache
def _schema() -> jsonschema.protocols.Validator:
    """Return what a guarantee has to look like."""
    strict = {"pattern": _whole_pattern}
    validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, strict)
    return validator(json.loads(SCHEMA.read_text("utf-8")))


def _whole_pattern(validator, pattern, instance, schema):
    """Yield an error unless all of a text fits: in Python "$" is also before a last line break."""
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


def _no_number(text):
    raise ValueError(f"{text} is no number")


def _finite(text):
    return float(text) if math.isfinite(float(text)) else _no_number(text)


def _once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):  # readers differ in which of two they take
        raise ValueError("a key occurs twice in one object")
    return found


def _check_files(path: Path, guarantee: str, stated: dict) -> dict[str, str]:
    """Return the digests of the files of a folder, if these are what is stated and no others."""
    linked = [each.name for each in path.iterdir() if each.is_symlink()]
    if linked:
        raise InputError(f"{path / min(linked)} is a link: a published folder has files only.")
    try:
        found = digests(path)
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from None
    found.pop(guarantee)
    found.pop(card.README, None)  # which names the guarantee, and not the other way round
    named, prefix = stated["files"], guarantee.removesuffix(GUARANTEE)
    known = {prefix + name for name in fit_folder.FILES.values()}
    for name in sorted(found.keys() | named.keys()):
        if name not in named:
            raise InputError(
                f"{path / name} is not covered: guarantee.json does not name it. Take it out."
            )
        if name not in known:
            raise InputError(f"{path / name} is not covered: it is no file of {fit_folder.FORMAT}.")
        if name not in found:
            raise InputError(f"{path / name} is missing; guarantee.json names it.")
        if found[name] != named[name]:
            raise InputError(f"{path / name} is not the file that guarantee.json was written for.")
    return found

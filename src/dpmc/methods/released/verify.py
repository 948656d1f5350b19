"""Does a published folder say what is true? Its form, its files, and its accounting anew.

What cannot be seen from outside is whether the noise was drawn as stated, whether what is assumed
to be public was, and what is counted in the ratings themselves: this is for whoever receives a
folder, and for whoever is about to publish one. Nor can it be seen who wrote it: digests have no
key, and whoever rewrites the files can rewrite them, or make another guarantee for the same files.
"""

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import jsonschema

from dpmc.errors import InputError
from dpmc.methods.released import card, fit_folder
from dpmc.methods.released.verdict import Verdict
from dpmc.methods.released.verify_fit import account_fit
from dpmc.privacy.attacker import REASONABLE
from dpmc.privacy.guarantee import delta_remarks
from dpmc.publication.folder import GUARANTEE, SIMULATED, SPENT, UNSEEN, check_stated, digests

SCHEMA = Path(__file__).parent / "schemas" / f"{fit_folder.FORMAT}.json"


def verify(path: Path, users: int | None = None) -> Verdict:
    """Check a folder that ``dpmc fit`` wrote.

    Parameters
    ----------
    users : int, optional
        About how many users there are, by whoever knows it: delta is compared with it. A folder
        holds their number only where their list is public, which then counts.

    Raises
    ------
    InputError
        The folder cannot be read, its guarantee is not in the format, a file is missing, changed,
        not named in it or holds something else, or what is stated does not follow from the stated
        settings and noise.
    """
    name, stated = read_guarantee(path)
    if stated["simulated"] != name.startswith(SIMULATED):
        raise InputError(f"{path / name}: the name and the content differ on whether it simulates.")
    check_stated(path, stated, {"spent": SPENT, "unseen": UNSEEN})
    _check_files(path, name, stated)
    try:
        sentence, attacker = account_fit(path, stated)
    except OverflowError:
        raise InputError(f"{path / name}: a number is too large to be true.") from None
    if sentence != stated["sentence"]:
        raise InputError(
            f"{path / name}: the sentence is not what the numbers say, which is: {sentence}"
        )
    budget = stated["epsilon"], stated["delta"]
    listed, text = stated["lists"]["users"], _text(path / card.README)

    def judged(about: int | None) -> Verdict:
        about = listed["count"] if listed else about
        return Verdict(stated, sentence, *budget, attacker, about, *_on_budget(*budget, about))

    if text is None:
        return judged(users)
    facts = card.facts_in(text)
    said = facts.users_about if facts else None
    verdict = judged(said if users is None else users)
    if facts and not verdict.simulated and card.readme(judged(said), facts) == text:
        return replace(verdict, facts=facts)
    own = f"{card.README}, which is not the card that dpmc writes, was written without the ratings"
    return replace(verdict, of_readme=(own,))


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise InputError(f"{path} cannot be read as text.") from None


def _on_budget(epsilon: float, delta: float, users: int | None) -> tuple[tuple[str, ...], ...]:
    """Return remarks on a budget, and the conditions on which a folder may be published."""
    remarks = []
    if epsilon > REASONABLE:
        remarks.append(
            f"epsilon {epsilon:g} is above {REASONABLE:g}, so the guarantee is called weak: what "
            f"is published may be e^{epsilon:g} times as likely for one neighbour as for the other"
        )
    conditions = [
        "it is as its maker wrote it",
        "the noise was drawn as stated",
        "all that assumed_public names was public",
    ]
    if users is not None:
        remarks += delta_remarks(delta, users)
    elif delta > 0:
        conditions.append(f"delta {delta:g} is far below 1 / number of users")
    return tuple(remarks), tuple(conditions)


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
def _schema() -> jsonschema.Draft202012Validator:
    """Return what a guarantee has to look like."""
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))


def _no_number(text):
    raise ValueError(f"{text} is no number")


def _finite(text):
    return float(text) if math.isfinite(float(text)) else _no_number(text)


def _once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):  # readers differ in which of two they take
        raise ValueError("a key occurs twice in one object")
    return found


def _check_files(path: Path, guarantee: str, stated: dict) -> None:
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

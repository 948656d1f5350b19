"""Errata: texts of a study's ``errata.yaml``, filled with the numbers that show them.

Numbers that are those of the run are computed for its page, as a study says. Others are text, which
``tests/contract/test_errata_numbers.py`` compares with what it computes.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from dpmc.errors import InputError
from dpmc_studies.frame.judging.finding import NOT_AVAILABLE
from dpmc_studies.frame.showing.texts import check_used, fill
from dpmc_studies.yaml_files import read_mapping

CHANGES_CONCLUSION = "error that changes a conclusion"
WITHOUT_CONSEQUENCE = "error without consequence"
UNSTATED = "unstated"
IMPROVEMENT = "our improvement"
NONE: Mapping = MappingProxyType({})


@dataclass(frozen=True)
class Erratum:
    """Something reported that is not right, or left open, or that dpmc does otherwise.

    Attributes
    ----------
    grade : str
        How much it matters:

        - :data:`CHANGES_CONCLUSION`: put right, a guarantee, theorem or finding that is stated no
          longer holds as stated;
        - :data:`WITHOUT_CONSEQUENCE`: wrong as written, but nothing that is concluded rests on it;
        - :data:`UNSTATED`: what is needed to repeat or to judge the work is not stated, or stated
          in two ways;
        - :data:`IMPROVEMENT`: right as written; dpmc does it otherwise, with a reason.
    place : str
        Where it is reported: section, table, equation.
    published, correct : str
        What is reported and what is right, or what was settled where nothing is stated.
    evidence : str
        A sentence or two with the numbers that show it.
    numbers : dict
        The same numbers by name, unrounded; a number that needs absent data is missing, and one
        that is text.
    """

    id: str
    title: str
    grade: str
    place: str
    published: str
    correct: str
    evidence: str
    numbers: Mapping[str, float]


class Evidence:
    """What fills the placeholders of an erratum.

    Parameters
    ----------
    numbers : mapping of str to float
        What shows it, unrounded; each may have a placeholder.
    without : collection of str
        The sentences of the evidence that are left out: their data are not available.
    **words : object
        What else its texts name; each must have a placeholder. A list of mappings: so many times
        the text of that name below the key ``each``, joined as it says there.
    """

    def __init__(
        self, numbers: Mapping[str, float], without: Collection[str] = (), **words: object
    ) -> None:
        self.numbers, self.without, self.words = numbers, set(without), words


def read_errata(
    path: Path, show: Mapping[str, Callable[..., Evidence]] = NONE, sources: object = None
) -> list[Erratum]:
    """Return the errata of a file, in its order, with their evidence.

    Parameters
    ----------
    path : path
        YAML: id -> ``title``, ``grade``, ``place``, ``published``, ``correct`` and ``evidence``, a
        text, or sentences by name where some need data that may be absent; and ``each``: name ->
        ``text`` and what ``joins`` several.
    show : mapping
        ``show[id](sources)`` returns the :class:`Evidence` of an erratum with placeholders.

    Raises
    ------
    InputError
        If an id of ``show`` has no text, or a placeholder does not resolve.
    """
    entries = read_mapping(path)
    if lonely := sorted(set(show) - set(entries)):
        raise InputError(f"{path}: {lonely[0]} has a function, but no text.")
    found = {id_: function(sources) for id_, function in show.items()}
    return [filled(id_, entries[id_], found.get(id_, Evidence({}))) for id_ in entries]


def filled(id_: str, entry: Mapping[str, object], found: Evidence) -> Erratum:
    """Return an erratum: its entry in the file, filled with what was found."""
    entry = dict(entry)
    repeated = entry.pop("each", {})
    sentences = entry.pop("evidence")
    sentences = {"evidence": sentences} if isinstance(sentences, str) else sentences
    if found.without - set(sentences):
        raise InputError(f"{id_}: there is no sentence {min(found.without - set(sentences))}.")
    texts = [*entry.values(), *sentences.values()]
    check_used(found.words, texts, id_)
    check_used(repeated, texts, id_)
    values = dict(found.numbers) | found.words
    for name, each in repeated.items():
        if name in values:
            values[name] = _joined(each, values[name], f"{id_}, {name}")
    told = {name: fill(text, values, id_) for name, text in entry.items()}
    shown = [fill(sentences[name], values, id_) for name in sentences if name not in found.without]
    evidence = " ".join(shown) or f"{NOT_AVAILABLE.capitalize()}."
    return Erratum(id_, **told, evidence=evidence, numbers=found.numbers)


def _joined(each: Mapping[str, str], rows: Sequence[Mapping[str, object]], where: str) -> str:
    for row in rows:
        check_used(row, [each["text"]], where)
    return each["joins"].join(fill(each["text"], row, where) for row in rows)


def listed(values, digits: int) -> str:
    """Format numbers as "1.23, 4.56 and 7.89"."""
    texts = [f"{value:.{digits}f}" for value in values]
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]

"""The card of a published model, for hubs of models.

A card is made from a verified folder and its maker's facts. The last line of the README holds these
facts, from which :func:`dpmc.methods.released.verify.verify` makes the card again to compare.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import date

from dpmc.errors import InputError, ParameterError
from dpmc.methods import method_class
from dpmc.methods.base import check_count
from dpmc.methods.released import fit_folder
from dpmc.methods.released.verdict import Facts, Verdict
from dpmc.methods.user_level.local_bayes.worth import ABOUT
from dpmc.privacy import policy

README = "README.md"
LONGEST = 300
"""Characters of one thing that a maker says."""
_MARK = "<!-- dpmc card "


def check_facts(facts: Facts) -> Facts:
    """Refuse what would not stay one line of a card, what is no date, and limits that are none."""
    for name, value in asdict(facts).items():
        if isinstance(value, str) and not (value.isprintable() and 0 < len(value) <= LONGEST):
            raise ParameterError(
                "{0} must be one line of 1 to {most} printable characters.", name, most=LONGEST
            )
    if facts.users_about is not None:
        check_count("users_about", facts.users_about)
    limits = {"max_epsilon": facts.max_epsilon, "max_delta": facts.max_delta}
    for name, limit in limits.items():
        if limit is not None and not isinstance(limit, float):
            raise InputError(f"{name} must be a number, got {limit!r}.")
    policy.check_limits(**limits)
    if facts.date is not None and not _is_date(facts.date):
        raise ParameterError("{date} must be a day such as 2026-01-31, got {day}.", day=facts.date)
    return facts


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def readme(verdict: Verdict, facts: Facts) -> str:
    """Return the card as Markdown, with the front matter that hubs of models read.

    An InputError refuses a model that must not be published.
    """
    if verdict.objections:
        raise InputError(f"There is no card of this model. {verdict.line()}")
    stated = verdict.stated
    front = {"license": facts.licence.lower()} if facts.licence else {}  # as hubs spell them
    tags = ["differential-privacy", "matrix-completion", "recommender-systems"]
    front |= {"library_name": "dpmc", "tags": tags} | _index(stated, facts.name)
    said = json.dumps(asdict(facts), ensure_ascii=False).replace(">", "\\u003e")
    lines = [
        "---", *_yaml(front), "---", "",
        f"# {facts.name}", "", _made_of(stated), "",
        "## What is guaranteed", "", verdict.sentence, "", "In plain words:", "",
        *(f"- {each}" for each in verdict.explanation()),
        "", "## What is taken to be public", "",
        *(f"- {each}" for each in stated["assumed_public"].values()),
        "", *_error(stated),
        "## How to use it", "", *_use(stated), "",
        "## Before you rely on it", "",
        f"`dpmc verify` accounts for the stated noise again{_with_limits(facts)}. {verdict.line()}",
        *(f"Remark: {each}." for each in verdict.remarks),
        f"What was published is spent {stated['spent']}.", "",
        "## Who made it", "", facts.sentence(), "",
        f"{_MARK}{said} -->",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def facts_in(text: str) -> Facts | None:
    """Return the maker's facts in the last line of a card; None if dpmc did not write it."""
    last = text.rstrip("\n").rpartition("\n")[2]
    if not (last.startswith(_MARK) and last.endswith(" -->")):
        return None
    try:
        facts = Facts(**json.loads(last[len(_MARK) : -len(" -->")]))
        return check_facts(facts)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def _with_limits(facts: Facts) -> str:
    limits = {"--max-epsilon": facts.max_epsilon, "--max-delta": facts.max_delta}
    said = [f" {option} {most:g}" for option, most in limits.items() if most is not None]
    return f", with{''.join(said)}" if said else ""


def _made_of(stated: Mapping) -> str:
    return (
        f"A model of ratings, learnt by dpmc {stated['versions']['dpmc']} ({stated['method']}) "
        f"with {stated['mechanism']} noise under differential privacy; `guarantee.json` has the "
        "guarantee for programs."
    )


def _index(stated: Mapping, name: str) -> dict:
    """Return the error as hubs read it, where one was released."""
    worth = stated.get("worth")
    if not worth or worth["told"] != ABOUT:  # a hub takes every number for the error
        return {}
    result = {
        "task": {"type": "recommendation", "name": "Prediction of ratings"},
        "dataset": {"type": "private", "name": "Ratings held out, which are private"},
        "metrics": [{"type": "rmse", "name": "RMSE, with noise", "value": worth["rmse"]}],
    }
    return {"model-index": [{"name": name, "results": [result]}]}


def _error(stated: Mapping) -> list[str]:
    said = []
    if stated.get("worth"):
        said.append(f"RMSE {fit_folder.worth_in_words(**stated['worth'])}.")
    if stated.get("outcome"):
        said.append(method_class(stated["method"]).outcome_in_words(**stated["outcome"]))
    said = [each for each in said if each]
    return ["## How good it is", "", *said, ""] if said else []


def _use(stated: Mapping) -> list[str]:
    used = ["dpmc verify model", "dpmc complete --model model --ratings mine.csv --top 10"]
    said = f"A prediction is {stated['prediction']}."
    return ["```console", *(f"$ {each}" for each in used), "```", "", said]


# -- YAML ---------------------------------------------------------------------------------------


def _yaml(value: Mapping | list, indent: int = 0) -> Iterator[str]:
    """Yield the lines of what has no empty lists or mappings, without a library for it."""
    pairs = value.items() if isinstance(value, Mapping) else ((None, each) for each in value)
    blank = " " * indent
    for name, inner in pairs:
        head = f"{blank}-" if name is None else f"{blank}{name}:"
        if isinstance(inner, Mapping) and name is None:
            first, *others = _yaml(inner, indent + 2)
            yield f"{head} {first.lstrip()}"
            yield from others
        elif isinstance(inner, Mapping | list):
            yield head
            yield from _yaml(inner, indent + 2)
        else:
            yield f"{head} {_scalar(inner)}"


def _scalar(value: str | float | int) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # YAML takes 1e-06 for text
    return text.replace("e", ".0e") if isinstance(value, float) and "." not in text else text

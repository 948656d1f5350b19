"""The card of a published model: for hubs of models, and for the registry of deployments.

A card is made of a folder that was verified and of what its maker says. The last line of the
README holds the latter, so that :func:`dpmc.methods.released.verify.verify` can make the card anew
and compare.
"""

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import date

from dpmc.errors import InputError, ParameterError
from dpmc.methods.released import fit_folder
from dpmc.methods.released.verdict import Facts, Verdict
from dpmc.privacy.relations import RELATIONS, USER_LEVEL

README = "README.md"
WIDTH = 96
"""Columns of longer texts in YAML."""
LONGEST = 300
"""Characters of one thing that a maker says."""
NEEDED = ("maker", "date", "region", "use")
"""What the registry asks for and no folder holds."""
_MARK = "<!-- dpmc card "


def check_facts(facts: Facts) -> Facts:
    """Refuse what would not stay one line of a card, and what is no date."""
    for name, value in asdict(facts).items():
        if isinstance(value, str) and not (value.isprintable() and 0 < len(value) <= LONGEST):
            raise ParameterError(
                "{0} must be one line of 1 to {most} printable characters.", name, most=LONGEST
            )
    if facts.date is not None and not _is_date(facts.date):
        raise ParameterError("{date} must be a day such as 2026-01-31, got {day}.", day=facts.date)
    return facts


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def readme(verdict: Verdict, facts: Facts) -> str:
    """Return the card as Markdown, with the front matter that hubs of models read."""
    verdict = _alone(verdict)
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
        f"`dpmc verify` accounts for the stated noise again. {verdict.line()}",
        *(f"Remark: {each}." for each in verdict.remarks),
        f"What was published is spent {stated['spent']}.", "",
        "## Who made it", "", facts.sentence(), "",
        f"{_MARK}{said} -->",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def facts_in(text: str) -> Facts | None:
    """Return what the maker says in the last line of a card, None if it is none of ours."""
    last = text.rstrip("\n").rpartition("\n")[2]
    if not (last.startswith(_MARK) and last.endswith(" -->")):
        return None
    try:
        facts = Facts(**json.loads(last[len(_MARK) : -len(" -->")]))
        return check_facts(facts)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def _alone(verdict: Verdict) -> Verdict:
    """Return what is to be said of a folder that may be published, whatever card is in it."""
    if verdict.simulated:
        raise InputError(f"There is no card of this model. {verdict.line()}")
    return replace(verdict, of_readme=())


def _made_of(stated: Mapping) -> str:
    return (
        f"A model of ratings, learnt by dpmc {stated['versions']['dpmc']} ({stated['method']}) "
        f"with {stated['mechanism']} noise under differential privacy; `guarantee.json` has the "
        "guarantee for programs."
    )


def _index(stated: Mapping, name: str) -> dict:
    """Return the error as hubs read it, where one was released."""
    worth = stated.get("worth")
    if not worth:
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
        said.append(fit_folder.outcome_in_words(**stated["outcome"]))
    said = [each for each in said if each]
    return ["## How good it is", "", *said, ""] if said else []


def _use(stated: Mapping) -> list[str]:
    used = ["dpmc verify model", "dpmc complete --model model --ratings mine.csv --top 10"]
    return ["```console", *(f"$ {each}" for each in used), "```", "", _prediction(stated)]


def _prediction(stated: Mapping) -> str:
    return f"A prediction is {stated['prediction']}."


# -- the registry of deployments ----------------------------------------------------------------


def registry(verdict: Verdict, facts: Facts) -> str:
    """Return a draft of a record for the OpenDP Deployments Registry, as YAML, of tier 3.

    Its schema is schemas/deployments-schema.yaml of github.com/opendp/deployments-registry-data.

    Raises
    ------
    InputError
        The noise was simulated, or it is not said who published what, when, about whom, what for.
    """
    verdict = _alone(verdict)
    missing = [name for name in NEEDED if getattr(facts, name) is None]
    if missing:
        raise ParameterError("The registry asks for {0}: give it too.", missing[0])
    stated = verdict.stated
    of_users, public = stated["relation"] in USER_LEVEL, stated["assumed_public"]
    slug = re.sub(r"[^a-z0-9]+", "-", f"{facts.name} {facts.date[:4]}".lower()).strip("-")
    deployment = {
        "basic": {
            "name": facts.name,
            "data_curators": [facts.maker],
            "intended_use": facts.use,
            "data_product_type": "Machine learning model",
            "data_product_region": facts.region,
            "description": _made_of(stated),
            "publication_date": facts.date,
        },
        "dp_variant": {
            "variant_name": "Approximate DP" if verdict.delta else "Pure DP",
            "data_domain": f"All tables of ratings of which this holds: {public['table']}.",
            "unprotected_quantities": f"Taken to be public: {'; '.join(public.values())}.",
        },
        "privacy_loss": {
            "privacy_unit": "User" if of_users else "One rating",
            "privacy_unit_details": f"Adjacent are tables where {RELATIONS[stated['relation']]}.",
            "privacy_parameters": {"epsilon": verdict.epsilon, "delta": verdict.delta},
            "privacy_parameters_details": " ".join(verdict.explanation()),
        },
        "deployment_model": {
            "model_name": "Central",
            "actors": f"{facts.maker} holds the ratings and is trusted with them. Whoever sees the "
            f"published files is not trusted. {stated['unseen'].capitalize()}.",
            "release_type": "One release",
            "release_type_details": f"The budget is spent {stated['spent']}.",
            "data_source_type": "Static",
            "access_type": "Non-interactive",
        },
        "accounting": {
            "post_processing": _prediction(stated),
            "composition": verdict.sentence,
        },
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": f"{public['constants'].capitalize()}. "
            f"These are: {json.dumps(stated['constants'], ensure_ascii=False)}.",
            "mechanisms": f"{_noise(stated).capitalize()}. Implemented by dpmc, version "
            f"{stated['versions']['dpmc']}.",
            "justification": " ".join([verdict.line(), *(f"{x}." for x in verdict.remarks)]),
        },
        "administrative": {
            "notes": f"Written by dpmc card from guarantee.json. {facts.sentence()}",
            "registry_authors": [facts.maker],
        },
    }
    record = {"url_slug": slug, "status": "Draft", "tier": 3, "deployment": deployment}
    return "\n".join(_yaml(record)) + "\n"


def _noise(stated: Mapping) -> str:
    return f"{stated['noise']['law']} noise, {stated['noise']['made_of']}"


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
        elif isinstance(inner, str) and len(inner) > WIDTH - indent:
            yield f"{head} |"
            for line in textwrap.wrap(inner.lstrip(), WIDTH - indent, break_on_hyphens=False):
                yield f"{blank}  {line}"
        else:
            yield f"{head} {_scalar(inner)}"


def _scalar(value: str | float | int) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # YAML takes 1e-06 for text
    return text.replace("e", ".0e") if isinstance(value, float) and "." not in text else text

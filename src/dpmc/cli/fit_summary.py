"""What ``dpmc fit`` says when it is done, as text and as JSON.

The text depends on the ratings only through what is released. The path of the table and the
ledger's entry are for the operator.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path

from dpmc.cli.options import READING
from dpmc.methods.private import PrivateMethod
from dpmc.methods.released.fit_folder import assumed_public, worth_in_words
from dpmc.privacy import policy
from dpmc.privacy.guarantee import Guarantee
from dpmc.privacy.relations import RELATIONS


def next_commands(output: Path, ratings: str, options: Mapping[str, object]) -> list[str]:
    """Return the commands by which folder ``output`` is checked, and users complete their ratings.

    ``options`` are those of the fit, of which what says how the table is read is repeated.
    """
    words = ["dpmc", "complete", "--model", str(output), "--ratings", str(ratings)]
    for name in READING:
        given = options[name]
        for value in given if isinstance(given, tuple) else [] if given is None else [given]:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return [shlex.join(["dpmc", "verify", str(output)]), shlex.join([*words, "--top", "10"])]


def summary_of(
    model: PrivateMethod,
    guarantee: Guarantee,
    method: str,
    output: Path,
    names: list[str],
    follow: list[str],
    against: list[str],
) -> dict[str, object]:
    """Return what a fit guarantees and wrote, as plain values.

    ``guarantee`` has the origins of the lists. ``method`` is the name that the command uses,
    ``output`` the folder that was written and ``names`` its files. ``follow`` are the commands that
    can use it, and ``against`` the reasons why it must not be published, if any.
    """
    outcome = model.outcome()
    if guarantee.simulated:
        against = ["it was simulated", *against]
    return {
        "relation": guarantee.relation,
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "method": method,
        "mechanism": guarantee.mechanism,
        "rank": getattr(model, "rank", None),
        "folder": str(output),
        "files": names,
        "may_be_published": [] if against else names,
        "must_not_be_published": against,
        "provided_that": [] if against else policy.condition(guarantee.delta),
        "sentence": guarantee.sentence(),
        "assumed_public": assumed_public(model, guarantee),
        "next_commands": follow,
        "worth": model.worth_._asdict() if model.tells_error else None,
        "outcome": outcome,
        "outcome_in_words": None if outcome is None else model.outcome_in_words(**outcome),
    }


def text_of(summary: dict) -> str:
    """Return the summary for people: the guarantee in words, then a line for each fact."""
    rank = "" if summary["rank"] is None else f", rank {summary['rank']}"
    against, provided = summary["must_not_be_published"], summary["provided_that"]
    publish = f"nothing: {'; '.join(against)}"
    if not against:
        publish = f"{', '.join(summary['may_be_published'])} in {summary['folder']}"
        publish += "".join(f", if {each}" for each in provided)
    facts = {
        "relation": f"{summary['relation']}: {RELATIONS[summary['relation']]}",
        "epsilon": f"{summary['epsilon']:g}",
        "delta": f"{summary['delta']:g}",
        "method": f"{summary['method']}{rank}, {summary['mechanism']} noise",
        "may be published": publish,
    }
    if summary["outcome_in_words"] is not None:
        facts["outcome"] = summary["outcome_in_words"]
    if summary["ledger"] is not None:
        facts["ledger"] = summary["ledger"]
    facts["next"], facts["then"] = summary["next_commands"]
    if summary["worth"] is not None:
        facts = {"error": worth_in_words(**summary["worth"])} | facts
    written = [f"wrote {Path(summary['folder']) / name}" for name in summary["files"]]
    return "\n".join(
        [
            summary["sentence"],
            "Taken to be public:",
            *(f"- {each}" for each in summary["assumed_public"].values()),
            *written,
            "",
            *(f"{name + ':':<18}{value}" for name, value in facts.items()),
        ]
    )

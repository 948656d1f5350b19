"""Sentences on how a claim of the form "A against B" is judged, from its declaration."""

from collections.abc import Collection, Mapping

MEASURES = ("RMSE", "ARE", "Recall@20")
"""Measures that entries compare; the first is the default."""
NUMBERS = {"epsilon": "ε", "fraction": "observed fraction", "irls_iterations": "K ="}
RULES = {
    "all": "significantly {degree} that with {second} in at least 90 % of the comparisons, and "
    "significantly {opposite} in none. Contradicted if it is significantly {opposite} in any.",
    "most": "on average {degree} that with {second}, and significantly {low} in more than half of "
    "the comparisons. Contradicted if it is {high} on average or in more than half.",
    "some": "significantly {degree} that with {second} in at least one comparison. Contradicted if "
    "it is {high} in all.",
    "pooled": "on average {degree} that with {second}. Contradicted if it is {high}.",
    "within": "{degree} that with {second} in every comparison. Contradicted if it clearly is not "
    "in any.",
}
NO_EFFECT = ("all", "most", "pooled")
BOUNDS = {"threshold": "less than", "below": "less than", "low": "at least", "high": "at most"}
Coordinates = Mapping[str, Collection]


def told(entry: Mapping, coordinates: Coordinates | None = None) -> str:
    """Return sentences on how an entry with the key ``compare`` is judged.

    ``coordinates`` are the study's: name -> values, or values with their labels.
    """
    known = coordinates or {}
    if "parts" not in entry:
        return _sentences(entry, known)
    parts = [f"“{part['name']}”: {_sentences(part, known)}" for part in entry["parts"]]
    return f"All parts must hold. {' '.join(parts)}"


def _sentences(entry: Mapping, known: Coordinates) -> str:
    unit = entry.get("unit")
    measure = "accuracy" if unit == "points" else entry.get("measure", MEASURES[0])
    low, high = ("higher", "lower") if unit == "points" else ("lower", "higher")
    bounds = [
        f"{text} {entry[name] + (unit != 'times'):.4g}"
        for name, text in BOUNDS.items()
        if name in entry
    ]
    judged = RULES[entry["rule"]].format(
        degree=f"{' and '.join(bounds)} times" if bounds else f"{low} than",
        opposite="more" if bounds else high,
        second=_side(entry["second"], known),
        low=low,
        high=high,
    )
    text = f"Supported if the {measure} with {_side(entry['first'], known)} is {judged}"
    if entry["rule"] in NO_EFFECT and "threshold" not in entry:
        text += (
            f" No effect if the average is within ±1 {'point' if unit == 'points' else '%'} (ours)."
        )
    if where := _side(entry.get("where", {}), known):
        text += f" Only cells with {where} are compared."
    if over := _side(entry.get("over", {}), known):
        text += f" Each {measure} is first divided by that with {over}."
    if bounds:
        text += f" The bound is {entry.get('margin_of', 'ours')}."
    return text


def _side(entry: Mapping, known: Coordinates) -> str:
    best = set(entry) == {"best"}
    named = entry["best"] if best else entry
    texts = [_values(name, given, known.get(name, ())) for name, given in named.items()]
    text, *rest = filter(None, texts) if any(texts) else [""]
    single = len(named) == 1 and any(named[name] in known.get(name, ()) for name in named
                                     if isinstance(named[name], str))  # fmt: skip
    begin = "the best of " if best and not single else ""
    more = ", ".join(rest)
    return begin + (f"{text}, {more}" if more and ")" in text else _bracketed(text, more))


def _bracketed(text: str, more: str) -> str:
    return f"{text} ({more})" if more else text


def _values(name: str, given: object, known: Collection) -> str:
    values = given if isinstance(given, list) else [given]
    labels = known if isinstance(known, Mapping) else {}
    found = [str(labels.get(value, value)).partition(", ") for value in values]
    *before, last = [_bracketed(text, more) for text, _, more in found]
    text = f"{', '.join(before)} and {last}" if before else last
    return f"{NUMBERS.get(name, name)} {text}" if isinstance(values[0], int | float) else text

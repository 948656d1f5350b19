"""A page of one file in which a person gets recommendations from a released model, on the device.

Its script (``page.js``) does what :mod:`dpmc.released` does, in double precision, too.
"""

import base64
import gzip
import hashlib
import html
import json
import math
from collections.abc import Sequence
from importlib.resources import files
from statistics import NormalDist
from string import Template

import numpy as np

from dpmc import __version__, ties
from dpmc.released import PublishedItems, PublishedRanking

EIGHT_OF_TEN = NormalDist().inv_cdf(0.9)
"""So many deviations on either side have eight of ten numbers of a normal law between them."""
MOST_CHOICES = 11
"""Ratings that can be chosen one by one; of more there is a slider."""
STEPS = 20
"""Of a slider, at least."""
IN_GENERAL = {
    False: "This is what people in general are predicted to rate highest.",
    True: "This is what is popular.",
}
SURE = "The bars show where the model expects eight of ten such ratings to lie."
UNSURE = "Best first; this model does not tell how sure it is."
INSTEAD = {
    "biases": "It was learnt from too few ratings to know of tastes: it knows how titles are "
    "rated, and from you how high you rate.",
    "own means": "It was learnt from too few ratings to know of titles: it predicts the mean of "
    "your own ratings, of every title alike.",
    "popularity": "It knows of no tastes, only of what is popular.",
}
"""What the page says where a fit fell back to something simpler."""
SIMULATED = "The noise of this model was simulated: this page is a trial, and not for publication."


def page(
    published: PublishedItems, titles: Sequence[str], guarantee: str, *,
    fell_back_to: str | None = None, simulated: bool = False,
) -> str:  # fmt: skip
    """Return the page, as HTML.

    Parameters
    ----------
    titles : sequence of str
        Titles of the items, in the order of the model.
    guarantee : str
        The sentence that ``dpmc verify`` says.
    fell_back_to : str, optional
        A key of :data:`INSTEAD`.
    simulated : bool
        Whether the noise was.
    """
    folder = files(__name__)
    style, script = ((folder / f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    ranks = isinstance(published, PublishedRanking)
    lead = "Say what you like" if ranks else "Rate a few titles that you know"
    remarks = [SIMULATED] * simulated + ([INSTEAD[fell_back_to]] if fell_back_to else [])
    return Template((folder / "page.html").read_text("utf-8")).substitute(
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        lead=f"{lead}, and see what you may like next. No account, no server.",
        remarks="".join(f'<p class="note">{html.escape(each)}</p>' for each in remarks),
        count=f"{len(titles):,}",
        ask="What do you like?" if ranks else "What do you know?",
        own="You like" if ranks else "Your ratings",
        guarantee=html.escape(guarantee),
        version=__version__,
        model=_json(_model(published, titles, ranks)),
        numbers=base64.b64encode(_numbers(published, ranks)).decode(),
    )


def _model(published, titles, ranks: bool) -> dict[str, object]:
    model = {
        "titles": [*titles],
        "rank": published.factors.shape[1],
        "ranks": ranks,
        "precise": published.precisions is not None,
        "regularization": published.regularization,
        "tie": ties.TOLERANCE,
        "eightOfTen": EIGHT_OF_TEN,
        "general": IN_GENERAL[ranks],
        "sure": SURE if published.precisions is not None else UNSURE,
    }
    return model if ranks else model | _scale(*published.rating_range)


def _scale(low: float, high: float) -> dict[str, object]:
    """Return the range of ratings and how one is given: by choices, or a slider of this step."""
    step = 1.0 if low.is_integer() and high.is_integer() else 0.5
    n = (high - low) / step
    if (2 * low).is_integer() and n.is_integer() and n < MOST_CHOICES:
        return {"range": (low, high), "choices": [low + k * step for k in range(int(n) + 1)]}
    step = 10.0 ** math.floor(math.log10((high - low) / STEPS))
    return {"range": (low, high), "choices": None, "step": step}


def _numbers(published, ranks: bool) -> bytes:
    """Return offsets, weights and factors, item by item, in double precision, packed."""
    weights = published.scales if ranks else published.precisions
    weights = np.ones(len(published.labels)) if weights is None else weights
    parts = published.offsets, weights, published.factors.ravel()
    return gzip.compress(np.concatenate(parts).astype("<f8").tobytes(), mtime=0)


def _json(content: object) -> str:
    """Return JSON in which no text can end the element that it stands in."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").encode("utf-8", "replace").decode()


def _hash(text: str) -> str:
    """Return what a Content-Security-Policy calls a script or style by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

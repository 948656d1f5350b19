"""The parameters of a fit, declared once, in a module with few imports.

``dpmc fit``, ``dpmc noise`` and ``dpmc evaluate`` make options of them, and
:class:`dpmc.PrivateFactorization` explains its arguments by them.
"""

import textwrap
from dataclasses import dataclass

METHODS = {
    "bayes": "local_bayes",
    "ease": "local_ease",
    "als": "private_als",
    "bias": "private_user_item_bias",
}
"""Names of the methods of a fit -> names in :data:`dpmc.methods.METHODS`."""

COUNT, NUMBER, SHARE, RANGE, SEED, TEXT, LABELS, TABLE, LEVEL, FILE, BUDGET, FLAG = (
    "integer", "number", "share", "two numbers", "seed", "text", "labels or a file",
    "frame or a file", "any number", "file", "epsilon and delta", "true or false",
)  # fmt: skip
"""What a parameter can be."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a fit.

    Attributes
    ----------
    name : str
        Name of an argument; the command line writes hyphens for underscores.
    kind : str
        One of :data:`COUNT` and those beside it.
    meaning : str
        A format string: its fields name other parameters.
    default : object
        None: there is none, or it depends on other parameters.
    otherwise : str
        Description of the default in that case.
    choices : tuple of str
        All values of a text, if these are few.
    methods : tuple of str
        Methods that take it; empty: every one.
    required : bool
        Whether it has to be given, as number or text.
    """

    name: str
    kind: str
    meaning: str
    default: object = None
    otherwise: str = ""
    choices: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    required: bool = False


_FACTORS = ("als",)
_LISTED = (
    "File with all {0}, known without the ratings: one label per line, or a column of a .csv or "
    ".parquet file. Ratings of others are left out."
)

PARAMETERS = {
    each.name: each
    for each in (
        Parameter("epsilon", NUMBER, "Privacy budget of the whole fit, above 0.", required=True),
        Parameter(
            "delta",
            NUMBER,
            "Delta of the guarantee: below 0.01, and at most 0.1 / number of users.",
            default=1e-6,
        ),
        Parameter(
            "rating_range",
            RANGE,
            "Lowest and highest possible rating, known without the data; ratings outside are "
            "clipped. Not needed for a ranking.",
        ),
        Parameter(
            "purpose",
            TEXT,
            "Predicted ratings, or a ranking of items by what users like, which predicted ratings "
            "do badly.",
            otherwise="ranking with ease, else ratings",
            choices=("ratings", "ranking"),
        ),
        Parameter(
            "likes_from",
            LEVEL,
            "For a ranking: a rating of so much or more is a like. Without it each row of a table "
            "that has no column of ratings is one.",
            methods=("ease",),
        ),
        Parameter("items", LABELS, _LISTED.format("items")),
        Parameter(
            "items_privately",
            SHARE,
            "Choose the items that enough users rated, for this share of the budget.",
        ),
        Parameter("users", LABELS, _LISTED.format("users")),
        Parameter(
            "relation",
            TEXT,
            "What is protected: user (short for user_add_remove), entry (for entry_add_remove), "
            "user_replace or entry_change.",
            default="user",
        ),
        Parameter(
            "ratings_per_user",
            COUNT,
            "Largest number K of a user's ratings that count, chosen at random, where users are "
            "protected.",
            otherwise="all with bayes and ease, else 50",
            methods=("bayes", "ease", "als", "bias"),
        ),
        Parameter(
            "mechanism",
            TEXT,
            "Noise: gaussian or, where single ratings are protected, laplace.",
            otherwise="gaussian where users are protected, else what dpmc noise says",
            choices=("gaussian", "laplace"),
        ),
        Parameter(
            "method",
            TEXT,
            "bayes and ease protect users only; ease is for rankings; bias learns offsets of items "
            "and users and no factors.",
            otherwise="ease for rankings; bayes where users are protected, else als",
            choices=tuple(METHODS),
        ),
        Parameter(
            "rank",
            COUNT,
            "Number of factors.",
            otherwise="3 where users are protected, else 1",
            methods=_FACTORS,
        ),
        Parameter(
            "iterations",
            COUNT,
            "Outer iterations.",
            otherwise="2 where users are protected, else 1",
            methods=_FACTORS,
        ),
        Parameter("factor_bound", NUMBER, "Largest norm of a row of factors.", methods=_FACTORS),
        Parameter(
            "residual_bound",
            NUMBER,
            "Largest size of a rating less its offsets; others are clipped.",
            otherwise="B/2",
            methods=_FACTORS,
        ),
        Parameter(
            "regularization",
            NUMBER,
            "Regularization of items.",
            otherwise="8 S",
            methods=_FACTORS,
        ),
        Parameter(
            "user_regularization",
            NUMBER,
            "Regularization of users.",
            otherwise="0.1 B where users are protected, else S",
            methods=_FACTORS,
        ),
        Parameter(
            "shrinkage",
            NUMBER,
            "Ratings at the mean that bias credits each item and user with.",
            otherwise="5",
            methods=("bias",),
        ),
        Parameter(
            "item_features",
            TABLE,
            "Table of numbers known of items without the ratings, such as years, and genres as 0 "
            "and 1: a column of items and others of numbers, some of which may be empty. They cost "
            "no privacy.",
            methods=("bayes",),
        ),
        Parameter(
            "report_error",
            SHARE,
            "With bayes: hold out this share of each user's ratings and tell the noised error of "
            "the model and of biases on them, here and in guarantee.json, for 5 % of the budget.",
            methods=("bayes",),
        ),
        Parameter(
            "simulate",
            SEED,
            "Draw repeatable noise for experiments; the files say that they must not be published.",
        ),
        Parameter(
            "ledger",
            FILE,
            "What all fits of the same ratings have spent: this one is entered before any "
            "noise is drawn, and refused if it would overspend.",
        ),
        Parameter(
            "budget",
            BUDGET,
            "What all fits in a new {ledger} may spend together, such as 10,1e-6.",
        ),
        Parameter(
            "stop_if_remarks",
            FLAG,
            "End before anything is spent if something in the table needs a look. Whether a fit "
            "ended so is private, as the table is.",
            default=False,
        ),
    )
}
"""B is half the rating range, S the standard deviation of the noise on a Gram matrix."""


def described() -> str:
    """Return the parameters as a docstring explains them."""
    lines = []
    for each in PARAMETERS.values():
        kind = f"{{{', '.join(map(repr, each.choices))}}}" if each.choices else each.kind
        meaning = each.meaning.format(**{name: name for name in PARAMETERS})
        default = each.otherwise if each.default is None else repr(each.default)
        meaning += f" Default: {default}." if default else ""
        if 0 < len(each.methods) < len(METHODS):
            meaning += f" Methods: {', '.join(each.methods)}."
        lines.append(f"{each.name} : {kind}" + ", optional" * (not each.required))
        lines += textwrap.wrap(meaning, 92, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)

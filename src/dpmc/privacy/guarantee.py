"""The guarantee of a fit, as data and as a sentence."""

from dataclasses import asdict, dataclass

from dpmc import origins
from dpmc.errors import InputError
from dpmc.privacy.relations import RELATIONS, USER_LEVEL, check_relation

ACCOUNTANTS = {
    "exact": "exactly, as Gaussian differential privacy",
    "gdp": "by a bound that is Gaussian differential privacy",
    "basic": "by basic composition",
    "rdp": "by Renyi differential privacy",
    "pld": "by privacy-loss distributions, rounded up",
}
PARTS = {
    "item_factors": "what is learnt of the items",
    "user_factors": "the user factors",
    "predictions": "the completed matrix",
}
LEARNT = (
    "offsets, factors and their number; precisions, scales and a noised error where there are any"
)
"""Of the items: all that is published besides lists, and what no rating had a part in."""
ROUNDING = 1 + 1e-9
"""Factor up to which a proven epsilon above a claimed one counts as the same."""


def covered(relation: str) -> tuple[str, ...]:
    """Return the parts that a guarantee for a relation covers (keys of :data:`PARTS`).

    At user level this is the items alone (joint differential privacy), because a user's own factors
    and predictions are made from that user's own ratings without noise.
    """
    return ("item_factors",) if check_relation(relation) in USER_LEVEL else tuple(PARTS)


@dataclass(frozen=True)
class ItemList:
    """The private choice of a list of items, see :mod:`dpmc.privacy.selection`.

    Attributes
    ----------
    share : float
        Share of the budget.
    delta : float
        Largest probability that an item of a single user is listed: a part of the whole delta.
    noise_std : float
        Standard deviation of the noise on the number of users of an item.
    threshold : float
        Number that the noised number of users had to exceed.
    """

    share: float
    delta: float
    noise_std: float
    threshold: float


@dataclass(frozen=True)
class Guarantee:
    """The differential privacy of one fit.

    Attributes
    ----------
    relation : str
        One of :data:`dpmc.privacy.relations.RELATIONS`.
    epsilon, delta : float
        The budget, which the fit keeps to.
    mechanism : str
    noise_multiplier : float
        Standard deviation of the noise on a release of sensitivity 1.
    accountant : str
        A key of :data:`ACCOUNTANTS`.
    releases : int
        Number of releases with this noise that cost as much as all that was released. It differs
        from the true number if releases share the budget unequally.
    publishable : tuple of str
        Keys of :data:`PARTS`: what the guarantee covers. Other parts may be shown only to the
        user whom they are about.
    listed : ItemList or None
        The items were chosen privately, within the budget; None: their list, and where single
        ratings are protected that of the users, has to be known without the ratings.
    simulated : bool
        The noise came from a seeded floating-point generator: good for experiments, but whoever
        knows the seed, or looks at the low-order bits, can undo it.
    features : bool
        Features of items had a part in it, which have to be known without the ratings.
    items_from, users_from : str or None
        Where the public lists are from, such as :data:`dpmc.origins.FROM_FILE`, if that is known.
    """

    relation: str
    epsilon: float
    delta: float
    mechanism: str
    noise_multiplier: float
    accountant: str
    releases: int
    publishable: tuple[str, ...]
    simulated: bool = True
    listed: ItemList | None = None
    features: bool = False
    items_from: str | None = None
    users_from: str | None = None

    def __post_init__(self) -> None:
        check_relation(self.relation)

    def sentence(self) -> str:
        """Return the guarantee in words."""
        published = [
            PARTS[part] + f" ({LEARNT})" * (part == "item_factors") for part in self.publishable
        ]
        if self.listed:
            published.insert(0, "the list of items")
        kept = [text for part, text in PARTS.items() if part not in self.publishable]
        text = (
            f"If {RELATIONS[self.relation]}, the law of {' and '.join(published)} changes by at "
            f"most (epsilon = {self.epsilon:g}, delta = {self.delta:g}){self._condition()}: "
            f"{self._released()}, accounted {ACCOUNTANTS[self.accountant]}."
        )
        if kept:
            text += (
                f" Not covered: {' and '.join(kept)}; each user may see their own, nobody else's."
            )
        if self.simulated:
            text += (
                " The noise was simulated with a seeded floating-point generator: "
                "for experiments, not for publication."
            )
        return text

    def list_conditions(self) -> list[str]:
        """Return the conditions on the public lists, with their origins."""
        found = []
        if not self.listed:
            found.append(origins.condition("items", self.items_from))
        if self.relation not in USER_LEVEL:
            found.append(origins.condition("users", self.users_from))
        return found

    def _condition(self) -> str:
        found = self.list_conditions()
        if self.features:
            found.append("the features of items were known without the ratings")
        return f", provided that {', and that '.join(found)}" if found else ""

    def _released(self) -> str:
        noise = f"{self.mechanism} noise of standard deviation {self.noise_multiplier:.4g} times"
        each = "one release" if self.releases == 1 else f"{self.releases} releases"
        whose = "its" if self.releases == 1 else "their"
        # releases may share the budget unequally: what holds for all of them is the sum
        text = f"all that is released amounts to {each} with {noise} {whose} sensitivity"
        if self.listed:
            text += (
                f", and the items that more than {self.listed.threshold:.4g} users rated by a "
                f"count with gaussian noise of standard deviation {self.listed.noise_std:.4g}"
            )
        return text

    def as_dict(self) -> dict[str, object]:
        """Return the guarantee as plain values, with the sentence, which tells of the others."""
        others = ("features", "items_from", "users_from")
        values = {name: value for name, value in asdict(self).items() if name not in others}
        return {**values, "publishable": list(self.publishable), "sentence": self.sentence()}

    def require(self, part: str) -> None:
        """Raise InputError unless a part (a key of :data:`PARTS`) is covered, and noise not
        simulated.
        """
        if part not in self.publishable:
            raise InputError(
                f"The guarantee ({self.relation}) does not cover {PARTS[part]}; "
                f"it covers {' and '.join(PARTS[name] for name in self.publishable)}."
            )
        if self.simulated:
            raise InputError(
                f"{PARTS[part].capitalize()} must not be published: the noise was simulated with "
                "a seeded generator."
            )

"""What a fit guarantees, as data and as a sentence."""

from dataclasses import asdict, dataclass

from dpmc.errors import InputError
from dpmc.privacy.relations import RELATIONS, USER_LEVEL, check_relation

ACCOUNTANTS = {
    "exact": "exactly, as Gaussian differential privacy",
    "basic": "by basic composition",
    "rdp": "by Renyi differential privacy",
    "pld": "by privacy-loss distributions, rounded up",
}
PARTS = {
    "item_factors": "the item factors and offsets",
    "user_factors": "the user factors",
    "predictions": "the completed matrix",
}


def covered(relation: str) -> tuple[str, ...]:
    """Return what a guarantee for a relation covers (keys of :data:`PARTS`).

    At user level that is the items alone (joint differential privacy): a user's own factors and
    predictions are made of that user's own ratings without noise.

    Raises
    ------
    InputError
        An unknown relation.
    """
    return ("item_factors",) if check_relation(relation) in USER_LEVEL else tuple(PARTS)


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
        How often a noised statistic of the ratings was released; 1 too if several releases share
        the budget of one.
    publishable : tuple of str
        Keys of :data:`PARTS`: what the guarantee covers. What is not named may be shown to the
        user whom it is about, and to nobody else.
    simulated : bool
        The noise came from a seeded floating-point generator: good for experiments, but whoever
        knows the seed, or looks at the low-order bits, can undo it.
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

    def __post_init__(self):
        check_relation(self.relation)

    def sentence(self) -> str:
        """Return the guarantee in words."""
        covered = " and ".join(PARTS[part] for part in self.publishable)
        kept = [text for part, text in PARTS.items() if part not in self.publishable]
        text = (
            f"If {RELATIONS[self.relation]}, the law of {covered} changes by at most "
            f"(epsilon = {self.epsilon:g}, delta = {self.delta:g}): {self._released()}, accounted "
            f"{ACCOUNTANTS[self.accountant]}."
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

    def _released(self) -> str:
        noise = f"{self.mechanism} noise of standard deviation {self.noise_multiplier:.4g} times"
        if self.releases > 1:
            return f"{self.releases} releases with {noise} their sensitivity"
        return f"all that is released amounts to one release with {noise} its sensitivity"

    def as_dict(self) -> dict[str, object]:
        """Return the guarantee as plain values, with the sentence."""
        return {**asdict(self), "publishable": list(self.publishable), "sentence": self.sentence()}

    def require(self, part: str) -> None:
        """Refuse to publish what the guarantee does not cover.

        Raises
        ------
        InputError
            ``part`` (a key of :data:`PARTS`) is not covered, or the noise was simulated.
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

"""The verdict on a published folder whose form, files and accounting are right."""

from dataclasses import dataclass

from dpmc.privacy import policy
from dpmc.privacy.attacker import Attacker, comparison, explain


@dataclass(frozen=True)
class Facts:
    """Facts that a maker states about a model and that nothing can check.

    Attributes
    ----------
    name : str
    maker, contact, licence, date, use : str or None
        Who published it, how to ask, on which terms, when (YYYY-MM-DD), and what for.
    users_about : int or None
        About from how many users, if that is public.
    max_epsilon, max_delta : float or None
        The limits under which the maker publishes it, in place of :mod:`dpmc.privacy.policy`'s.
    """

    name: str
    maker: str | None = None
    contact: str | None = None
    licence: str | None = None
    date: str | None = None
    use: str | None = None
    users_about: int | None = None
    max_epsilon: float | None = None
    max_delta: float | None = None

    def sentence(self) -> str:
        """Return who made it, and when, as far as that is known."""
        made = f"{self.name} was made" + (f" by {self.maker}" if self.maker else "")
        made += f" ({self.contact})" * bool(self.contact)
        made += f" and published on {self.date}" * bool(self.date)
        made += f", for this use: {self.use}" * bool(self.use)
        made += f", under the licence {self.licence}" * bool(self.licence)
        limits = {"epsilon": self.max_epsilon, "delta": self.max_delta}
        said = [f"{name} up to {most:g}" for name, most in limits.items() if most is not None]
        made += f", with limits of its own: {' and '.join(said)}" * bool(said)
        return f"{made}." if self.maker else f"{made}; it is not said by whom."


@dataclass(frozen=True)
class Verdict:
    """The verdict on a folder whose form, files and accounting are right.

    Attributes
    ----------
    stated : dict
        Its guarantee, as it stands in the file.
    sentence : str
        Sentence of the guarantee, made again from its numbers.
    epsilon, delta : float
        Proven privacy parameters.
    small : float
        The epsilon at a small delta, see :func:`dpmc.privacy.policy.at_small_delta`.
    attacker : Attacker
    users : int or None
        About how many there are, if that is known.
    objections : tuple of str
        Why it must not be published; none if it may.
    conditions : tuple of str
        On which it may be, and which nothing in the folder can show.
    facts : Facts or None
        Facts of the card in the folder.
    """

    stated: dict
    sentence: str
    epsilon: float
    delta: float
    small: float
    attacker: Attacker
    users: int | None
    objections: tuple[str, ...]
    conditions: tuple[str, ...]
    facts: Facts | None = None

    @property
    def simulated(self) -> bool:
        """Whether the noise was, so that nothing of it may be published."""
        return self.stated["simulated"]

    @property
    def remarks(self) -> list[str]:
        """Points to consider before a publication that do not forbid it."""
        return policy.remarks(self.small, self.delta)

    def line(self) -> str:
        """Return whether the folder may be published, in one line."""
        if self.objections:
            return f"{policy.refusal('It', self.objections)}."
        *most, last = (f"if {each}" for each in self.conditions)
        return f"It may be published, {', '.join(most)}, and {last}."

    def explanation(self) -> list[str]:
        """Return the meaning of the guarantee in sentences, for readers from outside the field."""
        budget = self.epsilon, self.delta
        return explain(
            self.stated["relation"], *budget, self.attacker, self.users, small=self.small
        )

    def comparison(self) -> list[str]:
        """Return a table of what other epsilons would mean, line by line."""
        return comparison(self.stated["relation"], self.delta)

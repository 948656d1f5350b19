"""What is to be said of a published folder whose form, files and accounting are right."""

from dataclasses import dataclass

from dpmc.privacy.attacker import Attacker, explain


@dataclass(frozen=True)
class Facts:
    """What a maker says of a model beside its guarantee, which nothing can check.

    Attributes
    ----------
    name : str
    maker, contact, licence, date, use : str or None
        Who published it, how to ask, on which terms, when (YYYY-MM-DD), and what for.
    users_about : int or None
        About from how many users, if that is public.
    """

    name: str
    maker: str | None = None
    contact: str | None = None
    licence: str | None = None
    date: str | None = None
    use: str | None = None
    users_about: int | None = None

    def sentence(self) -> str:
        """Return who made it, and when, as far as that is known."""
        made = f"{self.name} was made" + (f" by {self.maker}" if self.maker else "")
        made += f" ({self.contact})" * bool(self.contact)
        made += f" and published on {self.date}" * bool(self.date)
        made += f", for this use: {self.use}" * bool(self.use)
        made += f", under the licence {self.licence}" * bool(self.licence)
        return f"{made}." if self.maker else f"{made}; it is not said by whom."


@dataclass(frozen=True)
class Verdict:
    """What is to be said of a folder whose form, files and accounting are right.

    Attributes
    ----------
    stated : dict
        Its guarantee, as it stands in the file.
    sentence : str
        Of the guarantee, made anew from its numbers.
    epsilon, delta : float
        That are proven.
    attacker : Attacker
    users : int or None
        About how many there are, if that is known.
    remarks : tuple of str
        On a budget that hides next to nothing.
    conditions : tuple of str
        On which the rest may be published, and which nothing in the folder can show.
    of_readme : tuple of str
        One more, if there is a README.md that is not the card of this model.
    facts : Facts or None
        Of the card in the folder, if it is the card of this model.
    """

    stated: dict
    sentence: str
    epsilon: float
    delta: float
    attacker: Attacker
    users: int | None
    remarks: tuple[str, ...]
    conditions: tuple[str, ...]
    of_readme: tuple[str, ...] = ()
    facts: Facts | None = None

    @property
    def simulated(self) -> bool:
        """Whether the noise was, so that nothing of it may be published."""
        return self.stated["simulated"]

    def line(self) -> str:
        """Return whether the folder may be published, in one line."""
        if self.simulated:
            return "It must not be published: the noise was simulated, and can be undone."
        *most, last = (f"if {each}" for each in (*self.conditions, *self.of_readme))
        return f"It may be published, {', '.join(most)}, and {last}."

    def explanation(self) -> list[str]:
        """Return what the guarantee means, in sentences for whoever is not of the field."""
        stated = self.stated
        budget = self.epsilon, self.delta
        return explain(stated["relation"], *budget, self.attacker, self.users)

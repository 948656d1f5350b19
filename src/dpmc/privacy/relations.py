"""Neighbouring relations: the differences between data sets that a guarantee covers.

Sources: Dwork and Roth, "The algorithmic foundations of differential privacy" (2014), section 2.3,
for entries and users; Kearns, Pai, Roth and Ullman, "Mechanism design in large games: incentives
and privacy" (ITCS 2014), definition 6, for joint differential privacy; Hsu, Huang, Roth,
Roughgarden and Wu, "Private matchings and allocations" (STOC 2014), for the billboard lemma: what
each user computes from a private publication and from that user's data alone is jointly private.
"""

from types import MappingProxyType

from dpmc.errors import InputError, did_you_mean

ENTRY_CHANGE = "entry_change"
ENTRY_ADD_REMOVE = "entry_add_remove"
USER_ADD_REMOVE = "user_add_remove"
USER_REPLACE = "user_replace"

RELATIONS = MappingProxyType(
    {
        ENTRY_CHANGE: "the value of one rating changes, and who rated what is public",
        ENTRY_ADD_REMOVE: "one rating is added or removed",
        USER_ADD_REMOVE: "one user with all ratings is added or removed",
        USER_REPLACE: "all ratings of one user are replaced by any others",
    }
)

USER_LEVEL = (USER_ADD_REMOVE, USER_REPLACE)


def check_relation(relation: str) -> str:
    """Return a relation that is known, or raise InputError."""
    if relation not in RELATIONS:
        raise InputError(
            f"There is no neighbouring relation {relation!r}{did_you_mean(relation, RELATIONS)}; "
            f"known are {', '.join(RELATIONS)}."
        )
    return relation

"""Every number of local EASE that was chosen, with its letter in ``docs/ranking.md``."""

COUNTS_SHARE, CHECK_SHARE = 0.35, 0.04
"""Of the budget, as mu^2; pairs have the rest, or counts all of it."""

HELD_OUT = 0.05
"""Share of each user's likes that the check is about, unless told another."""

LARGEST = 0.03
"""Of a user's NDCG, up to which the check counts what a list gains."""

SURE = (0.5, 1.0)
"""Deviations of the noise that the first list has to gain upon popularity alone, and the second one
upon the first: where there is nothing to learn, the second loses most."""

COUNTED, USERS_COUNTED = 4.0, 0.25
"""C, the likes from which on a user's row of counts is shortened, and R, what a user adds to the
number of users in units of that row's length."""

FEWEST_LIKES = 3
"""L: users with fewer likes add less to the pairs than they may, as two likes say little."""

PAIRS_FROM, PAIRS_OF_LIKES = 155.0, 5.0
"""Users, in units of the noise of a pair, from which on pairs are asked for, unless told another
number: below, the counts are asked for again, as they say more. Users of about fewer likes than the
second count in part: who has one like has no pair."""

ITEMS, ITEMS_POWER, FEWEST_ITEMS, MOST_ITEMS = 2.5, 2 / 3, 20, 1200
"""Items with pairs, as a multiple and power of the users in units of the noise of a pair: the edge
of the noise grows with the root of their number; and no fewer, nor more, whatever the noise."""

ABOVE_EDGE = 1.02
"""Times the edge of the noise, from which on an eigenvalue counts: its correction has a pole
there."""

RIDGE = 150.0
"""Of the regression of an item on the others, in users of the mean weight."""

POPULAR = (1.0, 0.05)
"""How much of an item's popularity, as the share of users who like it, is added to its score: in
the two lists that are compared with popularity alone."""

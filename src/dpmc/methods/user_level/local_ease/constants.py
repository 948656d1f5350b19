"""Every number of local EASE that was chosen; ``docs/ranking.md`` says by what."""

COUNTS_SHARE, CHECK_SHARE = 0.3, 0.05
"""Of the budget, as mu^2; pairs have the rest."""

HELD_OUT = 0.07
"""Share of each user's likes that the check is about, unless told another."""

SURE = 0.5
"""Deviations of the noise by which the lists of the model have to be worse to be taken back."""

COUNTED, USERS_COUNTED = 4.0, 0.25
"""C, the likes from which on a user's row of counts is shortened, and R, what a user adds to the
number of users in units of that row's length."""

FEWEST_LIKES = 3
"""L: users with fewer likes add less to the pairs than they may, as two likes say little."""

PAIRS_FROM, PAIRS_OF_LIKES = 150.0, 5.0
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

POPULAR = 0.05
"""What an item's popularity, as the share of users who like it, adds to its score."""

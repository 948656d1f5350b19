"""The tuned constants of local EASE, with their letters in ``docs/ranking.md``."""

COUNTS_SHARE, CHECK_SHARE = 0.35, 0.04
"""Shares of the budget, as mu^2; pairs have the rest, or counts have all of it."""

HELD_OUT = 0.05
"""Default share of each user's likes that is held out for the check."""

LARGEST = 0.03
"""Gain in a user's NDCG at which the check clips."""

SURE = (0.5, 1.0)
"""Gains, in deviations of the noise, that the first list needs over popularity alone and the second
list over the first. If there is nothing to learn, the second loses most."""

COUNTED, USERS_COUNTED = 4.0, 0.25
"""C, the number of likes from which on a user's row of counts is shortened, and R, what a user adds
to the number of users in units of that row's length."""

FEWEST_LIKES = 3
"""L: users with fewer likes add less to the pairs than allowed, because two likes say little."""

PAIRS_FROM, PAIRS_OF_LIKES = 155.0, 5.0
"""Default number of users, in units of the noise of a pair, from which on pairs are released. Below
it the counts are released again, as they are more informative. A user with fewer likes than the
second number counts in part, because one like makes no pair."""

ITEMS, ITEMS_POWER, FEWEST_ITEMS, MOST_ITEMS = 2.5, 2 / 3, 20, 1200
"""The number of items with pairs is a multiple and power of the number of users in units of the
noise of a pair, within two bounds: the edge of the noise grows with the root of the number."""

ABOVE_EDGE = 1.02
"""Smallest eigenvalue that counts, as a multiple of the edge of the noise, where its correction has
a pole."""

RIDGE = 150.0
"""Ridge of the regression of an item on the others, in users of the mean weight."""

POPULAR = (1.0, 0.05)
"""Multiples of an item's popularity (the share of users who like it) that are added to its score,
in the two lists that are compared with popularity alone."""

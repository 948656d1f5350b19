"""Every number of local Bayes that was chosen.

On generated ratings, or from theory; :data:`LEAST_TOLD`, :data:`FEWEST_ITEMS`,
:data:`RARER_DIFFER`, :data:`COUNTED_AGAIN`, :data:`FACTORS_WITHIN` and :data:`UNCORRELATED` with
splits of MovieLens 100K, Jester and SweetRS in sight. ``benchmarks/tune_local_bayes.py`` prints how
the error changes around each.
"""

SCALE_SHARE, OFFSETS_SHARE, DIRECTIONS_SHARE = 0.03, 0.14, 0.25
"""Of the budget, as mu^2; refinement has the rest."""

CHECK_SHARE = 0.01
"""Of the budget, to find out whether the model is worse than the biases it began with."""

WORTH_SHARE = 0.05
"""Of the budget, for errors on ratings that were held out, if they are asked for."""

FULL_WEIGHT_RATINGS = 5
"""Ratings from which on a user counts in full; below, in part."""

RATING_COUNT_CAP = 200
"""Ratings up to which a user adds to the number of all ratings."""

BINS = 14
"""Half octaves of a user's spread: the last one is from half of the rating range upwards."""

SPREAD_PRIOR, SPREAD_PRIOR_WITHIN = 0.4, 2.0
"""A typical spread in units of half the range before anything is known, and how many half octaves
it may be off."""

MEAN_PRIOR_SD = 0.3
"""Standard deviation of the mean rating around the middle of the range, in units of half of it."""

SLOPE = 0.2
"""Standard deviation of the change with the logarithm of popularity, before anything is known: of
offsets in units of the typical rating, of shares in the level in units of the level."""

RARER_DIFFER = 0.3
"""Power of the rarity of an item with which the prior variance of its offset grows."""

FEATURES_EXPLAIN, FEATURES_SURE = 0.1, 2.0
"""Of the prior variance of a parameter, what public features explain before anything is known, and
of how many weights' worth of evidence that is."""

LOG_SPREAD_STEP_SD = 0.3
"""Standard deviation of the logarithm of the spread in a step, before it is seen."""

SHORTEST = 5.0
"""Rows of offsets are shortened to the length of SHORTEST^2 typical ratings."""

COUNTED = 0.6
"""What a rating adds to the count of its item, in units of the typical rating."""

OWN_MEANS, OWN_MEANS_WITHIN, LEAST_OWN_MEANS = 0.5, 0.6, 0.05
"""Standard deviation of users' levels in units of the typical rating before anything is known, what
the logarithm of its square may be off, and the least that it is taken for."""

ODD_LEVELS, ODD_LEVELS_WITHIN = 0.02, 4.0
"""How likely it is that levels are of another size, and what the logarithm is off then."""

LEVELS_WITHIN, ITEMS_WITHIN, SMALL_LEVEL = 0.5, 0.1, 0.2
"""Standard deviations of the mean share in the level around that of the start, and of items around
that mean before anything is known, in units of the level; what a smaller level than so many typical
ratings is taken for in the second."""

FACTORS_WITHIN = 0.2
"""Variance of a factor's mean and of its change with the logarithm of popularity, over that of the
factor, before anything is known."""

UNCORRELATED = 3.0
"""Items' worth of evidence that parameters of items are not correlated, beside what is seen."""

LEVEL_UNIT = 0.2
"""Norm of what a user says of the own level, where the user's row of offsets has norm 1."""

EXPLAINED = 0.1
"""Share of the spread that a direction explains if it is worth looking for."""

FEWEST_ITEMS, LEAST_TOLD = 12, 0.03
"""A direction of fewer items is chance, unless there are no more; and how much of all ratings has
to tell where users stand in it, or the covariance is not worth its budget."""

MOST_ITEMS = 1200
"""With directions: their covariance takes so many numbers squared."""

MOST_FACTORS = 12
"""Directions that are kept at most."""

EDGE_WIDTH = 1.2
"""Eigenvalues count from so many times size^(-2/3) below the edge of noise, as a part of it. Of
noise alone about one does: a direction too many costs less than one too few."""

CLEAR_OF_EDGE = 1.02
"""Times the edge: what an eigenvalue is taken for at least, as its correction has a pole there."""

STEPS, GROWTH = 5, 1.5
"""Of refinement, from where the spread hardly falls on, and how many times the budget of one step
the next one has: the later, the better users know where they stand."""

FALLING, MOST_STEPS = 0.8, 12
"""A step that leaves less than this share of the spread has much to follow: the budget that is left
is planned for as many steps again, up to so many in all."""

COUNTED_AGAIN = 0.2
"""What a rating adds to the count of its item in a step, in units of the spread, as long as
nothing is known of the counts."""

SURE, TOLERATED = 3.0, 0.03
"""Deviations of the noise, and the least part of the spread, by which more is left of ratings after
a step than before it if the step is taken back."""

UNSHORTENED = 2.0
"""Typical ratings up to whose root of a number a user's row is not shortened in refinement."""

GRAM_BOUND, SPREAD_UNIT = 0.2, 0.15
"""Norms of a user's matrix and of what a user says of the spread, where a row has norm 1."""

FLATTEST, ABOVE_NOISE = 0.02, 3.0
"""No direction of the second moments is taken for flatter than so much of the steepest, nor than so
many deviations of their noise."""

LEAST_WEIGHT, EQUAL_WEIGHT_BELOW = 0.5, 0.3
"""Of a column of what users send, where another one has weight 1. All weigh the same once the
spread is below so much of a typical rating: ratings have hardly any noise of their own then, and a
column for what no model of this kind explains would outweigh the others."""

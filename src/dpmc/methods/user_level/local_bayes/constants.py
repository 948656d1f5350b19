"""The tuned constants of local Bayes, except a few that are written in its formulas.

``docs/local_bayes.md`` explains how they were chosen and names the others.
``benchmarks/tune_local_bayes.py`` prints how the error changes around them. Functions in the cache
of numba keep the old value of a changed constant: remove ``__pycache__`` in this folder.
"""

import math

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

PLACES_APART, WIDTH = 0.25, 0.8
"""How finely the place of the typical spread among the bins is looked for, and the standard
deviation of users' spreads around it, both in half octaves."""

ALIKE = 0.03
"""If more users than this do not, those do not count who give all items about the same rating."""

SPREAD_PRIOR, SPREAD_PRIOR_WITHIN = 0.6, 2.0
"""A typical spread in units of half the range before anything is known, and how many half octaves
it may be off."""

MEAN_PRIOR_SD = 0.5
"""Standard deviation of the mean rating around the middle of the range, in units of half of it."""

MEAN_OFF = 0.1
"""Standard deviation of the mean of offsets around the mean of users' means, in typical ratings."""

GRID_POINTS, COUNTS_SMALLEST = 24, 0.001
"""Of the prior of counts: exponential distributions in the mixture, and the mean of the first in
deviations of the noise."""

COUNTS_FAR = 8.0
"""Deviations of the noise within which places are close, as rounding to one loses nothing."""

COUNTS_ROUNDS = 200
"""Of expectation maximisation of that mixture."""

LEAST_COUNT = 1e-12
"""No count is taken for less, in deviations of the noise."""

LEARN_ROUNDS = 15
"""Of expectation maximisation of the items' prior."""

NOTHING = 1e12
"""Precision of ratings without noise of their own, as far as is known at the start."""

LEAST_VARIANCE = 1e-6
"""No variance of the prior falls below so much of the one that it starts from."""

SLOPE = 0.2
"""Standard deviation of the change with the logarithm of popularity, before anything is known: of
offsets in units of the typical rating, of shares in the level in units of the level."""

UNKNOWN = 0.05
"""Of all that is known of offsets, what is known of items so rare that the line is flat there."""

RARER_DIFFER, MOST_WIDER = 0.3, 1.5
"""Power of the rarity of an item with which the prior variance of its offset grows; bound of the
logarithm by which it differs from the usual one."""

FEATURES_EXPLAIN, FEATURES_SURE = 0.1, 2.0
"""Of the prior variance of a parameter, what public features explain before anything is known, and
of how many weights' worth of evidence that is."""

FEATURES_FAR, FEATURES_MOST = 4.0, 50
"""Standard deviations beyond which a feature is cut off; principal components that are kept."""

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

TOLD_ALREADY, TIMES_EXPLAINED = 0.05, 5.0
"""If what is not known of offsets is so small a part of the spread, they need little more budget:
then a direction is worth looking for, too, that explains so many times as much."""

SMALLEST_PART, CLEAR = 0.0625, 0.4
"""Of the budget of the covariance, with which such a direction is looked for elsewhere (or twice as
much, and so on), and the squared cosine between it and what is seen of it from which on that is
worth it."""

CONFUSED = 1.5
"""Times what is not known of offsets that a direction has to explain, as users share that, too."""

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

REFILLS = 6
"""Of the diagonal of the covariance."""

LEAST_LEFT = 0.3
"""Least square of the first spread, over that of a typical rating."""

STEPS, GROWTH = 5, 1.5
"""Of refinement, from where the spread hardly falls on, and how many times the budget of one step
the next one has: the later, the better users know where they stand."""

FALLING, MOST_STEPS = 0.8, 12
"""A step that leaves less than this share of the spread has much to follow: the budget that is left
is planned for as many steps again, up to so many in all."""

COUNTED_AGAIN = 0.2
"""What a rating adds to the count of its item in a step, in units of the spread, as long as
nothing is known of the counts."""

FASTEST = math.e
"""Times that the spread changes in a step, at most."""

TOLD_APART = 0.3
"""The square of the spread does not fall below so much of what is not known of items."""

MOST_EXCESS = 3.0
"""Of the mean of a user's squares over what is expected of it. Up to so much a mean of users is
that of squares, not of logarithms, which users who give all items the same would pull down to
nothing."""

LEAST_FRESH = 1e-3
"""Of what a rating that items have learnt from tells of the spread."""

MOST_LEVERAGE = 0.95
"""Of one of the ratings from which a prediction was learnt."""

DOUBTED = 6.0
"""Variances of ratings grow by the exponential of so many times the variance of the logarithm of
the size of all deviations."""

SETTLED = 1.1
"""Times the spread that a step was made with: what is released of a larger one is too small, as
what users say of it is bounded, and nothing is compared with it."""

SURE, TOLERATED = 3.0, 0.03
"""Deviations of the noise, and the least part of the spread, by which more is left of ratings after
a step than before it if the step is taken back."""

UNSHORTENED = 2.0
"""Typical ratings up to whose root of a number a user's row is not shortened in refinement."""

GRAM_BOUND, SPREAD_UNIT = 0.2, 0.15
"""Norms of a user's matrix and of what a user says of the spread, where a row has norm 1."""

BOUNDED = 0.2
"""How much of the moments the bound on users' matrices may take away, as far as is known."""

FLATTEST, ABOVE_NOISE = 0.02, 3.0
"""No direction of the second moments is taken for flatter than so much of the steepest, nor than so
many deviations of their noise."""

LEAST_WEIGHT, EQUAL_WEIGHT_BELOW = 0.5, 0.3
"""Of a column of what users send, where another one has weight 1. All weigh the same once the
spread is below so much of a typical rating: ratings have hardly any noise of their own then, and a
column for what no model of this kind explains would outweigh the others."""

CREDITED = 2.0
"""Ratings at the mean of all with which each user is credited in own means."""

CHECK_SURE = 2.5
"""Deviations of the noise by which the model has to be worse to be taken back."""

CHECK_LARGEST = 1e6
"""Error of a user, in squares of a typical rating."""

CHECK_LEVERAGE = 0.5
"""Of a rating by which models are compared: what an item is without its only one, nobody knows."""

WORTH_NOISE, WORTH_LARGEST, WORTH_LARGEST_OF_ALL, FINER = 0.01, 4.0, 64.0, 4.0
"""The noise on the mean of errors by which models' worth is told, the least and the most up to
which a user's error counts, all in squares of a typical rating; by so much is the difference of two
errors seen more exactly than one of them."""

WEIGHT_TOLD, MOST_WEIGHT = 100.0, 2.0
"""Users over the noise at which ratings count alike in errors up to the usual number of a user, and
how many times that at most."""

TOLD_FROM, BEYOND_SURE = 2.0, 1.5
"""Deviations of the noise from which on an error is told, and from which on some are larger than
what counts of them."""

SQUARES_DIFFER = 0.36
"""Variance of users' mean squared errors over the square of their mean, with many ratings each:
that of squares whose roots differ as in :data:`WIDTH`."""

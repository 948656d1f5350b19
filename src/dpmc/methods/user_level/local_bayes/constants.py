"""The tuned constants of local Bayes, except a few that are written in its formulas.

``docs/local_bayes.md`` explains how they were chosen and names the others.
``benchmarks/tune_local_bayes.py NAME=VALUE`` prints how another value changes the RMSE. Functions
in the cache of numba keep a changed constant's old value: remove ``__pycache__`` in this folder.
"""

import math

SCALE_SHARE, OFFSETS_SHARE, DIRECTIONS_SHARE = 0.03, 0.14, 0.25
"""Shares of the budget, as mu^2; refinement has the rest."""

CHECK_SHARE = 0.01
"""Share of the budget to find out whether the model is worse than its first biases."""

WORTH_SHARE = 0.05
"""Share of the budget for errors on held-out ratings, if they are requested."""

FULL_WEIGHT_RATINGS = 5
"""Number of ratings from which on a user has full weight."""

RATING_COUNT_CAP = 200
"""Number of ratings up to which a user adds to the number of all ratings."""

BINS = 14
"""Number of bins of users' spreads, in half octaves; the last begins at half the rating range."""

PLACES_APART, WIDTH = 0.25, 0.8
"""Step of the grid on which the typical spread is searched, and standard deviation of users'
spreads around it, both in half octaves."""

ALIKE = 0.03
"""Users who give all items about the same rating are ignored if this share of users do not."""

SPREAD_PRIOR, SPREAD_PRIOR_WITHIN = 0.6, 2.0
"""Prior of the typical spread: its mean in units of half the range, and its standard deviation in
half octaves."""

MEAN_PRIOR_SD = 0.5
"""Prior standard deviation of the mean rating, in units of half the range."""

MEAN_OFF = 0.1
"""Standard deviation of the mean offset around the mean of users' means, in typical ratings."""

GRID_POINTS, COUNTS_SMALLEST = 24, 0.001
"""Prior of counts: number of exponential distributions in the mixture, and smallest mean in
deviations of the noise."""

COUNTS_FAR = 8.0
"""Deviations of the noise within which the grid of counts is so fine that rounding is harmless."""

COUNTS_ROUNDS = 200
"""Rounds of expectation maximisation of that mixture."""

LEAST_COUNT = 1e-12
"""Smallest count, in deviations of the noise."""

LEARN_ROUNDS = 15
"""Rounds of expectation maximisation of the items' prior."""

NOTHING = 1e12
"""Initial sampling precision times the prior variance: as if ratings had no noise of their own."""

LEAST_VARIANCE = 1e-6
"""Smallest prior variance, relative to its initial value."""

SLOPE = 0.2
"""Prior standard deviation of the slope in the logarithm of popularity: of offsets in units of the
typical rating, of shares in the level in units of the level."""

UNKNOWN = 0.05
"""Part of the evidence on offsets from the rarest items, for which the prior's line is flat."""

RARER_DIFFER, MOST_WIDER = 0.3, 1.5
"""Power of an item's rarity with which the prior variance of its offset grows, and bound of the
logarithm of its ratio to the usual variance."""

FEATURES_EXPLAIN, FEATURES_SURE = 0.1, 2.0
"""Initial part of a parameter's prior variance that public features explain, and the number of
weights that this guess counts as."""

FEATURES_FAR, FEATURES_MOST = 4.0, 50
"""Standard deviations at which features are clipped, and largest number of principal components."""

LOG_SPREAD_STEP_SD = 0.3
"""Prior standard deviation of the change of the logarithm of the spread in a step."""

SHORTEST = 5.0
"""Rows of offsets are shortened to the length of SHORTEST^2 typical ratings."""

COUNTED = 0.6
"""What a rating adds to the count of its item, in units of the typical rating."""

OWN_MEANS, OWN_MEANS_WITHIN, LEAST_OWN_MEANS = 0.5, 0.6, 0.05
"""Prior of users' levels: standard deviation in units of the typical rating, standard deviation of
the logarithm of its square, and smallest value."""

ODD_LEVELS, ODD_LEVELS_WITHIN = 0.02, 4.0
"""Prior probability that levels have an unusual size, and the standard deviation of the logarithm
then."""

LEVELS_WITHIN, ITEMS_WITHIN, SMALL_LEVEL = 0.5, 0.1, 0.2
"""Prior standard deviations, in units of the level: of the mean share in the level, and of items
around it. In the second, the level counts as at least SMALL_LEVEL typical ratings."""

FACTORS_WITHIN = 0.2
"""Prior variance of a factor's mean and of its slope in the logarithm of popularity, over the
factor's variance."""

UNCORRELATED = 3.0
"""Prior evidence, in items, that parameters of items are uncorrelated."""

LEVEL_UNIT = 0.2
"""Norm of what a user sends about the own level, if the user's row of offsets has norm 1."""

EXPLAINED = 0.1
"""Smallest share of the spread that a direction must explain to be worth looking for."""

TOLD_ALREADY, TIMES_EXPLAINED = 0.05, 5.0
"""If the uncertainty of offsets is at most this part of the spread, offsets need little more
budget. Then a direction that explains TIMES_EXPLAINED as much is worth looking for, too."""

SMALLEST_PART, CLEAR = 0.0625, 0.4
"""Smallest part of the covariance's budget for such a direction (it is doubled until enough), and
the squared cosine between the direction and its estimate that makes it worth while."""

CONFUSED = 1.5
"""Multiple of the uncertainty of offsets, which users share, that a direction has to explain."""

FEWEST_ITEMS, LEAST_TOLD = 12, 0.03
"""Fewest items of a direction, unless there are no more, and smallest part of all ratings that must
be informative about it to be worth the budget."""

MOST_ITEMS = 1200
"""Most items of the covariance, which has the square of this many numbers."""

MOST_FACTORS = 12
"""Most directions that are kept."""

EDGE_WIDTH = 1.2
"""Eigenvalues count from this multiple of size^(-2/3) below the edge of noise, as a part of the
edge. About one eigenvalue of noise passes: a direction too many costs less than one too few."""

CLEAR_OF_EDGE = 1.02
"""Smallest eigenvalue as a multiple of the edge, where its correction has a pole."""

REFILLS = 6
"""Number of times that the diagonal of the covariance is refilled."""

LEAST_LEFT = 0.3
"""Smallest square of the first spread, over that of a typical rating."""

STEPS, GROWTH = 5, 1.5
"""Number of refinement steps once the spread hardly falls, and the ratio of each step's budget to
the last: users know better where they stand in later steps."""

FALLING, MOST_STEPS = 0.8, 12
"""If a step leaves less than this share of the spread, the rest of the budget is planned for STEPS
more steps, up to MOST_STEPS in all."""

COUNTED_AGAIN = 0.2
"""What a rating adds to the count of its item in a step, in units of the spread, if nothing is
known of the counts."""

FASTEST = math.e
"""Largest factor by which the spread changes in a step."""

TOLD_APART = 0.3
"""Smallest square of the spread, as a part of the remaining variance of items."""

MOST_EXCESS = 3.0
"""Bound of the mean of a user's squares over its expectation. Below it a mean over users is one of
squares, not of logarithms, which users who give all items the same would pull down to nothing."""

LEAST_FRESH = 1e-3
"""Smallest weight, in the spread, of a rating that items have learnt from."""

MOST_LEVERAGE = 0.95
"""Largest leverage of a rating from which its prediction was learnt."""

DOUBTED = 6.0
"""Variances of ratings are multiplied by the exponential of DOUBTED times the variance of the
logarithm of the scale of all deviations."""

SETTLED = 1.1
"""Largest ratio of a released spread to that of its step for comparisons. Above, the released
spread is too small, because what users send is bounded."""

SURE, TOLERATED = 3.0, 0.03
"""A step is taken back if residuals grow by more than SURE deviations of the noise and by more than
this part of the spread."""

UNSHORTENED = 2.0
"""A user's row is shortened in refinement if its norm is above UNSHORTENED over the spread."""

GRAM_BOUND, SPREAD_UNIT = 0.2, 0.15
"""Norms of a user's matrix and of what a user sends about the spread, if a row has norm 1."""

BOUNDED = 0.2
"""Part of the moments that the bound on users' matrices may take away, as an assumption."""

FLATTEST, ABOVE_NOISE = 0.02, 3.0
"""Smallest eigenvalue of the second moments: as a part of the largest, and in deviations of the
noise."""

LEAST_WEIGHT, EQUAL_WEIGHT_BELOW = 0.5, 0.3
"""Smallest weight of a column of what users send, if another has weight 1. If the spread is below
the second part of a typical rating, all weights are equal: ratings then have hardly any noise, and
a column for what no model of this kind explains would outweigh the others."""

CREDITED = 2.0
"""Number of ratings at the mean of all that each user is credited with in own means."""

CHECK_SURE = 2.5
"""Deviations of the noise by which the model must be worse to be replaced."""

CHECK_LARGEST = 1e6
"""Largest error of a user, in squares of a typical rating."""

CHECK_LEVERAGE = 0.5
"""Largest leverage of a rating that models are compared on: without its only rating, an item is
unknown."""

WORTH_NOISE, WORTH_LARGEST, WORTH_LARGEST_OF_ALL, FINER = 0.01, 4.0, 64.0, 4.0
"""Target of the noise on the mean error, and smallest and largest bound of a user's error, all in
squares of a typical rating. The difference of two errors is FINER times as exact as one error."""

WEIGHT_TOLD, MOST_WEIGHT = 100.0, 2.0
"""Number of users over the noise at which ratings count alike up to a user's usual number, and
largest multiple of that number."""

TOLD_FROM, BEYOND_SURE = 2.0, 1.5
"""Deviations of the noise from which on an error is released, and from which on the share of errors
that were cut off counts as above 0."""

SQUARES_DIFFER = 0.36
"""Variance of users' mean squared errors over their squared mean, with many ratings each: that of
squares whose roots differ as in :data:`WIDTH`."""

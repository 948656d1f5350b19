"""Names of variants of settings, beside that of the comparison at settings of an earlier search."""

SEARCHED = "searched"
"""At settings of one search with equal effort for every method."""

POSTERIOR = "posterior_"
"""How names begin of a method's item factors with Local Bayes' offsets and posterior of users."""

FEATURES = {
    "no_features": "without features",
    "features": "with features",
    "shuffled_features": "shuffled features",
}
"""Local Bayes by what it is told of the items, as the page calls it."""

FORMS = {
    "whole": "the whole method",
    "no_prior": "no prior of offsets",
    "fixed_prior": "fixed prior",
    "no_covariance": "no covariance",
    "plain_residuals": "plain residuals",
    "equal_steps": "equal steps",
    "fixed_ridge": "fixed ridge for users",
    "random_start": "random start",
}
"""Local Bayes without a part, as the page calls it."""

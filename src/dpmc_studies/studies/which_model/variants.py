"""Names of variants, beside that of the comparison at settings of an earlier search."""

SEARCHED = "searched"
"""At settings of one search with equal effort for every method."""

POSTERIOR = "posterior_"
"""How names begin of a method's item factors with Local Bayes' offsets and posterior of users."""

"""The methods that are audited, by their names in :mod:`dpmc.methods`."""

FACTOR_METHODS = ("private_als", "private_irls")
METHODS = (
    *FACTOR_METHODS, "private_global_mean", "private_item_bias", "private_user_item_bias",
)  # fmt: skip
"""They guarantee any neighbouring relation."""
USER_LEVEL_METHODS = (
    "dpals", "dpals_features", "dpfw", "dp_altmin", "dp_saltls", "dp_svd", "dp_gradient",
    "dp_effects", "local_bayes", "local_ease",
)  # fmt: skip
"""They guarantee user level."""

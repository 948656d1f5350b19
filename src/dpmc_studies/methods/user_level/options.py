"""The options of DPALS: what there is, and what goes together."""

from dpmc.errors import InputError

STARTS = ("normal", "analyze_gauss")
GRAMS = ("noised", "free")
SAMPLINGS = ("uniform", "adaptive", "weights")
CENTRINGS = ("none", "global", "user")
ACCOUNTINGS = ("exact", "published")
DTYPES = ("float32", "float64")


def check_options(model) -> None:
    """Refuse options that contradict each other, or that would be paid for without a use.

    Each option of the model, a DPALS, is in its range.
    """
    uneven = model.sampling != "uniform" or model.regularization_exponent > 0
    counted = model.item_share < 1 or uneven
    if counted and not model.counts_share:
        raise InputError(
            "item_share below 1, regularization_exponent above 0 and sampling other than uniform "
            "go by the numbers of ratings of the items, which are not public: give counts_share, a "
            "share of the budget such as 0.05."
        )
    if model.counts_share and not counted:
        raise InputError(
            "counts_share pays for nothing: without item_share below 1, regularization_exponent "
            "above 0 or sampling other than uniform nobody asks how many ratings an item has."
        )
    if model.regularization_exponent and (model.literal or model.gram == "free"):
        raise InputError(
            "regularization_exponent weighs the regularization of items, which literal adds before "
            "the projection and gram 'free' does without: set it to 0."
        )
    if model.sampling == "weights" and model.resampled:
        raise InputError("With sampling 'weights' all ratings count: resampled draws nothing.")
    if model.mean_share and model.centring == "none":
        raise InputError("mean_share pays for nothing without centring: set it to 0.")
    if model.start == "analyze_gauss" and not model.start_share:
        raise InputError("start_share must be above 0 for the start 'analyze_gauss'.")
    if model.gram == "free" and (model.literal or model.global_penalty or not model.projection):
        raise InputError(
            "gram 'free' has no matrix H: it does not go with literal, global_penalty or "
            "projection=False."
        )
    if model.literal and model.global_penalty:
        raise InputError("literal does not go with global_penalty, which came later.")

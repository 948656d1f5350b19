"""The options of DPALS: what there is, and what goes together."""

from dpmc.errors import InputError

STARTS = ("normal", "analyze_gauss")
GRAMS = ("noised", "free")
SAMPLINGS = ("uniform", "adaptive")
CENTRINGS = ("none", "global", "user")
ACCOUNTINGS = ("exact", "published")
DTYPES = ("float32", "float64")


def check_options(model) -> None:
    """Refuse options that contradict each other, or that would be paid for without a use.

    Each option of the model, a DPALS, is in its range.
    """
    counted = model.item_share < 1 or model.sampling == "adaptive"
    if counted and not model.counts_share:
        raise InputError(
            "item_share below 1 and adaptive sampling go by the numbers of ratings of the "
            "items, which are not public: give counts_share, a share of the budget such as "
            "0.05."
        )
    if model.counts_share and not counted:
        raise InputError(
            "counts_share pays for nothing: without item_share below 1 or adaptive sampling "
            "nobody asks how many ratings an item has."
        )
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

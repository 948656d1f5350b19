"""Register the methods of the studies, and their variants, next to those of the library.

Importing this package adds the methods to :data:`dpmc.methods.METHODS`. A variant is a method with
some settings fixed, and its name states which. The functions that find a method by name belong to
the library; studies import them from here, so that the names of all methods are registered.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dpmc.methods import METHODS, method_class, method_module, method_name, parameters_of

__all__ = [
    "METHODS",
    "PRIVATE",
    "VARIANTS",
    "Variant",
    "method_class",
    "method_module",
    "method_name",
    "parameters_of",
    "variant",
]

METHODS |= {
    "als": "dpmc_studies.methods.factorization.als:ALS",
    "global_mean": "dpmc_studies.methods.factorization.baselines:GlobalMean",
    "item_bias": "dpmc_studies.methods.factorization.baselines:ItemBias",
    "user_item_bias": "dpmc_studies.methods.factorization.baselines:UserItemBias",
    "irls": "dpmc_studies.methods.factorization.irls:IRLS",
    "rank_one": "dpmc_studies.methods.factorization.rank_one:RankOne",
    "private_irls": "dpmc_studies.methods.factorization.private_irls:PrivateIRLS",
    "dpals": "dpmc_studies.methods.user_level.dpals:DPALS",
    "dpals_features": "dpmc_studies.methods.user_level.dpals_features:DPALSWithFeatures",
    "dpfw": "dpmc_studies.methods.user_level.frank_wolfe:PrivateFrankWolfe",
    "dp_altmin": "dpmc_studies.methods.user_level.altmin:DPAltMin",
    "dp_saltls": "dpmc_studies.methods.user_level.saltls:DPSAltLS",
    "dp_svd": "dpmc_studies.methods.user_level.private_svd:PrivateSVD",
    "dp_gradient": "dpmc_studies.methods.user_level.gradient:NoisyGradient",
    "dp_effects": "dpmc_studies.methods.user_level.effects:EffectsAndCovariance",
    "centred_als": "dpmc_studies.methods.user_level.als:AlternatingLeastSquares",
    "altmin_published": "dpmc_studies.methods.user_level.as_printed:AltMinAsPrinted",
    "saltls_published": "dpmc_studies.methods.user_level.as_printed:SAltLSAsPrinted",
    "frank_wolfe": "dpmc_studies.methods.user_level.frank_wolfe:FrankWolfe",
    "svd": "dpmc_studies.methods.user_level.references:TruncatedSVD",
    "svt": "dpmc_studies.methods.user_level.references:SVT",
    "fast_tri": "dpmc_studies.methods.user_level.references:FastTri",
    "popularity": "dpmc_studies.methods.user_level.references:Popularity",
    "trivial": "dpmc_studies.methods.user_level.references:Trivial",
    "user_mean": "dpmc_studies.methods.user_level.references:UserMean",
}

PRIVATE = frozenset(
    {
        "private_als", "private_irls", "private_global_mean", "private_item_bias",
        "private_user_item_bias", "dpals", "dpals_features", "dpfw", "dp_altmin", "dp_saltls",
        "dp_svd", "dp_gradient", "dp_effects", "local_bayes", "local_ease",
    }
)  # fmt: skip
"""Methods with a privacy budget, listed here so that they need not be imported."""


@dataclass(frozen=True)
class Variant:
    """A method with some settings fixed.

    Attributes
    ----------
    of : str
        A key of :data:`METHODS`.
    settings : mapping
        Arguments of its constructor.
    """

    of: str
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def private(self) -> bool:
        """Whether the constructor takes a budget."""
        return self.of in PRIVATE

    @property
    def module(self) -> str:
        """Dotted name of the module that defines the class."""
        return method_module(self.of)

    def factory(self) -> type:
        """Import and return the class."""
        return method_class(self.of)


VARIANTS: Mapping[str, Variant] = {
    # algorithm 1 of Chien et al. to the letter, and the noise of their theorem 1
    "dpals_literal": Variant(
        "dpals", {"literal": True, "resampled": True, "accounting": "published"}
    ),
    "dpals_h_free": Variant("dpals", {"gram": "free"}),
    "dpals_h_free_clipped": Variant("dpals", {"gram": "free"}),  # the experiment gives row_bound
    "dpals_analyze_gauss": Variant("dpals", {"start": "analyze_gauss"}),
    # all ratings take part, those of rare items with more weight
    "dpals_weights": Variant("dpals", {"sampling": "weights"}),
    "dpals_weights_h_free": Variant("dpals", {"sampling": "weights", "gram": "free"}),
    # Wang, Zhao and Kolar (AISTATS 2023) and DPAM (Krichene et al., ICML 2023), both mended
    "dp_gradient_spectral": Variant("dp_gradient", {"start": "analyze_gauss"}),
    "dpam": Variant("dp_gradient", {"start": "normal", "sampling": "weights"}),
    # Curmei et al. (RecSys 2023), and the idea of Krichene et al. (AISTATS 2024), in our forms
    "dp_cmf": Variant("dpals_features", {"sampling": "weights"}),
    "dp_cmf_h_free": Variant("dpals_features", {"gram": "free"}),
    "dp_encoder": Variant("dpals_features", {"feature_model": "encoded", "sampling": "weights"}),
    "dp_encoder_h_free": Variant("dpals_features", {"feature_model": "encoded", "gram": "free"}),
    "dpfw_jain": Variant("dpfw", {"noise": "jain"}),
    "dpfw_residual": Variant("dpfw", {"noise": "residual_clip"}),
}


def variant(name: str) -> Variant:
    """Return the variant of a name: one of :data:`VARIANTS`, or a method with nothing fixed."""
    return VARIANTS.get(name) or Variant(name)

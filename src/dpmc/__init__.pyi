"""What a type checker sees of the package, whose class is imported when it is used."""

from dpmc.estimator import PrivateFactorization

__version__: str
__all__ = ["PrivateFactorization", "__version__"]

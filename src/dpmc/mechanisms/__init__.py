"""Noise mechanisms by name.

``MECHANISMS`` maps a name to "module:Class"; the module is imported when it is needed. A new
mechanism is a class in its own file, with the decorator ``@register_mechanism("its_name")`` and

- ``from_variance(variance, **options)``, a classmethod,
- ``rvs(size, rng)`` with a :class:`numpy.random.Generator`,
- ``var()``.

A training run needs nothing else. These mechanisms are simulations with seeded floating-point
numbers; :mod:`dpmc.mechanisms.discrete` has exact noise for publication.
:mod:`dpmc.mechanisms.randomised_response` flips signs instead of adding noise.
"""

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from dpmc.errors import InputError, did_you_mean
from dpmc.mechanisms.base import Mechanism, positive_finite

if TYPE_CHECKING:
    from dpmc.mechanisms.gaussian import Gaussian
    from dpmc.mechanisms.huber import Huber
    from dpmc.mechanisms.laplace import Laplace

__all__ = [
    "MECHANISMS",
    "Gaussian",
    "Huber",
    "Laplace",
    "Mechanism",
    "make_mechanism",
    "mechanism_module",
    "register_mechanism",
]

NO_MECHANISM = "none"

MECHANISMS: dict[str, str] = {
    "gaussian": "dpmc.mechanisms.gaussian:Gaussian",
    "laplace": "dpmc.mechanisms.laplace:Laplace",
    "huber": "dpmc.mechanisms.huber:Huber",
}

_registered: dict[str, type] = {}
"""Plug-in classes themselves: their file need not be importable by its module's name."""

Class = TypeVar("Class", bound=type)


def register_mechanism(name: str) -> Callable[[Class], Class]:
    """Return a class decorator that makes the class available under ``name``.

    InputError refuses the name of another class, and a class without what training needs.
    """

    def register(cls: Class) -> Class:
        target = f"{cls.__module__}:{cls.__qualname__}"
        if name == NO_MECHANISM or MECHANISMS.get(name, target) != target:
            raise InputError(f"the mechanism name '{name}' is taken; give {target} another one.")
        missing = [m for m in ("from_variance", "rvs", "var") if not hasattr(cls, m)]
        if missing:
            raise InputError(
                f"the mechanism {target} needs a function {' and a function '.join(missing)}."
            )
        MECHANISMS[name] = target
        _registered[name] = cls
        return cls

    return register


def make_mechanism(name: str, variance: float | None, **options: Any) -> Any:
    """Return the mechanism ``name`` with variance ``variance``; None for "none".

    Parameters
    ----------
    name : str
        "none" or a name in ``MECHANISMS``.
    variance : float
        Per coordinate; not looked at when ``name`` is "none".
    options
        Passed on to the class's ``from_variance``, e.g. ``scale`` of the Huber mechanism.

    Raises
    ------
    InputError
        An unknown name or option, or a variance that the mechanism cannot have.
    """
    target = _target(name)
    if target is None:
        return None
    variance = positive_finite("variance", variance)
    cls: Any = _registered.get(name) or _load(target)
    known = inspect.signature(cls.from_variance).parameters
    for option in options:
        if option not in known and not _takes_any_option(known):
            raise InputError(
                f"the mechanism '{name}' has no option '{option}'{did_you_mean(option, known)}."
            )
    return cls.from_variance(variance, **options)


def mechanism_module(name: str) -> str:
    """Return the dotted module that defines the mechanism (for "none": this package)."""
    target = _target(name)
    return __name__ if target is None else target.partition(":")[0]


def __getattr__(attribute: str) -> type:
    """Import ``Gaussian``, ``Laplace`` or ``Huber`` when it is asked for."""
    target = MECHANISMS.get(attribute.lower(), "")
    if attribute in __all__ and target:
        return _load(target)
    raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")


def _load(target: str) -> type:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def _target(name: str) -> str | None:
    if name == NO_MECHANISM:
        return None
    if name not in MECHANISMS:
        names = [NO_MECHANISM, *MECHANISMS]
        raise InputError(
            f"unknown mechanism '{name}'{did_you_mean(name, names)}; "
            f"the mechanisms are {', '.join(names)}."
        )
    return MECHANISMS[name]


def _takes_any_option(parameters: Mapping[str, inspect.Parameter]) -> bool:
    return any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())

"""The audit of all that can be published: models, and private lists of items."""

from collections.abc import Iterator, Mapping

from dpmc.fitting.parameters import METHODS
from dpmc.methods.private import PrivateMethod
from dpmc.privacy.recommendation import noises
from dpmc.privacy.relations import RELATIONS, USER_LEVEL
from dpmc_studies.studies.audit.dpals import FAMILIES, audited_family
from dpmc_studies.studies.audit.method_runs import DELTA, audited_method
from dpmc_studies.studies.audit.released import Publisher, publisher_rows
from dpmc_studies.studies.audit.released_items import selection_rows
from dpmc_studies.studies.audit.rows import AUDIT, stream

FITTED = ("private_als", "private_user_item_bias")
"""Methods of ``dpmc fit`` for every relation; others are for users."""
FITTED_FAMILIES = tuple(name for name, (of, _) in FAMILIES.items() if of in METHODS.values())
"""Families of those."""


def published_rows(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the rows of everything that can be published.

    ``settings`` has ``seed``.
    """
    for name, relation, mechanism in published_methods():
        key = {"method": name, "relation": relation, "mechanism": mechanism}
        rng = stream(settings["seed"], AUDIT, {"published": name, **key})
        yield from publisher_rows(Publisher(published_method(**key)), rng, key)
    yield from selection_rows(settings)


def published_methods() -> Iterator[tuple[str, str, str]]:
    """Yield (method or family, relation, mechanism) of all that ``dpmc fit`` can publish."""
    for name in FITTED:
        for relation in RELATIONS:
            for mechanism in noises(relation, DELTA):
                yield name, relation, mechanism
    for family in FITTED_FAMILIES:
        for relation in USER_LEVEL:
            yield family, relation, "gaussian"


def published_method(
    method: str, relation: str, mechanism: str = "gaussian", cls: type | None = None
) -> PrivateMethod:
    """Return a small method by its name, or that of its family, with the budget of the audit.

    With ``cls``, of that class: where the method has a planted fault.
    """
    if method in FAMILIES:
        return audited_family(method, relation, cls=cls)
    return audited_method(method, relation, mechanism, bare=False, cls=cls)
